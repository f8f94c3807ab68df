/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text.c - a body as text, for people: the page of mnfparse --info, then every small array. */
#include "info.h"
#include "writer.h"
#include <stdio.h>
#include <stdlib.h>

static void matrix(fb_buf *o, const char *name, const double *x, int64_t rows, int64_t cols)
{
    if (!x)
        return;
    fb_put_text(o, "\n%s [%lld x %lld]\n", name, (long long)rows, (long long)cols);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++)
            fb_put_text(o, " %23.16e", x[i * cols + j]);
        fb_put_text(o, "\n");
    }
}

static void matrices(const fb_model *b, fb_buf *o)
{
    const int64_t m = b->nr;
    matrix(o, "reduced stiffness K", b->Kr, m, m);
    matrix(o, "reduced mass M", b->Mr, m, m);
    matrix(o, "reduced damping D", b->Dr, m, m);
    for (int64_t c = 0; c < b->nc && b->connector_S; c++) {
        char name[64];
        snprintf(name, sizeof name, "S of connector %lld", (long long)b->connector_node[c]);
        matrix(o, name, b->connector_S + 3 * m * c, 3, m);
        snprintf(name, sizeof name, "Shat of connector %lld", (long long)b->connector_node[c]);
        matrix(o, name, b->connector_Shat + 3 * m * c, 3, m);
    }
    matrix(o, "I1", b->I[1], 1, 1);
    matrix(o, "I2", b->I[2], 1, 3);
    matrix(o, "I3", b->I[3], 3, m);
    matrix(o, "I4", b->I[4], 3, m);
    matrix(o, "I5 (row 3 i + axis)", b->I[5], 3 * m, m);
    matrix(o, "I6", b->I[6], m, m);
    matrix(o, "I7", b->I[7], 3, 3);
    matrix(o, "I8 (row 3 i + axis)", b->I[8], 3 * m, 3);
    matrix(o, "I9 (row i m + j, 3 x 3 by rows)", b->I[9], m * m, 9);
    matrix(o, "I10 (row 3 a + b)", b->I[10], 9, m);
    matrix(o, "I11 (row (3 a + b) m + i)", b->I[11], 9 * m, m);
}

static fb_status publish_text(fb_run *r, fb_stream *in, fb_model *b, const fb_export *ask,
                              fb_err *e)
{
    fb_stream spool = FB_STREAM_NONE;
    fb_buf o = {.little = 1};
    fb_history h = {0};
    fb_status s = FB_OK;
    (void)ask;
    FB_TRY(fb_history_read(in, &h, e));
    FB_TRY(fb_spool_open(r, &spool, &o, e));
    FB_TRY(fb_info_page(b, &h, &r->log, &o, e));
    matrices(b, &o);
    s = fb_spool_commit(r, &spool, &o, e);
out:
    free(h.lines);
    fb_stream_abandon(&spool);
    fb_buf_free(&o);
    return s;
}

const fb_writer fb_writer_text = {
    .name = "text",
    .doc = "a text for people",
    .weightless = 1,
    .publish = publish_text,
};

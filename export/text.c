/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text.c - a body as text, for people: the page of mnfparse --info, then every small array.
 *
 * Arrays are printed in blocks of columns that fit a line, rows and columns under the names of what
 * they are: axes, boundary dofs (node.component), modes. Left out are zeros, and with six digits
 *   (TXT.1) |a_ij| <= max(1e-12 sqrt(max_k |a_ik| max_k |a_kj|), 1e-14 max |a|)
 * which is what round-off leaves where a zero belongs.
 */
#include "body.h"
#include "geometric.h"
#include "info.h"
#include "memory.h"
#include "writer.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 48 };
static const double lost = 1e-12, nothing = 1e-14;

typedef char label[LABEL];

typedef struct {
    fb_buf *o;
    label *coordinate; /* [m] */
    int64_t m;
    const fb_model *b;
    int exact; /* 17 digits */
} page;

/* What rows or columns of an array count. Of two the second changes first. */
typedef enum { ONE, AXIS, COORDINATE, COORDINATE_AXIS, AXES, AXES_COORDINATE, PAIR, LOAD } what;

static const char *const axis[3] = {"x", "y", "z"};

static int64_t count(const page *p, what w)
{
    const int64_t m = p->m;
    return (int64_t[]){1, 3, m, 3 * m, 9, 9 * m, m * m, p->b->nload}[w];
}

static void name(const page *p, what w, int64_t k, char *out, size_t size)
{
    const int64_t m = p->m > 0 ? p->m : 1;
    const char *a = axis[k / 3 % 3], *b = axis[k % 3];
    switch (w) {
    case ONE:
        snprintf(out, size, "%s", "");
        break;
    case AXIS:
        snprintf(out, size, "%s", b);
        break;
    case COORDINATE:
        snprintf(out, size, "%s", p->coordinate[k]);
        break;
    case COORDINATE_AXIS:
        snprintf(out, size, "%s %s", p->coordinate[k / 3], b);
        break;
    case AXES:
        snprintf(out, size, "%s%s", a, b);
        break;
    case AXES_COORDINATE:
        snprintf(out, size, "%s%s %s", axis[k / m / 3], axis[k / m % 3], p->coordinate[k % m]);
        break;
    case LOAD: {
        char text[FB_NAME];
        snprintf(out, size, "%s", fb_load_name(p->b, k, text));
        break;
    }
    case PAIR:
        snprintf(out, size, "%s, %s", p->coordinate[k / m], p->coordinate[k % m]);
        break;
    }
}

typedef struct { /* an array, and the sizes of (TXT.1) */
    const double *x;
    int64_t rows, cols;
    double *row, *col, most;
} array;

static int shown(const array *a, int64_t i, int64_t j)
{
    const double x = fabs(a->x[i * a->cols + j]);
    if (!a->row)
        return x > 0;
    return x > fmax(lost * sqrt(a->row[i] * a->col[j]), nothing * a->most); /* (TXT.1) */
}

static fb_status sizes(array *a, fb_err *e)
{
    FB_PASS(fb_new(&a->row, a->rows, sizeof *a->row, "sizes of rows", e));
    FB_PASS(fb_new(&a->col, a->cols, sizeof *a->col, "sizes of columns", e));
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->cols; j++) {
            const double x = fabs(a->x[i * a->cols + j]);
            a->row[i] = fmax(a->row[i], x);
            a->col[j] = fmax(a->col[j], x);
            a->most = fmax(a->most, x);
        }
    return FB_OK;
}

static int any(const array *a, int64_t i, int64_t from, int64_t to)
{
    for (int64_t j = from; j < to; j++)
        if (shown(a, i, j))
            return 1;
    return 0;
}

/* Columns from..to-1; returns how many rows have something in them. */
static int64_t block(const page *p, const array *a, what rows, what cols, int64_t from, int64_t to,
                     int left)
{
    const int width = p->exact ? 24 : 12;
    int64_t printed = 0;
    char text[3 * LABEL];
    for (int64_t i = 0; i < a->rows; i++) {
        if (!any(a, i, from, to))
            continue;
        if (!printed++ && cols != ONE) {
            fb_put_text(p->o, "%*s", left, "");
            for (int64_t j = from; j < to; j++) {
                name(p, cols, j, text, sizeof text);
                fb_put_text(p->o, " %*s", width, text);
            }
            fb_put_text(p->o, "\n");
        }
        name(p, rows, i, text, sizeof text);
        fb_put_text(p->o, "  %-*s", left - 2, text);
        for (int64_t j = from; j < to; j++) {
            if (!shown(a, i, j))
                fb_put_text(p->o, " %*s", width, ".");
            else
                fb_put_text(p->o, " %*.*g", width, p->exact ? 17 : 6, a->x[i * a->cols + j]);
        }
        fb_put_text(p->o, "\n");
    }
    return printed;
}

static fb_status matrix(const page *p, const char *title, const double *x, what rows, what cols,
                        fb_err *e)
{
    array a = {.x = x, .rows = count(p, rows), .cols = count(p, cols)};
    int64_t printed = 0;
    size_t longest = 0;
    fb_status s = FB_OK;
    if (!x)
        return FB_OK;
    if (!p->exact)
        FB_TRY(sizes(&a, e));
    for (int64_t i = 0; i < a.rows; i++) {
        char text[3 * LABEL];
        name(p, rows, i, text, sizeof text);
        longest = strlen(text) > longest ? strlen(text) : longest;
    }
    const int left = 2 + (int)longest, most = (FB_PAGE - left) / (p->exact ? 25 : 13);
    fb_put_text(p->o, "\n%s\n", title);
    for (int64_t j = 0; j < a.cols; j += most)
        printed += block(p, &a, rows, cols, j, j + most < a.cols ? j + most : a.cols, left);
    if (!printed)
        fb_put_text(p->o, "  all zero\n");
out:
    FB_FREE(a.row, a.col);
    return s;
}

/* The dof that a boundary coordinate is, or the kind of the others with their number. */
static fb_status name_coordinates(page *p, const fb_model *b, fb_err *e)
{
    static const char *const kind[FB_NKIND] = {"boundary", "mode", "mode", "attach."};
    int64_t n[FB_NKIND] = {0};
    fb_coords c = {0};
    fb_err none = {0};
    FB_PASS(fb_new(&p->coordinate, b->nr, sizeof *p->coordinate, "names of coordinates", e));
    p->m = b->nr;
    const fb_status s = b->kind ? fb_coords_new(b, "text", &c, &none) : FB_EFORMAT;
    if (s == FB_ESYS)
        return fb_fail(e, s, "%s", none.msg);
    for (int64_t k = 0; k < b->nr; k++) {
        const int64_t *node = c.node ? c.node : b->coordinate_node,
                      *component = c.node ? c.component : b->coordinate_component;
        if (node && component && node[k])
            snprintf(p->coordinate[k], LABEL, "%lld.%lld", (long long)node[k],
                     (long long)component[k]);
        else if (b->kind)
            snprintf(p->coordinate[k], LABEL, "%s %lld", kind[b->kind[k]],
                     (long long)++n[b->kind[k]]);
        else
            snprintf(p->coordinate[k], LABEL, "coord. %lld", (long long)k + 1);
    }
    fb_coords_free(&c);
    return FB_OK;
}

static fb_status matrices(const page *p, const fb_model *b, fb_err *e)
{
    const int64_t m = p->m;
    FB_PASS(matrix(p, "Reduced stiffness K", b->Kr, COORDINATE, COORDINATE, e));
    FB_PASS(matrix(p, "Reduced mass M", b->Mr, COORDINATE, COORDINATE, e));
    FB_PASS(matrix(p, "Reduced damping D", b->Dr, COORDINATE, COORDINATE, e));
    FB_PASS(matrix(p, "Reduced circulatory matrix N", b->Nr, COORDINATE, COORDINATE, e));
    FB_PASS(matrix(p, "Reduced structural damping S", b->Sr, COORDINATE, COORDINATE, e));
    FB_PASS(
        matrix(p, "Reduced gyroscopic matrix G of unit speed", b->Gr, COORDINATE, COORDINATE, e));
    for (int64_t k = 0; b->Kgr && b->kg_node && k < b->nkg; k++) {
        const fb_geoload l = fb_geoload_of(b, k);
        char title[400], load[300];
        fb_geoload_text(&l, load, sizeof load);
        snprintf(title, sizeof title, "Reduced geometric stiffness of load %lld: %s",
                 (long long)k + 1, load);
        FB_PASS(matrix(p, title, b->Kgr + k * m * m, COORDINATE, COORDINATE, e));
    }
    FB_PASS(matrix(p, "Loads T'P", b->load, LOAD, COORDINATE, e));
    for (int64_t c = 0; c < b->nc && b->connector_S; c++) {
        char title[192];
        const char *name = fb_node_name(b, b->connector_node[c]);
        const double *turn = b->connector_Shat ? b->connector_Shat + 3 * m * c : NULL;
        snprintf(title, sizeof title, "Translation of connector %lld%s%s, S",
                 (long long)b->connector_node[c], name ? " " : "", name ? name : "");
        FB_PASS(matrix(p, title, b->connector_S + 3 * m * c, AXIS, COORDINATE, e));
        snprintf(title, sizeof title, "Rotation of connector %lld%s%s, Shat",
                 (long long)b->connector_node[c], name ? " " : "", name ? name : "");
        FB_PASS(matrix(p, title, turn, AXIS, COORDINATE, e));
    }
    FB_PASS(matrix(p, "I1 = int rho, mass", b->I[1], ONE, ONE, e));
    FB_PASS(matrix(p, "I2 = int rho u0", b->I[2], ONE, AXIS, e));
    FB_PASS(matrix(p, "I3 = int rho S", b->I[3], AXIS, COORDINATE, e));
    FB_PASS(matrix(p, "I4 = int rho u0~ S", b->I[4], AXIS, COORDINATE, e));
    FB_PASS(matrix(p, "I5 = int rho s_i~ S", b->I[5], COORDINATE_AXIS, COORDINATE, e));
    FB_PASS(matrix(p, "I6 = int rho S'S", b->I[6], COORDINATE, COORDINATE, e));
    FB_PASS(matrix(p, "I7 = int rho u0~'u0~, inertia about the origin", b->I[7], AXIS, AXIS, e));
    FB_PASS(matrix(p, "I8 = int rho u0~ s_i~", b->I[8], COORDINATE_AXIS, AXIS, e));
    FB_PASS(matrix(p, "I9 = int rho s_i~ s_j~", b->I[9], PAIR, AXES, e));
    FB_PASS(matrix(p, "I10 = int rho u0_a S_b", b->I[10], AXES, COORDINATE, e));
    return matrix(p, "I11 = int rho S_a' S_b", b->I[11], AXES_COORDINATE, COORDINATE, e);
}

static fb_status publish_text(fb_run *r, fb_stream *in, fb_model *b, const fb_export *ask,
                              fb_err *e)
{
    fb_stream spool = FB_STREAM_NONE;
    fb_buf o = {.little = 1};
    fb_history h = {0};
    page p = {.o = &o, .b = b, .exact = ask->exact};
    fb_status s = FB_OK;
    FB_TRY(fb_history_read(in, &h, e));
    FB_TRY(name_coordinates(&p, b, e));
    FB_TRY(fb_spool_open(r, &spool, &o, e));
    FB_TRY(fb_info_page(b, &h, &r->log, &o, e));
    if (b->Kr || b->I[1])
        fb_put_text(&o,
                    "\nArrays, by axes, boundary dofs (node.component) and modes; . is zero%s\n",
                    p.exact ? "" : " or round-off");
    FB_TRY(matrices(&p, b, e));
    s = fb_spool_commit(r, &spool, &o, e);
out:
    FB_FREE(p.coordinate, h.lines);
    fb_stream_abandon(&spool);
    fb_buf_free(&o);
    return s;
}

static const fb_own own_options[] = {{"exact", FB_FLAG, offsetof(fb_export, exact), NULL,
                                      "text: 17 digits, which give the same numbers when read",
                                      NULL},
                                     {0}};

const fb_writer fb_writer_text = {
    .name = "text",
    .doc = "a text for people",
    .loads = 1,
    .keeps = 1,
    .weightless = 1,
    .options = own_options,
    .publish = publish_text,
};

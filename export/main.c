/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linkexport - write a flexible body in a form that simulators load. */
#include "writer.h"
#include <string.h>

static const char *to = "link", *units;

static const fb_opt opts[] = {
    {"to", 0, FB_TEXT, &to, "FORMAT", 0, 0, "link (HDF5 record, the default), text (for people), mnf (Adams)"},
    {"units", 0, FB_TEXT, &units, "SYSTEM", 0, 0, "convert everything to this system of units: SI, mm-t-s, mm-kg-ms, in-lbf-s, ..."},
    {"with-T", 0, FB_FLAG, &fb_with_T, NULL, 0, 0, "keep /reduced/T and /dofs in the link record"},
    {0},
};

static const fb_writer *find(void)
{
    for (const fb_writer *const *w = fb_writers; *w; w++)
        if (!strcmp((*w)->name, to))
            return *w;
    return NULL;
}

static int data_out(void)
{
    const fb_writer *w = find();
    return w && w->binary;
}

static fb_status unknown(fb_err *e)
{
    char list[256] = "";
    for (const fb_writer *const *w = fb_writers; *w; w++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "", (*w)->name);
    return fb_fail(e, FB_EUSAGE, "unknown --to '%s'; known are %s", to, list);
}

static fb_status run(fb_run *r, fb_err *e)
{
    const fb_writer *w = find();
    fb_stream in = FB_STREAM_NONE, spool = FB_STREAM_NONE;
    fb_model b = {0};
    fb_units wanted;
    fb_buf out = {0};
    fb_status s = FB_OK;
    if (!w)
        return unknown(e);
    FB_TRY(fb_stream_open(&in, r->file[0], e));
    FB_TRY(fb_model_read(&in, &b, NULL, e));
    if (units) {
        FB_TRY(fb_units_system(&wanted, units, e));
        FB_TRY(fb_model_convert(&b, &wanted, e));
    }
    if (w->publish) {
        snprintf(b.stage, sizeof b.stage, "linkexport");
        s = w->publish(r, &in, &b, e);
    } else {
        FB_TRY(fb_spool_open(r, &spool, &out, e));
        FB_TRY(w->write(&b, &out, &r->log, e));
        s = fb_spool_commit(r, &spool, &out, e);
    }
out:
    fb_buf_free(&out);
    fb_model_free(&b);
    fb_stream_abandon(&spool);
    fb_stream_abandon(&in);
    return s;
}

static const fb_tool tool = {
    .name = "linkexport", .summary = "write a flexible body in a form that simulators load",
    .usage = "linkexport [OPTION]... [FILE]", .opts = opts, .max_files = 1, .data_out = data_out, .run = run};

int main(int argc, char **argv)
{
    return fb_main(&tool, argc, argv);
}

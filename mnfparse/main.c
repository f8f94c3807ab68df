/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mnfparse - read a flexible body or finite-element matrices, write a flexbody stream. */
#include "reader.h"
#include <stdlib.h>
#include <string.h>

static const char *format, *input_units, *units;
static int info;

static const fb_opt opts[] = {
    {"format", 0, FB_TEXT, &format, "NAME", 0, 0, "read the input as NAME instead of finding the format from its bytes"},
    {"input-units", 0, FB_TEXT, &input_units, "SYSTEM", 0, 0,
     "units of an input that does not name them: SI, mm-t-s, mm-kg-ms, in-lbf-s, ..."},
    {"units", 0, FB_TEXT, &units, "SYSTEM", 0, 0, "convert everything to this system of units: SI, mm-t-s, mm-kg-ms, in-lbf-s, ..."},
    {"info", 0, FB_FLAG, &info, NULL, 0, 0, "print a page about the input instead of writing a stream"},
    {0},
};

static int data_out(void)
{
    return !info;
}

static fb_status read_one(const char *path, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_input in = {0};
    const fb_reader *rd = NULL;
    fb_status s = fb_input_open(&in, path, e);
    if (s)
        return s;
    s = fb_reader_find(&in, format, &rd, e);
    if (!s) {
        fb_note(log, "%s: %s, %zu bytes", in.name, rd->doc, in.size);
        s = rd->read(&in, p, log, e);
    }
    if (s)
        fb_context(e, "%s", in.name);
    fb_input_close(&in);
    return s;
}

static fb_status set_units(fb_model *b, fb_err *e)
{
    fb_units to;
    fb_status s = FB_OK;
    if (input_units)
        FB_TRY(fb_model_name_units(b, input_units, e));
    if (units) {
        FB_TRY(fb_units_system(&to, units, e));
        s = fb_model_convert(b, &to, e);
    }
out:
    return s;
}

static fb_status run(fb_run *r, fb_err *e)
{
    fb_parts p = {0};
    fb_model b = {0};
    fb_buf page = {0};
    fb_status s = FB_OK;
    for (int k = 0; k < r->nfile; k++)
        FB_TRY(read_one(r->file[k], &p, &r->log, e));
    FB_TRY(fb_parts_assemble(&p, &b, &r->log, e));
    FB_TRY(set_units(&b, e));
    snprintf(b.stage, sizeof b.stage, "mnfparse");
    fb_note(&r->log, "%lld nodes, %lld modes, %lld connectors", (long long)b.nn, (long long)b.nm, (long long)b.nc);
    if (info) {
        FB_TRY(fb_info_page(&b, &page, e));
        s = fb_publish_bytes(r, &page, e);
    } else {
        s = fb_publish(r, NULL, &b, NULL, NULL, e);
    }
out:
    fb_buf_free(&page);
    fb_model_free(&b);
    fb_parts_free(&p);
    return s;
}

static const fb_tool tool = {
    .name = "mnfparse", .summary = "read a flexible body, write a flexbody stream",
    .usage = "mnfparse [OPTION]... FILE...", .opts = opts, .max_files = 64, .names_inputs = 1, .data_out = data_out, .run = run};

int main(int argc, char **argv)
{
    return fb_main(&tool, argc, argv);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkmnf - a large .mnf for the benchmarks: nodes on a line, random mode shapes, unit generalized
 * mass. */
#include "flexbody.h"
#include "export/writer.h"
#include <math.h>

static int64_t nodes = 104000, modes = 100;

static const fb_opt opts[] = {
    {"nodes", 0, FB_INT, &nodes, "N", 2, 1e8, "nodes"},
    {"modes", 0, FB_INT, &modes, "M", 6, 1e5, "modes"},
    {0},
};

static uint64_t seed = 1;

static double draw(void) /* xorshift64, in [-1, 1) */
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static fb_status fill(fb_model *b, fb_err *e)
{
    fb_status s = FB_OK;
    b->nn = nodes;
    b->nm = modes;
    FB_TRY(fb_units_system(&b->units, "SI", e));
    FB_TRY(fb_new(&b->node_id, nodes, 8, "node numbers", e));
    FB_TRY(fb_new(&b->xyz, 3 * nodes, 8, "coordinates", e));
    FB_TRY(fb_new(&b->node_mass, nodes, 8, "masses", e));
    FB_TRY(fb_new(&b->mode_number, modes, 8, "mode numbers", e));
    FB_TRY(fb_new(&b->eigen, 5 * modes, 8, "eigenvalues", e));
    FB_TRY(fb_new(&b->shape, 6 * nodes * modes, 8, "mode shapes", e));
    for (int64_t p = 0; p < nodes; p++) {
        b->node_id[p] = p + 1;
        b->xyz[3 * p] = (double)p / (double)nodes;
        b->node_mass[p] = 1 / (double)nodes;
    }
    for (int64_t k = 0; k < modes; k++) {
        double w = k < 6 ? 0 : 100.0 * (double)(k - 5), *v = b->eigen + 5 * k;
        b->mode_number[k] = k + 1;
        v[0] = v[4] = w * w;
        v[1] = w / 6.283185307179586;
        v[2] = w;
        v[3] = 1;
    }
    for (int64_t q = 0; q < 6 * nodes * modes; q++)
        b->shape[q] = draw();
    s = fb_model_set_connectors(b, (int64_t[]){1, nodes}, 2, e);
out:
    return s;
}

static fb_status run(fb_run *r, fb_err *e)
{
    fb_model b = {0};
    fb_buf out = {0};
    fb_status s = FB_OK;
    FB_TRY(fill(&b, e));
    FB_TRY(fb_writer_mnf.write(&b, NULL, &out, &r->log, e));
    s = fb_publish_bytes(r, &out, e);
out:
    fb_buf_free(&out);
    fb_model_free(&b);
    return s;
}

static const fb_tool tool = {.name = "mkmnf",
                             .summary = "make a large .mnf",
                             .usage = "mkmnf [OPTION]...",
                             .opts = opts,
                             .max_files = 0,
                             .data_out = fb_data_always,
                             .run = run};

int main(int argc, char **argv)
{
    return fb_main(&tool, argc, argv);
}

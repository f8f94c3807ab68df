/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block - a free steel block of hexahedra as a full model, for benchmarks. */
#include "tests/model/full.h"
#include <string.h>

static int64_t cells[3] = {40, 15, 15}, nodes = 8;
static double size[3] = {0.4, 0.15, 0.15};

static const fb_opt opts[] = {
    {"nx", 0, FB_INT, &cells[0], "N", 1, 1000, "elements along x"},
    {"ny", 0, FB_INT, &cells[1], "N", 1, 1000, "elements along y"},
    {"nz", 0, FB_INT, &cells[2], "N", 1, 1000, "elements along z"},
    {"lx", 0, FB_REAL, &size[0], "M", 1e-6, 1e6, "edge along x in m"},
    {"ly", 0, FB_REAL, &size[1], "M", 1e-6, 1e6, "edge along y in m"},
    {"lz", 0, FB_REAL, &size[2], "M", 1e-6, 1e6, "edge along z in m"},
    {"nodes", 0, FB_INT, &nodes, "N", 8, 20, "nodes of an element, 8 or 20"},
    {0},
};

static fb_status run(fb_run *r, fb_err *e)
{
    test_model t = {0};
    fb_model b = {0};
    fb_status s = test_solid(&t, cells, size, (int)nodes, e);
    if (s)
        return s;
    full_body(&b, &t);
    snprintf(b.stage, sizeof b.stage, "block");
    fb_note(&r->log, "%lld dofs", (long long)b.ndof);
    s = fb_publish(r, NULL, &b, NULL, NULL, e);
    fb_model_free(&b);
    return s;
}

static int data_out(void)
{
    return 1;
}

static const fb_tool tool = {.name = "block", .summary = "make a block of hexahedra", .usage = "block [OPTION]...",
                             .opts = opts, .max_files = 0, .data_out = data_out, .run = run};

int main(int argc, char **argv)
{
    return fb_main(&tool, argc, argv);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh - a finite-element model of any size as a stream, for benchmarks; its boundary is
 * /interface/dof. */
#include "bench/mesh/mesh.h"
#include <stdlib.h>
#include <string.h>

static const char *kind_name = "hex20", *deck, *job;
static int64_t cells[3] = {8, 4, 4}, thick, boundary = 120, modes = 100;
static double warp = 1;

static const fb_opt opts[] = {
    {"kind", 0, FB_TEXT, &kind_name, "NAME", 0, 0,
     "hex8, hex20, tet4, tet10, plate or frame; default: hex20"},
    {"nx", 0, FB_INT, &cells[0], "N", 0, 1000000, "cells along x; default 8"},
    {"ny", 0, FB_INT, &cells[1], "N", 0, 1000000, "cells along y; default 4"},
    {"nz", 0, FB_INT, &cells[2], "N", 0, 1000000, "cells along z; default 4"},
    {"thick", 0, FB_INT, &thick, "N", 0, 1000000, "of solids: an angle with arms of N cells"},
    {"warp", 0, FB_REAL, &warp, "X", 0, 1,
     "1: no symmetry is left, the default; 0: straight edges"},
    {"boundary", 0, FB_INT, &boundary, "N", 0, 1000000,
     "boundary dofs, on whole nodes; default 120"},
    {"deck", 0, FB_FILE, &deck, "FILE", 0, 0,
     "the same for CalculiX, boundary held; hex8 and hex20"},
    {"modes", 0, FB_INT, &modes, "N", 1, 1000000, "modes that the deck asks for; default 100"},
    {"abaqus", 0, FB_FILE, &job, "JOB", 0, 0,
     "write the matrices as Abaqus does, too: JOB_STIF1.mtx, JOB_MASS1.mtx"},
    {0},
};

static fb_status to_model(const mesh *m, const int64_t *end, int64_t nend, fb_model *b, fb_err *e)
{
    int64_t d = m->kind->dofs;
    fb_status s = FB_OK;
    b->nn = m->nn;
    b->ndof = d * m->nn;
    b->nb = d * nend;
    FB_TRY(fb_units_system(&b->units, "SI", e));
    FB_TRY(FB_NEW(&b->node_id, b->nn, e));
    FB_TRY(FB_NEW(&b->dof_node, b->ndof, e));
    FB_TRY(FB_NEW(&b->dof_component, b->ndof, e));
    FB_TRY(FB_NEW(&b->dof_class, b->ndof, e));
    FB_TRY(FB_NEW(&b->interface_dof, b->nb, e));
    for (int64_t k = 0; k < b->nn; k++)
        b->node_id[k] = k + 1;
    for (int64_t k = 0; k < b->ndof; k++) {
        b->dof_node[k] = k / d + 1;
        b->dof_component[k] = k % d + 1;
    }
    for (int64_t k = 0; k < b->nb; k++)
        b->interface_dof[k] = d * end[k / d] + k % d;
    snprintf(b->stage, sizeof b->stage, "mesh");
    FB_TRY(mesh_assemble(m, &b->K, &b->M, e));
out:
    return s;
}

static fb_status write_deck(const fb_run *r, const mesh *m, const int64_t *end, int64_t nend,
                            fb_err *e)
{
    fb_run to = *r;
    fb_buf text = {0};
    to.out = deck;
    mesh_deck(m, end, nend, modes, &text);
    fb_status s = fb_publish_bytes(&to, &text, e);
    fb_buf_free(&text);
    return s;
}

static fb_status write_matrix(const fb_run *r, const char *kind, const fb_csc *A, int64_t dofs,
                              fb_err *e)
{
    fb_run to = *r;
    fb_stream file = FB_STREAM_NONE;
    fb_buf text = {0};
    fb_csc lower = {0};
    char path[4096];
    fb_status s = FB_OK;
    snprintf(path, sizeof path, "%.4000s_%s1.mtx", job, kind);
    to.out = path;
    FB_TRY(fb_csc_transposed(A, &lower, e));
    FB_TRY(fb_spool_open(&to, &file, &text, e));
    mesh_matrix(&lower, dofs, &text);
    s = fb_spool_commit(&to, &file, &text, e);
out:
    fb_csc_free(&lower);
    fb_stream_abandon(&file);
    fb_buf_free(&text);
    return s;
}

static fb_status run(fb_run *r, fb_err *e)
{
    mesh_spec spec = {.kind = mesh_find(kind_name),
                      .cells = {cells[0], cells[1], cells[2]},
                      .thick = thick,
                      .warp = warp};
    int64_t *end = NULL, nend;
    mesh m = {0};
    fb_model b = {0};
    fb_status s = FB_OK;
    if (!spec.kind)
        return fb_fail(e, FB_EUSAGE,
                       "--kind %s: there are hex8, hex20, tet4, tet10, plate and frame", kind_name);
    if (deck && !spec.kind->deck)
        return fb_fail(e, FB_EUSAGE, "--deck: CalculiX has no element of the same equations as %s",
                       kind_name);
    spec.edge = 0.2 / (double)(cells[0] ? cells[0] : 1);
    nend = boundary / spec.kind->dofs;
    FB_TRY(mesh_make(&m, &spec, e));
    FB_TRY(mesh_ends(&m, &spec, nend, &end, e));
    FB_TRY(to_model(&m, end, nend, &b, e));
    if (deck)
        FB_TRY(write_deck(r, &m, end, nend, e));
    if (job) {
        FB_TRY(write_matrix(r, "STIF", &b.K, spec.kind->dofs, e));
        FB_TRY(write_matrix(r, "MASS", &b.M, spec.kind->dofs, e));
    }
    mesh_free(&m);
    fb_note(&r->log, "%lld dofs, %lld and %lld entries in K and M", (long long)b.ndof,
            (long long)b.K.p[b.ndof], (long long)b.M.p[b.ndof]);
    s = fb_publish(r, NULL, &b, NULL, NULL, e);
out:
    mesh_free(&m);
    free(end);
    fb_model_free(&b);
    return s;
}

static const fb_tool tool = {.name = "mesh",
                             .summary = "make a finite-element model for benchmarks",
                             .usage = "mesh [OPTION]...",
                             .opts = opts,
                             .max_files = 0,
                             .data_out = fb_data_always,
                             .run = run};

int main(int argc, char **argv)
{
    return fb_main(&tool, argc, argv);
}

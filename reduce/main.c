/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduce - reduce a flexible body to fewer generalized coordinates. */
#include "method.h"
#include "modal.h"
#include <stdlib.h>
#include <string.h>

enum { MAXMETHOD = 16 };
static const char *method, *fix;
static fb_reduceopt want = {.order = -1, .modes = -1};
static int64_t order_of[MAXMETHOD]; /* --cb N and its like; 0: not given */

static const fb_opt fixed[] = {
    {"method", 0, FB_TEXT, &method, "NAME", 0, 0, "reduction method; with --order, --modes or --fmax"},
    {"order", 0, FB_INT, &want.order, "N", 1, 1e6, "order of the reduced model: number of generalized coordinates"},
    {"modes", 0, FB_INT, &want.modes, "K", 0, 1e6, "number of normal modes kept"},
    {"fmax", 0, FB_REAL, &want.fmax, "HZ", 1e-12, 1e15, "keep the normal modes up to this frequency in Hz"},
    {"interface", 0, FB_TEXT, &want.interface, "LIST", 0, 0,
     "boundary dofs: nodes, ranges and components (1-4:123,9) or @FILE; default: the body's interface nodes"},
    {"fix", 0, FB_TEXT, &fix, "LIST", 0, 0,
     "hold these dofs at zero before reducing, e.g. the node of the reference frame: no rigid motion is left"},
    {"masters", 0, FB_TEXT, &want.masters, "LIST", 0, 0, "master dofs of Guyan and LSMR, written as --interface, which is the default"},
    {"weights", 0, FB_TEXT, &want.weights, "LIST", 0, 0,
     "modes of interest of IMR and their weights (7:1,8:2 or 7-18), numbers counting rigid modes; default: the N - n_rigid lowest elastic ones"},
    {"select", 0, FB_TEXT, &want.select, "LIST", 0, 0, "interior modes that IMR keeps, by number (1,21-27), instead of ranking them"},
    {"orthonormalize", 0, FB_FLAG, &want.orthonormalize, NULL, 0, 0,
     "use the eigenvectors of the reduced pair as coordinates (Adams' form): M = 1, K = diag, rigid modes first"},
};
enum { NFIXED = sizeof fixed / sizeof *fixed };

static int data_out(void)
{
    return 1;
}

/* Options that this method does not know, and an order that is missing or said twice. */
static fb_status fits(const fb_method *m, fb_err *e)
{
    const char *stray = want.masters && !(m->uses & FB_USES_MASTERS) ? "--masters"
                      : want.weights && !(m->uses & FB_USES_WEIGHTS) ? "--weights"
                      : want.select && !(m->uses & FB_USES_SELECT)   ? "--select" : NULL;
    int given = (want.order >= 0) + (want.modes >= 0) + (want.fmax > 0);
    if (stray)
        return fb_fail(e, FB_EUSAGE, "%s is no option of %s", stray, m->doc);
    if (given != 1 && !(given == 0 && (m->uses & FB_ORDER_FREE || want.select)))
        return fb_fail(e, FB_EUSAGE, "one of --order N, --modes K and --fmax HZ is wanted");
    return FB_OK;
}

/* --cb N is short for --method cb --order N. */
static fb_status choose(const fb_method **out, fb_err *e)
{
    const fb_method *m = NULL;
    for (int k = 0; fb_methods[k]; k++) {
        if (!order_of[k])
            continue;
        if (m || method || want.order >= 0)
            return fb_fail(e, FB_EUSAGE, "--%s N says method and order; give it once, without --method and --order",
                           fb_methods[k]->name);
        m = fb_methods[k];
        want.order = order_of[k];
    }
    if (!m && !method)
        return fb_fail(e, FB_EUSAGE, "no method: give --cb N, or --method NAME with --order N, --modes K or --fmax HZ");
    if (!m && !(m = fb_method_find(method)))
        return fb_fail(e, FB_EUSAGE, "unknown --method '%s'; --help lists the methods", method);
    *out = m;
    return fits(m, e);
}

/* Eigenvectors of the reduced pair become the coordinates: V := V W, Kr = diag, Mr = 1. */
static fb_status orthonormalize(fb_reduction *r, fb_err *e)
{
    const fb_mat K = {r->nr, r->nr, r->K}, M = {r->nr, r->nr, r->M};
    fb_mat W = {0}, VW = {0};
    double *lambda = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&lambda, r->nr, 8, "eigenvalues", e));
    FB_TRY(fb_eig_dense(&K, &M, lambda, &W, e));
    FB_TRY(fb_mat_new(&VW, r->V.m, r->nr, e));
    FB_TRY(fb_gemm(0, 0, 1, &r->V, &W, 0, &VW, e));
    memset(r->K, 0, sizeof(double) * (size_t)(r->nr * r->nr));
    memset(r->M, 0, sizeof(double) * (size_t)(r->nr * r->nr));
    for (int64_t k = 0; k < r->nr; k++) {
        r->K[k * r->nr + k] = lambda[k];
        r->M[k * r->nr + k] = 1;
        r->kind[k] = FB_KIND_EIGEN;
    }
    fb_mat_free(&r->V);
    r->V = VW;
    VW = (fb_mat){0};
out:
    fb_mat_free(&W);
    fb_mat_free(&VW);
    free(lambda);
    return s;
}

/* --interface names the connectors too: the nodes of the boundary dofs, in the order named. */
static fb_status connectors(fb_model *b, fb_log *log, fb_err *e)
{
    int64_t *node = NULL, n = 0, nc = 0;
    fb_status s = fb_dofset(b, "--interface", want.interface, &node, &n, log, e);
    if (s)
        return s;
    for (int64_t k = 0; k < n; k++) { /* node[0..nc) holds nodes, node[k..n) still holds dofs */
        int64_t id = b->dof_node[node[k]], q = 0;
        while (q < nc && node[q] != id)
            q++;
        if (q == nc)
            node[nc++] = id;
    }
    s = fb_model_set_connectors(b, node, nc, e);
    free(node);
    return s;
}

/* Puts the reduction into the model: /reduced, /connectors. */
static fb_status apply(fb_model *b, fb_reduction *r, const fb_method *m, fb_err *e)
{
    const fb_mat Phi0 = {b->ndof, b->nm, b->shape};
    fb_mat T = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&T, b->ndof, r->nr, e));
    FB_TRY(fb_gemm(0, 0, 1, &Phi0, &r->V, 0, &T, e));
    free(b->Kr);
    free(b->Mr);
    free(b->kind);
    free(b->T);
    free(b->V);
    b->nr = r->nr;
    b->Kr = r->K;
    b->Mr = r->M;
    b->kind = r->kind;
    b->T = T.x;
    b->V = r->V.x;
    *r = (fb_reduction){0};
    snprintf(b->method, sizeof b->method, "%s%s", m->name, want.orthonormalize ? ", orthonormalized" : "");
    snprintf(b->stage, sizeof b->stage, "reduce");
    FB_TRY(fb_model_frequencies(b, e));
    s = fb_model_connectors(b, b->T, e);
out:
    return s;
}

/* --fix: N brings the held body's coordinates back to the input's modes. */
static fb_status hold(fb_model *b, fb_mat *N, fb_log *log, fb_err *e)
{
    int64_t *dof = NULL, n = 0;
    fb_status s = fb_dofset(b, "--fix", fix, &dof, &n, log, e);
    if (!s)
        s = fb_modal_hold(b, dof, n, N, e);
    free(dof);
    return s;
}

/* V := N V, in terms of the input's modes again. */
static fb_status release(fb_model *b, const fb_mat *N, fb_err *e)
{
    const fb_mat V = {b->nm, b->nr, b->V};
    fb_mat NV = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&NV, N->m, b->nr, e));
    FB_TRY(fb_gemm(0, 0, 1, N, &V, 0, &NV, e));
    free(b->V);
    b->V = NV.x;
    b->nm = N->m;
    NV = (fb_mat){0};
out:
    fb_mat_free(&NV);
    return s;
}

static fb_status run(fb_run *run, fb_err *e)
{
    static const char *const wants[] = {"/nodes", "/dofs", "/modes", "/reduced", "/connectors", NULL};
    static const char *const mine[] = {"/reduced", "/connectors", NULL};
    static const char *const stale[] = {"/reduced", "/connectors", "/invariants", NULL};
    const fb_method *m = NULL;
    fb_stream in = FB_STREAM_NONE;
    fb_model b = {0};
    fb_reduction r = {0};
    fb_mat N = {0};
    fb_log quiet = {0}; /* the method has warned about the list already */
    fb_status s = FB_OK;
    FB_TRY(choose(&m, e));
    FB_TRY(fb_stream_open(&in, run->file[0], e));
    FB_TRY(fb_model_read(&in, &b, wants, e));
    if (!b.shape || !b.Kr || !b.Mr || !b.dof_node || b.nr != b.nm || b.T) {
        s = fb_fail(e, FB_EFORMAT, "%s: %s", in.name, b.T ? "the body is reduced already: reduce the file mnfparse wrote"
                    : "no modes with a generalized stiffness and mass to reduce");
        goto out;
    }
    if (fix)
        FB_TRY(hold(&b, &N, &run->log, e));
    FB_TRY(m->modal(&b, &want, &r, &run->log, e));
    if (want.interface)
        FB_TRY(connectors(&b, &quiet, e));
    if (want.orthonormalize)
        FB_TRY(orthonormalize(&r, e));
    int64_t nb = r.nb, nn = r.nn, dropped = r.ndropped;
    FB_TRY(apply(&b, &r, m, e));
    if (fix)
        FB_TRY(release(&b, &N, e));
    fb_note(&run->log, "%s: boundary %lld, normal %lld, dropped %lld, order %lld, highest frequency %.6g Hz", m->doc,
            (long long)nb, (long long)nn, (long long)dropped, (long long)b.nr, b.nr ? b.frequency[b.nr - 1] : 0);
    s = fb_publish(run, &in, &b, mine, stale, e);
out:
    fb_mat_free(&N);
    fb_log_free(&quiet);
    fb_reduction_free(&r);
    fb_model_free(&b);
    fb_stream_abandon(&in);
    return s;
}

int main(int argc, char **argv)
{
    static fb_opt opts[MAXMETHOD + NFIXED + 1];
    static char help[MAXMETHOD][96];
    int n = 0;
    for (; n < MAXMETHOD && fb_methods[n]; n++) {
        snprintf(help[n], sizeof help[n], "%s; short for --method %s --order N", fb_methods[n]->doc, fb_methods[n]->name);
        opts[n] = (fb_opt){fb_methods[n]->name, 0, FB_INT, &order_of[n], "N", 1, 1e6, help[n]};
    }
    memcpy(opts + n, fixed, sizeof fixed);
    const fb_tool tool = {
        .name = "reduce", .summary = "reduce a flexible body to fewer generalized coordinates",
        .usage = "reduce [OPTION]... [FILE]", .opts = opts, .max_files = 1, .data_out = data_out, .run = run};
    return fb_main(&tool, argc, argv);
}

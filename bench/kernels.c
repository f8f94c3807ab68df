/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels - what the parts of a reduction cost on one factor, as ratios: the factor against dgemm,
 * sixteen right-hand sides against one, constraint modes against dgemm, the count of the modes
 * against the factor, the eigensolver against ARPACK. */
#include "flexbody.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t modes = 100;
static int no_arpack;
static fb_buf out; /* what is measured */

static const fb_opt opts[] = {
    {"modes", 0, FB_INT, &modes, "N", 1, 100000, "modes; default 100"},
    {"no-arpack", 0, FB_FLAG, &no_arpack, NULL, 0, 0, "do not run ARPACK"},
    {0},
};

enum { GEMM = 1536, WIDE = 16, LEAST_RUNS = 3 };
static const double LEAST_SECONDS = 0.3; /* of repetitions, so that the clock does not matter */

typedef struct {
    fb_model b;
    fb_blocks K, M;
    int64_t *i, ni;
    fb_factor *F;
    double gemm;          /* rate */
    double factor, first; /* seconds: the best, and in fresh memory, as a reduction has it */
    int disagree;         /* the eigensolvers, or they and the count */
} job;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(fb_mat *A)
{
    for (int64_t k = 0; k < A->m * A->n; k++)
        A->x[k] = sin(1.3 * (double)k) + 0.2;
}

static void judge(const char *what, double x, const char *sense, double wanted)
{
    int met = *sense == '<' ? x <= wanted : x >= wanted;
    fb_put_text(&out, "  %-58s %8.3f, aim %s %.3g: %s\n", what, x, sense, wanted,
                met ? "met" : "missed");
}

static fb_status load(job *j, const char *path, fb_err *e)
{
    static const char *const want[] = {"/full", "/dofs", "/nodes", "/interface", NULL};
    fb_stream in = FB_STREAM_NONE;
    fb_status s = FB_OK;
    FB_TRY(fb_stream_open(&in, path, e));
    FB_TRY(fb_model_read(&in, &j->b, want, e));
    j->ni = j->b.ndof - j->b.nb;
    FB_TRY(fb_complement(j->b.ndof, j->b.interface_dof, j->b.nb, &j->i, e));
    FB_TRY(fb_csc_split(&j->b.K, j->b.interface_dof, j->b.nb, j->i, j->ni, &j->K, e));
    FB_TRY(fb_csc_split(&j->b.M, j->b.interface_dof, j->b.nb, j->i, j->ni, &j->M, e));
    FB_FREE_BY(fb_csc_free, &j->b.K, &j->b.M);
out:
    fb_stream_abandon(&in);
    return s;
}

static fb_status gemm(job *j, fb_err *e)
{
    fb_mat A = {0}, B = {0}, C = {0};
    double best = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&A, GEMM, GEMM, e));
    FB_TRY(fb_mat_new(&B, GEMM, GEMM, e));
    FB_TRY(fb_mat_new(&C, GEMM, GEMM, e));
    fill(&A);
    fill(&B);
    for (int run = 0; run < LEAST_RUNS; run++) {
        double t = now();
        FB_TRY(fb_gemm(0, 0, 1, &A, &B, 0, &C, e));
        t = now() - t;
        best = run && best < t ? best : t;
    }
    j->gemm = 2 * pow(GEMM, 3) / best;
    fb_put_text(&out, "  dgemm %.1f Gflop/s, %d threads\n", j->gemm * 1e-9, fb_threads());
out:
    FB_FREE_BY(fb_mat_free, &A, &B, &C);
    return s;
}

static fb_status factor(job *j, fb_err *e)
{
    int64_t *node = NULL, column;
    fb_status s = FB_OK;
    double t = now();
    FB_TRY(fb_new(&node, j->ni, 8, "nodes of the equations", e));
    for (int64_t k = 0; k < j->ni; k++)
        node[k] = j->b.dof_node[j->i[k]];
    FB_TRY(fb_factor_analyse(&j->F, &j->K.Aii, NULL, &(fb_factor_opts){.node = node}, e));
    double analysis = now() - t;
    fb_forecast f = fb_factor_forecast(j->F);
    for (int run = 0; run <= LEAST_RUNS; run++) {
        t = now();
        FB_TRY(fb_factor_numeric(j->F, &j->K.Aii, NULL, 0, &column, e));
        t = now() - t;
        j->first = run ? j->first : t;
        j->factor = run && j->factor < t ? j->factor : t;
        fb_put_text(&out, "  %s %.3g s, %.1f Gflop/s\n", run ? "again" : "factor", t,
                    f.flops / t * 1e-9);
    }
    fb_put_text(
        &out,
        "  ordering and analysis %.3g s; factor of %.3g million entries, %.4g Gflop, %.3g GiB\n",
        analysis, f.nnz * 1e-6, f.flops * 1e-9, f.gib);
    judge("factor's rate / dgemm's, memory touched before", f.flops / j->factor / j->gemm,
          ">=", 0.8);
    judge("factor's rate / dgemm's, fresh memory", f.flops / j->first / j->gemm, ">=", 0.6);
    fb_put_text(&out, "  threads busy, by counting: %.3f on 4, %.3f on 16\n", f.efficiency[0],
                f.efficiency[2]);
    judge("threads busy in a factor on 8, by counting", f.efficiency[1], ">=", 0.85);
out:
    free(node);
    return s;
}

typedef fb_status solver(fb_factor *F, fb_mat *X, fb_err *e);

/* Seconds for each of n right-hand sides, the best of several runs. */
static fb_status solve(job *j, solver *f, int64_t n, double *each, fb_err *e)
{
    fb_mat X = {0};
    double best = 0, spent = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&X, j->ni, n, e));
    for (int run = 0; run < LEAST_RUNS || spent < LEAST_SECONDS; run++) {
        fill(&X);
        double t = now();
        FB_TRY(f(j->F, &X, e));
        t = now() - t;
        spent += t;
        best = run && best < t ? best : t;
    }
    *each = best / (double)n;
out:
    fb_mat_free(&X);
    return s;
}

static fb_status solves(job *j, fb_err *e)
{
    static solver *const way[] = {fb_factor_solve, fb_factor_forward, fb_factor_backward};
    static const char *const name[] = {"solve", "forward half", "backward half"};
    double one, wide;
    fb_status s = FB_OK;
    for (int k = 0; k < 3; k++) {
        FB_TRY(solve(j, way[k], 1, &one, e));
        FB_TRY(solve(j, way[k], WIDE, &wide, e));
        fb_put_text(&out, "  %s: one right-hand side %.4g s, of %d each %.4g s\n", name[k], one,
                    WIDE, wide);
        if (k == 0)
            judge("of 16 right-hand sides each / one", wide / one, "<=", 1. / 8);
    }
out:
    return s;
}

static fb_status constraint(job *j, fb_err *e)
{
    fb_mat X = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&X, j->ni, j->b.nb, e));
    for (int64_t c = 0; c < j->b.nb; c++)
        for (int64_t q = j->K.Aib.p[c]; q < j->K.Aib.p[c + 1]; q++)
            X.x[j->K.Aib.i[q] + c * j->ni] = -j->K.Aib.x[q];
    double t = now();
    FB_TRY(fb_factor_solve(j->F, &X, e));
    t = now() - t;
    fb_put_text(&out, "  %lld constraint modes %.3g s\n", (long long)j->b.nb, t);
    judge("rate of the constraint modes' solves / dgemm's",
          4 * fb_factor_forecast(j->F).nnz * (double)j->b.nb / t / j->gemm, ">=", 0.9);
out:
    fb_mat_free(&X);
    return s;
}

static fb_status eigen(job *j, const char *engine, fb_eig *r, fb_err *e)
{
    fb_eig_opts o = {.k = modes, .engine = engine, .no_sturm = strcmp(engine, "auto") != 0};
    fb_status s = fb_eig_sparse(&j->K.Aii, &j->M.Aii, &o, r, e);
    double worst = 0;
    if (s)
        return s;
    for (int64_t k = 0; k < r->n; k++)
        worst = fmax(worst, r->residual[k]);
    fb_put_text(&out,
                "  %lld modes by %s: %.3g s, %lld vectors solved for, largest residual %.2g, "
                "orthogonality %.2g\n",
                (long long)r->n, r->engine, r->seconds.engine, (long long)r->solves, worst,
                r->orthogonality);
    return FB_OK;
}

static fb_status eigensolvers(job *j, fb_err *e)
{
    fb_eig own = {0}, arpack = {0};
    fb_inertia_count count;
    double worst = 0, t;
    fb_status s = FB_OK;
    FB_TRY(eigen(j, "auto", &own, e));
    if (!no_arpack)
        FB_TRY(eigen(j, "arpack", &arpack, e));
    for (int64_t k = 0; k < own.n && k < arpack.n; k++)
        worst = fmax(worst, fabs(own.lambda[k] / arpack.lambda[k] - 1));
    if (!no_arpack) {
        judge("ARPACK's time / the eigensolver's", arpack.seconds.engine / own.seconds.engine,
              ">=", 4);
        fb_put_text(&out, "  eigenvalues differ by %.1e\n", worst);
    }
    judge("count of the modes / factor", own.seconds.count / j->factor, "<=", 1.1);
    t = now();
    FB_TRY(fb_inertia(&j->K.Aii, &j->M.Aii, own.lambda[own.n - 1] * (1 + 1e-6), NULL, &count, e));
    t = now() - t;
    fb_put_text(&out,
                "  count by MUMPS %.3g s, %.2f of the factor; %lld roots below the last of %lld\n",
                t, t / j->factor, (long long)count.negative, (long long)own.n);
    j->disagree = worst >= 1e-8 || (!no_arpack && arpack.n < modes) || count.negative != own.n;
out:
    FB_FREE_BY(fb_eig_free, &own, &arpack);
    return s;
}

static fb_status run(fb_run *r, fb_err *e)
{
    job j = {0};
    fb_status s = FB_OK;
    FB_TRY(load(&j, r->file[0], e));
    FB_TRY(gemm(&j, e));
    FB_TRY(factor(&j, e));
    FB_TRY(solves(&j, e));
    FB_TRY(constraint(&j, e));
    fb_factor_free(j.F);
    j.F = NULL;
    FB_TRY(eigensolvers(&j, e));
    FB_TRY(fb_publish_bytes(r, &out, e));
    if (j.disagree)
        s = fb_fail(e, FB_NO, "eigensolvers and count do not agree");
out:
    fb_buf_free(&out);
    fb_factor_free(j.F);
    FB_FREE_BY(fb_blocks_free, &j.K, &j.M);
    free(j.i);
    fb_model_free(&j.b);
    return s;
}

static const fb_tool tool = {.name = "kernels",
                             .summary = "measure the parts of a reduction",
                             .usage = "kernels [OPTION]... MODEL",
                             .opts = opts,
                             .max_files = 1,
                             .run = run};

int main(int argc, char **argv)
{
    fb_memory_keep();
    return fb_main(&tool, argc, argv);
}

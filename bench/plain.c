/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain MODEL MODES ROOTS - a Craig-Bampton reduction as a C program makes it from the libraries
 * alone: CHOLMOD with METIS, ARPACK one vector at a time, T'KT and T'MT by products with the whole
 * matrices. A peer for the benchmarks: of flexbody it uses what reads the stream. Prints "NAME
 * SECONDS" for each phase; the eigenvalues go to ROOTS. */
#include "flexbody.h"
#include <arpack.h>
#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>
#include <time.h>

typedef struct {
    fb_model b;
    fb_csc Kii, Mii, Kib;
    int64_t *i, ni, k; /* interior dofs; modes */
    cholmod_common c;
    cholmod_factor *L;
    double *lambda, *Phi; /* [k], [ni x k] */
    fb_mat T;             /* [ndof x (nb + k)] */
} job;

static double started;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void done(const char *phase)
{
    printf("%s %.4g\n", phase, now() - started);
    fflush(stdout);
    started = now();
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
    FB_TRY(fb_csc_sub(&j->b.K, j->i, j->ni, j->i, j->ni, &j->Kii, e));
    FB_TRY(fb_csc_sub(&j->b.M, j->i, j->ni, j->i, j->ni, &j->Mii, e));
    FB_TRY(fb_csc_sub(&j->b.K, j->i, j->ni, j->b.interface_dof, j->b.nb, &j->Kib, e));
    FB_TRY(fb_mat_new(&j->T, j->b.ndof, j->b.nb + j->k, e));
    FB_TRY(FB_NEW(&j->lambda, j->k, e));
    FB_TRY(FB_NEW(&j->Phi, j->ni * (j->k + 1), e));
out:
    fb_stream_abandon(&in);
    return s;
}

static fb_status factorise(job *j, fb_err *e)
{
    size_t n = (size_t)j->ni;
    cholmod_sparse A = {.nrow = n,
                        .ncol = n,
                        .nzmax = (size_t)j->Kii.p[j->ni],
                        .p = j->Kii.p,
                        .i = j->Kii.i,
                        .x = j->Kii.x,
                        .stype = 1,
                        .itype = CHOLMOD_LONG,
                        .xtype = CHOLMOD_REAL,
                        .sorted = 1,
                        .packed = 1};
    cholmod_l_start(&j->c);
    j->c.nmethods = 1;
    j->c.method[0].ordering = CHOLMOD_METIS;
    j->c.supernodal = CHOLMOD_SUPERNODAL;
    j->L = cholmod_l_analyze(&A, &j->c);
    if (!j->L || !cholmod_l_factorize(&A, j->L, &j->c) || j->c.status != CHOLMOD_OK)
        return fb_fail(e, FB_ESOLVE, "CHOLMOD: status %d", j->c.status);
    return FB_OK;
}

static fb_status solve(job *j, double *x, int64_t k, fb_err *e)
{
    size_t n = (size_t)j->ni, bytes = n * (size_t)k * sizeof *x;
    cholmod_dense B = {.nrow = n,
                       .ncol = (size_t)k,
                       .nzmax = n * (size_t)k,
                       .d = n,
                       .x = x,
                       .xtype = CHOLMOD_REAL};
    cholmod_dense *X = cholmod_l_solve(CHOLMOD_A, j->L, &B, &j->c);
    if (!X)
        return fb_fail(e, FB_ESYS, "CHOLMOD: status %d", j->c.status);
    memcpy(x, X->x, bytes);
    cholmod_l_free_dense(&X, &j->c);
    return FB_OK;
}

/* T = [I 0; Psi Phi], the first columns. */
static fb_status constraint(job *j, fb_err *e)
{
    fb_mat X = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&X, j->ni, j->b.nb, e));
    for (int64_t c = 0; c < j->b.nb; c++)
        for (int64_t q = j->Kib.p[c]; q < j->Kib.p[c + 1]; q++)
            X.x[j->Kib.i[q] + c * j->ni] = -j->Kib.x[q];
    FB_TRY(solve(j, X.x, j->b.nb, e));
    for (int64_t c = 0; c < j->b.nb; c++) {
        j->T.x[j->b.interface_dof[c] + c * j->T.m] = 1;
        for (int64_t r = 0; r < j->ni; r++)
            j->T.x[j->i[r] + c * j->T.m] = X.x[r + c * j->ni];
    }
out:
    fb_mat_free(&X);
    return s;
}

static void mass(const job *j, const double *x, double *y)
{
    memset(y, 0, sizeof *y * (size_t)j->ni);
    fb_csc_mul(&j->Mii, x, j->ni, y, j->ni, 1);
}

/* ARPACK's mode 3 with the shift 0: K^-1 M, in the inner product of M. */
static fb_status modes(job *j, fb_err *e)
{
    a_int n = (a_int)j->ni, k = (a_int)j->k, ncv = 2 * k, info = 0, ido = 0,
          iparam[11] = {1, 0, 300, 1, 0, 0, 3}, ipntr[14];
    double *resid = NULL, *v = NULL, *workd = NULL, *workl = NULL;
    a_int *select = NULL;
    fb_status s = FB_OK;
    ncv = ncv < k + 20 ? k + 20 : ncv;
    FB_TRY(FB_NEW(&resid, n, e));
    FB_TRY(FB_NEW(&v, (int64_t)n * ncv, e));
    FB_TRY(FB_NEW(&workd, 3 * (int64_t)n, e));
    FB_TRY(FB_NEW(&workl, (int64_t)ncv * (ncv + 8), e));
    FB_TRY(FB_NEW(&select, ncv, e));
    for (;;) {
        dsaupd_c(&ido, "G", n, "LM", k, 0, resid, ncv, v, n, iparam, ipntr, workd, workl,
                 ncv * (ncv + 8), &info);
        double *x = workd + ipntr[0] - 1, *y = workd + ipntr[1] - 1;
        if (ido == 99)
            break;
        if (ido == 2)
            mass(j, x, y);
        else {
            if (ido == -1)
                mass(j, x, y);
            else
                memcpy(y, workd + ipntr[2] - 1, sizeof *y * (size_t)n);
            FB_TRY(solve(j, y, 1, e));
        }
    }
    if (info == 0)
        dseupd_c(1, "A", select, j->lambda, j->Phi, n, 0, "G", n, "LM", k, 0, resid, ncv, v, n,
                 iparam, ipntr, workd, workl, ncv * (ncv + 8), &info);
    if (info || iparam[4] < k)
        s = fb_fail(e, FB_ESOLVE, "ARPACK: info %d, %d modes converged", (int)info, (int)iparam[4]);
    for (int64_t c = 0; !s && c < k; c++)
        for (int64_t r = 0; r < j->ni; r++)
            j->T.x[j->i[r] + (j->b.nb + c) * j->T.m] = j->Phi[r + c * j->ni];
out:
    FB_FREE(resid, v, workd, workl, select);
    return s;
}

/* T'AT */
static fb_status reduced(job *j, const fb_csc *A, fb_err *e)
{
    fb_mat Y = {0}, R = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&Y, j->T.m, j->T.n, e));
    FB_TRY(fb_mat_new(&R, j->T.n, j->T.n, e));
    for (int64_t c = 0; c < Y.n; c++)
        fb_csc_mul(A, j->T.x + c * Y.m, Y.m, Y.x + c * Y.m, Y.m, 1);
    s = fb_gemm(1, 0, 1, &j->T, &Y, 0, &R, e);
out:
    FB_FREE_BY(fb_mat_free, &Y, &R);
    return s;
}

static fb_status run(job *j, char **arg, fb_err *e)
{
    fb_status s = FB_OK;
    started = now();
    j->k = strtol(arg[2], NULL, 10);
    FB_TRY(load(j, arg[1], e));
    done("read");
    FB_TRY(factorise(j, e));
    done("factor");
    FB_TRY(constraint(j, e));
    done("constraint");
    FB_TRY(modes(j, e));
    done("modes");
    FB_TRY(reduced(j, &j->b.K, e));
    FB_TRY(reduced(j, &j->b.M, e));
    done("reduce");
    char blas[512];
    fb_blas_version(blas, sizeof blas);
    const char *core = strstr(blas, "core ");
    printf("%s\n", core ? core : "core unknown");
    FILE *f = fopen(arg[3], "w");
    if (!f)
        return fb_fail(e, FB_ESYS, "cannot write %s", arg[3]);
    for (int64_t k = 0; k < j->k; k++)
        fprintf(f, "%.17g\n", j->lambda[k]);
    if (fclose(f))
        s = fb_fail(e, FB_ESYS, "cannot write %s", arg[3]);
out:
    return s;
}

int main(int argc, char **argv)
{
    static job j;
    fb_err e;
    if (argc != 4) {
        fprintf(stderr, "usage: plain MODEL MODES ROOTS\n");
        return FB_EUSAGE;
    }
    if (run(&j, argv, &e)) {
        fprintf(stderr, "plain: %s\n", e.msg);
        return (int)e.status;
    }
    return 0;
}

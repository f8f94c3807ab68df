/* SPDX-License-Identifier: GPL-3.0-or-later */
/* small.c - three-vectors, rotations, matrices by BLAS and LAPACK, errors. */
#include "sim.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemm_(const char *, const char *, int *, int *, int *, double *, const double *, int *,
            const double *, int *, double *, double *, int *);
void dgesv_(int *, int *, double *, int *, int *, double *, int *, int *);
void dposv_(const char *, int *, int *, double *, int *, double *, int *, int *);
void dpotrs_(const char *, int *, int *, const double *, int *, double *, int *, int *);
void dsygv_(int *, const char *, const char *, int *, double *, int *, double *, int *, double *,
            double *, int *, int *);

void fail(int status, const char *where, const char *format, ...)
{
    va_list p;
    va_start(p, format);
    fprintf(stderr, "%s%s", where ? where : "", where ? ": " : "");
    vfprintf(stderr, format, p);
    fputc('\n', stderr);
    va_end(p);
    exit(status);
}

void *array(long n)
{
    static void **last; /* each array has the address of the one before in front: all stay known */
    void **p = n >= 0 ? calloc((size_t)n + 2, 8) : NULL;
    if (!p)
        fail(SYSTEM, NULL, "out of memory for %ld values", n);
    p[0] = last;
    last = p;
    return p + 2;
}

void copy(double *to, const double *from, int n)
{
    memcpy(to, from, sizeof *to * (size_t)n);
}

double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void cross_add(double f, const double a[3], const double b[3], double c[3])
{
    c[0] += f * (a[1] * b[2] - a[2] * b[1]);
    c[1] += f * (a[2] * b[0] - a[0] * b[2]);
    c[2] += f * (a[0] * b[1] - a[1] * b[0]);
}

void skew(const double a[3], double A[9])
{
    copy(A, (double[9]){0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0}, 9);
}

void turn(const double R[9], int back, const double a[3], double b[3])
{
    for (int k = 0; k < 3; k++)
        b[k] = back ? R[k] * a[0] + R[3 + k] * a[1] + R[6 + k] * a[2] : dot(R + 3 * k, a);
}

void mul(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        turn(B, 1, A + 3 * i, C + 3 * i);
}

/* exp(phi~) = E + sin f / f phi~ + (1 - cos f) / f^2 phi~^2, f = |phi| */
void rotation(const double phi[3], double R[9])
{
    const double f = sqrt(dot(phi, phi)), half = f / 2;
    const double s = f > 0 ? sin(f) / f : 1,
                 c = f > 0 ? sin(half) * sin(half) / (half * half) / 2 : 0;
    double X[9], XX[9];
    skew(phi, X);
    mul(X, X, XX);
    for (int k = 0; k < 9; k++)
        R[k] = (k % 4 == 0) + s * X[k] + c * XX[k];
}

void times_add(int n, int m, double f, const double *A, const double *x, double *b)
{
    for (int r = 0; r < n; r++)
        for (int k = 0; k < m; k++)
            b[r] += f * A[r * m + k] * x[k];
}

/* By columns, as BLAS has it: C' = f B' A' + g C'. */
void gemm(const char *how, int n, int p, int k, double f, const double *A, const double *B,
          double g, double *C)
{
    int la = how[0] == 'N' ? k : n, lb = how[1] == 'N' ? p : k;
    la += !la;
    lb += !lb;
    if (n && p)
        dgemm_(how + 1, how, &p, &n, &k, &f, B, &lb, A, &la, &g, C, &p);
}

int solve(char how, int n, int p, double *A, double *B)
{
    static int pivot[3 * NDOF];
    int info = 0;
    if (n && how == 'L')
        dgesv_(&n, &p, A, &n, pivot, B, &n, &info);
    else if (n && how == 'P')
        dposv_("U", &n, &p, A, &n, B, &n, &info);
    else if (n)
        dpotrs_("U", &n, &p, A, &n, B, &n, &info);
    return info;
}

int eigen(int n, double *A, double *B, double *lambda)
{
    int itype = 1, info = 0, lwork = 40 * n;
    if (n)
        dsygv_(&itype, "V", "U", &n, A, &n, B, &n, lambda, array(lwork), &lwork, &info);
    return info;
}

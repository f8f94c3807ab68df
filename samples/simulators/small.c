/* SPDX-License-Identifier: GPL-3.0-or-later */
/* small.c - three-vectors, rotations, products, errors. */
#include "sim.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail(int status, const char *format, ...)
{
    va_list p;
    va_start(p, format);
    vfprintf(stderr, format, p);
    va_end(p);
    fputc('\n', stderr);
    exit(status);
}

void *array(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p)
        fail(SYSTEM, "out of memory for %zu values", n);
    return p;
}

double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

void cross_add(double f, const double a[3], const double b[3], double c[3])
{
    double ab[3];
    cross(a, b, ab);
    for (int k = 0; k < 3; k++)
        c[k] += f * ab[k];
}

void skew(const double a[3], double A[9])
{
    const double B[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    for (int k = 0; k < 9; k++)
        A[k] = B[k];
}

void turn(const double R[9], const double a[3], double b[3])
{
    for (int k = 0; k < 3; k++)
        b[k] = dot(R + 3 * k, a);
}

void turn_back(const double R[9], const double a[3], double b[3])
{
    for (int k = 0; k < 3; k++)
        b[k] = R[k] * a[0] + R[3 + k] * a[1] + R[6 + k] * a[2];
}

void mul(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
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

void times_add(double f, const double *A, const double *x, int m, double b[3])
{
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < m; k++)
            b[r] += f * A[r * m + k] * x[k];
}

void times(const double *A, const double *x, int m, double b[3])
{
    b[0] = b[1] = b[2] = 0;
    times_add(1, A, x, m, b);
}

void product(int n, int p, int k, const double *A, const double *B, double *C, int add)
{
    double one = 1, old = add;
    if (n && p)
        dgemm_("N", "T", &p, &n, &k, &one, B, &p, A, &n, &old, C, &p);
}

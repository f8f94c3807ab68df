/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mktext.c - the stiffness of a grid of NX by NY by NZ nodes with three dofs each, every node
 * joined to its 26 neighbours, as the text that programs write: mm (Matrix Market, 16 digits),
 * abaqus (*MATRIX GENERATE, one half), dmig (large fields, 10 digits, one half), sti (row column
 * value); and as one binary form, full (Ansys, one half: mnfparse/ansys/full.c). Values are made,
 * not meant. */
#include "lib/flexbody.h"
#include <stdlib.h>
#include <string.h>

typedef enum { MM, ABAQUS, DMIG, STI, FULL } kind;

enum { MOST = 3 * 27 }; /* entries of a column */

static long nx = 62, ny = 36, nz = 36;

static long number(long i, long j, long k)
{
    return (i * ny + j) * nz + k;
}

static double value(long r, long c)
{
    unsigned long h =
        ((unsigned long)r * 0x9e3779b97f4a7c15UL) ^ ((unsigned long)c * 0xbf58476d1ce4e5b9UL);
    h = (h ^ h >> 31) * 0x94d049bb133111ebUL;
    double x = (double)(h >> 11) * 0x1p-53;
    return r == c ? 1e7 * (200 + x) : 1e7 * (x - 0.5);
}

static struct { /* the column at hand of a .full */
    long n, row[MOST];
    double x[MOST];
} full;

/* Dofs count from 0; the entry is in the lower half. */
static void entry(FILE *f, kind k, long r, long c)
{
    switch (k) {
    case MM:
        fprintf(f, "%ld %ld %.16g\n", r + 1, c + 1, value(r, c));
        break;
    case STI:
        fprintf(f, "%ld %ld %.15e\n", c + 1, r + 1, value(r, c));
        break;
    case ABAQUS:
        fprintf(f, "%ld,%ld, %ld,%ld,%22.15e\n", r / 3 + 1, r % 3 + 1, c / 3 + 1, c % 3 + 1,
                value(r, c));
        break;
    case DMIG:
        fprintf(f, "*       %16ld%16ld%16.9E\n", r / 3 + 1, r % 3 + 1, value(r, c));
        break;
    case FULL:
        full.row[full.n] = r + 1;
        full.x[full.n++] = value(r, c);
        break;
    }
}

/* Calls for every entry of column c of the lower half, or counts. */
static long column(FILE *f, kind k, long c)
{
    const long n = c / 3, i = n / (ny * nz), j = n / nz % ny, l = n % nz;
    long count = 0;
    for (long a = i; a <= i + 1 && a < nx; a++)
        for (long b = j ? j - 1 : 0; b <= j + 1 && b < ny; b++)
            for (long d = l ? l - 1 : 0; d <= l + 1 && d < nz; d++)
                for (long r = 3 * number(a, b, d), end = r + 3; r < end; r++)
                    if (r >= c) {
                        count++;
                        if (f)
                            entry(f, k, r, c);
                    }
    return count;
}

/* ---- .full ------------------------------------------------------------------------------ */

static void word(FILE *f, long v)
{
    for (int k = 0; k < 4; k++)
        putc((int)((unsigned long)v >> 8 * k & 0xff), f);
}

/* The record of n integers, or of n reals; the column's first one is the diagonal, which goes last.
 */
static void record(FILE *f, long n, const long *v, const double *x, int turned)
{
    const long words = v ? n : 2 * n;
    word(f, words);
    word(f, v ? (long)0x80 << 24 : 0);
    for (long k = 0; k < n; k++) {
        const long q = turned ? (k + 1) % n : k;
        unsigned long bits = 0;
        if (v) {
            word(f, v[q]);
            continue;
        }
        memcpy(&bits, x + q, sizeof bits);
        word(f, (long)bits);
        word(f, (long)(bits >> 32));
    }
    word(f, words);
}

static void pointer(long *header, int low, int high, long at)
{
    header[low - 1] = at;
    header[high - 1] = (long)((unsigned long)at >> 32);
}

/* Headers, list of dofs, nodes, stiffness, its right-hand side, diagonal, dof table. v and x have
 * room for n numbers. */
static void write_full(FILE *f, long n, long entries, long *v, double *x)
{
    const long nodes = n / 3, list[] = {1, 2, 3}, K = 103 + 163 + 6 + nodes + 3,
               side = K + 6 * n + 3 * entries, diagonal = side + 2 * n + 3,
               table = diagonal + 2 * n + 3, end = table + nodes + 3 + 2 * (n + 3) + 5;
    long standard[100] = {4, -1, 123456, 20240229, -1}, h[160] = {-4, n, n, 1};
    standard[26] = standard[96] = end;
    standard[99] = 654321;
    h[6] = h[32] = nodes;
    h[7] = 3;
    h[14] = -999;
    h[61] = n;
    pointer(h, 9, 10, entries);
    pointer(h, 19, 20, K);
    pointer(h, 23, 24, end);
    pointer(h, 36, 37, table);
    pointer(h, 38, 39, side);
    pointer(h, 54, 55, diagonal);
    record(f, 100, standard, NULL, 0);
    record(f, 160, h, NULL, 0);
    record(f, 3, list, NULL, 0);
    for (long k = 0; k < nodes; k++)
        v[k] = k + 1;
    record(f, nodes, v, NULL, 0);
    for (long c = 0; c < n; c++, full.n = 0) {
        column(f, FULL, c);
        record(f, full.n, full.row, NULL, 1);
        record(f, full.n, NULL, full.x, 1);
    }
    record(f, n, NULL, x, 0); /* zeros */
    for (long c = 0; c < n; c++)
        x[c] = value(c, c);
    record(f, n, NULL, x, 0);
    for (long k = 0; k < nodes; k++)
        v[k] = 3;
    record(f, nodes, v, NULL, 0);
    for (long c = 0; c < n; c++)
        v[c] = c % 3 + 1;
    record(f, n, v, NULL, 0);
    memset(v, 0, (size_t)n * sizeof *v);
    record(f, n, v, NULL, 0);
    record(f, 1, NULL, (double[]){0}, 0);
    word(f, -1);
}

static int put_full(FILE *f, long n, long entries)
{
    long *v = calloc((size_t)n, sizeof *v);
    double *x = calloc((size_t)n, sizeof *x);
    const int good = v && x;
    if (good)
        write_full(f, n, entries, v, x);
    free(v);
    free(x);
    return good;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"mm", "abaqus", "dmig", "sti", "full"};
    int k = 0;
    while (k < 5 && (argc < 2 || strcmp(argv[1], names[k])))
        k++;
    if (k == 5 || (argc != 2 && argc != 5)) {
        fprintf(stderr, "mktext mm|abaqus|dmig|sti|full [NX NY NZ]\n");
        return 2;
    }
    if (argc == 5) {
        nx = atol(argv[2]);
        ny = atol(argv[3]);
        nz = atol(argv[4]);
    }
    const long n = 3 * nx * ny * nz;
    long entries = 0;
    for (long c = 0; c < n; c++)
        entries += column(NULL, MM, c);
    if (k == MM)
        printf("%%%%MatrixMarket matrix coordinate real symmetric\n%ld %ld %ld\n", n, n, entries);
    if (k == ABAQUS)
        printf("** Assembled operator Stiffness - %ld by %ld, entries %ld, symmetric\n", n, n,
               entries);
    if (k == DMIG)
        printf("DMIG    KAAX           0       6       2       0        %8ld\n", n);
    if (k == FULL && !put_full(stdout, n, entries))
        return 1;
    for (long c = 0; k != FULL && c < n; c++) {
        if (k == DMIG)
            printf("DMIG*   KAAX            %16ld%16ld\n", c / 3 + 1, c % 3 + 1);
        column(stdout, (kind)k, c);
    }
    fprintf(stderr, "%ld\n", entries);
    return fclose(stdout) != 0;
}

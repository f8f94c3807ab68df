/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mktext.c - the stiffness of a grid of NX by NY by NZ nodes with three dofs each, every node
 * joined to its 26 neighbours, as the text that programs write: mm (Matrix Market, 16 digits),
 * abaqus (*MATRIX GENERATE, one half), dmig (large fields, 10 digits, one half), sti (row column
 * value). Values are made, not meant. */
#include "lib/flexbody.h"
#include <stdlib.h>
#include <string.h>

typedef enum { MM, ABAQUS, DMIG, STI } kind;

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

int main(int argc, char **argv)
{
    static const char *const names[] = {"mm", "abaqus", "dmig", "sti"};
    int k = 0;
    while (k < 4 && (argc < 2 || strcmp(argv[1], names[k])))
        k++;
    if (k == 4 || (argc != 2 && argc != 5)) {
        fprintf(stderr, "mktext mm|abaqus|dmig|sti [NX NY NZ]\n");
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
    for (long c = 0; c < n; c++) {
        if (k == DMIG)
            printf("DMIG*   KAAX            %16ld%16ld\n", c / 3 + 1, c % 3 + 1);
        column(stdout, (kind)k, c);
    }
    fprintf(stderr, "%ld\n", entries);
    return fclose(stdout) != 0;
}

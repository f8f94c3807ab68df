/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front_kernel.h - the kernels of front.h for one instruction set; included by front_kernels.c,
 * once for each. Defined before:
 *   NAME(f)  name of function f          TARGET  attribute of the functions
 *   VEC      vector type, LANES doubles  NV      vectors of a packed row block: MR = NV LANES rows
 *   NR       columns of a tile: NR NV values stay in registers
 *   LOAD STORE SPREAD TIMES PLUS FNMA    FNMA(a, b, c) = c - a b
 * all of which are undefined at the end.
 */
#define MR        (NV * LANES)
#define EACH      FB_UNROLL for (int c = 0; c < NR; c++)
#define EACH_PART FB_UNROLL for (int v = 0; v < NV; v++)

/* x := - A B' of the first nv vectors of A's rows */
TARGET static inline __attribute__((always_inline)) void NAME(sums)(int64_t k, const double *A,
                                                                    const double *B, int64_t sb,
                                                                    int nv, VEC x[NR][NV])
{
    EACH FB_UNROLL for (int v = 0; v < nv; v++) x[c][v] = SPREAD(0);
    for (; k > 0; k--, A += MR, B += sb) {
        VEC a[NV];
        FB_UNROLL for (int v = 0; v < nv; v++) a[v] = LOAD(A + v * LANES);
        __builtin_prefetch(B + 16 * sb);
        FB_UNROLL for (int v = 0; v < nv; v++) __builtin_prefetch(A + AHEAD + v * LANES);
        EACH
        {
            const VEC b = SPREAD(B[c]);
            FB_UNROLL for (int v = 0; v < nv; v++) x[c][v] = FNMA(b, a[v], x[c][v]);
        }
    }
}

/* Vectors from..from+nv-1 of a tile at an edge. */
TARGET static inline __attribute__((always_inline)) void NAME(some_of_tile)(
    int64_t k, const double *A, const double *B, int64_t sb, double *const *C, int64_t i,
    const fb_edge *edge, int64_t from, int nv)
{
    VEC x[NR][NV];
    NAME(sums)(k, A + from * LANES, B, sb, nv, x);
#ifdef PUT_SOME
    const unsigned rows = (1u << edge->rows) - 1;
    EACH
    {
        const int64_t above = edge->diagonal + c;
        const unsigned some = (above > 0 ? rows >> above << above : rows) >> from * LANES;
        double *to = C[c] + i + from * LANES;
        if (c >= edge->columns)
            break;
        if (c < edge->fresh)
            FB_UNROLL for (int v = 0; v < nv; v++)
                ADD_SOME(some >> v * LANES, x[c][v], to + v * LANES);
        else
            FB_UNROLL for (int v = 0; v < nv; v++)
                PUT_SOME(some >> v * LANES, x[c][v], to + v * LANES);
    }
#else
    double y[NR * MR];
    EACH FB_UNROLL for (int v = 0; v < nv; v++) STORE(y + c * MR + (from + v) * LANES, x[c][v]);
    at_edge(y, MR, C, i, edge);
#endif
}

/* Only the vectors of which something counts. */
TARGET static void NAME(edge)(int64_t k, const double *A, const double *B, int64_t sb,
                              double *const *C, int64_t i, const fb_edge *edge)
{
    const int64_t from = edge->diagonal > 0 ? edge->diagonal / LANES : 0,
                  nv = (edge->rows + LANES - 1) / LANES - from;
    if (nv == 1)
        NAME(some_of_tile)(k, A, B, sb, C, i, edge, from, 1);
    else if (nv == 2)
        NAME(some_of_tile)(k, A, B, sb, C, i, edge, from, 2);
    else if (nv > 2)
        NAME(some_of_tile)(k, A, B, sb, C, i, edge, from, NV);
}

/* (FK.1) */
TARGET static void NAME(multiply)(int64_t k, const double *A, const double *B, int64_t sb,
                                  double *const *C, int64_t i, const fb_edge *edge)
{
    VEC x[NR][NV];
    EACH
    {
        __builtin_prefetch(C[c] + i, 1);
        __builtin_prefetch(C[c] + i + MR / 2, 1);
        __builtin_prefetch(C[c] + i + MR - 1, 1);
    }
    const int fresh = edge && edge->fresh <= 0 && edge->rows == MR && edge->columns == NR &&
                      edge->diagonal + NR <= 1;
    if (edge && !fresh) {
        NAME(edge)(k, A, B, sb, C, i, edge);
        return;
    }
    NAME(sums)(k, A, B, sb, NV, x);
    if (fresh) {
        EACH EACH_PART STORE(C[c] + i + v * LANES, x[c][v]);
        return;
    }
    EACH
    {
        double *to = C[c] + i;
        EACH_PART STORE(to + v * LANES, PLUS(LOAD(to + v * LANES), x[c][v]));
    }
}

/* (FK.2) Rows that are missing are zero. The rows behind are fetched meanwhile. */
TARGET static void NAME(pack)(int64_t n, int64_t k, const double *F, int64_t ld, double *P)
{
    for (; k > 0; k--, F += ld, P += MR) {
        if (n == MR) {
            EACH_PART STORE(P + v * LANES, LOAD(F + v * LANES));
            __builtin_prefetch(F + MR);
            __builtin_prefetch(F + 3 * MR / 2);
            __builtin_prefetch(F + 2 * MR - 1);
            continue;
        }
        for (int64_t r = 0; r < n; r++)
            P[r] = F[r];
        for (int64_t r = n; r < MR; r++)
            P[r] = 0;
    }
}

TARGET static void NAME(unpack)(int64_t n, int64_t k, const double *P, double *F, int64_t ld)
{
    for (; k > 0; k--, F += ld, P += MR)
        if (n == MR)
            EACH_PART STORE(F + v * LANES, LOAD(P + v * LANES));
        else
            for (int64_t r = 0; r < n; r++)
                F[r] = P[r];
}

/* (FK.3) Columns that are complete stay in registers. */
TARGET static void NAME(solve)(int64_t n, const double *T, double *P)
{
    VEC x[NR][NV];
    if (n == NR) {
        EACH EACH_PART x[c][v] = LOAD(P + c * MR + v * LANES);
        EACH
        {
            const VEC r = SPREAD(T[c * NR + c]);
            EACH_PART x[c][v] = TIMES(r, x[c][v]);
            FB_UNROLL for (int d = c + 1; d < NR; d++)
            {
                const VEC t = SPREAD(T[d * NR + c]);
                EACH_PART x[d][v] = FNMA(t, x[c][v], x[d][v]);
            }
        }
        EACH EACH_PART STORE(P + c * MR + v * LANES, x[c][v]);
        return;
    }
    for (int64_t c = 0; c < n; c++, T += NR) {
        EACH_PART x[0][v] = LOAD(P + c * MR + v * LANES);
        for (int64_t d = 0; d < c; d++) {
            const VEC t = SPREAD(T[d]);
            EACH_PART x[0][v] = FNMA(t, LOAD(P + d * MR + v * LANES), x[0][v]);
        }
        const VEC t = SPREAD(T[c]);
        EACH_PART STORE(P + c * MR + v * LANES, TIMES(t, x[0][v]));
    }
}

/* (FK.4) */
TARGET static void NAME(extend)(int64_t n, const fb_rows_run *run, const double *from, double *to)
{
    for (; n > 0; n--, run++) {
        const double *x = from + run->from;
        double *y = to + run->to;
        int64_t k = run->n;
        for (; k >= LANES; k -= LANES, x += LANES, y += LANES)
            STORE(y, PLUS(LOAD(y), LOAD(x)));
#ifdef ADD_SOME
        ADD_SOME((1u << k) - 1, LOAD_SOME((1u << k) - 1, x), y);
#else
        for (; k > 0; k--)
            *y++ += *x++;
#endif
    }
}

#undef MR
#undef EACH
#undef EACH_PART
#undef NAME
#undef TARGET
#undef VEC
#undef LANES
#undef NV
#undef NR
#undef LOAD
#undef STORE
#undef SPREAD
#undef TIMES
#undef PLUS
#undef FNMA
#undef LOAD_SOME
#undef ADD_SOME
#undef PUT_SOME

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

/* (FK.1) */
TARGET static void NAME(multiply)(int64_t k, const double *A, const double *B, int64_t sb,
                                  double *const *C, int64_t i, const fb_edge *edge)
{
    VEC x[NR][NV];
    EACH EACH_PART x[c][v] = SPREAD(0);
    EACH
    {
        __builtin_prefetch(C[c] + i, 1);
        __builtin_prefetch(C[c] + i + MR / 2, 1);
        __builtin_prefetch(C[c] + i + MR - 1, 1);
    }
    for (; k > 0; k--, A += MR, B += sb) {
        VEC a[NV];
        EACH_PART a[v] = LOAD(A + v * LANES);
        __builtin_prefetch(B + 16 * sb);
        __builtin_prefetch(A + AHEAD);
        __builtin_prefetch(A + AHEAD + 8);
        __builtin_prefetch(A + AHEAD + 16);
        EACH
        {
            const VEC b = SPREAD(B[c]);
            EACH_PART x[c][v] = FNMA(b, a[v], x[c][v]);
        }
    }
    if (edge && edge->fresh <= 0 && edge->rows == MR && edge->columns == NR &&
        edge->diagonal + NR <= 1) {
        EACH EACH_PART STORE(C[c] + i + v * LANES, x[c][v]);
        return;
    }
    if (edge) {
        double y[NR * MR];
        EACH EACH_PART STORE(y + c * MR + v * LANES, x[c][v]);
        at_edge(y, MR, C, i, edge);
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

/* (FK.3) */
TARGET static void NAME(solve)(int64_t n, const double *T, double *P)
{
    for (int64_t c = 0; c < n; c++, T += NR) {
        VEC x[NV];
        EACH_PART x[v] = LOAD(P + c * MR + v * LANES);
        for (int64_t d = 0; d < c; d++) {
            const VEC t = SPREAD(T[d]);
            EACH_PART x[v] = FNMA(t, LOAD(P + d * MR + v * LANES), x[v]);
        }
        const VEC t = SPREAD(T[c]);
        EACH_PART STORE(P + c * MR + v * LANES, TIMES(t, x[v]));
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
        ADD_SOME(k, x, y);
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
#undef ADD_SOME

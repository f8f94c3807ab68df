/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flexbody.h - the one header shared by every tool.
 *
 * Laws
 *   - A call that can fail returns fb_status and takes an fb_err * last.
 *   - A const pointer is borrowed; an out-parameter is the caller's to free;
 *     a name ending in _take consumes its argument.
 *   - Outputs are written only on success; *_free accepts zeroed structs and zeroes them.
 *   - Nothing in lib/ prints, exits or reads argv, except cli.c.
 *   - Matrices are column-major in memory (fb_mat, LAPACK's order); an [m x n] fb_mat is an
 *     HDF5 dataset of shape [n, m].
 *   - Counts and indices are int64_t and 0-based; node numbers and components (1..6) are the
 *     input's own.
 */
#ifndef FLEXBODY_H
#define FLEXBODY_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "flexbody is for little-endian machines: nobody has tried its files on others"
#endif
#if defined __GNUC__
#define FB_CHECKED      __attribute__((warn_unused_result))
#define FB_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define FB_CHECKED
#define FB_PRINTF(a, b)
#endif
/* Before a loop of a few turns over an array that is to stay in registers. */
#if defined __clang__
#define FB_UNROLL _Pragma("clang loop unroll(full)")
#elif defined __GNUC__
#define FB_UNROLL _Pragma("GCC unroll 16")
#else
#define FB_UNROLL
#endif

/* ---- status and messages (err.c) ------------------------------------------------------- */

/* Values are the exit codes of the tools (flexbody.7); append only. */
typedef enum {
    FB_OK      = 0,
    FB_NO      = 1, /* a check said no: a threshold missed, a warning under --strict */
    FB_EUSAGE  = 2, /* bad option or argument                                        */
    FB_EFORMAT = 3, /* input malformed, truncated, too new, not understood           */
    FB_ESOLVE  = 4, /* singular, indefinite, not converged                           */
    FB_ESYS    = 5  /* out of memory, disk full, input or output error               */
} fb_status;

typedef struct {
    fb_status status;
    char      msg[1024];
} fb_err;

/* Sets the message and returns s. */
fb_status fb_fail(fb_err *e, fb_status s, const char *fmt, ...) FB_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* which then knows that what failed is not FB_OK */
#define fb_fail(e, s, ...) ((void)(fb_fail)((e), (s), __VA_ARGS__), (s))
#endif
/* Puts "fmt: " before the message there is, and returns its status. */
fb_status fb_context(fb_err *e, const char *fmt, ...) FB_PRINTF(2, 3);

/* Blanks for control characters: texts of files go to terminals, messages and decks of other programs. */
void fb_plain_text(char *text);

/* For functions with `fb_status s = FB_OK;` and one label `out:`. */
#define FB_TRY(call)                                                                            \
    do {                                                                                        \
        if ((s = (call)) != FB_OK)                                                              \
            goto out;                                                                           \
    } while (0)

/* What a tool says besides its data: warnings (kept for /history) and -v notes. The sink
 * prints; lib/ itself never does. */
typedef struct {
    char  **warning; /* [nwarning] */
    int64_t nwarning;
    int     verbose; /* notes wanted */
    void (*sink)(void *self, int is_warning, const char *line);
    /* How much of `total` bytes of `what` is read, 0..1; NULL: nobody looks. */
    void (*progress)(void *self, const char *what, double done, double total);
    void *self;
} fb_log;

void fb_warn(fb_log *log, const char *fmt, ...) FB_PRINTF(2, 3);
void fb_note(fb_log *log, const char *fmt, ...) FB_PRINTF(2, 3);
void fb_log_free(fb_log *log);

/* ---- memory (mem.c) -------------------------------------------------------------------- */

/* Zeroed memory for n elements of size bytes; NULL on overflow or lack of memory. */
void *fb_alloc(size_t n, size_t size);
/* Grows or shrinks p to n elements; the old block stays valid when NULL is returned. */
void *fb_realloc(void *p, size_t n, size_t size);
/* *(void **)pp = fb_alloc(n, size), or a message that names what and the size wanted. */
fb_status fb_new(void *pp, int64_t n, size_t size, const char *what, fb_err *e) FB_CHECKED;
#define FB_NEW(pp, n, e) fb_new((pp), (n), sizeof **(pp), #pp, (e))
#ifdef __clang_analyzer__ /* which does not see a pointer that is written through memcpy */
#define fb_new(pp, n, size, what, e) \
    ((*(pp) = fb_alloc((size_t)(n), (size))) ? FB_OK : fb_fail((e), FB_ESYS, "%s", (what)))
#endif
/* Makes room for at least want elements in *(void **)pp, doubling *cap. */
fb_status fb_grow(void *pp, int64_t *cap, int64_t want, size_t size, fb_err *e) FB_CHECKED;

extern long fb_alloc_fail_after; /* tests: < 0 never fail, k: k more succeed, then fail */

/* ---- bytes of a file (bytes.c) --------------------------------------------------------- */

/* A whole input in memory: mapped when it is a regular file, read into memory otherwise. */
typedef struct {
    const unsigned char *data;
    size_t               size;
    char                *name; /* as the user gave it, or "standard input" */
    int                  mapped;
} fb_input;

struct stat;
/* A device that may never end, as /dev/zero. */
int fb_endless(const struct stat *st);
/* path "-" is the standard input. A terminal, a directory and an empty input are errors. */
fb_status fb_input_open(fb_input *in, const char *path, fb_err *e) FB_CHECKED;
void      fb_input_close(fb_input *in);
/* The bytes before upto are read: a mapping gives back their memory (they can still be read again). */
void fb_input_done(const fb_input *in, size_t upto);

/* The way of a reader through its input, once or in several passes: fb_meter_at costs one comparison; each 16 MB
 * it gives back the memory of what is read, and tells the log. A zeroed meter does nothing. */
typedef struct {
    const fb_input *in; /* borrowed */
    fb_log         *log;
    uintptr_t       next; /* address where fb_meter_tell comes again */
    int             pass, passes;
} fb_meter;
void fb_meter_start(fb_meter *m, fb_log *log, const fb_input *in, int pass, int passes); /* pass: from 0 */
void fb_meter_tell(fb_meter *m, const void *at);
static inline void fb_meter_at(fb_meter *m, const void *at)
{
    if ((uintptr_t)at >= m->next)
        fb_meter_tell(m, at);
}

/* A cursor over borrowed bytes. Every read checks what is left; after a failed read the cursor
 * stays where it was. */
typedef struct {
    const unsigned char *data;
    size_t               size, pos;
    int                  little; /* 1: little-endian, 0: big-endian (XDR) */
} fb_cursor;

fb_status fb_get_i32(fb_cursor *c, int32_t *v, const char *what, fb_err *e) FB_CHECKED;
fb_status fb_get_i64(fb_cursor *c, int64_t *v, const char *what, fb_err *e) FB_CHECKED;
fb_status fb_get_f32(fb_cursor *c, float *v, const char *what, fb_err *e) FB_CHECKED;
fb_status fb_get_f64(fb_cursor *c, double *v, int64_t n, const char *what, fb_err *e) FB_CHECKED;
/* A count of records of at least `bytes` each that must fit into what is left. */
fb_status fb_get_count(fb_cursor *c, int64_t *n, size_t bytes, const char *what, fb_err *e) FB_CHECKED;
fb_status fb_need(const fb_cursor *c, int64_t n, size_t size, const char *what, fb_err *e) FB_CHECKED;

/* A growing buffer for writers; the first failure is kept and reported by fb_buf_status. With a spool
 * (fb_spool_open) what is full goes to the file, and memory stays small. */
typedef struct {
    unsigned char *data;
    int64_t        size, cap;
    int            little, failed;
    int            spool, error; /* file descriptor, 0: none; errno of a failed write */
} fb_buf;

void      fb_put_bytes(fb_buf *b, const void *p, size_t n);
void      fb_put_i32(fb_buf *b, int64_t v);
void      fb_put_f64(fb_buf *b, const double *v, int64_t n);
void      fb_put_text(fb_buf *b, const char *fmt, ...) FB_PRINTF(2, 3);
void      fb_buf_flush(fb_buf *b); /* writes what is left to the spool */
fb_status fb_buf_status(const fb_buf *b, fb_err *e) FB_CHECKED;
void      fb_buf_free(fb_buf *b);

/* ---- numbers in text (num.c) ----------------------------------------------------------- */

/* Reads one real at p (no leading blanks), correctly rounded: 1 1. .5 1e5 1D+5 1.0+5, signs.
 * Returns the first byte behind it, or NULL where there is none. NaN and Inf are not numbers. */
const char *fb_scan_real(const char *p, const char *end, double *x);
/* Reads one integer at p (no leading blanks); NULL where there is none or it overflows. */
const char *fb_scan_int(const char *p, const char *end, int64_t *k);
/* "row column value" with one blank between and the value as tables have it, [-]digits.digits[E+dd]: quick for the
 * lines of a matrix. NULL for any other look, and near end: the two calls above then have to look. i, j and x may
 * be written anyway. */
const char *fb_scan_triple(const char *p, const char *end, int64_t *i, int64_t *j, double *x);
extern int fb_scan_plain; /* for tests: 1 uses no instruction that only some processors have */

/* ---- sparse and dense matrices (sparse.c, dense.c, lapack.c) --------------------------- */

typedef struct {   /* sparse matrix in compressed columns */
    int64_t  m, n; /* rows, columns                                                          */
    int64_t *p;    /* [n+1]   column starts, p[0]=0, p[n]=nnz                                */
    int64_t *i;    /* [p[n]]  row indices, ascending in each column                          */
    double  *x;    /* [p[n]]  values                                                         */
    int      upper; /* 1: symmetric, only the upper triangle is stored                       */
} fb_csc;

/* Ranges, order, finite values; every matrix passes here once when it enters a tool. */
fb_status fb_csc_check(const fb_csc *A, const char *name, fb_err *e) FB_CHECKED;
fb_status fb_csc_new(fb_csc *A, int64_t m, int64_t n, int64_t nnz, int upper, fb_err *e) FB_CHECKED;
/* Sums duplicates; with upper, entries below the diagonal must not occur. */
fb_status fb_csc_from_triplets(fb_csc *A, int64_t m, int64_t n, int64_t nnz, const int64_t *i,
                               const int64_t *j, const double *x, int upper, fb_err *e) FB_CHECKED;
/* Assembly in two passes over an input, without triplets in memory: count every entry, start, place
 * every entry again, finish. Places past what was counted are the caller's mistake. */
typedef struct {
    fb_csc  A;    /* p[j+1]: entries of column j, then p[j]: its next place */
    double *imag; /* [nnz] imaginary parts, or NULL                         */
} fb_fill;
fb_status fb_fill_new(fb_fill *f, int64_t m, int64_t n, int upper, fb_err *e) FB_CHECKED;
static inline void fb_fill_count(fb_fill *f, int64_t j)
{
    f->A.p[j + 1]++;
}
fb_status fb_fill_start(fb_fill *f, int complex, fb_err *e) FB_CHECKED;
static inline int64_t fb_fill_place(fb_fill *f, int64_t i, int64_t j, double x)
{
    int64_t q = f->A.p[j]++;
    f->A.i[q] = i;
    f->A.x[q] = x;
    return q; /* imag[q] is the caller's to set */
}
/* Sorts the columns, adds up entries of one place in the order of the input. imag may be NULL where
 * there are no imaginary parts; repeated: how many entries were added to another, or NULL. */
fb_status fb_fill_finish(fb_fill *f, fb_csc *A, double **imag, int64_t *repeated, fb_err *e) FB_CHECKED;
void      fb_fill_free(fb_fill *f);
/* The upper half of a matrix that is said to be symmetric, from one of its halves or both (in any
 * mixture). Where both entries of a pair are stored their mean is taken; they may differ by
 * 1e-8 max|A|. both: how many pairs were stored twice, or NULL. A and imag (may be NULL) are replaced. */
fb_status fb_csc_fold(fb_csc *A, double **imag, const char *name, int64_t *both, fb_err *e) FB_CHECKED;
/* Collects a matrix entry by entry and turns it into compressed columns (gather.c). Per column of
 * the file: fb_gather_column, fb_gather_room, then i[n], x[n] (and im[n] if complex), n++. */
typedef struct {
    int64_t i, j; /* entry given twice with two values */
    double  a, b;
} fb_clash;
typedef struct {
    int      complex;
    int64_t *i;           /* [n] rows */
    double  *x, *im;      /* [n] */
    int64_t *col, *start; /* [nrun] runs of entries of one column */
    int64_t  n, nrun, cap_i, cap_x, cap_im, cap_col, cap_start;
    int64_t  united;      /* entries given twice, equal but for rounding */
    fb_clash clash;       /* what fb_gather_finish refused */
} fb_gather;
fb_status fb_gather_column(fb_gather *g, int64_t j, fb_err *e) FB_CHECKED;
fb_status fb_gather_room(fb_gather *g, int64_t k, fb_err *e) FB_CHECKED; /* k more entries fit */
/* symmetric: entries of either half, the upper one is kept. An entry given twice must have one
 * value. *imag is NULL for a real matrix. g is left to fb_gather_free. */
fb_status fb_gather_finish(fb_gather *g, int64_t m, int64_t n, int symmetric, fb_csc *A, double **imag,
                           fb_err *e) FB_CHECKED;
void fb_gather_free(fb_gather *g);
/* y[j] += A x[j] for k columns with leading dimensions ldx, ldy. */
void fb_csc_mul(const fb_csc *A, const double *x, int64_t ldx, double *y, int64_t ldy, int64_t k);
void fb_csc_free(fb_csc *A);

typedef struct { /* dense matrix, column-major, leading dimension m */
    int64_t m, n;
    double *x; /* [n][m] */
} fb_mat;

fb_status fb_mat_new(fb_mat *A, int64_t m, int64_t n, fb_err *e) FB_CHECKED;
void      fb_mat_free(fb_mat *A);
/* A := (A + A')/2, and the largest |A - A'| before. */
double fb_mat_symmetrise(fb_mat *A);
/* 1: A = A' to the last bit. */
int       fb_mat_is_symmetric(const fb_mat *A);
/* A := A', A square. */
void      fb_mat_transpose(fb_mat *A);
double fb_mat_max(const fb_mat *A); /* largest |entry| */

/* C = alpha op(A) op(B) + beta C; shapes must fit (checked). */
fb_status fb_gemm(int transA, int transB, double alpha, const fb_mat *A, const fb_mat *B,
                  double beta, fb_mat *C, fb_err *e) FB_CHECKED;
/* Kr = V' K V, symmetric to the last bit; K symmetric. */
fb_status fb_congruence(const fb_mat *K, const fb_mat *V, fb_mat *Kr, fb_err *e) FB_CHECKED;
/* Ar = V'AV for damping, which may have any form: A [m,m] and Ar [n,n] by rows, V [m x n]. Ar is symmetric to the
 * last bit where A is, else nothing is averaged. */
fb_status fb_congruence_rows(const double *A, const fb_mat *V, double **Ar, fb_err *e) FB_CHECKED;
/* K V = M V diag(lambda), K and M symmetric, M positive definite, V'MV = I, lambda ascending
 * [n], sign rule: the largest entry of each column of V is positive. */
fb_status fb_eig_dense(const fb_mat *K, const fb_mat *M, double *lambda, fb_mat *V,
                       fb_err *e) FB_CHECKED;
/* The sign rule: of each column the first entry within 1e-6 of the largest becomes positive. */
void fb_fix_signs(fb_mat *V);
/* Rank of a semidefinite A by Cholesky with pivoting, pivots above tol: *pivot [n], the first *rank of them are
 * independent. A is overwritten. */
fb_status fb_rank_spd(fb_mat *A, double tol, int64_t *pivot, int64_t *rank, fb_err *e) FB_CHECKED;
/* A V = V diag(lambda), A symmetric; A becomes V, V'V = I, lambda [n] ascending. */
fb_status fb_eig_symmetric(fb_mat *A, double *lambda, fb_err *e) FB_CHECKED;
/* A = U diag(s) V', thin: U [m x k], s [k], V [n x k] or, with full_V, V [n x n]; k = min(m,n). */
fb_status fb_svd(const fb_mat *A, fb_mat *U, double *s, fb_mat *V, int full_V, fb_err *e) FB_CHECKED;
/* Solves A X = B for symmetric positive definite A; B is overwritten. */
fb_status fb_solve_spd(const fb_mat *A, fb_mat *B, const char *name, fb_err *e) FB_CHECKED;

/* ---- what the reductions ask of sparse matrices (sparse_ops.c) ------------------------- */

/* C = A + beta B, both upper or both full, of one shape. */
fb_status fb_csc_add(const fb_csc *A, double beta, const fb_csc *B, fb_csc *C, fb_err *e) FB_CHECKED;
/* B = A(rows, cols): rows ascending, columns in any order. With cols == rows (the same pointer) and
 * A upper, B is upper too; otherwise B holds every entry. */
fb_status fb_csc_sub(const fb_csc *A, const int64_t *rows, int64_t nr, const int64_t *cols,
                     int64_t nc, fb_csc *B, fb_err *e) FB_CHECKED;
/* The same as a dense matrix; rows in any order. */
fb_status fb_csc_dense(const fb_csc *A, const int64_t *rows, int64_t nr, const int64_t *cols,
                       int64_t nc, fb_mat *B, fb_err *e) FB_CHECKED;
/* The parts of a symmetric matrix for boundary dofs b (any order) and interior dofs i (ascending). */
typedef struct {
    fb_csc Aii; /* [ni x ni] upper */
    fb_csc Aib; /* [ni x nb]       */
    fb_mat Abb; /* [nb x nb]       */
} fb_blocks;
fb_status fb_csc_split(const fb_csc *A, const int64_t *b, int64_t nb, const int64_t *i, int64_t ni,
                       fb_blocks *P, fb_err *e) FB_CHECKED;
void      fb_blocks_free(fb_blocks *P);
/* The dofs of 0..n-1 that are not in b, ascending: i [n - nb]. b without repetitions. */
fb_status fb_complement(int64_t n, const int64_t *b, int64_t nb, int64_t **i, fb_err *e) FB_CHECKED;

/* sum [n]: the column sums of |A|; of a symmetric A the row sums, too. */
void fb_csc_sums(const fb_csc *A, double *sum);
/* The largest of them. */
fb_status fb_csc_norm(const fb_csc *A, double *norm, fb_err *e) FB_CHECKED;
/* d [n] = diagonal. */
void fb_csc_diagonal(const fb_csc *A, double *d);
/* y[j] += A' x[j] for k columns with leading dimensions ldx, ldy. */
void fb_csc_tmul(const fb_csc *A, const double *x, int64_t ldx, double *y, int64_t ldy, int64_t k);
/* Y = A X: for many columns twice as fast as fb_csc_mul. */
fb_status fb_csc_mul_many(const fb_csc *A, const fb_mat *X, fb_mat *Y, fb_err *e) FB_CHECKED;
/* S = A R for rows of eight: R [n x 8], S [m x 8] row-major. */
fb_status fb_csc_mul_rows(const fb_csc *A, const double *R, double *S, fb_err *e) FB_CHECKED;
/* Ar = V' A V, symmetric to the last bit; A symmetric. */
fb_status fb_csc_congruence(const fb_csc *A, const fb_mat *V, fb_mat *Ar, fb_err *e) FB_CHECKED;
/* B = U' A V. */
fb_status fb_csc_bilinear(const fb_mat *U, const fb_csc *A, const fb_mat *V, fb_mat *B,
                          fb_err *e) FB_CHECKED;
/* Ar = T' A T for T = [I 0; G], rows b then i, G [ni x (nb + nm)] the rows of the interior:
 * symmetric to the last bit; no copy of T, no dense copy of a sparse part. */
fb_status fb_blocks_congruence(const fb_blocks *P, const fb_mat *G, fb_mat *Ar, fb_err *e) FB_CHECKED;

/* ---- the BLAS and its threads (blas.c) ------------------------------------------------- */

/* To be called first in main: where OpenBLAS did not know the processor, or where the address space is
 * limited, sets OPENBLAS_CORETYPE, OPENBLAS_NUM_THREADS=1, OMP_WAIT_POLICY as needed and starts the
 * program again, once. The core that the user has set is not touched. Returns when there is nothing
 * (more) to do. */
void fb_blas_setup(char **argv);
/* The core OPENBLAS_CORETYPE should name for a library that runs `core` on a processor of these
 * features; NULL where it is good as it is. */
const char *fb_blas_better_core(const char *core, int avx2, int avx512);
/* 1: the BLAS' product of two small matrices equals a plain loop's. */
int fb_blas_sound(void);
/* Threads that the solvers take: what the BLAS was to take (OPENBLAS_NUM_THREADS, the processors), 8 at
 * most. The BLAS itself has one from the first call on. */
int fb_threads(void);
/* Runs work(arg, t) for t = 0 .. n-1 on the threads there are, the caller's among them; returns when all are done.
 * Where the system gives no thread, and inside such work, the caller's does all (parallel.c). */
void fb_parallel(int n, void (*work)(void *arg, int t), void *arg);
/* The same again and again: next(arg), on one thread while no work is going on, does what cannot be shared and returns
 * how many t there are next, 65535 at most; 0: that was all. */
void fb_rounds(int (*next)(void *arg), void (*work)(void *arg, int t), void *arg);
/* Sets the number of BLAS threads, returns what it was: for LAPACK and MUMPS on large problems. It stays
 * one under a limit of the address space. */
int fb_blas_threads(int n);

/* ---- numbers that look random (random.c) ------------------------------------------------ */

uint64_t fb_mix(uint64_t k); /* spreads an index over 64 bits */
uint64_t fb_random_start(uint64_t seed);
/* Entries in (-1, 1), the same on every machine; the state goes on. */
void fb_random_fill(uint64_t *state, double *x, int64_t n);

/* ---- sparse factors (order.c, factor.c) ------------------------------------------------ */

/* Nested dissection of the graph of A (upper): perm[k] = the dof that is eliminated k-th. Dofs
 * with one label in node [n] are one vertex; NULL: dofs with equal patterns are. */
fb_status fb_order(const fb_csc *A, const int64_t *node, int64_t *perm, fb_err *e) FB_CHECKED;

typedef struct fb_factor fb_factor; /* of K - sigma M */

typedef struct {
    const int64_t *node;   /* [n] node of each dof, for the ordering; NULL: not known */
    double         memory; /* GiB a factor may take; 0: what the machine has available */
} fb_factor_opts;

typedef struct {    /* known before the numeric work */
    double nnz;     /* entries of the factor                          */
    double flops;   /* of the factorisation                           */
    double gib;     /* GiB that the factorisation will take           */
    double limit;   /* GiB it may take                                */
} fb_forecast;

/* GiB of memory that the machine has available now; 0 where it does not say. */
double fb_memory_available(void);
/* GiB that the process has in memory now; 0 where the system does not say. */
double fb_memory_used(void);
/* Orders and analyses K - sigma M (upper; M may be NULL), for the phases one by one. Refuses, with
 * the GiB needed, what would not fit. */
fb_status fb_factor_analyse(fb_factor **F, const fb_csc *K, const fb_csc *M,
                            const fb_factor_opts *opts, fb_err *e) FB_CHECKED;
fb_forecast fb_factor_forecast(const fb_factor *F);
/* L L' of K - sigma M. Where it is not positive definite, or singular to working precision: FB_ESOLVE
 * and *column (may be NULL) = the dof where it failed; -1 after other errors. */
fb_status fb_factor_numeric(fb_factor *F, const fb_csc *K, const fb_csc *M, double sigma,
                            int64_t *column, fb_err *e) FB_CHECKED;
/* Both: analyse and factorise. */
fb_status fb_factor_spd(fb_factor **F, const fb_csc *K, const fb_csc *M, double sigma,
                        const fb_factor_opts *opts, int64_t *column, fb_err *e) FB_CHECKED;
/* L D L' with 2x2 pivots, for multipliers. */
fb_status fb_factor_indefinite(fb_factor **F, const fb_csc *K, const fb_csc *M, double sigma,
                               const fb_factor_opts *opts, fb_err *e) FB_CHECKED;
/* X := (K - sigma M) \ X. X is [n x k]. */
fb_status fb_factor_solve(fb_factor *F, fb_mat *X, fb_err *e) FB_CHECKED;
/* Half solves of a definite factor, P (K - sigma M) P' = L L':
 * X := L \ P X, and X := P' (L' \ X). One after the other they are fb_factor_solve. */
fb_status fb_factor_forward(fb_factor *F, fb_mat *X, fb_err *e) FB_CHECKED;
fb_status fb_factor_backward(fb_factor *F, fb_mat *X, fb_err *e) FB_CHECKED;
/* Without P, for k <= 16 right-hand sides that are rows: R [n x (k <= 8 ? 8 : 16)], in the order of elimination,
 * zero behind the k-th column. */
fb_status fb_factor_forward_rows(fb_factor *F, double *R, int64_t k, fb_err *e) FB_CHECKED;
fb_status fb_factor_backward_rows(fb_factor *F, double *R, int64_t k, fb_err *e) FB_CHECKED;
/* [n] the dof that is eliminated k-th; NULL for a factor that is not L L'. */
const int64_t *fb_factor_order(const fb_factor *F);
/* Signs of the pivots; a definite factor has none that is negative. */
typedef struct {
    int64_t negative, zero;
} fb_inertia_count;
fb_inertia_count fb_factor_inertia(const fb_factor *F);
void             fb_factor_free(fb_factor *F);
/* Signs of the eigenvalues of K - sigma M, by a factorisation that is not kept. */
fb_status fb_inertia(const fb_csc *K, const fb_csc *M, double sigma, const fb_factor_opts *opts,
                     fb_inertia_count *count, fb_err *e) FB_CHECKED;

/* The same on the analysis of F, whose values are dropped: as dear as a definite factor, without
 * pivoting beyond a block. X [n x k], lambda ascending: modes that are known, M-orthonormal; NULL: none. *sure:
 * the factorisation holds those nearest to sigma, on their side of it; else fb_inertia must tell. */
fb_status fb_factor_count(fb_factor *F, const fb_csc *K, const fb_csc *M, double sigma, const fb_mat *X,
                          const double *lambda, fb_inertia_count *count, int *sure, fb_err *e) FB_CHECKED;

/* Versions of the sparse libraries in one line, for --version. */
void fb_sparse_version(char *out, size_t n);

/* ---- modes of sparse models (linalg/arpack.c, eig_dense.c, modes.c) ------------------------------ */

/* What an engine is given and what it returns: the roots of K x = lambda M x nearest above sigma,
 * from F, a factor of K - sigma M; K, M symmetric, M semidefinite. */
typedef struct {
    const fb_csc *K, *M;
    fb_factor    *F;
    double        sigma;
    int64_t       want;   /* roots wanted                                               */
    int64_t       room;   /* roots there may be: dofs with mass, less those found       */
    int64_t       multipliers; /* constraint rows in K: so many dofs with mass may be held */
    double        tol;    /* of the residual, relative to 1/(lambda - sigma)            */
    uint64_t      seed;   /* of the start vector                                        */
    const fb_mat *found;  /* M-orthonormal vectors to stay orthogonal to; NULL: none    */
    int64_t       n;      /* out: roots found; fewer than wanted where there are no more */
    int64_t       finite; /* out: roots that the model has; -1: not known                */
    double       *lambda; /* out: [n] ascending                                         */
    fb_mat        X;      /* out: [N x n], X'MX = I                                     */
    int64_t       solves; /* out: vectors solved for                                    */
} fb_eigjob;

typedef struct {
    const char *name;
    fb_status (*lowest)(fb_eigjob *j, fb_err *e);
    /* Doubles that it takes beside the factor: n equations, nf dofs with mass, `found` modes there; NULL:
     * not known. */
    double (*words)(int64_t n, int64_t nf, int64_t want, int64_t found);
    int definite; /* 1: it takes half solves, so no multipliers */
} fb_eigengine;

fb_status fb_eig_lanczos(fb_eigjob *j, fb_err *e) FB_CHECKED;  /* block Lanczos, the fast one        */
double    fb_eig_lanczos_words(int64_t n, int64_t nf, int64_t want, int64_t found);
fb_status fb_eig_arpack(fb_eigjob *j, fb_err *e) FB_CHECKED;   /* Lanczos, one vector: the reference */
fb_status fb_eig_explicit(fb_eigjob *j, fb_err *e) FB_CHECKED; /* all roots, by a dense matrix      */
void      fb_eigjob_free(fb_eigjob *j);                        /* the outputs                       */

typedef struct {
    int64_t        k;           /* the k lowest modes; 0: all up to fmax                   */
    double         fmax;        /* Hz, no mode above; 0: no bound                          */
    double         tol;         /* as of fb_eigjob; 0: chosen by modes.c                   */
    double         sigma;       /* shift, below every root; 0: chosen by the model         */
    const char    *engine;      /* "auto" (NULL), "lanczos", "arpack", "dense"             */
    const fb_eigengine *own;    /* an engine of the caller's; NULL: by name                */
    int            no_sturm;    /* 1: the count of the modes is not checked                */
    int64_t        multipliers; /* constraint rows in K: it is indefinite, by so many roots */
    int64_t       *column;      /* out: equation where a definite factor failed, else -1; may be NULL */
    fb_factor    **ready;       /* a factor of K, analysed with M's pattern too: taken, its shift 0 is
                                 * used; NULL: none                                        */
    fb_factor_opts factor;
} fb_eig_opts;

typedef struct {
    int64_t n;           /* modes                                                           */
    double *lambda;      /* [n] rad^2/s^2, ascending                                        */
    fb_mat  X;           /* [N x n] X'MX = I; the largest entry of each column is positive  */
    double *residual;    /* [n] ||K x - lambda M x|| / (||K|| ||x||)                        */
    double  orthogonality; /* largest entry of |X'MX - I|                                   */
    int64_t nnegative;   /* the lowest: roots below zero by more than round-off             */
    int64_t nrigid;      /* those behind them, whose strain energy is lost in round-off: lambda is 0 */
    int64_t nfinite;     /* modes that the model has; -1: not known                         */
    int64_t sturm;       /* roots below sturm_shift by inertia; -1: not checked             */
    double  sturm_shift;
    int64_t missed;      /* modes that the engine had missed and the check brought back     */
    double  sigma;       /* the shift used                                                  */
    double  cluster_tol; /* roots nearer than this, relative, are kept together             */
    int64_t solves, factors; /* vectors solved for; factorisations                          */
    struct {
        double factor, engine, count; /* for -v alone: files hold no times */
    } seconds;
    const char *engine;
    char    text[6][256]; /* sentences for /history and -v */
    int     ntext;
} fb_eig;

/* The lowest modes of K x = lambda M x. K, M upper; massless dofs allowed: their infinite modes are
 * not modes. A group of equal roots at the cut is taken whole, and no root is lost in silence. */
fb_status fb_eig_sparse(const fb_csc *K, const fb_csc *M, const fb_eig_opts *opts, fb_eig *r,
                        fb_err *e) FB_CHECKED;
void      fb_eig_free(fb_eig *r);
/* 64 eps sum rowsum_i x_i^2 with the sums of the rows of |K|: round-off in x'Kx. */
double fb_strain_noise(const double *rowsum, const double *x, int64_t n);

/* ---- units (units.c) ------------------------------------------------------------------- */

typedef enum { FB_MASS, FB_LENGTH, FB_TIME, FB_FORCE, FB_NUNIT } fb_unitkind;

/* A unit system: names ("kg") and factors to SI; factor 0 where the name is not known. */
typedef struct {
    char   name[FB_NUNIT][24];
    double factor[FB_NUNIT];
} fb_units;

/* "mass length time force": consistent, but unnamed. */
void fb_units_unnamed(fb_units *u);
/* A named system: SI, mm-t-s, ... ; the error lists them. */
fb_status fb_units_system(fb_units *u, const char *name, fb_err *e) FB_CHECKED;
/* The names it knows, between blanks. */
const char *fb_units_names(void);
/* Sets one unit from any of its spellings ("KILOGRAM", "kg"); 0 where it is not known: then the
 * name is kept and the factor is 0. */
int fb_units_set(fb_units *u, fb_unitkind k, const char *spelling);
/* The long Adams spelling of unit k ("KILOGRAM"), or its name where there is none. */
const char *fb_units_adams(const fb_units *u, fb_unitkind k);
/* "kg m^2 s^-2" from exponents; "1" for a pure number. */
void fb_units_text(const fb_units *u, const signed char exponent[FB_NUNIT], char *out, size_t n);

/* ---- the model (model.c, schema.c) ----------------------------------------------------- */

typedef enum { /* /dofs/class */
    FB_DOF_PHYSICAL, FB_DOF_GENERALIZED, FB_DOF_INTERNAL, FB_DOF_MULTIPLIER, FB_DOF_FIXED
} fb_dofclass;

typedef enum { /* /checks/kind: what is worth knowing about a dof of the input */
    FB_CHECK_NULL,       /* no stiffness, no mass: left out                              */
    FB_CHECK_SUPPORT,    /* a huge diagonal that stands for a support: left out           */
    FB_CHECK_MASSLESS,   /* stiffness, but no mass                                       */
    FB_CHECK_NEGATIVE,   /* negative mass on the diagonal, or none on a row that has some */
    FB_CHECK_UNIT,       /* 1 on the diagonal of K and M, nothing else: a constraint      */
    FB_CHECK_PART,       /* in a part that nothing joins to the largest one               */
    FB_CHECK_MULTIPLIER, /* a Lagrange multiplier                                        */
    FB_NCHECK
} fb_checkkind;

enum { FB_COMPONENT_MAX = 99 }; /* of /dofs/component */

typedef enum { /* /reduced/kind: what each generalized coordinate is */
    FB_KIND_BOUNDARY,  /* constraint mode of one boundary dof        */
    FB_KIND_NORMAL,    /* interior (fixed-interface) normal mode     */
    FB_KIND_EIGEN,     /* eigenvector of the whole body              */
    FB_KIND_ATTACHMENT /* residual or attachment vector              */
} fb_kind;

/* Everything the stream can hold; one field per row of schema.c. NULL = absent. Shapes in C
 * order, as in the file. x = T z recovers the rows of /dofs from generalized coordinates z. */
typedef struct {
    fb_units units;
    char     stage[24];                      /* the tool that wrote the file */
    char     title[132], date[36], source[132], producer[20], comment[3][84], format[24];
    char     method[24];                     /* of the reduction */

    int64_t  nn;                             /* nodes */
    int64_t *node_id;                        /* [nn]      */
    double  *xyz;                            /* [nn,3]    */
    double  *node_mass;                      /* [nn]      */
    double  *node_inertia;                   /* [nn,3,3]  */

    int64_t  ndof;                           /* dofs: rows of K, M, D, T */
    int64_t *dof_node, *dof_component, *dof_class; /* [ndof] */
    fb_csc   K, M, D;                        /* /full */

    char     matrices[256], unused[256];     /* what K, M, D are in the input, and what is left */

    int64_t  na;                             /* dofs of the input, those left out included */
    int64_t *all_node, *all_component, *all_class; /* [na] */
    fb_csc   G;                              /* [na x ndof] x_all = G x; absent: nothing left out */

    fb_csc   Ms;                             /* [nn x nn] isotropic part of M before frames; absent: no frames */

    int64_t  nk;                             /* findings about dofs of the input */
    int64_t *check_kind, *check_node, *check_component; /* [nk] */
    double  *check_value;                    /* [nk] */
    double  *asymmetry;                      /* [3] of K, M, D, relative */
    int64_t  nmotion;                        /* 3 translations, or 6 with rotations */
    double  *rigid_residual;                 /* [nmotion] of K times rigid motion, relative */
    double  *total_mass, *mass_center, *mass_inertia; /* [3], [3], [3,3] from M */

    int64_t  nb;                             /* interface dofs */
    int64_t *interface_dof;                  /* [nb] positions in /dofs */

    int64_t  nm;                             /* modes of the input */
    double  *shape, *shape_imag;             /* [nm,nn,6]; imaginary parts: absent where all are real */
    int64_t *mode_number;                    /* [nm]      */
    double  *eigen;                          /* [nm,5]    */
    double  *mode_transform;                 /* [nm,nm]   */

    int64_t  nf1, nfi;                       /* faces + 1, face indices */
    int64_t *face_offset, *face_index;       /* [nf1], [nfi] positions in /nodes */
    int64_t  ns;                             /* nodes with stress */
    int64_t *stress_node;                    /* [ns] node numbers */
    double  *stress;                         /* [nm,ns,6] xx yy zz xy xz yz */
    int64_t *stat_node;                      /* [nm,13] */
    double  *stat_value;                     /* [nm,13] */

    double  *ref_mass, *ref_com, *ref_inertia; /* scalar, [3], [3,3]: the input's own words */
    double  *ref_I[10];                      /* what the input prints, as I below; [0], [6] unused */

    int64_t  nr;                             /* order of the reduced model */
    double  *Kr, *Mr, *Dr;                   /* [nr,nr] */
    double  *T;                              /* [nr,ndof] */
    double  *V;                              /* [nr,nm] columns in terms of the input's modes */
    double  *frequency;                      /* [nr] Hz, signed, ascending */
    int64_t *kind;                           /* [nr] fb_kind */
    int64_t  nranking;
    double  *ranking;                        /* [nranking,3] of IMR */

    double  *gravity;                        /* [3,nr] T'M r for unit acceleration along x, y, z */
    int64_t  nload, *load_dof;               /* [nload] positions in /dofs */
    double  *load;                           /* [nload,nr] T'e of a unit load there */

    int64_t  nrigid;                         /* 3 translations, or 6 with rotations */
    double  *p_factor, *p_mass;              /* [nr,nrigid] of the modes of /reduced/frequency */
    double  *v_rigid_full, *v_rigid_reduced; /* [nrigid]        what can be said of the reduced body: */
    double  *v_mass_full, *v_mass_reduced;   /* [nrigid,nrigid] reduce/verdict.c */
    double  *v_definite, *v_step;            /* [3], scalar */
    int64_t *v_sturm;                        /* [2] */
    double  *v_shift;                        /* scalar */
    int64_t  nresidual, ncheck;
    double  *v_residual, *v_check;           /* [nresidual], [ncheck,2] */
    double  *v_composite, *v_deflection;     /* [4], scalar: invariants/composite.c */

    int64_t  nc;                             /* connectors */
    int64_t *connector_node;                 /* [nc] node numbers */
    double  *connector_position;             /* [nc,3]   */
    double  *connector_rotation;             /* [nc,3,3] */
    double  *connector_S, *connector_Shat;   /* [nc,3,nr] translation and rotation rows of T */

    char     mass_treatment[16];             /* of /invariants: nodal, matrix (of old: consistent, rowsum, diagonal) */
    char     invariants_rule[16];            /* version of the rule they are made by; "": 1 */
    double  *lumping_error;                  /* [3] of I4, I6, I7 */
    double  *Is[8];                          /* [2], [3], [7] of Ms alone; absent: as I */
    double  *I[12];                          /* inertia invariants I1..I11; [0] unused */
} fb_model;

/* Numbers of nodes are at most this, whatever their sign: counting on from one of them stays in range, and MATLAB's
 * doubles hold them. */
#define FB_NODE_MAX INT64_C(1000000000000000)

void fb_model_free(fb_model *b);
/* fb_plain_text for every text of the model; what an input brings passes here. */
void fb_model_plain_texts(fb_model *b);
/* Every quantity in the units of `to`; refused where the model's own are not named, and where a number overflows. */
fb_status fb_model_convert(fb_model *b, const fb_units *to, fb_err *e) FB_CHECKED;
/* Names the units of a model whose input does not; one that names others is an error. */
fb_status fb_model_name_units(fb_model *b, const char *system, fb_err *e) FB_CHECKED;
/* Internal consistency: sizes, ranges, finite numbers, unique nodes. */
fb_status fb_model_check(const fb_model *b, fb_err *e) FB_CHECKED;
/* /dofs of a body held by its nodes alone: six dofs a node, node by node. */
fb_status fb_model_nodal_dofs(fb_model *b, fb_err *e) FB_CHECKED;
/* /reduced/frequency from Kr and Mr: Hz, ascending, negative where K has a negative direction, exactly 0 where the mode is
 * rigid (fb_rigid_find); what round-off made of those is noted. NULL where coordinates are dependent: roots are fewer. */
fb_status fb_model_frequencies(fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
/* Which modes V [nr x m] of the pair b->Kr, b->Mr are rigid: motions whose strain energy lambda is lost in round-off, zeros
 * of a mechanism among them. V'Mr V = 1; lambda [m], all that the pair (or its held part) has, for the largest is a scale;
 * rigid [m] becomes 0 or 1, *n how many are 1. Looks at round-off of Kr, at that of the full stiffness b->K through the
 * shapes (b->T, else b->shape), and where there is no b->K at the shapes themselves. Every tool asks this (rigid_modes.c). */
fb_status fb_rigid_find(const fb_model *b, const double *lambda, const fb_mat *V, char *rigid, int64_t *n, fb_err *e) FB_CHECKED;
/* The roots of Kr v = lambda Mr v: rigid motion is exactly zero, coordinates that depend on others take no part
 * (roots.c). An indefinite Mr, or a coordinate without mass, is an error. */
typedef struct {
    int64_t  n, nrigid;
    int64_t *kept;    /* [n] coordinates that take part, ascending; of Kr, all nr where none is dependent */
    double  *lambda;  /* [n] ascending, rad^2/time^2; 0: rigid */
    double  *raw;     /* [n] as computed */
    fb_mat   V;       /* [nr x n], V'Mr V = I; zero rows for coordinates left out */
} fb_roots;
fb_status fb_model_roots(const fb_model *b, fb_roots *r, fb_err *e) FB_CHECKED;
void      fb_roots_free(fb_roots *r);
/* lambda as a frequency in Hz, signed; 0 for 0. */
double fb_model_hertz(const fb_model *b, double lambda);
/* Makes these nodes the connectors, at their undeformed positions, axes parallel to the body's;
 * S and Shat are emptied. */
fb_status fb_model_set_connectors(fb_model *b, const int64_t *node, int64_t n, fb_err *e) FB_CHECKED;
/* S and Shat of every connector from T (rows by node and component). */
fb_status fb_model_connectors(fb_model *b, const double *T, fb_err *e) FB_CHECKED;
/* Rigid translations and rotations about the origin, R [ndof x 6], of the dofs whose place is known; rows of the others are
 * zero, and without coordinates the rotations lack their translations (rigid.c). */
fb_status fb_model_rigid(const fb_model *b, fb_mat *R, fb_err *e) FB_CHECKED;
/* The same at all dofs, those without a place of their own by static extension, as far as that can be known. */
typedef enum {
    FB_RIGID_UNKNOWN, /* columns of zeros                                                                          */
    FB_RIGID_STRAIN,  /* the least strain of such a motion is that of R; where it moves what has no place is not known */
    FB_RIGID_KNOWN
} fb_rigid_state;
typedef struct {
    fb_mat         R;          /* [ndof x 6] translations, rotations about the origin */
    fb_rigid_state move, turn; /* of columns 0..2 and 3..5                            */
} fb_rigid_motion;
/* most: dofs without a place for which K is factorised; INT64_MAX: any number. FB_ESYS where memory fails; a K that does not
 * tell is a state, no error (rigid_motion.c). */
fb_status fb_rigid_motion_new(const fb_model *b, int64_t most, fb_rigid_motion *r, fb_err *e) FB_CHECKED;
void      fb_rigid_motion_free(fb_rigid_motion *r);
/* Ms [nn x nn] upper: the mean of the translational blocks of M over the axes that both nodes have; *axes [nn]: 1 x, 2 y,
 * 4 z (rigid.c). */
fb_status fb_model_isotropic(const fb_model *b, fb_csc *Ms, int64_t **axes, fb_err *e) FB_CHECKED;
/* Nodal masses [nn], none negative, and rotary inertias [nn,3,3] from M: the scaled diagonal, with the mass and the centre of
 * M. FB_EFORMAT where there are none. */
fb_status fb_model_lump(const fb_model *b, double **mass, double **inertia, fb_err *e) FB_CHECKED;
/* Position of a node number in /nodes, or -1. Sorted look-up table by fb_index. */
typedef struct {
    int64_t *id, *pos, n;
} fb_index;
/* Fails where a number occurs twice, with the message of `what`. */
fb_status fb_index_new(fb_index *x, const int64_t *id, int64_t n, const char *what, fb_err *e) FB_CHECKED;
int64_t   fb_index_find(const fb_index *x, int64_t id);
void      fb_index_free(fb_index *x);
/* Sorts v and drops repeated numbers; returns how many are left. */
int64_t fb_unique(int64_t *v, int64_t n);

/* Shapes T [ndof x m] coordinate by coordinate: translations and rotations of n nodes, those of slaves of frames
 * included; dofs that the input lacks are 0 (shapes.c). */
typedef struct {
    const fb_model *b; /* borrowed */
    const double   *T;
    int64_t         n, *place, *all; /* [ndof], [na] where a value goes; all NULL: no /recovery */
    double         *x;               /* [na] */
} fb_shaper;
fb_status fb_shaper_new(fb_shaper *z, const fb_model *b, const double *T, const int64_t *node, int64_t n,
                        fb_err *e) FB_CHECKED;
void      fb_shaper_column(const fb_shaper *z, int64_t k, double *y); /* [6 n] */
void      fb_shaper_free(fb_shaper *z);

/* Dofs named by the user: "1-4:123,9" (nodes, ranges, components; without components all the
 * physical dofs of the node), "nset:NAME" (a named set), "@FILE" (the same, or NODE COMPONENT, one or
 * more a line). In the order named, without duplicates (a warning says which); an unknown node or dof
 * is an error. option is for messages. */
typedef struct {
    const char    *name;
    int64_t        n;
    const int64_t *node, *component; /* [n]; component NULL: all physical dofs of the nodes */
} fb_dofgroup;
fb_status fb_dofset(const fb_model *b, const char *option, const char *list, int64_t **dof, int64_t *n,
                    fb_log *log, fb_err *e) FB_CHECKED;
/* The same with the named sets of the input, whose names are compared without case. */
fb_status fb_dofset_groups(const fb_model *b, const fb_dofgroup *group, int64_t ngroup, const char *option,
                           const char *list, int64_t **dof, int64_t *n, fb_log *log, fb_err *e) FB_CHECKED;

/* The box of n points [n,3]; of none it is the origin. Its diagonal. */
void   fb_box(const double *xyz, int64_t n, double lo[3], double hi[3]);
double fb_box_diagonal(const double *xyz, int64_t n);

/* The mass that is known of the body: R'MR, the sum of nodal masses, or as stated; 0: none is. */
double fb_total_mass(const fb_model *b);
/* Volume of the smallest of two boxes that hold the nodes, in the model's unit; 0 where they lie in a plane. */
fb_status fb_node_volume(const fb_model *b, double *V, fb_err *e) FB_CHECKED;
/* Warns where the units are known and the mass over that box is out of the range of materials (density.c). */
fb_status fb_density_check(const fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;

/* A page for people: producer, units, counts, mass, centre, inertia, frequencies, interface. */
fb_status fb_info_page(const fb_model *b, fb_buf *out, fb_err *e) FB_CHECKED;

/* ---- the stream between tools (stream.c, h5.c) ----------------------------------------- */

#define FB_FORMAT_MAJOR 1
#define FB_FORMAT_MINOR 1

/* The bytes in the pipe are one complete HDF5 file. path NULL or "-" is the standard stream,
 * spooled through a temporary file that has no name any more. */
typedef struct {
    int64_t h5;   /* HDF5 file */
    int     fd;
    int     sink;  /* where commit copies it: standard output, a device; -1: none */
    char   *path;  /* the temporary file while it has a name */
    char   *final; /* the name commit gives it; NULL: it goes to sink */
    char   *name;  /* for messages */
} fb_stream;
#define FB_STREAM_NONE {.h5 = -1, .fd = -1, .sink = -1}

fb_status fb_stream_open(fb_stream *s, const char *path, fb_err *e) FB_CHECKED;
fb_status fb_stream_create(fb_stream *s, const char *path, fb_err *e) FB_CHECKED;
fb_status fb_stream_commit(fb_stream *s, fb_err *e) FB_CHECKED; /* publish and close */
void      fb_stream_abandon(fb_stream *s);                      /* error path, or a reader */

/* Reads the datasets whose paths begin with one of `want` (NULL-terminated; NULL: all). */
fb_status fb_model_read(fb_stream *s, fb_model *b, const char *const *want, fb_err *e) FB_CHECKED;
/* Writes every dataset of b whose path begins with one of `what` (NULL: all). */
fb_status fb_model_write(fb_stream *s, const fb_model *b, const char *const *what, fb_err *e) FB_CHECKED;
/* Copies all objects of `in`, known or not, except those whose paths begin with one of `but`. */
fb_status fb_stream_pass(fb_stream *in, fb_stream *out, const char *const *but, fb_err *e) FB_CHECKED;
/* Is there an object of this path? */
int fb_stream_has(fb_stream *s, const char *path);

/* ---- HDF5 files of other programs (h5.c) ------------------------------------------------ */

enum { FB_H5_MAXRANK = 4 };

typedef struct {
    char    type; /* 'i' int64, 'd' double, 's' text of `width` bytes; written too: 'w' int64 in
                   * memory, int32 in the file, 'u' uint64 */
    int     rank;
    int64_t dim[FB_H5_MAXRANK];
    size_t  width;
} fb_h5shape;

/* Do the bytes begin as an HDF5 file does? */
int fb_is_hdf5(const void *data, size_t n);
/* Opens for reading; soft and external links are refused. A stream has exactly `size` bytes; -1: the
 * file of another program, which may have bytes before and behind its HDF5 data. */
fb_status fb_h5_open(int64_t *file, const char *path, int64_t size, const char *name,
                     fb_err *e) FB_CHECKED;
fb_status fb_h5_close(int64_t *file, fb_err *e) FB_CHECKED;
int       fb_h5_exists(int64_t file, const char *path);
/* Attributes of an object; *v is left alone where there is none. */
fb_status fb_h5_get_text(int64_t file, const char *obj, const char *attr, char *v, size_t n, fb_err *e) FB_CHECKED;
fb_status fb_h5_get_real(int64_t file, const char *obj, const char *attr, double *v, int64_t n,
                         fb_err *e) FB_CHECKED;
/* Calls fn for each member of a group, in the order of the names, until it fails. */
fb_status fb_h5_members(int64_t file, const char *group,
                        fb_status (*fn)(void *self, const char *name, int is_group, fb_err *e), void *self,
                        fb_err *e) FB_CHECKED;
/* Type 'i' or 'd', 'z' for complex numbers (a compound of real and imag), 0 for what is no number.
 * Data that cannot be in a file of file_size bytes are an error. */
fb_status fb_h5_foreign_shape(int64_t file, const char *path, int64_t file_size, fb_h5shape *sh, fb_err *e) FB_CHECKED;
/* As fb_h5_read, to int64 ('i') or double ('d'), converted; 'z': part 0 real, 1 imaginary, as double. */
fb_status fb_h5_foreign_read(int64_t file, const char *path, char type, int part, void *data, fb_err *e) FB_CHECKED;

/* ---- command line (cli.c) -------------------------------------------------------------- */

typedef enum { FB_FLAG, FB_INT, FB_REAL, FB_TEXT, FB_FILE, FB_LIST } fb_optkind;

typedef struct { /* values of an option that may be given many times */
    const char *v[64];
    int         n;
} fb_list;

typedef struct {
    const char *name;   /* long name without the dashes */
    char        letter; /* short letter, 0 for none     */
    fb_optkind  kind;
    void       *dest;   /* int*, int64_t*, double*, const char**, fb_list* */
    const char *arg;    /* placeholder, with its unit   */
    double      min, max;
    const char *help;
} fb_opt;

typedef struct { /* what the value of an option can be; names for completion */
    const char *option; /* without the dashes; "dialect@sid": where the command line says sid, too */
    const char *words;  /* between blanks */
} fb_words;

/* What a tool's run function is given. */
typedef struct {
    const char **file;  /* [nfile] positional arguments; at least one: "-" by default */
    int          nfile;
    const char  *out;   /* -o, or NULL */
    fb_log       log;
    const char  *line;  /* tool, version and arguments, for /history */
    int          strict; /* a warning withholds the output */
} fb_run;

typedef struct {
    const char   *name, *summary, *usage;
    const fb_opt *opts;       /* ends with a zero name */
    const fb_words *words;    /* ends with a zero option; NULL: no option has choices */
    int           max_files;
    int           names_inputs; /* /history names the files: they are not streams with one of their own */
    int (*data_out)(void);    /* does it write binary data, which no terminal wants? NULL: never */
    fb_status (*run)(fb_run *r, fb_err *e);
} fb_tool;

int fb_main(const fb_tool *t, int argc, char **argv);
/* The first step of fb_main: fills the destinations of the options and the line for /history (without its end);
 * the files are behind optind. *asked: the letter of an option that only wants information, else left alone. */
fb_status fb_options(const fb_tool *t, int argc, char **argv, fb_buf *line, int *asked, fb_err *e) FB_CHECKED;

/* Words that were not understood (words.c). */
typedef struct {
    const char *word; /* the nearest so far; NULL: none is near */
    int         distance;
} fb_guess;

typedef struct { /* a word of other programs, and what says the same here */
    const char *word, *write;
} fb_meant;

int  fb_word_distance(const char *a, const char *b);
void fb_nearest(const char *word, const char *known, fb_guess *g);
/* The row of the word, in any case, or NULL; the table ends with a NULL word. */
const char *fb_meaning(const fb_meant *table, const char *word);
/* FB_EUSAGE: the nearest word of an option's, if any, and those known. */
fb_status fb_unknown_word(const char *option, const char *word, const fb_guess *g, const char *known, fb_err *e);
/* The real standard output; fd 1 is turned to stderr, because CHOLMOD, XERBLA and ARPACK print
 * on fd 1. -1 once it is closed. */
extern int fb_data_fd;
/* NULL, "-" and the names that the system has for descriptor 1. */
int fb_is_standard_output(const char *path);
/* work(arg) in a child process that prints nothing and may use so many seconds of processor: what it returns (0..255),
 * the signal that ended it, negative, or FB_NO_CHILD and errno. */
enum { FB_NO_CHILD = -1000 };
int fb_in_child(int (*work)(void *arg), void *arg, int64_t seconds) FB_CHECKED;
/* Temporary files, which a signal or a crash removes. path ends in XXXXXX, which is replaced; a descriptor, or -1 and
 * errno. Main thread only. */
int fb_temporary_file(char *path) FB_CHECKED;
/* The same for a folder: 0, or -1 and errno. Its files are made known before they are made. */
int fb_temporary_folder(char *path) FB_CHECKED;
int fb_temporary_member(const char *path) FB_CHECKED;
void fb_temporary_remove(const char *path);
/* It is gone, or has its final name. */
void fb_temporary_forget(const char *path);
/* For signal handlers: removes all of them. 0: they are changing, sig is raised again when they have changed; 0 for sig:
 * whatever the state. */
int fb_temporaries_remove(int sig);

/* reduce, invariants, ...: pass everything of `in` but `but`, write `what` of b, add the line
 * and the warnings of r to /history, publish. in may be NULL (a first stage). */
fb_status fb_publish(fb_run *r, fb_stream *in, const fb_model *b, const char *const *what,
                     const char *const *but, fb_err *e) FB_CHECKED;

/* The same for output that is not a stream (text, .mnf, ...): written whole, or not at all. */
fb_status fb_publish_bytes(fb_run *r, const fb_buf *b, fb_err *e) FB_CHECKED;
/* The same for large output: opened before it is made, so that b need not hold it all. */
/* The bytes of an input in a temporary file, for libraries that want a name: *path is freed by the caller, and the file
 * removed by fb_temporary_remove. */
fb_status fb_spool_input(const fb_input *in, char **path, fb_err *e) FB_CHECKED;
fb_status fb_spool_open(fb_run *r, fb_stream *t, fb_buf *b, fb_err *e) FB_CHECKED;
fb_status fb_spool_commit(fb_run *r, fb_stream *t, fb_buf *b, fb_err *e) FB_CHECKED;

/* Output of several files: a folder, which appears whole under the name of -o, or not at all. */
typedef struct {
    char   name[64];
    fb_buf bytes;
} fb_file;

typedef struct {
    fb_file *file; /* [n] */
    int64_t  n, cap;
} fb_files;

/* An empty file at the end of the list; *out is good until the next call. */
fb_status fb_files_add(fb_files *f, const char *name, fb_buf **out, fb_err *e) FB_CHECKED;
void      fb_files_free(fb_files *f);
fb_status fb_publish_files(fb_run *r, const fb_files *f, fb_err *e) FB_CHECKED;

/* A dataset that has no row in the schema: what other programs' HDF5 layouts want. */
typedef struct {
    const char *path;
    char        type;            /* 'd' float64, 'i' int64, 'w' int32 (data are int64 too), 'u' uint64 */
    int         rank;            /* 0: a scalar */
    int64_t     dim[4];
    const void *data;
    const char *link;            /* not NULL: one more name of this dataset; type, dim and data unused */
    const char *attr[2][2];      /* text attributes: name, value; NULL: none */
    int64_t     sparse_rows;     /* > 0: the group that holds the dataset is a MATLAB sparse matrix */
} fb_array;

/* fb_publish with more datasets. */
fb_status fb_publish_with(fb_run *r, fb_stream *in, const fb_model *b, const char *const *what,
                          const char *const *but, const fb_array *more, int64_t nmore, fb_err *e) FB_CHECKED;
/* An HDF5 file of these datasets alone; matlab: a MATLAB 7.3 file. */
fb_status fb_publish_arrays(fb_run *r, const fb_array *a, int64_t n, int matlab, fb_err *e) FB_CHECKED;

/* Outputs that belong together: bytes, or an HDF5 file of arrays. None of them gets its name, and nothing goes
 * to a pipe, before all are written. */
typedef struct {
    const char     *path;  /* NULL or "-": standard output */
    const fb_buf   *bytes; /* NULL: arrays */
    const fb_array *array; /* [narray] */
    int64_t         narray;
} fb_output;
fb_status fb_publish_many(fb_run *r, const fb_output *o, int n, fb_err *e) FB_CHECKED;

/* Versions of the libraries, one line each, for --version. */
void fb_h5_version(char *out, size_t n);
void fb_blas_version(char *out, size_t n);
#endif

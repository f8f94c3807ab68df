/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matfile.c - the file that knows libmatio: MATLAB files of versions 4 and 5.
 *
 * libmatio crashes where memory lacks, and does not ask what became of what it wrote or read. So it
 * works in a child process, and errno, zero before, tells whether all calls of the system went
 * well.
 * Written  in a temporary file; the header's text has no date: the same data give the same bytes
 * Read     what a guard has found sound (mnfparse/matlab/), into memory that both processes share
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "memory.h"
#include "process.h"
#include "publish.h"
#include "matfile.h"
#include <errno.h>
#include <matio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REFUSED = 200 /* above all errno */, SECONDS = 1800 };

void fb_matfile_version(char *out, size_t n)
{
    int v[3];
    Mat_GetLibraryVersion(v, v + 1, v + 2);
    snprintf(out, n, "libmatio %d.%d.%d", v[0], v[1], v[2]);
}

/* What a child returns ... */
static int verdict(int good)
{
    return errno > 0 && errno < REFUSED ? errno : good ? 0 : REFUSED;
}

/* ... and what it means. */
static fb_status told(int got, const char *doing, fb_status refused, fb_err *e)
{
    if (got == 0)
        return FB_OK;
    if (got == FB_NO_CHILD)
        return fb_fail(e, FB_ESYS, "no process for libmatio: %s", strerror(errno));
    if (got == ENOMEM || got == -SIGKILL || got == -SIGBUS)
        return fb_fail(e, FB_ESYS, "out of memory in libmatio, %s", doing);
    if (got > 0 && got < REFUSED)
        return fb_fail(e, FB_ESYS, "libmatio, %s: %s", doing, strerror(got));
    return fb_fail(e, refused, "libmatio %s, %s",
                   got == REFUSED    ? "refuses"
                   : got == -SIGXCPU ? "takes more than half an hour"
                                     : "crashed",
                   doing);
}

/* ---- writing ---------------------------------------------------------------------------- */

static int64_t count(const fb_matvar *v)
{
    int64_t n = 1;
    for (int k = 0; k < v->rank; k++)
        n *= v->dim[k];
    return n;
}

fb_status fb_matvar_columns(const fb_matvar *v, double **out, fb_err *e)
{
    int64_t n = count(v), at[4] = {0, 0, 0, 0};
    double *y = NULL;
    FB_PASS(fb_new(&y, n, 8, v->name, e));
    if (v->by_column) {
        memcpy(y, v->x, (size_t)n * sizeof *y);
    } else {
        for (int64_t q = 0; q < n; q++) { /* q runs with the first index fastest */
            int64_t p = 0;
            for (int k = 0; k < v->rank; k++)
                p = p * v->dim[k] + at[k];
            y[q] = v->x[p];
            for (int k = 0; k < v->rank && ++at[k] == v->dim[k]; k++)
                at[k] = 0;
        }
    }
    *out = y;
    return FB_OK;
}

fb_status fb_matvar_mirror(const fb_csc *A, fb_csc *out, fb_err *e)
{
    int64_t nnz = A->p[A->n], n = 0, *i = NULL, *j = NULL;
    double *x = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&i, 2 * nnz, 8, "sparse matrix", e));
    FB_TRY(fb_new(&j, 2 * nnz, 8, "sparse matrix", e));
    FB_TRY(fb_new(&x, 2 * nnz, 8, "sparse matrix", e));
    for (int64_t c = 0; c < A->n; c++)
        for (int64_t q = A->p[c]; q < A->p[c + 1]; q++)
            for (int twin = 0, twins = A->upper && A->i[q] != c; twin <= twins; twin++) {
                i[n] = twin ? c : A->i[q];
                j[n] = twin ? A->i[q] : c;
                x[n++] = A->x[q];
            }
    s = fb_csc_from_triplets(out, A->m, A->n, n, i, j, x, 0, e);
out:
    FB_FREE(i, j, x);
    return s;
}

typedef struct { /* what libmatio is given of a variable */
    double *x;
    fb_csc A;
    mat_sparse_t parts; /* of A */
} given;

typedef struct {
    const char *path, *of_struct;
    int version;
    const fb_matvar *v;
    int64_t n;
    given *g;     /* [n] */
    matvar_t **x; /* [n], NULL, and the struct of them */
} writing;

static fb_status narrow(const int64_t *v, int64_t n, mat_uint32_t **out, fb_err *e)
{
    fb_status s = fb_new(out, n, sizeof **out, "sparse matrix", e);
    for (int64_t k = 0; !s && k < n; k++)
        (*out)[k] = (mat_uint32_t)v[k];
    return s;
}

static fb_status fits(const char *name, int64_t values, int64_t bytes, fb_err *e)
{
    return bytes <= INT32_MAX - 512
               ? FB_OK
               : fb_fail(e, FB_EFORMAT,
                         "%s has %lld values, a MATLAB 5 variable holds 2 GiB: use --to mat "
                         "--dialect 7.3",
                         name, (long long)values);
}

/* Full matrices: each by itself, or all of them as the fields of one variable. */
static fb_status all_fit(const char *of_struct, const fb_matvar *v, int64_t n, fb_err *e)
{
    int64_t values = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t own = v[k].sparse ? 0 : count(v + k);
        values = of_struct ? values + own : own;
        FB_PASS(fits(of_struct ? of_struct : v[k].name, values, 8 * values, e));
    }
    return FB_OK;
}

static fb_status give(const fb_matvar *v, given *g, fb_err *e)
{
    fb_status s = FB_OK;
    if (!v->sparse)
        return fb_matvar_columns(v, &g->x, e);
    FB_TRY(fb_matvar_mirror(v->sparse, &g->A, e));
    const int64_t nnz = g->A.p[g->A.n], columns = g->A.n;
    FB_TRY(fits(v->name, nnz, 12 * nnz + 4 * columns, e));
    g->parts = (mat_sparse_t){.nzmax = (mat_uint32_t)nnz,
                              .nir = (mat_uint32_t)nnz,
                              .njc = (mat_uint32_t)columns + 1,
                              .ndata = (mat_uint32_t)nnz,
                              .data = g->A.x};
    FB_TRY(narrow(g->A.i, nnz, &g->parts.ir, e));
    FB_TRY(narrow(g->A.p, columns + 1, &g->parts.jc, e));
out:
    return s;
}

static matvar_t *variable(const fb_matvar *v, given *g)
{
    size_t dims[4] = {1, 1, 1, 1};
    for (int k = 0; k < v->rank; k++)
        dims[k] = (size_t)v->dim[k];
    if (v->sparse)
        dims[0] = (size_t)g->A.m, dims[1] = (size_t)g->A.n;
    return Mat_VarCreate(v->name, v->sparse ? MAT_C_SPARSE : MAT_C_DOUBLE, MAT_T_DOUBLE,
                         v->rank < 2 ? 2 : v->rank, dims, v->sparse ? (void *)&g->parts : g->x,
                         MAT_F_DONT_COPY_DATA);
}

/* In the child, which frees nothing: it ends. */
static int write_all(void *arg)
{
    const writing *t = arg;
    size_t one[2] = {1, 1};
    mat_t *f = Mat_CreateVer(t->path, "MATLAB 5.0 MAT-file, Platform: flexbody",
                             t->version == 4 ? MAT_FT_MAT4 : MAT_FT_MAT5);
    matvar_t **x = t->x;
    int good = f != NULL;
    for (int64_t k = 0; good && k < t->n; k++)
        good = (x[k] = variable(t->v + k, t->g + k)) != NULL;
    if (good && t->of_struct) { /* of a list that ends with NULL */
        x += t->n + 1;
        *x = Mat_VarCreate(t->of_struct, MAT_C_STRUCT, MAT_T_STRUCT, 2, one, t->x, 0);
    }
    for (int64_t k = 0; good && k < (t->of_struct ? 1 : t->n); k++)
        good = x[k] && !Mat_VarWrite(f, x[k], MAT_COMPRESSION_NONE);
    return verdict(good && !Mat_Close(f));
}

static void take_back(given *g, int64_t n)
{
    for (int64_t k = 0; g && k < n; k++) {
        free(g[k].x);
        fb_csc_free(&g[k].A);
        FB_FREE(g[k].parts.ir, g[k].parts.jc);
    }
    free(g);
}

fb_status fb_matfile_write(fb_buf *o, int version, const char *of_struct, const fb_matvar *v,
                           int64_t n, fb_err *e)
{
    writing t = {.of_struct = of_struct, .version = version, .v = v, .n = n};
    char *path = NULL;
    int fd = -1;
    fb_input in = {0};
    fb_status s = FB_OK;
    FB_TRY(all_fit(of_struct, v, n, e));
    FB_TRY(fb_new(&t.g, n, sizeof *t.g, "variables", e));
    FB_TRY(fb_new(&t.x, n + 2, sizeof *t.x, "variables", e));
    for (int64_t k = 0; k < n; k++)
        FB_TRY(give(v + k, t.g + k, e));
    FB_TRY(fb_spool_file(&path, &fd, e));
    close(fd);
    t.path = path;
    FB_TRY(
        told(fb_in_child(write_all, &t, SECONDS), "writing a MATLAB file in TMPDIR", FB_ESYS, e));
    FB_TRY(fb_input_open(&in, path, e));
    fb_put_bytes(o, in.data, in.size);
    s = fb_buf_status(o, e);
out:
    take_back(t.g, n);
    free(t.x);
    fb_input_close(&in);
    if (path)
        fb_temporary_remove(path);
    free(path);
    return s;
}

/* ---- reading ---------------------------------------------------------------------------- */

typedef struct {
    const char *path;
    const fb_matnum *v;
    int64_t n;
} reading;

/* libmatio leaves numbers in the type of the class, those of a sparse matrix in that of the
 * file. */
static int to_doubles(const void *d, enum matio_types type, int64_t n, double *x)
{
#define OF(TYPE, number) \
    case TYPE: \
        for (int64_t k = 0; k < n; k++) \
            x[k] = (double)((const number *)d)[k]; \
        return 1
    switch (type) {
        OF(MAT_T_INT8, mat_int8_t);
        OF(MAT_T_UINT8, mat_uint8_t);
        OF(MAT_T_INT16, mat_int16_t);
        OF(MAT_T_UINT16, mat_uint16_t);
        OF(MAT_T_INT32, mat_int32_t);
        OF(MAT_T_UINT32, mat_uint32_t);
        OF(MAT_T_INT64, mat_int64_t);
        OF(MAT_T_UINT64, mat_uint64_t);
        OF(MAT_T_SINGLE, float);
        OF(MAT_T_DOUBLE, double);
    default:
        return 0;
    }
#undef OF
}

static int values(const void *d, enum matio_types type, int64_t n, const fb_matnum *v)
{
    const mat_complex_split_t *z = d;
    return !v->im ? to_doubles(d, type, n, v->re)
                  : to_doubles(z->Re, type, n, v->re) && to_doubles(z->Im, type, n, v->im);
}

static int read_one(mat_t *f, matvar_t *x, const fb_matnum *v)
{
    if (Mat_VarReadDataAll(f, x) || !x->data)
        return 0;
    if (!v->sparse)
        return values(x->data, x->data_type, v->m * v->n, v);
    const mat_sparse_t *s = x->data;
    if (s->njc < v->n + 1 || s->nir < v->nnz || s->ndata < v->nnz)
        return 0;
    for (int64_t k = 0; k <= v->n; k++)
        v->start[k] = s->jc[k];
    for (int64_t k = 0; k < v->nnz; k++)
        v->row[k] = s->ir[k];
    return values(s->data, x->data_type, v->nnz, v);
}

static int read_all(void *arg)
{
    const reading *t = arg;
    mat_t *f = Mat_Open(t->path, MAT_ACC_RDONLY);
    int good = f != NULL;
    for (int64_t k = 0; good && k < t->n; k++) {
        const fb_matnum *v = t->v + k;
        if (v->sparse && v->nnz == 0)
            continue;
        matvar_t *x = Mat_VarReadNextInfo(f);
        if (x && v->entries) /* which need not be in order, nor doubles, as libmatio thinks */
            x->class_type = MAT_C_DOUBLE;
        good = x && x->rank == 2 && x->dims[0] == (size_t)v->m && x->dims[1] == (size_t)v->n &&
               !x->isComplex == !v->im && read_one(f, x, v);
        Mat_VarFree(x);
    }
    return verdict((!f || !Mat_Close(f)) && good);
}

fb_status fb_matfile_read(const char *path, fb_matnum *v, int64_t n, fb_matmem *memory, fb_err *e)
{
    reading t = {path, v, n};
    int64_t words = 1;
    for (int64_t k = 0; k < n; k++)
        words += v[k].sparse ? v[k].n + 1 + v[k].nnz * (2 + v[k].complex)
                             : v[k].m * v[k].n * (1 + v[k].complex);
    const size_t size = (size_t)words * sizeof(double);
    double *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return fb_fail(e, FB_ESYS, "out of memory: variables of %.3g MB", (double)size / 1e6);
    *memory = (fb_matmem){at, size};
    for (int64_t k = 0; k < n; k++) {
        const int64_t each = v[k].sparse ? v[k].nnz : v[k].m * v[k].n;
        v[k].re = at;
        v[k].im = v[k].complex ? at + each : NULL;
        at += each * (1 + v[k].complex);
        v[k].row = (int64_t *)(void *)at;
        v[k].start = v[k].row + v[k].nnz;
        at += v[k].sparse ? v[k].nnz + v[k].n + 1 : 0;
    }
    return told(fb_in_child(read_all, &t, SECONDS), "reading a MATLAB file", FB_EFORMAT, e);
}

void fb_matfile_free(fb_matmem *memory)
{
    if (memory->p)
        munmap(memory->p, memory->size);
    *memory = (fb_matmem){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nastran readers on real exports: every file of the shared set against its table of checksums. */
#include "mnfparse/reader.h"
#include "tests/suites.h"
#include <math.h>

typedef struct {
    fb_parts  p;
    fb_log    log;
    fb_err    e;
    fb_status s;
    char      format[24];
} result;

static void quiet(void *self, int warning, const char *text)
{
    (void)self;
    (void)warning;
    (void)text;
}

static void read_input(result *r, const fb_input *in)
{
    const fb_reader *rd = NULL;
    r->log.sink = quiet;
    r->s = fb_reader_find(in, NULL, &rd, &r->e);
    if (!r->s) {
        snprintf(r->format, sizeof r->format, "%s", rd->name);
        r->s = rd->read(in, &r->p, &r->log, &r->e);
    }
}

static void read_path(result *r, const char *path)
{
    fb_input in = {0};
    r->s = fb_input_open(&in, path, &r->e);
    if (!r->s)
        read_input(r, &in);
    fb_input_close(&in);
}

static void release(result *r)
{
    fb_parts_free(&r->p);
    fb_log_free(&r->log);
    *r = (result){0};
}

/* ---- the table of checksums --------------------------------------------------------------- */

typedef struct {
    char    name[80];
    int64_t rows, cols, stored, nnz;
    double  fro;
} sum;

static int number_after(const char *text, const char *key, double *v)
{
    const char *at = strstr(text, key);
    if (!at)
        return 0;
    *v = strtod(at + strlen(key), NULL);
    return 1;
}

/* "   KXX 32 32 form6 ... stored=584 nnz=584 fro=..." or "   DMIG KAAX form6 ... dense=10x10 ..." */
static int parse_sum(const char *line, sum *w)
{
    double stored, nnz, fro;
    long long m, n;
    const char *dense = strstr(line, " dense=");
    *w = (sum){0};
    if (!number_after(line, " stored=", &stored) || !number_after(line, " nnz=", &nnz) || !number_after(line, " fro=", &fro))
        return 0;
    if (!strncmp(line, "   DMIG ", 8)) {
        if (!dense || sscanf(dense, " dense=%lldx%lld", &m, &n) != 2 || sscanf(line + 8, "%79s", w->name) != 1)
            return 0;
    } else if (sscanf(line, "%79s %lld %lld", w->name, &m, &n) != 3) {
        return 0;
    }
    if (!strcmp(w->name, "(blank)"))
        w->name[0] = 0;
    w->rows = m;
    w->cols = n;
    w->stored = (int64_t)stored;
    w->nnz = (int64_t)nnz;
    w->fro = fro;
    return 1;
}

static void measure(const fb_matrix *m, int64_t *nnz, double *fro)
{
    double sq = 0;
    *nnz = 0;
    for (int64_t j = 0; j < m->A.n; j++)
        for (int64_t q = m->A.p[j]; q < m->A.p[j + 1]; q++) {
            double im = m->imag ? m->imag[q] : 0, v = m->A.x[q] * m->A.x[q] + im * im;
            int twice = m->A.upper && m->A.i[q] != j;
            sq += v * (1 + twice);
            *nnz += (v != 0) * (1 + twice);
        }
    *fro = sqrt(sq);
}

static double entry(const fb_matrix *m, int64_t i, int64_t j, double *im)
{
    *im = 0;
    if (m->A.upper && i > j) {
        int64_t t = i;
        i = j;
        j = t;
    }
    for (int64_t q = m->A.p[j]; q < m->A.p[j + 1]; q++)
        if (m->A.i[q] == i) {
            *im = m->imag ? m->imag[q] : 0;
            return m->A.x[q];
        }
    return 0;
}

/* "(1,1)=434961.123333164" and "(19,1)=0+2628.69548327057i" behind the norm. */
static void check_first(const char *line, const fb_matrix *m, const char *where)
{
    const char *at = strstr(line, " fro=");
    while (at && !strstr(line, " DMIG ") && (at = strchr(at, '(')) != NULL) {
        long long i, j;
        char *end;
        double im = 0, got_im;
        if (sscanf(at, "(%lld,%lld)=", &i, &j) != 2)
            break;
        at = strchr(at, '=') + 1;
        double re = strtod(at, &end);
        if (*end == '+' || *end == '-')
            im = strtod(end, &end);
        double got = entry(m, i - 1, j - 1, &got_im);
        ck_assert_msg(fabs(got - re) <= 1e-14 * fabs(re) && fabs(got_im - im) <= 1e-14 * fabs(im),
                      "%s: %s(%lld,%lld) is %.15g%+.15gi, wanted %.15g%+.15gi", where, m->name, i, j, got, got_im, re, im);
    }
}

static void check_sum(const char *line, const sum *w, const fb_matrix *m, const char *where)
{
    int64_t nnz;
    double fro;
    measure(m, &nnz, &fro);
    ck_assert_msg(!strcmp(m->name, w->name), "%s: matrix %s, wanted %s", where, m->name, w->name);
    ck_assert_msg(m->A.m == w->rows && m->A.n == w->cols, "%s: %s is %lld by %lld, wanted %lld by %lld", where, w->name,
                  (long long)m->A.m, (long long)m->A.n, (long long)w->rows, (long long)w->cols);
    ck_assert_msg(nnz == w->nnz, "%s: %s has %lld entries, wanted %lld", where, w->name, (long long)nnz, (long long)w->nnz);
    ck_assert_msg(m->stored == w->stored, "%s: %s stores %lld, wanted %lld", where, w->name, (long long)m->stored,
                  (long long)w->stored);
    ck_assert_msg(fabs(fro - w->fro) <= 1e-12 * w->fro, "%s: %s has norm %.14e, wanted %.14e", where, w->name, fro, w->fro);
    check_first(line, m, where);
}

/* "   null: PA 29x1 f2 t2; BXX 1x1 f6 t2": absent where 1x1, else there without entries. */
static void check_null(const char *line, const result *r, const char *where)
{
    for (const char *at = strchr(line, ':'); at; at = strchr(at + 1, ';')) {
        char name[80];
        long long m, n;
        int found = 0;
        if (sscanf(at + 1, " %79s %lldx%lld", name, &m, &n) != 3)
            break;
        for (int64_t k = 0; k < r->p.nmatrix; k++) {
            const fb_matrix *x = r->p.matrix + k;
            found |= !strcmp(x->name, name) && x->A.m == m && x->A.n == n && x->A.p[n] == 0;
        }
        ck_assert_msg((m == 1 && n == 1) ? !found : found, "%s: null matrix %s", where, name);
    }
}

START_TEST(checksums)
{
    const char *path = shared_file("nastran/CHECKSUMS.txt");
    char *line = NULL, file[512] = "", full[1024];
    size_t cap = 0;
    ssize_t len;
    int64_t next = 0, nfile = 0, nmatrix = 0, refused = 0;
    result r = {0};
    sum w;
    FILE *f = path ? fopen(path, "r") : NULL;
    if (!f)
        return;
    while ((len = getline(&line, &cap, f)) >= 0) {
        for (ssize_t k = 0; k < len; k++) /* a name of set 11 has NULs */
            line[k] = line[k] ? line[k] : ' ';
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (line[0] != ' ') {
            ck_assert_msg(nfile == 0 || r.s != FB_OK || next <= r.p.nmatrix, "%s", file);
            release(&r);
            sscanf(line, "%511s", file);
            snprintf(full, sizeof full, "nastran/%s", file);
            path = shared_file(full);
            ck_assert_msg(path != NULL, "%s is missing", full);
            read_path(&r, path);
            if (strncmp(file, "21_", 3))
                ck_assert_msg(r.s == FB_OK, "%s: %s", file, r.e.msg);
            next = 0;
            nfile++;
            continue;
        }
        if (strstr(line, "rejected: ") || strstr(line, "ERROR ")) {
            char at[32] = "";
            sscanf(strstr(line, " at "), " at %31s", at);
            ck_assert_msg(r.s == FB_EFORMAT && strstr(r.e.msg, at), "%s: status %d, %s (wanted byte %s)", file, r.s, r.e.msg, at);
            refused++;
        } else if (strstr(line, " null: ")) {
            check_null(line, &r, file);
        } else if (parse_sum(line, &w)) {
            while (next < r.p.nmatrix && r.p.matrix[next].stored == 0)
                next++;
            ck_assert_msg(next < r.p.nmatrix, "%s: no matrix for %s", file, w.name);
            check_sum(line, &w, r.p.matrix + next++, file);
            nmatrix++;
        }
    }
    fclose(f);
    free(line);
    release(&r);
    ck_assert_int_eq(nfile, 50);
    ck_assert_int_eq(refused, 2);
    ck_assert_int_gt(nmatrix, 150);
}
END_TEST

Suite *suite_nastran(void)
{
    Suite *s = suite_create("nastran");
    TCase *t = tcase_create("real files");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, checksums);
    suite_add_tcase(s, t);
    return s;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_behind.c - what stands in memory behind a file is no part of it: every reader takes each
 * corpus file, whole and cut, in the same way whatever follows its last byte. */
#include "mnfparse/reader.h"
#include "tests/suites.h"
#include <dirent.h>
#include <stdio.h>

enum { CUTS = 64, MOST = 1 << 20, TAIL = 64 };

/* A sum that any number read from behind the end would change. */
static double sum_of(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; x && k < n; k++)
        sum += x[k] * (1 + 1e-3 * (double)(k % 977));
    return sum;
}

static double sum_of_ints(const int64_t *x, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; x && k < n; k++)
        sum += (double)x[k] * (1 + 1e-3 * (double)(k % 977));
    return sum;
}

static void digest(const fb_parts *p, double out[12])
{
    const fb_model *b = &p->body;
    out[0] = (double)p->nmatrix;
    for (int64_t k = 0; k < p->nmatrix; k++) {
        const fb_matrix *m = p->matrix + k;
        const int64_t nnz = m->A.p ? m->A.p[m->A.n] : 0;
        out[1] += sum_of(m->A.x, nnz) + sum_of(m->imag, nnz) + m->role;
        out[2] += sum_of_ints(m->A.i, nnz) + (double)(m->A.m + m->A.n);
        out[3] += sum_of_ints(m->row.node, m->A.m) + sum_of_ints(m->row.component, m->A.m);
    }
    out[4] = (double)(p->nn + p->nset + p->ntable + p->norder);
    out[5] = sum_of_ints(p->node_id, p->nn) + sum_of(p->xyz, 3 * p->nn);
    for (int64_t k = 0; k < p->nset; k++)
        out[6] += sum_of_ints(p->set[k].node, p->set[k].n);
    out[7] = sum_of_ints(p->table.node, p->ntable) + sum_of_ints(p->table.component, p->ntable);
    out[8] = sum_of(b->xyz, 3 * b->nn) + sum_of_ints(b->node_id, b->nn);
    out[9] = sum_of(b->shape, 6 * b->nm * b->nn) + sum_of(b->eigen, 5 * b->nm);
    out[10] = sum_of(b->Kr, b->nr * b->nr) + sum_of(b->Mr, b->nr * b->nr);
    out[11] = sum_of(b->stress, 6 * b->nm * b->ns) + sum_of(b->node_mass, b->nn);
}

static fb_status read_before(const fb_reader *r, const unsigned char *file, size_t n, char with,
                             double sum[12], fb_err *e)
{
    char name[] = "file";
    unsigned char *copy = malloc(n + TAIL);
    fb_parts p = {0};
    fb_log log = {0};
    memcpy(copy, file, n);
    memset(copy + n, with, TAIL);
    const fb_input in = {.data = copy, .size = n, .name = name};
    *e = (fb_err){0};
    const fb_status s = n ? r->read(&in, &p, &log, e) : FB_OK;
    memset(sum, 0, 12 * sizeof *sum);
    if (!s) /* else arrays may be part of what their counts tell */
        digest(&p, sum);
    sum[0] += r->sniff(&in) * 1000;
    fb_parts_free(&p);
    fb_log_free(&log);
    free(copy);
    return s;
}

static void one_file(const fb_reader *r, const char *path)
{
    static unsigned char file[MOST];
    static const char behind[] = "7\n-,*";
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    const size_t all = fread(file, 1, MOST, f);
    fclose(f);
    for (size_t k = 0; k <= CUTS; k++) {
        const size_t n = all * k / CUTS;
        double want[12], is[12];
        fb_err first, e;
        const fb_status s = read_before(r, file, n, 0, want, &first);
        for (const char *c = behind; *c; c++) {
            ck_assert_msg(read_before(r, file, n, *c, is, &e) == s && !strcmp(e.msg, first.msg),
                          "%s, %zu bytes before '%c': '%s', '%s' wanted", path, n, *c, e.msg,
                          first.msg);
            for (int q = 0; q < (s == FB_OK ? 12 : 0); q++) /* what is refused is half filled */
                ck_assert_msg(is[q] == want[q],
                              "%s, %zu bytes before '%c': sum %d is %.17g, %.17g wanted", path, n,
                              *c, q, is[q], want[q]);
        }
    }
}

START_TEST(what_follows_a_file_does_not_matter)
{
    const fb_reader *r = fb_readers[_i];
    char folder[100], path[400];
    int n = 0;
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", r->name);
    DIR *d = opendir(folder);
    if (!d) { /* named otherwise there, or run from another folder */
        ck_assert_msg(!opendir("tests/fuzz/corpus"), "no corpus of %s", r->name);
        return;
    }
    for (struct dirent *f; (f = readdir(d));) {
        if (f->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        one_file(r, path);
        n++;
    }
    closedir(d);
    ck_assert_int_gt(n, 0);
}
END_TEST

Suite *suite_behind(void)
{
    Suite *s = suite_create("behind");
    TCase *t = tcase_create("readers");
    int n = 0;
    while (fb_readers[n])
        n++;
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, what_follows_a_file_does_not_matter, 0, n);
    suite_add_tcase(s, t);
    return s;
}

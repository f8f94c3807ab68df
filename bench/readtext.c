/* SPDX-License-Identifier: GPL-3.0-or-later */
/* readtext.c - one reader alone on one file, for text.sh: "cpu-seconds entries bytes-of-the-matrix
 * nonzeros", the last those of the whole matrix, where only a half is stored. */
#include "flexbody.h"
#include "mnfparse/reader.h"
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* a core's time, whoever else is at work */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    fb_input in = {0};
    fb_parts p = {0};
    fb_log log = {0};
    fb_err e = {0};
    const fb_reader *r = NULL;
    (void)fb_threads(); /* as the tools do: no thread of BLAS looks for work meanwhile */
    const double start = now();
    fb_status s = fb_input_open(&in, argc > 1 ? argv[1] : "-", &e);
    s = s ? s : fb_reader_find(&in, NULL, &r, &e);
    s = s ? s : r->read(&in, &p, &log, &e);
    if (s || p.nmatrix < 1) {
        fprintf(stderr, "readtext: %s\n", s ? e.msg : "no matrix");
        return 1;
    }
    const fb_csc *A = &p.matrix[0].A;
    const double seconds = now() - start;
    long long whole = (long long)A->p[A->n];
    for (int64_t j = 0; A->upper && j < A->n;
         j++) /* the last of a column is the diagonal, if it has one */
        whole += A->p[j + 1] - A->p[j] - (A->p[j + 1] > A->p[j] && A->i[A->p[j + 1] - 1] == j);
    printf("%.3f %lld %lld %lld\n", seconds, (long long)A->p[A->n],
           (long long)(16 * A->p[A->n] + 8 * A->n), whole);
    fb_parts_free(&p);
    fb_input_close(&in);
    fb_log_free(&log);
    return 0;
}

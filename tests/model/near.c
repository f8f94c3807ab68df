/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>
#include <stdio.h>

void near_all(const double *got, const double *want, int64_t n, double tol, const char *what)
{
    double top = 0;
    for (int64_t k = 0; k < n; k++)
        top = fmax(top, fabs(want[k]));
    for (int64_t k = 0; k < n; k++)
        ck_assert_msg(fabs(got[k] - want[k]) <= tol * top, "%s[%d]: %.15g, %.15g wanted", what,
                      (int)k, got[k], want[k]);
}

void result_refused(const result *r, const char *words)
{
    ck_assert_msg(r->s == FB_EFORMAT && strstr(r->e.msg, words), "status %d, \"%s\", wanted \"%s\"",
                  r->s, r->e.msg, words);
}

fb_status read_exactly(const fb_reader *r, const char *name, const void *d, size_t n, fb_parts *p,
                       fb_log *log, fb_err *e)
{
    unsigned char *copy = malloc(n + !n); /* a sanitizer sees any byte too many */
    char own[64];
    memcpy(copy, d, n);
    snprintf(own, sizeof own, "%s", name);
    fb_input in = {.data = copy, .size = n, .name = own};
    fb_status s = r->read(&in, p, log, e);
    free(copy);
    return s;
}

double entry_at(const fb_csc *A, int64_t i, int64_t j)
{
    for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
        if (A->i[q] == i)
            return A->x[q];
    return 0;
}

const char *shared_reference(void)
{
    static char text[1 << 16];
    const char *path = shared_file("abaqus/REFERENCE.txt");
    FILE *f = path ? fopen(path, "r") : NULL;
    if (!f)
        return NULL;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

void result_free(result *r)
{
    fb_parts_free(&r->p);
    fb_log_free(&r->log);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* csv.c - a matrix as text: a row a line, numbers between commas, semicolons or blanks; lines of #
 * % ! are comments. The name of the file is the variable's. */
#include "mat.h"
#include "memory.h"
#include "reader.h"
#include "text/lines.h"
#include <stdio.h>
#include <stdlib.h>

void fb_mat_stem(const char *path, char name[64])
{
    const char *base = fb_base_name(path);
    snprintf(name, 64, "%.*s", (int)strcspn(base, "."), base);
}

/* The next line with numbers; 0 at the end. */
static int next_row(fb_lines *l)
{
    while (fb_next_line(l)) {
        if (*l->p != '#' && *l->p != '%' && *l->p != '!')
            return 1;
        fb_end_line(l);
    }
    return 0;
}

/* The numbers of the line at hand, the first `most` into x; -1 where one is none. */
static int64_t numbers(const fb_lines *l, double *x, int64_t most)
{
    const char *end = fb_trim_end(l->p, fb_line_end(l->p, l->end)), *p = l->p;
    int64_t n = 0;
    while (p < end) {
        double v;
        p = fb_scan_real(fb_skip_blanks(p, end), end, &v);
        if (!p)
            return -1;
        if (n < most)
            x[n] = v;
        n++;
        const char *q = fb_skip_blanks(p, end);
        if (q < end && (*q == ',' || *q == ';'))
            q++;
        if (q == p && p < end)
            return -1;
        p = q;
    }
    return n;
}

/* As many rows as the first one has numbers, five or more: fewer are tables or entries. */
static int sniff(const fb_input *in)
{
    fb_lines l = fb_lines_head(in);
    const size_t size = in->size;
    if (!next_row(&l) || (size > 65536 && fb_line_end(l.p, l.end) == l.end))
        return 0;
    return numbers(&l, NULL, 0) > 4;
}

static fb_status variables(fb_mat_file *r, const fb_input *in, fb_err *e)
{
    fb_lines l = fb_lines_of(in);
    char name[64];
    double *x = NULL, *t = NULL;
    int64_t n, m = 0, cap = 0;
    fb_status s = FB_OK;
    fb_mat_stem(in->name, name);
    if (!next_row(&l) || (n = numbers(&l, NULL, 0)) < 1)
        return fb_line_fail(e, &l, l.p, "numbers between commas are wanted");
    for (; next_row(&l); m++, fb_end_line(&l)) {
        FB_TRY(fb_grow(&x, &cap, (m + 1) * n, sizeof *x, e));
        const int64_t got = numbers(&l, x + m * n, n);
        if (got != n)
            FB_TRY(fb_line_fail(e, &l, l.p,
                                got < 0 ? "numbers between commas are wanted"
                                        : "%lld numbers, the first row has %lld",
                                (long long)got, (long long)n));
    }
    FB_TRY(fb_new(&t, m * n, sizeof *t, "a matrix", e));
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            t[i + j * m] = x[i * n + j];
    s = fb_mat_full(r, &(fb_mat_array){name, m, n, t, NULL}, e);
out:
    FB_FREE(x, t);
    return s;
}

static fb_status read_csv(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    return fb_mat_read(in, p, variables, log, e);
}

const fb_reader fb_reader_csv = {
    .name = "csv",
    .doc = "matrix as text, a row a line",
    .sniff = sniff,
    .read = read_csv,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem.c - the .fem file of MBDyn's modal joint, text.
 *
 * Layout   record groups, each after a line that begins `** RECORD GROUP n` in column 1; lines
 *          between the records are skipped, numbers are free format. 1 header: one comment line,
 *          then `REV nodes normal attachment constraint rejected`; 2 node labels; 3, 4 initial
 *          values; 5, 6, 7 coordinates; 8 shapes, one header line a mode; 9 mass, 10 stiffness, 13
 *          damping; 11 nodal masses m m m Jx Jy Jz; 12 mass, centre, inertia about the centre; 14
 *          I3, 15 I4, 16 -I8, 17 I5, 18 I9. Record 19 (stress stiffening) is named and left.
 * Invariants  12 with 14..18 is the whole set: I2, I7 by the parallel axes, I6 = M, and
 *   (FEM.1)  (I10_ab)_k = (I8_k)_ba - d_ab tr(I8_k)/2
 *   (FEM.2)  (I11_ab)_kl = (I9_kl)_ba - d_ab tr(I9_kl)/2
 * Source   MBDyn input manual, appendix "Modal Element Data"
 */
#include "memory.h"
#include "text/lines.h"
#include "reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    fb_lines l;
    fb_model *b;
    fb_log *log;
    int64_t nm; /* modes; -1 before record 1 */
    int seen[32];
} state;

static const char mark[] = "** RECORD GROUP";

/* ---- lines and numbers -------------------------------------------------------------------- */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static void skip_blanks(state *t)
{
    while (t->l.p < t->l.end && is_blank(*t->l.p))
        t->l.p++;
}

static fb_status number(state *t, int record, double *x, fb_err *e)
{
    skip_blanks(t);
    const char *q = fb_scan_real(t->l.p, t->l.end, x);
    if (!q || (q < t->l.end && !is_blank(*q)))
        return fb_fail(e, FB_EFORMAT, "line %lld, record %d: a number is wanted%s",
                       fb_line_number(&t->l, t->l.p), record,
                       t->l.p == t->l.end ? ", the file ends" : "");
    t->l.p = q;
    return FB_OK;
}

static fb_status numbers(state *t, int record, double *x, int64_t n, fb_err *e)
{
    for (int64_t k = 0; k < n; k++)
        FB_PASS(number(t, record, x + k, e));
    return FB_OK;
}

/* Room for n numbers; each takes two bytes of text at least, so the file bounds the memory. */
static fb_status array(state *t, int record, double **x, int64_t n, fb_err *e)
{
    if (n > (t->l.end - t->l.p) / 2 + 1)
        return fb_fail(
            e, FB_EFORMAT, "line %lld, record %d: %lld numbers are wanted, %lld bytes are left",
            fb_line_number(&t->l, t->l.p), record, (long long)n, (long long)(t->l.end - t->l.p));
    free(*x);
    *x = NULL;
    return fb_new(x, n, 8, "a record", e);
}

static fb_status filled(state *t, int record, double **x, int64_t n, fb_err *e)
{
    fb_status s = array(t, record, x, n, e);
    return s ? s : numbers(t, record, *x, n, e);
}

/* ---- records ------------------------------------------------------------------------------ */

static fb_status header(state *t, fb_err *e)
{
    int64_t v[5];
    fb_end_line(&t->l); /* exactly one comment line */
    skip_blanks(t);
    while (t->l.p < t->l.end && !is_blank(*t->l.p)) /* REV0 */
        t->l.p++;
    for (int k = 0; k < 5; k++) {
        skip_blanks(t);
        const char *q = fb_scan_int(t->l.p, t->l.end, v + k);
        if (!q || v[k] < 0 || v[k] > INT32_MAX)
            return fb_fail(e, FB_EFORMAT, "line %lld, record 1: five counts are wanted",
                           fb_line_number(&t->l, t->l.p));
        t->l.p = q;
    }
    t->b->nn = v[0];
    t->nm = v[1] + v[2] + v[3] - v[4];
    if (t->b->nn < 1 || t->nm < 1)
        return fb_fail(e, FB_EFORMAT,
                       "record 1: %lld nodes and %lld modes; at least one of each is wanted",
                       (long long)t->b->nn, (long long)t->nm);
    t->b->nm = t->b->nr = t->nm;
    return FB_OK;
}

/* code_aster calls node 5 N5. */
static int is_named(const char *p, const char *end)
{
    return end - p > 1 && (*p == 'N' || *p == 'n') && p[1] >= '0' && p[1] <= '9';
}

static fb_status labels(state *t, fb_err *e)
{
    fb_model *b = t->b;
    if (b->nn > (t->l.end - t->l.p) / 2 + 1)
        return fb_fail(e, FB_EFORMAT, "record 2: %lld labels are wanted, %lld bytes are left",
                       (long long)b->nn, (long long)(t->l.end - t->l.p));
    fb_status s = fb_new(&b->node_id, b->nn, 8, "node labels", e);
    for (int64_t k = 0; !s && k < b->nn; k++) {
        skip_blanks(t);
        const char *start = t->l.p,
                   *q = fb_scan_int(start + is_named(start, t->l.end), t->l.end, b->node_id + k);
        while (t->l.p < t->l.end && !is_blank(*t->l.p))
            t->l.p++;
        if (q != t->l.p || start == t->l.p)
            s = fb_fail(e, FB_EFORMAT,
                        "line %lld, record 2: label '%.*s': only numbers are understood as node "
                        "labels, and "
                        "N1, N2, ... of code_aster",
                        fb_line_number(&t->l, start),
                        (int)(t->l.p - start < 40 ? t->l.p - start : 40), start);
    }
    return s;
}

static fb_status coordinates(state *t, int axis, fb_err *e)
{
    fb_model *b = t->b;
    fb_status s = b->xyz ? FB_OK : array(t, 5 + axis, &b->xyz, 3 * b->nn, e);
    for (int64_t k = 0; !s && k < b->nn; k++)
        s = number(t, 5 + axis, b->xyz + 3 * k + axis, e);
    return s;
}

static fb_status mode_shapes(state *t, fb_err *e)
{
    fb_model *b = t->b;
    if (t->nm > (t->l.end - t->l.p) / 2 / (6 * b->nn) + 1)
        return fb_fail(e, FB_EFORMAT,
                       "record 8: %lld modes of %lld nodes do not fit into the %lld bytes left",
                       (long long)t->nm, (long long)b->nn, (long long)(t->l.end - t->l.p));
    fb_status s = fb_new(&b->shape, t->nm * b->nn * 6, 8, "mode shapes", e);
    for (int64_t k = 0; !s && k < t->nm; k++) {
        const char *line = t->l.p;
        fb_end_line(&t->l);
        if (line + 2 <= t->l.end && memcmp(line, "**", 2) && !is_blank(*line))
            return fb_fail(e, FB_EFORMAT,
                           "line %lld, record 8: mode %lld wants one header line that is empty or "
                           "begins with '**'",
                           fb_line_number(&t->l, line), (long long)k + 1);
        s = numbers(t, 8, b->shape + k * b->nn * 6, b->nn * 6, e);
        if (!s)
            fb_end_line(&t->l);
    }
    return s;
}

static fb_status nodal_masses(state *t, fb_err *e)
{
    fb_model *b = t->b;
    int64_t uneven = 0;
    FB_PASS(array(t, 11, &b->node_mass, b->nn, e));
    FB_PASS(fb_new(&b->node_inertia, 9 * b->nn, 8, "nodal inertias", e));
    for (int64_t p = 0; p < b->nn; p++) {
        double v[6];
        FB_PASS(numbers(t, 11, v, 6, e));
        uneven += v[1] != v[0] || v[2] != v[0];
        b->node_mass[p] = v[0];
        for (int c = 0; c < 3; c++)
            b->node_inertia[9 * p + 4 * c] = v[3 + c];
    }
    if (uneven)
        fb_warn(t->log,
                "record 11: %lld nodes have masses that differ by direction; the first is taken, "
                "as MBDyn does",
                (long long)uneven);
    return FB_OK;
}

/* Record 12: what the file says goes to /reference, about the origin and with Adams' signs. */
static fb_status rigid_body(state *t, fb_err *e)
{
    fb_model *b = t->b;
    double J[9];
    FB_PASS(filled(t, 12, &b->ref_mass, 1, e));
    FB_PASS(filled(t, 12, &b->ref_com, 3, e));
    FB_PASS(numbers(t, 12, J, 9, e));
    FB_PASS(fb_new(&b->I[1], 1, 8, "I1", e));
    FB_PASS(fb_new(&b->I[2], 3, 8, "I2", e));
    FB_PASS(fb_new(&b->I[7], 9, 8, "I7", e));
    FB_PASS(fb_new(&b->ref_inertia, 9, 8, "inertia", e));
    const double m = b->ref_mass[0], *c = b->ref_com, cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    b->I[1][0] = m;
    for (int a = 0; a < 3; a++) {
        b->I[2][a] = m * c[a];
        for (int d = 0; d < 3; d++) {
            double v = J[3 * a + d] + m * ((a == d) * cc - c[a] * c[d]);
            b->I[7][3 * a + d] = v;
            b->ref_inertia[3 * a + d] = a == d ? v : -v;
        }
    }
    return FB_OK;
}

/* Records 14 and 15 in the shape of the model; 16, 17, 18 row by row into it. */
static fb_status coupling(state *t, int record, fb_err *e)
{
    static const int which[] = {3, 4, 8, 5, 9};
    int64_t m = t->nm;
    int k = which[record - 14];
    double **x = &t->b->I[k];
    if (m > INT32_MAX / 16)
        return fb_fail(e, FB_EFORMAT, "record %d: %lld modes are too many", record, (long long)m);
    if (record < 16)
        return filled(t, record, x, 3 * m, e);
    fb_status s = array(t, record, x,
                        record == 16   ? 9 * m
                        : record == 17 ? 3 * m * m
                                       : 9 * m * m,
                        e);
    for (int a = 0; !s && a < 3; a++)
        for (int64_t i = 0; !s && i < m; i++)
            for (int64_t j = 0; !s && j < (record == 16 ? 1 : m); j++)
                for (int c = 0; !s && c < (record == 17 ? 1 : 3); c++) {
                    double v = 0;
                    s = number(t, record, &v, e);
                    if (record == 16)
                        (*x)[9 * i + 3 * a + c] = 0 - v;
                    else if (record == 17)
                        (*x)[(3 * i + a) * m + j] = v;
                    else
                        (*x)[9 * (i * m + j) + 3 * a + c] = v;
                }
    return s;
}

static fb_status body_of(state *t, int record, fb_err *e)
{
    fb_model *b = t->b;
    const int64_t m = t->nm;
    double *skip = NULL;
    fb_status s = FB_OK;
    switch (record) {
    case 1:
        return header(t, e);
    case 2:
        return labels(t, e);
    case 3:
    case 4: /* initial values are no property of the body */
        s = filled(t, record, &skip, m, e);
        free(skip);
        return s;
    case 5:
    case 6:
    case 7:
        return coordinates(t, record - 5, e);
    case 8:
        return mode_shapes(t, e);
    case 9:
    case 10:
    case 13:
        return filled(t, record, record == 9 ? &b->Mr : record == 10 ? &b->Kr : &b->Dr, m * m, e);
    case 11:
        return nodal_masses(t, e);
    case 12:
        return rigid_body(t, e);
    default:
        if (record >= 14 && record <= 18)
            return coupling(t, record, e);
        fb_warn(t->log, "record %d is not used", record);
        return FB_OK;
    }
}

static fb_status records(state *t, fb_err *e)
{
    while (t->l.p < t->l.end) {
        const char *line = t->l.p;
        int64_t n = 0;
        fb_end_line(&t->l);
        if ((size_t)(t->l.p - line) < sizeof mark || memcmp(line, mark, sizeof mark - 1))
            continue;
        const char *q = fb_skip_blanks(line + sizeof mark - 1, t->l.p);
        if (!fb_scan_int(q, t->l.p, &n) || n < 1 || n > 31)
            return fb_fail_at(e, &t->l, line, "record number from 1 to 31 wanted");
        if (t->seen[n]++)
            return fb_fail_at(e, &t->l, line, "record %lld occurs twice", (long long)n);
        if ((n != 1) != (t->nm >= 0))
            return fb_fail_at(e, &t->l, line, "record 1 must come first, and once");
        FB_PASS(body_of(t, (int)n, e));
    }
    return FB_OK;
}

/* ---- what follows from the records ------------------------------------------------------- */

static fb_status required(const state *t, fb_err *e)
{
    static const int want[] = {1, 2, 5, 6, 7, 8, 9, 10};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        if (!t->seen[want[k]])
            return fb_fail(e, FB_EFORMAT, "record %d is missing", want[k]);
    return FB_OK;
}

/* I10 from I8 and I11 from I9, (FEM.1) and (FEM.2): n matrices of 3 by 3. */
static void first_moments(const double *I8, int64_t n, double *I10)
{
    for (int64_t k = 0; k < n; k++) {
        const double *A = I8 + 9 * k, half = (A[0] + A[4] + A[8]) / 2;
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++)
                I10[(3 * a + c) * n + k] = A[3 * c + a] - (a == c) * half;
    }
}

/* The set is complete or it is dropped: half a set helps nobody downstream. */
static fb_status invariants(state *t, fb_log *log, fb_err *e)
{
    fb_model *b = t->b;
    int64_t m = t->nm;
    int all = 1, any = 0;
    for (int n = 14; n <= 18; n++) {
        all &= t->seen[n] > 0;
        any |= t->seen[n] > 0;
    }
    if (all && t->seen[12] && !t->seen[11]) {
        FB_PASS(fb_new(&b->I[6], m * m, 8, "I6", e));
        FB_PASS(fb_new(&b->I[10], 9 * m, 8, "I10", e));
        FB_PASS(fb_new(&b->I[11], 9 * m * m, 8, "I11", e));
        memcpy(b->I[6], b->Mr, (size_t)(m * m) * 8);
        first_moments(b->I[8], m, b->I[10]);
        first_moments(b->I[9], m * m, b->I[11]);
        return FB_OK;
    }
    if (any)
        fb_warn(log, "records 14-18 are not used: %s",
                t->seen[11] ? "record 11 says the same by nodes (MBDyn adds both up)"
                            : "12 and all of 14-18 make a set");
    for (int k = 1; k <= 11; k++) {
        free(b->I[k]);
        b->I[k] = NULL;
    }
    return FB_OK;
}

static fb_status modal_table(fb_model *b, int force, fb_log *log, fb_err *e)
{
    fb_mat K = {b->nm, b->nm, b->Kr}, M = {b->nm, b->nm, b->Mr};
    FB_PASS(fb_new(&b->mode_number, b->nm, 8, "mode numbers", e));
    FB_PASS(fb_new(&b->kind, b->nm, 8, "kinds", e));
    for (int64_t k = 0; k < b->nm; k++) {
        b->mode_number[k] = k + 1;
        b->kind[k] = FB_KIND_EIGEN;
    }
    FB_PASS(fb_dense_symmetric(&M, "record 9 (mass)", force, log, e));
    FB_PASS(fb_dense_symmetric(&K, "record 10 (stiffness)", force, log, e));
    FB_PASS(fb_model_frequencies(b, NULL, e));
    return fb_model_nodal_dofs(b, e);
}

/* ---- the format --------------------------------------------------------------------------- */

static int sniff(const fb_input *in)
{
    const char *p = (const char *)in->data, *end = p + (in->size < 8192 ? in->size : 8192);
    while (p < end) {
        if ((size_t)(end - p) >= sizeof mark && !memcmp(p, mark, sizeof mark - 1))
            return 1;
        if (end - p >= 2 && memcmp(p, "**", 2) && !is_blank(*p))
            return 0;
        p = fb_after_line(p, end);
    }
    return 0;
}

static fb_status read_mbdyn(const fb_input *in, fb_parts *parts, fb_log *log, fb_err *e)
{
    if (parts->body.nn)
        return fb_fail(e, FB_EFORMAT, "a second modal body: one at a time is read");
    state t = {.l = fb_lines_of(in), .b = fb_parts_body(parts, "mbdyn"), .log = log, .nm = -1};
    snprintf(t.b->producer, sizeof t.b->producer, "MBDyn modal data");
    FB_PASS(records(&t, e));
    FB_PASS(required(&t, e));
    FB_PASS(invariants(&t, log, e));
    return modal_table(t.b, parts->how.force_symmetric, log, e);
}

const fb_reader fb_reader_mbdyn = {
    .name = "mbdyn",
    .doc = "MBDyn modal data (.fem)",
    .sniff = sniff,
    .read = read_mbdyn,
};

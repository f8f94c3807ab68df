/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OUTPUT4: every layout written here, in both byte orders and integer sizes, and as text. */
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>

static void read_bytes(result *r, const void *d, size_t n)
{
    char name[] = "test.op4";
    fb_input in = {.data = d, .size = n, .name = name};
    *r = (result){0};
    r->s = fb_reader_op4.read(&in, &r->p, &r->log, &r->e);
}

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct {
    fb_buf b, r; /* file, record */
    int wide;    /* 8-byte integers */
} out;

static void put(fb_buf *b, int64_t v, int size)
{
    unsigned char w[8];
    for (int k = 0; k < size; k++)
        w[k] = (unsigned char)((uint64_t)v >> 8 * (b->little ? k : size - 1 - k));
    fb_put_bytes(b, w, (size_t)size);
}

static void word(out *o, int64_t v)
{
    put(&o->r, v, o->wide ? 8 : 4);
}

static void real(out *o, double v, int single)
{
    float f = (float)v;
    int32_t u = 0;
    memcpy(&u, &f, 4);
    if (single && !o->wide)
        put(&o->r, u, 4);
    else
        fb_put_f64(&o->r, &v, 1);
}

static void flush(out *o)
{
    put(&o->b, o->r.size, 4);
    fb_put_bytes(&o->b, o->r.data, (size_t)o->r.size);
    put(&o->b, o->r.size, 4);
    o->r.size = 0;
}

static void start(out *o, int little, int wide)
{
    *o = (out){.b.little = little, .r.little = little, .wide = wide};
}

static void end(out *o)
{
    fb_buf_free(&o->b);
    fb_buf_free(&o->r);
}

static void head(out *o, int64_t ncol, int64_t nrow, int64_t form, int64_t type, const char *name)
{
    word(o, ncol);
    word(o, nrow);
    word(o, form);
    word(o, type);
    fb_put_bytes(&o->r, name, o->wide ? 16 : 8);
    flush(o);
}

static void column(out *o, int64_t icol, int64_t irow, int64_t nw)
{
    word(o, icol);
    word(o, irow);
    word(o, nw);
}

static void trailer(out *o, int64_t ncol)
{
    double x = 1.4142135623730951;
    column(o, ncol + 1, 1, 1);
    fb_put_f64(&o->r, &x, 1);
    flush(o);
}

enum { DENSE, STRINGS, BIGMAT };

/* Column 1: rows 2 and 3 (2.5, 0), row 5 (-1e10); column 3: row 1 (7). Complex: (1 + 0.5 i) times.
 * */
static void matrix(out *o, int layout, int type, const char *name)
{
    int single = type % 2, complex = type > 2,
        words = (o->wide || single ? 1 : 2) * (complex ? 2 : 1);
    static const double first[] = {2.5, 0, 0, -1e10}, second[] = {7};
    struct {
        int row, n;
        const double *v;
    } part[3] = {{2, layout == DENSE ? 4 : 2, first}, {5, 1, first + 3}, {1, 1, second}};
    head(o, 4, layout == BIGMAT ? -5 : 5, 2, type, name);
    for (int c = 0; c < 2; c++) {
        int from = c == 0 ? 0 : 2, to = c == 0 ? layout == DENSE ? 1 : 2 : 3, nw = 0;
        for (int k = from; k < to; k++)
            nw += part[k].n * words + (layout == DENSE ? 0 : layout == STRINGS ? 1 : 2);
        column(o, c == 0 ? 1 : 3, layout == DENSE ? part[from].row : 0, nw);
        for (int k = from; k < to; k++) {
            int64_t l = part[k].n * words + 1;
            if (layout == STRINGS)
                word(o, part[k].row + 65536 * l);
            if (layout == BIGMAT) {
                word(o, l);
                word(o, part[k].row);
            }
            for (int q = 0; q < part[k].n; q++) {
                real(o, part[k].v[q], single);
                if (complex)
                    real(o, part[k].v[q] / 2, single);
            }
        }
        flush(o);
    }
    trailer(o, 4);
}

static void check_matrix(const fb_matrix *m, int complex, const char *what)
{
    static const int64_t p[] = {0, 2, 2, 3, 3}, i[] = {1, 4, 0};
    static const double x[] = {2.5, -1e10, 7};
    fb_err e;
    ck_assert_msg(fb_csc_check(&m->A, what, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(m->A.m == 5 && m->A.n == 4 && !memcmp(m->A.p, p, sizeof p) &&
                      !memcmp(m->A.i, i, sizeof i) && !memcmp(m->A.x, x, sizeof x),
                  "%s", what);
    ck_assert_msg((m->imag != NULL) == complex, "%s", what);
    for (int q = 0; complex && q < 3; q++)
        ck_assert_msg(m->imag[q] == x[q] / 2, "%s", what);
}

START_TEST(binary_layouts)
{
    for (int k = 0; k < 48; k++) {
        int little = k & 1, wide = k >> 1 & 1, type = 1 + (k >> 2 & 3), layout = k / 16;
        char what[160];
        out o;
        result r;
        start(&o, little, wide);
        matrix(&o, layout, type, "KGG             ");
        matrix(&o, layout, type, wide ? "MA  \0\0\0\0A       " : "MAA     ");
        read_bytes(&r, o.b.data, (size_t)o.b.size);
        snprintf(what, sizeof what, "little %d wide %d type %d layout %d: %.60s", little, wide,
                 type, layout, r.e.msg);
        ck_assert_msg(r.s == FB_OK && r.p.nmatrix == 2, "%s", what);
        check_matrix(r.p.matrix, type > 2, what);
        check_matrix(r.p.matrix + 1, type > 2, what);
        ck_assert_str_eq(r.p.matrix[1].name, "MAA");
        ck_assert_int_eq(r.p.matrix[0].stored, layout == DENSE ? 5 : 4);
        result_free(&r);
        end(&o);
    }
}
END_TEST

START_TEST(text_layouts)
{
    static const char *const same[] = {
        "       4       5       2       2KGG     1P,3E23.16\n       1       2       4\n "
        "2.5000000000000000E+00 0.0000000000000000E+00 "
        "0.0000000000000000E+00\n-1.0000000000000000E+10\n       3       1       1\n "
        "7.0000000000000000E+00\n       5       1       1\n"
        " 1.0000000000000000E+00\n",
        "       4      -5       2       2KGG     1p,5d16.9\r\n       1       0      10\r\n       5 "
        "      2\r\n 2.500000000D+00 0.000000000D+00\r\n"
        "       3       5\r\n-1.000000000D+10\r\n       3       0       4\r\n       3       1\r\n "
        "7.000000000D+00\r\n       5       1       1\r\n"
        " 1.000000000D+00\r\n",
        "       4       5       2       1KGG     3E23.16\n       1       0       5\n     196610\n "
        "2.5000000000000000E+00 0.0000000000000000E+00\n"
        "     131077\n-1.0000000000000000E+10\n       3       0       2\n131073\n "
        "7.0000000000000000E+00\n       5       1       1\n 5.55\n\n",
        "               4               5       2       2KGG     1P,3E23.16|I16\n       1       2  "
        "     4\n 2.5000000000000000E+00 "
        "0.0000000000000000E+00 0.0000000000000000E+00\n-1.0000000000000000E+10\n       3       1  "
        "     1\n 7.0000000000000000E+00\n"
        "       5       1       1\n 1.0000000000000000E+00",
        "       4       5       2       2KGG\n       1       2       4\n             2.5           "
        "    0               0          -1.+10\n"
        "       3       1       1\n7\n       5       1       1\n 1.0\n"};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        result r;
        char what[300];
        read_bytes(&r, same[k], strlen(same[k]));
        snprintf(what, sizeof what, "%zu: %.280s", k, r.e.msg);
        ck_assert_msg(r.s == FB_OK && r.p.nmatrix == 1, "%s", what);
        check_matrix(r.p.matrix, 0, what);
        ck_assert_str_eq(r.p.matrix[0].name, "KGG");
        result_free(&r);
    }
}
END_TEST

/* A complex number may be split between two lines. */
START_TEST(text_complex)
{
    static const char text[] = "       1       2       2       4C       1P,3E23.16\n       1       "
                               "1       4\n 1.0000000000000000E+00 2.0000000000000000E+00 "
                               "3.0000000000000000E+00\n 4.0000000000000000E+00\n       2       1  "
                               "     2\n 1.0000000000000000E+00\n";
    result r;
    read_bytes(&r, text, sizeof text - 1);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_matrix *m = r.p.matrix;
    ck_assert(m->A.p[1] == 2 && m->A.x[0] == 1 && m->imag[0] == 2 && m->A.x[1] == 3 &&
              m->imag[1] == 4);
    result_free(&r);
}
END_TEST

/* 10^7 columns with two entries are read; 10^9 are not: their starts alone are 8 GB. */
START_TEST(huge_and_empty)
{
    for (int k = 0; k < 2; k++) {
        int64_t n = k ? 1000000000 : 10000001;
        out o;
        result r;
        start(&o, 1, 0);
        head(&o, n, -n, 6, 2, "KGG     ");
        for (int c = 0; c < 2; c++) {
            column(&o, c ? n : 5, 0, 4);
            word(&o, 3);
            word(&o, c ? n : 5);
            real(&o, 2, 0);
            flush(&o);
        }
        trailer(&o, n);
        read_bytes(&r, o.b.data, (size_t)o.b.size);
        ck_assert_msg(k ? r.s == FB_EFORMAT && strstr(r.e.msg, "1000000000 columns") : r.s == FB_OK,
                      "%s", r.e.msg);
        if (!k)
            ck_assert(r.p.matrix[0].A.p[n] == 2 && r.p.matrix[0].A.i[1] == n - 1);
        result_free(&r);
        end(&o);
    }
}
END_TEST

/* Two wide matrices without entries take what columns a file may have; a small one behind them is
 * read all the same. */
START_TEST(small_behind_wide)
{
    out o;
    result r;
    start(&o, 1, 0);
    for (int k = 0; k < 2; k++) {
        head(&o, 8388608, -10, 2, 2, "WIDE    ");
        trailer(&o, 8388608);
    }
    head(&o, 7, 5, 2, 2, "SMALL   ");
    column(&o, 7, 5, 2);
    real(&o, 3, 0);
    flush(&o);
    trailer(&o, 7);
    read_bytes(&r, o.b.data, (size_t)o.b.size);
    ck_assert_msg(r.s == FB_OK && r.p.nmatrix == 3, "%s", r.e.msg);
    const fb_csc *A = &r.p.matrix[2].A;
    ck_assert(A->m == 5 && A->n == 7 && A->p[6] == 0 && A->p[7] == 1 && A->i[0] == 4 &&
              A->x[0] == 3);
    result_free(&r);
    end(&o);
}
END_TEST

/* A 1 by 1 of form 6 without entries is a purged matrix; a larger one is there, and is zero. */
START_TEST(purged)
{
    out o;
    result r;
    start(&o, 1, 0);
    head(&o, 1, 1, 6, 2, "BXX     ");
    trailer(&o, 1);
    head(&o, 0, 0, 6, 2, "K4XX    ");
    trailer(&o, 0);
    head(&o, 3, 3, 6, 2, "BAA     ");
    trailer(&o, 3);
    read_bytes(&r, o.b.data, (size_t)o.b.size);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.p.nmatrix, 1);
    ck_assert(r.p.matrix[0].A.m == 3 && r.p.matrix[0].A.p[3] == 0 &&
              r.p.matrix[0].role == FB_ROLE_DAMPING);
    result_free(&r);
    end(&o);
}
END_TEST

/* Columns out of order, and a column in two records. */
START_TEST(any_order)
{
    out o;
    result r;
    start(&o, 0, 1);
    head(&o, 2, 3, 2, 1, "X               ");
    for (int k = 0; k < 3; k++) {
        static const int col[] = {2, 1, 2}, row[] = {3, 2, 1};
        column(&o, col[k], row[k], 1);
        real(&o, k + 1, 1);
        flush(&o);
    }
    trailer(&o, 2);
    read_bytes(&r, o.b.data, (size_t)o.b.size);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_csc *A = &r.p.matrix[0].A;
    ck_assert(A->p[1] == 1 && A->p[2] == 3 && A->i[0] == 1 && A->i[1] == 0 && A->i[2] == 2 &&
              A->x[0] == 2 && A->x[1] == 3 && A->x[2] == 1);
    result_free(&r);
    end(&o);
}
END_TEST

static void refused(const out *o, const char *what)
{
    result r;
    read_bytes(&r, o->b.data, (size_t)o->b.size);
    result_refused(&r, what);
    result_free(&r);
}

START_TEST(refusals)
{
    static const struct {
        int64_t nrow, form, type, icol, irow, nw, a, b;
        const char *what;
    } row[] = {
        {5, 2, 5, 1, 1, 2, 0, 0, "type 5; forms are 1 to 15, types 1 to 4"},
        {5, 99, 2, 1, 1, 2, 0, 0, "form 99"},
        {5, 2, 2, 1, 1, 4, 0, 0, "column 1: 4 words told, the record holds 8 bytes"},
        {5, 2, 2, 4, 1, 2, 0, 0, "column 4 of 2"},
        {5, 2, 2, -1, 1, 2, 0, 0, "column -1 of 2"},
        {5, 2, 2, 1, 6, 2, 0, 0, "a string of 1 entries from row 6 on; the matrix has 5 rows"},
        {5, 2, 4, 1, 1, 2, 0, 0, "a string of 2 words; entries of type 4 take 4"},
        {-5, 2, 2, 1, 0, 2, 3, 1, "a string of 2 words, 0 bytes are left"},
        {-5, 2, 2, 1, 0, 2, 1, 1, "a string of 0 words"},
        {-5, 2, 2, 1, 0, 2, -7, 1, "a string of -8 words"},
        {5, 2, 2, 1, 0, 2, 65536 * 3 + 2, 1, "a string of 2 words, 4 bytes are left"},
        {5, 2, 2, 1, 0, 2, 65536 * 3, 1, "from row 0 on"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        out o;
        start(&o, 1, 0);
        head(&o, 2, row[k].nrow, row[k].form, row[k].type, "KGG     ");
        column(&o, row[k].icol, row[k].irow, row[k].nw);
        word(&o, row[k].a);
        word(&o, row[k].b);
        flush(&o);
        trailer(&o, 2);
        refused(&o, row[k].what);
        end(&o);
    }
    out o;
    start(&o, 1, 0);
    matrix(&o, DENSE, 2, "KGG     ");
    o.b.data[28]++; /* the marker behind the header */
    refused(&o, "byte 0: the record begins with length 24 and ends, at byte 28, with 25: damaged "
                "in a text transfer?");
    o.b.data[28]--;
    o.b.data[o.b.size - 4]++;
    refused(&o, "damaged in a text transfer?");
    end(&o);
    start(&o, 1, 0);
    head(&o, 2, 5, 2, 2, "KGG     ");
    refused(&o, "byte 32: the file ends before the end of matrix 'KGG'");
    end(&o);
    static const struct {
        const char *text, *what;
    } bad[] = {
        {"       2       2      -6       2KGG\n", "line 1: the header of a matrix is wanted"},
        {"       2       2       6       2KGG     1P,0E23.16\n", "line 1: the header"},
        {"       2       2       6       2KGG\n",
         "line 1: the file ends before the end of matrix 'KGG'"},
        {"       2       2       6       2KGG\n       1       1       2\n 1.0\n",
         "line 3: '' where number 2 of 2 is wanted (16 columns each)"},
        {"       2       2       6       2KGG\n       1       1       2\n",
         "line 2: the file ends before the numbers"},
        {"       2       2       6       2KGG\n       1       0       5\n  196609\n",
         "line 3: the file ends before the numbers"},
        {"       2       2       6       2KGG\n       1       0       2\n  196609\n",
         "line 3: matrix 'KGG': the head of a string is wanted"},
        {"       2       2       6       2KGG\n       1       0       x\n",
         "line 2: matrix 'KGG': column, row and count"},
        {"       2       2       6       2KGG\n       1       1       1\n 1.0\n       3       1    "
         "   1\n",
         "line 4: the file ends before the dummy"},
        {"       2       2       6       2KGG\n       1       1       3\n 1.0\n",
         "line 2: matrix 'KGG': a string of 3 entries"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        out t = {.b = {.data = (unsigned char *)(uintptr_t)bad[k].text,
                       .size = (int64_t)strlen(bad[k].text)}};
        refused(&t, bad[k].what);
    }
}
END_TEST

START_TEST(sniffing)
{
    static const char *const not[] = {"1 1 0.5\n2 2 0.5\n", "       1       2\n",
                                      "%%MatrixMarket matrix\n3 3 1\n1 1 2.0\n",
                                      "DMIG    KAAX           0       6       2       0\n"};
    for (size_t k = 0; k < sizeof not/ sizeof *not; k++) {
        char name[] = "x";
        fb_input in = {.data = (const unsigned char *)not[k], .size = strlen(not[k]), .name = name};
        ck_assert_int_eq(fb_reader_op4.sniff(&in), 0);
    }
}
END_TEST

START_TEST(truncation)
{
    out o;
    start(&o, 0, 0);
    matrix(&o, BIGMAT, 4, "KGG     ");
    for (int64_t cut = 1; cut < o.b.size; cut++) {
        unsigned char *copy = malloc((size_t)cut);
        memcpy(copy, o.b.data, (size_t)cut);
        result r;
        read_bytes(&r, copy, (size_t)cut);
        ck_assert_int_eq(r.s, FB_EFORMAT);
        ck_assert(r.e.msg[0] != 0);
        result_free(&r);
        free(copy);
    }
    end(&o);
}
END_TEST

START_TEST(no_memory)
{
    static const char text[] = "       1       2       2       4C       1P,3E23.16\n       1       "
                               "1       4\n 1.0000000000000000E+00 2.0000000000000000E+00 "
                               "3.0000000000000000E+00\n 4.0000000000000000E+00\n       2       1  "
                               "     2\n 1.0000000000000000E+00\n";
    out o;
    result r;
    int fails;
    start(&o, 0, 0);
    matrix(&o, STRINGS, 4, "KGG     ");
    EVERY_ALLOCATION_FAILS_ONCE(r.s, fails, {
        read_bytes(&r, o.b.data, (size_t)o.b.size);
        result_free(&r);
    });
    ck_assert_int_gt(fails, 4);
    EVERY_ALLOCATION_FAILS_ONCE(r.s, fails, {
        read_bytes(&r, text, sizeof text - 1);
        result_free(&r);
    });
    ck_assert_int_gt(fails, 4);
    end(&o);
}
END_TEST

Suite *suite_op4(void)
{
    Suite *s = suite_create("op4");
    TCase *t = tcase_create("matrices");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, binary_layouts);
    tcase_add_test(t, text_layouts);
    tcase_add_test(t, text_complex);
    tcase_add_test(t, huge_and_empty);
    tcase_add_test(t, small_behind_wide);
    tcase_add_test(t, purged);
    tcase_add_test(t, any_order);
    tcase_add_test(t, refusals);
    tcase_add_test(t, sniffing);
    tcase_add_test(t, truncation);
    tcase_add_test(t, no_memory);
    suite_add_tcase(s, t);
    return s;
}

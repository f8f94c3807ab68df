/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_num.c - numbers in text, against strtod bit by bit. */
#include "flexbody.h"
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_num(void);

enum { TEXT = 4096, ROUNDS = 4000 };

/* ---- helpers --------------------------------------------------------------------------- */

static uint64_t state; /* splitmix64 */

static uint64_t draw(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int below(int n)
{
    return (int)(draw() % (uint64_t)n);
}

static double from_bits(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static uint64_t to_bits(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

/* Any finite double; every second one near 1. */
static double draw_double(void)
{
    for (;;) {
        uint64_t b = draw();
        if (b & 1)
            b = (b & ~(UINT64_C(0x7ff) << 52)) | (uint64_t)(1023 - 60 + below(120)) << 52;
        if ((b >> 52 & 0x7ff) != 0x7ff)
            return from_bits(b);
    }
}

/* Scans text from a block that ends with it and what is behind, so that a sanitizer sees any byte
 * too many. Returns the number of bytes read, or -1. */
static int scan_within(const char *text, const char *behind, double *x)
{
    size_t n = strlen(text), more = strlen(behind);
    char *copy = malloc(n + more ? n + more : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, n);
    memcpy(copy + n, behind, more);
    const char *p = fb_scan_real(copy, copy + n + more, x);
    int used = p ? (int)(p - copy) : -1;
    free(copy);
    return used;
}

/* Alone, and with more text behind, where the usual forms are read in another way. */
static int scan(const char *text, double *x)
{
    static const char *const behind[] = {"\n1 2 -3.4567890123456789e+05 1234567890123456",
                                         " -1.5e+10 7 8 9.25 -1.5e+10 7 8 9.25 1 2 3 4 5",
                                         ",0123456789012345678901234567890123456789012345",
                                         "\xb0\xb9\xff/:;........................................",
                                         "\n",
                                         " 1.5\n2 3 4.5\n",
                                         "\t0.0000000000000000000000000000000001"};
    double first = *x;
    int used = scan_within(text, "", &first);
    for (size_t k = 0; k < 2 * sizeof behind / sizeof *behind; k++) {
        double y = *x;
        fb_scan_plain = k % 2;
        int same = scan_within(text, behind[k / 2], &y);
        if (same != used ||
            to_bits(y) != to_bits(first)) /* an assertion a text would take longer than all else */
            ck_abort_msg("%s: %d bytes, %.17g, with more behind %d bytes, %.17g", text, used, first,
                         same, y);
    }
    fb_scan_plain = 0;
    *x = first;
    return used;
}

static int scan_int(const char *text, int64_t *k)
{
    size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, n);
    const char *p = fb_scan_int(copy, copy + n, k);
    int used = p ? (int)(p - copy) : -1;
    free(copy);
    return used;
}

/* text must be read whole, as strtod reads `same`. */
static void expect_as(const char *text, const char *same)
{
    double x = 42, want = strtod(same, NULL);
    int used = scan(text, &x);
    if (isinf(want)) {
        ck_assert_msg(used == -1, "%s: no overflow", text);
        ck_assert_msg(to_bits(x) == to_bits(42), "%s: output touched", text);
        return;
    }
    ck_assert_msg(used == (int)strlen(text), "%s: %d bytes read", text, used);
    ck_assert_msg(to_bits(x) == to_bits(want), "%s: %.17g, strtod %.17g", text, x, want);
}

static void expect(const char *text)
{
    expect_as(text, text);
}

/* Only the first `used` bytes are a number, of value want. */
static void expect_part(const char *text, int used, double want)
{
    double x = 42;
    ck_assert_msg(scan(text, &x) == used, "%s: not %d bytes", text, used);
    ck_assert_msg(to_bits(x) == to_bits(want), "%s: %.17g", text, x);
}

static void expect_none(const char *text)
{
    double x = 42;
    ck_assert_msg(scan(text, &x) == -1, "%s: is a number", text);
    ck_assert_msg(to_bits(x) == to_bits(42), "%s: output touched", text);
}

/* ---- forms of reals -------------------------------------------------------------------- */

START_TEST(forms)
{
    static const char *const same[] = {"0",
                                       "-0",
                                       "+0",
                                       "0.",
                                       ".0",
                                       "-.0",
                                       "1",
                                       "1.",
                                       ".5",
                                       "-.5",
                                       "+1e5",
                                       "1.0E+05",
                                       "1.e5",
                                       ".5e-3",
                                       "007",
                                       "00012.500",
                                       "123456789",
                                       "1234567.87654321",
                                       "12345678.87654321",
                                       "0.000000000000000000000000000000012345",
                                       "0e999999999999999999999",
                                       "1e-99999999999999999999",
                                       "0.1e0000000000000000000000000000001",
                                       "9007199254740992",
                                       "9007199254740993",
                                       "9999999999999999999",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "99999999999999999999999999",
                                       "1.2345678901234567890123456789",
                                       "-0.0000000000000000000000000",
                                       "0000000000000000000000000",
                                       "12345678901234567890123.",
                                       "1234567890123456789.",
                                       "1234567890123456789.5",
                                       "12345678901234567890.5"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        expect(same[i]);
    expect_as("1D+5", "1e5");
    expect_as("1d5", "1e5");
    expect_as("1.0D-05", "1e-5");
    expect_as("1.0+5", "1e5");
    expect_as("1.-3", "1e-3");
    expect_as("1+5", "1e5");
    expect_as("-.5-3", "-.5e-3");
    expect_as("+7.25+12", "7.25e12");
    expect_as("1.23456789012345678901234567+5", "1.23456789012345678901234567e5");
}
END_TEST

START_TEST(stops)
{
    expect_part("1.5 2", 3, 1.5);
    expect_part("1,2", 1, 1);
    expect_part("1.5.5", 3, 1.5);
    expect_part("1e", 1, 1);
    expect_part("1e+", 1, 1);
    expect_part("1d-x", 1, 1);
    expect_part("1.E ", 2, 1);
    expect_part("1.5-", 3, 1.5);
    expect_part("1.5+ 3", 3, 1.5);
    expect_part("1.5+-3", 3, 1.5);
    expect_part("1ee5", 1, 1);
    expect_part("1e5.5", 3, 1e5);
    expect_part("1.5E+00-2.5E+00", 7, 1.5); /* columns without a blank between */
    expect_part("1.0+5+6", 5, 1e5);
    expect_part("0x10", 1, 0);
    expect_part("1f", 1, 1);
    expect_part("1e5d3", 3, 1e5);
    expect_part("12345678\xff", 8, 12345678);
    expect_part("1234567\xffxxxxxxxx", 7, 1234567);
    expect_part("1.234:5678901", 5, 1.234);
    expect_part("1.234/5678901", 5, 1.234);
}
END_TEST

START_TEST(none)
{
    static const char *const no[] = {"",
                                     "+",
                                     "-",
                                     ".",
                                     "-.",
                                     "+.e5",
                                     "e5",
                                     ".e5",
                                     "--1",
                                     "+-1",
                                     " 1",
                                     "\t1",
                                     "\n",
                                     "nan",
                                     "NaN",
                                     "inf",
                                     "-Inf",
                                     "INFINITY",
                                     "x",
                                     "D5",
                                     "+D5",
                                     ",",
                                     "\xff\xff\xff\xff\xff\xff\xff\xff"};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        expect_none(no[i]);
    double x = 42;
    ck_assert_ptr_null(fb_scan_real(NULL, NULL, &x));
}
END_TEST

/* Every byte after a digit, in a run long enough for eight at a time: only digits are digits. */
START_TEST(every_byte)
{
    for (int c = 1; c < 256; c++) {
        char text[] = "1.2345?6789012";
        if ((c >= '0' && c <= '9') || strchr("eEdD+-", c))
            continue;
        text[6] = (char)c;
        expect_part(text, 6, 1.2345);
    }
}
END_TEST

/* Where the buffer ends, the number ends, whatever bytes follow. */
START_TEST(every_length)
{
    static const char text[] = "-123456789.12345678901234567890E+012";
    char part[sizeof text];
    for (size_t n = 0; n < sizeof text; n++) {
        memcpy(part, text, n);
        part[n] = 0;
        char *stop;
        double x = 42, y = 43, want = strtod(part, &stop);
        int used = scan(part, &x);
        ck_assert_int_eq(used, stop == part ? -1 : (int)(stop - part));
        const char *p = fb_scan_real(text, text + n, &y);
        ck_assert_int_eq(p ? (int)(p - text) : -1, used);
        if (used >= 0) {
            ck_assert(to_bits(x) == to_bits(want));
            ck_assert(to_bits(y) == to_bits(want));
        }
    }
}
END_TEST

/* ---- rounding -------------------------------------------------------------------------- */

START_TEST(borders)
{
    static const char *const hard[] = {
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e309",
        "1e308",
        "1e400",
        "1e99999999999999999999",
        "10e307",
        "10e308",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072009e-308",
        "2.225073858507201136057409796709131975934819546351645648e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-323",
        "5e-324",
        "3e-324",
        "2e-324",
        "1e-324",
        "1e-343",
        "1e-400",
        "1e22",
        "1e23",
        "8.5e22",
        "9e22",
        "1e-22",
        "1e-23",
        "9007199254740991e22",
        "9007199254740993e22",
        "9007199254740992.999999999999999999",
        "9007199254740993.0",
        "9007199254740993.00000000000000000000000000000000000000000001",
        "9007199254740995",
        "6.9294956446009195e15",
        "3.4621850000000000e-308",
        "7.2057594037927933e16",
        "2.9802322387695312e-8",
        "1.4901161193847656e-8",
        "123456789012345683968",
        "5e-4",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273"
        "854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704"
        "342711559699508093042880177904174497791", /* just below halfway to overflow */
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273"
        "854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704"
        "342711559699508093042880177904174497792"}; /* halfway: overflows */
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        expect(hard[i]);
}
END_TEST

/* 1 to 19 digits times every power of ten that matters: each entry of the table of powers. */
START_TEST(powers)
{
    char text[64];
    state = 0;
    for (int q = -370; q <= 330; q++) {
        for (int i = 0; i < 12; i++) {
            uint64_t w = draw() >> (i < 4 ? 1 : below(63));
            snprintf(text, sizeof text, "%" PRIu64 "e%d", w, q);
            expect(text);
        }
        snprintf(text, sizeof text, "1e%d", q);
        expect(text);
        snprintf(text, sizeof text, "9007199254740993e%d", q);
        expect(text);
        snprintf(text, sizeof text, "9999999999999999999e%d", q);
        expect(text);
    }
}
END_TEST

START_TEST(printed)
{
    static const int digits[] = {5, 13, 14, 15, 16, 17, 18, 19, 25, 40, 800};
    char text[TEXT];
    state = (uint64_t)_i;
    for (int i = 0; i < ROUNDS / 4; i++) {
        double x = draw_double();
        int few = (int)(sizeof digits / sizeof *digits) - (i % 16 != 0); /* 800 is slow */
        for (int f = 0; f < few; f++) {
            snprintf(text, sizeof text, "%.*e", digits[f], x);
            expect(text);
            snprintf(text, sizeof text, "%.*g", digits[f], x);
            expect(text);
            snprintf(text, sizeof text, "%.*f", digits[f], x);
            expect(text);
        }
        snprintf(text, sizeof text, "%.17g", x); /* 17 digits give the number back */
        expect_part(text, (int)strlen(text), x);
    }
}
END_TEST

/* The same number with e, E, d, D and, where there is a sign to show it, no letter at all. */
START_TEST(letters)
{
    char text[64], with_d[64], without[64];
    state = (uint64_t)_i;
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(text, sizeof text, "%+.*e", below(22), draw_double());
        char *e = strchr(text, 'e');
        strcpy(with_d, text);
        with_d[e - text] = "EdD"[below(3)];
        expect_as(with_d, text);
        snprintf(without, sizeof without, "%.*s%s", (int)(e - text), text, e + 1);
        expect_as(without, text);
    }
}
END_TEST

/* Any digits, any place of the point, any exponent; zeros before and behind. */
START_TEST(strings)
{
    char text[TEXT];
    state = (uint64_t)_i;
    for (int i = 0; i < ROUNDS; i++) {
        int n = 1 + below(i % 50 ? 45 : 1200), point = below(n + 1), at = 0;
        int zeros = below(4) ? 0 : below(n), nines = below(6) == 0;
        if (below(2))
            text[at++] = '-';
        for (int k = 0; k < n; k++) {
            if (k == point)
                text[at++] = '.';
            text[at++] = (char)(k < zeros ? '0' : nines ? '9' : '0' + below(10));
        }
        if (below(4))
            snprintf(text + at, 16, "e%d", (below(2) ? below(700) - 350 : below(41) - 20) - point);
        else
            text[at] = 0;
        expect(text);
    }
}
END_TEST

/* ---- halfway cases --------------------------------------------------------------------- */

/* Writes (2 m + 1) 2^k in full, for any k; exact, by schoolbook arithmetic on decimal digits. */
static void print_midpoint(uint64_t m, int k, char *text)
{
    unsigned char d[1400] = {0}; /* the least significant digit first */
    int n = 0, places = k < 0 ? -k : 0;
    for (uint64_t w = 2 * m + 1; w; w /= 10)
        d[n++] = (unsigned char)(w % 10);
    for (int i = 0; i < (k < 0 ? -k : k); i++) { /* 2^-1 = 5 / 10 */
        int carry = 0;
        for (int j = 0; j < n; j++) {
            carry += d[j] * (k < 0 ? 5 : 2);
            d[j] = (unsigned char)(carry % 10);
            carry /= 10;
        }
        if (carry)
            d[n++] = (unsigned char)carry;
    }
    for (int j = 0; j < n; j++)
        text[j] = (char)('0' + d[n - 1 - j]);
    snprintf(text + n, 16, "e%d", -places);
}

/* The midpoint of two doubles, a digit more a long way behind, and one less. */
static void expect_midpoint(uint64_t bits)
{
    char text[TEXT], other[TEXT + 1200];
    int k = (int)(bits >> 52 & 0x7ff);
    uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | (k ? UINT64_C(1) << 52 : 0);
    print_midpoint(m, (k ? k : 1) - 1076, text);
    expect(text);
    char *e = strchr(text, 'e');
    int n = (int)(e - text), exponent = atoi(e + 1), zeros = below(2) ? below(20) : below(1000);
    /* The exact midpoint with trailing zeros, then with a last digit 1. */
    snprintf(other, sizeof other, "%.*s.%0*de%d", n, text, zeros + 1, 0, exponent);
    expect(other);
    snprintf(other, sizeof other, "%.*s.%0*d1e%d", n, text, zeros + 1, 0, exponent);
    expect(other);
    snprintf(other, sizeof other, "0.%.*s%0*d1e%d", n, text, zeros + 1, 0, exponent + n);
    expect(other);
    /* The last digit one less, and nines behind it or nothing; 0 can end large integers. */
    if (text[n - 1] != '0') {
        text[n - 1]--;
        snprintf(other, sizeof other, "%.*s.99999%0*de%d", n, text, zeros + 1, 9, exponent);
        expect(other);
        expect(text);
    }
    /* Cut off: below the midpoint, by something in the digits kept or just behind them. */
    if (n > 20) {
        int keep = 19 + below(n - 19);
        snprintf(other, sizeof other, "%.*se%d", keep, text, exponent + n - keep);
        expect(other);
    }
}

START_TEST(midpoints)
{
    state = (uint64_t)_i;
    for (int i = 0; i < 60; i++) {
        expect_midpoint(to_bits(fabs(draw_double())));
        expect_midpoint((draw() & ((UINT64_C(1) << 52) - 1)) >> below(52)); /* subnormal */
        /* Few digits: integers of 54 bits and a little more, where ties reach the table. */
        expect_midpoint((uint64_t)(1023 + 45 + below(30)) << 52 | draw() >> 12);
    }
    expect_midpoint(0);
    expect_midpoint(1);
    expect_midpoint((UINT64_C(1) << 52) - 1); /* the greatest subnormal and the least normal */
    expect_midpoint(UINT64_C(1) << 52);
    expect_midpoint(UINT64_C(0x7fe) << 52);
    expect_midpoint((UINT64_C(0x7ff) << 52) - 1); /* DBL_MAX: the midpoint overflows */
}
END_TEST

/* Ties of at most 19 digits, w 10^q with -4 <= q <= 23. */
START_TEST(short_ties)
{
    char text[64];
    state = (uint64_t)_i;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t odd = (UINT64_C(1) << 53 | draw() >> 11) | 1, five = 1; /* 54 bits */
        int q = below(5);
        for (int k = 0; k < q; k++)
            five *= 5;
        snprintf(text, sizeof text, "%" PRIu64 "e-%d", odd * five, q); /* odd / 2^q */
        expect(text);
        five = 1;
        q = below(24);
        for (int k = 0; k < q; k++)
            five *= 5;
        odd = (odd / five | 1) << below(4);
        snprintf(text, sizeof text, "%" PRIu64 "e%d", odd, q);
        expect(text);
    }
}
END_TEST

/* A hundred thousand digits, and exponents that bring them back. */
START_TEST(very_long)
{
    enum { N = 100000 };
    char *text = malloc(N + 64);
    ck_assert_ptr_nonnull(text);
    memset(text, '0', N + 64);
    text[1] = '.';
    strcpy(text + N, "123e100000");
    expect(text);
    memset(text, '0', N + 64);
    text[0] = '7';
    strcpy(text + N, "e-100000");
    expect(text);
    memset(text, '0', N + 64);
    memcpy(text, "9007199254740993.", 17);
    strcpy(text + N, "1"); /* above the tie by 1e-99983 */
    expect_part(text, N + 1, 9007199254740994.0);
    text[N] = '0';
    expect_part(text, N + 1, 9007199254740992.0);
    memset(text, '9', N);
    strcpy(text + N, "e-99999");
    expect_part(text, N + 7, 10.0);
    memset(text, '9', N);
    text[N] = 0;
    expect_none(text);
    free(text);
}
END_TEST

/* ---- integers -------------------------------------------------------------------------- */

/* ---- lines of a matrix ----------------------------------------------------------------- */

/* The quick scan gives up, or finds what the single scans find. */
static void expect_triple(const char *text, size_t n, int must)
{
    int64_t i = -1, j = -1, k = -1, l = -1;
    double x = 0, y = 0;
    char *copy = malloc(n ? n : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, n);
    const char *end = copy + n, *p = fb_scan_triple(copy, end, &i, &j, &x), *q;
    if (must && !p)
        ck_abort_msg("%s: not read", text);
    fb_scan_plain = 1;
    if (fb_scan_triple(copy, end, &k, &l, &y) != p ||
        (p && (k != i || l != j || to_bits(y) != to_bits(x))))
        ck_abort_msg("%s: otherwise with plain instructions", text);
    fb_scan_plain = 0;
    if (p) {
        q = fb_scan_int(copy, end, &k);
        q = q && q < end && *q == ' ' ? fb_scan_int(q + 1, end, &l) : NULL;
        q = q && q < end && *q == ' ' ? fb_scan_real(q + 1, end, &y) : NULL;
        if (q != p || i != k || j != l || to_bits(x) != to_bits(y))
            ck_abort_msg("%s: %d bytes read, not %d: %lld %lld %.17g", text, (int)(p - copy),
                         q ? (int)(q - copy) : -1, (long long)i, (long long)j, x);
    }
    free(copy);
}

START_TEST(triples)
{
    static const char rest[] = "\n17 18 1.25\n17 18 1.25\n17 18 1.25\n17 18 1.25\n17 18 1.25";
    static const char *const quick[] = {"1 2 3.5",
                                        "1234567 7654321 -1.2345678901234567e-08",
                                        "0 007 +0.5E+22",
                                        "12 34 .25",
                                        "1 1 -0.",
                                        "1 1 1.0D-99",
                                        "3 4 1234567890123456789."};
    static const char *const other[] = {"12345678 1 1.5",
                                        "1  2 1.5",
                                        "1\t2 1.5",
                                        "1 2  1.5",
                                        " 1 2 1.5",
                                        "-1 2 1.5",
                                        "1 2 15",
                                        "1 2",
                                        "1 2 ",
                                        "1 2 .",
                                        "1 2 x",
                                        "1 2 1.5e",
                                        "1 2 1.5e5",
                                        "1 2 1.5e+5",
                                        "1 2 1.5e+123",
                                        "1 2 1.5-3",
                                        "1 2 1.5+30",
                                        "1 2 12345678901234567890.5",
                                        "1 2 -",
                                        "1,2,1.5",
                                        "1 2 1.5e+5x",
                                        "1 2 1.5ex05",
                                        "1 2 1.5.5",
                                        "1.5 2 1.5",
                                        "",
                                        "1",
                                        "1 2 --1.5"};
    char text[TEXT];
    for (size_t k = 0; k < sizeof quick / sizeof *quick; k++) {
        int n = snprintf(text, sizeof text, "%s%s", quick[k], rest);
        expect_triple(text, (size_t)n, 1);
        for (int cut = 0; cut < n; cut++)
            expect_triple(text, (size_t)cut, 0);
    }
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        expect_triple(text, (size_t)snprintf(text, sizeof text, "%s%s", other[k], rest), 0);
}
END_TEST

/* Values of every size and number of digits, in the looks that programs give them. */
START_TEST(random_triples)
{
    static const char *const form[] = {"%.16g", "%.15e", "%.16e", "%.17g", "%.9E",
                                       "%.6f",  "%.20f", "%.3e",  "%g",    "%+.12e",
                                       "%.17e", "%.18e", "%.19e"};
    char text[TEXT], v[TEXT / 2];
    state = 77 + (uint64_t)_i;
    for (int k = 0; k < ROUNDS; k++) {
        double x = k % 4 ? (double)(int64_t)draw() * pow(10, below(40) - 38) : draw_double();
        snprintf(v, sizeof v, form[below(sizeof form / sizeof *form)], x);
        int n = snprintf(text, sizeof text, "%d %d %s\n%s\n%s\n%064d", below(1 << below(28)),
                         below(1 << below(28)), v, v, v, 0);
        expect_triple(text, (size_t)n, 0);
        double want = strtod(v, NULL), got = 42;
        if (scan(v, &got) != (int)strlen(v) || to_bits(want) != to_bits(got))
            ck_abort_msg("%s: %.17g", v, got);
    }
}
END_TEST

START_TEST(ints)
{
    static const struct {
        const char *text;
        int used;
        int64_t value;
    } row[] = {{"0", 1, 0},
               {"-0", 2, 0},
               {"+7", 2, 7},
               {"42 43", 2, 42},
               {"12345678", 8, 12345678},
               {"-123456789", 10, -123456789},
               {"12.5", 2, 12},
               {"1e5", 1, 1},
               {"7,8", 1, 7},
               {"9223372036854775807", 19, INT64_MAX},
               {"-9223372036854775808", 20, INT64_MIN},
               {"-9223372036854775807", 20, -INT64_MAX},
               {"0000000000000000000000000000012", 31, 12},
               {"0000000000000000000000000", 25, 0},
               {"-00000000000009223372036854775808", 33, INT64_MIN},
               {"1234567\xff", 7, 1234567}};
    static const char *const no[] = {"",
                                     "-",
                                     "+",
                                     "+-1",
                                     "--1",
                                     " 1",
                                     ".5",
                                     "x",
                                     "9223372036854775808",
                                     "-9223372036854775809",
                                     "9999999999999999999",
                                     "18446744073709551616",
                                     "18446744073709551617",
                                     "-18446744073709551617",
                                     "100000000000000000000000000000000",
                                     "00009223372036854775808"};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int64_t k = 99;
        ck_assert_msg(scan_int(row[i].text, &k) == row[i].used, "%s", row[i].text);
        ck_assert_msg(k == row[i].value, "%s: %" PRId64, row[i].text, k);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        int64_t k = 99;
        ck_assert_msg(scan_int(no[i], &k) == -1, "%s", no[i]);
        ck_assert_int_eq(k, 99);
    }
}
END_TEST

START_TEST(random_ints)
{
    char text[64];
    state = (uint64_t)_i;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t k = (int64_t)draw() >> below(64), got = k + 1;
        snprintf(text, sizeof text, "%" PRId64, k);
        ck_assert_int_eq(scan_int(text, &got), (int)strlen(text));
        ck_assert_int_eq(got, k);
        /* One digit more: strtoll says whether it still fits. */
        snprintf(text, sizeof text, "%" PRId64 "%d", k, below(10));
        errno = 0;
        int64_t want = strtoll(text, NULL, 10);
        int used = scan_int(text, &got);
        ck_assert_int_eq(used, errno ? -1 : (int)strlen(text));
        if (used >= 0)
            ck_assert_int_eq(got, want);
    }
}
END_TEST

Suite *suite_num(void)
{
    Suite *s = suite_create("num");
    TCase *t = tcase_create("forms");
    tcase_add_test(t, forms);
    tcase_add_test(t, stops);
    tcase_add_test(t, none);
    tcase_add_test(t, every_byte);
    tcase_add_test(t, every_length);
    suite_add_tcase(s, t);
    t = tcase_create("rounding");
    tcase_set_timeout(t, 60); /* sanitizers and valgrind are slow */
    tcase_add_test(t, borders);
    tcase_add_test(t, powers);
    tcase_add_loop_test(t, printed, 0, 4);
    tcase_add_loop_test(t, letters, 0, 4);
    tcase_add_loop_test(t, strings, 0, 4);
    tcase_add_loop_test(t, midpoints, 0, 4);
    tcase_add_loop_test(t, short_ties, 0, 4);
    tcase_add_test(t, very_long);
    tcase_add_test(t, triples);
    tcase_add_loop_test(t, random_triples, 0, 4);
    suite_add_tcase(s, t);
    t = tcase_create("ints");
    tcase_add_test(t, ints);
    tcase_add_loop_test(t, random_ints, 0, 4);
    suite_add_tcase(s, t);
    return s;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* num.c - numbers in text: correctly rounded reals and checked integers.
 *
 * Notation  v    the value of the text, sign aside
 *           w q  its first 19 significant digits as an integer, and the power of ten behind
 *                them: v = w 10^q if there are no more digits, else w 10^q <= v < (w+1) 10^q
 *           r()  rounding to the nearest double, ties to even
 * Equations
 *   (NUM.1) r(w 10^q) = fl(w * 10^q) or fl(w / 10^-q)      w <= 2^53, |q| <= 22: both operands
 *           are doubles, so the one operation rounds once  [Clinger]
 *   (NUM.2) w 10^q = w 5^q 2^q, 5^q ~ T(q) 2^(b-127)       b = floor(log2 5^q),
 *           T(q) = floor(5^q 2^(127-b)), one more for -27 <= q < 0, where that makes the product
 *           of an exact quotient come out exactly; the upper half of w T(q) holds the 53 bits
 *           and enough below them to round right           [Lemire]
 *   (NUM.3) a = r(w 10^q) <= r(v) <= r((w+1) 10^q) = b     r is monotone; w >= 10^18, so there
 *           is at most one midpoint between, and b is a or the double after a
 *   (NUM.4) D 10^E <=> (2 m + 1) 2^(k-1)                   a = m 2^k; D all digits of v; decided
 *           with big integers, only if a and b of (NUM.3) differ
 * Range     -342 <= q <= 308: below, w 10^q < 10^-324 is under half of the least subnormal;
 *           above, w 10^q >= 10^309 has overflowed
 * Source    Clinger, How to read floating point numbers accurately, PLDI (1990) 92-101
 *           Lemire, Number parsing at a gigabyte per second, Softw. Pract. Exper. 51 (2021)
 *           1700-1727; Mushtak & Lemire, Fast number parsing without fallback, ibid. 53 (2023),
 *           proves that (NUM.2) needs no second opinion for any w < 2^64
 * Assumes   the processor rounds to nearest, as C programs start; no locale is looked at
 * Threads   The first real that (NUM.1) does not cover builds the table T. A program that scans
 *           in threads scans "1e300" once before it starts them.
 * Beware    A signed integer right behind a mantissa is its exponent (Nastran), so of "1.0-2.0",
 *           two columns without a blank, 1.0-2 is read; fixed columns are cut by their width.
 * Laws      tests/unit/test_num.c
 */
#include "digits.h"
#include "number.h"
#include <float.h>
#include <string.h>
#if defined __x86_64__
#include <smmintrin.h>
#endif

enum {
    Q_MIN = -342, /* range of the table T, see above                                         */
    Q_MAX = 308,
    DIGITS = 19, /* 10^19 < 2^64: w and w + 1 both fit                                      */
    /* A double, or the midpoint of two, has at most 767 significant digits: whatever comes
     * behind the digits kept only says "a little more". */
    KEEP = 770,
    /* In (NUM.4) E >= -(324 + KEEP + 1), so 5^-E has at most 2543 bits, 2 m + 1 has 54, D has
     * 2562; the shift brings the smaller side to the size of the other: 2600 bits do. */
    LIMBS = 88,
    /* What scan_usual may look at: a sign, 32 bytes for digits and point, an exponent of 4 and
     * the byte behind it, rounded up. */
    WINDOW = 40,
    /* What fb_scan_triple may look at: two integers of 7 digits, each with a blank, and that. */
    TRIPLE = 16 + WINDOW
};

/* ---- digits ---------------------------------------------------------------------------- */

static const uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "row column " with one blank behind each; the byte behind the second. */
static inline __attribute__((always_inline)) const char *scan_indices(const char *p, int64_t *i,
                                                                      int64_t *j)
{
    uint64_t row, column;
    if (!(p = fb_scan_few(p, &row)) || *p != ' ' || !(p = fb_scan_few(p + 1, &column)) || *p != ' ')
        return NULL;
    *i = (int64_t)row;
    *j = (int64_t)column;
    return p + 1;
}

/* Appends the digits at p to *w (modulo 2^64) and returns the first byte behind them. Runs of
 * any length below eight cost the same and no mispredicted branch. */
static inline __attribute__((always_inline)) const char *scan_digits(const char *p, const char *end,
                                                                     uint64_t *w)
{
    while (end - p >= 8) {
        uint64_t t = fb_load8(p) ^ FB_EACH('0'), other = fb_no_digits(t);
        if (other) {
            int n = __builtin_ctzll(other) / 8;
            if (n > 0)
                *w = *w * ten[n] +
                     fb_eight_digits(t << (64 - 8 * n)); /* zeros move in before them */
            return p + n;
        }
        *w = *w * 100000000 + fb_eight_digits(t);
        p += 8;
    }
    while (p < end && is_digit(*p))
        *w = *w * 10 + (uint64_t)(*p++ - '0');
    return p;
}

/* ---- powers of five (NUM.2) ------------------------------------------------------------ */

typedef struct {
    uint64_t hi, lo;
} u128;

static u128 mul64(uint64_t a, uint64_t b)
{
#if defined __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide p = (wide)a * b;
    return (u128){(uint64_t)(p >> 64), (uint64_t)p};
#else
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, mid = ah * bl + (low >> 32), cross = al * bh + (uint32_t)mid;
    return (u128){ah * bh + (mid >> 32) + (cross >> 32), cross << 32 | (uint32_t)low};
#endif
}

typedef struct { /* natural number, least significant limb first, no leading zero limb */
    uint32_t x[LIMBS];
    int n;
} big;

/* b := b f + c */
static void big_mul(big *b, uint32_t f, uint32_t c)
{
    uint64_t carry = c;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->x[i] * f;
        b->x[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->x[b->n++] = (uint32_t)carry;
}

/* b := floor(b / 5) */
static void big_fifth(big *b)
{
    uint64_t rest = 0;
    for (int i = b->n - 1; i >= 0; i--) {
        rest = rest << 32 | b->x[i];
        b->x[i] = (uint32_t)(rest / 5);
        rest %= 5;
    }
    while (b->n > 0 && b->x[b->n - 1] == 0)
        b->n--;
}

/* b := b 2^s */
static void big_shift(big *b, int s)
{
    int limbs = s / 32;
    big_mul(b, UINT32_C(1) << s % 32, 0);
    memmove(b->x + limbs, b->x, (size_t)b->n * sizeof *b->x);
    memset(b->x, 0, (size_t)limbs * sizeof *b->x);
    b->n += limbs;
}

/* b := b 5^k */
static void big_mul_pow5(big *b, int k)
{
    for (; k >= 13; k -= 13)
        big_mul(b, 1220703125, 0); /* 5^13 < 2^32 */
    for (; k > 0; k--)
        big_mul(b, 5, 0);
}

static int big_cmp(const big *a, const big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->x[i] != b->x[i])
            return a->x[i] < b->x[i] ? -1 : 1;
    return 0;
}

/* The 128 leading bits of b > 0. */
static u128 big_top(const big *b)
{
    uint32_t l[5] = {0};
    for (int i = 0; i < 5 && i < b->n; i++)
        l[i] = b->x[b->n - 1 - i];
    int s = __builtin_clzll(l[0]) - 32; /* 0..31; a long long has 64 bits here */
    uint64_t hi = (uint64_t)l[0] << 32 | l[1], lo = (uint64_t)l[2] << 32 | l[3];
    if (s > 0) {
        hi = hi << s | lo >> (64 - s);
        lo = lo << s | l[4] >> (32 - s);
    }
    return (u128){hi, lo};
}

static u128 pow5[Q_MAX - Q_MIN + 1]; /* T(q) at q - Q_MIN */

/* Exact by construction: 5^q grows as an integer; floor(2^N / 5^k) falls by division, and the
 * floor of a fifth of a floor is the floor of the whole. N leaves 128 bits for k = 342, where
 * 5^k has 795. Takes some 30 us, once. */
static void build_pow5(void)
{
    big b = {.x = {1}, .n = 1};
    for (int q = 0; q <= Q_MAX; q++, big_mul(&b, 5, 0))
        pow5[q - Q_MIN] = big_top(&b);
    b = (big){.x = {1}, .n = 1};
    big_shift(&b, 1000);
    for (int q = -1; q >= Q_MIN; q--) {
        big_fifth(&b);
        u128 t = big_top(&b);
        if (q >= -27 && ++t.lo == 0)
            t.hi++;
        pow5[q - Q_MIN] = t;
    }
}

/* ---- rounding -------------------------------------------------------------------------- */

#define INFINITE (UINT64_C(0x7ff) << 52) /* bits of +infinity */
#define HIDDEN   (UINT64_C(1) << 52)     /* leading bit of a normal significand */

/* The bits of r(w 10^q) by (NUM.2); the infinite double on overflow. */
static uint64_t eisel_lemire(uint64_t w, int64_t q)
{
    if (w == 0 || q < Q_MIN)
        return 0;
    if (q > Q_MAX)
        return INFINITE;
    if (pow5[0].hi == 0)
        build_pow5();
    u128 t = pow5[q - Q_MIN];
    int lz = __builtin_clzll(w);
    w <<= lz;
    u128 z = mul64(w, t.hi);
    /* 53 bits, one to round and one that the normalisation may cost: the low half of T can only
     * matter where it may carry through the 64 - 55 bits below them. */
    if ((z.hi & 0x1ff) == 0x1ff) {
        uint64_t more = mul64(w, t.lo).hi;
        z.lo += more;
        z.hi += z.lo < more;
    }
    int top = (int)(z.hi >> 63), s = top + 9;
    uint64_t m = z.hi >> s; /* 54 bits: significand and the bit that rounds */
    /* 217706 / 2^16 ~ log2(10): floor(q log2 10) is right for |q| < 400; 4096 keeps it positive. */
    int e = (int)((217706 * q + (4096 << 16)) >> 16) - 4096 + 63 + top - lz +
            1023; /* biased exponent */
    if (e <= 0) {
        /* Subnormal. A tie would need 5^-q to divide w, which is too small for such q; z was cut
         * off, so what looks like a tie lies above it: halves go up. */
        if (e <= -63)
            return 0;
        m >>= 1 - e;
        return (m >> 1) + (m & 1); /* 2^52 here is the least normal double, as it should be */
    }
    /* A tie has 5^q or 5^-q within 64 bits less 54, and z exact: to even, here downwards. */
    if (z.lo <= 1 && q >= -4 && q <= 23 && (m & 3) == 1 && m << s == z.hi)
        m--;
    m = (m >> 1) + (m & 1);
    /* Adding keeps the hidden bit out of the exponent, and lets a carry to 2^53 into it. */
    uint64_t bits = ((uint64_t)e << 52) + (m - HIDDEN);
    return bits < INFINITE ? bits : INFINITE;
}

/* (NUM.1) where it holds, else (NUM.2). */
static inline uint64_t round_short(uint64_t w, int64_t q)
{
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    /* With the x87 registers of old compilers (FLT_EVAL_METHOD 2) results round twice. */
    if (FLT_EVAL_METHOD == 0 && w <= UINT64_C(1) << 53 && q >= -22 && q <= 22) {
        double x = (double)(int64_t)w;
        uint64_t bits;
        x = q < 0 ? x / exact[-q] : x * exact[q];
        memcpy(&bits, &x, sizeof bits);
        return bits;
    }
    return eisel_lemire(w, q);
}

/* Sign of v - (a + next(a)) / 2 by (NUM.4), for a > 0 or 0 given as bits. v is the digits in
 * [s, last), the first not zero, with one point or none, times 10^E. */
static int compare_midpoint(const char *s, const char *last, int64_t E, uint64_t a)
{
    big D = {.n = 0};
    int k = (int)(a >> 52), n = 0, rest = 0;
    int64_t cut = 0;
    for (; s < last; s++) {
        if (*s == '.')
            continue;
        if (n < KEEP) {
            big_mul(&D, 10, (uint32_t)(*s - '0'));
            n++;
        } else {
            rest |= *s != '0';
            cut++;
        }
    }
    E += cut;
    if (rest) { /* one more digit, above nothing and below everything a midpoint could have */
        big_mul(&D, 10, 1);
        E--;
    }
    uint64_t m = 2 * ((a & (HIDDEN - 1)) | (k > 0 ? HIDDEN : 0)) + 1;
    big h = {.x = {(uint32_t)m, (uint32_t)(m >> 32)}, .n = m >> 32 ? 2 : 1};
    k = (k > 0 ? k : 1) - 1023 - 52 - 1;
    /* D 5^E 2^E against m 2^k, the negative powers moved to the other side. */
    int e = (int)E;
    big_mul_pow5(e >= 0 ? &D : &h, e >= 0 ? e : -e);
    big_shift(e >= k ? &D : &h, e >= k ? e - k : k - e);
    return big_cmp(&D, &h);
}

/* The bits of r(v) for more than 19 digits: v is the digits in [s, last), with one point or
 * none, times 10^exponent; the point, if any, is at `point`, else point is last. */
static uint64_t round_long(const char *s, const char *point, const char *last, int64_t exponent)
{
    uint64_t w = 0;
    int n = 0;
    while (s < last && (*s == '0' || *s == '.'))
        s++;
    const char *first = s;
    for (; s < last && n < DIGITS; s++) {
        if (*s == '.')
            continue;
        w = w * 10 + (uint64_t)(*s - '0');
        n++;
    }
    /* Powers of ten behind the last digit of all, and behind the last one taken. */
    int64_t E = exponent - (point < last ? last - point - 1 : 0);
    int64_t q = E + (last - s) - (s <= point && point < last);
    uint64_t a = eisel_lemire(w, q);
    if (s == last)
        return a;
    uint64_t b = eisel_lemire(w + 1, q); /* (NUM.3) */
    if (a == b)
        return a;
    int c = compare_midpoint(first, last, E, a);
    return c > 0 || (c == 0 && (a & 1)) ? b : a;
}

/* ---- the usual form -------------------------------------------------------------------- */

/* Bit k is set if byte p[k] is no digit, k = 0..31. */
static inline uint32_t other_bytes(const char *p)
{
#if defined __x86_64__
    /* '0'..'9' become -128..-119, the least of all signed bytes. */
    const __m128i low = _mm_set1_epi8((char)(0x80 - '0')), nine = _mm_set1_epi8(-119);
    __m128i a = _mm_add_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), low);
    __m128i b = _mm_add_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16)), low);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(a, nine)) |
           (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(b, nine)) << 16;
#else
    uint32_t bits = 0;
    for (int k = 0; k < 4; k++) {
        uint64_t t = fb_load8(p + 8 * k) ^ FB_EACH('0');
        /* Without their high bits no byte carries into the next. */
        t = (((t & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | t) & 0x8080808080808080;
        bits |= (uint32_t)((t >> 7) * 0x0102040810204080 >> 56) << 8 * k;
    }
    return bits;
#endif
}

int fb_scan_plain = 0;

/* Where a number of the usual form has its point and its end. */
typedef struct {
    const char *s;  /* first digit, or the point */
    uint64_t minus; /* 1: negative */
    int point, digits;
} layout;

/* Digits at both sides of a point, or at one, 19 at most; 0 for any other look. */
static inline __attribute__((always_inline)) int find_layout(const char *p, layout *l)
{
    l->minus = *p == '-';
    l->s = p + (l->minus | (*p == '+'));
    uint32_t other = other_bytes(l->s), behind = other & (other - 1);
    if (behind == 0)
        return 0;
    l->point = __builtin_ctz(other);
    l->digits = __builtin_ctz(behind) - 1;
    return l->s[l->point] == '.' && l->digits >= 1 && l->digits <= DIGITS;
}

/* 24 - k bytes in: k bytes 0xff, then zeros. */
static const unsigned char ahead[48] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* The first n of eight bytes as a number, 0 <= n <= 8; two shifts, as one by 64 is undefined. */
static inline uint64_t first_digits(uint64_t t, int n)
{
    return fb_eight_digits((t ^ FB_EACH('0')) << 4 * (8 - n) << 4 * (8 - n));
}

/* Eight bytes of s where mask is 0xff, else each from one byte further on: the digits without
 * the point. */
static inline uint64_t without_point(const char *s, const unsigned char *mask)
{
    uint64_t here = fb_load8(s), moved = fb_load8(s + 1);
    return moved ^ ((moved ^ here) & fb_load8((const char *)mask));
}

/* The digits behind the 16th. */
static inline uint64_t append_last(const layout *l, uint64_t w)
{
    int n = l->digits - 16;
    return w * ten[n] + first_digits(without_point(l->s + 16, ahead + 24 - l->point + 16), n);
}

static inline uint64_t join_digits(const layout *l)
{
    const unsigned char *mask = ahead + 24 - l->point;
    const int n = l->digits, n0 = n < 8 ? n : 8, n1 = n < 8 ? 0 : n < 16 ? n - 8 : 8;
    uint64_t w = first_digits(without_point(l->s, mask), n0);
    w = w * ten[n1] + first_digits(without_point(l->s + 8, mask + 8), n1);
    return n > 16 ? append_last(l, w) : w;
}

#if defined __x86_64__
/* The same in registers of 16 bytes: the point is blended out, the digits move to the right,
 * and are joined in pairs, fours, eights. */
static inline __attribute__((target("sse4.1"))) uint64_t join_digits_sse(const layout *l)
{
    static const unsigned char right[32] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                            0,    1,    2,    3,    4,    5,    6,    7,
                                            8,    9,    10,   11,   12,   13,   14,   15};
    const int n = l->digits < 16 ? l->digits : 16;
    __m128i here = _mm_loadu_si128((const __m128i *)(const void *)l->s);
    __m128i moved = _mm_loadu_si128((const __m128i *)(const void *)(l->s + 1));
    __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(ahead + 24 - l->point));
    __m128i t = _mm_sub_epi8(_mm_blendv_epi8(moved, here, mask), _mm_set1_epi8('0'));
    t = _mm_shuffle_epi8(t, _mm_loadu_si128((const __m128i *)(const void *)(right + n)));
    t = _mm_maddubs_epi16(t, _mm_set1_epi16(0x010a));
    t = _mm_madd_epi16(t, _mm_set1_epi32(0x00010064));
    t = _mm_madd_epi16(_mm_packus_epi32(t, t), _mm_set1_epi32(0x00012710));
    uint64_t halves = (uint64_t)_mm_cvtsi128_si64(t),
             w = (halves & 0xffffffff) * 100000000 + (halves >> 32);
    return l->digits > 16 ? append_last(l, w) : w;
}
#endif

/* The value of w with its sign, point and exponent: [letter sign digit digit], or none. Returns
 * the first byte behind it; NULL for any other look. */
static inline __attribute__((always_inline)) const char *finish(const layout *l, uint64_t w,
                                                                double *x)
{
    const char *s = l->s + l->digits + 1;
    int64_t q = l->point - l->digits;
    const char letter = (char)(*s | 0x20);
    if (letter == 'e' || letter == 'd') {
        unsigned high = (unsigned)(unsigned char)s[2] - '0',
                 low = (unsigned)(unsigned char)s[3] - '0';
        int64_t down = s[1] == '-';
        if ((!down && s[1] != '+') || high > 9 || low > 9 || is_digit(s[4]))
            return NULL;
        int64_t e = (int64_t)(10 * high + low);
        q += (e ^ -down) + down;
        s += 4;
    } else if (*s == '+' || *s == '-') {
        return NULL;
    }
    uint64_t bits = round_short(w, q) | l->minus << 63;
    memcpy(x, &bits, sizeof bits);
    return s;
}

/* [sign] digits . digits [letter sign digit digit], as programs write tables; NULL for any other
 * look. WINDOW bytes can be read from p on. Lengths and signs vary from field to field, and a
 * branch that is guessed wrong costs as much as a third of the work: there is none on them. */
static inline const char *scan_usual(const char *p, double *x)
{
    layout l;
    return find_layout(p, &l) ? finish(&l, join_digits(&l), x) : NULL;
}

static inline const char *scan_triple(const char *p, int64_t *i, int64_t *j, double *x)
{
    layout l;
    p = scan_indices(p, i, j);
    return p && find_layout(p, &l) ? finish(&l, join_digits(&l), x) : NULL;
}

#if defined __x86_64__
static __attribute__((target("sse4.1"))) const char *scan_usual_sse(const char *p, double *x)
{
    layout l;
    return find_layout(p, &l) ? finish(&l, join_digits_sse(&l), x) : NULL;
}

static __attribute__((target("sse4.1"))) const char *scan_triple_sse(const char *p, int64_t *i,
                                                                     int64_t *j, double *x)
{
    layout l;
    p = scan_indices(p, i, j);
    return p && find_layout(p, &l) ? finish(&l, join_digits_sse(&l), x) : NULL;
}
#define WIDE (!fb_scan_plain && __builtin_cpu_supports("sse4.1"))
#endif

/* ---- the calls ------------------------------------------------------------------------- */

/* The exponent at p, if there is one: a letter and an integer, or Nastran's signed integer
 * alone. What is not a whole exponent stays unread. */
static inline const char *scan_exponent(const char *p, const char *end, int64_t *e)
{
    const char *s = p;
    *e = 0;
    if (s == end)
        return p;
    char letter = (char)(*s | 0x20);
    if (letter == 'e' || letter == 'd')
        s++;
    else if (*s != '+' && *s != '-')
        return p;
    int negative = 0;
    if (s < end && (*s == '+' || *s == '-'))
        negative = *s++ == '-';
    if (s == end || !is_digit(*s))
        return p;
    int64_t k = 0;
    for (; s < end && is_digit(*s); s++)
        if (k < INT64_C(100000000000000000)) /* no text has digits enough to bring this back */
            k = k * 10 + (*s - '0');
    *e = negative ? -k : k;
    return s;
}

/* Any look and length. Not inline: the usual form should not have to save registers for it. */
static __attribute__((noinline)) const char *scan_any(const char *p, const char *end, double *x)
{
    uint64_t w = 0, sign = 0, bits;
    if (p < end && (*p == '-' || *p == '+'))
        sign = (uint64_t)(*p++ == '-') << 63;
    const char *first = p;
    /* Most fields have one digit before the point. */
    if (end - p >= 2 && is_digit(p[0]) && p[1] == '.')
        w = (uint64_t)(*p++ - '0');
    else
        p = scan_digits(p, end, &w);
    const char *point = p;
    int64_t digits = p - first, fraction = 0, exponent;
    if (p < end && *p == '.') {
        p = scan_digits(p + 1, end, &w);
        fraction = p - point - 1;
        digits += fraction;
    }
    if (digits == 0)
        return NULL;
    const char *last = p;
    p = scan_exponent(p, end, &exponent);
    if (digits <= DIGITS)
        bits = round_short(w, exponent - fraction);
    else
        bits = round_long(first, point, last, exponent);
    if (bits == INFINITE)
        return NULL;
    bits |= sign;
    memcpy(x, &bits, sizeof bits);
    return p;
}

const char *fb_scan_real(const char *p, const char *end, double *x)
{
    const char *q = NULL;
    if (end - p >= WINDOW)
#if defined __x86_64__
        q = WIDE ? scan_usual_sse(p, x) : scan_usual(p, x);
#else
        q = scan_usual(p, x);
#endif
    return q ? q : scan_any(p, end, x);
}

int fb_scan_reals(const char *p, const char *end, double *x, int most)
{
    for (int n = 1; n <= most; n++) {
        p = fb_scan_real(p, end, x + n - 1);
        if (!p || p == end)
            return p ? n : -1;
        if (*p++ != ',')
            return -1;
    }
    return -1;
}

const char *fb_scan_triple(const char *p, const char *end, int64_t *i, int64_t *j, double *x)
{
    if (end - p < TRIPLE)
        return NULL;
#if defined __x86_64__
    if (WIDE)
        return scan_triple_sse(p, i, j, x);
#endif
    return scan_triple(p, i, j, x);
}

const char *fb_scan_int(const char *p, const char *end, int64_t *k)
{
    int negative = 0;
    if (p < end && (*p == '-' || *p == '+'))
        negative = *p++ == '-';
    const char *first = p;
    uint64_t w = 0;
    p = scan_digits(p, end, &w);
    if (p == first)
        return NULL;
    if (p - first > DIGITS) { /* w may have wrapped; leading zeros do not count */
        while (first < p && *first == '0')
            first++;
        if (p - first > DIGITS)
            return NULL;
    }
    if (w > (uint64_t)INT64_MAX + (uint64_t)negative)
        return NULL;
    /* -(w-1) - 1 reaches INT64_MIN without overflow. */
    *k = negative && w > 0 ? -(int64_t)(w - 1) - 1 : (int64_t)w;
    return p;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_stream.c - a stream as every tool reads it: the file is opened (a child process walks
 * through it first), the model read and checked; what was read is published again and must then be
 * readable.
 *
 * Metadata of HDF5 1.8 carry checksums, so nearly every mutation would end at the first of them.
 * The mutator mends the checksums of the superblock and of the object headers, as whoever makes a
 * hostile file would. */
#include "scratch.h"
#include "flexbody.h"

int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *d, size_t n, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *d, size_t n, size_t max) __attribute__((weak));

/* ---- checksums (Jenkins' lookup3, as in the HDF5 file format specification) --------------- */

static uint32_t turn(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

static uint32_t lookup3(const uint8_t *d, size_t n)
{
    uint32_t v[3];
    v[0] = v[1] = v[2] = 0xdeadbeefu + (uint32_t)n;
    static const int mix[6] = {4, 6, 8, 16, 19, 4}, final[7] = {14, 11, 25, 16, 4, 14, 24};
    for (; n > 0; d += 12) {
        size_t part = n < 12 ? n : 12;
        for (size_t k = 0; k < part; k++)
            v[k / 4] += (uint32_t)d[k] << 8 * (k % 4);
        n -= part;
        for (int k = 0; n > 0 && k < 6; k++) { /* a -= c; a ^= rot(c); c += b and so on round */
            uint32_t *a = v + k % 3, *b = v + (k + 1) % 3, *c = v + (k + 2) % 3;
            *a -= *c;
            *a ^= turn(*c, mix[k]);
            *c += *b;
        }
    }
    for (int k = 0; k < 7; k++) { /* c ^= b; c -= rot(b), then a of c, b of a */
        uint32_t *c = v + (k + 2) % 3, *b = v + (k + 1) % 3;
        *c ^= *b;
        *c -= turn(*b, final[k]);
    }
    return v[2];
}

static uint64_t number(const uint8_t *d, int bytes)
{
    uint64_t x = 0;
    for (int k = bytes - 1; k >= 0; k--)
        x = x << 8 | d[k];
    return x;
}

static void mend(uint8_t *d, size_t n)
{
    uint32_t sum = lookup3(d, n - 4);
    for (int k = 0; k < 4; k++)
        d[n - 4 + (size_t)k] = (uint8_t)(sum >> 8 * k);
}

/* The messages of a header; one of type 16 names a continuation, which has a checksum of its own.
 * */
static void mend_continuations(uint8_t *d, size_t n, const uint8_t *p, const uint8_t *end,
                               int order)
{
    for (size_t size; end - p >= 4; p += size) {
        size = (size_t)number(p + 1, 2) + 4 + (order ? 2 : 0);
        if (size > (size_t)(end - p))
            return;
        const uint8_t *body = p + (order ? 6 : 4);
        if (p[0] != 16 || p + size - body != 16)
            continue;
        uint64_t at = number(body, 8), length = number(body + 8, 8);
        if (at <= n && length >= 8 && length <= n - at && !memcmp(d + at, "OCHK", 4))
            mend(d + at, (size_t)length);
    }
}

static void mend_all(uint8_t *d, size_t n)
{
    if (n >= 48 && d[8] >= 2)
        mend(d, 48);
    for (size_t k = 0; k + 16 < n; k++) {
        if (memcmp(d + k, "OHDR", 4))
            continue;
        const int flags = d[k + 5], width = 1 << (flags & 3);
        size_t head = 6 + (size_t)(flags & 0x20 ? 16 : 0) + (size_t)(flags & 0x10 ? 4 : 0);
        if (k + head + 8 >= n)
            return;
        uint64_t size = number(d + k + head, width);
        head += (size_t)width;
        if (size > n || k + head + size + 4 > n)
            continue;
        mend_continuations(d, n, d + k + head, d + k + head + size, flags & 4);
        mend(d + k, head + (size_t)size + 4);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *d, size_t n, size_t max, unsigned seed)
{
    n = LLVMFuzzerMutate(d, n, max);
    if (seed % 8)
        mend_all(d, n);
    return n;
}

/* ---- the target ------------------------------------------------------------------------ */

static char input[96], output[96];

static fb_status load(fb_stream *st, const char *path, fb_model *b, fb_err *e)
{
    fb_status s = fb_stream_open(st, path, e);
    return s ? s : fb_model_read(st, b, NULL, e);
}

static void must(fb_status s, const fb_err *e)
{
    if (s == FB_OK)
        return;
    fprintf(stderr, "%s\n", e->msg);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n)
{
    static const char *const mine[] = {"/nodes", "/dofs", "/reduced", "/invariants", NULL};
    fb_stream in = FB_STREAM_NONE, again = FB_STREAM_NONE;
    fb_model b = {0}, c = {0};
    fb_run r = {.out = output, .line = "fuzz"};
    fb_err e = {0};
    if (!*input) {
        make_scratch();
        snprintf(input, sizeof input, "%s/in", scratch);
        snprintf(output, sizeof output, "%s/out", scratch);
    }
    write_scratch(input, d, n);
    if (load(&in, input, &b, &e) == FB_OK) {
        must(fb_model_check(&b, &e), &e);
        if (fb_publish(&r, &in, &b, mine, mine, &e) == FB_OK)
            must(load(&again, output, &c, &e), &e);
    }
    fb_stream_abandon(&in);
    fb_stream_abandon(&again);
    fb_model_free(&b);
    fb_model_free(&c);
    return 0;
}

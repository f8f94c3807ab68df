/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gunzip.c - inputs packed by gzip, unpacked in front of all readers.
 *
 * Layout   members one after another: 1f 8b 08, ..., deflate, CRC-32, length; zlib checks both
 * Law      what unpacks to more than fb_unpack_most is refused: a small file may claim any memory
 */
#include "bytes.h"
#include "memory.h"
#include "status.h"
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { WITH_GZIP_HEAD = 16 + MAX_WBITS, FIRST = 4 }; /* of what follows; times the packed size */

double fb_unpack_free = 1 << 30;

double fb_unpack_most(size_t packed)
{
    const double times = (double)FB_UNPACK_TIMES * (double)packed;
    return times > fb_unpack_free ? times : fb_unpack_free;
}

static int is_member(const unsigned char *p, size_t n)
{
    return n >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8;
}

static fb_status broken(const fb_input *in, const char *what, size_t at, fb_err *e)
{
    return fb_fail(e, FB_EFORMAT, "%s: packed by gzip, %s near byte %zu of %zu", in->name, what, at,
                   in->size);
}

/* One member from *at on, behind the *n bytes that are there. */
static fb_status member(const fb_input *in, size_t *at, unsigned char **out, int64_t *n,
                        int64_t *cap, fb_err *e)
{
    z_stream z = {0};
    fb_status s = FB_OK;
    int got = inflateInit2(&z, WITH_GZIP_HEAD);
    if (got != Z_OK)
        return fb_fail(e, FB_ESYS, "out of memory for zlib");
    while (got != Z_STREAM_END) {
        const size_t left = in->size - *at;
        const uInt some = left > INT_MAX ? INT_MAX : (uInt)left;
        FB_TRY(fb_grow(out, cap, *n + 65536, 1, e));
        const uInt room = *cap - *n > INT_MAX ? INT_MAX : (uInt)(*cap - *n);
        z.next_in = (unsigned char *)(uintptr_t)(in->data + *at);
        z.avail_in = some;
        z.next_out = *out + *n;
        z.avail_out = room;
        got = inflate(&z, Z_NO_FLUSH);
        *at += some - z.avail_in;
        *n += room - z.avail_out;
        if (got == Z_MEM_ERROR)
            FB_TRY(fb_fail(e, FB_ESYS, "out of memory for zlib"));
        if (got == Z_BUF_ERROR || (got == Z_OK && *at == in->size && z.avail_out))
            FB_TRY(broken(in, "the file ends early", *at, e));
        if (got != Z_OK && got != Z_STREAM_END)
            FB_TRY(broken(in, z.msg ? z.msg : "damaged", *at, e));
        if ((double)*n > fb_unpack_most(in->size))
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "%s: %.3g MB packed by gzip become more than %.3g MB: 1 GB or %d times "
                           "the file are unpacked at the most; unpack it by hand if it is right",
                           in->name, (double)in->size / 1e6, fb_unpack_most(in->size) / 1e6,
                           FB_UNPACK_TIMES));
    }
out:
    (void)inflateEnd(&z);
    return s;
}

/* Zeros behind the last member fill up blocks of tapes. */
static int is_padding(const fb_input *in, size_t at)
{
    while (at < in->size && !in->data[at])
        at++;
    return at == in->size;
}

fb_status fb_gunzip(const fb_input *in, unsigned char **unpacked, size_t *size, fb_err *e)
{
    unsigned char *out = NULL;
    int64_t n = 0, cap = 0;
    size_t at = 0;
    fb_status s = FB_OK;
    if (!is_member(in->data, in->size))
        return FB_OK;
    if ((double)in->size * (double)FIRST < fb_unpack_most(in->size))
        FB_TRY(fb_grow(&out, &cap, (int64_t)in->size * FIRST, 1, e));
    while (at < in->size && !(at && is_padding(in, at))) {
        if (!is_member(in->data + at, in->size - at))
            FB_TRY(broken(in, "something else follows", at, e));
        FB_TRY(member(in, &at, &out, &n, &cap, e));
    }
    if (!n)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s is empty", in->name));
    *unpacked = out;
    *size = (size_t)n;
    out = NULL;
out:
    free(out);
    return s;
}

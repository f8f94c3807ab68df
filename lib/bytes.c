/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bytes.c - whole inputs in memory, a bounded cursor for readers, a buffer for writers. */
#define _DEFAULT_SOURCE /* madvise */
#include "bytes.h"
#include "memory.h"
#include "status.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A pipe has no size: its bytes are collected in a buffer that doubles. */
static fb_status slurp(fb_input *in, int fd, fb_err *e)
{
    unsigned char *buf = NULL;
    int64_t cap = 0, n = 0;
    fb_status s = FB_OK;
    for (;;) {
        FB_TRY(fb_grow(&buf, &cap, n + 65536, 1, e));
        ssize_t k = read(fd, buf + n, (size_t)(cap - n));
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            FB_TRY(fb_fail(e, FB_ESYS, "%s: %s", in->name, strerror(errno)));
        if (k == 0)
            break;
        n += k;
    }
    in->data = buf;
    in->size = (size_t)n;
    buf = NULL;
out:
    free(buf);
    return s;
}

int fb_endless(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && st->st_rdev != makedev(1, 3) /* /dev/null is empty */;
}

static fb_status fill(fb_input *in, int fd, fb_err *e)
{
    struct stat st;
    if (fstat(fd, &st))
        return fb_fail(e, FB_ESYS, "%s: %s", in->name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return fb_fail(e, FB_ESYS, "%s is a directory, a file is wanted", in->name);
    if (isatty(fd))
        return fb_fail(e, FB_EUSAGE, "%s is a terminal: name a file, or pipe data in", in->name);
    if (fb_endless(&st))
        return fb_fail(e, FB_EUSAGE, "%s is a device: a file or a pipe is wanted", in->name);
    if (S_ISREG(st.st_mode) && st.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED) {
            in->data = p;
            in->size = (size_t)st.st_size;
            in->mapped = 1;
            return FB_OK;
        }
    }
    return slurp(in, fd, e);
}

static void release(fb_input *in)
{
    if (in->mapped)
        munmap((void *)(uintptr_t)in->data, in->size);
    else
        free((void *)(uintptr_t)in->data);
    in->data = NULL;
}

fb_status fb_input_open(fb_input *in, const char *path, fb_err *e)
{
    fb_input t = {0};
    unsigned char *unpacked = NULL;
    size_t size = 0;
    fb_status s = FB_OK;
    int standard = !path || !strcmp(path, "-"), fd = -1;
    const char *name = standard ? "standard input" : path;
    FB_TRY(fb_copy(&t.name, name, (int64_t)strlen(name) + 1, 1, "file name", e));
    fd = standard ? 0 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        s = fb_fail(e, FB_ESYS, "%s: %s", name, strerror(errno));
    else
        s = fill(&t, fd, e);
    if (!s && t.size == 0)
        s = fb_fail(e, FB_EFORMAT, "%s is empty%s", name,
                    standard ? ": did the tool before this one fail?" : "");
    if (!s)
        s = fb_gunzip(&t, &unpacked, &size, e);
    if (!s && unpacked) {
        release(&t);
        t = (fb_input){.data = unpacked, .size = size, .name = t.name};
    }
    if (s)
        goto out;
    *in = t;
    t = (fb_input){0};
out:
    if (fd > 0)
        close(fd);
    fb_input_close(&t);
    return s;
}

void fb_input_close(fb_input *in)
{
    release(in);
    free(in->name);
    *in = (fb_input){0};
}

static void give_back(const fb_input *in, size_t from, size_t upto)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), first = (from + page - 1) / page * page;
    if (in->mapped && upto >= first + page)
        madvise((void *)(uintptr_t)(in->data + first), (upto - first) / page * page, MADV_DONTNEED);
}

void fb_input_done(const fb_input *in, size_t upto)
{
    give_back(in, 0, upto);
}

enum { METER = 16 << 20 }; /* bytes between two calls */

void fb_meter_part(fb_meter *m, fb_log *log, const fb_input *in, const void *begin, const void *end)
{
    *m = (fb_meter){in, log, (uintptr_t)begin, (uintptr_t)end, UINTPTR_MAX, 0, 1};
    if (m->end - m->begin > METER)
        m->next = m->begin + METER;
}

void fb_meter_start(fb_meter *m, fb_log *log, const fb_input *in, int pass, int passes)
{
    fb_meter_part(m, log, in, in->data, in->data + in->size);
    m->pass = pass;
    m->passes = passes;
}

void fb_meter_tell(fb_meter *m, const void *at)
{
    const fb_input *in = m->in;
    if (!in) {
        m->next = UINTPTR_MAX;
        return;
    }
    const uintptr_t data = (uintptr_t)in->data, done = (uintptr_t)at - m->begin;
    const char *name = strrchr(in->name, '/');
    give_back(in, m->begin - data, (uintptr_t)at - data);
    m->next = (uintptr_t)at + METER;
    fb_progress(m->log, name && name[1] ? name + 1 : in->name,
                (m->pass + (double)done / (double)(m->end - m->begin)) / m->passes,
                (double)in->size / 1e9, "GB");
}

fb_status fb_need(const fb_cursor *c, int64_t n, size_t size, const char *what, fb_err *e)
{
    size_t left = c->size - c->pos;
    if (n < 0 || (uint64_t)n > left / size)
        return fb_fail(e, FB_EFORMAT, "byte %zu: %s: %lld x %zu bytes needed, %zu left", c->pos,
                       what, (long long)n, size, left);
    return FB_OK;
}

/* The shifts are the pattern that compilers turn into one instruction; a loop over bytes is not. */
static uint32_t swap32(uint32_t u)
{
    return u >> 24 | (u >> 8 & 0xff00) | (u << 8 & 0xff0000) | u << 24;
}

static uint64_t swap64(uint64_t u)
{
    u = (u >> 8 & 0x00ff00ff00ff00ffu) | (u & 0x00ff00ff00ff00ffu) << 8;
    u = (u >> 16 & 0x0000ffff0000ffffu) | (u & 0x0000ffff0000ffffu) << 16;
    return u >> 32 | u << 32;
}

/* Is the other byte order than this machine's wanted? */
static int foreign(int little)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first != (little != 0);
}

/* n numbers of `size` bytes, 4 or 8. */
static fb_status get(fb_cursor *c, void *v, int64_t n, size_t size, const char *what, fb_err *e)
{
    FB_PASS(fb_need(c, n, size, what, e));
    const unsigned char *from = c->data + c->pos;
    unsigned char *to = v;
    const int turn = foreign(c->little);
    for (int64_t k = 0; k < n && size == 4; k++) {
        uint32_t u;
        memcpy(&u, from + 4 * k, 4);
        u = turn ? swap32(u) : u;
        memcpy(to + 4 * k, &u, 4);
    }
    for (int64_t k = 0; k < n && size == 8; k++) {
        uint64_t u;
        memcpy(&u, from + 8 * k, 8);
        u = turn ? swap64(u) : u;
        memcpy(to + 8 * k, &u, 8);
    }
    c->pos += size * (size_t)n;
    return FB_OK;
}

fb_status fb_get_i32(fb_cursor *c, int32_t *v, const char *what, fb_err *e)
{
    return get(c, v, 1, 4, what, e);
}

fb_status fb_get_i64(fb_cursor *c, int64_t *v, const char *what, fb_err *e)
{
    return get(c, v, 1, 8, what, e);
}

fb_status fb_get_f32(fb_cursor *c, float *v, const char *what, fb_err *e)
{
    return get(c, v, 1, 4, what, e);
}

fb_status fb_get_f64(fb_cursor *c, double *v, int64_t n, const char *what, fb_err *e)
{
    return get(c, v, n, 8, what, e);
}

fb_status fb_get_count(fb_cursor *c, int64_t *n, size_t bytes, const char *what, fb_err *e)
{
    int32_t v;
    size_t at = c->pos;
    fb_status s = fb_get_i32(c, &v, what, e);
    if (s)
        return s;
    if (v < 0)
        s = fb_fail(e, FB_EFORMAT, "byte %zu: %s: count %d is negative", at, what, (int)v);
    else
        s = fb_need(c, v, bytes, what, e);
    if (s)
        c->pos = at;
    else
        *n = v;
    return s;
}

/* A spooled buffer holds no more than this. */
enum { SPOOL = 1 << 20 };

static void spool(fb_buf *b, const unsigned char *p, size_t n)
{
    while (n > 0 && !b->failed) {
        ssize_t k = write(b->spool, p, n);
        if (k < 0 && errno != EINTR) {
            b->failed = 4;
            b->error = errno;
        }
        p += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
}

void fb_buf_flush(fb_buf *b)
{
    spool(b, b->data, (size_t)b->size);
    b->size = 0;
}

void fb_put_bytes(fb_buf *b, const void *p, size_t n)
{
    fb_err e;
    if (n == 0)
        return;
    if (b->spool && b->size + (int64_t)n > SPOOL) {
        fb_buf_flush(b);
        if (n > SPOOL) {
            spool(b, p, n);
            return;
        }
    }
    if (b->failed || fb_grow(&b->data, &b->cap, b->size + (int64_t)n, 1, &e)) {
        b->failed = b->failed ? b->failed : 1;
        return;
    }
    memcpy(b->data + b->size, p, n);
    b->size += (int64_t)n;
}

void fb_put_i32(fb_buf *b, int64_t v)
{
    uint32_t u = (uint32_t)v;
    if (v < INT32_MIN || v > INT32_MAX)
        b->failed = 2;
    u = foreign(b->little) ? swap32(u) : u;
    fb_put_bytes(b, &u, sizeof u);
}

void fb_put_f64(fb_buf *b, const double *v, int64_t n)
{
    enum { BLOCK = 4096 };
    uint64_t u[BLOCK];
    for (int64_t k = 0; k < n; k += BLOCK) {
        int64_t m = n - k < BLOCK ? n - k : BLOCK;
        memcpy(u, v + k, 8 * (size_t)m);
        for (int64_t q = 0; foreign(b->little) && q < m; q++)
            u[q] = swap64(u[q]);
        fb_put_bytes(b, u, 8 * (size_t)m);
    }
}

void fb_put_text(fb_buf *b, const char *fmt, ...)
{
    char line[2048];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof line)
        b->failed = 3;
    else
        fb_put_bytes(b, line, (size_t)n);
}

int fb_utf8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    const int n = *p < 0x80                 ? 1
                  : *p >= 0xc2 && *p < 0xe0 ? 2
                  : *p >= 0xe0 && *p < 0xf0 ? 3
                  : *p >= 0xf0 && *p < 0xf5 ? 4
                                            : 0;
    if (n == 1)
        return *p >= 0x20 && *p != 0x7f;
    for (int k = 1; k < n; k++)
        if ((p[k] & 0xc0) != 0x80)
            return 0;
    const unsigned second =
        n ? p[1] : 0; /* no overlong forms, surrogates, or numbers past the last */
    const int bad = (*p == 0xe0 && second < 0xa0) || (*p == 0xed && second > 0x9f) ||
                    (*p == 0xf0 && second < 0x90) || (*p == 0xf4 && second > 0x8f) ||
                    (*p == 0xef && second == 0xbf && p[2] >= 0xbe);
    return bad ? 0 : n;
}

static int columns(const char *utf8, size_t bytes)
{
    int n = 0;
    for (size_t k = 0; k < bytes; k++)
        n += ((unsigned char)utf8[k] & 0xc0) != 0x80;
    return n;
}

int fb_text_width(const char *utf8)
{
    return columns(utf8, strlen(utf8));
}

void fb_put_wrapped(fb_buf *b, const char *text, int at, int indent)
{
    for (int first = 1; *text; first = 0) {
        text += strspn(text, " ");
        const size_t bytes = strcspn(text, " ");
        const int n = columns(text, bytes);
        if (!bytes)
            return;
        if (!first && at + 1 + n > FB_PAGE) {
            fb_put_text(b, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            fb_put_bytes(b, " ", 1);
            at++;
        }
        fb_put_bytes(b, text, bytes);
        at += n;
        text += bytes;
    }
}

void fb_put_base64(fb_buf *b, const void *data, size_t n)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { TRIPLES = 1024 };
    const unsigned char *p = data;
    char text[4 * TRIPLES];
    size_t at = 0;
    for (size_t k = 0; k < n; k += 3) {
        const unsigned v = (unsigned)p[k] << 16 | (k + 1 < n ? (unsigned)p[k + 1] << 8 : 0) |
                           (k + 2 < n ? p[k + 2] : 0);
        text[at++] = letter[v >> 18];
        text[at++] = letter[v >> 12 & 63];
        text[at++] = k + 1 < n ? letter[v >> 6 & 63] : '=';
        text[at++] = k + 2 < n ? letter[v & 63] : '=';
        if (at == sizeof text) {
            fb_put_bytes(b, text, at);
            at = 0;
        }
    }
    fb_put_bytes(b, text, at);
}

fb_status fb_buf_status(const fb_buf *b, fb_err *e)
{
    if (b->failed == 1)
        return fb_fail(e, FB_ESYS, "out of memory: output buffer of %lld bytes",
                       (long long)b->size);
    if (b->failed == 2)
        return fb_fail(e, FB_EFORMAT,
                       "a count or node number does not fit the 32 bits of this format");
    if (b->failed == 3)
        return fb_fail(e, FB_EFORMAT, "a line of text is too long for this format");
    return b->failed ? fb_fail(e, FB_ESYS, "writing the output: %s", strerror(b->error)) : FB_OK;
}

void fb_buf_free(fb_buf *b)
{
    free(b->data);
    *b = (fb_buf){0};
}

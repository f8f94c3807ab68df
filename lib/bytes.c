/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bytes.c - whole inputs in memory, a bounded cursor for readers, a buffer for writers. */
#include "flexbody.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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
        if (k < 0) {
            s = fb_fail(e, FB_ESYS, "%s", strerror(errno));
            goto out;
        }
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

static fb_status fill(fb_input *in, int fd, fb_err *e)
{
    struct stat st;
    if (fstat(fd, &st))
        return fb_fail(e, FB_ESYS, "%s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return fb_fail(e, FB_ESYS, "is a directory, a file is wanted");
    if (isatty(fd))
        return fb_fail(e, FB_EUSAGE, "is a terminal: name a file, or pipe data in");
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

fb_status fb_input_open(fb_input *in, const char *path, fb_err *e)
{
    fb_input t = {0};
    fb_status s = FB_OK;
    int standard = !path || !strcmp(path, "-"), fd = -1;
    const char *name = standard ? "standard input" : path;
    FB_TRY(fb_new(&t.name, (int64_t)strlen(name) + 1, 1, "file name", e));
    memcpy(t.name, name, strlen(name) + 1);
    fd = standard ? 0 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        s = fb_fail(e, FB_ESYS, "%s", strerror(errno));
    else
        s = fill(&t, fd, e);
    if (!s && t.size == 0)
        s = fb_fail(e, FB_EFORMAT, standard ? "is empty: did the tool before this one fail?" : "is empty");
    if (s) {
        fb_context(e, "%s", name);
        goto out;
    }
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
    if (in->mapped)
        munmap((void *)(uintptr_t)in->data, in->size);
    else
        free((void *)(uintptr_t)in->data);
    free(in->name);
    *in = (fb_input){0};
}

fb_status fb_need(const fb_cursor *c, int64_t n, size_t size, const char *what, fb_err *e)
{
    size_t left = c->size - c->pos;
    if (n < 0 || (uint64_t)n > left / size)
        return fb_fail(e, FB_EFORMAT, "byte %zu: %s: %lld x %zu bytes needed, %zu left", c->pos, what,
                       (long long)n, size, left);
    return FB_OK;
}

static uint64_t word(const unsigned char *p, int size, int little)
{
    uint64_t v = 0;
    for (int k = 0; k < size; k++)
        v = v << 8 | p[little ? size - 1 - k : k];
    return v;
}

fb_status fb_get_i32(fb_cursor *c, int32_t *v, const char *what, fb_err *e)
{
    fb_status s = fb_need(c, 1, 4, what, e);
    if (s)
        return s;
    uint32_t u = (uint32_t)word(c->data + c->pos, 4, c->little);
    memcpy(v, &u, 4);
    c->pos += 4;
    return FB_OK;
}

fb_status fb_get_i64(fb_cursor *c, int64_t *v, const char *what, fb_err *e)
{
    fb_status s = fb_need(c, 1, 8, what, e);
    if (s)
        return s;
    uint64_t u = word(c->data + c->pos, 8, c->little);
    memcpy(v, &u, 8);
    c->pos += 8;
    return FB_OK;
}

fb_status fb_get_f32(fb_cursor *c, float *v, const char *what, fb_err *e)
{
    fb_status s = fb_need(c, 1, 4, what, e);
    if (s)
        return s;
    uint32_t u = (uint32_t)word(c->data + c->pos, 4, c->little);
    memcpy(v, &u, 4);
    c->pos += 4;
    return FB_OK;
}

fb_status fb_get_f64(fb_cursor *c, double *v, int64_t n, const char *what, fb_err *e)
{
    fb_status s = fb_need(c, n, 8, what, e);
    if (s)
        return s;
    for (int64_t k = 0; k < n; k++) {
        uint64_t u = word(c->data + c->pos + 8 * k, 8, c->little);
        memcpy(v + k, &u, 8);
    }
    c->pos += 8 * (size_t)n;
    return FB_OK;
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

void fb_put_bytes(fb_buf *b, const void *p, size_t n)
{
    fb_err e;
    if (n == 0)
        return;
    if (b->failed || fb_grow(&b->data, &b->cap, b->size + (int64_t)n, 1, &e)) {
        b->failed = 1;
        return;
    }
    memcpy(b->data + b->size, p, n);
    b->size += (int64_t)n;
}

static void put_word(fb_buf *b, uint64_t u, int size)
{
    unsigned char w[8];
    for (int k = 0; k < size; k++)
        w[k] = (unsigned char)(u >> 8 * (b->little ? k : size - 1 - k));
    fb_put_bytes(b, w, (size_t)size);
}

void fb_put_i32(fb_buf *b, int64_t v)
{
    if (v < INT32_MIN || v > INT32_MAX)
        b->failed = 2;
    put_word(b, (uint64_t)v, 4);
}

void fb_put_f64(fb_buf *b, const double *v, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        uint64_t u;
        memcpy(&u, v + k, 8);
        put_word(b, u, 8);
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

fb_status fb_buf_status(const fb_buf *b, fb_err *e)
{
    switch (b->failed) {
    case 0:  return FB_OK;
    case 1:  return fb_fail(e, FB_ESYS, "out of memory: output buffer of %lld bytes", (long long)b->size);
    case 2:  return fb_fail(e, FB_EFORMAT, "a count or node number does not fit the 32 bits of this format");
    default: return fb_fail(e, FB_EFORMAT, "a line of text is too long for this format");
    }
}

void fb_buf_free(fb_buf *b)
{
    free(b->data);
    *b = (fb_buf){0};
}

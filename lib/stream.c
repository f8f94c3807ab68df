/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stream.c - one HDF5 file through a pipe.
 *
 * HDF5 must seek, a pipe cannot. A tool builds its file under a temporary name, unlinked as soon
 * as HDF5 has it open, and copies it to the standard output only when it is complete and closed:
 * the next tool sees a whole file or nothing. A reader spools its standard input likewise. With -o
 * the temporary file lies beside the final one and is renamed at the end. (A file that is read
 * needs its name: HDF5 1.10 resolves the link of /proc/self/fd and fails on an unlinked file.) */
#define _GNU_SOURCE /* F_SETPIPE_SZ, splice */
#include "cli.h"
#include "linalg/far.h"
#include "memory.h"
#include "process.h"
#include "publish.h"
#include "stream.h"
#include "h5.h"
#include "schema.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static fb_status write_all(int out, const void *from, size_t n, const char *what, fb_err *e)
{
    const char *p = from;
    while (n > 0) {
        ssize_t k = write(out, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return fb_fail(e, FB_ESYS, "writing %s: %s", what, strerror(errno));
        p += k;
        n -= (size_t)k;
    }
    return FB_OK;
}

/* From or into a pipe the kernel hands pages on, which saves the copy to here and back. *rest:
 * something is left for read and write, which also find out what is wrong. */
static fb_status hand_on(int in, int out, size_t most, const char *to, int *rest, fb_err *e)
{
    ssize_t n;
    do
        n = splice(in, NULL, out, NULL, most, SPLICE_F_MORE);
    while (n > 0 || (n < 0 && errno == EINTR));
    *rest = n < 0;
    return n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EPIPE)
               ? fb_fail(e, FB_ESYS, "writing %s: %s", to, strerror(errno))
               : FB_OK;
}

static fb_status copy(int in, int out, const char *from, const char *to, fb_err *e)
{
    const size_t cap = (size_t)1 << 20;
    char *buf = NULL;
    int rest = 1;
    fb_status s = FB_OK;
/* a pipe of 64 KiB wakes the other side sixteen times as often; no pipe: no change */
#ifdef F_SETPIPE_SZ
    (void)fcntl(in, F_SETPIPE_SZ, (int)cap);
    (void)fcntl(out, F_SETPIPE_SZ, (int)cap);
#endif
    FB_PASS(hand_on(in, out, cap, to, &rest, e));
    if (rest)
        FB_TRY(fb_new(&buf, (int64_t)cap, 1, "copy buffer", e));
    while (rest) {
        ssize_t n = read(in, buf, cap);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            s = fb_fail(e, FB_ESYS, "reading %s: %s", from, strerror(errno));
        if (n <= 0)
            break;
        FB_TRY(write_all(out, buf, (size_t)n, to, e));
    }
out:
    free(buf);
    return s;
}

static int standard(const char *path)
{
    return !path || !strcmp(path, "-");
}

static fb_status text(char **to, const char *a, const char *b, fb_err *e)
{
    size_t n = strlen(a) + strlen(b) + 1;
    fb_status s = fb_new(to, (int64_t)n, 1, "file name", e);
    if (!s)
        snprintf(*to, n, "%s%s", a, b);
    return s;
}

/* A new temporary file: in $TMPDIR, or beside `beside`. */
static fb_status temporary(fb_stream *t, const char *beside, fb_err *e)
{
    const char *dir = getenv("TMPDIR");
    fb_status s = beside ? text(&t->path, beside, ".XXXXXX", e)
                         : text(&t->path, dir && *dir ? dir : "/tmp", "/flexbody.XXXXXX", e);
    if (s)
        return s;
    t->fd = fb_temporary_file(t->path);
    if (t->fd < 0) {
        s = beside ? fb_fail(e, FB_ESYS, "%s: cannot write beside it: %s", beside, strerror(errno))
                   : fb_fail(e, FB_ESYS, "temporary file %s: %s (TMPDIR chooses the folder)",
                             t->path, strerror(errno));
        t->path[0] = 0;
        return s;
    }
    return FB_OK;
}

static void forget_name(fb_stream *t)
{
    fb_temporary_remove(t->path);
    t->path[0] = 0;
}

/* A new temporary HDF5 file, without a name where none is needed. */
static fb_status temporary_h5(fb_stream *t, int64_t before, fb_err *e)
{
    fb_status s = temporary(t, t->final, e);
    if (!s && !t->final)
        forget_name(t);
    return s ? s : fb_h5_create(&t->h5, t->fd, before, e);
}

/* The size of a regular file, so that bytes behind the HDF5 data do not pass unseen. */
static fb_status size_of(int fd, const char *name, int64_t *size, fb_err *e)
{
    struct stat st;
    if (fstat(fd, &st))
        return fb_fail(e, FB_ESYS, "%s: %s", name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return fb_fail(e, FB_ESYS, "%s is a directory, a file is wanted", name);
    *size = st.st_size;
    if (st.st_size == 0 && S_ISREG(st.st_mode))
        return fb_fail(e, FB_EFORMAT, "%s is empty: did the tool before this one fail?", name);
    return FB_OK;
}

const char *fb_stream_sibling;

fb_status fb_stream_spool(fb_stream *st, fb_err *e)
{
    return temporary(st, NULL, e);
}

fb_status fb_stream_open(fb_stream *st, const char *path, fb_err *e)
{
    fb_stream t = FB_STREAM_NONE;
    int64_t size = -1;
    int source = -1;
    fb_status s = FB_OK;
    FB_TRY(text(&t.name, standard(path) ? "standard input" : path, "", e));
    source = standard(path) ? 0 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (source < 0 || isatty(source)) {
        s = source < 0
                ? fb_fail(e, FB_ESYS, "%s: %s", path, strerror(errno))
                : fb_fail(e, FB_EUSAGE, "%s is a terminal: name a file, or pipe data in", t.name);
        goto out;
    }
    struct stat sb;
    const int known = fstat(source, &sb) == 0;
    if (known && fb_endless(&sb))
        FB_TRY(fb_fail(e, FB_EUSAGE, "%s is a device: a file or a pipe is wanted", t.name));
    if (standard(path) && fb_stream_sibling) {
        FB_TRY(size_of(source, t.name, &size, e));
        FB_TRY(fb_h5_open_own(&t.h5, fb_stream_sibling, size, t.name, e));
    } else if (standard(path) || !known || !(S_ISREG(sb.st_mode) || S_ISDIR(sb.st_mode))) {
        FB_TRY(temporary(&t, NULL, e));
        FB_TRY(copy(source, t.fd, t.name, "the spool in TMPDIR", e));
        FB_TRY(size_of(t.fd, t.name, &size, e));
        FB_TRY(fb_h5_open(&t.h5, t.path, size, t.name, e));
        if (!fb_far) /* others open it by its name, until it is closed */
            forget_name(&t);
    } else {
        FB_TRY(size_of(source, t.name, &size, e));
        FB_TRY(fb_h5_open(&t.h5, path, size, t.name, e));
    }
    *st = t;
    t = (fb_stream)FB_STREAM_NONE;
out:
    if (source > 0)
        close(source);
    fb_stream_abandon(&t);
    return s;
}

fb_status fb_stream_open_input(fb_stream *st, const fb_input *in, fb_err *e)
{
    fb_stream t = FB_STREAM_NONE;
    fb_status s = FB_OK;
    FB_TRY(text(&t.name, in->name, "", e));
    FB_TRY(temporary(&t, NULL, e));
    FB_TRY(write_all(t.fd, in->data, in->size, "the spool in TMPDIR", e));
    FB_TRY(fb_h5_open(&t.h5, t.path, (int64_t)in->size, t.name, e));
    forget_name(&t);
    *st = t;
    t = (fb_stream)FB_STREAM_NONE;
out:
    fb_stream_abandon(&t);
    return s;
}

/* The bytes of the complete file into the one that stands under its name, which keeps its inode.
 * What can fail, room and permission, is asked first, and signals wait: it is the old file or the
 * new one that a reader finds afterwards. */
static fb_status overwrite(fb_stream *st, int64_t size, fb_err *e)
{
    sigset_t all, before;
    fb_status s = FB_OK;
    int to = open(st->final, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (to < 0 || (fallocate(to, FALLOC_FL_KEEP_SIZE, 0, size) &&
                   (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))) {
        s = fb_fail(e, FB_ESYS, "%s: %s", st->final, strerror(errno));
        if (to >= 0)
            close(to);
        return s;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (lseek(st->fd, 0, SEEK_SET) < 0)
        s = fb_fail(e, FB_ESYS, "%s: %s", st->path, strerror(errno));
    if (!s)
        s = copy(st->fd, to, st->path, st->final, e);
    if ((ftruncate(to, size) | close(to)) && !s)
        s = fb_fail(e, FB_ESYS, "%s: %s", st->final, strerror(errno));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s;
}

/* Can the new file have the owner of the old one? */
static int owned_alike(int fd, const struct stat *new, const struct stat *old)
{
    return (new->st_uid == old->st_uid &&new->st_gid == old->st_gid) ||
           !fchown(fd, old->st_uid, old->st_gid);
}

/* The truncation to its own size gives back what was reserved and not used. mkstemp makes files
 * private: a new file has the mode that the user's umask gives, one that replaces another the mode
 * and the owner of that. One with several names (hard links), or with an owner that only it can
 * have, is written into, as cp does. The close is checked before the rename: some file systems
 * report a full disk only there. */
static fb_status publish(fb_stream *st, fb_err *e)
{
    mode_t mask = umask(0);
    umask(mask);
    struct stat sb, old;
    const int exists = !stat(st->final, &old) && S_ISREG(old.st_mode);
    int bad = fstat(st->fd, &sb) || ftruncate(st->fd, sb.st_size);
    if (!bad && exists && (old.st_nlink > 1 || !owned_alike(st->fd, &sb, &old))) {
        fb_status s = overwrite(st, sb.st_size, e);
        forget_name(st);
        return s;
    }
    bad = bad || fchmod(st->fd, exists ? old.st_mode & 0777 : 0666 & ~mask);
    const int fd = st->fd;
    st->fd = -1;
    if (close(fd) || bad || rename(st->path, st->final))
        return fb_fail(e, FB_ESYS, "%s: %s", st->final, strerror(errno));
    fb_temporary_forget(st->path);
    st->path[0] = 0;
    return FB_OK;
}

static fb_status close_sink(fb_stream *st, fb_err *e)
{
    int fd = st->sink;
    st->sink = -1;
    if (fd == fb_data_fd)
        fb_data_fd = -1;
    return close(fd) ? fb_fail(e, FB_ESYS, "closing %s: %s", st->name, strerror(errno)) : FB_OK;
}

/* Where the bytes of path go: into the standard output or a device as they are, or under the final
 * name of a regular file by a rename. A link is followed, one that leads nowhere refused, a device
 * is never replaced. */
static fb_status destination(fb_stream *t, const char *path, fb_err *e)
{
    struct stat sb;
    if (standard(path)) {
        t->sink = fb_data_fd;
        return text(&t->name, "standard output", "", e);
    }
    FB_PASS(text(&t->name, path, "", e));
    if (fb_is_standard_output(
            path)) { /* by a name of descriptor 1, which is not the standard output any more */
        t->sink = fb_data_fd < 0 ? -1 : fcntl(fb_data_fd, F_DUPFD_CLOEXEC, 0);
        return t->sink < 0
                   ? fb_fail(e, FB_ESYS,
                             "%s: standard output is closed, or too many files are open", path)
                   : FB_OK;
    }
    if (stat(path, &sb)) {
        const int why = errno;
        if (!lstat(path, &sb) &&
            S_ISLNK(sb.st_mode)) /* the rename would put the file in the link's place */
            return fb_fail(
                e, FB_ESYS,
                "%s is a link that leads nowhere (%s): remove it, or make what it points to", path,
                strerror(why));
        return text(&t->final, path, "", e);
    }
    if (S_ISREG(sb.st_mode)) {
        if (access(path, W_OK)) /* the folder may allow what the file forbids */
            return fb_fail(e, FB_ESYS, "%s: %s", path, strerror(errno));
        t->final = realpath(path, NULL);
        return t->final ? FB_OK : fb_fail(e, FB_ESYS, "%s: %s", path, strerror(errno));
    }
    t->sink = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return t->sink < 0 ? fb_fail(e, FB_ESYS, "%s: %s", path, strerror(errno)) : FB_OK;
}

fb_status fb_stream_create(fb_stream *st, const char *path, fb_err *e)
{
    fb_stream t = FB_STREAM_NONE;
    fb_status s = FB_OK;
    FB_TRY(destination(&t, path, e));
    FB_TRY(temporary_h5(&t, 0, e));
    *st = t;
    t = (fb_stream)FB_STREAM_NONE;
out:
    fb_stream_abandon(&t);
    return s;
}

/* The file that is complete under its temporary name goes where it belongs. */
static fb_status deliver(fb_stream *st, fb_err *e)
{
    if (st->final)
        return publish(st, e);
    if (lseek(st->fd, 0, SEEK_SET) < 0)
        return fb_fail(e, FB_ESYS, "the spool in TMPDIR: %s", strerror(errno));
    fb_status s = copy(st->fd, st->sink, "the spool in TMPDIR", st->name, e);
    return s ? s : close_sink(st, e);
}

fb_status fb_stream_commit(fb_stream *st, fb_err *e)
{
    fb_status s = fb_h5_close(&st->h5, e);
    if (!s)
        s = deliver(st, e);
    fb_stream_abandon(st);
    return s;
}

void fb_stream_abandon(fb_stream *st)
{
    fb_err e;
    int writer =
        st->final || st->sink >= 0; /* its writing failed: HDF5 may crash when it tries again */
    if (st->h5 >= 0 && !writer)
        (void)!fb_h5_close(&st->h5, &e);
    if (st->fd >= 0)
        close(st->fd);
    if (st->sink >= 0 && st->sink != fb_data_fd)
        close(st->sink);
    if (st->path && st->path[0])
        forget_name(st);
    FB_FREE(st->path, st->final, st->name);
    *st = (fb_stream)FB_STREAM_NONE;
}

fb_status fb_stream_pass(fb_stream *in, fb_stream *out, const char *const *but, fb_err *e)
{
    const char **all = NULL;
    int64_t n = 0, derived = 0;
    while (but && but[n])
        n++;
    while (fb_derived[derived])
        derived++;
    FB_PASS(FB_NEW(&all, n + derived + 1, e));
    if (n)
        memcpy(all, but, sizeof *all * (size_t)n);
    memcpy(all + n, fb_derived, sizeof *all * (size_t)derived);
    const fb_status s = fb_h5_pass(in->h5, out->h5, all, e);
    free(all);
    return s;
}

int fb_stream_has(fb_stream *st, const char *path)
{
    return fb_h5_exists(st->h5, path);
}

fb_status fb_stream_with_shapes(fb_stream *st, fb_err *e)
{
    if (!fb_stream_has(st, "/reduced/M") || fb_stream_has(st, "/reduced/T") ||
        fb_stream_has(st, "/dofs") || fb_stream_has(st, "/modes"))
        return FB_OK;
    return fb_fail(e, FB_EFORMAT,
                   "%s: a link record without shapes: take the stream of which it was made, or "
                   "for correlate a record that has them (linkexport --with-T)",
                   st->name);
}

fb_status fb_history_read(fb_stream *in, fb_history *out, fb_err *e)
{
    static const char path[] = "/history";
    fb_h5shape sh = {.type = 's', .rank = 1, .width = 1};
    fb_history h = {.width = 2};
    fb_status s = FB_OK;
    if (in && fb_h5_exists(in->h5, path)) {
        FB_TRY(fb_h5_shape_of(in->h5, path, &sh, e));
        if (sh.type != 's' || sh.rank != 1) {
            s = fb_fail(e, FB_EFORMAT, "/history: lines of text are wanted");
            goto out;
        }
        h.n = sh.dim[0];
        h.width = sh.width + 1;
        FB_TRY(fb_new(&h.lines, h.n, h.width, path, e));
        FB_TRY(fb_h5_read(in->h5, path, &sh, h.lines, e));
        for (int64_t k = h.n; k-- > 0;) { /* room for the zero behind each */
            char *line = h.lines + (size_t)k * h.width;
            memmove(line, h.lines + (size_t)k * sh.width, sh.width);
            line[sh.width] = 0;
        }
    }
    *out = h;
    h.lines = NULL;
out:
    free(h.lines);
    return s;
}

/* /history: one line a tool, each followed by its warnings. */
static fb_status history(fb_run *r, fb_stream *in, fb_stream *out, fb_err *e)
{
    static const char path[] = "/history";
    fb_h5shape new = {.type = 's', .rank = 1, .width = 1};
    fb_history old = {0};
    char *all = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_history_read(in, &old, e));
    new.width = old.width - 1;
    new.dim[0] = old.n + 1 + r->log.nwarning;
    for (int64_t k = -1; k < r->log.nwarning; k++) {
        size_t w = k < 0 ? strlen(r->line) : strlen(r->log.warning[k]) + 9;
        new.width = w > new.width ? w : new.width;
    }
    FB_TRY(fb_new(&all, new.dim[0] + 1, new.width, path, e));
    for (int64_t k = 0; k < old.n; k++)
        memcpy(all + (size_t)k * new.width, old.lines + (size_t)k * old.width, old.width - 1);
    char *at = all + (size_t)old.n * new.width;
    memcpy(at, r->line, strlen(r->line));
    for (int64_t k = 0; k < r->log.nwarning; k++) {
        at += new.width;
        memcpy(at, "warning: ", 9);
        memcpy(at + 9, r->log.warning[k], strlen(r->log.warning[k]));
    }
    s = fb_h5_write(out->h5, path, &new, all, e);
out:
    FB_FREE(old.lines, all);
    return s;
}

static fb_status strictly(const fb_run *r, fb_err *e)
{
    fb_status s = fb_h5_sound(e);
    if (s || !r->strict || !r->log.nwarning)
        return s;
    return fb_fail(e, FB_NO, "--strict: no output because of %lld warning%s",
                   (long long)r->log.nwarning, r->log.nwarning > 1 ? "s" : "");
}

/* HDF5 would write the nearest number that the file's type has. */
static fb_status check_ranges(const fb_array *a, int64_t narray, fb_err *e)
{
    for (const fb_array *end = a + narray; a < end; a++) {
        const int64_t *v = a->data, lo = a->type == 'w' ? INT32_MIN : 0,
                      hi = a->type == 'w' ? INT32_MAX : INT64_MAX;
        int64_t n = (a->type == 'w' || a->type == 'u') && !a->link && !a->counter;
        for (int k = 0; k < a->rank; k++)
            n *= a->dim[k];
        for (int64_t k = 0; k < n; k++)
            if (v[k] < lo || v[k] > hi)
                return fb_fail(e, FB_EFORMAT,
                               "%s: %lld does not fit the %s of this format (node numbers: "
                               "linkexport --renumber)",
                               a->path, (long long)v[k],
                               a->type == 'w' ? "32 bits" : "numbers without a sign");
    }
    return FB_OK;
}

static fb_status put_array(fb_stream *st, const fb_array *a, fb_err *e)
{
    fb_h5shape sh = {.type = a->type, .rank = a->rank};
    sh.width = a->type == 's' ? strlen(a->data) : 0;
    if (a->link)
        return fb_h5_link(st->h5, a->link, a->path, e);
    for (int k = 0; k < a->rank; k++)
        sh.dim[k] = a->dim[k];
    FB_PASS(a->counter       ? fb_h5_put_count(st->h5, a->path, a->counter, a->count, e)
            : a->type == 'g' ? fb_h5_group(st->h5, a->path, e)
                             : fb_h5_write(st->h5, a->path, &sh, a->data, e));
    for (int k = 0; k < 2 && a->attr[k][0]; k++)
        FB_PASS((a->ascii      ? fb_h5_put_ascii
                 : a->variable ? fb_h5_put_string
                               : fb_h5_put_text)(st->h5, a->path, a->attr[k][0], a->attr[k][1], e));
    return FB_OK;
}

fb_status fb_publish(fb_run *r, fb_stream *in, const fb_model *b, const char *const *what,
                     const char *const *but, fb_err *e)
{
    return fb_publish_with(r, in, b, what, but, NULL, 0, e);
}

/* Takes the blocks for all that is to come before HDF5 writes the first: HDF5 1.10 may crash where
 * the disk fills in the middle of its work. Where a file system cannot reserve, its own errors must
 * do. */
static fb_status reserve(const fb_stream *st, int64_t bytes, fb_err *e)
{
    if (fallocate(st->fd, FALLOC_FL_KEEP_SIZE, 0, bytes) &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
        return fb_fail(e, FB_ESYS, "%s: no room for %.3g MB%s: %s",
                       st->final ? st->final : "the spool in TMPDIR", (double)bytes / 1e6,
                       st->final ? " beside it" : "", strerror(errno));
    return FB_OK;
}

static int64_t bytes_to_come(fb_stream *in, const fb_model *b, const char *const *what,
                             const fb_array *more, int64_t nmore)
{
    int64_t n = 65536 + fb_model_bytes(b, what) + (in ? fb_h5_size(in->h5) : 0);
    for (int64_t k = 0; k < nmore; k++) {
        int64_t size = 8;
        for (int q = 0; q < more[k].rank; q++)
            size *= more[k].dim[q];
        n += size;
    }
    return n;
}

fb_status fb_publish_with(fb_run *r, fb_stream *in, const fb_model *b, const char *const *what,
                          const char *const *but, const fb_array *more, int64_t nmore, fb_err *e)
{
    fb_stream out = FB_STREAM_NONE;
    fb_status s = FB_OK;
    FB_TRY(strictly(r, e));
    FB_TRY(check_ranges(more, nmore, e));
    FB_TRY(fb_stream_create(&out, r->out, e));
    FB_TRY(reserve(&out, bytes_to_come(in, b, what, more, nmore), e));
    FB_TRY(fb_model_write(&out, b, what, e));
    for (int64_t k = 0; k < nmore; k++)
        FB_TRY(put_array(&out, more + k, e));
    FB_TRY(history(r, in, &out, e));
    if (in)
        FB_TRY(fb_stream_pass(in, &out, but, e));
    s = fb_stream_commit(&out, e);
out:
    fb_stream_abandon(&out);
    return s;
}

fb_status fb_spool_file(char **path, int *fd, fb_err *e)
{
    fb_stream t = FB_STREAM_NONE;
    fb_status s = temporary(&t, NULL, e);
    if (!s) {
        *fd = t.fd;
        t.fd = -1;
        *path = t.path;
        t.path = NULL;
    }
    fb_stream_abandon(&t);
    return s;
}

fb_status fb_spool_input(const fb_input *in, char **path, fb_err *e)
{
    int fd = -1;
    FB_PASS(fb_spool_file(path, &fd, e));
    fb_status s = write_all(fd, in->data, in->size, *path, e);
    if (close(fd) && !s)
        s = fb_fail(e, FB_ESYS, "closing %s: %s", *path, strerror(errno));
    if (s) {
        fb_temporary_remove(*path);
        free(*path);
    }
    return s;
}

fb_status fb_spool_open(fb_run *r, fb_stream *st, fb_buf *b, fb_err *e)
{
    fb_stream t = FB_STREAM_NONE;
    fb_status s = FB_OK;
    FB_TRY(destination(&t, r->out, e));
    FB_TRY(temporary(&t, t.final, e));
    if (!t.final)
        forget_name(&t);
    b->spool = t.fd;
    *st = t;
    t = (fb_stream)FB_STREAM_NONE;
out:
    fb_stream_abandon(&t);
    return s;
}

fb_status fb_spool_commit(fb_run *r, fb_stream *st, fb_buf *b, fb_err *e)
{
    fb_status s = FB_OK;
    FB_TRY(strictly(r, e));
    fb_buf_flush(b);
    FB_TRY(fb_buf_status(b, e));
    s = deliver(st, e);
out:
    fb_stream_abandon(st);
    return s;
}

/* Everything but the name: what can fail for want of space fails here. */
static fb_status prepare(fb_stream *t, const fb_output *o, fb_err *e)
{
    FB_PASS(destination(t, o->path, e));
    if (o->bytes && !t->final)
        return FB_OK; /* delivered from memory */
    if (o->bytes) {
        FB_PASS(temporary(t, t->final, e));
        return write_all(t->fd, o->bytes->data, (size_t)o->bytes->size, t->name, e);
    }
    FB_PASS(temporary_h5(t, (int64_t)o->nhead, e));
    for (int64_t k = 0; k < o->narray; k++)
        FB_PASS(put_array(t, o->array + k, e));
    FB_PASS(fb_h5_close(&t->h5, e));
    if (o->nhead && lseek(t->fd, 0, SEEK_SET) < 0)
        return fb_fail(e, FB_ESYS, "%s: %s", t->name, strerror(errno));
    return write_all(t->fd, o->head, o->nhead, t->name, e);
}

static fb_status hand_over(fb_stream *t, const fb_output *o, fb_err *e)
{
    if (t->final || !o->bytes)
        return deliver(t, e);
    fb_status s = write_all(t->sink, o->bytes->data, (size_t)o->bytes->size, t->name, e);
    return s ? s : close_sink(t, e);
}

fb_status fb_publish_many(fb_run *r, const fb_output *o, int n, fb_err *e)
{
    fb_stream *t = NULL;
    fb_status s = FB_OK;
    FB_TRY(strictly(r, e));
    FB_TRY(fb_new(&t, n, sizeof *t, "outputs", e));
    for (int k = 0; k < n; k++) {
        t[k] = (fb_stream)FB_STREAM_NONE;
        FB_TRY(o[k].bytes ? fb_buf_status(o[k].bytes, e)
                          : check_ranges(o[k].array, o[k].narray, e));
    }
    for (int k = 0; k < n; k++)
        FB_TRY(prepare(t + k, o + k, e));
    for (int named = 0; named < 2;
         named++) /* pipes and devices first: they can still fail; of them the page last */
        for (int k = n; k-- > 0;)
            if ((t[k].final != NULL) == named)
                FB_TRY(hand_over(t + k, o + k, e));
out:
    for (int k = 0; t && k < n; k++)
        fb_stream_abandon(t + k);
    free(t);
    return s;
}

fb_status fb_publish_bytes(fb_run *r, const fb_buf *b, fb_err *e)
{
    return fb_publish_many(r, &(fb_output){.path = r->out, .bytes = b}, 1, e);
}

/* ---- several files --------------------------------------------------------------------- */

fb_status fb_files_open(fb_run *r, fb_files *f, fb_err *e)
{
    if (standard(r->out)) /* fb_publish_files says so: what is wrong with the body comes first */
        return FB_OK;
    FB_PASS(text(&f->final, r->out, "", e));
    for (size_t n = strlen(f->final); n > 1 && f->final[n - 1] == '/'; n--)
        f->final[n - 1] = 0;
    FB_PASS(text(&f->folder, f->final, ".XXXXXX", e));
    if (!fb_temporary_folder(f->folder))
        return FB_OK;
    const int why = errno;
    FB_FREE(f->folder);
    return fb_fail(e, FB_ESYS, "temporary folder beside %s: %s", f->final, strerror(why));
}

/* A new file of the folder. */
static fb_status begin_file(const char *folder, fb_file *t, fb_err *e)
{
    const size_t n = strlen(folder) + strlen(t->name) + 2;
    FB_PASS(fb_new(&t->path, (int64_t)n, 1, "file name", e));
    snprintf(t->path, n, "%s/%s", folder, t->name);
    const int fd = fb_temporary_member(t->path)
                       ? -1
                       : open(t->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return fb_fail(e, FB_ESYS, "%s: %s", t->path, strerror(errno));
    t->bytes.spool = fd;
    return FB_OK;
}

/* What is left of a file goes to the folder; one that grew after it was left is opened again. */
static fb_status end_file(fb_file *t, fb_err *e)
{
    fb_buf *b = &t->bytes;
    FB_PASS(fb_buf_status(b, e));
    if (!b->spool && b->size) {
        const int fd = open(t->path, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (fd < 0)
            return fb_fail(e, FB_ESYS, "%s: %s", t->path, strerror(errno));
        b->spool = fd;
    }
    if (!b->spool)
        return FB_OK;
    fb_buf_flush(b);
    const int bad = close(b->spool);
    b->spool = 0;
    FB_PASS(fb_buf_status(b, e));
    return bad ? fb_fail(e, FB_ESYS, "%s: %s", t->path, strerror(errno)) : FB_OK;
}

fb_status fb_files_add(fb_files *f, const char *name, fb_buf **out, fb_err *e)
{
    if (f->folder && f->n)
        FB_PASS(end_file(f->file + f->n - 1, e));
    FB_PASS(fb_grow(&f->file, &f->cap, f->n + 1, sizeof *f->file, e));
    fb_file *t = f->file + f->n++;
    *t = (fb_file){0};
    snprintf(t->name, sizeof t->name, "%.63s", name);
    *out = &t->bytes;
    return f->folder ? begin_file(f->folder, t, e) : FB_OK;
}

/* The names of the temporary folder: removed, or known by their final ones. */
static void release(fb_files *f, void (*end)(const char *))
{
    for (int64_t k = 0; k < f->n; k++) {
        if (f->file[k].path)
            end(f->file[k].path);
        FB_FREE(f->file[k].path);
    }
    if (f->folder)
        end(f->folder);
    FB_FREE(f->folder);
}

void fb_files_free(fb_files *f)
{
    for (int64_t k = 0; k < f->n; k++) {
        if (f->file[k].bytes.spool)
            close(f->file[k].bytes.spool);
        fb_buf_free(&f->file[k].bytes);
    }
    release(f, fb_temporary_remove);
    FB_FREE(f->file, f->final);
    *f = (fb_files){0};
}

/* rename() replaces an empty folder, and refuses one that holds anything. */
static fb_status rename_folder(const fb_files *f, fb_err *e)
{
    const char *final = f->final;
    struct stat old;
    const mode_t mask = umask(0);
    umask(mask);
    const int exists = !stat(final, &old) && S_ISDIR(old.st_mode);
    if (exists && chown(f->folder, old.st_uid, old.st_gid))
        return fb_fail(e, FB_ESYS, "%s belongs to another user: name a folder that does not exist",
                       final);
    if (!chmod(f->folder, exists ? old.st_mode & 0777 : 0777 & ~mask) && !rename(f->folder, final))
        return FB_OK;
    return errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR
               ? fb_fail(e, FB_EUSAGE,
                         "%s exists and is no empty folder: remove it or name another by -o", final)
               : fb_fail(e, FB_ESYS, "%s: %s", final, strerror(errno));
}

fb_status fb_publish_files(fb_run *r, fb_files *f, fb_err *e)
{
    FB_PASS(strictly(r, e));
    if (!f->folder)
        return fb_fail(e, FB_EUSAGE, "%lld files are to be written: name a new folder by -o FOLDER",
                       (long long)f->n);
    for (int64_t k = 0; k < f->n; k++)
        FB_PASS(end_file(f->file + k, e));
    FB_PASS(rename_folder(f, e));
    release(f, fb_temporary_forget);
    return FB_OK;
}

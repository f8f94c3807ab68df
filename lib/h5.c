/* SPDX-License-Identifier: GPL-3.0-or-later */
/* h5.c - the stream in HDF5 (written through h5_driver.c).
 *
 * Written: contiguous little-endian datasets without time stamps, in the format of HDF5 1.8, whose
 * metadata carry checksums: a damaged stream is seen before it is decoded. Same data, same bytes.
 * Read: hostile files are expected. Soft and external links, external storage, chunked or filtered
 * datasets (a small file may stand for terabytes) and other types are refused before any memory is
 * taken; HDF5 never opens a second file. */
#include "bytes.h"
#include "memory.h"
#include "process.h"
#include "h5.h"
#include "h5_own.h"
#include "linalg/blas.h"
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* HDF5 says by its error stack whether it lacked memory; what it answers then (no such dataset,
 * damaged) is not to be believed, and what was left out because of it is lost. So it is remembered.
 * */
static int started, short_of_memory;

static herr_t look_for_memory(unsigned n, const H5E_error2_t *err, void *data)
{
    (void)n;
    (void)data;
    short_of_memory |= err->maj_num == H5E_RESOURCE && err->min_num == H5E_NOSPACE;
    return 0;
}

/* Instead of printing the error stack, which does not always tell: errno does. */
static herr_t on_error(hid_t stack, void *data)
{
    (void)data;
    short_of_memory |= errno == ENOMEM;
    return H5Ewalk2(stack, H5E_WALK_UPWARD, look_for_memory, NULL);
}

fb_status fb_h5_start(fb_err *e)
{
    if (started)
        return FB_OK;
    /* A file whose writing failed is left alone, not flushed once more at the end. */
    (void)H5dont_atexit(); /* fails where HDF5 is at work already */
    if (H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, on_error, NULL) < 0)
        return fb_fail(e, FB_ESYS, "HDF5 cannot start (out of memory?)");
    started = 1;
    return FB_OK;
}

fb_status fb_h5_sound(fb_err *e)
{
    return short_of_memory ? fb_fail(e, FB_ESYS, "out of memory in HDF5") : FB_OK;
}

/* The name in parentheses: for the analyzer it is a macro. */
fb_status(fb_h5_refuse)(fb_err *e, const char *fmt, ...)
{
    char text[900];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return fb_fail(e, short_of_memory ? FB_ESYS : FB_EFORMAT, "%s%s",
                   short_of_memory ? "out of memory in HDF5: " : "", text);
}

int64_t fb_h5_size(int64_t file)
{
    hsize_t size = 0;
    return H5Fget_filesize(file, &size) < 0 ? 0 : (int64_t)size;
}

void fb_h5_drop(int64_t id)
{
    if (id >= 0)
        H5Idec_ref(id);
}

/* ---- files --------------------------------------------------------------------------- */

/* A step of writing that failed, by HDF5's word or by the driver's. */
fb_status fb_h5_failed(fb_err *e, const char *what, const char *path)
{
    int error = fb_h5_failure();
    return fb_fail(e, FB_ESYS, "%s%.200s: %s", what, path,
                   error             ? strerror(error)
                   : short_of_memory ? "out of memory in HDF5"
                                     : "HDF5 refuses");
}

/* Groups remember the order of what they hold: MBSim (hdf5serie) and netCDF-4 walk them by it. */
static int in_order(hid_t creation)
{
    return H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0;
}

fb_status fb_h5_create(int64_t *file, int fd, int64_t before, fb_err *e)
{
    FB_PASS(fb_h5_start(e));
    hid_t fc = H5Pcreate(H5P_FILE_CREATE), fa = H5Pcreate(H5P_FILE_ACCESS), f = -1;
    if (fc >= 0 && fa >= 0 && H5Pset_obj_track_times(fc, 0) >= 0 && in_order(fc) &&
        H5Pset_userblock(fc, (hsize_t)before) >= 0 &&
        H5Pset_libver_bounds(fa, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 && fb_h5_drive(fa, fd) == 0)
        f = H5Fcreate("/flexbody", H5F_ACC_TRUNC, fc, fa);
    fb_h5_drop(fc);
    fb_h5_drop(fa);
    if (f < 0 || fb_h5_failure())
        return fb_h5_failed(e, "creating an HDF5 file", "");
    *file = f;
    return FB_OK;
}

fb_status fb_h5_link(int64_t file, const char *path, const char *name, fb_err *e)
{
    return H5Lcreate_hard(file, path, file, name, H5P_DEFAULT, H5P_DEFAULT) < 0
               ? fb_h5_failed(e, "another name for ", path)
               : FB_OK;
}

/* The dataset of a file to be read whose shape was asked last: it is read next, and an opening
 * takes as long as all else of a small one. */
static struct {
    int64_t file;
    hid_t d;
    char path[128];
} kept = {.d = -1};

static void let_go(void)
{
    fb_h5_drop(kept.d);
    kept.d = -1;
}

static hid_t dataset(int64_t file, const char *path)
{
    if (kept.d < 0 || kept.file != file || strcmp(kept.path, path) != 0) {
        let_go();
        kept.d = H5Dopen2(file, path, H5P_DEFAULT);
        kept.file = file;
        snprintf(kept.path, sizeof kept.path, "%s",
                 strlen(path) < sizeof kept.path ? path : ""); /* no dataset has no name */
    }
    return kept.d;
}

fb_status fb_h5_close(int64_t *file, fb_err *e)
{
    hid_t f = *file;
    *file = -1;
    let_go();
    return f >= 0 && (H5Fclose(f) < 0 || fb_h5_failure())
               ? fb_h5_failed(e, "writing the HDF5 file", "")
               : fb_h5_sound(e);
}

int fb_h5_exists(int64_t file, const char *path)
{
    static struct { /* a group that was found: none goes away */
        int64_t file;
        char path[64];
    } last = {.file = -1};
    char part[256];
    const size_t n = strlen(last.path);
    const int known = file == last.file && !strncmp(path, last.path, n) && path[n] == '/';
    for (const char *p = strchr(path + (known ? n : 0) + 1, '/');; p = strchr(p + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", p ? (int)(p - path) : (int)strlen(path), path);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0)
            return 0;
        if (!p)
            return 1;
        if ((size_t)(p - path) < sizeof last.path) {
            last.file = file;
            snprintf(last.path, sizeof last.path, "%.*s", (int)(p - path), path);
        }
    }
}

/* ---- datasets ------------------------------------------------------------------------ */

/* The storage must hold every value and nothing else: contiguous or compact, in this file, no
 * filter. The bytes stored are a number of the file of its own, and all of them are read. */
static fb_status check_storage(hid_t d, const char *path, int64_t n, size_t size, fb_err *e)
{
    int plain = H5Dget_offset(d) != HADDR_UNDEF; /* what is contiguous and in this file has one */
    hid_t c = plain ? -1 : H5Dget_create_plist(d);
    plain = plain ||
            (c >= 0 && (H5Pget_layout(c) == H5D_CONTIGUOUS || H5Pget_layout(c) == H5D_COMPACT) &&
             H5Pget_external_count(c) == 0 && H5Pget_nfilters(c) == 0);
    fb_h5_drop(c);
    if (!plain)
        return fb_h5_refuse(
            e,
            "%s: chunked, compressed or external storage; h5repack -l CONTI -f NONE makes it plain",
            path);
    hsize_t stored = H5Dget_storage_size(d);
    if (stored % size || stored / size != (hsize_t)n)
        return fb_h5_refuse(e, "%s: %lld values announced, %llu bytes stored", path, (long long)n,
                            (unsigned long long)stored);
    return FB_OK;
}

static fb_status shape(hid_t d, const char *path, fb_h5shape *sh, fb_err *e)
{
    fb_status s = FB_OK;
    hid_t sp = H5Dget_space(d), t = H5Dget_type(d);
    hsize_t dim[FB_H5_MAXRANK] = {0};
    int64_t n = 1;
    int rank = sp < 0 ? -1 : H5Sget_simple_extent_ndims(sp);
    if (t < 0 || rank < 0 || rank > FB_H5_MAXRANK || H5Sget_simple_extent_dims(sp, dim, NULL) < 0) {
        s = fb_h5_refuse(e, "%s: not an array of at most %d dimensions", path, FB_H5_MAXRANK);
        goto out;
    }
    H5T_class_t k = H5Tget_class(t);
    sh->width = H5Tget_size(t);
    sh->type = k == H5T_INTEGER ? 'i' : k == H5T_FLOAT ? 'd' : 's';
    if ((k != H5T_INTEGER && k != H5T_FLOAT && k != H5T_STRING) || sh->width == 0 ||
        (k == H5T_STRING ? H5Tis_variable_str(t) != 0 || sh->width > 65536 : sh->width > 8)) {
        s = fb_h5_refuse(e, "%s: values are neither integers, reals nor texts of fixed length",
                         path);
        goto out;
    }
    sh->rank = rank;
    for (int q = 0; q < rank; q++) {
        if (dim[q] > FB_H5_MOST || (dim[q] && (hsize_t)n > INT64_MAX / 8 / dim[q])) {
            s = fb_h5_refuse(e, "%s: absurd size", path);
            goto out;
        }
        sh->dim[q] = (int64_t)dim[q];
        n *= (int64_t)dim[q];
    }
    s = check_storage(d, path, n, sh->width, e);
out:
    fb_h5_drop(sp);
    fb_h5_drop(t);
    return s;
}

fb_status fb_h5_shape_of(int64_t file, const char *path, fb_h5shape *sh, fb_err *e)
{
    hid_t d = dataset(file, path);
    return d < 0 ? fb_h5_refuse(e, "%s: not a dataset", path) : shape(d, path, sh, e);
}

/* ---- opening ------------------------------------------------------------------------- */

/* HDF5 1.10 is not proof against damaged metadata: some of it crashes the library, some makes it
 * loop. So a child process walks through all of it first; only a file that it survives is opened
 * here. */
enum {
    WALK_REFUSED = 142, /* above all errno */
    WALK_BAD = 143,     /* sound, but holds what is not read */
    WALK_NO_FILES = 144,
    WALK_ENDED = 255, /* by HDF5 itself, short of memory */
    WALK_SECONDS = 30
};

typedef struct {
    char bad[320];
} visit;

/* Of texts of any length each may be as long as the file, though all are one text of it: as with
 * packed inputs, many of them may not become more than fb_unpack_most. */
static int too_many(int64_t obj, hssize_t n)
{
    hsize_t size = 0;
    const hid_t f = H5Iget_file_id(obj);
    const int known = f >= 0 && H5Fget_filesize(f, &size) >= 0;
    fb_h5_drop(f);
    return !known || (double)n * (double)size > fb_unpack_most((size_t)size);
}

int fb_h5_attr_read(int64_t obj, const char *name, fb_h5attr *v)
{
    const hid_t a = H5Aopen(obj, name, H5P_DEFAULT);
    v->type = a < 0 ? -1 : H5Aget_type(a);
    v->space = a < 0 ? -1 : H5Aget_space(a);
    v->is_read = 0;
    v->value = v->large = NULL;
    const hssize_t n = v->space < 0 ? -1 : H5Sget_simple_extent_npoints(v->space);
    const size_t width = v->type < 0 ? 0 : H5Tget_size(v->type);
    int good = n >= 0 && width > 0;
    if (good && H5Tdetect_class(v->type, H5T_REFERENCE) == 0 &&
        H5Tdetect_class(v->type, H5T_VLEN) == 0 &&
        (H5Tis_variable_str(v->type) == 0 || !too_many(a, n))) {
        void *to = v->small;
        v->is_read = 1;
        if ((hsize_t)n > sizeof v->small / width && !(to = v->large = fb_alloc((size_t)n, width)))
            errno = ENOMEM; /* the walk asks it */
        good = to && (n == 0 || H5Aread(a, v->type, to) >= 0);
        v->value = good && n ? to : NULL;
    }
    fb_h5_drop(a);
    return good;
}

void fb_h5_attr_free(fb_h5attr *v)
{
    if (v->value && H5Tis_variable_str(v->type) > 0)
        H5Dvlen_reclaim(v->type, v->space, H5P_DEFAULT, v->value);
    fb_h5_drop(v->type);
    fb_h5_drop(v->space);
    FB_FREE(v->large);
    v->value = NULL;
    v->type = v->space = -1;
}

static herr_t read_attribute(hid_t obj, const char *name, const H5A_info_t *info, void *data)
{
    fb_h5attr v;
    (void)info;
    (void)data;
    const int good = fb_h5_attr_read(obj, name, &v);
    fb_h5_attr_free(&v);
    return good ? 0 : -1;
}

/* HDF5 goes through a path from its beginning: the time grows as the square of the depth. */
enum { DEEPEST = 64 };

static int levels(const char *name)
{
    int n = 0;
    for (; n <= DEEPEST && (name = strchr(name, '/')); name++)
        n++;
    return n;
}

/* One object of an input: 0 where it may stay. Names are bounded so that messages are. */
static herr_t look_at(hid_t g, const char *name, const H5L_info_t *info, void *data)
{
    visit *v = data;
    fb_h5shape sh;
    fb_err e;
    if (info->type != H5L_TYPE_HARD) {
        snprintf(v->bad, sizeof v->bad,
                 "/%.200s is a soft or external link; only plain objects are read", name);
        return 1;
    }
    if (levels(name) > DEEPEST) {
        snprintf(v->bad, sizeof v->bad, "/%.40s... lies more than %d groups deep", name, DEEPEST);
        return 1;
    }
    hid_t o = H5Oopen(g, name, H5P_DEFAULT);
    if (o < 0)
        return -1;
    if (H5Iget_type(o) ==
        H5I_DATASET) /* a dataset that is not plain is refused where it is wanted */
        (void)!shape(o, name, &sh, &e);
    herr_t r = H5Aiterate2(o, H5_INDEX_NAME, H5_ITER_INC, NULL, read_attribute, NULL);
    fb_h5_drop(o);
    return r;
}

static herr_t walk(hid_t f, visit *v)
{
    herr_t r = H5Aiterate2(f, H5_INDEX_NAME, H5_ITER_INC, NULL, read_attribute, NULL);
    return r < 0 ? r : H5Lvisit(f, H5_INDEX_NAME, H5_ITER_INC, look_at, v);
}

static int walk_all(void *path)
{
    const char *const *name = path;
    visit v = {.bad = ""};
    hid_t f = H5Fopen(*name, H5F_ACC_RDONLY, H5P_DEFAULT);
    int good = f >= 0 && walk(f, &v) >= 0;
    if (f < 0 && open(*name, O_RDONLY | O_CLOEXEC) < 0)
        return WALK_NO_FILES;
    if (good)
        return v.bad[0] ? WALK_BAD : 0;
    return short_of_memory || errno == ENOMEM ? ENOMEM : WALK_REFUSED;
}

/* Can the file's metadata be walked through without harm? bad: there is something to refuse. */
static fb_status survives(const char *path, int64_t size, const char *name, int *bad, fb_err *e)
{
    const int got = fb_in_child(walk_all, &path, WALK_SECONDS);
    if (got == FB_NO_CHILD)
        return fb_fail(e, FB_ESYS, "%s: no process to look at it first: %s", name, strerror(errno));
    *bad = got == WALK_BAD;
    if (got == 0 || got == WALK_BAD)
        return FB_OK;
    if (got == WALK_NO_FILES)
        return fb_fail(e, FB_ESYS, "%s: it cannot be opened once more: too many open files?", name);
    short_of_memory |= got == ENOMEM || got == WALK_ENDED;
    return fb_h5_refuse(e, "%s: not %s, cut short, or damaged%s", name,
                        size < 0 ? "an HDF5 file" : "a flexbody stream (HDF5)",
                        size < 0 ? "" : "; files of other formats go through mnfparse");
}

int fb_is_hdf5(const void *data, size_t n)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    return n >= sizeof signature && !memcmp(data, signature, sizeof signature);
}

/* Where the superblock says that the file ends (HDF5 file format, sect. II.A; versions 0 to 3 with
 * 8-byte offsets), or -1. HDF5 itself refuses a file that is shorter, but not one that goes on. */
static int64_t announced_end(const char *path)
{
    static const int offsets_at[4] = {13, 13, 9, 9}, end_at[4] = {40, 44, 28, 28};
    unsigned char b[64] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC), n = 0;
    for (ssize_t k = 1; fd >= 0 && n < (int)sizeof b && (k > 0 || (k < 0 && errno == EINTR));
         n += k > 0 ? (int)k : 0)
        k = read(fd, b + n, sizeof b - (size_t)n);
    if (fd >= 0)
        close(fd);
    if (n < (int)sizeof b || !fb_is_hdf5(b, sizeof b) || b[8] > 3 || b[offsets_at[b[8]]] != 8)
        return -1;
    uint64_t end = 0;
    for (int k = 7; k >= 0; k--)
        end = end << 8 | b[end_at[b[8]] + k];
    return end > INT64_MAX ? -1 : (int64_t)end;
}

fb_status fb_h5_reopen(int64_t *file, const char *path, fb_err *e)
{
    FB_PASS(fb_h5_start(e));
    *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return *file < 0 ? fb_h5_refuse(e, "%s: cannot be opened as HDF5", path) : FB_OK;
}

fb_status fb_h5_open(int64_t *file, const char *path, int64_t size, const char *name, fb_err *e)
{
    int64_t end = announced_end(path);
    int bad = 0;
    visit v = {.bad = ""};
    fb_status s = fb_h5_start(e);
    errno = 0;
    if (!s)
        s = survives(path, size, name, &bad, e);
    if (s)
        return s;
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (f < 0)
        return fb_h5_refuse(e, "%s: cannot be opened as HDF5", name);
    if (size >= 0 && end < 0)
        s = fb_h5_refuse(
            e,
            "%s: its HDF5 data do not begin with the first byte: no flexbody stream; MATLAB "
            "files go through mnfparse",
            name);
    else if (size >= 0 && end != size)
        s = fb_h5_refuse(
            e, "%s: %lld bytes, but its HDF5 data end at byte %lld: followed by other data", name,
            (long long)size, (long long)end);
    else if (bad && walk(f, &v) < 0) /* once more, for its words */
        s = fb_h5_refuse(e, "%s: its HDF5 structure is damaged", name);
    else if (v.bad[0])
        s = fb_h5_refuse(e, "%s: %s", name, v.bad);
    if (s) {
        H5Fclose(f);
        return s;
    }
    *file = f;
    return FB_OK;
}

/* One that does not end where it says is told what is wrong by the other way. */
fb_status fb_h5_open_own(int64_t *file, const char *path, int64_t size, const char *name, fb_err *e)
{
    return announced_end(path) == size ? fb_h5_reopen(file, path, e)
                                       : fb_h5_open(file, path, size, name, e);
}

/* ---- values -------------------------------------------------------------------------- */

static hid_t text_type(size_t width)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    if (t >= 0 && (H5Tset_size(t, width ? width : 1) < 0 || H5Tset_strpad(t, H5T_STR_NULLPAD) < 0 ||
                   H5Tset_cset(t, H5T_CSET_UTF8) < 0)) {
        fb_h5_drop(t);
        t = -1;
    }
    return t;
}

/* Memory type, and with `file` the little-endian type on disk. Close it when done. */
static hid_t type_of(const fb_h5shape *sh, int disk)
{
    if (sh->type == 's')
        return text_type(sh->width);
    if (sh->type == 'i')
        return H5Tcopy(disk ? H5T_STD_I64LE : H5T_NATIVE_INT64);
    if (sh->type == 'w')
        return H5Tcopy(disk ? H5T_STD_I32LE : H5T_NATIVE_INT64);
    if (sh->type == 'u')
        return H5Tcopy(disk ? H5T_STD_U64LE : H5T_NATIVE_UINT64);
    return H5Tcopy(disk ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE);
}

/* Bytes of the file that are the values as they lie in memory. Half of the time that large ones
 * take is that of pages touched first, which threads share. */
typedef struct {
    int fd, threads;
    off_t at;
    size_t size;
    char *to;
    _Atomic int failed;
} span;

enum { PLAIN_LEAST = 4 << 20, PLAIN_PAGE = 1 << 16 };

static void read_share(void *arg, int t)
{
    span *z = arg;
    const size_t share = (z->size / (size_t)z->threads + PLAIN_PAGE) / PLAIN_PAGE * PLAIN_PAGE;
    size_t k = share * (size_t)t, end = k + share < z->size ? k + share : z->size;
    while (k < end) {
        const ssize_t n = pread(z->fd, z->to + k, end - k, z->at + (off_t)k);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            z->failed = 1;
            return;
        }
        k += n > 0 ? (size_t)n : 0;
    }
}

/* The descriptor of a file that HDF5 reads by plain calls, or -1. */
static int descriptor_of(int64_t file)
{
    void *fd = NULL;
    const hid_t fa = H5Fget_access_plist(file);
    const int plainly =
        fa >= 0 && H5Pget_driver(fa) == H5FD_SEC2 && H5Fget_vfd_handle(file, H5P_DEFAULT, &fd) >= 0;
    fb_h5_drop(fa);
    return plainly && fd ? *(int *)fd : -1;
}

/* 1: read; 0: HDF5 has to, be it to say what is wrong. */
static int read_plainly(int64_t file, hid_t d, hid_t memory, void *data)
{
    const haddr_t at = H5Dget_offset(d); /* HADDR_UNDEF: not contiguous */
    span z = {.fd = -1, .threads = fb_threads(), .size = H5Dget_storage_size(d), .to = data};
    if (z.size < PLAIN_LEAST || at == HADDR_UNDEF)
        return 0;
    const hid_t own = H5Dget_type(d);
    if (own >= 0 && H5Tequal(own, memory) > 0)
        z.fd = descriptor_of(file);
    fb_h5_drop(own);
    if (z.fd < 0)
        return 0;
    z.at = (off_t)at;
    fb_parallel(z.threads, read_share, &z);
    return !z.failed;
}

fb_status fb_h5_read(int64_t file, const char *path, const fb_h5shape *sh, void *data, fb_err *e)
{
    hid_t d = dataset(file, path), t = type_of(sh, 0);
    if (sh->type == 's' && d >= 0 && t >= 0) { /* texts of ASCII and of UTF-8 are the same bytes */
        hid_t own = H5Dget_type(d);
        H5Tset_cset(t, H5Tget_cset(own));
        fb_h5_drop(own);
    }
    herr_t r = d < 0 || t < 0 ? -1
               : read_plainly(file, d, t, data)
                   ? 0
                   : H5Dread(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    fb_h5_drop(t);
    let_go();
    return r < 0 ? fb_h5_refuse(e, "%s: cannot be read", path) : FB_OK;
}

static fb_status parent_of(int64_t file, const char *path, fb_err *e)
{
    char parent[256];
    snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(path, '/') - path), path);
    return fb_h5_group(file, parent, e);
}

fb_status fb_h5_group(int64_t file, const char *path, fb_err *e)
{
    if (!strcmp(path, "/") || !*path || fb_h5_exists(file, path))
        return FB_OK;
    FB_PASS(parent_of(file, path, e));
    hid_t c = H5Pcreate(H5P_GROUP_CREATE), g = -1;
    if (c >= 0 && H5Pset_obj_track_times(c, 0) >= 0 && in_order(c))
        g = H5Gcreate2(file, path, H5P_DEFAULT, c, H5P_DEFAULT);
    fb_h5_drop(c);
    if (g < 0 || H5Gclose(g) < 0)
        return fb_h5_failed(e, "creating the group ", path);
    return FB_OK;
}

/* How datasets are made: one list for all, which HDF5 copies. */
static hid_t creation_list(void)
{
    static hid_t list = -1;
    if (list < 0)
        list = H5Pcreate(H5P_DATASET_CREATE);
    return list >= 0 && H5Pset_obj_track_times(list, 0) >= 0 ? list : -1;
}

fb_status fb_h5_write(int64_t file, const char *path, const fb_h5shape *sh, const void *data,
                      fb_err *e)
{
    hsize_t dim[FB_H5_MAXRANK];
    FB_PASS(parent_of(file, path, e));
    for (int q = 0; q < sh->rank; q++)
        dim[q] = (hsize_t)sh->dim[q];
    hid_t c = creation_list(), ft = type_of(sh, 1), mt = type_of(sh, 0), d = -1;
    hid_t sp = sh->rank ? H5Screate_simple(sh->rank, dim, NULL) : H5Screate(H5S_SCALAR);
    int bad = c < 0 || ft < 0 || mt < 0 || sp < 0 ||
              (d = H5Dcreate2(file, path, ft, sp, H5P_DEFAULT, c, H5P_DEFAULT)) < 0 ||
              (data && H5Dwrite(d, mt, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0);
    if (d >= 0)
        bad |= H5Dclose(d) < 0;
    fb_h5_drop(sp);
    fb_h5_drop(mt);
    fb_h5_drop(ft);
    return bad || fb_h5_failure() ? fb_h5_failed(e, "writing ", path) : FB_OK;
}

/* Elements at .. at + n - 1 of a dataset, in C order over its rows of `width` elements. */
static hid_t part_of(hid_t d, int64_t at, int64_t n, hid_t *memory)
{
    hsize_t dim[FB_H5_MAXRANK], first[FB_H5_MAXRANK] = {0}, count[FB_H5_MAXRANK];
    hid_t sp = H5Dget_space(d);
    const int rank = sp < 0 ? -1 : H5Sget_simple_extent_dims(sp, dim, NULL);
    hsize_t width = 1;
    for (int q = 1; q < rank; q++) {
        count[q] = dim[q];
        width *= dim[q];
    }
    if (rank >= 1 && width > 0) {
        first[0] = (hsize_t)at / width;
        count[0] = (hsize_t)n / width;
        const hsize_t all = count[0] * width;
        *memory = H5Screate_simple(1, &all, NULL);
        if (all == (hsize_t)n && *memory >= 0 &&
            H5Sselect_hyperslab(sp, H5S_SELECT_SET, first, NULL, count, NULL) >= 0)
            return sp;
        fb_h5_drop(*memory);
    }
    fb_h5_drop(sp);
    return -1;
}

fb_status fb_h5_read_part(int64_t file, const char *path, char type, int64_t at, int64_t n,
                          void *data, fb_err *e)
{
    const fb_h5shape sh = {.type = type};
    hid_t m = -1, d = H5Dopen2(file, path, H5P_DEFAULT), t = type_of(&sh, 0),
          sp = d < 0 ? -1 : part_of(d, at, n, &m);
    const herr_t r = sp < 0 || t < 0 ? -1 : H5Dread(d, t, m, sp, H5P_DEFAULT, data);
    if (sp >= 0)
        fb_h5_drop(m);
    fb_h5_drop(sp);
    fb_h5_drop(t);
    fb_h5_drop(d);
    return r < 0 ? fb_h5_refuse(e, "%s: cannot be read", path) : FB_OK;
}

fb_status fb_h5_write_part(int64_t file, const char *path, char type, int64_t at, int64_t n,
                           const void *data, fb_err *e)
{
    const fb_h5shape sh = {.type = type};
    hid_t m = -1, d = H5Dopen2(file, path, H5P_DEFAULT), t = type_of(&sh, 0),
          sp = d < 0 ? -1 : part_of(d, at, n, &m);
    int bad = sp < 0 || t < 0 || H5Dwrite(d, t, m, sp, H5P_DEFAULT, data) < 0;
    if (sp >= 0)
        fb_h5_drop(m);
    fb_h5_drop(sp);
    fb_h5_drop(t);
    if (d >= 0)
        bad |= H5Dclose(d) < 0;
    return bad || fb_h5_failure() ? fb_h5_failed(e, "writing ", path) : FB_OK;
}

/* ---- attributes ---------------------------------------------------------------------- */

static fb_status put_attr(int64_t file, const char *obj, const char *attr, hid_t disk, hid_t mem,
                          int64_t n, const void *v, fb_err *e)
{
    hsize_t dim = (hsize_t)n;
    hid_t sp = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dim, NULL);
    hid_t a = H5Acreate_by_name(file, obj, attr, disk, sp, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int bad = a < 0 || H5Awrite(a, mem, v) < 0;
    if (a >= 0)
        bad |= H5Aclose(a) < 0;
    fb_h5_drop(sp);
    return bad ? fb_fail(e, FB_ESYS, "attribute %s of %s: writing failed", attr, obj) : FB_OK;
}

static fb_status put_text(int64_t file, const char *obj, const char *attr, const char *v,
                          H5T_cset_t set, fb_err *e)
{
    hid_t t = text_type(strlen(v));
    if (t >= 0)
        H5Tset_cset(t, set);
    fb_status s = put_attr(file, obj, attr, t, t, 1, v, e);
    fb_h5_drop(t);
    return s;
}

fb_status fb_h5_put_text(int64_t file, const char *obj, const char *attr, const char *v, fb_err *e)
{
    return put_text(file, obj, attr, v, H5T_CSET_UTF8, e);
}

/* MATLAB looks for fixed texts of ASCII. */
fb_status fb_h5_put_ascii(int64_t file, const char *obj, const char *attr, const char *v, fb_err *e)
{
    return put_text(file, obj, attr, v, H5T_CSET_ASCII, e);
}

/* As h5py writes and reads them: a text of any length, which it gives back as str. */
fb_status fb_h5_put_string(int64_t file, const char *obj, const char *attr, const char *v,
                           fb_err *e)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    if (t >= 0) {
        H5Tset_size(t, H5T_VARIABLE);
        H5Tset_cset(t, H5T_CSET_UTF8);
    }
    fb_status s = put_attr(file, obj, attr, t, t, 1, &v, e);
    fb_h5_drop(t);
    return s;
}

fb_status fb_h5_put_count(int64_t file, const char *obj, const char *attr, int64_t v, fb_err *e)
{
    return put_attr(file, obj, attr, H5T_STD_U64LE, H5T_NATIVE_INT64, 1, &v, e);
}

fb_status fb_h5_put_real(int64_t file, const char *obj, const char *attr, const double *v,
                         int64_t n, fb_err *e)
{
    return put_attr(file, obj, attr, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, n, v, e);
}

fb_status fb_h5_get_text(int64_t file, const char *obj, const char *attr, char *v, size_t n,
                         fb_err *e)
{
    if (!fb_h5_exists(file, obj) && strcmp(obj, "/"))
        return FB_OK;
    if (H5Aexists_by_name(file, obj, attr, H5P_DEFAULT) <= 0)
        return FB_OK;
    hid_t a = H5Aopen_by_name(file, obj, attr, H5P_DEFAULT, H5P_DEFAULT),
          t = a < 0 ? -1 : H5Aget_type(a);
    hid_t sp = a < 0 ? -1 : H5Aget_space(a);
    size_t w = t < 0 ? 0 : H5Tget_size(t);
    fb_status s = FB_OK;
    if (t < 0 || sp < 0 || H5Tget_class(t) != H5T_STRING || H5Tis_variable_str(t) != 0 ||
        H5Sget_simple_extent_npoints(sp) != 1 || w >= n) {
        s = fb_h5_refuse(e, "attribute %s of %s: a text of fixed length below %zu bytes is wanted",
                         attr, obj, n);
    } else {
        memset(v, 0, n);
        if (H5Aread(a, t, v) < 0)
            s = fb_h5_refuse(e, "attribute %s of %s cannot be read", attr, obj);
    }
    fb_h5_drop(sp);
    fb_h5_drop(t);
    fb_h5_drop(a);
    return s;
}

fb_status fb_h5_get_real(int64_t file, const char *obj, const char *attr, double *v, int64_t n,
                         fb_err *e)
{
    if (H5Aexists_by_name(file, obj, attr, H5P_DEFAULT) <= 0)
        return FB_OK;
    hid_t a = H5Aopen_by_name(file, obj, attr, H5P_DEFAULT, H5P_DEFAULT);
    hid_t sp = a < 0 ? -1 : H5Aget_space(a), t = a < 0 ? -1 : H5Aget_type(a);
    int bad = sp < 0 || t < 0 || H5Sget_simple_extent_npoints(sp) != n ||
              (H5Tget_class(t) != H5T_FLOAT && H5Tget_class(t) != H5T_INTEGER) ||
              H5Aread(a, H5T_NATIVE_DOUBLE, v) < 0;
    fb_h5_drop(t);
    fb_h5_drop(sp);
    fb_h5_drop(a);
    return bad ? fb_h5_refuse(e, "attribute %s of %s: %lld numbers are wanted", attr, obj,
                              (long long)n)
               : FB_OK;
}

void fb_h5_version(char *out, size_t n)
{
    unsigned a = 0, b = 0, c = 0;
    H5get_libversion(&a, &b, &c);
    snprintf(out, n, "HDF5 %u.%u.%u", a, b, c);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* h5.c - the file that knows HDF5 (and h5_driver.c, through which it writes).
 *
 * Written: contiguous little-endian datasets without time stamps, in the format of HDF5 1.8, whose
 * metadata carry checksums: a damaged stream is seen before it is decoded. Same data, same bytes.
 * Read: hostile files are expected. Soft and external links, external storage, chunked or filtered
 * datasets (a small file may stand for terabytes) and other types are refused before any memory is
 * taken; HDF5 never opens a second file. */
#include "process.h"
#include "h5.h"
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

/* What HDF5 gave is no good. */
static fb_status refuse(fb_err *e, const char *fmt, ...) FB_PRINTF(2, 3);
static fb_status refuse(fb_err *e, const char *fmt, ...)
{
    char text[900];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return fb_fail(e, short_of_memory ? FB_ESYS : FB_EFORMAT, "%s%s",
                   short_of_memory ? "out of memory in HDF5: " : "", text);
}
#ifdef __clang_analyzer__ /* which then knows that what failed is not FB_OK */
#define refuse(e, ...) ((void)(refuse)((e), __VA_ARGS__), FB_EFORMAT)
#endif

int64_t fb_h5_size(int64_t file)
{
    hsize_t size = 0;
    return H5Fget_filesize(file, &size) < 0 ? 0 : (int64_t)size;
}

/* Closes what an id stands for; one that was refused is negative. */
static void drop(hid_t id)
{
    if (id >= 0)
        H5Idec_ref(id);
}

/* ---- files --------------------------------------------------------------------------- */

/* A step of writing that failed, by HDF5's word or by the driver's. */
static fb_status failed(fb_err *e, const char *what, const char *path)
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
    drop(fc);
    drop(fa);
    if (f < 0 || fb_h5_failure())
        return failed(e, "creating an HDF5 file", "");
    *file = f;
    return FB_OK;
}

fb_status fb_h5_link(int64_t file, const char *path, const char *name, fb_err *e)
{
    return H5Lcreate_hard(file, path, file, name, H5P_DEFAULT, H5P_DEFAULT) < 0
               ? failed(e, "another name for ", path)
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
    drop(kept.d);
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
    return f >= 0 && (H5Fclose(f) < 0 || fb_h5_failure()) ? failed(e, "writing the HDF5 file", "")
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

/* The storage must hold every value: contiguous or compact, in this file, no filter. */
static fb_status check_storage(hid_t d, const char *path, int64_t n, size_t size, fb_err *e)
{
    int plain = H5Dget_offset(d) != HADDR_UNDEF; /* what is contiguous and in this file has one */
    hid_t c = plain ? -1 : H5Dget_create_plist(d);
    plain = plain ||
            (c >= 0 && (H5Pget_layout(c) == H5D_CONTIGUOUS || H5Pget_layout(c) == H5D_COMPACT) &&
             H5Pget_external_count(c) == 0 && H5Pget_nfilters(c) == 0);
    drop(c);
    if (!plain)
        return refuse(
            e,
            "%s: chunked, compressed or external storage; h5repack -l CONTI -f NONE makes it plain",
            path);
    hsize_t stored = H5Dget_storage_size(d);
    if (n > 0 && stored / size != (hsize_t)n)
        return refuse(e, "%s: %lld values announced, %llu bytes stored", path, (long long)n,
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
        s = refuse(e, "%s: not an array of at most %d dimensions", path, FB_H5_MAXRANK);
        goto out;
    }
    H5T_class_t k = H5Tget_class(t);
    sh->width = H5Tget_size(t);
    sh->type = k == H5T_INTEGER ? 'i' : k == H5T_FLOAT ? 'd' : 's';
    if ((k != H5T_INTEGER && k != H5T_FLOAT && k != H5T_STRING) || sh->width == 0 ||
        (k == H5T_STRING ? H5Tis_variable_str(t) != 0 || sh->width > 65536 : sh->width > 8)) {
        s = refuse(e, "%s: values are neither integers, reals nor texts of fixed length", path);
        goto out;
    }
    sh->rank = rank;
    for (int q = 0; q < rank; q++) {
        if (dim[q] > INT64_MAX || (dim[q] && (hsize_t)n > INT64_MAX / 8 / dim[q])) {
            s = refuse(e, "%s: absurd size", path);
            goto out;
        }
        sh->dim[q] = (int64_t)dim[q];
        n *= (int64_t)dim[q];
    }
    s = check_storage(d, path, n, sh->width, e);
out:
    drop(sp);
    drop(t);
    return s;
}

fb_status fb_h5_shape_of(int64_t file, const char *path, fb_h5shape *sh, fb_err *e)
{
    hid_t d = dataset(file, path);
    return d < 0 ? refuse(e, "%s: not a dataset", path) : shape(d, path, sh, e);
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

static herr_t read_attribute(hid_t obj, const char *name, const H5A_info_t *info, void *data)
{
    char v[4096];
    (void)data;
    hid_t a = H5Aopen(obj, name, H5P_DEFAULT), t = a < 0 ? -1 : H5Aget_type(a),
          s = a < 0 ? -1 : H5Aget_space(a);
    herr_t r = s < 0 || t < 0 ? -1 : 0;
    if (r == 0 && info->data_size <= sizeof v && H5Tdetect_class(t, H5T_VLEN) == 0 &&
        H5Tdetect_class(t, H5T_STRING) == 0)
        r = H5Aread(a, t, v);
    drop(s);
    drop(t);
    drop(a);
    return r;
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
    drop(o);
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

/* Can the metadata of the file be walked through without harm? bad: there is something to refuse. */
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
    return refuse(e, "%s: not %s, cut short, or damaged%s", name,
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
    return *file < 0 ? refuse(e, "%s: cannot be opened as HDF5", path) : FB_OK;
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
        return refuse(e, "%s: cannot be opened as HDF5", name);
    if (size >= 0 && end < 0)
        s = refuse(e,
                   "%s: its HDF5 data do not begin with the first byte: no flexbody stream; MATLAB "
                   "files go through mnfparse",
                   name);
    else if (size >= 0 && end != size)
        s = refuse(e, "%s: %lld bytes, but its HDF5 data end at byte %lld: followed by other data",
                   name, (long long)size, (long long)end);
    else if (bad && walk(f, &v) < 0) /* once more, for its words */
        s = refuse(e, "%s: its HDF5 structure is damaged", name);
    else if (v.bad[0])
        s = refuse(e, "%s: %s", name, v.bad);
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
        drop(t);
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
    drop(fa);
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
    drop(own);
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
        drop(own);
    }
    herr_t r = d < 0 || t < 0 ? -1
               : read_plainly(file, d, t, data)
                   ? 0
                   : H5Dread(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    drop(t);
    let_go();
    return r < 0 ? refuse(e, "%s: cannot be read", path) : FB_OK;
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
    drop(c);
    if (g < 0 || H5Gclose(g) < 0)
        return failed(e, "creating the group ", path);
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
    drop(sp);
    drop(mt);
    drop(ft);
    return bad || fb_h5_failure() ? failed(e, "writing ", path) : FB_OK;
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
        drop(*memory);
    }
    drop(sp);
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
        drop(m);
    drop(sp);
    drop(t);
    drop(d);
    return r < 0 ? refuse(e, "%s: cannot be read", path) : FB_OK;
}

fb_status fb_h5_write_part(int64_t file, const char *path, char type, int64_t at, int64_t n,
                           const void *data, fb_err *e)
{
    const fb_h5shape sh = {.type = type};
    hid_t m = -1, d = H5Dopen2(file, path, H5P_DEFAULT), t = type_of(&sh, 0),
          sp = d < 0 ? -1 : part_of(d, at, n, &m);
    int bad = sp < 0 || t < 0 || H5Dwrite(d, t, m, sp, H5P_DEFAULT, data) < 0;
    if (sp >= 0)
        drop(m);
    drop(sp);
    drop(t);
    if (d >= 0)
        bad |= H5Dclose(d) < 0;
    return bad || fb_h5_failure() ? failed(e, "writing ", path) : FB_OK;
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
    drop(sp);
    return bad ? fb_fail(e, FB_ESYS, "attribute %s of %s: writing failed", attr, obj) : FB_OK;
}

static fb_status put_text(int64_t file, const char *obj, const char *attr, const char *v,
                          H5T_cset_t set, fb_err *e)
{
    hid_t t = text_type(strlen(v));
    if (t >= 0)
        H5Tset_cset(t, set);
    fb_status s = put_attr(file, obj, attr, t, t, 1, v, e);
    drop(t);
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
    drop(t);
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
        s = refuse(e, "attribute %s of %s: a text of fixed length below %zu bytes is wanted", attr,
                   obj, n);
    } else {
        memset(v, 0, n);
        if (H5Aread(a, t, v) < 0)
            s = refuse(e, "attribute %s of %s cannot be read", attr, obj);
    }
    drop(sp);
    drop(t);
    drop(a);
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
    drop(t);
    drop(sp);
    drop(a);
    return bad ? refuse(e, "attribute %s of %s: %lld numbers are wanted", attr, obj, (long long)n)
               : FB_OK;
}

/* ---- files of other programs --------------------------------------------------------- */

typedef struct {
    fb_status (*fn)(void *self, const char *name, int is_group, fb_err *e);
    void *self;
    fb_err *e;
    fb_status s;
} members;

static herr_t walk_member(hid_t g, const char *name, const H5L_info_t *info, void *data)
{
    members *w = data;
    (void)info;
    hid_t o = H5Oopen(g, name, H5P_DEFAULT);
    H5I_type_t t = o < 0 ? H5I_BADID : H5Iget_type(o);
    drop(o);
    if (t == H5I_GROUP || t == H5I_DATASET)
        w->s = w->fn(w->self, name, t == H5I_GROUP, w->e);
    return w->s != FB_OK;
}

fb_status fb_h5_members(int64_t file, const char *group,
                        fb_status (*fn)(void *self, const char *name, int is_group, fb_err *e),
                        void *self, fb_err *e)
{
    members w = {fn, self, e, FB_OK};
    hsize_t at = 0;
    hid_t g = H5Gopen2(file, group, H5P_DEFAULT);
    herr_t r = g < 0 ? -1 : H5Literate(g, H5_INDEX_NAME, H5_ITER_INC, &at, walk_member, &w);
    drop(g);
    return w.s ? w.s : r < 0 ? refuse(e, "%s: its HDF5 structure is damaged", group) : FB_OK;
}

/* Only filters that HDF5 brings along: others would be loaded as plug-ins. Returns how many times
 * larger than what is stored the data may be; 0: refused. */
static double growth(hid_t d)
{
    hid_t c = H5Dget_create_plist(d);
    double most = 1;
    int n = c < 0 ? -1 : H5Pget_nfilters(c);
    H5D_layout_t layout = c < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(c);
    if (n < 0 || (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT && layout != H5D_CHUNKED) ||
        H5Pget_external_count(c) != 0)
        most = 0;
    for (int k = 0; k < n; k++) {
        unsigned flags, config;
        size_t none = 0;
        H5Z_filter_t f = H5Pget_filter2(c, (unsigned)k, &flags, &none, NULL, 0, NULL, &config);
        if (f == H5Z_FILTER_DEFLATE)
            most = 1032; /* of zlib */
        else if (f != H5Z_FILTER_SHUFFLE && f != H5Z_FILTER_FLETCHER32)
            most = 0;
        if (most == 0)
            break;
    }
    drop(c);
    return most;
}

/* A compound with real and imag and nothing else. */
static int is_complex(hid_t t)
{
    return H5Tget_class(t) == H5T_COMPOUND && H5Tget_nmembers(t) == 2 &&
           H5Tget_member_index(t, "real") >= 0 && H5Tget_member_index(t, "imag") >= 0 &&
           H5Tget_member_class(t, 0) == H5T_FLOAT && H5Tget_member_class(t, 1) == H5T_FLOAT;
}

static fb_status foreign_shape(hid_t d, hid_t sp, hid_t t, const char *path, int64_t file_size,
                               fb_h5shape *sh, fb_err *e)
{
    hsize_t dim[FB_H5_MAXRANK] = {0};
    double n = 1, most = growth(d);
    H5T_class_t k = H5Tget_class(t);
    sh->type = is_complex(t) ? 'z' : k == H5T_INTEGER ? 'i' : k == H5T_FLOAT ? 'd' : 0;
    sh->width = H5Tget_size(t);
    sh->rank = H5Sget_simple_extent_ndims(sp);
    if (sh->rank < 0 || sh->rank > FB_H5_MAXRANK || sh->width > 16)
        sh->type = 0;
    if (!sh->type)
        return FB_OK;
    if (H5Sget_simple_extent_dims(sp, dim, NULL) < 0)
        return refuse(e, "%s: its shape cannot be read", path);
    if (most == 0)
        return refuse(
            e, "%s: external storage or an unusual filter; h5repack -f GZIP=1 makes it plain",
            path);
    for (int q = 0; q < sh->rank; q++)
        n *= (double)dim[q];
    if (n * (double)sh->width > most * (double)file_size)
        return refuse(e, "%s: %.0f values announced in a file of %lld bytes", path, n,
                      (long long)file_size);
    for (int q = 0; q < sh->rank; q++)
        sh->dim[q] = (int64_t)dim[q];
    return FB_OK;
}

fb_status fb_h5_foreign_shape(int64_t file, const char *path, int64_t file_size, fb_h5shape *sh,
                              fb_err *e)
{
    hid_t d = H5Dopen2(file, path, H5P_DEFAULT), sp = d < 0 ? -1 : H5Dget_space(d),
          t = d < 0 ? -1 : H5Dget_type(d);
    *sh = (fb_h5shape){0};
    fb_status s = sp < 0 || t < 0 ? refuse(e, "%s: not a dataset", path)
                                  : foreign_shape(d, sp, t, path, file_size, sh, e);
    drop(t);
    drop(sp);
    drop(d);
    return s;
}

/* Is the k-th chunk of the shape, counted by rows, in the file? */
static int chunk_is_there(hid_t d, int rank, const hsize_t *count, const hsize_t *chunk, hsize_t k)
{
    hsize_t at[FB_H5_MAXRANK], bytes = 0;
    haddr_t where = HADDR_UNDEF;
    unsigned mask = 0;
    for (int q = rank; q-- > 0; k /= count[q])
        at[q] = k % count[q] * chunk[q];
    return H5Dget_chunk_info_by_coord(d, at, &mask, &where, &bytes) >= 0 && where != HADDR_UNDEF;
}

/* HDF5 reads zeros where nothing was written, or where the way to it is damaged: all must be there.
 * */
static int complete(hid_t d, hid_t sp, hid_t layout)
{
    hsize_t dim[FB_H5_MAXRANK] = {0}, chunk[FB_H5_MAXRANK] = {0}, count[FB_H5_MAXRANK], all = 1,
            stored = 0;
    const int rank = H5Sget_simple_extent_dims(sp, dim, NULL);
    const hssize_t n = H5Sget_simple_extent_npoints(sp);
    if (rank < 0 || n < 0)
        return 0;
    if (n == 0 || H5Pget_layout(layout) != H5D_CHUNKED)
        return n == 0 || H5Dget_storage_size(d) > 0;
    if (H5Pget_chunk(layout, FB_H5_MAXRANK, chunk) != rank || H5Dget_num_chunks(d, sp, &stored) < 0)
        return 0;
    for (int q = 0; q < rank; q++) {
        if (chunk[q] == 0)
            return 0;
        count[q] = (dim[q] - 1) / chunk[q] + 1;
        all *= count[q];
    }
    for (hsize_t k = 0; stored == all && k < all; k++)
        if (!chunk_is_there(d, rank, count, chunk, k))
            return 0;
    return stored == all;
}

static int is_complete(hid_t d)
{
    hid_t sp = H5Dget_space(d), layout = H5Dget_create_plist(d);
    const int yes = sp >= 0 && layout >= 0 && complete(d, sp, layout);
    drop(sp);
    drop(layout);
    return yes;
}

static int holds(hid_t dataset, H5T_class_t class)
{
    hid_t t = H5Dget_type(dataset);
    int yes = t >= 0 && H5Tget_class(t) == class;
    drop(t);
    return yes;
}

fb_status fb_h5_foreign_read(int64_t file, const char *path, char type, int part, void *data,
                             fb_err *e)
{
    hid_t d = H5Dopen2(file, path, H5P_DEFAULT), t = -1;
    if (d >= 0 && part == 0 && !is_complete(d)) {
        H5Dclose(d);
        return refuse(e, "%s: a part of the values is not in the file: damaged, or never written",
                      path);
    }
    if (d >= 0 && type == 'i' &&
        !holds(d, H5T_INTEGER)) { /* HDF5 would cut off what follows the point */
        H5Dclose(d);
        return refuse(e, "%s: whole numbers are wanted, the file holds another type", path);
    }
    if (type == 'z') {
        t = H5Tcreate(H5T_COMPOUND, sizeof(double));
        if (t >= 0 && H5Tinsert(t, part ? "imag" : "real", 0, H5T_NATIVE_DOUBLE) < 0) {
            drop(t);
            t = -1;
        }
    } else {
        t = H5Tcopy(type == 'i' ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE);
    }
    herr_t r = d < 0 || t < 0 ? -1 : H5Dread(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    drop(t);
    drop(d);
    return r < 0 ? refuse(e, "%s: cannot be read: damaged or cut short", path) : FB_OK;
}

/* ---- passing on ---------------------------------------------------------------------- */

typedef struct {
    hid_t out;
    const char *const *but;
    const char *group; /* path of the group that is passed, "" of the root */
    fb_err *e;
} passing;

/* 1: what `but` names is this object; 2: something within it. */
static int left_out(const passing *p, const char *name)
{
    const size_t n = strlen(p->group), m = strlen(name);
    int within = 0;
    for (const char *const *b = p->but; b && *b; b++) {
        const char *rest = *b + n;
        if (strncmp(*b, p->group, n) || *rest != '/' || strncmp(rest + 1, name, m))
            continue;
        if (!rest[1 + m])
            return 1;
        within = within || rest[1 + m] == '/';
    }
    return within ? 2 : 0;
}

static herr_t pass_attribute(hid_t in, const char *name, const H5A_info_t *info, void *data)
{
    const passing *p = data;
    char v[4096];
    if (info->data_size > sizeof v || H5Aexists(p->out, name) > 0)
        return 0;
    hid_t a = H5Aopen(in, name, H5P_DEFAULT), t = H5Aget_type(a), sp = H5Aget_space(a), b = -1;
    int plain = t >= 0 && H5Tdetect_class(t, H5T_VLEN) == 0 &&
                H5Tdetect_class(t, H5T_REFERENCE) == 0 &&
                !(H5Tget_class(t) == H5T_STRING && H5Tis_variable_str(t));
    int bad = plain && (H5Aread(a, t, v) < 0 ||
                        (b = H5Acreate2(p->out, name, t, sp, H5P_DEFAULT, H5P_DEFAULT)) < 0 ||
                        H5Awrite(b, t, v) < 0);
    drop(b);
    drop(sp);
    drop(t);
    drop(a);
    if (bad)
        fb_fail(p->e, FB_ESYS, "attribute %.200s: copying failed", name);
    return bad ? -1 : 0;
}

static herr_t pass_object(hid_t in, const char *name, const H5L_info_t *info, void *data);

/* What `in` has beside what was written: a group that both have is passed member by member. */
static herr_t pass_members(hid_t in, const passing *p)
{
    passing q = *p;
    return H5Literate(in, H5_INDEX_NAME, H5_ITER_INC, NULL, pass_object, &q) < 0 ||
                   H5Aiterate2(in, H5_INDEX_NAME, H5_ITER_INC, NULL, pass_attribute, &q) < 0
               ? -1
               : 0;
}

static herr_t pass_into(hid_t in, const char *name, const passing *p)
{
    char path[1024];
    snprintf(path, sizeof path, "%.500s/%.500s", p->group, name);
    hid_t a = H5Oopen(in, name, H5P_DEFAULT), b = H5Oopen(p->out, name, H5P_DEFAULT);
    const passing q = {b, p->but, path, p->e};
    herr_t r = a < 0 || b < 0 ? -1 : 0;
    if (r == 0 && H5Iget_type(a) == H5I_GROUP && H5Iget_type(b) == H5I_GROUP)
        r = pass_members(a, &q);
    drop(a);
    drop(b);
    return r;
}

static herr_t pass_object(hid_t in, const char *name, const H5L_info_t *info, void *data)
{
    const passing *p = data;
    const int out = left_out(p, name);
    (void)info;
    if (out == 1)
        return 0;
    if (out == 2 && H5Lexists(p->out, name, H5P_DEFAULT) == 0) {
        char path[1024];
        snprintf(path, sizeof path, "%.500s/%.500s", p->group, name);
        if (fb_h5_group(p->out, path, p->e))
            return -1;
    }
    if (H5Lexists(p->out, name, H5P_DEFAULT) > 0)
        return pass_into(in, name, p);
    hid_t c = H5Pcreate(H5P_OBJECT_COPY);
    herr_t r = H5Ocopy(in, name, p->out, name, c, H5P_DEFAULT);
    drop(c);
    if (r >= 0 && !fb_h5_failure())
        return 0;
    if (fb_h5_failure() || short_of_memory)
        (void)failed(p->e, "copying /", name);
    else /* the formats of HDF5 that a stream may have know no virtual datasets */
        refuse(p->e, "/%.200s: HDF5 cannot copy it: damaged, or a virtual dataset", name);
    return -1;
}

fb_status fb_h5_pass(int64_t in, int64_t out, const char *const *but, fb_err *e)
{
    passing p = {out, but, "", e};
    *e = (fb_err){0};
    if (pass_members(in, &p) < 0)
        return e->status ? e->status : refuse(e, "the input's HDF5 structure is damaged");
    return FB_OK;
}

void fb_h5_version(char *out, size_t n)
{
    unsigned a = 0, b = 0, c = 0;
    H5get_libversion(&a, &b, &c);
    snprintf(out, n, "HDF5 %u.%u.%u", a, b, c);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* h5_foreign.c - HDF5 files of other programs: their members, numbers of any type and storage that
 * HDF5 itself unpacks. Nothing is read that is not wholly there. */
#include "h5.h"
#include "h5_own.h"
#include <hdf5.h>

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
    fb_h5_drop(o);
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
    fb_h5_drop(g);
    return w.s ? w.s : r < 0 ? fb_h5_refuse(e, "%s: its HDF5 structure is damaged", group) : FB_OK;
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
    fb_h5_drop(c);
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
        return fb_h5_refuse(e, "%s: its shape cannot be read", path);
    if (most == 0)
        return fb_h5_refuse(
            e, "%s: external storage or an unusual filter; h5repack -f GZIP=1 makes it plain",
            path);
    for (int q = 0; q < sh->rank; q++) {
        n *= (double)dim[q];
        if (dim[q] > FB_H5_MOST)
            return fb_h5_refuse(e, "%s: absurd size", path);
        sh->dim[q] = (int64_t)dim[q];
    }
    return n * (double)sh->width <= most * (double)file_size
               ? FB_OK
               : fb_h5_refuse(e, "%s: %.0f values announced in a file of %lld bytes", path, n,
                              (long long)file_size);
}

fb_status fb_h5_foreign_shape(int64_t file, const char *path, int64_t file_size, fb_h5shape *sh,
                              fb_err *e)
{
    hid_t d = H5Dopen2(file, path, H5P_DEFAULT), sp = d < 0 ? -1 : H5Dget_space(d),
          t = d < 0 ? -1 : H5Dget_type(d);
    *sh = (fb_h5shape){0};
    fb_status s = sp < 0 || t < 0 ? fb_h5_refuse(e, "%s: not a dataset", path)
                                  : foreign_shape(d, sp, t, path, file_size, sh, e);
    fb_h5_drop(t);
    fb_h5_drop(sp);
    fb_h5_drop(d);
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
    fb_h5_drop(sp);
    fb_h5_drop(layout);
    return yes;
}

static int holds(hid_t dataset, H5T_class_t class)
{
    hid_t t = H5Dget_type(dataset);
    int yes = t >= 0 && H5Tget_class(t) == class;
    fb_h5_drop(t);
    return yes;
}

fb_status fb_h5_foreign_read(int64_t file, const char *path, char type, int part, void *data,
                             fb_err *e)
{
    hid_t d = H5Dopen2(file, path, H5P_DEFAULT), t = -1;
    if (d >= 0 && part == 0 && !is_complete(d)) {
        H5Dclose(d);
        return fb_h5_refuse(
            e, "%s: a part of the values is not in the file: damaged, or never written", path);
    }
    if (d >= 0 && type == 'i' &&
        !holds(d, H5T_INTEGER)) { /* HDF5 would cut off what follows the point */
        H5Dclose(d);
        return fb_h5_refuse(e, "%s: whole numbers are wanted, the file holds another type", path);
    }
    if (type == 'z') {
        t = H5Tcreate(H5T_COMPOUND, sizeof(double));
        if (t >= 0 && H5Tinsert(t, part ? "imag" : "real", 0, H5T_NATIVE_DOUBLE) < 0) {
            fb_h5_drop(t);
            t = -1;
        }
    } else {
        t = H5Tcopy(type == 'i' ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE);
    }
    herr_t r = d < 0 || t < 0 ? -1 : H5Dread(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    fb_h5_drop(t);
    fb_h5_drop(d);
    return r < 0 ? fb_h5_refuse(e, "%s: cannot be read: damaged or cut short", path) : FB_OK;
}

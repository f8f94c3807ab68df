/* SPDX-License-Identifier: GPL-3.0-or-later */
/* h5_pass.c - what a stream holds that no table knows is passed on. */
#include "h5.h"
#include "h5_own.h"
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

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
    fb_h5attr v;
    hid_t b = -1;
    (void)info;
    if (H5Aexists(p->out, name) > 0)
        return 0;
    int bad = !fb_h5_attr_read(in, name, &v) ||
              (v.is_read &&
               ((b = H5Acreate2(p->out, name, v.type, v.space, H5P_DEFAULT, H5P_DEFAULT)) < 0 ||
                (v.value && H5Awrite(b, v.type, v.value) < 0)));
    fb_h5_drop(b);
    fb_h5_attr_free(&v);
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
    fb_h5_drop(a);
    fb_h5_drop(b);
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
    fb_h5_drop(c);
    if (r >= 0 && !fb_h5_failure())
        return 0;
    if (fb_h5_failure() || fb_h5_sound(p->e))
        (void)fb_h5_failed(p->e, "copying /", name);
    else /* the formats of HDF5 that a stream may have know no virtual datasets */
        fb_h5_refuse(p->e, "/%.200s: HDF5 cannot copy it: damaged, or a virtual dataset", name);
    return -1;
}

fb_status fb_h5_pass(int64_t in, int64_t out, const char *const *but, fb_err *e)
{
    passing p = {out, but, "", e};
    *e = (fb_err){0};
    if (pass_members(in, &p) < 0)
        return e->status ? e->status : fb_h5_refuse(e, "the input's HDF5 structure is damaged");
    return FB_OK;
}

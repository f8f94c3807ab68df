/* SPDX-License-Identifier: GPL-3.0-or-later */
/* v73.c - MATLAB .mat files of version 7.3, read as the HDF5 they are.
 *
 * Variable  a dataset [columns][rows] at the top or in groups, which are structs; a group with the
 *           attribute MATLAB_sparse is a sparse matrix: jc (column starts), ir (rows), data
 * Law       sizes are held against that of the file before memory is asked for
 * Source    files written by MATLAB 7.4, Octave and h5py
 */
#include "h5.h"
#include "memory.h"
#include "process.h"
#include "publish.h"
#include "mat.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 100000 };

typedef struct { /* a group being walked */
    fb_mat_file *r;
    int64_t h5;
    char path[256], name[256];
    int depth;
    int64_t *left; /* members that may still be looked at: groups may be linked in circles */
} place73;

/* One array of numbers, of one or two dimensions, into doubles: [2][count] where complex. */
static fb_status doubles73(const place73 *g, const char *path, const fb_h5shape *sh, double **out,
                           fb_err *e)
{
    int64_t count = 1;
    double *x = NULL;
    fb_status s = FB_OK;
    for (int k = 0; k < sh->rank; k++)
        count *= sh->dim[k];
    FB_TRY(fb_new(&x, (sh->type == 'z' ? 2 : 1) * count, sizeof *x, path, e));
    FB_TRY(fb_h5_foreign_read(g->h5, path, sh->type == 'z' ? 'z' : 'd', 0, x, e));
    if (sh->type == 'z')
        FB_TRY(fb_h5_foreign_read(g->h5, path, 'z', 1, x + count, e));
    *out = x;
    x = NULL;
out:
    free(x);
    return s;
}

/* Type 0 for what are no numbers. */
static fb_status shape73(const place73 *g, const char *path, fb_h5shape *sh, fb_err *e)
{
    double bytes = sizeof(double);
    fb_status s = fb_h5_foreign_shape(g->h5, path, g->r->size, sh, e);
    for (int k = 0; k < sh->rank; k++)
        bytes *= (double)sh->dim[k];
    return s || sh->type == 0 ? s : fb_mat_unpack(g->r, sh->type == 'z' ? 2 * bytes : bytes, e);
}

/* A member array of a sparse group; absent: an empty one. */
static fb_status member_shape(const place73 *g, const char *member, char *path, size_t n,
                              fb_h5shape *sh, fb_err *e)
{
    *sh = (fb_h5shape){.rank = 1};
    snprintf(path, n, "%s/%s", g->path, member);
    if (!fb_h5_exists(g->h5, path))
        return FB_OK;
    fb_status s = shape73(g, path, sh, e);
    if (!s && (sh->type == 0 || sh->rank != 1))
        s = fb_fail(e, FB_EFORMAT, "%s: a list of numbers is wanted", path);
    return s;
}

/* A group with the attribute MATLAB_sparse (the number of rows) and jc, ir, data; where all is
 * zero, jc alone. */
static fb_status sparse73(const place73 *g, double rows, fb_err *e)
{
    char jc[300], ir[300], data[300];
    fb_h5shape nj, ni, nx;
    int64_t *start = NULL, *row = NULL, n;
    double *x = NULL;
    fb_status s = FB_OK;
    FB_TRY(member_shape(g, "jc", jc, sizeof jc, &nj, e));
    FB_TRY(member_shape(g, "ir", ir, sizeof ir, &ni, e));
    FB_TRY(member_shape(g, "data", data, sizeof data, &nx, e));
    n = nj.dim[0] - 1;
    if (n < 0 || !fb_mat_whole(rows) || rows < 0) {
        s = fb_fail(e, FB_EFORMAT, "%s: a sparse matrix without column starts or rows", g->path);
        goto out;
    }
    FB_TRY(FB_NEW(&start, n + 1, e));
    FB_TRY(FB_NEW(&row, ni.dim[0], e));
    FB_TRY(fb_h5_foreign_read(g->h5, jc, 'i', 0, start, e));
    if (ni.dim[0])
        FB_TRY(fb_h5_foreign_read(g->h5, ir, 'i', 0, row, e));
    if (nx.dim[0])
        FB_TRY(doubles73(g, data, &nx, &x, e));
    if (start[n] < 0 || start[n] > ni.dim[0] || start[n] > nx.dim[0])
        s = fb_fail(e, FB_EFORMAT,
                    "%s: %lld entries announced, %lld row indices and %lld values stored", g->path,
                    (long long)start[n], (long long)ni.dim[0], (long long)nx.dim[0]);
    else
        s = fb_mat_sparse(g->r, g->name, (int64_t)rows, n, start, row, x,
                          nx.type == 'z' ? x + nx.dim[0] : NULL, e);
out:
    FB_FREE(start, row, x);
    return s;
}

static fb_status dataset73(const place73 *g, fb_err *e)
{
    char class[64] = "";
    double empty = 0, *x = NULL;
    fb_h5shape sh;
    fb_status s = FB_OK;
    FB_TRY(fb_h5_get_text(g->h5, g->path, "MATLAB_class", class, sizeof class, e));
    FB_TRY(fb_h5_get_real(g->h5, g->path, "MATLAB_empty", &empty, 1, e));
    if (empty != 0 || !strcmp(class, "char") || !strcmp(class, "cell"))
        return FB_OK;
    FB_TRY(shape73(g, g->path, &sh, e));
    if (sh.type == 0 || sh.rank != 2) {
        fb_mat_left(g->r, g->name,
                    sh.type == 0 ? "its numbers are of another kind than those read"
                                 : "it has not two dimensions");
        return FB_OK;
    }
    FB_TRY(doubles73(g, g->path, &sh, &x, e));
    /* [columns][rows] in the file: MATLAB's order, column by column */
    s = fb_mat_full(g->r,
                    &(fb_mat_array){g->name, sh.dim[1], sh.dim[0], x,
                                    sh.type == 'z' ? x + sh.dim[0] * sh.dim[1] : NULL},
                    e);
out:
    free(x);
    return s;
}

static fb_status member73(void *self, const char *name, int is_group, fb_err *e)
{
    const place73 *up = self;
    place73 g = {.r = up->r, .h5 = up->h5, .depth = up->depth + 1, .left = up->left};
    double rows = -1;
    if (*name == '#') /* #refs#: contents of cells; #subsystem#: objects */
        return FB_OK;
    if ((*up->left)-- <= 0)
        return fb_fail(
            e, FB_EFORMAT,
            "more than %d variables and members: save the matrices and tables of the model alone",
            MEMBERS);
    const size_t above = strlen(up->path), n = strlen(name);
    if (above + n + 2 > sizeof g.path)
        return FB_OK;
    memcpy(g.path, up->path, above);
    g.path[above] = '/';
    memcpy(g.path + above + 1, name, n + 1);
    memcpy(g.name, g.path + 1, above + n + 1);
    for (char *c = g.name; (c = strchr(c, '/')) != NULL;)
        *c = '.';
    if (!is_group)
        return dataset73(&g, e);
    fb_status s = fb_h5_get_real(g.h5, g.path, "MATLAB_sparse", &rows, 1, e);
    if (s)
        return s;
    if (rows >= 0)
        return sparse73(&g, rows, e);
    if (g.depth <= FB_MAT_DEPTH)
        return fb_h5_members(g.h5, g.path, member73, &g, e);
    fb_mat_left(g.r, g.name, "structs this deep are not looked into");
    return FB_OK;
}

static fb_status read_path(fb_mat_file *r, const char *path, fb_err *e)
{
    int64_t left = MEMBERS;
    place73 g = {.r = r, .h5 = -1, .left = &left};
    fb_err ignored;
    fb_status s = fb_h5_open(&g.h5, path, -1, r->origin, e);
    if (s)
        return s;
    s = fb_h5_members(g.h5, "/", member73, &g, e);
    if (fb_h5_close(&g.h5, &ignored) && !s)
        s = fb_fail(e, FB_ESYS, "%s", ignored.msg);
    return s;
}

/* HDF5 wants a name: other input than a mapped file is copied to one. */
fb_status fb_mat_read73(fb_mat_file *r, const fb_input *in, fb_err *e)
{
    char *spool = NULL;
    fb_status s = FB_OK;
    if (in->mapped && strcmp(in->name, "standard input"))
        return read_path(r, in->name, e);
    s = fb_spool_input(in, &spool, e);
    if (s)
        return s;
    s = read_path(r, spool, e);
    fb_temporary_remove(spool);
    free(spool);
    return s;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shapes.c - the modes of a file's model over its dofs, and the dofs that two models share.
 *
 * Equations
 *   (SH.1) reduced   Kr v = lambda Mr v,  x = T v
 *   (SH.2) modal     Kq w = lambda Mq w,  x = Phi0 w
 *   (SH.3) full      K x = lambda M x
 *   (SH.4) measured  shapes and frequencies of /modes, where there are no matrices
 * M is /full/M, or where the file has none the diagonal of the nodal masses and inertias.
 */
#include "linalg/modes.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "number.h"
#include "correlate.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fb_shapes_drop(fb_shapes *s)
{
    if (!s->borrowed)
        FB_FREE_BY(fb_mat_free, &s->X, &s->Xi);
    if (!s->borrowed || s->own_mass)
        fb_csc_free(&s->M);
    s->X = s->Xi = (fb_mat){0};
    s->M = (fb_csc){0};
}

static void followers_free(fb_followers *f)
{
    FB_FREE(f->node, f->component, f->xyz);
    fb_csc_free(&f->G);
    *f = (fb_followers){0};
}

void fb_shapes_free(fb_shapes *s)
{
    fb_shapes_drop(s);
    followers_free(&s->follow);
    free(s->damping);
    FB_FREE(s->f, s->rigid, s->node, s->component, s->xyz, s->face_offset, s->face_node);
    *s = (fb_shapes){0};
}

static fb_status rows_of(const fb_mat *X, const int64_t *row, int64_t n, fb_mat *Y, fb_err *e)
{
    fb_status s = X->x ? fb_mat_new(Y, n, X->n, e) : FB_OK;
    for (int64_t j = 0; !s && X->x && j < X->n; j++)
        for (int64_t k = 0; k < n; k++)
            Y->x[k + j * n] = X->x[row[k] + j * X->m];
    return s;
}

fb_status fb_shapes_keep(fb_shapes *s, const int64_t *row, int64_t n, fb_err *e)
{
    fb_shapes t = {0};
    int64_t same = 0;
    fb_status r = FB_OK;
    while (same < n && row[same] == same)
        same++;
    if (same == s->nd) /* all of them, as they are: large shapes are not copied */
        return FB_OK;
    if ((r = FB_NEW(&t.node, n, e)) || (r = FB_NEW(&t.component, n, e)) ||
        (s->xyz && (r = FB_NEW(&t.xyz, 3 * n, e))))
        goto out;
    if (s->M.p && (r = fb_csc_sub(&s->M, row, n, row, n, &t.M, e)))
        goto out;
    if ((r = rows_of(&s->X, row, n, &t.X, e)) || (r = rows_of(&s->Xi, row, n, &t.Xi, e)))
        goto out;
    for (int64_t k = 0; k < n; k++) {
        t.node[k] = s->node[row[k]];
        t.component[k] = s->component[row[k]];
        if (s->xyz)
            memcpy(t.xyz + 3 * k, s->xyz + 3 * row[k], 3 * sizeof *t.xyz);
    }
    fb_shapes_drop(s);
    followers_free(&s->follow);
    FB_FREE(s->node, s->component, s->xyz);
    s->X = t.X;
    s->Xi = t.Xi;
    s->M = t.M;
    s->node = t.node;
    s->component = t.component;
    s->xyz = t.xyz;
    s->nd = n;
    s->normalised = s->borrowed = s->own_mass = 0;
    t = (fb_shapes){0};
out:
    fb_shapes_free(&t);
    return r;
}

static fb_status frequencies(fb_shapes *s, const double *lambda, const fb_model *b, fb_err *e)
{
    fb_status r = fb_new(&s->f, s->n, 8, "frequencies", e);
    if (!r)
        r = fb_new(&s->rigid, s->n, 1, "rigid modes", e);
    s->timeless = !(b->units.factor[FB_TIME] > 0);
    for (int64_t k = 0; !r && k < s->n; k++) {
        s->f[k] = fb_hertz(&b->units, lambda[k]);
        s->rigid[k] = !(lambda[k] < 0) && !(lambda[k] > 0);
        s->nrigid += s->rigid[k];
    }
    return r;
}

/* (SH.1), (SH.2) */
static fb_status from_pair(const fb_model *b, const double *basis, int64_t n, fb_shapes *s,
                           fb_err *e)
{
    const fb_mat T = {b->ndof, b->nr, (double *)(uintptr_t)basis};
    fb_roots q = {0};
    fb_status r = fb_model_roots(b, &q, e);
    if (!r) {
        s->n = n >= 0 && n < q.n ? n : q.n;
        fb_mat Vn = {b->nr, s->n, q.V.x};
        r = fb_mat_product(0, 0, &T, &Vn, &s->X, e);
        if (!r)
            r = frequencies(s, q.lambda, b, e);
    }
    fb_roots_free(&q);
    return r;
}

typedef struct {
    double f;
    int64_t k;
} ranked;

static int by_frequency(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->f != q->f)
        return p->f < q->f ? -1 : 1;
    return (p->k > q->k) - (p->k < q->k);
}

/* The modes of the file by their frequencies; *t is the caller's to free. */
static fb_status by_the_file(const fb_model *b, ranked **t, fb_err *e)
{
    FB_PASS(fb_new(t, b->nm, sizeof **t, "modes by frequency", e));
    for (int64_t k = 0; k < b->nm; k++)
        (*t)[k] = (ranked){b->eigen[5 * k + 1], k};
    if (b->nm)
        qsort(*t, (size_t)b->nm, sizeof **t, by_frequency);
    return FB_OK;
}

/* What the file states of its modes, which are those of s in the order of their frequencies. */
static fb_status dampings(const fb_model *b, fb_shapes *of, fb_err *e)
{
    ranked *t = NULL;
    fb_status s = FB_OK;
    if (!b->mode_damping || !b->eigen || of->n > b->nm)
        return FB_OK;
    FB_TRY(by_the_file(b, &t, e));
    FB_TRY(fb_new(&of->damping, of->n, 8, "dampings", e));
    for (int64_t k = 0; k < of->n; k++)
        of->damping[k] = b->mode_damping[t[k].k];
out:
    free(t);
    return s;
}

/* The common rule on the pair that the shapes of s are the modes of: K = diag(f^2), M = 1. */
static fb_status rigid_as_given(const fb_model *b, fb_shapes *s, fb_err *e)
{
    fb_model pair = *b;
    fb_mat I = {0};
    double *lambda = NULL;
    fb_status r = FB_OK;
    pair.K = (fb_csc){0};
    pair.Kr = pair.T = NULL;
    pair.shape = s->X.x;
    pair.nr = pair.nm = s->n;
    if ((r = fb_mat_new(&I, s->n, s->n, e)) || (r = FB_NEW(&lambda, s->n, e)) ||
        (r = fb_new(&s->rigid, s->n, 1, "rigid modes", e)) ||
        (r = fb_new(&pair.Kr, s->n * s->n, 8, "generalized stiffness", e)))
        goto out;
    for (int64_t k = 0; k < s->n; k++) {
        I.x[k + k * s->n] = 1;
        pair.Kr[k + k * s->n] = lambda[k] = copysign(s->f[k] * s->f[k], s->f[k]);
    }
    r = fb_rigid_find(&pair, lambda, &I, s->rigid, &s->nrigid, e);
out:
    fb_mat_free(&I);
    FB_FREE(pair.Kr, lambda);
    return r;
}

/* (SH.4) Sorted by frequency. */
static fb_status from_file(fb_model *b, int64_t n, fb_shapes *s, fb_err *e)
{
    ranked *t = NULL;
    fb_status r = FB_OK;
    s->as_given = 1;
    s->n = n >= 0 && n < b->nm ? n : b->nm;
    if (!b->dof_node && (r = fb_model_nodal_dofs(b, e)))
        goto out;
    if ((r = fb_mat_new(&s->X, b->ndof, s->n, e)) ||
        (r = fb_new(&s->f, s->n, 8, "frequencies", e)) || (r = by_the_file(b, &t, e)) ||
        (b->shape_imag && (r = fb_mat_new(&s->Xi, b->ndof, s->n, e))))
        goto out;
    for (int64_t k = 0; k < s->n; k++) {
        size_t row = (size_t)b->ndof * sizeof(double);
        s->f[k] = t[k].f;
        memcpy(s->X.x + k * b->ndof, b->shape + t[k].k * b->ndof, row);
        if (b->shape_imag)
            memcpy(s->Xi.x + k * b->ndof, b->shape_imag + t[k].k * b->ndof, row);
    }
    r = rigid_as_given(b, s, e);
out:
    free(t);
    return r;
}

/* A dof without motion in any mode of a body held by shapes alone was not measured, or not
 * written. */
static fb_status moving(fb_shapes *s, fb_err *e)
{
    int64_t *row = NULL, n = 0;
    fb_status r = fb_new(&row, s->nd, 8, "moving dofs", e);
    for (int64_t d = 0; !r && d < s->nd; d++) {
        int any = 0;
        for (int64_t k = d; !any && k < s->nd * s->n; k += s->nd)
            any = s->X.x[k] != 0 || (s->Xi.x && s->Xi.x[k] != 0);
        if (any)
            row[n++] = d;
    }
    if (!r && n && n < s->nd)
        r = fb_shapes_keep(s, row, n, e);
    free(row);
    return r;
}

/* Shapes of any scale: what would overflow when squared, or vanish, is brought to size 1. */
static void bring_to_scale(fb_shapes *s)
{
    const double most = 1e100, least = 1e-100;
    for (int64_t k = 0; k < s->n; k++) {
        double *x = s->X.x + k * s->nd, *y = s->Xi.x ? s->Xi.x + k * s->nd : NULL, size = 0;
        for (int64_t d = 0; d < s->nd; d++)
            size = fmax(size, fmax(fabs(x[d]), y ? fabs(y[d]) : 0));
        if (size == 0 || (size <= most && size >= least))
            continue;
        for (int64_t d = 0; d < s->nd; d++) {
            x[d] /= size;
            if (y)
                y[d] /= size;
        }
        s->normalised = 0;
    }
}

/* (SH.3) */
static fb_status from_full(const fb_model *b, int64_t n, fb_shapes *s, fb_log *log, fb_err *e)
{
    fb_eig_opts o = {.k = n, .factor = {.node = b->dof_node, .log = log}};
    fb_eig r = {0};
    if (n < 1)
        return fb_fail(e, FB_EUSAGE, "a full model: say how many modes by -n N");
    fb_status st = fb_eig_sparse(&b->K, &b->M, &o, &r, e);
    if (!st)
        st = fb_rigid_full(b, NULL, &r.X, r.lambda, &r.nnegative, &r.nrigid, "modes", log, e);
    if (!st) {
        s->n = n < r.n ? n : r.n;
        s->X = (fb_mat){r.X.m, s->n, r.X.x};
        r.X.x = NULL;
        s->normalised = 1;
        st = frequencies(s, r.lambda, b, e);
        for (int k = 0; k < r.ntext; k++)
            fb_note(log, "%s: %s", s->name, r.text[k]);
    }
    fb_eig_free(&r);
    return st;
}

/* Node by node: m on the translations, J on the rotations. */
static fb_status nodal_mass(const fb_model *b, const fb_index *nodes, fb_shapes *of, fb_err *e)
{
    int64_t *turns = NULL, *i = NULL, *j = NULL,
            n = 0; /* turns [nn,3]: dofs of rotations, from 1 */
    double *x = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&turns, 3 * b->nn, 8, "rotations of the nodes", e));
    FB_TRY(fb_new(&i, b->ndof + 3 * b->nn, 8, "nodal masses", e));
    FB_TRY(fb_new(&j, b->ndof + 3 * b->nn, 8, "nodal masses", e));
    FB_TRY(fb_new(&x, b->ndof + 3 * b->nn, 8, "nodal masses", e));
    for (int64_t d = 0; d < b->ndof; d++) {
        const int64_t p = fb_index_find(nodes, b->dof_node[d]), c = b->dof_component[d];
        if (p < 0 || c < 1 || c > 6)
            continue;
        i[n] = j[n] = d;
        x[n++] = c <= 3            ? b->node_mass[p]
                 : b->node_inertia ? b->node_inertia[9 * p + 4 * (c - 4)]
                                   : 0;
        if (c > 3)
            turns[3 * p + c - 4] = d + 1;
    }
    for (int64_t p = 0; b->node_inertia && p < b->nn; p++)
        for (int a = 0; a < 3; a++) {
            const int64_t u = turns[3 * p + a] - 1, v = turns[3 * p + (a + 1) % 3] - 1;
            const double J = b->node_inertia[9 * p + 3 * a + (a + 1) % 3];
            if (u < 0 || v < 0 || J == 0)
                continue;
            i[n] = u < v ? u : v;
            j[n] = u < v ? v : u;
            x[n++] = J;
        }
    FB_TRY(fb_csc_from_triplets(&of->M, b->ndof, b->ndof, n, i, j, x, 1, e));
    snprintf(of->mass, sizeof of->mass, "nodal masses");
out:
    FB_FREE(turns, i, j, x);
    return s;
}

fb_status fb_shapes_labels(fb_model *b, fb_shapes *s, fb_err *e)
{
    fb_index x = {0};
    fb_status r = FB_OK;
    s->nd = b->ndof;
    if (b->node_id && b->xyz) {
        if ((r = fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e)) ||
            (r = fb_new(&s->xyz, 3 * s->nd, 8, "positions", e)))
            goto out;
        for (int64_t d = 0; d < s->nd; d++) {
            int64_t p = fb_index_find(&x, b->dof_node[d]);
            for (int a = 0; a < 3; a++)
                s->xyz[3 * d + a] = p < 0 ? NAN : b->xyz[3 * p + a];
        }
        if (!b->M.p && b->node_mass && (r = nodal_mass(b, &x, s, e)))
            goto out;
    }
    if (b->M.p) {
        s->M = b->M;
        b->M = (fb_csc){0};
        snprintf(s->mass, sizeof s->mass, "mass matrix");
    }
    s->node = b->dof_node;
    s->component = b->dof_component;
    b->dof_node = b->dof_component = NULL;
out:
    fb_index_free(&x);
    return r;
}

/* Corners by node number, which matching of dofs leaves alone. */
static void faces(fb_model *b, fb_shapes *s)
{
    if (!b->face_offset || !b->face_index || !b->node_id)
        return;
    for (int64_t k = 0; k < b->nfi; k++)
        b->face_index[k] = b->node_id[b->face_index[k]];
    s->nf1 = b->nf1;
    s->face_offset = b->face_offset;
    s->face_node = b->face_index;
    b->face_offset = b->face_index = NULL;
}

/* What /recovery says of translations that /dofs has not. */
static fb_status followers(const fb_model *b, fb_shapes *of, fb_err *e)
{
    fb_followers f = {0};
    fb_index nodes = {0};
    int64_t *row = NULL, *all = NULL, *place = NULL;
    char *own = NULL;
    fb_status s = FB_OK;
    if (!b->G.p || b->G.m != b->na || b->G.n != b->ndof || !b->all_node || !b->all_component ||
        !b->node_id || !b->xyz)
        return FB_OK;
    FB_TRY(fb_index_new(&nodes, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(fb_new(&own, 3 * b->nn, 1, "followers", e));
    FB_TRY(fb_new(&row, b->na, 8, "followers", e));
    FB_TRY(fb_new(&place, b->na, 8, "followers", e));
    FB_TRY(fb_new(&all, b->ndof, 8, "followers", e));
    for (int64_t d = 0; d < b->ndof; d++) {
        const int64_t p = fb_index_find(&nodes, b->dof_node[d]), c = b->dof_component[d];
        all[d] = d;
        if (p >= 0 && c >= 1 && c <= 3)
            own[3 * p + c - 1] = 1;
    }
    for (int64_t r = 0; r < b->na; r++) {
        const int64_t p = fb_index_find(&nodes, b->all_node[r]), c = b->all_component[r];
        if (p < 0 || c < 1 || c > 3 || own[3 * p + c - 1] ||
            (b->all_class && b->all_class[r] != FB_DOF_PHYSICAL))
            continue;
        place[f.n] = p;
        row[f.n++] = r;
    }
    FB_TRY(fb_csc_sub(&b->G, row, f.n, all, b->ndof, &f.G, e));
    FB_TRY(fb_new(&f.node, f.n, 8, "followers", e));
    FB_TRY(fb_new(&f.component, f.n, 8, "followers", e));
    FB_TRY(fb_new(&f.xyz, 3 * f.n, 8, "followers", e));
    for (int64_t k = 0; k < f.n; k++) {
        f.node[k] = b->all_node[row[k]];
        f.component[k] = b->all_component[row[k]];
        memcpy(f.xyz + 3 * k, b->xyz + 3 * place[k], 3 * sizeof *f.xyz);
    }
    of->follow = f;
    f = (fb_followers){0};
out:
    followers_free(&f);
    fb_index_free(&nodes);
    FB_FREE(row, all, place, own);
    return s;
}

void fb_shapes_name(fb_shapes *s, const char *path)
{
    const char *base = strrchr(path, '/');
    const unsigned char *p = (const unsigned char *)(base && base[1] ? base + 1 : path);
    size_t at = 0;
    while (*p) {
        const int n = fb_utf8((const char *)p), bytes = n ? n : 1;
        if (at + (size_t)bytes >= sizeof s->name) {
            at = at < sizeof s->name - 2 ? at : sizeof s->name - 2;
            while (((unsigned char)s->name[at] & 0xc0) ==
                   0x80) /* whole characters, and room for the mark */
                at--;
            memcpy(s->name + at, "~", 2);
            return;
        }
        if (n)
            memcpy(s->name + at, p, (size_t)n);
        else
            s->name[at] = '?';
        at += (size_t)bytes;
        p += bytes;
    }
    s->name[at] = 0;
}

fb_status fb_shapes_view(const fb_shapes *of, int64_t n, fb_shapes *out, fb_err *e)
{
    fb_shapes t = *of;
    fb_status s = FB_OK;
    t.borrowed = 1;
    t.follow = (fb_followers){0};
    t.f = t.xyz = t.damping = NULL;
    t.rigid = NULL;
    t.node = t.component = t.face_offset = t.face_node = NULL;
    t.n = n < of->n ? n : of->n;
    t.nrigid = 0;
    t.X.n = t.n;
    t.Xi.n = of->Xi.x ? t.n : 0;
    FB_TRY(fb_copy(&t.f, of->f, t.n, sizeof *t.f, "frequencies", e));
    if (of->damping)
        FB_TRY(fb_copy(&t.damping, of->damping, t.n, sizeof *t.damping, "dampings", e));
    FB_TRY(fb_copy(&t.rigid, of->rigid, t.n, 1, "rigid modes", e));
    FB_TRY(fb_copy(&t.node, of->node, t.nd, sizeof *t.node, "dofs", e));
    FB_TRY(fb_copy(&t.component, of->component, t.nd, sizeof *t.component, "dofs", e));
    if (of->xyz)
        FB_TRY(fb_copy(&t.xyz, of->xyz, 3 * t.nd, sizeof *t.xyz, "positions", e));
    for (int64_t k = 0; k < t.n; k++)
        t.nrigid += t.rigid[k];
    *out = t;
    t = (fb_shapes){0};
out:
    fb_shapes_free(&t);
    return s;
}

fb_status fb_shapes_load(const char *path, int64_t n, fb_shapes *out, fb_log *log, fb_err *e)
{
    static const char *const want[] = {
        "/nodes",          "/dofs",       "/full/K", "/full/M",        "/full/noise",
        "/modes",          "/reduced",    "/faces",  "/recovery/node", "/recovery/component",
        "/recovery/class", "/recovery/G", NULL};
    fb_stream in = FB_STREAM_NONE;
    fb_model b = {0};
    fb_shapes t = {0};
    fb_status s = FB_OK;
    fb_shapes_name(&t, path);
    FB_TRY(fb_stream_open(&in, path, e));
    FB_TRY(fb_model_read(&in, &b, want, e));
    FB_TRY(fb_stream_with_shapes(&in, e));
    const int given =
        b.shape && b.eigen && !b.Kr && b.node_id && (!b.dof_node || b.ndof == 6 * b.nn);
    if (!given && (!b.dof_node || !b.dof_component))
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: no dof labels (/dofs)", in.name));
    if (given)
        s = from_file(&b, n, &t, e);
    else if (b.Kr && b.Mr && b.T)
        s = from_pair(&b, b.T, n, &t, e);
    else if (b.Kr && b.Mr && b.shape)
        s = from_pair(&b, b.shape, n, &t, e);
    else if (b.K.p && b.M.p)
        s = from_full(&b, n, &t, log, e);
    else
        s = fb_fail(e, FB_EFORMAT,
                    "neither a reduced body with /reduced/T, nor modes, nor K and M");
    if (s) {
        fb_context(e, "%s", in.name);
        goto out;
    }
    const int shapes_alone = !b.T && !b.K.p;
    if (shapes_alone)
        FB_TRY(dampings(&b, &t, e));
    t.order = b.nr;
    if (!fb_scan_real(b.seconds, b.seconds + strlen(b.seconds), &t.seconds) ||
        !(t.seconds > 0 && t.seconds < 1e9))
        t.seconds = 0;
    faces(&b, &t);
    t.length = b.units.factor[FB_LENGTH];
    t.weighs = b.units.factor[FB_MASS];
    FB_TRY(followers(&b, &t, e));
    FB_TRY(fb_shapes_labels(&b, &t, e));
    bring_to_scale(&t);
    if (shapes_alone)
        FB_TRY(moving(&t, e));
    fb_note(log, "%s: %lld modes (%lld rigid) over %lld dofs, %s", t.name, (long long)t.n,
            (long long)t.nrigid, (long long)t.nd, t.M.p ? t.mass : "no mass");
    *out = t;
    t = (fb_shapes){0};
out:
    fb_shapes_free(&t);
    fb_model_free(&b);
    fb_stream_abandon(&in);
    return s;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* picture.c - what of a body is drawn on a page: points and faces, thinned where they are many,
 * quantised.
 *
 * Symbols  x position, c and h centre and half of the longest side of the box of the points, A area
 *          of the faces, n the most faces (points) that are drawn
 * Equations
 *   (PI.1) q = round(32767 (x - c) / h)                      16 bits: 1.5e-5 of the longest side
 *   (PI.2) s = round(32767 u / max |u|)
 *   (PI.3) a grid of spacing a cuts a surface into about A / a^2 patches of two triangles: the
 *          first a is sqrt(2 A / n), of points d / n^(1/2) with the diagonal d of the box; wider by
 *          a quarter until they are few enough
 */
#include "memory.h"
#include "model.h"
#include "page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST16 = 65535 };

void fb_picture_free(fb_picture *p)
{
    FB_FREE(p->node, p->offset, p->index, p->also);
    *p = (fb_picture){0};
}

/* ---- thinning ----------------------------------------------------------------------------- */

typedef struct { /* the cell of a node */
    int64_t cell[3], node;
} place;

static int by_cell(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->cell[k] != q->cell[k])
            return p->cell[k] < q->cell[k] ? -1 : 1;
    return p->node < q->node ? -1 : p->node > q->node;
}

static int same_cell(const place *p, const place *q)
{
    return !memcmp(p->cell, q->cell, sizeof p->cell);
}

/* Of the nodes of a cell the one nearest to their mean. */
static int64_t middle(const place *p, int64_t n, const double *xyz)
{
    double mean[3] = {0}, least = INFINITY;
    int64_t best = p->node;
    for (int64_t k = 0; k < n; k++)
        for (int a = 0; a < 3; a++)
            mean[a] += xyz[3 * p[k].node + a] / (double)n;
    for (int64_t k = 0; k < n; k++) {
        double d = 0;
        for (int a = 0; a < 3; a++)
            d += pow(xyz[3 * p[k].node + a] - mean[a], 2);
        if (d < least) {
            least = d;
            best = p[k].node;
        }
    }
    return best;
}

/* to[node]: the node that stands for it on a grid of that spacing; -1 stays. */
static void merge(const fb_surface *f, const char *used, double spacing, place *p, int64_t *to)
{
    int64_t n = 0;
    double lo[3], hi[3];
    fb_box(f->xyz, f->nn, lo, hi);
    for (int64_t k = 0; k < f->nn; k++) {
        to[k] = -1;
        if (!used[k])
            continue;
        for (int a = 0; a < 3; a++)
            p[n].cell[a] = (int64_t)floor((f->xyz[3 * k + a] - lo[a]) / spacing);
        p[n++].node = k;
    }
    qsort(p, (size_t)n, sizeof *p, by_cell);
    for (int64_t k = 0, q; k < n; k = q) {
        for (q = k + 1; q < n && same_cell(p + k, p + q);)
            q++;
        const int64_t stands = middle(p + k, q - k, f->xyz);
        for (int64_t i = k; i < q; i++)
            to[p[i].node] = stands;
    }
}

static double face_area(const fb_surface *f, int64_t k)
{
    const int64_t *c = f->index + f->offset[k], n = f->offset[k + 1] - f->offset[k];
    double sum[3] = {0};
    for (int64_t i = 1; i + 1 < n; i++) {
        double u[3], v[3];
        for (int a = 0; a < 3; a++) {
            u[a] = f->xyz[3 * c[i] + a] - f->xyz[3 * c[0] + a];
            v[a] = f->xyz[3 * c[i + 1] + a] - f->xyz[3 * c[0] + a];
        }
        for (int a = 0; a < 3; a++)
            sum[a] += (u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3]) / 2;
    }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

/* The corners of face k that are left by `to`, without repeats of a neighbour; how many. */
static int64_t corners(const fb_surface *f, int64_t k, const int64_t *to, int64_t *out)
{
    const int64_t *c = f->index + f->offset[k], all = f->offset[k + 1] - f->offset[k];
    int64_t n = 0;
    for (int64_t i = 0; i < all; i++)
        if (!n || out[n - 1] != to[c[i]])
            out[n++] = to[c[i]];
    while (n > 1 && out[n - 1] == out[0])
        n--;
    if (n == 4 && (out[0] == out[2] || out[1] == out[3])) /* folded upon itself: covers nothing */
        return 0;
    return n == all || n > 2 ? n : 0; /* a line or a vertex is drawn, a collapsed triangle is not */
}

/* (PI.3) */
static double first_spacing(const fb_surface *f, int64_t most)
{
    double area = 0;
    for (int64_t k = 0; f->offset && k < f->nf; k++)
        area += face_area(f, k);
    return area > 0 ? sqrt(2 * area / (double)most)
                    : fb_box_diagonal(f->xyz, f->nn) / sqrt((double)most);
}

/* How many faces, or points, `to` leaves. */
static int64_t left(const fb_surface *f, const int64_t *to, int64_t *corner)
{
    int64_t n = 0;
    if (f->offset)
        for (int64_t k = 0; k < f->nf; k++)
            n += corners(f, k, to, corner) > 0;
    else
        for (int64_t k = 0; k < f->nn; k++)
            n += to[k] == k;
    return n;
}

static fb_status thin(const fb_surface *f, const char *used, int64_t most, int64_t *to,
                      int64_t *corner, fb_err *e)
{
    place *p = NULL;
    fb_status s = FB_NEW(&p, f->nn, e);
    for (double spacing = first_spacing(f, most); !s && spacing > 0 && isfinite(spacing);
         spacing *= 1.25) {
        merge(f, used, spacing, p, to);
        if (left(f, to, corner) <= most)
            break;
    }
    free(p);
    return s;
}

/* ---- what is drawn ------------------------------------------------------------------------ */

/* Numbers the nodes that stand for themselves, and the faces between them. */
static fb_status collect(const fb_surface *f, const int64_t *to, int64_t *corner, fb_picture *p,
                         fb_err *e)
{
    int64_t *number = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&number, f->nn, e));
    FB_TRY(FB_NEW(&p->node, f->nn, e));
    FB_TRY(fb_new(&p->offset, f->nf + 1, 8, "faces drawn", e));
    FB_TRY(fb_new(&p->index, f->offset ? f->offset[f->nf] : 0, 8, "faces drawn", e));
    FB_TRY(fb_new(&p->also, f->nalso, 8, "points drawn", e));
    for (int64_t k = 0; k < f->nn; k++) {
        number[k] = p->n;
        if (to[k] == k)
            p->node[p->n++] = k;
    }
    for (int64_t k = 0; f->offset && k < f->nf; k++) {
        const int64_t n = corners(f, k, to, corner);
        if (!n || n > MOST16)
            continue;
        for (int64_t i = 0; i < n; i++)
            p->index[p->offset[p->nf] + i] = number[corner[i]];
        p->offset[p->nf + 1] = p->offset[p->nf] + n;
        p->nf++;
    }
    for (int64_t k = 0; k < f->nalso; k++)
        p->also[k] = f->also[k] < 0 ? -1 : number[to[f->also[k]]];
out:
    free(number);
    return s;
}

static void box(const fb_surface *f, fb_picture *p)
{
    double lo[3] = {0}, hi[3] = {0};
    for (int64_t k = 0; k < p->n; k++)
        for (int a = 0; a < 3; a++) {
            const double x = f->xyz[3 * p->node[k] + a];
            lo[a] = k ? fmin(lo[a], x) : x;
            hi[a] = k ? fmax(hi[a], x) : x;
        }
    for (int a = 0; a < 3; a++) {
        p->center[a] = (lo[a] + hi[a]) / 2;
        p->half = fmax(p->half, (hi[a] - lo[a]) / 2);
    }
    p->half = p->half > 0 ? p->half : 1;
}

fb_status fb_picture_new(const fb_surface *f, int64_t most, fb_picture *out, fb_err *e)
{
    fb_picture p = {0};
    int64_t *to = NULL, *corner = NULL, widest = 0, count = 0;
    char *used = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&to, f->nn, e));
    FB_TRY(FB_NEW(&used, f->nn, e));
    for (int64_t k = 0; f->offset && k < f->nf; k++)
        widest =
            f->offset[k + 1] - f->offset[k] > widest ? f->offset[k + 1] - f->offset[k] : widest;
    FB_TRY(fb_new(&corner, widest + 1, 8, "corners of a face", e));
    for (int64_t k = 0; f->offset && k < f->offset[f->nf]; k++)
        used[f->index[k]] = 1;
    for (int64_t k = 0; k < f->nalso; k++)
        if (f->also[k] >= 0)
            used[f->also[k]] = 1;
    for (int64_t k = 0; k < f->nn; k++) {
        used[k] = used[k] || !f->offset;
        to[k] = used[k] ? k : -1;
        count += used[k];
    }
    p.all_points = count;
    p.all_faces = f->offset ? f->nf : 0;
    if ((f->offset ? f->nf : count) > most)
        FB_TRY(thin(f, used, most, to, corner, e));
    FB_TRY(collect(f, to, corner, &p, e));
    box(f, &p);
    *out = p;
    p = (fb_picture){0};
out:
    fb_picture_free(&p);
    FB_FREE(to, used, corner);
    return s;
}

/* ---- in a page ---------------------------------------------------------------------------- */

static void put_u16(fb_buf *o, int64_t v)
{
    fb_put_bytes(o, (const unsigned char[]){(unsigned char)v, (unsigned char)(v >> 8)}, 2);
}

/* Three numbers within -1..1 in 16 bits each. */
static void put_three(fb_buf *w, const double v[3], double scale, const double origin[3])
{
    for (int a = 0; a < 3; a++)
        put_u16(w, lround(32767 * ((v[a] - origin[a]) / scale)));
}

static void member(fb_buf *o, const char *name, fb_buf *w)
{
    if (w->failed)
        o->failed = w->failed;
    fb_put_text(o, ",\n\"%s\":\"", name);
    fb_put_base64(o, w->data, (size_t)w->size);
    fb_put_text(o, "\"");
    fb_buf_free(w);
    *w = (fb_buf){0};
}

static void put_faces(fb_buf *o, const fb_picture *p)
{
    const int wide = p->n > MOST16;
    fb_buf count = {0}, index = {0};
    for (int64_t k = 0; k < p->nf; k++)
        put_u16(&count, p->offset[k + 1] - p->offset[k]);
    for (int64_t k = 0; k < p->offset[p->nf]; k++) {
        put_u16(&index, p->index[k] & MOST16);
        if (wide)
            put_u16(&index, p->index[k] >> 16);
    }
    member(o, "corners", &count);
    member(o, wide ? "index32" : "index16", &index);
}

void fb_put_picture(fb_buf *o, const fb_picture *p, const double *xyz)
{
    fb_buf w = {0};
    fb_put_text(
        o, "\"points\":%lld,\"faces\":%lld,\"all_points\":%lld,\"all_faces\":%lld,\"half\":",
        (long long)p->n, (long long)p->nf, (long long)p->all_points, (long long)p->all_faces);
    fb_put_json_real(o, p->half);
    fb_put_json_reals(o, "center", p->center, 3);
    for (int64_t k = 0; k < p->n; k++)
        put_three(&w, xyz + 3 * p->node[k], p->half, p->center); /* (PI.1) */
    member(o, "xyz", &w);
    if (p->nf)
        put_faces(o, p);
}

void fb_put_values(fb_buf *o, const char *name, const double *v, int64_t n, double most)
{
    fb_buf w = {0};
    for (int64_t k = 0; k < n; k++)
        put_u16(&w, most > 0 && v[k] > 0 ? lround(65535 * (v[k] / most)) : 0);
    member(o, name, &w);
}

void fb_put_shape(fb_buf *o, const fb_picture *p, const double *u, int stride)
{
    static const double origin[3];
    double most = 0;
    fb_buf w = {0};
    for (int64_t k = 0; k < p->n; k++) {
        const double *v = u + stride * p->node[k];
        most = fmax(most, hypot(hypot(v[0], v[1]), v[2]));
    }
    for (int64_t k = 0; k < p->n; k++)
        put_three(&w, u + stride * p->node[k], most > 0 ? most : 1, origin); /* (PI.2) */
    fb_put_text(o, ",\"most\":");
    fb_put_json_real(o, most);
    member(o, "shape", &w);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html.c - models against a reference as one page for a browser.
 *
 * The page is correlate/page.html; here is what it shows, as JSON within it: of each model its
 * numbers, and the modes of both over the nodes that were matched. Models that share their nodes
 * with the one before share its mesh and the shapes of the reference.
 *   (HP.1) b_j of pair (i,j) is drawn as -b_j where phi_i'phi_rj < 0: pairs move together
 *   (HP.2) a complex mode x is drawn as Re x e^-ia, a = arg(sum x^2) / 2: at the moment of its
 *          largest sum of squares (a test may give shapes that are all imaginary)
 */
#include "correlate.h"
#include "memory.h"
#include "page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

FB_EMBED(correlation_page, "correlate/page.html");

enum { FACES = 60000, SHAPES = 48000000 };

static void begin(fb_page_state *p, const char *reference, fb_buf *o)
{
    const fb_asset behind = fb_put_page(o, FB_ASSET(correlation_page), reference);
    p->behind = behind.start;
    fb_put_text(o, "{\"reference\":");
    fb_put_json(o, reference);
    fb_put_text(o, ",\n\"models\":[");
}

void fb_page_end(fb_page_state *p, const char *reference, fb_buf *o)
{
    fb_put_text(o, "]}\n");
    fb_put_page(o, (fb_asset){p->behind, FB_ASSET(correlation_page).end}, reference);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static void flags(const char *name, const char *flag, int64_t n, fb_buf *o)
{
    fb_put_text(o, ",\n\"%s\":[", name);
    for (int64_t k = 0; k < n; k++)
        fb_put_text(o, "%s%d", k ? "," : "", flag[k] != 0);
    fb_put_text(o, "]");
}

static void table(const char *name, const fb_table *t, fb_buf *o)
{
    fb_put_text(o, ",\n\"%s\":{\"first_below\":%lld", name, (long long)t->first_below);
    fb_put_json_reals(o, "statistics",
                      (double[]){t->diagonal_min, t->diagonal_mean, t->off_max, t->off_mean}, 4);
    fb_put_text(o, ",\n\"rows\":[");
    for (int64_t i = 0; i < t->C.m; i++)
        for (int64_t j = 0; j < t->C.n; j++)
            fb_put_text(o, "%s%.6g%s",
                        j   ? ","
                        : i ? ",\n["
                            : "[",
                        t->C.x[i + j * t->C.m], j + 1 == t->C.n ? "]" : "");
    fb_put_text(o, "]}");
}

static void numbers(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c,
                    const int64_t left_out[2], fb_buf *o)
{
    fb_put_text(o, "{\"name\":");
    fb_put_json(o, b->name);
    fb_put_text(o, ",\"mass\":");
    fb_put_json(o, a->M.p ? a->mass : "");
    fb_put_text(
        o,
        ",\"dofs\":%lld,\"left_out\":[%lld,%lld],\"order\":%lld,\"bytes\":%lld,\"seconds\":%.3g,"
        "\"lost\":%lld,\"swapped\":%lld,\"aligned\":%lld,\"complex\":%d",
        (long long)a->nd, (long long)left_out[0], (long long)left_out[1], (long long)b->order,
        (long long)b->bytes, b->seconds, (long long)c->nmissing, (long long)c->nswapped,
        (long long)c->naligned, a->Xi.x || b->Xi.x);
    fb_put_json_reals(o, "f", a->f, c->na);
    fb_put_json_reals(o, "f_model", b->f, c->nb);
    flags("rigid", c->rigid, c->na, o);
    flags("rigid_model", c->rigid_b, c->nb, o);
    fb_put_text(o, ",\n\"pair\":[");
    for (int64_t i = 0; i < c->na; i++)
        fb_put_text(o, "%s%lld", i ? "," : "", (long long)c->pair[i]);
    fb_put_text(o, "]");
    for (int k = 0; k < FB_NCRITERION; k++)
        if (c->table[k].C.x)
            table(fb_criterion_name[k], c->table + k, o);
}

/* ---- shapes --------------------------------------------------------------------------------- */

typedef struct {
    int64_t n, *node;           /* nodes of the matched dofs, ascending */
    double *xyz;                /* [n,3] */
    double size;                /* diagonal of their box */
    int64_t *at;                /* [nd] where a dof goes in u [n,3]; -1: nowhere */
    const fb_followers *follow; /* n 0: none */
    int64_t *led;               /* [follow->n] where those go */
    double *x, *y;              /* [nd], [follow->n] a shape, and what follows it */
    double *u, *v;              /* [n,3] of the reference and of the model */
    fb_picture picture;
} drawing;

static void drawing_free(drawing *t)
{
    FB_FREE(t->node, t->xyz, t->at, t->led, t->x, t->y, t->u, t->v);
    fb_picture_free(&t->picture);
}

static int drawn(const fb_shapes *a, int64_t d)
{
    return a->component[d] >= 1 && a->component[d] <= 3 && isfinite(a->xyz[3 * d]);
}

/* Slaves of frames follow the dofs of the mesh where all of these are compared. */
static fb_status place_followers(const fb_shapes *mesh, const fb_shapes *a, drawing *t, fb_err *e)
{
    static const fb_followers none = {0};
    const size_t size = sizeof *a->node * (size_t)a->nd;
    const int all = a->nd == mesh->nd && !memcmp(a->node, mesh->node, size) &&
                    !memcmp(a->component, mesh->component, size);
    t->follow = all ? &mesh->follow : &none;
    FB_PASS(fb_new(&t->led, t->follow->n, 8, "followers", e));
    FB_PASS(fb_new(&t->x, a->nd, 8, "a shape", e));
    return fb_new(&t->y, t->follow->n, 8, "followers", e);
}

static fb_status place_dofs(const fb_shapes *a, drawing *t, fb_err *e)
{
    const fb_followers *f = t->follow;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t->node, a->nd + f->n, 8, "nodes", e));
    FB_TRY(FB_NEW(&t->at, a->nd, e));
    for (int64_t d = 0; d < a->nd; d++)
        if (drawn(a, d))
            t->node[t->n++] = a->node[d];
    for (int64_t k = 0; k < f->n; k++)
        t->node[t->n++] = f->node[k];
    t->n = fb_unique(t->node, t->n);
    FB_TRY(fb_new(&t->xyz, 3 * t->n, 8, "positions", e));
    FB_TRY(fb_new(&t->u, 3 * t->n, 8, "displacements", e));
    FB_TRY(fb_new(&t->v, 3 * t->n, 8, "displacements", e));
    for (int64_t d = 0; d < a->nd; d++) {
        t->at[d] = -1;
        if (!drawn(a, d))
            continue;
        const int64_t p = fb_sorted_find(t->node, t->n, a->node[d]);
        memcpy(t->xyz + 3 * p, a->xyz + 3 * d, 3 * sizeof *t->xyz);
        t->at[d] = 3 * p + a->component[d] - 1;
    }
    for (int64_t k = 0; k < f->n; k++) {
        const int64_t p = fb_sorted_find(t->node, t->n, f->node[k]);
        memcpy(t->xyz + 3 * p, f->xyz + 3 * k, 3 * sizeof *t->xyz);
        t->led[k] = 3 * p + f->component[k] - 1;
    }
    t->size = t->n ? fb_box_diagonal(t->xyz, t->n) : 0;
out:
    return s;
}

/* The faces whose corners all take part. */
static fb_status picture(const fb_shapes *mesh, drawing *t, fb_err *e)
{
    int64_t *offset = NULL, *index = NULL, nf = 0, ni = 0;
    const int64_t all = mesh->nf1 > 0 ? mesh->nf1 - 1 : 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&offset, all + 1, 8, "faces", e));
    FB_TRY(fb_new(&index, all ? mesh->face_offset[all] : 0, 8, "faces", e));
    for (int64_t k = 0; k < all; k++) {
        int64_t n = 0, corners = mesh->face_offset[k + 1] - mesh->face_offset[k];
        for (; n < corners; n++) {
            index[ni + n] =
                fb_sorted_find(t->node, t->n, mesh->face_node[mesh->face_offset[k] + n]);
            if (index[ni + n] < 0)
                break;
        }
        if (n < corners)
            continue;
        ni += n;
        offset[++nf] = ni;
    }
    s = fb_picture_new(
        &(fb_surface){
            .nn = t->n, .nf = nf, .xyz = t->xyz, .offset = nf ? offset : NULL, .index = index},
        FACES, &t->picture, e);
out:
    FB_FREE(offset, index);
    return s;
}

/* (HP.2): cos a and sin a. */
static void phase_of(const fb_shapes *s, int64_t k, const drawing *t, double phase[2])
{
    const double *x = s->X.x + k * s->nd, *y = s->Xi.x ? s->Xi.x + k * s->nd : NULL;
    double re = 0, im = 0;
    for (int64_t d = 0; y && d < s->nd; d++)
        if (t->at[d] >= 0) {
            re += x[d] * x[d] - y[d] * y[d];
            im += 2 * x[d] * y[d];
        }
    const double a = y ? atan2(im, re) / 2 : 0;
    phase[0] = cos(a);
    phase[1] = sin(a);
}

static void take(const fb_shapes *s, int64_t k, const drawing *t, double *u)
{
    double most = 0, turn = 0, phase[2];
    phase_of(s, k, t, phase);
    memset(u, 0, 3 * sizeof *u * (size_t)t->n);
    for (int64_t d = 0; d < s->nd; d++) {
        const double y = s->Xi.x ? s->Xi.x[d + k * s->nd] : 0;
        const double x = t->x[d] = phase[0] * s->X.x[d + k * s->nd] + phase[1] * y;
        if (t->at[d] >= 0)
            most = fmax(most, fabs(u[t->at[d]] = x));
        else if (s->component[d] >= 4 && s->component[d] <= 6)
            turn = fmax(turn, fabs(x));
    }
    if (t->follow->n) {
        memset(t->y, 0, sizeof *t->y * (size_t)t->follow->n);
        fb_csc_mul(&t->follow->G, t->x, s->nd, t->y, t->follow->n, 1);
    }
    for (int64_t q = 0; q < t->follow->n; q++)
        most = fmax(most, fabs(u[t->led[q]] = t->y[q]));
    if (fb_only_turns(most, turn, t->size))
        memset(u, 0, 3 * sizeof *u * (size_t)t->n);
}

/* (HP.1) */
static void align(const fb_shapes *a, const fb_correlation *c, int64_t j, drawing *t)
{
    double dot = 0;
    for (int64_t i = 0; i < c->na; i++) {
        if (c->pair[i] != j)
            continue;
        take(a, i, t, t->u);
        for (int64_t k = 0; k < 3 * t->n; k++)
            dot += t->u[k] * t->v[k];
    }
    for (int64_t k = 0; dot < 0 && k < 3 * t->n; k++)
        t->v[k] = -t->v[k];
}

static void shapes(fb_page_state *p, int fresh, const fb_shapes *a, const fb_shapes *b,
                   const fb_correlation *c, drawing *t, const double *xyz, fb_buf *o)
{
    const int64_t moving = SHAPES / (8 * (t->picture.n + 1) * (p->nmodel + 1));
    const int64_t na = c->na < moving ? c->na : moving, nb = c->nb < moving ? c->nb : moving;
    if (fresh) {
        fb_put_text(o, ",\n\"mesh\":{");
        fb_put_picture(o, &t->picture, xyz);
        fb_put_text(o, "}");
    }
    if (fresh || na > p->na) {
        fb_put_text(o, ",\n\"shapes\":[");
        for (int64_t k = 0; k < na; k++) {
            take(a, k, t, t->u);
            fb_put_text(o, "%s{\"k\":%lld", k ? ",\n" : "\n", (long long)k);
            fb_put_shape(o, &t->picture, t->u, 3);
            fb_put_text(o, "}");
        }
        fb_put_text(o, "]");
        p->na = na;
    }
    fb_put_text(o, ",\n\"model_shapes\":[");
    for (int64_t k = 0; k < nb; k++) {
        take(b, k, t, t->v);
        align(a, c, k, t);
        fb_put_text(o, "%s{\"k\":%lld", k ? ",\n" : "\n", (long long)k);
        fb_put_shape(o, &t->picture, t->v, 3);
        fb_put_text(o, "}");
    }
    fb_put_text(o, "]");
}

fb_status fb_page_model(fb_page_state *p, const fb_shapes *mesh, const fb_shapes *a,
                        const fb_shapes *b, const fb_correlation *c, const int64_t left_out[2],
                        fb_buf *o, fb_err *e)
{
    drawing t = {0};
    fb_status s = FB_OK;
    if (p->n++)
        fb_put_text(o, ",\n");
    else
        begin(p, a->name, o);
    numbers(a, b, c, left_out, o);
    if (a->xyz) {
        FB_TRY(place_followers(mesh, a, &t, e));
        FB_TRY(place_dofs(a, &t, e));
        if (t.n) {
            const int fresh = p->nn != t.n || memcmp(p->node, t.node, sizeof *t.node * (size_t)t.n);
            FB_TRY(picture(mesh, &t, e));
            shapes(p, fresh, a, b, c, &t, t.xyz, o);
            free(p->node);
            p->node = t.node;
            p->nn = t.n;
            t.node = NULL;
        }
    }
    fb_put_text(o, "}");
    s = fb_buf_status(o, e);
out:
    drawing_free(&t);
    return s;
}

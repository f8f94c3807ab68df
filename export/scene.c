/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scene.c - shapes for pictures.
 *
 *   (SN.1) scale_k = d / (10 max_p |phi_pk|): the largest displacement is a tenth of the diagonal d
 *          of the bounding box, so that it is a good picture as it stands; where nodes turn about
 *          themselves alone (SH.2) the largest rotation is a tenth of a radian
 */
#include "scene.h"
#include "memory.h"
#include "number.h"
#include <math.h>
#include <string.h>

/* A range "7-9" or a number at p; the first byte behind it, or NULL. */
static const char *range(const char *p, const char *end, int64_t *first, int64_t *last)
{
    p = fb_scan_int(p, end, first);
    *last = *first;
    return p && p < end && *p == '-' ? fb_scan_int(p + 1, end, last) : p;
}

/* The list of --modes, or all n. */
static fb_status choose(fb_scene *t, const char *list, int64_t n, fb_err *e)
{
    int64_t cap = 0;
    const char *end = list ? list + strlen(list) : NULL;
    fb_status s = FB_OK;
    if (!list) {
        FB_TRY(FB_NEW(&t->chosen, n, e));
        for (; t->n < n; t->n++)
            t->chosen[t->n] = t->n;
        return FB_OK;
    }
    t->oscillate = 1;
    for (const char *p = list; p < end; p++) {
        int64_t first, last;
        p = range(p, end, &first, &last);
        if (!p || (p + 1 == end && *p == ',') || (p < end && *p != ',') || first < 1 ||
            last < first)
            return fb_fail(e, FB_EUSAGE, "--modes '%s': numbers and ranges are wanted: 7-9,12",
                           list);
        if (last > n)
            return fb_fail(e, FB_EUSAGE, "--modes %s: the body has %lld %ss", list, (long long)n,
                           t->word);
        FB_TRY(fb_grow(&t->chosen, &cap, t->n + last - first + 1, sizeof *t->chosen, e));
        for (; first <= last; first++) {
            int64_t k = 0;
            while (k < t->n && t->chosen[k] != first - 1)
                k++;
            t->chosen[k] = first - 1;
            t->n += k == t->n;
        }
    }
    if (!t->n)
        s = fb_fail(e, FB_EUSAGE, "--modes '': numbers and ranges are wanted: 7-9,12");
out:
    return s;
}

static fb_status find_modes(fb_scene *t, fb_err *e)
{
    fb_status s = fb_modal_new(t->b, &t->modes, e);
    if (s && s != FB_ESYS)
        fb_context(e, "no modes to draw (--coordinates draws what the body is made of)");
    return s;
}

fb_status fb_stress_of(const fb_model *b, const fb_mat *V, const int64_t *node, int64_t n,
                       fb_mat *S, int64_t **at, fb_err *e)
{
    fb_index x = {0};
    double *of = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_coordinate_stress(b, 0, &of, e));
    if (!of)
        return FB_OK;
    const fb_mat C = {6 * b->ns, b->nr, of};
    FB_TRY(V->x ? fb_mat_product(0, 0, &C, V, S, e) : fb_mat_copy(S, &C, e));
    FB_TRY(fb_index_new(&x, b->stress_node, b->ns, "/stress/node", e));
    FB_TRY(FB_NEW(at, n, e));
    for (int64_t p = 0; p < n; p++)
        (*at)[p] = fb_index_find(&x, b->node_id[node[p]]);
out:
    free(of);
    fb_index_free(&x);
    return s;
}

fb_status fb_scene_new(const fb_model *b, const fb_export *ask, fb_scene *t, fb_err *e)
{
    const int modes = !ask->coordinates && b->Kr && b->Mr;
    fb_status s = FB_OK;
    *t = (fb_scene){.b = b, .word = modes ? "mode" : "coordinate"};
    if (!b->node_id || !b->xyz || !fb_shapes(b) || !b->dof_node)
        return fb_fail(
            e, FB_EFORMAT,
            "pictures want node positions and shapes (/nodes, /dofs, /reduced/T), which the body "
            "lacks: run mnfparse | reduce first");
    if (modes)
        FB_TRY(find_modes(t, e));
    FB_TRY(choose(t, ask->modes, modes ? t->modes.n : b->nr, e));
    FB_TRY(fb_shaper_new(&t->shapes, b, modes ? t->modes.X.x : fb_shapes(b), b->node_id, b->nn, e));
    FB_TRY(fb_picture_new(&(fb_surface){.nn = b->nn,
                                        .nf = b->face_offset ? b->nf1 - 1 : 0,
                                        .xyz = b->xyz,
                                        .offset = b->nf1 > 1 ? b->face_offset : NULL,
                                        .index = b->face_index},
                          INT64_MAX, &t->picture, e));
    FB_TRY(fb_new(&t->all, 6 * b->nn, sizeof *t->all, "displacements", e));
    FB_TRY(fb_new(&t->u, 3 * t->picture.n, sizeof *t->u, "displacements", e));
    FB_TRY(fb_new(&t->turn, 3 * t->picture.n, sizeof *t->turn, "rotations", e));
    t->size = fb_box_diagonal(b->xyz, b->nn);
    FB_TRY(fb_stress_of(b, &t->modes.V, t->picture.node, t->picture.n, &t->of_shapes, &t->at, e));
    if (t->of_shapes.x)
        FB_TRY(fb_new(&t->stress, 6 * t->picture.n, sizeof *t->stress, "stress", e));
out:
    return s;
}

/* (SN.1); displacements that are none become zero. */
static double scale_of(fb_scene *t)
{
    const int64_t n = t->picture.n;
    double most = 0, turn = 0;
    for (int64_t p = 0; p < n; p++) {
        const double *u = t->all + 6 * t->picture.node[p];
        most = fmax(most, fb_norm(u, 3));
        turn = fmax(turn, fb_norm(u + 3, 3));
    }
    if (turn > 0 && fb_only_turns(most, turn, t->size)) {
        for (int64_t d = 0; d < 6 * t->b->nn; d++)
            t->all[d] = d % 6 < 3 ? 0 : t->all[d];
        return 0.1 / turn;
    }
    return most > 0 && t->size > 0 ? t->size / (10 * most) : 1;
}

void fb_scene_shape(fb_scene *t, int64_t k)
{
    const int64_t n = t->picture.n;
    fb_shaper_column(&t->shapes, k, t->all);
    const double scale = scale_of(t);
    for (int64_t d = 0; d < 3 * n; d++) {
        const double *u = t->all + 6 * t->picture.node[d / 3] + d % 3;
        t->u[d] = scale * u[0];
        t->turn[d] = scale * u[3];
    }
    for (int64_t d = 0; t->stress && d < 6 * n; d++) {
        const int64_t p = t->at[d / 6];
        t->stress[d] =
            p < 0 ? (double)NAN : scale * t->of_shapes.x[6 * p + d % 6 + k * t->of_shapes.m];
    }
}

double fb_scene_hz(const fb_scene *t, int64_t k)
{
    const fb_model *b = t->b;
    if (t->modes.hz)
        return t->modes.hz[k];
    return b->frequency && b->kind && b->kind[k] == FB_KIND_EIGEN ? b->frequency[k] : (double)NAN;
}

void fb_put_f32(fb_buf *o, float v)
{
    int32_t bits;
    memcpy(&bits, &v, sizeof bits);
    fb_put_i32(o, bits);
}

void fb_scene_free(fb_scene *t)
{
    fb_picture_free(&t->picture);
    fb_modal_free(&t->modes);
    fb_shaper_free(&t->shapes);
    fb_mat_free(&t->of_shapes);
    FB_FREE(t->chosen, t->all, t->u, t->turn, t->at, t->stress);
    *t = (fb_scene){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html.c - one self-contained page about a body, which moves in its modes.
 *
 * The page is export/page.html; here is what it shows, as JSON within it:
 *   body     texts, units, counts, box, mass; history, warnings; verdict in sentences
 *   modes    of the reduced pair: Hz, the full body's where --check was given, damping, effective
 *            masses, shape
 *            and, of a body with stress, the von Mises stress of that shape at the points
 *   mesh     points and faces, connectors (lib/picture.c)
 *   motion   of a simulated mechanism: times, and the way of each point from its first place
 * Texts of files are strings of that JSON alone, and the page puts them in as text.
 *   (HT.1) a shape of n points takes 8 n bytes of base64, its stress 3 n more; as many modes as
 *          SHAPES bytes hold move; of a longer motion each second, third, ... moment is shown
 * Assumed  nothing: what the body lacks is not shown, and the page says so.
 */
#include "body.h"
#include "memory.h"
#include "page.h"
#include "scene.h"
#include "sentences.h"
#include "writer.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FB_EMBED(body_page, "export/page.html");

enum { FACES = 200000, SHAPES = 48000000 };

/* ---- small members ------------------------------------------------------------------------ */

static void text(fb_buf *o, const char *name, const char *s)
{
    if (!s[0])
        return;
    fb_put_text(o, ",\n\"%s\":", name);
    fb_put_json(o, s);
}

static void count(fb_buf *o, const char *name, int64_t n)
{
    if (n)
        fb_put_text(o, ",\n\"%s\":%lld", name, (long long)n);
}

static void source(fb_buf *o, const fb_model *b)
{
    text(o, "title", b->title);
    text(o, "source", b->source);
    text(o, "producer", b->producer);
    text(o, "format", b->format);
    text(o, "date", b->date);
    text(o, "method", b->method);
    text(o, "matrices", b->matrices);
    text(o, "unused", b->unused);
    fb_put_text(o, ",\n\"comments\":[");
    for (int k = 0, n = 0; k < 3; k++)
        if (b->comment[k][0]) {
            fb_put_text(o, n++ ? "," : "");
            fb_put_json(o, b->comment[k]);
        }
    fb_put_text(o, "],\n\"units\":[");
    for (int k = 0; k < FB_NUNIT; k++) {
        fb_put_text(o, k ? "," : "");
        fb_put_json(o, b->units.name[k]);
    }
    fb_put_text(o, "]");
    fb_put_json_reals(o, "si", b->units.factor, FB_NUNIT);
    count(o, "nodes", b->nn);
    count(o, "dofs", b->ndof);
    count(o, "input_modes", b->nm);
    count(o, "order", b->nr);
    count(o, "interface_dofs", b->nb);
}

/* ---- mass ---------------------------------------------------------------------------------- */

static void mass_from(fb_buf *o, const char *from, const double *m, int64_t nm, const double *c,
                      const double *J)
{
    fb_put_text(o, ",\n\"mass\":{\"from\":");
    fb_put_json(o, from);
    fb_put_json_reals(o, "mass", m, nm);
    fb_put_json_reals(o, "center", c, 3);
    fb_put_json_reals(o, "inertia", J, 9);
    fb_put_text(o, "}");
}

static fb_status mass(fb_buf *o, const fb_model *b, fb_err *e)
{
    double c[3], J[9], lo[3], hi[3], V = 0;
    fb_status s = FB_OK;
    if (b->total_mass) {
        mass_from(o, "mass matrix of the full body", b->total_mass, 3, b->mass_center,
                  b->mass_inertia);
    } else if (b->node_mass && b->xyz) {
        const double m = fb_node_inertia(b, c, J);
        mass_from(o, "nodal masses", &m, 1, c, J);
    } else if (b->I[1] && b->I[2] && b->I[7]) {
        fb_central_inertia(b, c, J);
        mass_from(o, "inertia invariants", b->I[1], 1, c, J);
    }
    if (b->ref_mass) {
        fb_put_text(o, ",\n\"stated\":{\"from\":\"the input's own words\"");
        fb_put_json_reals(o, "mass", b->ref_mass, 1);
        fb_put_json_reals(o, "center", b->ref_com, 3);
        fb_put_json_reals(o, "origin_inertia", b->ref_inertia, 9);
        fb_put_text(o, "}");
    }
    if (!b->xyz || !b->nn)
        return FB_OK;
    fb_box(b->xyz, b->nn, lo, hi);
    fb_put_json_reals(o, "low", lo, 3);
    fb_put_json_reals(o, "high", hi, 3);
    if (!(s = fb_node_volume(b, &V, e)) && V > 0 && fb_total_mass(b) > 0)
        fb_put_json_reals(o, "density", (double[]){fb_total_mass(b) / V}, 1);
    return s;
}

/* ---- how it was made ----------------------------------------------------------------------- */

static void line(fb_buf *o, int first, const char *s)
{
    fb_put_text(o, first ? "\n" : ",\n");
    fb_put_json(o, s);
}

static void made(fb_buf *o, const fb_run *r, const fb_history *h)
{
    fb_put_text(o, ",\n\"history\":[");
    for (int64_t k = 0; k < h->n; k++)
        line(o, k == 0, h->lines + (size_t)k * h->width);
    line(o, h->n == 0, r->line);
    fb_put_text(o, "],\n\"warned\":[");
    for (int64_t k = 0; k < r->log.nwarning; k++)
        line(o, k == 0, r->log.warning[k]);
    fb_put_text(o, "]");
}

/* Title, source, or the first file that its first tool read: in the line a word with an ending,
 * best one that follows no option. */
static void headline(const fb_model *b, const fb_history *h, char out[160])
{
    const char *text = b->title[0] ? b->title : b->source, *p = h->n ? h->lines : "";
    int found = 0;
    snprintf(out, 160, "%s", text[0] ? text : "flexible body");
    for (int word = 0, value = 0; !text[0] && *p && found < 2; word++) {
        const int n = (int)strcspn(p, " "), option = *p == '-';
        const char *dot = memchr(p, '.', (size_t)n);
        if (word >= 2 && !option && dot && isalpha((unsigned char)dot[1])) {
            snprintf(out, 160, "%.*s", n, p);
            found = value ? 1 : 2;
        }
        value = option && !memchr(p, '=', (size_t)n);
        p += n + (p[n] == ' ');
    }
}

static void verdict(fb_buf *o, const fb_model *b, const char *trouble)
{
    fb_sentence t[FB_NSENTENCE];
    const int n = fb_sentences(b, t);
    fb_put_text(o, ",\n\"verdict\":[");
    for (int k = 0; k < n; k++) {
        fb_put_text(o, "%s{\"grade\":%d,\"say\":", k ? ",\n" : "\n", (int)t[k].grade);
        fb_put_json(o, t[k].say);
        fb_put_text(o, ",\"numbers\":");
        fb_put_json(o, t[k].numbers);
        fb_put_text(o, "}");
    }
    if (trouble[0]) {
        fb_put_text(o, ",\n{\"grade\":%d,\"say\":\"Its modes cannot be computed.\",\"numbers\":",
                    (int)FB_BAD);
        fb_put_json(o, trouble);
        fb_put_text(o, "}");
    }
    fb_put_text(o, "]");
}

/* ---- picture ------------------------------------------------------------------------------- */

typedef struct {
    const fb_model *b;
    const double *xyz; /* [nn,3] of the nodes; of a bare link record, of the connectors */
    int64_t nn;
    double size; /* diagonal of their box */
    fb_modal modes;
    fb_picture picture;
    fb_shaper shaper;
    int64_t *at;        /* [nc] nodes of the connectors, positions in xyz; -1: none */
    double *y;          /* [nn,6] */
    fb_mat stress;      /* [6 ns x modes] of the body's modes; x NULL: not known */
    int64_t *stress_at; /* [picture.n] where a point stands in it, -1: nowhere */
    double *mises;      /* [picture.n] */
    char trouble[256];
} scene;

static void scene_free(scene *t)
{
    fb_modal_free(&t->modes);
    fb_picture_free(&t->picture);
    fb_shaper_free(&t->shaper);
    fb_mat_free(&t->stress);
    FB_FREE(t->at, t->y, t->stress_at, t->mises);
}

static fb_status connectors_at(scene *t, fb_err *e)
{
    const fb_model *b = t->b;
    fb_index index = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t->at, b->nc, 8, "connectors", e));
    FB_TRY(fb_index_new(&index, b->node_id, b->node_id ? b->nn : 0, "/nodes/id", e));
    for (int64_t k = 0; k < b->nc; k++)
        t->at[k] = t->xyz == b->xyz ? fb_index_find(&index, b->connector_node[k]) : k;
out:
    fb_index_free(&index);
    return s;
}

/* Modes that cannot be computed are said on the page; a lack of memory is a failure. */
static fb_status find_modes(scene *t, fb_err *e)
{
    const fb_model *b = t->b;
    fb_err why = {0};
    if (!b->Kr || !b->Mr || !b->nr)
        return FB_OK;
    const fb_status s = fb_modal_new(b, &t->modes, &why);
    if (s == FB_ESYS)
        return fb_fail(e, s, "%s", why.msg);
    if (s)
        snprintf(t->trouble, sizeof t->trouble, "%.*s", (int)sizeof t->trouble - 1, why.msg);
    return FB_OK;
}

static fb_status scene_new(scene *t, fb_err *e)
{
    const fb_model *b = t->b;
    fb_status s = FB_OK;
    FB_TRY(find_modes(t, e));
    const int nodes = b->xyz && b->node_id;
    t->xyz = nodes ? b->xyz : b->connector_node ? b->connector_position : NULL;
    t->nn = nodes ? b->nn : b->nc;
    if (!t->xyz)
        goto out;
    t->size = fb_box_diagonal(t->xyz, t->nn);
    FB_TRY(connectors_at(t, e));
    FB_TRY(fb_picture_new(&(fb_surface){.nn = t->nn,
                                        .nf = nodes && b->face_offset ? b->nf1 - 1 : 0,
                                        .xyz = t->xyz,
                                        .offset = nodes && b->nf1 > 1 ? b->face_offset : NULL,
                                        .index = b->face_index,
                                        .nalso = b->connector_node ? b->nc : 0,
                                        .also = t->at},
                          FACES, &t->picture, e));
    if (nodes && t->modes.X.x)
        FB_TRY(fb_shaper_new(&t->shaper, b, t->modes.X.x, b->node_id, b->nn, e));
    if (nodes && t->modes.V.x)
        FB_TRY(fb_stress_of(b, &t->modes.V, t->picture.node, t->picture.n, &t->stress,
                            &t->stress_at, e));
    if (t->stress.x)
        FB_TRY(fb_new(&t->mises, t->picture.n, sizeof *t->mises, "stress of the points", e));
    if (nodes ? t->modes.X.x != NULL : t->modes.V.x && b->connector_S)
        FB_TRY(fb_new(&t->y, 6 * t->nn, sizeof *t->y, "displacements", e));
out:
    return s;
}

/* Displacements and rotations of mode k: by the shapes, or S and Shat of the connectors. */
static void displace(scene *t, int64_t k)
{
    const fb_model *b = t->b;
    const double *v = t->modes.V.x + k * b->nr;
    double most = 0, turn = 0;
    if (t->shaper.b)
        fb_shaper_column(&t->shaper, k, t->y);
    for (int64_t d = 0; !t->shaper.b && d < 6 * b->nc; d++) {
        const double *S = d % 6 < 3 ? b->connector_S : b->connector_Shat;
        const int64_t row = 3 * (d / 6) + d % 3;
        t->y[d] = S ? fb_dot(S + row * b->nr, v, b->nr) : 0;
    }
    for (int64_t p = 0; p < t->nn; p++) {
        most = fmax(most, fb_norm(t->y + 6 * p, 3));
        turn = fmax(turn, fb_norm(t->y + 6 * p + 3, 3));
    }
    for (int64_t d = 0; d < 6 * t->nn && fb_only_turns(most, turn, t->size); d++)
        t->y[d] = d % 6 < 3 ? 0 : t->y[d];
}

static void connectors(fb_buf *o, const scene *t)
{
    const fb_model *b = t->b;
    fb_put_text(o, ",\n\"connectors\":[");
    for (int64_t k = 0; b->connector_node && k < b->nc; k++) {
        fb_put_text(o, "%s{\"node\":%lld,\"point\":%lld", k ? ",\n" : "\n",
                    (long long)b->connector_node[k], (long long)(t->at ? t->picture.also[k] : -1));
        if (b->connector_position)
            fb_put_json_reals(o, "at", b->connector_position + 3 * k, 3);
        if (fb_node_name(b, b->connector_node[k])) {
            fb_put_text(o, ",\"name\":");
            fb_put_json(o, fb_node_name(b, b->connector_node[k]));
        }
        fb_put_text(o, "}");
    }
    fb_put_text(o, "]");
}

/* Von Mises stress of mode k, as large as its shape. */
static void stress(fb_buf *o, scene *t, int64_t k)
{
    double most = 0;
    for (int64_t p = 0; p < t->picture.n; p++) {
        const int64_t q = t->stress_at[p];
        t->mises[p] = q < 0 ? 0 : fb_von_mises(t->stress.x + 6 * q + k * t->stress.m);
        most = fmax(most, t->mises[p]);
    }
    fb_put_text(o, ",\"mises\":");
    fb_put_json_real(o, most);
    fb_put_values(o, "stress", t->mises, t->picture.n, most);
}

static void mode(fb_buf *o, scene *t, int64_t k)
{
    const fb_model *b = t->b;
    const int64_t moving = SHAPES / ((t->mises ? 11 : 8) * (t->picture.n + 1)); /* (HT.1) */
    fb_put_text(o, "%s{\"number\":%lld,\"hz\":", k ? ",\n" : "\n", (long long)k + 1);
    fb_put_json_real(o, t->modes.hz[k]);
    if (b->v_check && k < b->ncheck)
        fb_put_json_reals(o, "full", b->v_check + 2 * k, 1);
    if (t->modes.zeta && isfinite(t->modes.zeta[k]))
        fb_put_json_reals(o, "zeta", t->modes.zeta + k, 1);
    if (b->p_mass && t->modes.n == b->nr) /* else they belong to other modes */
        fb_put_json_reals(o, "effective", b->p_mass + b->nrigid * k, b->nrigid);
    if (t->y && k < moving) {
        displace(t, k);
        fb_put_shape(o, &t->picture, t->y, 6);
        if (t->mises)
            stress(o, t, k);
    }
    fb_put_text(o, "}");
}

static fb_status motion(fb_buf *o, const scene *t, fb_err *e)
{
    const fb_model *b = t->b;
    const int64_t most = SHAPES / (8 * (t->picture.n + 1)),
                  step = 1 + b->nframe / (most + 1); /* (HT.1) */
    double *u = NULL;
    if (!b->motion_time || !b->motion_place || !b->nframe || !t->picture.n || t->xyz != b->xyz)
        return FB_OK;
    for (int64_t k = 1; k < b->nframe; k++)
        if (!(b->motion_time[k] > b->motion_time[k - 1]))
            return fb_fail(e, FB_EFORMAT,
                           "/motion/time[%lld] is %g, after %g: times that ascend "
                           "are wanted",
                           (long long)k, b->motion_time[k], b->motion_time[k - 1]);
    FB_PASS(fb_new(&u, 3 * b->nn, sizeof *u, "displacements", e));
    fb_put_text(o, ",\n\"motion\":[");
    for (int64_t k = 0; k < b->nframe; k += step) {
        for (int64_t d = 0; d < 3 * b->nn; d++)
            u[d] = b->motion_place[3 * b->nn * k + d] - b->xyz[d];
        fb_put_text(o, k ? ",\n{\"time\":" : "\n{\"time\":");
        fb_put_json_real(o, b->motion_time[k]);
        fb_put_shape(o, &t->picture, u, 3);
        fb_put_text(o, "}");
    }
    fb_put_text(o, "]");
    free(u);
    return FB_OK;
}

static fb_status data(fb_buf *o, const fb_run *r, const fb_history *h, const char *name, scene *t,
                      fb_err *e)
{
    const fb_model *b = t->b;
    fb_status s = FB_OK;
    fb_put_text(o, "{\"body\":{\"version\":1");
    text(o, "name", name);
    source(o, b);
    FB_TRY(mass(o, b, e));
    made(o, r, h);
    verdict(o, b, t->trouble);
    connectors(o, t);
    if (b->v_mass_full)
        for (int64_t c = 0; c < b->nrigid; c++) {
            fb_put_text(o, c ? "," : ",\n\"rigid_mass\":[");
            fb_put_json_real(o, b->v_mass_full[c * (b->nrigid + 1)]);
        }
    fb_put_text(o, b->v_mass_full ? "]},\n\"modes\":[" : "},\n\"modes\":[");
    for (int64_t k = 0; k < t->modes.n; k++)
        mode(o, t, k);
    fb_put_text(o, "]");
    if (b->pole_frequency && b->pole_damping) {
        fb_put_json_reals(o, "pole_hz", b->pole_frequency, b->npole);
        fb_put_json_reals(o, "pole_zeta", b->pole_damping, b->npole);
    }
    if (t->picture.n) {
        fb_put_text(o, ",\n\"mesh\":{");
        fb_put_picture(o, &t->picture, t->xyz);
        fb_put_text(o, "}");
    }
    FB_TRY(motion(o, t, e));
    fb_put_text(o, "}\n");
out:
    return s;
}

static fb_status publish_html(fb_run *r, fb_stream *in, fb_model *b, const fb_export *ask,
                              fb_err *e)
{
    scene t = {.b = b};
    fb_stream spool = FB_STREAM_NONE;
    fb_buf o = {.little = 1};
    fb_history h = {0};
    char name[160];
    fb_status s = FB_OK;
    (void)ask;
    FB_TRY(fb_history_read(in, &h, e));
    headline(b, &h, name);
    FB_TRY(scene_new(&t, e));
    if (!t.xyz)
        fb_warn(&r->log,
                "the file holds no places of nodes or connectors: the page has no picture (of a "
                "simulator's run: --frames N keeps moments of it)");
    FB_TRY(fb_spool_open(r, &spool, &o, e));
    const fb_asset rest = fb_put_page(&o, FB_ASSET(body_page), name);
    FB_TRY(data(&o, r, &h, name, &t, e));
    fb_put_page(&o, rest, name);
    s = fb_spool_commit(r, &spool, &o, e);
out:
    free(h.lines);
    scene_free(&t);
    fb_stream_abandon(&spool);
    fb_buf_free(&o);
    return s;
}

const fb_writer fb_writer_html = {
    .name = "html",
    .doc = "one page for a browser: the body moving in its modes, and all that is known of it",
    .loads = 1,
    .keeps = 1,
    .weightless = 1,
    .publish = publish_html,
};

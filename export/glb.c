/* SPDX-License-Identifier: GPL-3.0-or-later */
/* glb.c - mode shapes as binary glTF 2.0, which browsers, Blender, PowerPoint and phones show.
 *
 * Layout   12 bytes head, a chunk of JSON, a chunk of numbers. One node with one mesh: triangles,
 *          lines or points over one list of vertices; a morph target and an animation a mode,
 *          called by its frequency; an oscillation takes SECONDS
 *   (GL.1) weight_k = sin(2 pi f / FRAMES) in the animation of mode k, the others 0
 *   (GL.2) colour = grey + weight r (1, -1/2, -1) / 2,  r = |u| / max |u|, or of a body with stress
 *          von Mises stress over its largest: orange forth, blue back, in the same amount. What has
 *          no stress is grey, as are shapes with RIGID of what others have: round-off
 * Assumed  metres, where the unit of length is known; axes are the body's. Polygons are fans.
 * Source   Khronos, glTF 2.0 Specification, 3.6 (accessors), 3.7 (meshes), 3.11 (animations), 4
 *          (GLB)
 */
#include "scene.h"
#include "memory.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC = 0x46546c67, JSON = 0x4e4f534a, BIN = 0x004e4942 };
enum { FLOAT = 5126, UINT32 = 5125, VERTICES = 34962, INDICES = 34963 };
enum { POINTS, LINES, TRIANGLES = 4 };
enum { FRAMES = 24, SECONDS = 2 };
#define RIGID 1e-6
#define TURN  6.28318530717958647692

typedef struct {
    fb_scene *t;
    fb_buf views, accessors, bin;
    int n;         /* accessors */
    int64_t start; /* of the one that is written */
    float low[3], high[3];
    double strained; /* the largest von Mises stress of all shapes */
} glb;

static void glb_free(glb *g)
{
    FB_FREE_BY(fb_buf_free, &g->views, &g->accessors, &g->bin);
}

/* ---- accessors ---------------------------------------------------------------------------- */

static void put3(glb *g, const double v[3])
{
    const int first = g->bin.size == g->start;
    for (int a = 0; a < 3; a++) {
        const float x = (float)v[a];
        g->low[a] = first || x < g->low[a] ? x : g->low[a];
        g->high[a] = first || x > g->high[a] ? x : g->high[a];
        fb_put_f32(&g->bin, x);
    }
}

static void bounds(fb_buf *o, const char *name, const float *v, int n)
{
    fb_put_text(o, ",\"%s\":[", name);
    for (int a = 0; a < n; a++)
        fb_put_text(o, "%s%.17g", a ? "," : "", (double)v[a]);
    fb_put_text(o, "]");
}

/* What was written since the last one becomes an accessor; target 0: of an animation. */
static int accessor(glb *g, const char *type, int component, int64_t count, int target, int bounded)
{
    fb_put_text(&g->views, "%s{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld",
                g->n ? ",\n" : "", (long long)g->start, (long long)(g->bin.size - g->start));
    if (target)
        fb_put_text(&g->views, ",\"target\":%d", target);
    fb_put_text(&g->views, "}");
    fb_put_text(&g->accessors,
                "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%lld,\"type\":\"%s\"",
                g->n ? ",\n" : "", g->n, component, (long long)count, type);
    if (bounded) {
        bounds(&g->accessors, "min", g->low, bounded);
        bounds(&g->accessors, "max", g->high, bounded);
    }
    fb_put_text(&g->accessors, "}");
    g->start = g->bin.size;
    return g->n++;
}

/* ---- geometry ----------------------------------------------------------------------------- */

/* Metres of the model's unit of length. */
static double metres(const fb_model *b)
{
    return b->units.factor[FB_LENGTH] > 0 ? b->units.factor[FB_LENGTH] : 1;
}

static void vertices(glb *g)
{
    static const double grey[3] = {0.5, 0.5, 0.5};
    const fb_picture *p = &g->t->picture;
    const double f = metres(g->t->b);
    for (int64_t k = 0; k < p->n; k++) {
        double x[3];
        for (int a = 0; a < 3; a++)
            x[a] = f * (g->t->b->xyz[3 * p->node[k] + a] - p->center[a]);
        put3(g, x);
    }
    (void)accessor(g, "VEC3", FLOAT, p->n, VERTICES, 3);
    for (int64_t k = 0; k < p->n; k++)
        put3(g, grey);
    (void)accessor(g, "VEC3", FLOAT, p->n, VERTICES, 0);
}

/* What point p of the shape at hand is coloured by. */
static double value(const fb_scene *t, int64_t p)
{
    const double *u = t->u + 3 * p;
    const double v =
        t->stress ? fb_von_mises(t->stress + 6 * p) : sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    return isfinite(v) ? v : 0;
}

static double largest(const fb_scene *t)
{
    double most = 0;
    for (int64_t p = 0; p < t->picture.n; p++)
        most = fmax(most, value(t, p));
    return most;
}

/* Two accessors: displacements and changes of colour (GL.2). */
static void target(glb *g, int64_t k)
{
    static const double hue[3] = {0.5, -0.25, -0.5};
    fb_scene *t = g->t;
    const int64_t n = t->picture.n;
    const double f = metres(t->b);
    fb_scene_shape(t, k);
    for (int64_t p = 0; p < n; p++)
        put3(g, (double[]){f * t->u[3 * p], f * t->u[3 * p + 1], f * t->u[3 * p + 2]});
    (void)accessor(g, "VEC3", FLOAT, n, VERTICES, 3);
    const double most = largest(t);
    for (int64_t p = 0; p < n; p++) {
        const double r = most > RIGID * g->strained ? value(t, p) / most : 0;
        put3(g, (double[]){r * hue[0], r * hue[1], r * hue[2]});
    }
    (void)accessor(g, "VEC3", FLOAT, n, VERTICES, 0);
}

/* Fans of the faces (lines: those of two corners); the accessor, -1 where there are none. */
static int indices(glb *g, int lines)
{
    const fb_picture *p = &g->t->picture;
    int64_t count = 0;
    for (int64_t f = 0; f < p->nf; f++) {
        const int64_t *c = p->index + p->offset[f], n = p->offset[f + 1] - p->offset[f];
        for (int64_t k = lines ? 1 : 2; k < n && (n == 2) == lines; k++, count += lines ? 2 : 3) {
            fb_put_i32(&g->bin, c[0]);
            if (!lines)
                fb_put_i32(&g->bin, c[k - 1]);
            fb_put_i32(&g->bin, c[k]);
        }
    }
    return count ? accessor(g, "SCALAR", UINT32, count, INDICES, 0) : -1;
}

/* The primitive over these indices; targets follow the vertices, two accessors each. */
static void primitive(fb_buf *o, const glb *g, int mode, int index, int first)
{
    fb_put_text(o, "%s{\"mode\":%d,\"material\":0,\"attributes\":{\"POSITION\":0,\"COLOR_0\":1}",
                first ? "" : ",\n", mode);
    if (index >= 0)
        fb_put_text(o, ",\"indices\":%d", index);
    fb_put_text(o, ",\"targets\":[");
    for (int64_t k = 0; k < g->t->n; k++)
        fb_put_text(o, "%s{\"POSITION\":%lld,\"COLOR_0\":%lld}", k ? "," : "", 2 + 2 * (long long)k,
                    3 + 2 * (long long)k);
    fb_put_text(o, "]}");
}

/* ---- names, animations -------------------------------------------------------------------- */

static void name_of(const fb_scene *t, int64_t k, fb_buf *o)
{
    const double hz = fb_scene_hz(t, t->chosen[k]);
    fb_put_text(o, isfinite(hz) ? "\"%s %lld: %.6g Hz\"" : "\"%s %lld\"", t->word,
                (long long)t->chosen[k] + 1, hz);
}

/* The time of the frames, then the weights of each animation; the accessor of the time. */
static int motions(glb *g)
{
    for (int f = 0; f <= FRAMES; f++)
        fb_put_f32(&g->bin, (float)SECONDS * (float)f / (float)FRAMES);
    g->low[0] = 0;
    g->high[0] = SECONDS;
    const int time = accessor(g, "SCALAR", FLOAT, FRAMES + 1, 0, 1);
    for (int64_t k = 0; k < g->t->n; k++) {
        for (int f = 0; f <= FRAMES; f++)
            for (int64_t q = 0; q < g->t->n; q++) /* (GL.1) */
                fb_put_f32(&g->bin, q == k ? (float)sin(TURN * f / (double)FRAMES) : 0);
        (void)accessor(g, "SCALAR", FLOAT, (FRAMES + 1) * g->t->n, 0, 0);
    }
    return time;
}

static void animations(fb_buf *o, const glb *g, int time)
{
    fb_put_text(o, ",\n\"animations\":[");
    for (int64_t k = 0; k < g->t->n; k++) {
        fb_put_text(o, "%s{\"name\":", k ? ",\n" : "");
        name_of(g->t, k, o);
        fb_put_text(o,
                    ",\"samplers\":[{\"input\":%d,\"output\":%lld}],\"channels\":[{\"sampler\":0,"
                    "\"target\":{\"node\":0,\"path\":\"weights\"}}]}",
                    time, time + 1 + (long long)k);
    }
    fb_put_text(o, "]");
}

static void describe(fb_buf *o, const glb *g, int triangles, int lines, int time)
{
    const fb_model *b = g->t->b;
    const double f = metres(b), *c = g->t->picture.center;
    fb_put_text(o, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"flexbody\"},\n\"scene\":0,"
                   "\"scenes\":[{\"nodes\":[0]}],\n\"nodes\":[{\"name\":");
    fb_put_json(o, b->title[0] ? b->title : "flexible body");
    fb_put_text(o, ",\"mesh\":0,\"translation\":[%.9g,%.9g,%.9g]}],\n", f * c[0], f * c[1],
                f * c[2]);
    fb_put_text(o,
                "\"materials\":[{\"doubleSided\":true,\"pbrMetallicRoughness\":{"
                "\"metallicFactor\":0,\"roughnessFactor\":0.7}}],\n\"meshes\":[{\"primitives\":[");
    if (triangles >= 0)
        primitive(o, g, TRIANGLES, triangles, 1);
    if (lines >= 0)
        primitive(o, g, LINES, lines, triangles < 0);
    if (triangles < 0 && lines < 0)
        primitive(o, g, POINTS, -1, 1);
    fb_put_text(o, "],\n\"extras\":{\"colours\":\"%s\",\"targetNames\":[",
                g->t->stress ? "von Mises stress" : "displacement");
    for (int64_t k = 0; k < g->t->n; k++) {
        fb_put_text(o, k ? "," : "");
        name_of(g->t, k, o);
    }
    fb_put_text(o, "]}}]");
    animations(o, g, time);
    fb_put_text(o, ",\n\"buffers\":[{\"byteLength\":%lld}],\n\"bufferViews\":[",
                (long long)g->bin.size);
    fb_put_bytes(o, g->views.data, (size_t)g->views.size);
    fb_put_text(o, "],\n\"accessors\":[");
    fb_put_bytes(o, g->accessors.data, (size_t)g->accessors.size);
    fb_put_text(o, "]}");
    while (!o->failed && o->size % 4)
        fb_put_text(o, " ");
}

/* ---- the file ----------------------------------------------------------------------------- */

static fb_status container(fb_buf *o, const fb_buf *json, const fb_buf *bin, fb_err *e)
{
    const int64_t size = 12 + 8 + json->size + 8 + bin->size;
    if (size > INT32_MAX)
        return fb_fail(e, FB_EUSAGE,
                       "the picture has %.1f GB, a .glb at most 2: choose fewer modes by --modes",
                       (double)size / 1e9);
    fb_put_i32(o, MAGIC);
    fb_put_i32(o, 2);
    fb_put_i32(o, size);
    fb_put_i32(o, json->size);
    fb_put_i32(o, JSON);
    fb_put_bytes(o, json->data, (size_t)json->size);
    fb_put_i32(o, bin->size);
    fb_put_i32(o, BIN);
    fb_put_bytes(o, bin->data, (size_t)bin->size);
    return fb_buf_status(o, e);
}

static fb_status write_glb(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                           fb_err *e)
{
    fb_scene t = {0};
    glb g = {.t = &t, .bin = {.little = 1}};
    fb_buf json = {.little = 1};
    fb_status s = FB_OK;
    (void)log;
    FB_TRY(fb_scene_new(b, ask, &t, e));
    vertices(&g);
    for (int64_t k = 0; t.stress && k < t.n; k++) {
        fb_scene_shape(&t, t.chosen[k]);
        g.strained = fmax(g.strained, largest(&t));
    }
    for (int64_t k = 0; k < t.n; k++)
        target(&g, t.chosen[k]);
    const int triangles = indices(&g, 0), lines = indices(&g, 1), time = motions(&g);
    FB_TRY(fb_buf_status(&g.bin, e));
    FB_TRY(fb_buf_status(&g.views, e));
    FB_TRY(fb_buf_status(&g.accessors, e));
    describe(&json, &g, triangles, lines, time);
    FB_TRY(fb_buf_status(&json, e));
    s = container(o, &json, &g.bin, e);
out:
    fb_buf_free(&json);
    glb_free(&g);
    fb_scene_free(&t);
    return s;
}

static const fb_own own_options[] = {FB_SCENE_OPTIONS, {0}};

const fb_writer fb_writer_glb = {
    .name = "glb",
    .doc = "mode shapes as binary glTF",
    .loads = 1,
    .keeps = 1,
    .binary = 1,
    .options = own_options,
    .write = write_glb,
};

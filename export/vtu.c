/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vtu.c - mode shapes for ParaView: VTK XML, unstructured grid.
 *
 * Layout   points: the nodes of the faces; cells: the faces (1 corner: vertex, 2: line, 3:
 *          triangle, 4: quad, more: polygon), or of a body without faces all nodes, each a vertex.
 *          Point data: node (numbers), rotation and displacement vectors; of a body with stress
 *          that of the displacement drawn, xx yy zz xy yz xz, and its von Mises, NaN where there is
 *          none. Arrays are base64 with 8-byte lengths, Float32 shapes. Dialect series: a folder
 *          with modes.pvd and mode_001.vtu ..., one a mode; ParaView plays them as time steps,
 *          time = number of the mode; each holds its frequency as field data. With --modes each of
 *          these is FRAMES files, mode_007_00.vtu ..., over one unit of time from its number on:
 *   (VTU.1) u_f = u sin(2 pi f / FRAMES)
 *          Dialect single: one .vtu, one array mode_001 ... a mode.
 *          Of coordinates the names are coordinate_001 ...
 * Assumed  nothing: coordinates of any kind are drawn.
 * Source   VTK file formats, Kitware
 */
#include "scene.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 24 };
#define TURN 6.28318530717958647692

/* ---- arrays -------------------------------------------------------------------------------- */

static void put_i64(fb_buf *o, int64_t v)
{
    unsigned char w[8];
    for (int k = 0; k < 8; k++)
        w[k] = (unsigned char)((uint64_t)v >> 8 * k);
    fb_put_bytes(o, w, 8);
}

/* The bytes of an array follow their count, which comes first in the same base64 text: begin leaves
 * room for it, array fills it in. */
static void begin(fb_buf *w)
{
    w->size = 0;
    put_i64(w, 0);
}

static void array(fb_buf *o, const char *type, const char *name, int components, fb_buf *w)
{
    if (w->failed) {
        o->failed = w->failed;
        return;
    }
    for (int k = 0; k < 8; k++)
        w->data[k] = (unsigned char)((uint64_t)(w->size - 8) >> 8 * k);
    fb_put_text(
        o,
        "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n",
        type, name, components);
    fb_put_base64(o, w->data, (size_t)w->size);
    fb_put_text(o, "\n        </DataArray>\n");
    begin(w);
}

static void vectors(fb_buf *o, const char *name, const double *u, int64_t n, double factor,
                    fb_buf *w)
{
    for (int64_t k = 0; k < 3 * n; k++)
        fb_put_f32(w, (float)(factor * u[k]));
    array(o, "Float32", name, 3, w);
}

/* Stress of the shape at hand; `suffix` tells it from that of others. */
static void stress(fb_buf *o, const fb_scene *t, double factor, const char *suffix, fb_buf *w)
{
    static const int from[6] = {0, 1, 2, 3, 5, 4};
    char name[48];
    for (int64_t d = 0; d < 6 * t->picture.n; d++)
        fb_put_f32(w, (float)(factor * t->stress[d - d % 6 + from[d % 6]]));
    snprintf(name, sizeof name, "stress%s", suffix);
    array(o, "Float32", name, 6, w);
    for (int64_t p = 0; p < t->picture.n; p++)
        fb_put_f32(w, (float)(fabs(factor) * fb_von_mises(t->stress + 6 * p)));
    snprintf(name, sizeof name, "von_Mises%s", suffix);
    array(o, "Float32", name, 1, w);
}

/* ---- the grid ----------------------------------------------------------------------------- */

static unsigned char cell_type(int64_t corners)
{
    static const unsigned char type[] = {7, 1, 3, 5,
                                         9}; /* VTK_POLYGON, VERTEX, LINE, TRIANGLE, QUAD */
    return corners > 4 ? type[0] : type[corners];
}

static void field(fb_buf *o, const char *name, double v)
{
    fb_put_text(o,
                "    <FieldData>\n        <DataArray type=\"Float64\" Name=\"%s\" "
                "NumberOfTuples=\"1\" format=\"ascii\">\n"
                "%.16e\n        </DataArray>\n    </FieldData>\n",
                name, v);
}

static int64_t cells_of(const fb_picture *p)
{
    return p->nf ? p->nf : p->n;
}

static void geometry(fb_buf *o, const fb_scene *t, fb_buf *w)
{
    const fb_picture *p = &t->picture;
    const int64_t n = cells_of(p);
    fb_put_text(o, "      <Points>\n");
    for (int64_t k = 0; k < p->n; k++)
        fb_put_f64(w, t->b->xyz + 3 * p->node[k], 3);
    array(o, "Float64", "Points", 3, w);
    fb_put_text(o, "      </Points>\n      <Cells>\n");
    for (int64_t k = 0; k < (p->nf ? p->offset[n] : n); k++)
        put_i64(w, p->nf ? p->index[k] : k);
    array(o, "Int64", "connectivity", 1, w);
    for (int64_t k = 0; k < n; k++)
        put_i64(w, p->nf ? p->offset[k + 1] : k + 1);
    array(o, "Int64", "offsets", 1, w);
    for (int64_t k = 0; k < n; k++) {
        unsigned char type = cell_type(p->nf ? p->offset[k + 1] - p->offset[k] : 1);
        fb_put_bytes(w, &type, 1);
    }
    array(o, "UInt8", "types", 1, w);
    fb_put_text(o, "      </Cells>\n");
}

/* n of the chosen shapes from `first` on, times factor; one of a file of its own is called
 * "displacement", several mode_001 ... */
static void vtu(fb_buf *o, fb_scene *t, int64_t first, int64_t n, double factor, int one)
{
    const fb_picture *p = &t->picture;
    fb_buf w = {.little = 1};
    const double hz = one ? fb_scene_hz(t, t->chosen[first]) : (double)NAN;
    begin(&w);
    fb_put_text(o, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                   "byte_order=\"LittleEndian\" "
                   "header_type=\"UInt64\">\n  <UnstructuredGrid>\n");
    if (isfinite(hz))
        field(o, "frequency_Hz", hz);
    fb_put_text(o,
                "    <Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n      <PointData%s>\n",
                (long long)p->n, (long long)cells_of(p), one ? " Vectors=\"displacement\"" : "");
    for (int64_t k = 0; k < p->n; k++)
        put_i64(&w, t->b->node_id[p->node[k]]);
    array(o, "Int64", "node", 1, &w);
    for (int64_t k = first; k < first + n; k++) {
        char name[32];
        fb_scene_shape(t, t->chosen[k]);
        snprintf(name, sizeof name, "%s_%03lld", t->word, (long long)t->chosen[k] + 1);
        vectors(o, one ? "displacement" : name, t->u, p->n, factor, &w);
        if (one)
            vectors(o, "rotation", t->turn, p->n, factor, &w);
        snprintf(name, sizeof name, "_%03lld", (long long)t->chosen[k] + 1);
        if (t->stress)
            stress(o, t, factor, one ? "" : name, &w);
    }
    fb_put_text(o, "      </PointData>\n");
    geometry(o, t, &w);
    fb_put_text(o, "    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n");
    fb_buf_free(&w);
}

static fb_status write_vtu(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                           fb_err *e)
{
    fb_scene t = {0};
    fb_status s = fb_scene_new(b, ask, &t, e);
    (void)log;
    if (!s) {
        vtu(o, &t, 0, t.n, 1, 0);
        s = fb_buf_status(o, e);
    }
    fb_scene_free(&t);
    return s;
}

/* The file of frame f of the chosen shape k. */
static void name_of(const fb_scene *t, int64_t k, int f, char *name, size_t n)
{
    const long long number = (long long)t->chosen[k] + 1;
    if (t->oscillate)
        snprintf(name, n, "%s_%03lld_%02d.vtu", t->word, number, f);
    else
        snprintf(name, n, "%s_%03lld.vtu", t->word, number);
}

static fb_status files_vtu(const fb_model *b, const fb_export *ask, fb_files *files, fb_log *log,
                           fb_err *e)
{
    fb_scene t = {0};
    fb_buf *o = NULL;
    char name[60];
    fb_status s = FB_OK;
    (void)log;
    FB_TRY(fb_scene_new(b, ask, &t, e));
    const int frames = t.oscillate ? FRAMES : 1;
    FB_TRY(fb_files_add(files, "modes.pvd", &o, e));
    fb_put_text(o, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                   "byte_order=\"LittleEndian\">\n  <Collection>\n");
    for (int64_t k = 0; k < t.n; k++)
        for (int f = 0; f < frames; f++) {
            name_of(&t, k, f, name, sizeof name);
            fb_put_text(o, "    <DataSet timestep=\"%.9g\" part=\"0\" file=\"%s\"/>\n",
                        (double)t.chosen[k] + 1 + (double)f / (double)FRAMES, name);
        }
    fb_put_text(o, "  </Collection>\n</VTKFile>\n");
    for (int64_t k = 0; k < t.n; k++)
        for (int f = 0; f < frames; f++) {
            name_of(&t, k, f, name, sizeof name);
            FB_TRY(fb_files_add(files, name, &o, e));
            o->little = 1;
            vtu(o, &t, k, 1, t.oscillate ? sin(TURN * f / (double)FRAMES) : 1, 1); /* (VTU.1) */
        }
out:
    fb_scene_free(&t);
    return s;
}

static const fb_dialect dialects[] = {
    {"series", "a folder: modes.pvd and one .vtu a mode", 1},
    {"single", "one .vtu, one array a mode", 0},
    {0},
};

static const fb_own own_options[] = {FB_SCENE_OPTIONS, {0}};

const fb_writer fb_writer_vtu = {
    .name = "vtu",
    .doc = "mode shapes for ParaView",
    .loads = 1,
    .keeps = 1,
    .options = own_options,
    .dialects = dialects,
    .write = write_vtu,
    .files = files_vtu,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vtu.c - mode shapes for ParaView: VTK XML, unstructured grid.
 *
 * Layout   points: the nodes; cells: the faces of the body (1 corner: vertex, 2: line, 3: triangle,
 *          4: quad, more: polygon), or a vertex a node where there are none. Point data: node
 *          (numbers), rotation and displacement vectors. Arrays are base64 with 8-byte lengths,
 *          Float32 shapes. Dialect series: a folder with modes.pvd and mode_001.vtu ..., one a
 *          coordinate; ParaView plays them as time steps, time = number of the coordinate; each
 *          eigenvector holds its frequency as field data.
 *          Dialect single: one .vtu, one array mode_001 ... a coordinate.
 *   (VTU.1) scale_k = d / (10 max_p |phi_pk|): the largest displacement is a tenth of the diagonal
 *           d of the bounding box, so that "Warp By Vector" with factor 1 is a good picture
 * Assumed  nothing: coordinates of any kind are drawn.
 * Source   VTK file formats, Kitware
 */
#include "memory.h"
#include "body.h"
#include "writer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const fb_model *b;
    fb_shaper shapes;
    double *y; /* [nn,6] of the mode at hand */
    double size;
    float *u, *turn; /* [nn,3] of the mode at hand */
} scene;

static void scene_free(scene *t)
{
    fb_shaper_free(&t->shapes);
    free(t->y);
    free(t->u);
    free(t->turn);
}

static fb_status scene_new(scene *t, fb_err *e)
{
    const fb_model *b = t->b;
    fb_status s = FB_OK;
    FB_TRY(fb_shaper_new(&t->shapes, b, fb_shapes(b), b->node_id, b->nn, e));
    FB_TRY(fb_new(&t->y, 6 * b->nn, sizeof *t->y, "displacements", e));
    FB_TRY(fb_new(&t->u, 3 * b->nn, sizeof *t->u, "displacements", e));
    FB_TRY(fb_new(&t->turn, 3 * b->nn, sizeof *t->turn, "rotations", e));
    t->size = fb_box_diagonal(b->xyz, b->nn);
out:
    return s;
}

/* Displacements and rotations of coordinate k, scaled by (VTU.1). */
static void draw(scene *t, int64_t k)
{
    const int64_t n = t->b->nn;
    double most = 0;
    fb_shaper_column(&t->shapes, k, t->y);
    for (int64_t p = 0; p < n; p++) {
        const double *u = t->y + 6 * p;
        most = fmax(most, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    }
    const double scale = most > 0 && t->size > 0 ? t->size / (10 * most) : 1;
    for (int64_t d = 0; d < 3 * n; d++) {
        t->u[d] = (float)(scale * t->y[6 * (d / 3) + d % 3]);
        t->turn[d] = (float)(scale * t->y[6 * (d / 3) + 3 + d % 3]);
    }
}

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

static void put_f32(fb_buf *o, const float *v, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        uint32_t u;
        memcpy(&u, v + k, 4);
        fb_put_bytes(o,
                     (const unsigned char[]){(unsigned char)u, (unsigned char)(u >> 8),
                                             (unsigned char)(u >> 16), (unsigned char)(u >> 24)},
                     4);
    }
}

/* ---- the grid ----------------------------------------------------------------------------- */

static int64_t cells_of(const fb_model *b)
{
    return b->face_offset ? b->nf1 - 1 : b->nn;
}

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

static void geometry(fb_buf *o, const fb_model *b, fb_buf *w)
{
    int64_t n = cells_of(b);
    fb_put_text(o, "      <Points>\n");
    fb_put_f64(w, b->xyz, 3 * b->nn);
    array(o, "Float64", "Points", 3, w);
    fb_put_text(o, "      </Points>\n      <Cells>\n");
    for (int64_t k = 0; k < (b->face_offset ? b->nfi : b->nn); k++)
        put_i64(w, b->face_offset ? b->face_index[k] : k);
    array(o, "Int64", "connectivity", 1, w);
    for (int64_t k = 0; k < n; k++)
        put_i64(w, b->face_offset ? b->face_offset[k + 1] : k + 1);
    array(o, "Int64", "offsets", 1, w);
    for (int64_t k = 0; k < n; k++) {
        unsigned char type =
            cell_type(b->face_offset ? b->face_offset[k + 1] - b->face_offset[k] : 1);
        fb_put_bytes(w, &type, 1);
    }
    array(o, "UInt8", "types", 1, w);
    fb_put_text(o, "      </Cells>\n");
}

/* Modes first .. last-1; one is called "displacement", several mode_001 ... */
static void vtu(fb_buf *o, scene *t, int64_t first, int64_t last)
{
    const fb_model *b = t->b;
    fb_buf w = {.little = 1};
    int one = last - first == 1;
    begin(&w);
    fb_put_text(o, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                   "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n");
    if (one && b->frequency && b->kind &&
        b->kind[first] == FB_KIND_EIGEN) /* then it belongs to this shape */
        field(o, "frequency_Hz", b->frequency[first]);
    fb_put_text(o,
                "    <Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n      <PointData%s>\n",
                (long long)b->nn, (long long)cells_of(b), one ? " Vectors=\"displacement\"" : "");
    for (int64_t p = 0; p < b->nn; p++)
        put_i64(&w, b->node_id[p]);
    array(o, "Int64", "node", 1, &w);
    for (int64_t k = first; k < last; k++) {
        char name[32];
        draw(t, k);
        snprintf(name, sizeof name, one ? "displacement" : "mode_%03lld", (long long)k + 1);
        put_f32(&w, t->u, 3 * b->nn);
        array(o, "Float32", name, 3, &w);
        if (one) {
            put_f32(&w, t->turn, 3 * b->nn);
            array(o, "Float32", "rotation", 3, &w);
        }
    }
    fb_put_text(o, "      </PointData>\n");
    geometry(o, b, &w);
    fb_put_text(o, "    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n");
    fb_buf_free(&w);
}

static fb_status prepare(const fb_model *b, scene *t, fb_err *e)
{
    *t = (scene){.b = b};
    if (!b->node_id || !b->xyz || !fb_shapes(b) || !b->dof_node)
        return fb_fail(e, FB_EFORMAT,
                       "pictures want node positions and shapes (/nodes, /dofs, /reduced/T), which "
                       "the body lacks: run mnfparse | reduce first");
    return scene_new(t, e);
}

static fb_status write_vtu(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                           fb_err *e)
{
    scene t = {0};
    fb_status s = prepare(b, &t, e);
    (void)ask;
    (void)log;
    if (!s) {
        vtu(o, &t, 0, b->nr);
        s = fb_buf_status(o, e);
    }
    scene_free(&t);
    return s;
}

static fb_status files_vtu(const fb_model *b, const fb_export *ask, fb_files *f, fb_log *log,
                           fb_err *e)
{
    scene t = {0};
    fb_buf *o = NULL;
    fb_status s = FB_OK;
    (void)ask;
    (void)log;
    FB_TRY(prepare(b, &t, e));
    FB_TRY(fb_files_add(f, "modes.pvd", &o, e));
    fb_put_text(o, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                   "byte_order=\"LittleEndian\">\n  <Collection>\n");
    for (int64_t k = 1; k <= b->nr; k++)
        fb_put_text(o, "    <DataSet timestep=\"%lld\" part=\"0\" file=\"mode_%03lld.vtu\"/>\n",
                    (long long)k, (long long)k);
    fb_put_text(o, "  </Collection>\n</VTKFile>\n");
    for (int64_t k = 0; k < b->nr; k++) {
        char name[32];
        snprintf(name, sizeof name, "mode_%03lld.vtu", (long long)k + 1);
        FB_TRY(fb_files_add(f, name, &o, e));
        o->little = 1;
        vtu(o, &t, k, k + 1);
    }
out:
    scene_free(&t);
    return s;
}

static const fb_dialect dialects[] = {
    {"series", "a folder: modes.pvd and one .vtu a coordinate", 1},
    {"single", "one .vtu, one array a coordinate", 0},
    {0},
};

const fb_writer fb_writer_vtu = {
    .name = "vtu",
    .doc = "mode shapes for ParaView",
    .dialects = dialects,
    .write = write_vtu,
    .files = files_vtu,
};

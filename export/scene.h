/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scene.h - a body and the shapes in which it is to be drawn. */
#ifndef SCENE_H
#define SCENE_H
#include "body.h"
#include "page.h"
#include "writer.h"

typedef struct {
    const fb_model *b;
    fb_picture picture; /* all faces, or all nodes */
    fb_modal modes;     /* empty where coordinates are drawn */
    fb_shaper shapes;
    const char *word;   /* "mode", or "coordinate" */
    int64_t n, *chosen; /* [n] modes or coordinates, from 0 */
    int oscillate;      /* the user chose them: each is to swing */
    double size, *all;  /* diagonal of the box; [nn,6] */
    double *u, *turn;   /* [picture.n, 3] displacements and rotations of the shape at hand */
    /* [6 ns, n] of all shapes, and where the nodes of the picture stand in it, -1: nowhere;
     * [picture.n,6] of the shape at hand, NaN: not known; NULL: the body has no stress */
    fb_mat of_shapes;
    int64_t *at;
    double *stress;
} fb_scene;

/* Modes of the reduced pair, or with --coordinates the coordinates; --modes chooses of them. */
fb_status fb_scene_new(const fb_model *b, const fb_export *ask, fb_scene *t, fb_err *e) FB_CHECKED;
/* Shape k: u, turn and stress, scaled so that the largest displacement is a tenth of the
 * body's size. */
void fb_scene_shape(fb_scene *t, int64_t k);
/* The frequency that belongs to shape k in Hz; NaN where none does. */
double fb_scene_hz(const fb_scene *t, int64_t k);
/* A number of 4 bytes. */
void fb_put_f32(fb_buf *o, float v);
/* Stress of the modes V [nr x n] (V.x NULL: of the coordinates), S [6 ns x n], and where node p of
 * [n] stands in it; S.x NULL where the body has none. */
fb_status fb_stress_of(const fb_model *b, const fb_mat *V, const int64_t *node, int64_t n,
                       fb_mat *S, int64_t **at, fb_err *e) FB_CHECKED;
void fb_scene_free(fb_scene *t);

#define FB_SCENE_OPTIONS \
    {"modes", \
     FB_TEXT, \
     offsetof(fb_export, modes), \
     "LIST", \
     "draw these modes alone, by number (7-9,12); vtu: one oscillation of each", \
     NULL}, \
    { \
        "coordinates", FB_FLAG, offsetof(fb_export, coordinates), NULL, \
            "draw the coordinates of the reduced body instead of its modes", NULL \
    }
#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page.h - one self-contained web page, and what of a body is drawn on it (page.c, picture.c). */
#ifndef FB_PAGE_H
#define FB_PAGE_H
#include "bytes.h"
#include "status.h"
#include <stdint.h>

/* A file that is part of the program: FB_EMBED(name, "path") defines it, the path as the makefile
 * sees it. One object of a program may define a name. */
typedef struct {
    const char *start, *end;
} fb_asset;
#define FB_EMBED(name, path) \
    __asm__(".pushsection .rodata\n" \
            "fb_embedded_" #name ":\n" \
            ".incbin \"" path "\"\n" \
            "fb_embedded_" #name "_end:\n" \
            ".popsection\n"); \
    extern const char fb_embedded_##name[] __attribute__((visibility("hidden"))); \
    extern const char fb_embedded_##name##_end[] __attribute__((visibility("hidden")))
#define FB_ASSET(name) ((fb_asset){fb_embedded_##name, fb_embedded_##name##_end})

/* Writes the template, and in the place of {{title}}, {{style}}, {{three}}, {{orbit}},
 * {{viewer}} and {{licence}} the title and the files that all pages share, up to {{data}}; returns
 * what is behind it. The caller writes JSON there, then calls again with the rest. */
fb_asset fb_put_page(fb_buf *o, fb_asset template, const char *title);
/* s as text of HTML, and as a string of JSON that can stand within <script>: whatever is in it. */
void fb_put_html(fb_buf *o, const char *s);
void fb_put_json(fb_buf *o, const char *s);
/* A number of JSON; null where v is none. */
void fb_put_json_real(fb_buf *o, double v);
/* "name": [v, ...] of n numbers, with a comma before it; nothing where v is NULL. */
void fb_put_json_reals(fb_buf *o, const char *name, const double *v, int64_t n);

/* What is drawn of a body: the nodes of its faces and those of `also`; all nodes where there are no
 * faces. More than `most` faces (points) are thinned: nodes of a cell of a regular grid become the
 * one nearest to their mean. */
typedef struct {
    int64_t n, *node;              /* points drawn: positions in /nodes, ascending */
    int64_t nf, *offset, *index;   /* faces between points */
    int64_t *also;                 /* [nalso] the point for each */
    int64_t all_faces, all_points; /* before thinning */
    double center[3], half;        /* of the box of the points: half of its longest side, > 0 */
} fb_picture;
typedef struct { /* a surface: faces as in the stream, offset NULL: none; node of also < 0: none */
    int64_t nn, nf;
    const double *xyz;
    const int64_t *offset, *index;
    int64_t nalso;
    const int64_t *also;
} fb_surface;
fb_status fb_picture_new(const fb_surface *of, int64_t most, fb_picture *p, fb_err *e) FB_CHECKED;
void fb_picture_free(fb_picture *p);
/* As members of a JSON object, positions in 16 bits, all in base64, without a comma before. */
void fb_put_picture(fb_buf *o, const fb_picture *p, const double *xyz);
/* "shape": "..." in 16 bits, and "most": the largest displacement of u [nn, stride], whose first
 * three are x y z, with a comma before. */
void fb_put_shape(fb_buf *o, const fb_picture *p, const double *u, int stride);
/* "name": "..." in 16 bits without a sign, of n values 0 .. most (others are 0), with a comma
 * before. */
void fb_put_values(fb_buf *o, const char *name, const double *v, int64_t n, double most);
#endif

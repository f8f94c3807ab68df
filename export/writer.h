/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writer.h - what an export format is. To add one: a file NAME.c that defines fb_writer_NAME, and
 * one row in FB_WRITERS. */
#ifndef WRITER_H
#define WRITER_H
#include "bytes.h"
#include "cli.h"
#include "model.h"
#include "publish.h"
#include "status.h"
#include "stream.h"

typedef struct {
    const char *name, *doc;
    int several; /* several files: -o names a folder */
} fb_dialect;

typedef struct {         /* what the user asked for */
    const char *dialect; /* one of the writer's; NULL where it has none */
    const char *layout;  /* sid: columns of Gr and Ge; NULL: the dialect's own */
    int with_T;          /* link: keep the full shapes */
    int mbsim;           /* link: add the datasets of MBSim */
    int connectors;      /* named by the user */
    const char *modes;   /* vtu, glb: these alone */
    int coordinates;     /* vtu, glb: not the modes */
    int exact;           /* text: 17 digits */
    const char *load;    /* openfast: this one */
    const char *base;    /* dmig, abaqus: number of the first modal coordinate; NULL: a free one */
} fb_export;

typedef struct {
    const char *name, *doc;
    int binary;                 /* no terminal wants it */
    int weightless;             /* a body without mass may be what it shows */
    int whole;                  /* K is written with its skew part */
    int loads;                  /* load vectors; or has no matrices */
    int keeps;                  /* structural damping and gyroscopic matrices; or has no matrices */
    int geometric;              /* geometric stiffness, too */
    int any_units;              /* says the unit of each number, or is of its own system */
    const fb_own *options;      /* that other formats do not know; ends with a zero name */
    const fb_dialect *dialects; /* the first is the default; ends with a NULL name; NULL: none */
    /* One of three: the bytes of one file; the files of a folder (dialects that are several); or
     * the writer publishes by itself. */
    fb_status (*write)(const fb_model *b, const fb_export *o, fb_buf *out, fb_log *log, fb_err *e);
    fb_status (*files)(const fb_model *b, const fb_export *o, fb_files *out, fb_log *log,
                       fb_err *e);
    fb_status (*publish)(fb_run *r, fb_stream *in, fb_model *b, const fb_export *o, fb_err *e);
    /* --self-test, as selftest.h has it: a model in the language of the target that loads `file`, a
     * name without folder; NULL: it shows a body, and holds no matrices. */
    fb_status (*test)(const fb_model *b, const fb_export *o, const char *file, fb_buf *out,
                      fb_err *e);
    const char *test_ending; /* of the model's file: mbd, py, ... */
} fb_writer;

/* The export formats, in the order of --help. */
#define FB_WRITERS(X) \
    X(link)     /* HDF5 link record            */ \
    X(mbdyn)    /* MBDyn modal joint           */ \
    X(simscape) /* Reduced Order Flexible Solid */ \
    X(sid)      /* Standard Input Data         */ \
    X(modelica) /* record of constants         */ \
    X(exudyn)   /* Exudyn reduced body, HDF5   */ \
    X(openfast) /* ExtPtfm superelement        */ \
    X(dmig)     /* Nastran punch               */ \
    X(abaqus)   /* matrices for Abaqus decks   */ \
    X(mm)       /* Matrix Market folder        */ \
    X(mat)      /* MATLAB 5, 7.3               */ \
    X(erls)     /* ERLS-CMS matrices, HDF5     */ \
    X(vtu)      /* ParaView                    */ \
    X(glb)      /* glTF: browsers, Blender     */ \
    X(html)     /* page for a browser          */ \
    X(text)     /* for people                  */ \
    X(mnf)      /* Adams modal neutral file    */

#define X(name) extern const fb_writer fb_writer_##name;
FB_WRITERS(X)
#undef X
#define X(name) +1
enum { FB_NWRITER = 0 FB_WRITERS(X) };
#undef X
extern const fb_writer *const fb_writers[]; /* ends with NULL */
#endif

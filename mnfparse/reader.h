/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.h - what an input format is. To add one: a file NAME.c that defines fb_reader_NAME, and
 * one row in FB_READERS. */
#ifndef READER_H
#define READER_H
#include "parts.h"

typedef struct {
    const char *name, *doc;
    int (*sniff)(const fb_input *in); /* 1: the bytes say this format */
    fb_status (*read)(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e);
} fb_reader;

/* The input formats, tried in this order. */
#define FB_READERS(X) \
    X(matlab)        /* MATLAB 4 .. 7.3; version 4 before mnf, whose first word is alike */ \
    X(ansys_full)    /* Ansys assembled matrices, binary; before mnf                     */ \
    X(ansys_rst)     /* its results: nodes, elements, modes                              */ \
    X(ansys_mode)    /* its mode shapes                                                  */ \
    X(ansys_sub)     /* its superelements                                                */ \
    X(octave)        /* variables of Octave, text                                        */ \
    X(npz)           /* NumPy arrays in a zip, also sparse ones of SciPy                 */ \
    X(npy)           /* NumPy array                                                      */ \
    X(pickle)        /* model of Exudyn, pickled                                         */ \
    X(mnf)           /* Adams modal neutral file, binary                                 */ \
    X(mnfdump)       /* ASCII dump of one by Adams' Flex browser                         */ \
    X(adamsmat)      /* ADAMSMAT matrix file                                             */ \
    X(mbdyn)         /* MBDyn modal data (.fem), text                                    */ \
    X(op4)           /* Nastran OUTPUT4 matrices                                         */ \
    X(op2)           /* Nastran OUTPUT2                                                  */ \
    X(cdb)           /* Ansys archive, nodes and elements                                */ \
    X(ansys_vector)  /* Ansys node vector, Matrix Market text                            */ \
    X(mm)            /* Matrix Market                                                    */ \
    X(hb)            /* Harwell-Boeing                                                   */ \
    X(unv)           /* universal file                                                   */ \
    X(gmsh)          /* gmsh mesh, nodes and elements                                    */ \
    X(frd)           /* CalculiX results, nodes and modes                                */ \
    X(ansys_mapping) /* Ansys dof table beside HBMAT                                     */ \
    X(ansys_nlist)   /* Ansys node list of NLIST                                         */ \
    X(ansys_nwrite)  /* Ansys node file of NWRITE                                        */ \
    X(ansys_nodes)   /* Ansys node list between tabs                                     */ \
    X(user_element)  /* Abaqus and CalculiX substructures                                */ \
    X(abaqus_matrix) /* Abaqus *MATRIX GENERATE: node,dof, node,dof, value               */ \
    X(inp)           /* Abaqus and CalculiX decks: nodes and sets                        */ \
    X(dmig)          /* Nastran DMIG matrices                                            */ \
    X(bulk)          /* Nastran bulk data                                                */ \
    X(ccx_dof)       /* CalculiX dof table                                               */ \
    X(coordinate)    /* row column value: Abaqus COORDINATE, CalculiX .sti               */ \
    X(table)         /* node or dof table, text                                          */ \
    X(csv)           /* square matrix, text                                              */

#define X(name) extern const fb_reader fb_reader_##name;
FB_READERS(X)
#undef X
extern const fb_reader *const fb_readers[]; /* ends with NULL */

/* Their names, and a NUL. */
void fb_reader_names(fb_buf *list, const char *between);
/* The format of the bytes, or the one called `name`; the error lists the names. */
fb_status fb_reader_find(const fb_input *in, const char *name, const fb_reader **r,
                         fb_err *e) FB_CHECKED;
#endif

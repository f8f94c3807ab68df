/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loads.h - load vectors of a model: mnfparse --load (loads.c). */
#ifndef LOADS_H
#define LOADS_H
#include "basis.h"
#include "model.h"
#include "parts.h"

enum { FB_LOAD_NAME = 58 }; /* bytes of a name at the most: #NUMBER may follow */

/* Columns that a file holds become load vectors of b: forces and moments at its dofs, or at dofs of
 * the input that follow these. name: of the user, or "": of the matrix, else of the file. p: parts
 * of the model, whose nodes' displacement frames loads along_axes follow; NULL, and others: they
 * are along the axes of the model. */
fb_status fb_loads_join(const fb_basis *t, const fb_parts *p, const char *name, fb_model *b,
                        fb_log *log, fb_err *e) FB_CHECKED;
/* gravity:X,Y,Z or centrifugal:X,Y,Z[@X,Y,Z]; *is 0: the text is neither. */
fb_status fb_loads_field(const char *text, const char *name, fb_model *b, int *is, fb_log *log,
                         fb_err *e) FB_CHECKED;
#endif

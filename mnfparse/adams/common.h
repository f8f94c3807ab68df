/* SPDX-License-Identifier: GPL-3.0-or-later */
/* common.h - what the binary .mnf and its ASCII dump share. */
#ifndef MNF_COMMON_H
#define MNF_COMMON_H
#include "model.h"
#include "status.h"
#include "units.h"
#include "parts.h"

enum { FB_MNF_STATISTICS = 13 }; /* pairs of node and largest value per mode in block 30 */

/* An empty body of this format; a second modal body in one run is an error. */
fb_status fb_mnf_begin(fb_parts *p, fb_model **b, const char *format, fb_err *e) FB_CHECKED;
/* Block 6: room for mass, centre and inertia. */
fb_status fb_mnf_reference(fb_model *b, fb_err *e) FB_CHECKED;
/* Block 11: one unit by its name; an unknown one is kept as a name, with a warning. */
void fb_mnf_unit(fb_model *b, fb_unitkind k, const char *name, fb_log *log);
/* Derives from blocks 4, 7, 8 and 17: /reduced, /dofs, shapes of the connectors. */
fb_status fb_mnf_finish(fb_model *b, fb_err *e) FB_CHECKED;
#endif

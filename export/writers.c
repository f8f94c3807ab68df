/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writers.c - the table of export formats, from the rows in writer.h. */
#include "writer.h"

const fb_writer *const fb_writers[] = {
#define X(name) &fb_writer_##name,
    FB_WRITERS(X)
#undef X
        NULL};

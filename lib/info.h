/* SPDX-License-Identifier: GPL-3.0-or-later */
/* info.h - a page about a body, for people (info.c). */
#ifndef FB_INFO_H
#define FB_INFO_H
#include "bytes.h"
#include "model.h"
#include "status.h"
#include "stream.h"

/* At most 100 columns but for names: producer, units, counts; of a reduced body its verdict in
 * plain sentences; mass, centre, inertia; frequencies beside those of the full body
 * (/verdict/check) and effective masses in percent; interface; findings; how it was made, and
 * warnings. h: of the stream, or NULL; log: of the tool that asks, or NULL. */
fb_status fb_info_page(const fb_model *b, const fb_history *h, const fb_log *log, fb_buf *out,
                       fb_err *e) FB_CHECKED;
#endif

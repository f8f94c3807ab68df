/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dump.h - the ASCII dump of an .mnf, as the Adams Flex browser prints it, for tests. */
#ifndef DUMP_H
#define DUMP_H
#include "flexbody.h"

/* Every block of b, the invariants b->I[] too where they are there. digits behind the point: 16
 * lets every double come back, the browser prints 5 to 10. */
void make_dump(const fb_model *b, int digits, fb_buf *o);
#endif

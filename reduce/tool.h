/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tool.h - the program reduce, alone or as rank 0 of several (tool.c). */
#ifndef TOOL_H
#define TOOL_H
#include "cli.h"

/* The whole program under this name; more: options beside its own, ends with a zero name; NULL:
 * none. Its exit status. */
int fb_reduce_main(int argc, char **argv, const char *name, const fb_opt *more);
#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dofname.h - how messages name a dof (dofname.c). */
#ifndef FB_DOFNAME_H
#define FB_DOFNAME_H
#include <stddef.h>
#include <stdint.h>

/* "5.1": node and component, or "5" for a dof without component (0). */
typedef struct {
    char s[48];
} fb_dofname;
fb_dofname fb_name_of(int64_t node, int64_t component);
/* Appends " 5.1" to a list that stops at eight names; count is of all so far. */
void fb_name_list(char *list, size_t size, int64_t count, int64_t node, int64_t component);
#endif

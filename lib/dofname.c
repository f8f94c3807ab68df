/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dofname.c - how messages name a dof. */
#include "dofname.h"
#include <stdio.h>
#include <string.h>

fb_dofname fb_name_of(int64_t node, int64_t component)
{
    fb_dofname n;
    if (component)
        snprintf(n.s, sizeof n.s, "%lld.%lld", (long long)node, (long long)component);
    else
        snprintf(n.s, sizeof n.s, "%lld", (long long)node);
    return n;
}

void fb_name_list(char *list, size_t size, int64_t count, int64_t node, int64_t component)
{
    size_t at = strlen(list);
    if (count < 8)
        snprintf(list + at, size - at, " %s", fb_name_of(node, component).s);
    else if (count == 8)
        snprintf(list + at, size - at, " ...");
}

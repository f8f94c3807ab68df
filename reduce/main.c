/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduce - reduce a flexible body to fewer generalized coordinates. */
#include "tool.h"
#include "memory.h"
#include <stddef.h>

int main(int argc, char **argv)
{
    fb_memory_keep();
    return fb_reduce_main(argc, argv, "reduce", NULL);
}

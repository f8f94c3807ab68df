/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduce - reduce a flexible body to fewer generalized coordinates. */
#include "tool.h"
#include <stddef.h>

int main(int argc, char **argv)
{
    return fb_reduce_main(argc, argv, "reduce", NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define TOOL   "reduce/tool.c"
#define INPUTS {"body", "tests/golden/full.h5"}
#define FIXED  "body"
#include "cli_target.h"

int tool_main(int argc, char **argv)
{
    return fb_reduce_main(argc, argv, "reduce", NULL);
}

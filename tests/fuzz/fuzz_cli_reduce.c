/* SPDX-License-Identifier: GPL-3.0-or-later */
#define TOOL   "reduce/main.c"
#define INPUTS {"body", "tests/golden/full.h5"}
#define FIXED  "body"
#include "cli_target.h"

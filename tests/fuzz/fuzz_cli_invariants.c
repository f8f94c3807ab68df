/* SPDX-License-Identifier: GPL-3.0-or-later */
#define TOOL   "invariants/main.c"
#define INPUTS {"body", "tests/golden/reduced.h5"}
#define FIXED  "body"
#include "cli_target.h"

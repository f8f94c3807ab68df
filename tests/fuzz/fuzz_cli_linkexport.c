/* SPDX-License-Identifier: GPL-3.0-or-later */
#define TOOL   "export/main.c"
#define INPUTS {"body", "tests/golden/invariants.h5"}
#define FIXED  "body"
#include "cli_target.h"

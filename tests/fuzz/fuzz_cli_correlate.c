/* SPDX-License-Identifier: GPL-3.0-or-later */
#define TOOL   "correlate/main.c"
#define INPUTS {"a", "tests/golden/modal.h5"}, {"b", "tests/golden/full.h5"}
#define FIXED  "a", "b"
#include "cli_target.h"

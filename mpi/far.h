/* SPDX-License-Identifier: GPL-3.0-or-later */
/* far.h - what rank 0 calls (far.c). */
#ifndef TEAM_FAR_H
#define TEAM_FAR_H
#include "linalg/far.h"

extern const fb_far_calls team_far;
const char *team_out_of_core(void); /* --out-of-core; "": in memory */
#endif

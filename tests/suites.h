/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h - the Check suites: one row a suite, `Suite *suite_NAME(void)` in its own file. */
#ifndef SUITES_H
#define SUITES_H
#include "flexbody.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

#define FB_SUITES(X) \
    X(num) \
    X(bytes) \
    X(behind) \
    X(words) \
    X(batch) \
    X(golden) \
    X(hostile) \
    X(large) \
    X(mnf) \
    X(stream) \
    X(inertia) \
    X(composite) \
    X(cb) \
    X(hertz) \
    X(page) \
    X(correlate) \
    X(response) \
    X(poles) \
    X(stress) \
    X(component) \
    X(fe) \
    X(fe_text) \
    X(dmig) \
    X(nastran) \
    X(assemble) \
    X(expand) \
    X(arrays) \
    X(exudyn) \
    X(faces) \
    X(mnfdump) \
    X(adamsmat) \
    X(sparse_ops) \
    X(mesh) \
    X(factor) \
    X(snode) \
    X(narrow) \
    X(rows) \
    X(front) \
    X(lu) \
    X(eig) \
    X(convert) \
    X(move) \
    X(geometric) \
    X(published) \
    X(methods) \
    X(cut) \
    X(accurate) \
    X(damping) \
    X(modal) \
    X(loads) \
    X(full) \
    X(bases) \
    X(basis) \
    X(rigid) \
    X(oracle) \
    X(oracle_inertia) \
    X(oracle_modal) \
    X(cases) \
    X(mbdyn) \
    X(sid) \
    X(generic) \
    X(neutral) \
    X(neutral_text) \
    X(bulk) \
    X(op4) \
    X(op2) \
    X(ansys) \
    X(ansys_lists) \
    X(matrices) \
    X(records) \
    X(matlab) \
    X(matlab_shapes)

#define X(name) Suite *suite_##name(void);
FB_SUITES(X)
#undef X

/* A file of the folder of real exports, or NULL where it is absent: a user's machine has only the
 * project. The text is valid until the next call. */
const char *shared_file(const char *path);

/* Runs `statement` with the 1st, 2nd, ... allocation failing until it succeeds; s is its status.
 * Counts the failures in `fails`; every one must be FB_ESYS. */
#define EVERY_ALLOCATION_FAILS_ONCE(s, fails, statement) \
    do { \
        fails = 0; \
        for (long fb_k = 0;; fb_k++) { \
            fb_alloc_fail_after = fb_k; \
            statement; \
            long fb_left = fb_alloc_fail_after; \
            fb_alloc_fail_after = -1; \
            if (fb_left >= 0) { \
                ck_assert_int_eq(s, FB_OK); \
                break; \
            } \
            ck_assert_int_eq(s, FB_ESYS); \
            fails++; \
        } \
    } while (0)
#endif

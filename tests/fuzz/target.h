/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target.h - the body of a reader's fuzz target. A reader that returns FB_OK must give parts that
 * assemble into a model that passes its check, or are refused with a message. */
#include "mnfparse/join/assemble.h"
#include "mnfparse/reader.h"
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n);

/* Matrices of a reader that returns FB_OK are in order; values may be checked later. */
static inline void check_parts(const fb_parts *p)
{
    for (int64_t k = 0; k < p->nmatrix; k++) {
        const fb_csc *A = &p->matrix[k].A;
        for (int64_t j = 0; j < A->n; j++)
            for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
                if (A->i[q] < 0 || A->i[q] >= A->m || (q > A->p[j] && A->i[q] <= A->i[q - 1]) ||
                    (A->upper && A->i[q] > j))
                    abort();
    }
}

#define FUZZ_READER(NAME) \
    int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) \
    { \
        char name[] = "fuzz"; \
        fb_input in = {.data = d, .size = n, .name = name}; \
        fb_parts p = {0}; \
        fb_model b = {0}; \
        fb_log log = {0}; \
        fb_err e = {0}; \
        int ok = n && fb_reader_##NAME.read(&in, &p, &log, &e) == FB_OK; \
        if (ok) \
            check_parts(&p); \
        ok = ok && fb_parts_label(&p, &log, &e) == FB_OK; \
        if (ok && fb_parts_assemble(&p, &b, &log, &e) == FB_OK && fb_model_check(&b, &e) != FB_OK) \
            abort(); \
        fb_model_free(&b); \
        fb_parts_free(&p); \
        fb_log_free(&log); \
        return 0; \
    }

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target.h - the body of a reader's fuzz target. A reader that returns FB_OK must give parts that
 * assemble into a model that passes its check, or are refused with a message. */
#include "mnfparse/reader.h"
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n);

#define FUZZ_READER(NAME)                                                                        \
    int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n)                                       \
    {                                                                                            \
        char name[] = "fuzz";                                                                    \
        fb_input in = {.data = d, .size = n, .name = name};                                      \
        fb_parts p = {0};                                                                        \
        fb_model b = {0};                                                                        \
        fb_log log = {0};                                                                        \
        fb_err e = {0};                                                                          \
        if (n && fb_reader_##NAME.read(&in, &p, &log, &e) == FB_OK &&                            \
            fb_parts_label(&p, &log, &e) == FB_OK && fb_parts_assemble(&p, &b, &log, &e) == FB_OK && fb_model_check(&b, &e) != FB_OK)     \
            abort();                                                                             \
        fb_model_free(&b);                                                                       \
        fb_parts_free(&p);                                                                       \
        fb_log_free(&log);                                                                       \
        return 0;                                                                                \
    }

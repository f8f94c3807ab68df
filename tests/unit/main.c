/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - runs every suite of suites.h; CK_RUN_SUITE and CK_RUN_CASE choose. */
#include "tests/suites.h"
#include <sys/stat.h>

const char *shared_file(const char *path)
{
    static char full[1024];
    const char *root = getenv("FB_SHARED");
    struct stat st;
    snprintf(full, sizeof full, "%s/data/%s", root && *root ? root : "../shared", path);
    return stat(full, &st) ? NULL : full;
}

int main(void)
{
    fb_data_fd = 1;
    if (!shared_file("."))
        printf("note: no folder of real exports (FB_SHARED): the tests on them are skipped\n");
    SRunner *r = srunner_create(NULL);
#define X(name) srunner_add_suite(r, suite_##name());
    FB_SUITES(X)
#undef X
    srunner_run_all(r, CK_ENV);
    int bad = srunner_ntests_failed(r);
    srunner_free(r);
    return bad != 0;
}

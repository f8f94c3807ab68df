/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - runs every suite of suites.h; CK_RUN_SUITE and CK_RUN_CASE choose. */
#include "tests/suites.h"
#include <sys/stat.h>

const char *shared_file(const char *path)
{
    static char full[1024];
    static int told;
    const char *root = getenv("FB_SHARED");
    struct stat st;
    snprintf(full, sizeof full, "%s/data/%s", root && *root ? root : "../shared", path);
    if (!stat(full, &st))
        return full;
    if (!told++)
        fprintf(stderr, "note: %s is not here: tests on real exports are skipped\n", full);
    return NULL;
}

int main(void)
{
    fb_data_fd = 1;
    SRunner *r = srunner_create(NULL);
#define X(name) srunner_add_suite(r, suite_##name());
    FB_SUITES(X)
#undef X
    srunner_run_all(r, CK_ENV);
    int bad = srunner_ntests_failed(r);
    srunner_free(r);
    return bad != 0;
}

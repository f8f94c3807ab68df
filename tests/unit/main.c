/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - runs every suite of suites.h; CK_RUN_SUITE and CK_RUN_CASE choose. */
#include "tests/suites.h"
#include <stdio.h>
#include <sys/stat.h>

/* The cases that asked for a file which is absent, a line each; they run in processes of their own.
 * */
static FILE *skipped;

const char *shared_file(const char *path)
{
    static char full[1024];
    const char *root = getenv("FB_SHARED");
    struct stat st;
    snprintf(full, sizeof full, "%s/data/%s", root && *root ? root : "../shared", path);
    if (stat(full, &st) == 0)
        return full;
    if (skipped) {
        fprintf(skipped, "%s: no %s in FB_SHARED\n", tcase_name(), path);
        fflush(skipped);
    }
    return NULL;
}

static void name_skipped(void)
{
    char line[1200], last[1200] = "";
    rewind(skipped);
    while (fgets(line, sizeof line, skipped)) {
        if (strcmp(line, last)) /* a loop asks many times */
            printf("skipped: %s", line);
        memcpy(last, line, sizeof line);
    }
}

int main(void)
{
    fb_data_fd = 1;
    skipped = tmpfile();
    SRunner *r = srunner_create(NULL);
#define X(name) srunner_add_suite(r, suite_##name());
    FB_SUITES(X)
#undef X
    srunner_run_all(r, CK_ENV);
    int bad = srunner_ntests_failed(r);
    srunner_free(r);
    if (skipped)
        name_skipped();
    return bad != 0;
}

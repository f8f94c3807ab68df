/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scratch.h - a folder of its own for fuzz targets that need files; gone when the program ends. */
#ifndef SCRATCH_H
#define SCRATCH_H
#include <ftw.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch[64];

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *f)
{
    (void)s;
    (void)kind;
    (void)f;
    return remove(path);
}

static inline void remove_tree(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void remove_scratch(void)
{
    remove_tree(scratch);
}

/* Memory where there is a file system for it: HDF5 wants a name. */
static inline void make_scratch(void)
{
    snprintf(scratch, sizeof scratch, "%s/flexbody-fuzz-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(scratch)) {
        perror(scratch);
        abort();
    }
    atexit(remove_scratch);
}

static inline void write_scratch(const char *path, const uint8_t *d, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(d, 1, n, f) != n || fclose(f)) {
        perror(path);
        abort();
    }
}
#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay.c - runs a fuzz target over the files of a folder, each whole and cut at many places,
 * without a fuzzing engine. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n);

enum { CUTS = 64 };

/* The bytes are copied to a block of their exact size, so that a sanitizer sees any over-read. */
static void feed(const uint8_t *d, size_t n)
{
    uint8_t *b = malloc(n ? n : 1);
    if (!b)
        abort();
    memcpy(b, d, n);
    LLVMFuzzerTestOneInput(b, n);
    free(b);
}

static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *d = malloc(1 << 24);
    if (!f || !d)
        return 1;
    size_t n = fread(d, 1, 1 << 24, f);
    fclose(f);
    feed(d, n);
    for (size_t k = 0; k < CUTS; k++)
        if (k == 0 || n * k / CUTS > n * (k - 1) / CUTS)
            feed(d, n * k / CUTS);
    free(d);
    return 0;
}

int main(int argc, char **argv)
{
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    int n = 0;
    if (!dir) {
        fprintf(stderr, "replay: wants a folder\n");
        return 2;
    }
    for (struct dirent *d; (d = readdir(dir));) {
        char path[1024];
        if (d->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], d->d_name);
        if (replay(path)) {
            fprintf(stderr, "replay: cannot read %s\n", path);
            return 1;
        }
        n++;
    }
    closedir(dir);
    if (n == 0)
        fprintf(stderr, "replay: %s is empty\n", argv[1]);
    return n == 0;
}

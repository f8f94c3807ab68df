/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roots REDUCED - eigenvalues of the fixed-interface modes of a Craig-Bampton reduction, one a
 * line, ascending; with -f its frequencies in Hz instead. */
#include "flexbody.h"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const char *const want[] = {"/reduced", NULL};
    int hertz = argc == 3 && !strcmp(argv[1], "-f");
    fb_stream in = FB_STREAM_NONE;
    fb_model b = {0};
    fb_err e;
    if (argc != 2 + hertz) {
        fprintf(stderr, "usage: roots [-f] REDUCED\n");
        return FB_EUSAGE;
    }
    if (fb_stream_open(&in, argv[1 + hertz], &e) || fb_model_read(&in, &b, want, &e)) {
        fprintf(stderr, "roots: %s\n", e.msg);
        return (int)e.status;
    }
    for (int64_t k = 0; k < b.nr; k++)
        if (hertz || b.kind[k] == FB_KIND_NORMAL)
            printf("%.17g\n", hertz ? b.frequency[k] : b.Kr[k + k * b.nr]);
    fb_stream_abandon(&in);
    fb_model_free(&b);
    return 0;
}

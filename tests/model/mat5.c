/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/model/mat5.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t mat5_word(const unsigned char *p)
{
    int32_t v;
    memcpy(&v, p, 4);
    return v;
}

const unsigned char *mat5_element(const unsigned char *p, int *type, int *bytes,
                                  const unsigned char **data)
{
    *type = mat5_word(p) & 0xffff;
    *bytes = mat5_word(p) >> 16;
    *data = p + 4;
    if (*bytes)
        return p + 8;
    *bytes = mat5_word(p + 4);
    *data = p + 8;
    return p + 8 + (*bytes + 7) / 8 * 8;
}

static void want(int is)
{
    if (!is)
        abort();
}

const unsigned char *mat5_variable(const unsigned char *p, char name[40], int dim[4], int *class,
                                   const double **x, int *n)
{
    const unsigned char *d, *end;
    int type, bytes;
    end = mat5_element(p, &type, &bytes, &p);
    want(type == 14);
    p = mat5_element(p, &type, &bytes, &d);
    want(type == 6 && bytes == 8);
    *class = mat5_word(d);
    p = mat5_element(p, &type, &bytes, &d);
    want(type == 5);
    for (int k = 0; k < 4; k++)
        dim[k] = 4 * k < bytes ? mat5_word(d + 4 * k) : 1;
    p = mat5_element(p, &type, &bytes, &d);
    want(type == 1);
    snprintf(name, 40, "%.*s", bytes, (const char *)d);
    *x = (const double *)(const void *)p;
    if (*class == 6) {
        p = mat5_element(p, &type, &bytes, &d);
        want(type == 9);
        *x = (const double *)(const void *)d;
        *n = bytes / 8;
    }
    return end;
}

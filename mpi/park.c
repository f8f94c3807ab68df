/* SPDX-License-Identifier: GPL-3.0-or-later */
/* park.c - with --out-of-core: what a rank holds and does not need during a factorisation or an
 * iteration waits in a file, which has no name from the start, so that nothing of it stays. */
#include "memory.h"
#include "team.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 1 << 16 /* bytes that are not worth it */ };

typedef struct {
    void *pointer; /* where the pointer to them stands */
    int64_t bytes;
} piece;

static piece *parked;
static int64_t nparked;
static int file = -1;

static int move(int out, char *at, int64_t bytes)
{
    while (bytes > 0) {
        const ssize_t k = out ? write(file, at, (size_t)bytes) : read(file, at, (size_t)bytes);
        if (k == 0)
            errno = EIO;
        if (k == 0 || (k < 0 && errno != EINTR))
            return 0;
        at += k > 0 ? k : 0;
        bytes -= k > 0 ? k : 0;
    }
    return 1;
}

static int park(piece p)
{
    void *x = NULL;
    memcpy(&x, p.pointer, sizeof x);
    if (!x || p.bytes < SMALL)
        return 1;
    if (!move(1, x, p.bytes))
        return 0;
    FB_FREE(x);
    memcpy(p.pointer, &x, sizeof x);
    parked[nparked++] = p;
    return 1;
}

enum { PIECES = 5 };

static int park_object(team_object *o)
{
    team_matrix *A = &o->A;
    team_border *B = &o->B;
    const int64_t na = A->p ? A->p[o->rows.own] : 0, nb = B->p ? B->p[B->n] : 0;
    const piece part[PIECES] = {{&A->i, na * (int64_t)sizeof *A->i},
                                {&A->x, na * (int64_t)sizeof *A->x},
                                {&B->i, nb * (int64_t)sizeof *B->i},
                                {&B->x, nb * (int64_t)sizeof *B->x},
                                {&o->X.x, o->X.m * o->X.n * (int64_t)sizeof *o->X.x}};
    for (int k = 0; k < PIECES; k++)
        if (!park(part[k]))
            return 0;
    return 1;
}

static int open_file(const char *folder)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/flexbody.XXXXXX", folder);
    file = mkstemp(path);
    return file >= 0 && unlink(path) == 0;
}

fb_status team_park(const char *folder, const team_object *a, const team_object *b, fb_err *e)
{
    fb_status s = FB_OK;
    if (!*folder)
        return FB_OK;
    parked = team_room(TEAM_MOST * PIECES, sizeof *parked);
    int good = open_file(folder);
    for (int64_t id = 1; good && id < TEAM_MOST; id++) {
        team_object *o = team_get(id);
        good = !o || o == a || o == b || park_object(o);
    }
    if (!good)
        s = fb_fail(e, FB_ESYS, "could not write out of core: %s: %s", folder, strerror(errno));
    fb_memory_trim();
    return team_agree(s, e);
}

fb_status team_unpark(fb_status s, fb_err *e)
{
    if (!parked)
        return s;
    fb_memory_trim();
    int good = file < 0 || lseek(file, 0, SEEK_SET) == 0;
    for (int64_t k = 0; k < nparked; k++) {
        char *x = team_room(parked[k].bytes, 1);
        good = good && move(0, x, parked[k].bytes);
        memcpy(parked[k].pointer, &x, sizeof x);
    }
    if (!good && !s)
        s = fb_fail(e, FB_ESYS, "could not read what was out of core: %s", strerror(errno));
    if (file >= 0)
        (void)close(file);
    file = -1;
    nparked = 0;
    FB_FREE(parked);
    return team_agree(s, e);
}

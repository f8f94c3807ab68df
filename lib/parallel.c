/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parallel.c - a job on a few threads, without threads that wait spinning in between. */
#include "flexbody.h"
#include <pthread.h>

enum { THREADS = 64 };

typedef struct {
    void (*work)(void *arg, int t);
    void *arg;
    int   t;
} part;

static void *run(void *p)
{
    const part *q = p;
    q->work(q->arg, q->t);
    return NULL;
}

void fb_parallel(int threads, void (*work)(void *arg, int t), void *arg)
{
    pthread_t id[THREADS];
    part p[THREADS];
    int started[THREADS] = {0};
    for (int t = 1; t < threads && t < THREADS; t++) {
        p[t] = (part){work, arg, t};
        started[t] = pthread_create(&id[t], NULL, run, &p[t]) == 0;
    }
    work(arg, 0);
    for (int t = 1; t < threads; t++)
        if (t >= THREADS || !started[t])
            work(arg, t);
    for (int t = 1; t < threads && t < THREADS; t++)
        if (started[t])
            pthread_join(id[t], NULL);
}

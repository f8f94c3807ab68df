/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parallel.c - a job on a few threads, without threads that wait spinning in between. */
#include "flexbody.h"
#include <pthread.h>
#include <stdatomic.h>

enum {
    THREADS = 64,
    SPIN = 20000 /* looks, some 50 us, before a thread that waits for the others sleeps */
};

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

/* ---- threads that meet ------------------------------------------------------------------ */

struct fb_crew {
    void (*work)(void *arg, int t, int n, fb_crew *c);
    void           *arg;
    int             n;       /* members, known before work starts */
    atomic_int      here;    /* members that have arrived         */
    atomic_uint     round;   /* meetings that are over            */
    pthread_mutex_t lock;
    pthread_cond_t  over;
};

typedef struct {
    fb_crew *c;
    int      t;
} member;

/* Most meetings are short; one that is not, because another job has the processor, is slept through. */
void fb_meet(fb_crew *c)
{
    if (c->n < 2)
        return;
    unsigned round = atomic_load(&c->round);
    if (atomic_fetch_add(&c->here, 1) + 1 == c->n) {
        atomic_store(&c->here, 0);
        pthread_mutex_lock(&c->lock);
        atomic_fetch_add(&c->round, 1);
        pthread_cond_broadcast(&c->over);
        pthread_mutex_unlock(&c->lock);
        return;
    }
    for (int k = 0; k < SPIN; k++)
        if (atomic_load_explicit(&c->round, memory_order_acquire) != round)
            return;
    pthread_mutex_lock(&c->lock);
    while (atomic_load(&c->round) == round)
        pthread_cond_wait(&c->over, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

/* The lock is held until the number of members is known. */
static void *join_crew(void *p)
{
    member *m = p;
    pthread_mutex_lock(&m->c->lock);
    pthread_mutex_unlock(&m->c->lock);
    m->c->work(m->c->arg, m->t, m->c->n, m->c);
    return NULL;
}

void fb_together(int threads, void (*work)(void *arg, int t, int n, fb_crew *c), void *arg)
{
    fb_crew c = {.work = work, .arg = arg, .n = 1, .lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};
    pthread_t id[THREADS] = {0};
    member m[THREADS];
    pthread_mutex_lock(&c.lock);
    for (; c.n < threads && c.n < THREADS; c.n++) {
        m[c.n] = (member){&c, c.n};
        if (pthread_create(&id[c.n], NULL, join_crew, &m[c.n]) != 0)
            break;
    }
    pthread_mutex_unlock(&c.lock);
    work(arg, 0, c.n, &c);
    for (int t = 1; t < c.n; t++)
        pthread_join(id[t], NULL);
    pthread_cond_destroy(&c.over);
    pthread_mutex_destroy(&c.lock);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parallel.c - a job on a few threads that sleep in between.
 *
 * A job goes in rounds of parts. Any thread takes the next part there is; who ends the last part of
 * a round opens the next round. So nobody waits for a thread that has no processor, unless it has a
 * part: on a busy machine the caller does most of them itself. Which thread does a part changes no
 * bit of it.
 *
 * The ticket holds round, next part, and parts. A thread owns a part once it has counted the ticket
 * up: until it has reported the part done nothing of the job changes. A ticket of no parts: there
 * is no job.
 */
#include "blas.h"
#include "memory.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

typedef unsigned long long ticket;

enum {
    SPIN = 20000,   /* looks, some 50 us, before a thread that finds no part sleeps */
    PARTS = 0xffff, /* of a round, at most                                          */
    PART = 16,      /* where the next part stands in the ticket                     */
    ROUND = 32
};

typedef struct { /* of the caller, or of the helpers */
    pthread_cond_t more;
    atomic_int sleep;
} bed;

static struct {
    atomic_ullong ticket;
    atomic_int done;  /* parts of the round */
    atomic_flag busy; /* set: there is a job */
    int (*next)(void *arg);
    void (*work)(void *arg, int t);
    void *arg;
    int started;
    pthread_mutex_t lock;
    bed caller, helpers;
} pool = {.busy = ATOMIC_FLAG_INIT,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .caller = {.more = PTHREAD_COND_INITIALIZER},
          .helpers = {.more = PTHREAD_COND_INITIALIZER}};

static int parts_of(ticket k)
{
    return (int)(k & PARTS);
}

static int next_of(ticket k)
{
    return (int)(k >> PART & PARTS);
}

/* Returns when the ticket is not k any more. */
static void await(bed *b, ticket k)
{
    for (int look = 0; look < SPIN; look++)
        if (atomic_load_explicit(&pool.ticket, memory_order_acquire) != k)
            return;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        atomic_store(&b->sleep, 1); /* before the look: who changes the ticket looks after it */
        if (atomic_load(&pool.ticket) != k)
            break;
        pthread_cond_wait(&b->more, &pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
}

static void wake(bed *b)
{
    if (!atomic_exchange(&b->sleep, 0))
        return;
    pthread_mutex_lock(&pool.lock);
    pthread_cond_broadcast(&b->more);
    pthread_mutex_unlock(&pool.lock);
}

/* A round of one part is for the thread that opens it. */
static void open_round(void)
{
    const int n = pool.next(pool.arg);
    const ticket round = (atomic_load(&pool.ticket) >> ROUND) + 1;
    atomic_store(&pool.done, 0);
    atomic_store(&pool.ticket, round << ROUND | (ticket)n);
    if (n != 1)
        wake(&pool.caller);
    if (n > 1)
        wake(&pool.helpers);
}

/* Does a part where there is one; the ticket that it saw. */
static ticket take(void)
{
    ticket k = atomic_load(&pool.ticket);
    const int part = next_of(k), n = parts_of(k);
    if (part < n && atomic_compare_exchange_strong(&pool.ticket, &k, k + (1 << PART))) {
        pool.work(pool.arg, part);
        if (atomic_fetch_add(&pool.done, 1) + 1 == n)
            open_round();
    }
    return k;
}

static void *helper(void *none)
{
    for (;;) {
        const ticket k = take();
        if (next_of(k) >= parts_of(k))
            await(&pool.helpers, k);
    }
    return none;
}

/* A child has none of the threads. */
static void forked(void)
{
    pool.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool.caller.more = pool.helpers.more = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    atomic_store(&pool.ticket, 0);
    atomic_flag_clear(&pool.busy);
    pool.started = 0;
}

/* Those that do not start are not missed. Signals from outside are for the thread that has the
 * files, even while it does not take them (order.c). */
static void start(void)
{
    static int watched;
    pthread_t id;
    sigset_t outside, before;
    if (!watched)
        watched = pthread_atfork(NULL, NULL, forked) == 0;
    pool.started = 1;
    sigfillset(&outside);
    sigdelset(&outside, SIGSEGV);
    sigdelset(&outside, SIGBUS);
    sigdelset(&outside, SIGFPE);
    sigdelset(&outside, SIGILL);
    sigdelset(&outside, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &outside, &before);
    for (int t = 1; watched && t < fb_threads(); t++)
        if (pthread_create(&id, NULL, helper, NULL) == 0)
            pthread_detach(id);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void alone(int (*next)(void *arg), void (*work)(void *arg, int t), void *arg)
{
    for (int n = next(arg); n > 0; n = next(arg))
        for (int t = 0; t < n; t++)
            work(arg, t);
}

void fb_rounds(int (*next)(void *arg), void (*work)(void *arg, int t), void *arg)
{
    if (fb_threads() == 1 ||
        atomic_flag_test_and_set(&pool.busy)) { /* a part of a job has no helpers */
        alone(next, work, arg);
        return;
    }
    if (!pool.started)
        start();
    pool.next = next;
    pool.work = work;
    pool.arg = arg;
    open_round();
    for (ticket k = take(); parts_of(k) > 0; k = take())
        if (next_of(k) >= parts_of(k))
            await(&pool.caller, k);
    atomic_flag_clear(&pool.busy);
}

/* ---- one round --------------------------------------------------------------------------- */

typedef struct {
    void (*work)(void *arg, int t);
    void *arg;
    int n, from, opened; /* parts, those of the rounds before, those of this one */
} single;

static int next_of_single(void *arg)
{
    single *z = arg;
    z->from += z->opened;
    z->opened = z->n - z->from < PARTS ? z->n - z->from : PARTS;
    return z->opened;
}

static void work_of_single(void *arg, int t)
{
    const single *z = arg;
    z->work(z->arg, z->from + t);
}

void fb_parallel(int n, void (*work)(void *arg, int t), void *arg)
{
    if (n == 1)
        work(arg, 0);
    else if (n > 1)
        fb_rounds(next_of_single, work_of_single, &(single){.work = work, .arg = arg, .n = n});
}

/* ---- memory ------------------------------------------------------------------------------ */

enum { PAGE = 2 << 20 /* bytes: a large page, which two threads must not ask for */ };

typedef struct {
    char *at;         /* a limit of pages, the last one before `from` */
    char *from, *end; /* the block */
} block;

static void zero_page(void *arg, int t)
{
    const block *z = arg;
    char *const page = z->at + (size_t)t * PAGE, *const next = page + PAGE,
                *const from = page < z->from ? z->from : page,
                *const end = next < z->end ? next : z->end;
    memset(from, 0, (size_t)(end - from));
}

fb_status fb_new_by_all(void *pp, int64_t n, size_t size, const char *what, fb_err *e)
{
    char *p = n < 0 ? NULL : fb_realloc(NULL, (size_t)n, size);
    if (!p)
        return fb_fail(e, FB_ESYS, "out of memory: %s wants %.3g MB", what,
                       (double)n * (double)size / 1e6);
    const size_t bytes = (size_t)n * size, before = (uintptr_t)p % PAGE;
    fb_parallel((int)((before + bytes + PAGE - 1) / PAGE), zero_page,
                &(block){p - before, p, p + bytes});
    memcpy(pp, &p, sizeof p);
    return FB_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* temporary.c - the temporary files of the program, known by name from the moment they exist, so
 * that a signal can remove them.
 *
 * A file exists before the call that makes it returns: a signal in between would find a file whose
 * name nobody knows. While the list changes signals are therefore noted, not acted upon. Only the
 * main thread makes files, and it alone acts on signals (cli.c). */
#include "memory.h"
#include "process.h"
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct temporary_name {
    struct temporary_name *next;
    char path[];
} temporary_name;

static temporary_name *volatile list; /* the latest first: files before their folder */
static volatile sig_atomic_t changing, noted;

static void begin_change(void)
{
    changing = 1;
    atomic_signal_fence(memory_order_seq_cst);
}

static void end_change(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    changing = 0;
    const int sig = noted;
    noted = 0;
    if (sig)
        raise(sig);
}

static void remove_name(const char *path)
{
    if (unlink(path))
        rmdir(path);
}

static void enter(temporary_name *t, const char *path)
{
    memcpy(t->path, path, strlen(path) + 1);
    t->next = list;
    list = t;
}

int fb_temporaries_remove(int sig)
{
    if (changing && sig) {
        noted = sig;
        return 0;
    }
    for (const temporary_name *t = list; t; t = t->next)
        remove_name(t->path);
    return 1;
}

/* 1: a folder, 0: a file. */
static int make(char *path, int folder)
{
    temporary_name *t = fb_alloc(1, sizeof *t + strlen(path) + 1);
    if (!t)
        return -1;
    begin_change();
    const int made = !folder ? mkstemp(path) : mkdtemp(path) ? 0 : -1;
    if (made >= 0)
        enter(t, path);
    else
        free(t);
    end_change();
    return made;
}

int fb_temporary_file(char *path)
{
    return make(path, 0);
}

int fb_temporary_folder(char *path)
{
    return make(path, 1);
}

int fb_temporary_member(const char *path)
{
    temporary_name *t = fb_alloc(1, sizeof *t + strlen(path) + 1);
    if (!t)
        return -1;
    begin_change();
    enter(t, path);
    end_change();
    return 0;
}

void fb_temporary_remove(const char *path)
{
    remove_name(path);
    fb_temporary_forget(path);
}

void fb_temporary_forget(const char *path)
{
    temporary_name *before = NULL, *t = list;
    begin_change();
    for (; t && strcmp(t->path, path); t = t->next)
        before = t;
    if (t && before)
        before->next = t->next;
    else if (t)
        list = t->next;
    free(t);
    end_change();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* process.h - standard output, child processes, temporary files (process.c). */
#ifndef FB_PROCESS_H
#define FB_PROCESS_H
#include "status.h"
#include <stddef.h>
#include <stdint.h>

/* The real standard output; fd 1 is turned to stderr, because CHOLMOD, XERBLA and ARPACK print
 * on fd 1. -1 once it is closed. */
extern int fb_data_fd;
/* NULL, "-" and the names that the system has for descriptor 1. */
int fb_is_standard_output(const char *path);
/* work(arg) in a child process that prints nothing and may use so many seconds of processor: what
 * it returns (0..253), FB_CRASHED, ENOMEM for a crash where memory lacked, the signal that ended
 * it, negative, or FB_NO_CHILD and errno. errno is zero when work begins. */
enum { FB_NO_CHILD = -1000, FB_CRASHED = 254 };
int fb_in_child(int (*work)(void *arg), void *arg, int64_t seconds) FB_CHECKED;
/* The same in two steps, between which this process does something else: the child, or -1 and
 * errno; and what fb_in_child returns. 0 seconds: as many as it takes. */
int64_t fb_child_start(int (*work)(void *arg), void *arg, int64_t seconds) FB_CHECKED;
int fb_child_end(int64_t child) FB_CHECKED;
/* Zeroed memory that a child shares with this process; NULL where there is none. */
void *fb_shared_new(size_t bytes);
void fb_shared_free(void *p, size_t bytes);
/* Temporary files, which a signal or a crash removes. path ends in XXXXXX, which is replaced; a
 * descriptor, or -1 and errno. Main thread only. */
int fb_temporary_file(char *path) FB_CHECKED;
/* The same for a folder: 0, or -1 and errno. Its files are made known before they are made. */
int fb_temporary_folder(char *path) FB_CHECKED;
int fb_temporary_member(const char *path) FB_CHECKED;
void fb_temporary_remove(const char *path);
/* It is gone, or has its final name. */
void fb_temporary_forget(const char *path);
/* For signal handlers: removes all of them. 0: they are changing, sig is raised again when they
 * have changed; 0 for sig: whatever the state. */
int fb_temporaries_remove(int sig);
#endif

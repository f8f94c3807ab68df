/* SPDX-License-Identifier: GPL-3.0-or-later */
/* status.h - status, messages, and what a tool says besides its data (err.c, log.c). */
#ifndef FB_STATUS_H
#define FB_STATUS_H
#include <stddef.h>
#include <stdint.h>

#if defined __GNUC__
#define FB_CHECKED      __attribute__((warn_unused_result))
#define FB_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define FB_CHECKED
#define FB_PRINTF(a, b)
#endif

/* Values are the exit codes of the tools (flexbody.7); append only. */
typedef enum {
    FB_OK = 0,
    FB_NO = 1,      /* a check said no: a threshold missed, a warning under --strict */
    FB_EUSAGE = 2,  /* bad option or argument                                        */
    FB_EFORMAT = 3, /* input malformed, truncated, too new, not understood           */
    FB_ESOLVE = 4,  /* singular, indefinite, not converged                           */
    FB_ESYS = 5     /* out of memory, disk full, input or output error               */
} fb_status;

typedef struct {
    fb_status status;
    char msg[1024];
} fb_err;

/* Sets the message and returns s. */
fb_status fb_fail(fb_err *e, fb_status s, const char *fmt, ...) FB_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* which then knows that what failed is not FB_OK */
#define fb_fail(e, s, ...) ((void)(fb_fail)((e), (s), __VA_ARGS__), (s))
#endif
/* Puts "fmt: " before the message there is, and returns its status. */
fb_status fb_context(fb_err *e, const char *fmt, ...) FB_PRINTF(2, 3);

/* The status of a call; where the input is to blame, with "fmt: " before its message. */
fb_status fb_within(fb_status s, fb_err *e, const char *fmt, ...) FB_PRINTF(3, 4);

/* Blanks for control characters, of ASCII and of UTF-8: texts of files go to terminals, messages
 * and decks of other programs. */
void fb_plain_text(char *text);

/* Behind a table that an enum numbers: it has a row for each. */
#define FB_ROWS(table, n) \
    _Static_assert(sizeof(table) / sizeof *(table) == (n), "a row for each of " #n)

/* For functions with `fb_status s = FB_OK;` and one label `out:`, where something is freed. */
#define FB_TRY(call) \
    do { \
        if ((s = (call)) != FB_OK) \
            goto out; \
    } while (0)
/* For functions that have nothing to free: a failure is passed on at once. */
#define FB_PASS(call) \
    do { \
        const fb_status fb_passed = (call); \
        if (fb_passed != FB_OK) \
            return fb_passed; \
    } while (0)

/* What a tool says besides its data: warnings (kept for /history) and -v notes. The sink
 * prints; lib/ itself never does. */
typedef struct {
    char **warning; /* [nwarning] */
    int64_t nwarning;
    int verbose; /* notes wanted */
    void (*sink)(void *self, int is_warning, const char *line);
    /* How much of `total` units of `what` is done, 0..1; `what` NULL: a step begins. Called from
     * any thread. NULL: nobody looks. */
    void (*progress)(void *self, const char *what, double done, double total, const char *unit);
    void *self;
} fb_log;

void fb_warn(fb_log *log, const char *fmt, ...) FB_PRINTF(2, 3);
void fb_note(fb_log *log, const char *fmt, ...) FB_PRINTF(2, 3);
/* A step that may take long begins: -v names it. The log may be NULL, for this and the next. */
void fb_step(fb_log *log, const char *fmt, ...) FB_PRINTF(2, 3);
/* How far it is. From loops, as often as they like: without a terminal it costs a branch. */
void fb_progress(fb_log *log, const char *what, double done, double total, const char *unit);
void fb_log_free(fb_log *log);

/* How messages name a dof. "5.1": node and component, or "5" for a dof without component (0). */
typedef struct {
    char s[48];
} fb_dofname;
fb_dofname fb_name_of(int64_t node, int64_t component);
/* Appends " 5.1" to a list that stops at eight names; count is of all so far. */
void fb_name_list(char *list, size_t size, int64_t count, int64_t node, int64_t component);
#endif

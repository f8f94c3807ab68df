/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli_target.h - the body of a tool's fuzz target: its main.c is included (TOOL), the bytes become
 * the arguments, one a line, and the tool runs on small files. What it reads from values of options
 * (lists of dofs, weights, units, frames, ...) is reached this way. Nothing outside a folder of its
 * own is read or written: arguments with '/' are left out. */
#include "scratch.h"
#include "flexbody.h"
#include <fcntl.h>
#include <getopt.h>

int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n);

static fb_tool captured;

static int capture(const fb_tool *t, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    captured = *t;
    return 0;
}

int tool_main(int argc, char **argv);

enum { MAXARG = 48, MAXDEST = 64, MAXBYTES = 4096 };

static union {
    int flag;
    int64_t i;
    double x;
    const char *text;
    fb_list list;
} first_values[MAXDEST];

static size_t dest_size(const fb_opt *o)
{
    return o->kind == FB_FLAG ? sizeof(int) : o->kind == FB_LIST ? sizeof(fb_list) : 8;
}

static void copy_in(const char *to, const char *from)
{
    static uint8_t d[1 << 20];
    FILE *f = fopen(from, "rb");
    if (!f) {
        fprintf(stderr, "%s: wanted in the project's folder\n", from);
        abort();
    }
    size_t n = fread(d, 1, sizeof d, f);
    fclose(f);
    write_scratch(to, d, n);
}

/* Options keep their values in static variables: each run begins with those of the first. */
static void begin(void)
{
    static const char *const files[][2] = {INPUTS};
    static char *none[] = {(char *)"fuzz", NULL};
    char path[128];
    if (!captured.run) {
        tool_main(1, none);
        for (int k = 0; captured.opts[k].name; k++)
            memcpy(first_values + k, captured.opts[k].dest, dest_size(captured.opts + k));
        make_scratch();
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            snprintf(path, sizeof path, "%s/%s", scratch, files[k][0]);
            copy_in(path, files[k][1]);
        }
    }
    for (int k = 0; captured.opts[k].name; k++)
        memcpy(captured.opts[k].dest, first_values + k, dest_size(captured.opts + k));
}

static int arguments(const uint8_t *d, size_t n, char **argv)
{
    static char text[MAXBYTES + 1];
    int argc = 1;
    n = n < MAXBYTES ? n : MAXBYTES;
    memcpy(text, d, n);
    text[n] = 0;
    argv[0] = (char *)"fuzz";
    for (char *p = text, *next; p && argc < MAXARG; p = next) {
        if ((next = strchr(p, '\n')))
            *next++ = 0;
        if (!strchr(p, '/'))
            argv[argc++] = p;
    }
    argv[argc] = NULL;
    return argc;
}

/* Files that options write are named by the target. */
static void name_outputs(void)
{
    for (const fb_opt *o = captured.opts; o->name && !captured.names_inputs; o++)
        if (o->kind == FB_FILE && *(const char **)o->dest)
            *(const char **)o->dest = "side";
}

int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n)
{
    char *argv[MAXARG + 1];
    const char *fixed[] = {FIXED};
    fb_buf line = {0};
    fb_err e = {0};
    int asked = 0, home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    begin();
    if (home < 0 || chdir(scratch))
        abort();
    int argc = arguments(d, n, argv);
    if (fb_options(&captured, argc, argv, &line, &asked, &e) == FB_OK && !asked) {
        fb_put_bytes(&line, "", 1);
        fb_run r = {.file = fixed,
                    .nfile = sizeof fixed / sizeof *fixed,
                    .out = "out",
                    .line = (const char *)line.data};
        if (captured.names_inputs && optind < argc) {
            r.file = (const char **)(argv + optind);
            r.nfile = argc - optind;
        }
        name_outputs();
        if (fb_buf_status(&line, &e) == FB_OK && captured.run(&r, &e) > FB_ESYS)
            abort();
        fb_log_free(&r.log);
        remove_tree("out");
        unlink("side");
    }
    fb_buf_free(&line);
    if (fchdir(home))
        abort();
    close(home);
    return 0;
}

/* Last, so that its names meet none of the above. */
#define main    tool_main
#define fb_main capture
#include TOOL

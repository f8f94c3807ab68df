/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli.h - the command line of a tool (cli.c). */
#ifndef FB_CLI_H
#define FB_CLI_H
#include "bytes.h"
#include "status.h"

typedef enum {
    FB_FLAG,
    FB_INT,
    FB_REAL,
    FB_TEXT,
    FB_FILE,
    FB_OUTPUT, /* a file that is written */
    FB_LIST,
    FB_FILES
} fb_optkind;

typedef struct { /* values of an option that may be given many times */
    const char *v[64];
    int n;
} fb_list;

typedef struct {
    const char *name; /* long name without the dashes */
    char letter;      /* short letter, 0 for none     */
    fb_optkind kind;
    void *dest;      /* int*, int64_t*, double*, const char**, fb_list* */
    const char *arg; /* placeholder, with its unit   */
    double min, max;
    const char *help;
} fb_opt;

/* An option that only some rows of a tool's table know (methods, formats): the row brings it. */
typedef struct {
    const char *name;
    fb_optkind kind;                /* FB_FLAG or FB_TEXT */
    size_t at;                      /* of its destination in the struct of what was asked */
    const char *arg, *help, *words; /* words: what its value can be, for completion; or NULL */
} fb_own;

/* The options of a row, which ends with a zero name (NULL: none), join opts [most], which has n and
 * ends with a zero name; those of a name that is there already do not. The new n. */
int fb_own_add(const fb_own *own, void *asked, fb_opt *opts, int n, int most);
/* Of a row's options the first that is given and that the row chosen has not; NULL: none. */
const char *fb_own_stray(const fb_own *own, const fb_own *chosen, const void *asked);

typedef struct { /* what the value of an option can be; names for completion */
    const char
        *option;       /* without the dashes; "dialect@sid": where the command line says sid, too */
    const char *words; /* between blanks */
} fb_words;

/* What a tool's run function is given. */
typedef struct {
    const char **file; /* [nfile] positional arguments; at least one: "-" by default */
    int nfile;
    const char *out; /* -o, or NULL */
    fb_log log;
    const char *line;   /* tool, version and arguments, for /history */
    const fb_opt *opts; /* the tool's */
    int strict;         /* a warning withholds the output */
} fb_run;

typedef struct {
    const char *name, *summary, *usage;
    const char *example;   /* a command line for --help; NULL: none */
    const fb_opt *opts;    /* ends with a zero name */
    const fb_words *words; /* ends with a zero option; NULL: no option has choices */
    const char *not_mine;  /* behind "unknown option"; NULL: nothing */
    int max_files;
    int names_inputs; /* /history names the files: they are not streams with one of their own */
    int (*data_out)(void); /* does it write binary data, which no terminal wants? NULL: never */
    fb_status (*run)(fb_run *r, fb_err *e);
} fb_tool;

int fb_main(const fb_tool *t, int argc, char **argv);
/* The data_out of a tool that always does. */
int fb_data_always(void);
/* For a program that runs others in processes of its own (batch/): called instead of the tool's
 * run, before standard output is touched. NULL: nobody asks. */
extern fb_status (*fb_run_instead)(const fb_run *r, fb_err *e);
/* The first step of fb_main: fills the destinations of the options and the line for /history
 * (without its end); the files are behind optind. *asked: the letter of an option that only wants
 * information, else left alone. */
fb_status fb_options(const fb_tool *t, int argc, char **argv, fb_buf *line, int *asked,
                     fb_err *e) FB_CHECKED;

/* Words that were not understood (words.c). */
typedef struct {
    const char *word; /* the nearest so far; NULL: none is near */
    int distance;
} fb_guess;

typedef struct { /* a word of other programs, and what says the same here */
    const char *word, *write;
} fb_meant;

int fb_word_distance(const char *a, const char *b);
void fb_nearest(const char *word, const char *known, fb_guess *g);
/* The row of the word, in any case, or NULL; the table ends with a NULL word. */
const char *fb_meaning(const fb_meant *table, const char *word);
/* FB_EUSAGE: the nearest word of an option's, if any, and those known. */
fb_status fb_unknown_word(const char *option, const char *word, const fb_guess *g,
                          const char *known, fb_err *e);
#endif

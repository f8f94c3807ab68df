/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.c - 'mnfparse {} | reduce --cb 18 -o {.}.h5' into programs, words and places. No shell
 * reads it: what only a shell could do is refused, so that nothing is silently left undone. */
#include "bytes.h"
#include "command.h"
#include "memory.h"
#include <string.h>

/* The places, as in GNU parallel: which part of the body's path stands there. */
static const struct {
    const char *text;
    int base, no_ending;
} places[] = {{"{}", 0, 0}, {"{.}", 0, 1}, {"{/}", 1, 0}, {"{/.}", 1, 1}};
enum { NPLACE = sizeof places / sizeof *places };

/* The place at text, or -1. */
static int place_at(const char *text)
{
    for (int k = 0; k < NPLACE; k++)
        if (!strncmp(text, places[k].text, strlen(places[k].text)))
            return k;
    return -1;
}

static void put_place(fb_buf *to, int place, const char *body)
{
    const char *slash = strrchr(body, '/'), *base = slash ? slash + 1 : body;
    const char *from = places[place].base ? base : body, *dot = strrchr(base, '.');
    const size_t n =
        places[place].no_ending && dot && dot > base ? (size_t)(dot - from) : strlen(from);
    fb_put_bytes(to, from, n);
}

static fb_status give(fb_buf *from, char **out, fb_err *e)
{
    fb_put_bytes(from, "", 1);
    fb_status s = fb_buf_status(from, e);
    if (!s)
        s = fb_copy(out, from->data, from->size, 1, "a word of the command", e);
    fb_buf_free(from);
    return s;
}

fb_status fb_word_fill(const char *word, const char *body, char **out, fb_err *e)
{
    fb_buf to = {0};
    while (*word) {
        const int place = place_at(word);
        if (place >= 0)
            put_place(&to, place, body);
        else
            fb_put_bytes(&to, word, 1);
        word += place >= 0 ? strlen(places[place].text) : 1;
    }
    return give(&to, out, e);
}

int fb_words_vary(const fb_words_of *w)
{
    int n = 0;
    for (int k = 0; k < w->n; k++)
        for (const char *p = w->word[k]; (p = strchr(p, '{')) != NULL; p++)
            if (place_at(p) >= 0) {
                n++;
                break;
            }
    return n;
}

/* {name} that is no place would be a file of that name. */
static fb_status check_places(const char *word, fb_err *e)
{
    for (const char *p = word; (p = strchr(p, '{')) != NULL; p++) {
        const size_t n = strcspn(p, "}");
        if (p[n] && place_at(p) < 0)
            return fb_fail(e, FB_EUSAGE,
                           "'%.60s': the places for a body's name are {}, {.} (without its "
                           "ending), {/} (without its folder) and {/.} (without both)",
                           word);
    }
    return FB_OK;
}

static fb_status add_word(fb_words_of *w, fb_buf *word, fb_err *e)
{
    char **more = fb_realloc(w->word, (size_t)w->n + 2, sizeof *more);
    if (!more) {
        fb_buf_free(word);
        return fb_fail(e, FB_ESYS, "out of memory for the command");
    }
    w->word = more;
    w->word[w->n] = w->word[w->n + 1] = NULL;
    FB_PASS(give(word, w->word + w->n, e));
    w->n++;
    return check_places(w->word[w->n - 1], e);
}

/* The letters of one word from *text on, up to a blank or a bar that no quote holds. */
static fb_status read_word(const char **text, fb_buf *word, fb_err *e)
{
    const char *p = *text;
    char quote = 0;
    for (; *p && (quote || !strchr(" \t\n|", *p)); p++) {
        if (*p == quote) {
            quote = 0;
        } else if (!quote && (*p == '\'' || *p == '"')) {
            quote = *p;
        } else if (*p == '\\' && quote != '\'' && p[1] && (!quote || strchr("\"\\$`", p[1]))) {
            fb_put_bytes(word, ++p, 1);
        } else if ((!quote && strchr("<>;&()", *p)) || (quote != '\'' && strchr("$`", *p))) {
            return fb_fail(e, FB_EUSAGE,
                           "no shell reads the command, '%c' means nothing in it: outputs go to "
                           "files by -o, and single quotes make a letter one of a word",
                           *p);
        } else {
            fb_put_bytes(word, p, 1);
        }
    }
    if (quote)
        return fb_fail(e, FB_EUSAGE, "the command ends within a quotation (%c)", quote);
    *text = p;
    return FB_OK;
}

static fb_status read_stage(const char **text, fb_words_of *w, fb_err *e)
{
    for (;;) {
        *text += strspn(*text, " \t\n");
        if (!**text || **text == '|')
            break;
        fb_buf word = {0};
        const fb_status s = read_word(text, &word, e);
        if (s) {
            fb_buf_free(&word);
            return s;
        }
        FB_PASS(add_word(w, &word, e));
    }
    return w->n ? FB_OK
                : fb_fail(e, FB_EUSAGE, "a program is wanted %s in the command",
                          **text ? "before each |" : "behind each |, and one at the least");
}

fb_status fb_command_parse(const char *text, fb_command *c, fb_err *e)
{
    fb_command new = {0};
    fb_status s = FB_OK;
    for (;; text++) {
        if (new.n == FB_STAGES)
            FB_TRY(fb_fail(e, FB_EUSAGE, "more than %d programs in the command", FB_STAGES));
        new.n++; /* what is half read is freed, too */
        FB_TRY(read_stage(&text, new.stage + new.n - 1, e));
        if (!*text)
            break;
    }
    *c = new;
    new = (fb_command){0};
out:
    fb_command_free(&new);
    return s;
}

fb_status fb_command_fill(const fb_command *c, const char *body, fb_command *out, fb_err *e)
{
    fb_command new = {.n = c->n};
    fb_status s = FB_OK;
    for (int k = 0; k < c->n; k++) {
        FB_TRY(fb_new(&new.stage[k].word, c->stage[k].n + 1, sizeof(char *), "words", e));
        for (; new.stage[k].n < c->stage[k].n; new.stage[k].n++)
            FB_TRY(fb_word_fill(c->stage[k].word[new.stage[k].n], body,
                                new.stage[k].word + new.stage[k].n, e));
    }
    *out = new;
    new = (fb_command){0};
out:
    fb_command_free(&new);
    return s;
}

void fb_command_free(fb_command *c)
{
    for (int k = 0; k < c->n; k++) {
        for (int q = 0; q < c->stage[k].n; q++)
            FB_FREE(c->stage[k].word[q]);
        FB_FREE(c->stage[k].word);
    }
    *c = (fb_command){0};
}

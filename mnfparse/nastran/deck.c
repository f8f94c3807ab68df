/* SPDX-License-Identifier: GPL-3.0-or-later */
/* deck.c - walks the lines of a Nastran deck or punch file and hands each to its card. */
#include "memory.h"
#include "nastran.h"
#include "reader.h"
#include <ctype.h>
#include <string.h>

/* Copies the fields: those of a line with tabs do not outlive it. */
static fb_status append(nas_deck *d, const nas_line *l, fb_err *e)
{
    FB_PASS(fb_grow(&d->token, &d->cap_token, d->ntoken + l->n, sizeof *d->token, e));
    for (int k = 0; k < l->n; k++) {
        nas_token *t = d->token + d->ntoken;
        size_t n = (size_t)(l->f[k].end - l->f[k].p);
        if (n >= sizeof t->s)
            return fb_fail(e, FB_EFORMAT,
                           "line %lld: field %d has %zu characters, at most %zu are known",
                           (long long)l->line, k + 2, n, sizeof t->s - 1);
        memcpy(t->s, l->f[k].p, n);
        t->s[n] = 0;
        t->n = (unsigned char)n;
        d->ntoken++;
    }
    return FB_OK;
}

static fb_status close_card(nas_deck *d, fb_err *e)
{
    fb_status s = d->state == NAS_CARD ? nas_card_end(d, e) : FB_OK;
    d->state = NAS_NO_CARD;
    d->ntoken = 0;
    return s;
}

/* Executive and case control ("SPC = 2", "DISPLACEMENT(PLOT) = ALL") end in no card: '=' never
 * stands in the first field of one. */
static int is_card(const nas_line *l)
{
    const char *c = memchr(l->raw.p, ',', (size_t)(l->raw.end - l->raw.p));
    const char *end = c ? c : l->raw.end - l->raw.p > 8 ? l->raw.p + 8 : l->raw.end;
    return memchr(l->raw.p, '=', (size_t)(end - l->raw.p)) == NULL;
}

static int begins(const nas_line *l, const char *word)
{
    const char *p = fb_skip_blanks(l->raw.p, l->raw.end);
    for (; *word; word++, p++)
        if (p == l->raw.end || toupper((unsigned char)*p) != *word)
            return 0;
    return p == l->raw.end || !isalnum((unsigned char)*p);
}

static fb_status behind_the_end(nas_deck *d, nas_text *t, const nas_line *l, fb_err *e)
{
    if (d->ended == 1)
        fb_note(d->log, "%s: line %lld: DMIG cards behind ENDDATA are read, too",
                d->open.name[d->open.n - 1], (long long)l->line);
    d->ended = 2;
    return nas_dmig_begin(d, t, l, e);
}

static fb_status all_lines(nas_deck *d, nas_text *t, fb_err *e);

static fb_status include(nas_deck *d, nas_text *t, const nas_line *l, fb_err *e)
{
    char path[PATH_MAX];
    fb_input in = {0};
    int found = 0;
    fb_status s = nas_include(d, t, l, path, &in, &found, e);
    if (s || !found)
        return s;
    d->open.name[d->open.n++] = path;
    nas_text inner = {.t = fb_lines_of(&in)};
    fb_note(d->log, "%s: INCLUDE '%s'", d->open.name[d->open.n - 2], path);
    s = all_lines(d, &inner, e);
    d->open.n--;
    if (s)
        fb_context(e, "%s", path);
    fb_input_close(&in);
    return s;
}

static fb_status line(nas_deck *d, nas_text *t, const nas_line *l, fb_err *e)
{
    if (l->more) {
        if (d->state == NAS_CARD)
            return append(d, l, e);
        return d->state == NAS_NO_CARD ? FB_OK : nas_dmig_more(d, t, l, e);
    }
    if (*l->raw.p == '=' && d->state != NAS_NO_CARD)
        return fb_fail(e, FB_EFORMAT,
                       "line %lld: '=' repeats the card before it with changes, which is not read: "
                       "write the deck with all cards (ECHO=PUNCH of Nastran does)",
                       (long long)l->line);
    FB_PASS(close_card(d, e));
    if (!strcmp(l->name, NAS_EIGENVECTOR))
        return nas_punch(d, t, e);
    /* Nastran reads no further; matrices that a script has put behind it are meant all the same */
    if (d->ended)
        return strcmp(l->name, "DMIG") ? FB_OK : behind_the_end(d, t, l, e);
    if (begins(l, "INCLUDE"))
        return include(d, t, l, e);
    if (begins(l, "ENDDATA")) {
        d->ended = 1;
        return FB_OK;
    }
    if (begins(l, "BEGIN"))
        return nas_super_begin(d, l, e);
    if (!is_card(l) || nas_super_skips(d, l))
        return FB_OK;
    if (!strcmp(l->name, "DMIG"))
        return nas_dmig_begin(d, t, l, e);
    if (!strcmp(l->name, "DTI") &&
        !(l->n && nas_is(l->f[0], "UNITS"))) /* other tables are not read */
        return FB_OK;
    d->card = nas_card_find(l->name);
    if (d->card < 0)
        return FB_OK;
    memcpy(d->name, l->name, sizeof d->name);
    d->state = NAS_CARD;
    d->line = l->line;
    return append(d, l, e);
}

static fb_status all_lines(nas_deck *d, nas_text *t, fb_err *e)
{
    nas_line l;
    int got = 0;
    fb_status s = FB_OK;
    for (;;) {
        FB_TRY(nas_next(t, &l, &got, e));
        if (!got)
            break;
        fb_meter_at(&t->meter, t->t.p);
        FB_TRY(line(d, t, &l, e));
    }
    s = close_card(d, e); /* a card does not run on into the next file */
out:
    return s;
}

static fb_status read_deck(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    nas_deck *d = NULL;
    nas_text t = {.t = fb_lines_of(in)};
    fb_status s = fb_new(&d, 1, sizeof *d, "deck", e);
    if (s)
        return s;
    fb_meter_start(&t.meter, log, in, 0, 1);
    const int64_t before = p->nn + p->nset + p->norder + p->nmatrix;
    d->parts = p;
    d->log = log;
    d->chosen = p->part;
    p->part = NULL;
    strcpy(d->part, "0");
    nas_points_init(&d->points);
    nas_sink_open(&d->dmi, in->name, in->size, p, log);
    d->open.name[0] = in->name;
    d->open.n = 1;
    FB_TRY(all_lines(d, &t, e));
    FB_TRY(nas_super_end(d, in->name, e));
    FB_TRY(nas_dmi_end(d, e));
    if (d->nbad > 5)
        fb_warn(log, "%s: %lld GRID cards in all are not understood and left out", in->name,
                (long long)d->nbad);
    FB_TRY(nas_points_finish(&d->points, in->name, p, log, e));
    FB_TRY(nas_points_orders(&d->points, in->name, p, e));
    FB_TRY(nas_dmig_finish(&d->dmig, d->points.spoint, d->points.nspoint, in->name, p, log, e));
    FB_TRY(nas_punch_finish(d, in->name, "punch", e));
    if (before == p->nn + p->nset + p->norder + p->nmatrix && !p->body.nm)
        fb_warn(log, "%s: bulk data without points, sets, matrices or modes", in->name);
out:
    nas_points_free(&d->points);
    nas_dmig_free(&d->dmig);
    fb_gather_free(&d->dmi.g);
    fb_modes_free(&d->shapes);
    FB_FREE(d->token, d->super, d);
    return s;
}

/* 0: not bulk data; 1: bulk data; 2: DMIG among it. One card that only Nastran has among the first
 * lines, and nothing that begins like a keyword of another code ("*NODE"). */
static int sniff(const fb_input *in)
{
    static const char *const words[] = {"SOL", "CEND",  "BEGIN", "ENDDATA",
                                        "DTI", "PARAM", "SEBULK"};
    nas_text t = {.t = fb_lines_head(in)};
    nas_line l;
    fb_err e;
    int got = 0, found = 0;
    if (memchr(t.t.p, 0, (size_t)(t.t.end - t.t.p)))
        return 0;
    while (found < 2 && nas_next(&t, &l, &got, &e) == FB_OK && got) {
        if (l.more) {
            if (!found && l.raw.p + 1 < l.raw.end && l.raw.p[0] == '*' &&
                isalpha((unsigned char)l.raw.p[1]))
                return 0;
            continue;
        }
        if (!strcmp(l.name, "DMIG"))
            found = 2;
        else if (!strcmp(l.name, NAS_EIGENVECTOR))
            found = 1;
        else if (!found && is_card(&l) && nas_card_find(l.name) >= 0)
            found = 1;
        for (size_t k = 0; !found && k < sizeof words / sizeof *words; k++)
            found = begins(&l, words[k]);
    }
    return found;
}

static int sniff_bulk(const fb_input *in)
{
    return sniff(in) != 0;
}

static int sniff_dmig(const fb_input *in)
{
    return sniff(in) == 2;
}

const fb_reader fb_reader_bulk = {
    .name = "bulk",
    .doc = "Nastran bulk data, punched eigenvectors",
    .sniff = sniff_bulk,
    .read = read_deck,
};

const fb_reader fb_reader_dmig = {
    .name = "dmig",
    .doc = "Nastran DMIG matrices, bulk data or punch file",
    .sniff = sniff_dmig,
    .read = read_deck,
};

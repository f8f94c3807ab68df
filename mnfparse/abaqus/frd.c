/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frd.c - nodes and modes of a CalculiX result file, .frd in its formatted forms.
 *
 * Layout   line "    2C" with the number of nodes and a format digit (0 short, 1 long, 2 binary);
 *          lines " -1", number in 5 (short) or 10 columns, three values of 12 columns; end " -3".
 *          Columns are fixed: neighbouring numbers can touch.
 * Modes    line "    1PMODE" number, line "  100C" with the frequency in columns 13 to 24, MODAL in
 *          64 to 73 and the format digit; block " -4  DISP", lines " -5", then the nodes as above
 * Limits   six digits; the deck has all of them
 */
#include "text/lines.h"
#include "reader.h"

static int sniff(const fb_input *in)
{
    fb_lines l = fb_lines_of(in);
    return in->size > 8 && fb_starts(l.p, l.end, "    1C");
}

/* The line must have all the columns of a number. */
static fb_status columns(const fb_lines *l, fb_span line, int wide, int64_t *id, double x[3],
                         const char *what, fb_err *e)
{
    int good = line.end - line.p >= 3 + wide + 36 && fb_is_int(fb_columns(line, 3, wide), id);
    for (int k = 0; good && k < 3; k++)
        good = fb_is_real(fb_columns(line, 3 + wide + 12 * k, 12), x + k);
    return good ? FB_OK : fb_line_fail(e, l, l->p, "%s in columns are wanted", what);
}

static fb_status node(fb_lines *l, int wide, fb_parts *p, fb_err *e)
{
    const fb_span line = {l->p, fb_line_end(l->p, l->end)};
    int64_t id = 0;
    double x[3] = {0};
    FB_PASS(columns(l, line, wide, &id, x, "node number and three coordinates", e));
    return fb_parts_node(p, id, x, NULL, e);
}

/* A line of "100C": its columns say value, nodes, kind of analysis and format. */
typedef struct {
    double hz;
    int wide, modal;
} frd_step;

static fb_status step(fb_lines *l, frd_step *t, fb_err *e)
{
    const fb_span line = {l->p, fb_line_end(l->p, l->end)}, kind = fb_columns(line, 63, 10),
                  form = fb_columns(line, 73, 2);
    *t = (frd_step){.modal = fb_starts(kind.p, kind.end, "MODAL")};
    if (!t->modal)
        return FB_OK;
    if (!fb_is_real(fb_columns(line, 12, 12), &t->hz) || form.p == form.end ||
        (*form.p != '0' && *form.p != '1'))
        return fb_line_fail(e, l, l->p,
                            "a frequency and format 0 or 1 are wanted (binary .frd is not read)");
    t->wide = *form.p == '1' ? 10 : 5;
    return FB_OK;
}

/* The values of DISP: three or more a node. */
static fb_status displacements(fb_lines *l, const frd_step *t, int64_t number, fb_modes *x,
                               fb_err *e)
{
    FB_PASS(fb_modes_begin(x, number, t->hz, 0, e));
    for (fb_end_line(l); fb_starts(l->p, l->end, " -5"); fb_end_line(l))
        ;
    for (; fb_starts(l->p, l->end, " -1"); fb_end_line(l)) {
        const fb_span line = {l->p, fb_line_end(l->p, l->end)};
        int64_t id = 0;
        double v[6] = {0};
        FB_PASS(columns(l, line, t->wide, &id, v, "node number and three displacements", e));
        FB_PASS(fb_modes_row(x, id, v, e));
    }
    if (!fb_starts(l->p, l->end, " -3") || x->mode[x->n - 1].first == x->nrow)
        return fb_fail_at(e, l, l->p, "the displacements of mode %lld end early: was the file cut?",
                          (long long)number);
    return FB_OK;
}

static fb_status modes(fb_lines *l, fb_modes *x, fb_err *e)
{
    int64_t number = 0;
    frd_step t = {0};
    for (; l->p < l->end; fb_end_line(l)) {
        const fb_span line = {l->p, fb_line_end(l->p, l->end)};
        if (fb_starts(l->p, l->end, "    1PMODE")) {
            if (!fb_is_int(fb_trim(line.p + 10, line.end), &number))
                return fb_line_fail(e, l, l->p, "the number of a mode is wanted");
        } else if (fb_starts(l->p, l->end, "  100C")) {
            FB_PASS(step(l, &t, e));
        } else if (t.modal && fb_starts(l->p, l->end, " -4  DISP ")) {
            FB_PASS(displacements(l, &t, number ? number : x->n + 1, x, e));
        }
    }
    return FB_OK;
}

static fb_status read_frd(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_lines l = fb_lines_of(in);
    for (; l.p < l.end && !fb_starts(l.p, l.end, "    2C"); fb_end_line(&l))
        ;
    if (l.p >= l.end)
        return fb_fail(e, FB_EFORMAT, "no node block ('    2C')");
    const char *end = fb_line_end(l.p, l.end);
    int64_t had = p->nn, announced = 0;
    const char *q = fb_scan_int(fb_skip_blanks(l.p + 6, end), end, &announced);
    while (end > l.p && (end[-1] == ' ' || end[-1] == '\r'))
        end--;
    if (!q || q >= end || end[-1] < '0' || end[-1] > '1')
        return fb_line_fail(e, &l, l.p,
                            "a node block in format 0 or 1 is wanted (binary .frd is not read)");
    int wide = end[-1] == '1' ? 10 : 5;
    for (fb_end_line(&l); fb_starts(l.p, l.end, " -1"); fb_end_line(&l))
        FB_PASS(node(&l, wide, p, e));
    if (!fb_starts(l.p, l.end, " -3") || p->nn - had != announced)
        return fb_fail_at(e, &l, l.p, "%lld nodes announced, %lld found: was the file cut?",
                          (long long)announced, (long long)(p->nn - had));
    fb_modes x = {0};
    fb_status s = modes(&l, &x, e);
    if (!s && x.n)
        s = fb_modes_body(&x, p, "frd", log, e);
    if (!s)
        fb_note(log, "%s: %lld nodes, %lld modes, six digits", in->name, (long long)announced,
                (long long)x.n);
    fb_modes_free(&x);
    return s;
}

const fb_reader fb_reader_frd = {
    .name = "frd",
    .doc = "CalculiX result file .frd, its nodes and modes",
    .sniff = sniff,
    .read = read_frd,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frd.c - nodes, modes, stress and strain of a CalculiX result file, .frd in its formatted forms.
 *
 * Layout   line "    2C" with the number of nodes and a format digit (0 short, 1 long, 2 binary);
 *          lines " -1", number in 5 (short) or 10 columns, three values of 12 columns; end " -3".
 *          Columns are fixed: neighbouring numbers can touch.
 * Modes    line "    1PMODE" number, line "  100C" with the frequency in columns 13 to 24, MODAL in
 *          64 to 73 and the format digit; block " -4  DISP", lines " -5", then the nodes as above
 * Stress   blocks " -4  STRESS" and " -4  TOSTRAIN" of the same "100C" number (columns 7 to 12):
 *          six values a node, which the lines " -5" name by the tensor's axes in columns 19 to 28
 * Limits   six digits; the deck has all of them
 */
#include "text/lines.h"
#include "reader.h"

static int sniff(const fb_input *in)
{
    fb_lines l = fb_lines_of(in);
    return in->size > 8 && fb_starts(l.p, l.end, "    1C");
}

enum { VALUES = 6 };

/* The line must have all the columns of a number and n values. */
static fb_status columns(const fb_lines *l, fb_span line, int wide, int n, int64_t *id, double *x,
                         const char *what, fb_err *e)
{
    int good = line.end - line.p >= 3 + wide + 12 * n && fb_is_int(fb_columns(line, 3, wide), id);
    for (int k = 0; good && k < n; k++)
        good = fb_is_real(fb_columns(line, 3 + wide + 12 * k, 12), x + k);
    return good ? FB_OK : fb_line_fail(e, l, l->p, "%s in columns are wanted", what);
}

static fb_status node(fb_lines *l, int wide, fb_parts *p, fb_err *e)
{
    const fb_span line = {l->p, fb_line_end(l->p, l->end)};
    int64_t id = 0;
    double x[3] = {0};
    FB_PASS(columns(l, line, wide, 3, &id, x, "node number and three coordinates", e));
    return fb_parts_node(p, id, x, NULL, e);
}

/* A line of "100C": its columns say number, value, nodes, kind of analysis and format. */
typedef struct {
    double hz;
    int64_t id, number; /* of the step's increment; of the mode */
    int wide, modal, still;
    int shown; /* its displacements began a shape of fb_result_begin */
} frd_step;

static fb_status step(fb_lines *l, frd_step *t, fb_err *e)
{
    const fb_span line = {l->p, fb_line_end(l->p, l->end)}, kind = fb_columns(line, 63, 10),
                  form = fb_columns(line, 73, 2);
    const frd_step old = *t;
    int64_t type = -1;
    *t = (frd_step){.number = old.number, .modal = fb_starts(kind.p, kind.end, "MODAL")};
    t->still = kind.p == kind.end && fb_is_int(fb_columns(line, 56, 2), &type) && type == 0;
    if (!t->modal && !t->still)
        return FB_OK;
    if (!fb_is_real(fb_columns(line, 12, 12), &t->hz) || form.p == form.end ||
        (*form.p != '0' && *form.p != '1'))
        return fb_line_fail(e, l, l->p,
                            "a frequency and format 0 or 1 are wanted (binary .frd is not read)");
    if (!fb_is_int(fb_columns(line, 7, 5), &t->id))
        t->id = 0;
    t->wide = *form.p == '1' ? 10 : 5;
    t->shown = old.shown && t->id == old.id;
    return FB_OK;
}
/* The values of DISP: three or more a node. */
static fb_status displacements(fb_lines *l, frd_step *t, int64_t number, fb_modes *x, fb_parts *p,
                               fb_err *e)
{
    const int64_t had = x->nrow;
    int64_t n = 0;
    if (t->modal)
        FB_PASS(fb_modes_begin(x, number, t->hz, 0, e));
    FB_PASS(fb_result_begin(p, number, t->still, e));
    t->shown = 1;
    for (fb_end_line(l); fb_starts(l->p, l->end, " -5"); fb_end_line(l))
        ;
    for (; fb_starts(l->p, l->end, " -1"); fb_end_line(l), n++) {
        const fb_span line = {l->p, fb_line_end(l->p, l->end)};
        int64_t id = 0;
        double v[6] = {0};
        FB_PASS(columns(l, line, t->wide, 3, &id, v, "node number and three displacements", e));
        if (t->modal)
            FB_PASS(fb_modes_row(x, id, v, e));
        FB_PASS(fb_result_row(p, FB_MOVED, id, v, e));
    }
    if (!fb_starts(l->p, l->end, " -3") || !n || (t->modal && x->nrow == had))
        return fb_fail_at(e, l, l->p, "the displacements of %s %lld end early: was the file cut?",
                          t->modal ? "mode" : "step", (long long)number);
    return FB_OK;
}

/* The lines " -5": to[k] is the place of value k among xx yy zz xy xz yz. */
static fb_status tensor(fb_lines *l, int to[VALUES], fb_err *e)
{
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    int n = 0, seen = 0;
    for (fb_end_line(l); fb_starts(l->p, l->end, " -5"); fb_end_line(l), n++) {
        const fb_span line = {l->p, fb_line_end(l->p, l->end)};
        int64_t i = 0, j = 0;
        if (n == VALUES || !fb_is_int(fb_columns(line, 23, 5), &i) ||
            !fb_is_int(fb_columns(line, 28, 5), &j) || i < 1 || i > 3 || j < 1 || j > 3)
            return fb_line_fail(e, l, l->p, "one of the six components of a tensor is wanted");
        to[n] = at[i - 1][j - 1];
        seen |= 1 << to[n];
    }
    return seen == (1 << VALUES) - 1
               ? FB_OK
               : fb_fail_at(e, l, l->p, "the six components of a tensor are wanted before");
}

static fb_status tensors(fb_lines *l, const frd_step *t, fb_result what, fb_parts *p, fb_err *e)
{
    int to[VALUES] = {0};
    FB_PASS(tensor(l, to, e));
    for (; fb_starts(l->p, l->end, " -1"); fb_end_line(l)) {
        const fb_span line = {l->p, fb_line_end(l->p, l->end)};
        int64_t id = 0;
        double x[VALUES] = {0}, v[VALUES] = {0};
        FB_PASS(columns(l, line, t->wide, VALUES, &id, x, "node number and six values", e));
        for (int k = 0; k < VALUES; k++)
            v[to[k]] = x[k];
        FB_PASS(fb_result_row(p, what, id, v, e));
    }
    return fb_starts(l->p, l->end, " -3")
               ? FB_OK
               : fb_fail_at(e, l, l->p, "a block of %s ends early: was the file cut?",
                            what == FB_STRESS ? "stress" : "strain");
}

static fb_status modes(fb_lines *l, fb_modes *x, fb_parts *p, fb_err *e)
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
        } else if ((t.modal || t.still) && fb_starts(l->p, l->end, " -4  DISP ")) {
            FB_PASS(displacements(l, &t, t.modal && number ? number : x->n + 1, x, p, e));
        } else if (t.shown && fb_starts(l->p, l->end, " -4  STRESS ")) {
            FB_PASS(tensors(l, &t, FB_STRESS, p, e));
        } else if (t.shown && fb_starts(l->p, l->end, " -4  TOSTRAIN ")) {
            FB_PASS(tensors(l, &t, FB_STRAIN, p, e));
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
    fb_status s = modes(&l, &x, p, e);
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
    .doc = "CalculiX result file .frd, its nodes, modes and stress",
    .sniff = sniff,
    .read = read_frd,
};

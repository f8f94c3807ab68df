/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frd.c - node coordinates of a CalculiX result file, .frd in its formatted forms.
 *
 * Layout   line "    2C" with the number of nodes and a format digit (0 short, 1 long, 2 binary);
 *          lines " -1", number in 5 (short) or 10 columns, three values of 12 columns; end " -3".
 *          Columns are fixed: neighbouring numbers can touch.
 * Limits   six digits; the deck has all of them
 */
#include "text/lines.h"
#include "reader.h"

static int sniff(const fb_input *in)
{
    fb_lines l = fb_lines_of(in);
    return in->size > 8 && fb_starts(l.p, l.end, "    1C");
}

/* A number in columns [at, at+width) of the line; blanks around it. */
static const char *column(const char *line, const char *end, int at, int width, const char **stop)
{
    if (end - line < at + width)
        return NULL;
    *stop = line + at + width;
    return fb_skip_blanks(line + at, *stop);
}

static fb_status node(fb_lines *l, int wide, fb_parts *p, fb_err *e)
{
    const char *end = fb_line_end(l->p, l->end), *stop = NULL;
    int64_t id = 0;
    double x[3] = {0};
    const char *q = column(l->p, end, 3, wide, &stop), *r = q ? fb_scan_int(q, stop, &id) : NULL;
    int good = r && fb_skip_blanks(r, stop) == stop;
    for (int k = 0; good && k < 3; k++) {
        q = column(l->p, end, 3 + wide + 12 * k, 12, &stop);
        r = q ? fb_scan_real(q, stop, x + k) : NULL;
        good = r && fb_skip_blanks(r, stop) == stop;
    }
    if (!good)
        return fb_line_fail(e, l, l->p, "node number and three coordinates in columns are wanted");
    return fb_parts_node(p, id, x, NULL, e);
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
        return fb_fail(e, FB_EFORMAT,
                       "line %lld: %lld nodes announced, %lld found: was the file cut?",
                       fb_line_number(&l, l.p), (long long)announced, (long long)(p->nn - had));
    else
        fb_note(log, "%s: %lld nodes, six digits", in->name, (long long)announced);
    return FB_OK;
}

const fb_reader fb_reader_frd = {"frd", "CalculiX result file .frd, its nodes", sniff, read_frd};

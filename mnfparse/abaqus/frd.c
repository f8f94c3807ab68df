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

/* The line must have all the columns of a number. */
static fb_status node(fb_lines *l, int wide, fb_parts *p, fb_err *e)
{
    const fb_span line = {l->p, fb_line_end(l->p, l->end)};
    int64_t id = 0;
    double x[3] = {0};
    int good = line.end - line.p >= 3 + wide + 36 && fb_is_int(fb_columns(line, 3, wide), &id);
    for (int k = 0; good && k < 3; k++)
        good = fb_is_real(fb_columns(line, 3 + wide + 12 * k, 12), x + k);
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
        return fb_fail_at(e, &l, l.p, "%lld nodes announced, %lld found: was the file cut?",
                          (long long)announced, (long long)(p->nn - had));
    fb_note(log, "%s: %lld nodes, six digits", in->name, (long long)announced);
    return FB_OK;
}

const fb_reader fb_reader_frd = {"frd", "CalculiX result file .frd, its nodes", sniff, read_frd};

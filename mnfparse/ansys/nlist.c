/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nlist.c - lists of nodes that Ansys prints (NLIST) and writes (NWRITE).
 *
 * NLIST    pages of lines below a heading NODE X Y Z [THXY THYZ THZX], a blank line or the end of
 *          the file ends each; titles stand between them. Few digits; angles have two decimals.
 * NWRITE   no heading; node, x y z, THXY THYZ THZX in columns, (I9,6G21.13E3) or, of old,
 *          (I8,6G20.13); numbers that are zero at the end of a line are left blank
 * Angles   turn the axes of the node (AE.1)
 * Source   Mechanical APDL Command Reference, NLIST, NWRITE */
#include "element.h"
#include "reader.h"
#include "text/lines.h"
#include <math.h>

enum { VALUES = 7 };

static fb_status add(fb_parts *p, const double v[VALUES], int64_t *turned, fb_err *e)
{
    double F[9];
    const int turn = v[4] != 0 || v[5] != 0 || v[6] != 0;
    if (turn)
        ans_axes(v + 4, F);
    *turned += turn;
    return fb_parts_node(p, (int64_t)v[0], v + 1, turn ? F : NULL, e);
}

static int is_number(double x)
{
    return x >= 1 && x < 1e15 && x == floor(x);
}

/* ---- NLIST -------------------------------------------------------------------------------- */

/* Words of a line; at most `most` are kept. */
static int words(fb_span line, fb_span *w, int most)
{
    int n = 0;
    const char *p = fb_skip_blanks(line.p, line.end);
    while (p < line.end) {
        const char *q = p;
        while (q < line.end && *q != ' ' && *q != '\t' && *q != '\r')
            q++;
        if (n < most)
            w[n] = (fb_span){p, q};
        n++;
        p = q;
        while (p < line.end && (*p == ' ' || *p == '\t' || *p == '\r'))
            p++;
    }
    return n;
}

/* How many values the lines below have, 4 or 7; 0: no heading. */
static int heading(fb_span line)
{
    static const char *const name[VALUES] = {"node", "x", "y", "z", "thxy", "thyz", "thzx"};
    fb_span w[VALUES];
    const int n = words(line, w, VALUES);
    if (n != 4 && n != VALUES)
        return 0;
    for (int k = 0; k < n; k++)
        if (!fb_word_is(w[k].p, w[k].end, name[k]))
            return 0;
    return n;
}

/* DSYS of "LIST ALL SELECTED NODES.   DSYS=      0": the system the coordinates are in. */
static int title(fb_span line, int64_t *system)
{
    static const char list[] = "LIST", nodes[] = "NODES", dsys[] = "DSYS=";
    const char *p = fb_skip_blanks(line.p, line.end), *q = p;
    int is = 0;
    *system = 0;
    if (!fb_starts(p, line.end, list))
        return 0;
    for (; q < line.end; q++) {
        is |= fb_starts(q, line.end, nodes);
        if (fb_starts(q, line.end, dsys))
            (void)fb_scan_int(fb_skip_blanks(q + sizeof dsys - 1, line.end), line.end, system);
    }
    return is;
}

static int sniff_nlist(const fb_input *in)
{
    fb_lines l = fb_lines_head(in);
    fb_span line;
    int64_t system;
    while (fb_take_line(&l, &line))
        if (title(line, &system) || heading(line) == VALUES)
            return 1;
    return 0;
}

static fb_status nlist_node(fb_lines *l, fb_span line, int columns, double v[VALUES], fb_err *e)
{
    fb_span w[VALUES];
    memset(v, 0, VALUES * sizeof *v);
    int good = words(line, w, VALUES) == columns;
    for (int k = 0; good && k < columns; k++)
        good = fb_is_real(w[k], v + k);
    return good && is_number(v[0])
               ? FB_OK
               : fb_line_fail(e, l, line.p, "a node, its coordinates%s are wanted",
                              columns == VALUES ? " and three angles" : "");
}

static fb_status read_nlist(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_lines l = fb_lines_of(in);
    fb_span line;
    int64_t had = p->nn, turned = 0, system;
    int columns = 0;
    double v[VALUES];
    while (fb_take_line(&l, &line)) {
        const int head = heading(line);
        if (title(line, &system) && system != 0)
            return fb_line_fail(e, &l, line.p,
                                "coordinates in system %lld: list them in the global one (DSYS,0)",
                                (long long)system);
        if (head || fb_at_line_end(fb_skip_blanks(line.p, line.end), line.end)) {
            columns = head;
            continue;
        }
        if (!columns)
            continue;
        FB_PASS(nlist_node(&l, line, columns, v, e));
        FB_PASS(add(p, v, &turned, e));
    }
    if (p->nn == had)
        return fb_fail(e, FB_EFORMAT, "no nodes below a heading NODE X Y Z");
    if (turned)
        fb_warn(
            log,
            "%s: the axes of %lld nodes are turned by angles of two decimals: a .cdb, an .rst or "
            "NWRITE has them whole",
            fb_base_name(in->name), (long long)turned);
    fb_note(log, "%s: %lld nodes", in->name, (long long)(p->nn - had));
    return FB_OK;
}

const fb_reader fb_reader_ansys_nlist = {
    .name = "ansys_nlist",
    .doc = "Ansys node list of NLIST",
    .sniff = sniff_nlist,
    .read = read_nlist,
};

/* ---- NWRITE ------------------------------------------------------------------------------- */

/* Widths of the columns, those of today first. */
static const struct {
    int number, real;
} form[] = {{9, 21}, {8, 20}};
enum { NFORM = sizeof form / sizeof *form };

/* 0: the line is none of form k. *point: some value has a decimal point. */
static int in_columns(fb_span line, int k, double v[VALUES], int *point)
{
    const int64_t length = fb_trim_end(line.p, line.end) - line.p;
    int64_t id;
    memset(v, 0, VALUES * sizeof *v);
    if (length < form[k].number || line.p[form[k].number - 1] == ' ' ||
        length > form[k].number + 6 * form[k].real ||
        !fb_is_int(fb_columns(line, 0, form[k].number), &id) || id < 1)
        return 0;
    v[0] = (double)id;
    for (int q = 0; q < 6; q++) {
        const fb_span w = fb_columns(line, form[k].number + q * form[k].real, form[k].real);
        if (w.p == w.end)
            continue;
        if (!fb_is_real(w, v + 1 + q))
            return 0;
        *point |= memchr(w.p, '.', (size_t)(w.end - w.p)) != NULL;
    }
    return 1;
}

static int is_empty(fb_span line)
{
    return fb_at_line_end(fb_skip_blanks(line.p, line.end), line.end);
}

/* The form of the lines at the begin, or -1; one that ends with the text may be cut. */
static int form_of(fb_lines l)
{
    for (int k = 0; k < NFORM; k++) {
        fb_lines t = l;
        fb_span line;
        double v[VALUES];
        int point = 0, good = 1, n = 0;
        while (good && n < 100 && fb_take_line(&t, &line) && (line.end < l.end || !n)) {
            good = is_empty(line) || in_columns(line, k, v, &point);
            n++;
        }
        if (good && point)
            return k;
    }
    return -1;
}

static int sniff_nwrite(const fb_input *in)
{
    return form_of(fb_lines_head(in)) >= 0;
}

static fb_status read_nwrite(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_lines l = fb_lines_of(in);
    const int k = form_of(l);
    fb_span line;
    int64_t had = p->nn, turned = 0;
    double v[VALUES];
    int point = 0;
    if (k < 0)
        return fb_fail(e, FB_EFORMAT,
                       "lines of a node, three coordinates and three angles in columns "
                       "(I9,6G21.13E3) are wanted, as NWRITE writes them");
    while (fb_take_line(&l, &line)) {
        if (is_empty(line))
            continue;
        if (!in_columns(line, k, v, &point))
            return fb_line_fail(e, &l, line.p, "a node, x, y, z and angles in columns of %d and %d",
                                form[k].number, form[k].real);
        FB_PASS(add(p, v, &turned, e));
    }
    fb_note(log, "%s: %lld nodes, %lld with axes of their own", in->name, (long long)(p->nn - had),
            (long long)turned);
    return FB_OK;
}

const fb_reader fb_reader_ansys_nwrite = {
    .name = "ansys_nwrite",
    .doc = "Ansys node file of NWRITE",
    .sniff = sniff_nwrite,
    .read = read_nwrite,
};

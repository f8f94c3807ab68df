/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dmi.c - DMI cards: matrices by rows and columns, without names of dofs.
 *
 * Header   DMI NAME 0 FORM TIN TOUT - M N
 * Column   DMI NAME J I A(I,J) A(I+1,J) ... I2 A(I2,J) ...   an integer is a row, the reals behind
 *          it follow each other down the column; A THRU I2 repeats A; complex: pairs
 * Beware   A short line may end in its continuation mark: '*' stands in the field behind.
 * Law      Symmetric matrices (form 6) have both halves. Columns follow the header of their
 *          matrix. */
#include "nastran.h"

/* A row number is an integer, without point or exponent; values are never. */
static int is_row(const nas_deck *d, int64_t k, int64_t *row)
{
    return nas_int(nas_field_at(d, k), row);
}

static int is_empty(fb_span f)
{
    return nas_blank(f) || (f.end - f.p == 1 && (*f.p == '*' || *f.p == '+'));
}

static fb_status bad(const nas_deck *d, int64_t k, const char *wanted, fb_err *e)
{
    const fb_span f = nas_field_at(d, k);
    return fb_fail(e, FB_EFORMAT, "field %lld is '%.*s', %s is wanted", (long long)k + 2,
                   (int)(f.end - f.p), f.p, wanted);
}

static int name_is(const nas_deck *d, const char *name)
{
    char own[17];
    const fb_span f = nas_field_at(d, 0);
    nas_name(own, sizeof own, (const unsigned char *)f.p, (size_t)(f.end - f.p));
    return !strcmp(own, name);
}

fb_status nas_dmi_end(nas_deck *d, fb_err *e)
{
    if (!d->dmi_open)
        return FB_OK;
    d->dmi_open = 0;
    return nas_sink_end(&d->dmi, e);
}

static fb_status header(nas_deck *d, fb_err *e)
{
    int64_t v[6] = {0}; /* form, TIN, TOUT, -, M, N */
    nas_head *h = &d->dmi.h;
    const fb_span name = nas_field_at(d, 0);
    FB_PASS(nas_dmi_end(d, e));
    for (int k = 0; k < 6; k++)
        if (!nas_blank(nas_field_at(d, 2 + k)) && !nas_int(nas_field_at(d, 2 + k), v + k))
            return bad(d, 2 + k, "an integer", e);
    *h = (nas_head){.ncol = v[5], .nrow = v[4], .form = v[0], .type = v[1], .words = 1};
    nas_name(h->name, sizeof h->name, (const unsigned char *)name.p, (size_t)(name.end - name.p));
    if (h->form != 1 && h->form != 2 && h->form != 6) {
        fb_warn(d->log, "%s: line %lld: DMI %s has form %lld; 1, 2 and 6 are read",
                d->open.name[d->open.n - 1], (long long)d->line, h->name, (long long)h->form);
        return FB_OK;
    }
    FB_PASS(nas_sink_begin(&d->dmi, e));
    d->dmi_open = 1;
    return FB_OK;
}

/* Value v at the row, which moves on. */
static fb_status put(nas_deck *d, int64_t *row, const double v[2], fb_err *e)
{
    const int64_t step = d->dmi.g.complex ? 2 : 1;
    int64_t reals;
    FB_PASS(nas_sink_string(&d->dmi, *row, step, &reals, e));
    return nas_sink_values(&d->dmi, (*row)++, v, reals, e);
}

static fb_status column(nas_deck *d, fb_err *e)
{
    const int complex = d->dmi.g.complex;
    int64_t row = 0, last, j;
    double v[2] = {0};
    int some = 0; /* v stands at row - 1 */
    if (!is_row(d, 1, &j))
        return bad(d, 1, "the number of a column", e);
    FB_PASS(nas_sink_column(&d->dmi, j, e));
    for (int64_t k = 2; k < d->ntoken; k++) {
        if (is_empty(nas_field_at(d, k)))
            continue;
        if (some && nas_is(nas_field_at(d, k), "THRU")) {
            if (!is_row(d, ++k, &last) || last < row || last > d->dmi.h.nrow)
                return bad(d, k, "the last row of a range, at most that of the matrix,", e);
            while (row <= last)
                FB_PASS(put(d, &row, v, e));
            some = 0;
        } else if (is_row(d, k, &row)) {
            some = 0;
        } else {
            if (row == 0 || !fb_is_real(nas_field_at(d, k), v))
                return bad(d, k, row ? "a real number" : "the number of a row", e);
            if (complex && !fb_is_real(nas_field_at(d, ++k), v + 1))
                return bad(d, k, "the imaginary part, a real number,", e);
            FB_PASS(put(d, &row, v, e));
            some = 1;
        }
    }
    return FB_OK;
}

fb_status nas_dmi(nas_deck *d, fb_err *e)
{
    int64_t j = -1;
    if (is_row(d, 1, &j) && j == 0)
        return header(d, e);
    if (name_is(d, d->dmi.h.name))
        return d->dmi_open ? column(d, e) : FB_OK;
    return fb_fail(e, FB_EFORMAT, "a column of '%.*s', which does not follow its header",
                   (int)(nas_field_at(d, 0).end - nas_field_at(d, 0).p), nas_field_at(d, 0).p);
}

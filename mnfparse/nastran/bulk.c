/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bulk.c - the cards of bulk data that say where points are and what sets they form; elements are
 * in elements.c, what ties dofs in ties.c. Properties, loads and the rest are passed over: the
 * matrices hold what they say.
 *
 * Token k of a card is what the manuals call field k + 2 (its name is field 1), continuation marks
 * left out. */
#include "nastran.h"
#include <math.h>
#include <string.h>

/* ---- fields of the card ----------------------------------------------------------------- */

static const char *text(const nas_deck *d, int64_t k)
{
    return k < d->ntoken ? d->token[k].s : "";
}

static fb_status bad(const nas_deck *d, int64_t k, const char *wanted, fb_err *e)
{
    fb_span f = nas_field_at(d, k);
    return fb_fail(e, FB_EFORMAT, "field %lld is '%.*s', %s is wanted", (long long)k + 2,
                   (int)(f.end - f.p), f.p, wanted);
}

static fb_status integer(const nas_deck *d, int64_t k, int64_t *v, fb_err *e)
{
    return nas_int(nas_field_at(d, k), v) ? FB_OK : bad(d, k, "an integer", e);
}

static fb_status integer_or(const nas_deck *d, int64_t k, int64_t otherwise, int64_t *v, fb_err *e)
{
    *v = otherwise;
    return nas_blank(nas_field_at(d, k)) ? FB_OK : integer(d, k, v, e);
}

static fb_status real_or_0(const nas_deck *d, int64_t k, double *v, fb_err *e)
{
    *v = 0;
    return nas_blank(nas_field_at(d, k)) || fb_is_real(nas_field_at(d, k), v)
               ? FB_OK
               : bad(d, k, "a real number", e);
}

/* The point at token *k, or the points "first THRU last", whose last token *k then is: 1. */
static fb_status points(const nas_deck *d, int64_t *k, int64_t *first, int64_t *last, int *thru,
                        fb_err *e)
{
    FB_PASS(integer(d, *k, first, e));
    *last = *first;
    *thru = nas_is(nas_field_at(d, *k + 1), "THRU");
    *k += *thru ? 2 : 0;
    return *thru ? integer(d, *k, last, e) : FB_OK;
}

/* The same, each to be there. */
static fb_status all_points(const nas_deck *d, int64_t *k, int64_t *first, int64_t *last, int *thru,
                            fb_err *e)
{
    FB_PASS(points(d, k, first, last, thru, e));
    if (*last < *first || *last - *first > 1000000)
        return bad(d, *k, "the end of a range of at most 1000000 points", e);
    return FB_OK;
}

/* ---- cards ------------------------------------------------------------------------------ */

static fb_status grid(nas_deck *d, fb_err *e)
{
    nas_grid g = {0};
    FB_PASS(integer(d, 0, &g.id, e));
    FB_PASS(integer_or(d, 1, NAS_UNSET, &g.cp, e));
    for (int k = 0; k < 3; k++)
        FB_PASS(real_or_0(d, 2 + k, g.x + k, e));
    FB_PASS(integer_or(d, 5, NAS_UNSET, &g.cd, e));
    FB_PASS(nas_components(d, 6, g.ps, e));
    return nas_points_grid(&d->points, &g, e);
}

static fb_status grdset(nas_deck *d, fb_err *e)
{
    FB_PASS(integer_or(d, 1, NAS_UNSET, &d->points.set_cp, e));
    FB_PASS(integer_or(d, 5, NAS_UNSET, &d->points.set_cd, e));
    return nas_components(d, 6, d->points.set_ps, e);
}

static fb_status cord1(nas_deck *d, fb_err *e) /* CID G1 G2 G3, twice */
{
    for (int64_t k = 0; k < 8 && (k == 0 || !nas_blank(nas_field_at(d, k))); k += 4) {
        nas_system y = {.kind = d->which, .by_grids = 1};
        FB_PASS(integer(d, k, &y.id, e));
        for (int q = 0; q < 3; q++)
            FB_PASS(integer(d, k + 1 + q, y.g + q, e));
        FB_PASS(nas_points_system(&d->points, &y, e));
    }
    return FB_OK;
}

static fb_status cord2(nas_deck *d, fb_err *e) /* CID RID A1 A2 A3 B1 B2 B3 / C1 C2 C3 */
{
    nas_system y = {.kind = d->which};
    FB_PASS(integer(d, 0, &y.id, e));
    FB_PASS(integer_or(d, 1, 0, &y.rid, e));
    for (int k = 0; k < 9; k++)
        FB_PASS(real_or_0(d, 2 + k, y.abc + k, e));
    return nas_points_system(&d->points, &y, e);
}

static fb_status spoint(nas_deck *d, fb_err *e) /* ids, or first THRU last */
{
    for (int64_t k = 0; k < d->ntoken; k++) {
        int64_t first, last;
        int thru;
        if (nas_blank(nas_field_at(d, k)))
            continue;
        FB_PASS(points(d, &k, &first, &last, &thru, e));
        FB_PASS(nas_points_spoints(&d->points, first, last, e));
    }
    return FB_OK;
}

/* ID C at the fields first, first + step, ... */
static fb_status pairs(nas_deck *d, int64_t first, int64_t step, fb_err *e)
{
    for (int64_t k = first; k < d->ntoken; k += step) {
        int64_t id;
        char c[7];
        if (nas_blank(nas_field_at(d, k)))
            continue;
        FB_PASS(integer(d, k, &id, e));
        FB_PASS(nas_components(d, k + 1, c, e));
        FB_PASS(nas_points_row(d->points.set + d->which, id, c, e));
    }
    return FB_OK;
}

static fb_status set_pairs(nas_deck *d, fb_err *e) /* ID C, ... */
{
    return pairs(d, 0, 2, e);
}

static fb_status set_list(nas_deck *d,
                          fb_err *e) /* C ID ID ..., or C ID THRU ID; SPC1: SID C ... */
{
    const int64_t at = d->which == NAS_SPC;
    char c[7];
    FB_PASS(nas_components(d, at, c, e));
    for (int64_t k = at + 1; k < d->ntoken; k++) {
        int64_t first, last;
        int thru;
        if (nas_blank(nas_field_at(d, k)))
            continue;
        FB_PASS(points(d, &k, &first, &last, &thru, e));
        FB_PASS(thru ? nas_points_set_range(&d->points, d->which, first, last, c, e)
                     : nas_points_row(d->points.set + d->which, first, c, e));
    }
    return FB_OK;
}

static fb_status spc(nas_deck *d, fb_err *e) /* SID G C D G C D; values D other than 0 hold, too */
{
    return pairs(d, 1, 3, e);
}

/* ID C, ...; the row order of the matrices of an external superelement. "ID1 THRU ID2 C". */
static fb_status extrn(nas_deck *d, fb_err *e)
{
    for (int64_t k = 0; k < d->ntoken; k += 2) {
        int64_t first, last;
        int thru;
        char c[7];
        if (nas_blank(nas_field_at(d, k)))
            continue;
        FB_PASS(all_points(d, &k, &first, &last, &thru, e));
        FB_PASS(nas_components(d, k + 1, c, e));
        for (int64_t id = first; id <= last; id++)
            FB_PASS(nas_points_row(&d->points.extrn, id, c, e));
    }
    return FB_OK;
}

/* SEID ... / A B, A B, ... or A1 THRU A2 B1 THRU B2: the points A of the superelement. */
static fb_status seconct(nas_deck *d, fb_err *e)
{
    for (int64_t k = 8; k < d->ntoken; k += 2) {
        int64_t first, last;
        int thru;
        if (nas_blank(nas_field_at(d, k)))
            continue;
        FB_PASS(all_points(d, &k, &first, &last, &thru, e));
        k += thru ? 2 : 0;
        for (int64_t id = first; id <= last; id++)
            FB_PASS(nas_points_row(&d->points.conct, id, "0", e));
    }
    return FB_OK;
}

static fb_status seqgp(nas_deck *d, fb_err *e) /* ID SEQID, ...; SEQID 15.6: behind point 15 */
{
    for (int64_t k = 0; k < d->ntoken; k += 2) {
        int64_t id;
        double at;
        if (nas_blank(nas_field_at(d, k)))
            continue;
        FB_PASS(integer(d, k, &id, e));
        if (!fb_is_real(nas_field_at(d, k + 1), &at))
            return bad(d, k + 1, "a place in the sequence of points", e);
        FB_PASS(nas_points_place(&d->points, id, at, e));
    }
    return FB_OK;
}

static fb_status conm2(nas_deck *d, fb_err *e) /* EID G CID M */
{
    double m;
    FB_PASS(real_or_0(d, 3, &m, e));
    d->points.nmass++;
    d->points.mass += m;
    return FB_OK;
}

/* UNITS 1 MASS FORCE LENGTH TIME. Matrices are in a system in which force is mass length / time^2:
 * names that are none (KG, N, MM, S with WTMASS 0.001) say nothing about them. */
static fb_status dti_units(nas_deck *d, fb_err *e)
{
    static const char *const word[][2] = {
        /* Nastran's, where they are not ours */
        {"KG", "kg"},     {"LBM", "lbm"}, {"SLUG", "slug"},     {"GRAM", "g"},       {"OZM", "ozm"},
        {"KLBM", "klbm"}, {"MGG", "Mg"},  {"SLINCH", "slinch"}, {"USTON", "us_ton"}, {"N", "N"},
        {"LBF", "lbf"},   {"KGF", "kgf"}, {"OZF", "ozf"},       {"DYNE", "dyne"},    {"KN", "kN"},
        {"KLBF", "klbf"}, {"MN", "mN"},   {"KM", "km"},         {"M", "m"},          {"CM", "cm"},
        {"MM", "mm"},     {"MI", "mi"},   {"FT", "ft"},         {"IN", "in"},        {"UM", "um"},
        {"NM", "nm"},     {"YD", "yd"},   {"H", "h"},           {"MIN", "min"},      {"S", "s"},
        {"MS", "ms"},     {"US", "us"},   {"NS", "ns"}};
    static const fb_unitkind order[FB_NUNIT] = {FB_MASS, FB_FORCE, FB_LENGTH, FB_TIME};
    fb_units u = {0}, *own = &d->parts->body.units;
    (void)e;
    for (int k = 0; k < FB_NUNIT; k++)
        for (size_t q = 0; q < sizeof word / sizeof *word && !(u.factor[order[k]] > 0); q++)
            if (nas_is(nas_field_at(d, 2 + k), word[q][0]))
                (void)fb_units_set(&u, order[k], word[q][1]);
    const double *f = u.factor,
                 force = f[FB_TIME] > 0 ? f[FB_MASS] * f[FB_LENGTH] / (f[FB_TIME] * f[FB_TIME]) : 0;
    if (!(force > 0) || fabs(f[FB_FORCE] / force - 1) > 1e-6)
        fb_warn(d->log,
                "%s: line %lld: DTI,UNITS: %s, %s, %s, %s are no consistent system of known units: "
                "the matrices' units are not known by them; --input-units names them",
                d->open.name[d->open.n - 1], (long long)d->line, text(d, 2), text(d, 3), text(d, 4),
                text(d, 5));
    else if (own->factor[FB_MASS] > 0 && memcmp(own->factor, u.factor, sizeof u.factor))
        fb_warn(d->log,
                "%s: line %lld: DTI,UNITS names other units than the input before it: they are not "
                "taken",
                d->open.name[d->open.n - 1], (long long)d->line);
    else
        *own = u;
    return FB_OK;
}

static const struct {
    const char *name;
    fb_status (*read)(nas_deck *d, fb_err *e);
    int which;
} cards[] = {
    {"GRID", grid, 0},
    {"GRDSET", grdset, 0},
    {"CORD1R", cord1, 1},
    {"CORD1C", cord1, 2},
    {"CORD1S", cord1, 3},
    {"CORD2R", cord2, 1},
    {"CORD2C", cord2, 2},
    {"CORD2S", cord2, 3},
    {"SPOINT", spoint, 0},
    {"EXTRN", extrn, 0},
    {"SECONCT", seconct, 0},
    {"CONM2", conm2, 0},
    {"DTI", dti_units, 0},
    {"DMI", nas_dmi, 0},
    {"ASET", set_pairs, NAS_ASET},
    {"ASET1", set_list, NAS_ASET},
    {"BSET", set_pairs, NAS_BSET},
    {"BSET1", set_list, NAS_BSET},
    {"CSET", set_pairs, NAS_CSET},
    {"CSET1", set_list, NAS_CSET},
    {"QSET", set_pairs, NAS_QSET},
    {"QSET1", set_list, NAS_QSET},
    {"OMIT", set_pairs, NAS_OSET},
    {"OMIT1", set_list, NAS_OSET},
    {"SUPORT", set_pairs, NAS_RSET},
    {"BNDFIX", set_pairs, NAS_BSET}, /* other names of BSET and CSET */
    {"BNDFIX1", set_list, NAS_BSET},
    {"BNDFREE", set_pairs, NAS_CSET},
    {"BNDFREE1", set_list, NAS_CSET},
    {"SEQGP", seqgp, 0},
    {"SPC", spc, NAS_SPC},
    {"SPC1", set_list, NAS_SPC},
    {"CHEXA", nas_element, NAS_HEXA},
    {"CPENTA", nas_element, NAS_PENTA},
    {"CTETRA", nas_element, NAS_TETRA},
    {"CPYRAM", nas_element, NAS_PYRAM},
    {"CPYRA", nas_element, NAS_PYRAM},
    {"CQUAD4", nas_element, NAS_QUAD4},
    {"CQUADR", nas_element, NAS_QUAD4},
    {"CSHEAR", nas_element, NAS_QUAD4},
    {"CQUAD8", nas_element, NAS_QUAD8},
    {"CQUAD", nas_element, NAS_QUAD9},
    {"CTRIA3", nas_element, NAS_TRIA3},
    {"CTRIAR", nas_element, NAS_TRIA3},
    {"CTRIA6", nas_element, NAS_TRIA6},
    {"CBAR", nas_element, NAS_LINE},
    {"CBEAM", nas_element, NAS_LINE},
    {"CBEND", nas_element, NAS_LINE},
    {"CROD", nas_element, NAS_LINE},
    {"CTUBE", nas_element, NAS_LINE},
    {"CBUSH", nas_element, NAS_LINE},
    {"CGAP", nas_element, NAS_LINE},
    {"CVISC", nas_element, NAS_LINE},
    {"CONROD", nas_element, NAS_LINE1},
    {"PLOTEL", nas_element, NAS_LINE1},
    {"RBAR", nas_ties, NAS_LINE1},
    {"RROD", nas_ties, NAS_LINE1},
    {"CELAS1", nas_element, NAS_SPRING},
    {"CELAS2", nas_element, NAS_SPRING},
    {"CDAMP1", nas_element, NAS_SPRING},
    {"CDAMP2", nas_element, NAS_SPRING},
    {"RBE2", nas_ties, NAS_RBE2},
    {"RBE3", nas_ties, NAS_RBE3},
    {"RBE1", nas_ties, NAS_NOT_DRAWN},
    {"MPC", nas_ties, 0},
    {"CTRIAX6", nas_element, NAS_NOT_DRAWN},
    {"CTRIAX", nas_element, NAS_NOT_DRAWN},
    {"CQUADX", nas_element, NAS_NOT_DRAWN},
};

int nas_card_find(const char *name)
{
    for (int k = 0; k < (int)(sizeof cards / sizeof *cards); k++)
        if (!strcmp(cards[k].name, name))
            return k;
    return -1;
}

fb_status nas_card_end(nas_deck *d, fb_err *e)
{
    d->which = cards[d->card].which;
    fb_status s = cards[d->card].read(d, e);
    if (s != FB_EFORMAT)
        return s;
    fb_context(e, "line %lld: %s", (long long)d->line, cards[d->card].name);
    if (cards[d->card].read != grid)
        return s;
    /* A point without a position leaves the matrices as they are; who needs it will miss it. */
    if (d->nbad++ < 5)
        fb_warn(d->log, "%s: %s; this point is left out", d->open.name[d->open.n - 1], e->msg);
    return FB_OK;
}

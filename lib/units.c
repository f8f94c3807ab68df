/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units.c - unit names, their factors to SI, and unit texts from exponents. */
#include "status.h"
#include "units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct {
    fb_unitkind kind;
    const char *symbol, *adams; /* the short name; Adams' spelling (seen: the first of each kind) */
    double factor;              /* to SI */
} unit;

/* Adams' list of units (Adams View, units dialogue). Inch, foot, pound and the standard gravity
 * 9.80665 m/s^2 are exact by definition; slug and slinch are lbf s^2/ft and lbf s^2/in. */
#define LBM 0.45359237
#define LBF (0.45359237 * 9.80665)
static const unit table[] = {
    {FB_MASS, "kg", "KILOGRAM", 1},
    {FB_MASS, "g", "GRAM", 1e-3},
    {FB_MASS, "mg", "MILLIGRAM", 1e-6},
    {FB_MASS, "t", "TONNE", 1e3},
    {FB_MASS, "Mg", "MEGAGRAM", 1e3},
    {FB_MASS, "lbm", "POUND_MASS", LBM},
    {FB_MASS, "klbm", "KPOUND_MASS", 1e3 * LBM},
    {FB_MASS, "ozm", "OUNCE_MASS", LBM / 16},
    {FB_MASS, "slug", "SLUG", LBF / 0.3048},
    {FB_MASS, "slinch", "SLINCH", LBF / 0.0254},
    {FB_MASS, "us_ton", "US_TON", 2000 * LBM},
    {FB_LENGTH, "m", "METER", 1},
    {FB_LENGTH, "mm", "MILLIMETER", 1e-3},
    {FB_LENGTH, "cm", "CENTIMETER", 1e-2},
    {FB_LENGTH, "km", "KILOMETER", 1e3},
    {FB_LENGTH, "um", "MICROMETER", 1e-6},
    {FB_LENGTH, "nm", "NANOMETER", 1e-9},
    {FB_LENGTH, "in", "INCH", 0.0254},
    {FB_LENGTH, "ft", "FOOT", 0.3048},
    {FB_LENGTH, "yd", "YARD", 0.9144},
    {FB_LENGTH, "mi", "MILE", 1609.344},
    {FB_TIME, "s", "SECOND", 1},
    {FB_TIME, "ms", "MILLISECOND", 1e-3},
    {FB_TIME, "us", "MICROSECOND", 1e-6},
    {FB_TIME, "ns", "NANOSECOND", 1e-9},
    {FB_TIME, "min", "MINUTE", 60},
    {FB_TIME, "h", "HOUR", 3600},
    {FB_FORCE, "N", "NEWTON", 1},
    {FB_FORCE, "kN", "KNEWTON", 1e3},
    {FB_FORCE, "mN", "MILLINEWTON", 1e-3},
    {FB_FORCE, "MN", "MEGANEWTON", 1e6},
    {FB_FORCE, "lbf", "POUND_FORCE", LBF},
    {FB_FORCE, "klbf", "KPOUND_FORCE", 1e3 * LBF},
    {FB_FORCE, "ozf", "OUNCE_FORCE", LBF / 16},
    {FB_FORCE, "kgf", "KG_FORCE", 9.80665},
    {FB_FORCE, "dyne", "DYNE", 1e-5},
};
enum { NUNITS = sizeof table / sizeof *table };

/* Consistent systems: force = mass length / time^2. */
static const struct {
    const char *name, *unit[FB_NUNIT];
} systems[] = {
    {"SI", {"kg", "m", "s", "N"}},
    {"m-kg-s", {"kg", "m", "s", "N"}},
    {"mm-t-s", {"t", "mm", "s", "N"}},
    {"mm-kg-ms", {"kg", "mm", "ms", "kN"}},
    {"mm-g-ms", {"g", "mm", "ms", "N"}},
    {"cm-g-s", {"g", "cm", "s", "dyne"}},
    {"in-lbf-s", {"slinch", "in", "s", "lbf"}},
    {"ft-lbf-s", {"slug", "ft", "s", "lbf"}},
};
enum { NSYSTEMS = sizeof systems / sizeof *systems };

const char *const fb_unit_kinds[] = {"mass", "length", "time", "force"};
FB_ROWS(fb_unit_kinds, FB_NUNIT);

fb_unitlist fb_units_list(const fb_units *u)
{
    fb_unitlist l;
    snprintf(l.s, sizeof l.s, "%s, %s, %s, %s", u->name[FB_MASS], u->name[FB_LENGTH],
             u->name[FB_TIME], u->name[FB_FORCE]);
    return l;
}

void fb_units_unnamed(fb_units *u)
{
    *u = (fb_units){0};
    for (int k = 0; k < FB_NUNIT; k++)
        snprintf(u->name[k], sizeof u->name[k], "%s", fb_unit_kinds[k]);
}

int fb_units_set(fb_units *u, fb_unitkind k, const char *spelling)
{
    /* "mN" and "MN", "mg" and "Mg" differ by case alone: symbols are compared exactly, the long
     * names without case. */
    for (int q = 0; q < NUNITS; q++)
        if (table[q].kind == k &&
            (!strcmp(table[q].symbol, spelling) || !strcasecmp(table[q].adams, spelling))) {
            snprintf(u->name[k], sizeof u->name[k], "%s", table[q].symbol);
            u->factor[k] = table[q].factor;
            return 1;
        }
    snprintf(u->name[k], sizeof u->name[k], "%.23s", spelling);
    u->factor[k] = 0;
    return 0;
}

int fb_units_of(fb_units *u, const double factor[FB_NUNIT])
{
    *u = (fb_units){0};
    for (int k = 0; k < FB_NUNIT; k++) {
        int q = 0;
        while (q < NUNITS && !(table[q].kind == (fb_unitkind)k &&
                               fabs(table[q].factor - factor[k]) <= 1e-12 * table[q].factor))
            q++;
        if (q == NUNITS)
            return 0;
        (void)fb_units_set(u, (fb_unitkind)k, table[q].symbol);
    }
    return 1;
}

/* With their forces, by which users of an FE program know theirs. */
static void list_systems(char *list, size_t n, const char *between, int forces)
{
    for (int q = 0; q < NSYSTEMS; q++)
        snprintf(list + strlen(list), n - strlen(list), forces ? "%s%s (%s)" : "%s%s",
                 q ? between : "", systems[q].name, systems[q].unit[FB_FORCE]);
}

fb_status fb_units_system(fb_units *u, const char *name, fb_err *e)
{
    for (int q = 0; q < NSYSTEMS; q++)
        if (!strcasecmp(systems[q].name, name)) {
            *u = (fb_units){0};
            for (int k = 0; k < FB_NUNIT; k++)
                (void)fb_units_set(u, (fb_unitkind)k, systems[q].unit[k]);
            return FB_OK;
        }
    char list[256] = "";
    list_systems(list, sizeof list, ", ", 1);
    return fb_fail(e, FB_EUSAGE, "unknown unit system '%s'; known, with their forces, are %s", name,
                   list);
}

const char *fb_units_names(void)
{
    static char list[256];
    if (!*list)
        list_systems(list, sizeof list, " ", 0);
    return list;
}

const char *fb_units_adams(const fb_units *u, fb_unitkind k)
{
    for (int q = 0; q < NUNITS; q++)
        if (table[q].kind == k && !strcmp(table[q].symbol, u->name[k]))
            return table[q].adams;
    return u->name[k];
}

void fb_units_text(const fb_units *u, const signed char exponent[FB_NUNIT], char *out, size_t n)
{
    size_t at = 0;
    static const fb_unitkind order[FB_NUNIT] = {FB_FORCE, FB_MASS, FB_LENGTH, FB_TIME};
    snprintf(out, n, "1");
    for (int q = 0; q < FB_NUNIT; q++) {
        int p = exponent[order[q]];
        if (p == 0 || at >= n)
            continue;
        int k = snprintf(out + at, n - at, p == 1 ? "%s%s" : "%s%s^%d", at ? " " : "",
                         u->name[order[q]], p);
        at += k > 0 ? (size_t)k : 0;
    }
}

double fb_units_time(const fb_units *u)
{
    return u->factor[FB_TIME] > 0 ? u->factor[FB_TIME] : 1;
}

double fb_units_force(const fb_units *u)
{
    const double *f = u->factor, own = f[FB_MASS] * f[FB_LENGTH], t = f[FB_TIME];
    return own > 0 && t > 0 && f[FB_FORCE] > 0 ? f[FB_FORCE] * t * t / own : 1;
}

fb_unitname fb_units_force_name(const fb_units *u)
{
    static const signed char force[FB_NUNIT] = {1, 1, -2, 0};
    fb_unitname x;
    if (fabs(fb_units_force(u) - 1) > 1e-9)
        fb_units_text(u, force, x.s, sizeof x.s);
    else
        snprintf(x.s, sizeof x.s, "%s", u->name[FB_FORCE]);
    return x;
}

static const double turn = 6.283185307179586; /* 2 pi rad */

double fb_hertz(const fb_units *u, double lambda)
{
    const double f = sqrt(fabs(lambda)) / (turn * fb_units_time(u));
    return lambda < 0 ? -f : f;
}

double fb_lambda(const fb_units *u, double hertz)
{
    const double w = turn * hertz * fb_units_time(u);
    return w * w;
}

double fb_hertz_error(double reduced, double full)
{
    const int rigid = !(full < 0) && !(full > 0), still = !(reduced < 0) && !(reduced > 0);
    return rigid ? !still : fabs(reduced / full - 1);
}

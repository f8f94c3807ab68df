/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sentences.c - what /verdict says of a reduced body, in plain words.
 *
 * The numbers are those of reduce/verdict.c and composite.c; here are the limits from which a
 * sentence says "look". */
#include "sentences.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* As reduce warns: of the mass that is not moved, and of rigid motion that strains. */
static const double mass_lost = 1e-6, strained = 1e-5;
/* ||K x - w^2 M x|| / (||K|| ||x||) from which a mode is not solved. */
static const double solved = 1e-6;
/* Lowest eigenvalue of the scaled mass from which coordinates are nearly dependent. */
static const double dependent = 1e-12;
/* A frequency within this of the full body's is the same to an engineer. */
static const double same = 0.01;
/* Share of strain from which stress is no engineer's. */
static const double lacking = 0.05;

typedef struct {
    fb_sentence *out;
    int n;
} list;

FB_PRINTF(3, 4) static void say(list *l, fb_grade grade, const char *fmt, ...)
{
    fb_sentence *t = l->out + l->n++;
    va_list ap;
    *t = (fb_sentence){.grade = grade};
    va_start(ap, fmt);
    vsnprintf(t->say, sizeof t->say, fmt, ap);
    va_end(ap);
}

/* Numbers behind the last sentence. */
FB_PRINTF(2, 3) static void number(list *l, const char *fmt, ...)
{
    fb_sentence *t = l->out + l->n - 1;
    const size_t at = strlen(t->numbers);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(t->numbers + at, sizeof t->numbers - at, fmt, ap);
    va_end(ap);
}

static void numbers(list *l, const char *what, const double *v, int64_t n)
{
    number(l, "%s", what);
    for (int64_t k = 0; k < n; k++)
        number(l, " %.3g", v[k]);
}

static double most(const double *v, int64_t n)
{
    double x = 0;
    for (int64_t k = 0; k < n; k++)
        x = fmax(x, fabs(v[k]));
    return x;
}

static void rigid(const fb_model *b, list *l)
{
    if (!b->v_rigid_reduced || !b->v_rigid_full)
        return;
    const double reduced = most(b->v_rigid_reduced, b->nrigid),
                 full = most(b->v_rigid_full, b->nrigid);
    if (full > strained)
        say(l, FB_LOOK, "The full body resists rigid motion: it stands on springs or supports.");
    else if (reduced > strained)
        say(l, FB_BAD, "The reduced body resists rigid motion, the full one does not.");
    else
        say(l, FB_GOOD, "The body is free: rigid motion costs no strain energy%s.",
            b->nrigid < 6 ? " (translations; rotations are not known)" : "");
    numbers(l, "||K r|| / (||K|| ||r||), full:", b->v_rigid_full, b->nrigid);
    numbers(l, "; reduced:", b->v_rigid_reduced, b->nrigid);
}

static void mass(const fb_model *b, list *l)
{
    static const char *const of[] = {"mass in x",       "mass in y",       "mass in z",
                                     "inertia about x", "inertia about y", "inertia about z"};
    double lost = 0;
    int64_t at = 0, k = b->nrigid;
    if (!b->v_mass_full || !b->v_mass_reduced || k > 6)
        return;
    for (int64_t c = 0; c < k; c++) {
        const double full = b->v_mass_full[c * (k + 1)];
        const double x = full > 0 ? 1 - b->v_mass_reduced[c * (k + 1)] / full : 0;
        if (x > lost) {
            lost = x;
            at = c;
        }
    }
    const int held = !b->v_rigid_full; /* then part of the mass rests on the supports */
    if (lost <= mass_lost)
        say(l, FB_GOOD, "The reduced body moves all of the mass and inertia of the full one.");
    else
        say(l, held ? FB_GOOD : FB_LOOK, "The reduced body moves %.4g %% of the %s%s.",
            100 * (1 - lost), of[at],
            held ? ", the least of all directions: the rest is on the supports and in higher modes"
                 : ": boundary and modes do not hold the rigid motion");
    number(l, "R'MR along x y z, full: %.6g %.6g %.6g; reduced: %.6g %.6g %.6g %s",
           b->v_mass_full[0], b->v_mass_full[k + 1], b->v_mass_full[2 * k + 2],
           b->v_mass_reduced[0], b->v_mass_reduced[k + 1], b->v_mass_reduced[2 * k + 2],
           b->units.name[FB_MASS]);
}

static void definite(const fb_model *b, list *l)
{
    const double *v = b->v_definite;
    if (!v)
        return;
    if (!(v[0] > 0))
        say(l, FB_BAD,
            "The reduced mass matrix is not positive definite: no simulator can use it.");
    else if (v[0] < dependent)
        say(l, FB_LOOK, "Some coordinates are nearly dependent on others.");
    else
        say(l, FB_GOOD, "The reduced mass matrix is positive definite.");
    number(l,
           "lowest eigenvalue of the mass matrix scaled to a unit diagonal: %.3g; largest "
           "asymmetry of K and M: %.2g",
           v[0], v[2]);
    if (v[1] > 0) {
        say(l, FB_LOOK, "The stiffness has %.0f negative direction%s: buckled, or digits lost.",
            v[1], v[1] > 1 ? "s" : "");
        if (b->frequency && b->nr)
            number(l, "lowest root: %.6g Hz (minus: it grows)", b->frequency[0]);
    }
}

static void counted(const fb_model *b, list *l)
{
    const int64_t *v = b->v_sturm;
    if (!v)
        return;
    const double hz = b->v_shift ? fb_hertz(&b->units, b->v_shift[0]) : 0;
    if (v[0] < 0)
        say(l, FB_LOOK, "Nobody counted whether a mode is missing (--no-sturm).");
    else if (v[0] != v[1])
        say(l, FB_BAD, "%lld modes lie below %.6g Hz, %lld were found.", (long long)v[0], hz,
            (long long)v[1]);
    else
        say(l, FB_GOOD, "No mode is missing below %.6g Hz.", hz);
    number(l, "modes by the inertia of K - s M: %lld, found: %lld", (long long)v[0],
           (long long)v[1]);
    if (!b->v_residual || !b->nresidual)
        return;
    const double worst = most(b->v_residual, b->nresidual);
    number(l, "; largest residual ||K x - w^2 M x|| / (||K|| ||x||) of %lld modes: %.2g",
           (long long)b->nresidual, worst);
    if (worst > solved)
        say(l, FB_LOOK, "Modes are solved to %.2g only.", worst);
}

static void checked(const fb_model *b, list *l)
{
    double worst = 0, top = 0;
    int64_t within = 0;
    if (!b->v_check || !b->ncheck)
        return;
    for (; within < b->ncheck; within++) {
        const double full = b->v_check[2 * within], reduced = b->v_check[2 * within + 1],
                     error = fb_hertz_error(reduced, full);
        if (error > same)
            break;
        worst = fmax(worst, error);
        top = reduced;
    }
    if (within == b->ncheck)
        say(l, FB_GOOD, "All %lld frequencies, up to %.6g Hz, are within 1 %% of the full body's.",
            (long long)within, top);
    else
        say(l, within ? FB_GOOD : FB_LOOK,
            "The first %lld of %lld frequencies, up to %.6g Hz, are within 1 %% of the full "
            "body's.",
            (long long)within, (long long)b->ncheck, top);
    number(l, "largest error of these: %.3g %%; rigid modes are counted", 100 * worst);
}

static void bent(const fb_model *b, list *l)
{
    if (!b->v_composite || !b->v_deflection)
        return;
    const double to = b->v_deflection[0];
    if (to < 0)
        say(l, FB_BAD, "The inertia of rigid and elastic motion is negative even at rest.");
    else if (to <= 0)
        say(l, FB_LOOK, "The inertia of rigid and elastic motion is good at rest only.");
    else
        say(l, to < 0.05 ? FB_LOOK : FB_GOOD,
            "The inertia stays positive for deflections up to %g %% of the size.", 100 * to);
    numbers(l, "lowest eigenvalue, scaled to a unit diagonal, at rest, 2, 5, 10 %:", b->v_composite,
            4);
}

static void stress(const fb_model *b, list *l)
{
    if (!b->stress_residual || !b->nr)
        return;
    const double worst = most(b->stress_residual, b->nr);
    say(l, worst <= lacking ? FB_GOOD : FB_LOOK,
        "The shapes that bring their stress lack %.2g %% of the strain of a coordinate.",
        100 * worst);
    number(l, "largest of %lld residuals, root of the share of strain energy; stress at %lld nodes",
           (long long)b->nr, (long long)b->ns);
}

static void step(const fb_model *b, list *l)
{
    if (!b->v_step || !(b->v_step[0] > 0) || !b->frequency || !b->nr)
        return;
    say(l, FB_GOOD, "An explicit integrator is stable with steps up to %.3g %s.", b->v_step[0],
        b->units.name[FB_TIME]);
    number(l, "2 / w of the highest frequency, %.6g Hz", b->frequency[b->nr - 1]);
}

int fb_sentences(const fb_model *b, fb_sentence out[FB_NSENTENCE])
{
    list l = {out, 0};
    checked(b, &l);
    rigid(b, &l);
    mass(b, &l);
    definite(b, &l);
    counted(b, &l);
    bent(b, &l);
    stress(b, &l);
    step(b, &l);
    if (!l.n)
        say(&l, FB_LOOK, "Nobody has judged this body: it has not been through reduce.");
    return l.n;
}

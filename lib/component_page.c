/* SPDX-License-Identifier: GPL-3.0-or-later */
/* component_page.c - the checks of component modes, for people: mnfparse --check. */
#include "component.h"
#include "memory.h"
#include "units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Checks say no above these: the place of a node, in shares of the boundary's extent (coordinates
 * of 5 digits); rows of K r over those of |K||r|; the unit motions of nodes. */
static const double misplaced = 1e-3, grounded = 1e-4, moved = 1e-3;
/* Of a mass matrix of a unit diagonal, below zero: round-off of what has no mass is above it. */
static const double negative = 1e-10;
/* And "look" above this: what mass-normalised fixed-interface modes have. */
static const double normal = 1e-6;

static const char *const by_name[FB_NBY] = {"stiffness", "geometry", "modes"};

typedef struct {
    const fb_model *b;
    const fb_component *c;
    fb_buf *o;
    int no;
} page;

/* "okay", "look", "no" at the end of a line. */
static void judge(page *p, double x, double most, int hard)
{
    const int bad = !(x <= most);
    p->no += bad && hard;
    fb_put_text(p->o, "  %s\n", !bad ? "okay" : hard ? "no" : "look");
}

/* ---- the matrices -------------------------------------------------------------------------- */

static double largest(const fb_mat *A, int64_t row, int64_t rows, int64_t column, int64_t columns,
                      int which) /* 0 all, 1 off the diagonal, 2 |diagonal - 1| */
{
    double top = 0;
    for (int64_t j = column; j < column + columns; j++)
        for (int64_t i = row; i < row + rows; i++)
            if (which == 0 || (which == 1) == (i != j))
                top = fmax(top, fabs(A->x[i + j * A->m] - (which == 2)));
    return top;
}

static void matrices(page *p)
{
    const fb_component *c = p->c;
    const int64_t nb = c->nb, nq = c->nq;
    double low = INFINITY;
    fb_put_text(p->o, "\nMatrices\n  lowest eigenvalue of M, unit diagonal  %12.4g", c->lowest);
    judge(p, -c->lowest, negative, 1);
    for (int64_t k = 0; k < nq; k++)
        low = fmin(low, c->K.x[(nb + k) * (c->n + 1)]);
    if (!nq)
        return;
    fb_put_text(p->o, "  lowest diagonal entry of Kqq           %12.4g", low);
    judge(p, -low, -1e-300, 1);
    fb_put_text(p->o, "  largest |diagonal of Mqq - 1|          %12.4g",
                largest(&c->M, nb, nq, nb, nq, 2));
    judge(p, largest(&c->M, nb, nq, nb, nq, 2), normal, 0);
    fb_put_text(p->o, "  largest entry of Mqq off the diagonal  %12.4g",
                largest(&c->M, nb, nq, nb, nq, 1));
    judge(p, largest(&c->M, nb, nq, nb, nq, 1), normal, 0);
    fb_put_text(p->o, "  largest Kqq off the diagonal over Kqq  %12.4g",
                largest(&c->K, nb, nq, nb, nq, 1) / largest(&c->K, nb, nq, nb, nq, 0));
    judge(p, largest(&c->K, nb, nq, nb, nq, 1), normal * largest(&c->K, nb, nq, nb, nq, 0), 0);
    fb_put_text(p->o, "  largest Kbq over Kbb                   %12.4g",
                largest(&c->K, 0, nb, nb, nq, 0) / largest(&c->K, 0, nb, 0, nb, 0));
    judge(p, largest(&c->K, 0, nb, nb, nq, 0), normal * largest(&c->K, 0, nb, 0, nb, 0), 0);
}

/* ---- places -------------------------------------------------------------------------------- */

static void places(page *p)
{
    const fb_component *c = p->c;
    double worst = 0;
    if (!c->R[FB_BY_STIFFNESS].x)
        return;
    fb_put_text(p->o,
                "\nPlaces of the boundary nodes by the stiffness [%s]\n"
                "      node                x                y                z      error\n",
                p->b->units.name[FB_LENGTH]);
    for (int64_t q = 0; q < c->nnode; q++) {
        const double *x = c->place + 3 * q, *u = c->u + 3 * c->first[q];
        if (isnan(x[0])) {
            fb_put_text(p->o, "%10lld   not known: it has not all three translations\n",
                        (long long)c->name[q]);
            continue;
        }
        const double error = hypot(hypot(x[0] - u[0], x[1] - u[1]), x[2] - u[2]);
        worst = fmax(worst, error);
        fb_put_text(p->o, "%10lld %16.9g %16.9g %16.9g %10.2g\n", (long long)c->name[q], x[0], x[1],
                    x[2], error);
    }
    fb_put_text(p->o, "  largest error, of the extent %9.4g       %12.4g", c->size,
                worst / c->size);
    judge(p, worst, misplaced * c->size, 1);
}

/* Root of the sum of squares of a node's translations (rotations) in a unit one along each axis;
 * NaN where it lacks some. */
static double unit_motion(const fb_component *c, int by, int64_t q, int axis)
{
    const int turns = axis >= 3;
    double sum = 0;
    int n = 0;
    for (int64_t k = c->first[q]; k < c->first[q + 1]; k++)
        if ((c->component[k] > 3) == turns) {
            const double x = c->R[by].x[k + axis * c->n];
            sum += x * x;
            n++;
        }
    return n == 3 ? sqrt(sum) : (double)NAN;
}

static void unit_motions(page *p, int turns)
{
    const fb_component *c = p->c;
    double worst = 0;
    int any = 0;
    for (int64_t q = 0; q < c->nnode; q++)
        any = any || isfinite(unit_motion(c, FB_BY_GEOMETRY, q, 3 * turns));
    if (!any)
        return;
    fb_put_text(p->o, "\n%s of the nodes in unit rigid %s, which are 1\n      node",
                turns ? "Rotations" : "Translations", turns ? "rotations" : "translations");
    for (int by = 0; by < FB_NBY; by++)
        fb_put_text(p->o, "%5s%-22s", "",
                    by == FB_BY_GEOMETRY ? "by geometry"
                    : by                 ? "by modes"
                                         : "by stiffness");
    fb_put_text(p->o, "\n");
    for (int64_t q = 0; q < c->nnode; q++) {
        if (isnan(unit_motion(c, FB_BY_GEOMETRY, q, 3 * turns)))
            continue;
        fb_put_text(p->o, "%10lld", (long long)c->name[q]);
        for (int by = 0; by < FB_NBY; by++) {
            fb_put_text(p->o, "  ");
            for (int a = 0; a < 3; a++) {
                const double x = c->R[by].x ? unit_motion(c, by, q, 3 * turns + a) : (double)NAN;
                worst = c->R[by].x ? fmax(worst, fabs(x - 1)) : worst;
                fb_put_text(p->o, isnan(x) ? "        -" : " %8.5f", x);
            }
        }
        fb_put_text(p->o, "\n");
    }
    fb_put_text(p->o, "  largest distance from 1                %12.4g", worst);
    judge(p, worst, moved, 1);
}

/* ---- mass ---------------------------------------------------------------------------------- */

static void triples(page *p, const char *what, size_t offset)
{
    fb_put_text(p->o, "  %s\n", what);
    for (int by = 0; by < FB_NBY; by++) {
        const double *x = (const double *)(const void *)((const char *)(p->c->of + by) + offset);
        if (p->c->R[by].x)
            fb_put_text(p->o, "    %-10s %18.10g %18.10g %18.10g\n", by_name[by], x[0], x[1], x[2]);
    }
}

static void mass(page *p)
{
    const char *m = p->b->units.name[FB_MASS], *l = p->b->units.name[FB_LENGTH];
    fb_put_text(p->o, "\nMass properties R'MR [%s, %s]\n", m, l);
    triples(p, "mass along x, y, z", offsetof(fb_mass_properties, mass));
    triples(p, "centre of mass", offsetof(fb_mass_properties, center));
    triples(p, "inertia about it: xx, yy, zz", offsetof(fb_mass_properties, about));
    triples(p, "xy, xz, yz", offsetof(fb_mass_properties, about) + 3 * sizeof(double));
    triples(p, "inertia about principal axes", offsetof(fb_mass_properties, principal));
    triples(p, "radii of gyration about x, y, z", offsetof(fb_mass_properties, gyration));
    triples(p, "radii of gyration about principal axes",
            offsetof(fb_mass_properties, principal_gyration));
}

/* ---- grounding ----------------------------------------------------------------------------- */

/* K R and, row by row, |K||R| of one set of motions. */
static fb_status forces(const fb_component *c, int by, fb_mat *F, fb_mat *scale, fb_err *e)
{
    const int64_t n = c->n;
    FB_PASS(fb_mat_product(0, 0, &c->K, c->R + by, F, e));
    FB_PASS(fb_mat_new(scale, n, 6, e));
    for (int a = 0; a < 6; a++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                scale->x[i + a * n] += fabs(c->K.x[i + j * n] * c->R[by].x[j + a * n]);
    return FB_OK;
}

/* One line: the length of the forces, or moments, of a node in each motion. */
static void node_forces(page *p, const fb_mat *F, int64_t from, int64_t to, const char *name,
                        int turns)
{
    const fb_component *c = p->c;
    int any = 0;
    for (int64_t k = from; k < to; k++)
        any = any || k >= c->nb || (c->component[k] > 3) == turns;
    if (!any)
        return;
    fb_put_text(p->o, "%10s %-6s", turns ? "" : name, turns ? "moment" : "force");
    for (int a = 0; a < 6; a++) {
        double sum = 0;
        for (int64_t k = from; k < to; k++)
            if (k >= c->nb || (c->component[k] > 3) == turns)
                sum += F->x[k + a * c->n] * F->x[k + a * c->n];
        fb_put_text(p->o, " %11.3g", sqrt(sum));
    }
    fb_put_text(p->o, "\n");
}

static fb_status grounding(page *p, int by, fb_err *e)
{
    const fb_component *c = p->c;
    fb_mat F = {0}, scale = {0};
    double worst = 0;
    fb_status s = FB_OK;
    if (!c->R[by].x)
        return FB_OK;
    FB_TRY(forces(c, by, &F, &scale, e));
    fb_put_text(p->o,
                "\nForces K r of unit rigid motion by %s\n      node              x           y  "
                "         z     about x     about y     about z\n",
                by_name[by]);
    for (int64_t q = 0; q < c->nnode; q++) {
        char name[24];
        snprintf(name, sizeof name, "%lld", (long long)c->name[q]);
        node_forces(p, &F, c->first[q], c->first[q + 1], name, 0);
        node_forces(p, &F, c->first[q], c->first[q + 1], name, 1);
    }
    if (c->nq)
        node_forces(p, &F, c->nb, c->n, "modal", 0);
    for (int a = 0; a < 6; a++) {
        double top = 0;
        for (int64_t i = 0; i < c->n; i++)
            top = fmax(top, scale.x[i + a * c->n]);
        for (int64_t i = 0; i < c->n && top > 0; i++)
            worst = fmax(worst, fabs(F.x[i + a * c->n]) / top);
    }
    fb_put_text(p->o, "  largest |K r| over largest |K||r|      %12.4g", worst);
    judge(p, worst, grounded, 1);
out:
    FB_FREE_BY(fb_mat_free, &F, &scale);
    return s;
}

/* ---- modes --------------------------------------------------------------------------------- */

static void modes(page *p)
{
    const fb_component *c = p->c;
    double total[6] = {0};
    if (c->R[FB_BY_MODES].x) {
        fb_put_text(p->o, "\nLowest six modes of the free body, as computed [Hz]\n ");
        for (int k = 0; k < 6; k++)
            fb_put_text(p->o, " %.3g", c->raw[k]);
        fb_put_text(p->o, "\n");
    }
    if (!c->hz)
        return;
    fb_put_text(p->o, "\nModes of the held boundary; effective mass and inertia in %% of R'MR\n"
                      "  mode  frequency [Hz]       x       y       z about x about y about z\n");
    for (int64_t k = 0; k < c->nq; k++) {
        fb_put_text(p->o, "%6lld %15.6f", (long long)k + 1, c->hz[k]);
        for (int a = 0; a < 6; a++) {
            fb_put_text(p->o, " %7.2f", 100 * c->share[6 * k + a]);
            total[a] += 100 * c->share[6 * k + a];
        }
        fb_put_text(p->o, "\n");
    }
    fb_put_text(p->o, "   all                ");
    for (int a = 0; a < 6; a++)
        fb_put_text(p->o, " %7.2f", total[a]);
    fb_put_text(p->o, "\n");
}

static void head(page *p)
{
    const fb_component *c = p->c;
    fb_put_text(p->o, "Boundary         %lld coordinates at %lld node%s\nModal            %lld\n",
                (long long)c->nb, (long long)c->nnode, c->nnode == 1 ? "" : "s", (long long)c->nq);
    fb_put_text(p->o, "Units            %s\n", fb_units_list(&p->b->units).s);
    fb_put_text(p->o, "Motions about    %.9g %.9g %.9g %s, the mean of the nodes\n", c->center[0],
                c->center[1], c->center[2], p->b->units.name[FB_LENGTH]);
    fb_put_text(p->o, "Held at         ");
    for (int k = 0; k < 6; k++)
        fb_put_text(p->o, " %s",
                    fb_name_of(c->node[c->reference[k]], c->component[c->reference[k]]).s);
    fb_put_text(p->o, ", where the three ways agree\n");
    if (p->b->nheld && p->b->held_node)
        fb_put_text(p->o,
                    "Held             %lld dofs (reduce --fix): rigid motion strains the body\n",
                    (long long)p->b->nheld);
    for (int by = 0; by < FB_NBY; by++)
        if (c->why[by][0]) {
            fb_put_text(p->o, "Not by %-9s ", by_name[by]);
            fb_put_wrapped(p->o, c->why[by], 17, 17);
            fb_put_text(p->o, "\n");
            p->no += by == FB_BY_STIFFNESS;
        }
}

fb_status fb_component_page(const fb_model *b, fb_buf *o, int *no, fb_err *e)
{
    fb_component c = {0};
    page p = {b, &c, o, 0};
    fb_status s = FB_OK;
    FB_TRY(fb_component_new(b, &c, e));
    head(&p);
    matrices(&p);
    places(&p);
    unit_motions(&p, 0);
    unit_motions(&p, 1);
    mass(&p);
    for (int by = 0; by < FB_NBY; by++)
        FB_TRY(grounding(&p, by, e));
    modes(&p);
    fb_put_text(o, "\n%s\n", p.no ? "Some checks say no." : "All checks are passed.");
    s = fb_buf_status(o, e);
    *no = p.no;
out:
    fb_component_free(&c);
    return s;
}

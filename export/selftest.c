/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selftest.c - what all self-tests of exports share.
 *
 * Symbols  S the row of shapes of a connector's translation; s about the first elastic eigenvalue
 *          of Kr, Mr; rigid motion has the largest mu
 * Equations
 *   (ST.3) Mr v = mu (Kr + s Mr) v, v'(Kr + s Mr) v = 1, w^2 = 1 / mu - s
 *   (ST.1) u = sum_k (S v_k)^2 / (1 - s mu_k)   displacement of the dof under a unit force there,
 *          rigid motion left out
 *   (ST.2) hz = w_1 / 2 pi
 * The scripts compute both of the numbers that they read, by eigenvectors of their own.
 */
#include "body.h"
#include "memory.h"
#include "selftest.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is the dof a boundary coordinate? */
static int labelled(const fb_coords *c, int64_t node, int64_t component)
{
    for (int64_t k = 0; k < c->nr; k++)
        if (c->node[k] == node && c->component[k] == component)
            return 1;
    return 0;
}

/* (ST.1); (mu, V) of M and A = K + s M, V'AV = 1, of which the last nrigid are rigid motion. */
static double answer(const fb_mat *V, const double *mu, const fb_probe *p, const double *S)
{
    double u = 0;
    for (int64_t k = 0; k < V->n - p->nrigid; k++) {
        const double v = fb_dot(S, V->x + k * V->m, V->m);
        u += v * v / (1 - p->shift * mu[k]);
    }
    return u;
}

/* The roots of (ST.3), and which shift: the first elastic eigenvalue. */
static fb_status pencil(const fb_model *b, const char *who, fb_probe *p, double *mu, fb_mat *V,
                        fb_err *e)
{
    const fb_mat M = {b->nr, b->nr, b->Mr};
    fb_mat A = {0};
    fb_roots q = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_model_roots(b, &q, e));
    if (q.n < b->nr)
        FB_TRY(fb_fail(e, FB_EUSAGE,
                       "a self-test of %s wants a definite mass matrix, %lld of %lld coordinates "
                       "have no mass of their own: no simulator moves them; reduce the body first",
                       who, (long long)(b->nr - q.n), (long long)b->nr));
    p->nrigid = q.nrigid;
    for (int64_t k = 0; k < q.n && !(p->shift > 0); k++)
        p->shift = q.lambda[k];
    if (!(p->shift > 0))
        FB_TRY(fb_fail(e, FB_EUSAGE, "a self-test of %s wants a body with an elastic mode", who));
    FB_TRY(fb_mat_copy(&A, &(fb_mat){b->nr, b->nr, b->Kr}, e));
    fb_axpy(p->shift, b->Mr, A.x, b->nr * b->nr);
    FB_TRY(fb_eig_dense(&M, &A, mu, V, e));
    const double lambda = 1 / mu[b->nr - 1 - p->nrigid] - p->shift; /* (ST.2) */
    p->hz = fb_hertz(&b->units, lambda);
    p->period = 2 * M_PI / sqrt(lambda);
out:
    fb_mat_free(&A);
    fb_roots_free(&q);
    return s;
}

static fb_status fits(const fb_model *b, const char *who, fb_err *e)
{
    const char *lacks = !b->Kr || !b->Mr                        ? "/reduced: run reduce first"
                        : !b->connector_S || !b->connector_node ? "/connectors: --connectors LIST"
                                                                : NULL;
    if (lacks)
        return fb_fail(e, FB_EUSAGE, "a self-test of %s wants %s", who, lacks);
    if (b->Nr || b->N.p)
        return fb_fail(e, FB_EUSAGE,
                       "a self-test of %s wants a symmetric stiffness, this body has a skew part",
                       who);
    return FB_OK;
}

fb_status fb_probe_new(const fb_model *b, const char *who, fb_probe *p, fb_err *e)
{
    fb_coords c = {0};
    fb_mat V = {0};
    fb_probe found = {0};
    fb_err none = {0};
    double *mu = NULL;
    fb_status s = FB_OK;
    FB_PASS(fits(b, who, e));
    s = fb_coords_new(b, who, &c, &none);
    if (s == FB_ESYS)
        return fb_fail(e, s, "%s", none.msg);
    FB_TRY(FB_NEW(&mu, b->nr, e));
    FB_TRY(pencil(b, who, &found, mu, &V, e));
    for (int64_t k = 0; k < 3 * b->nc; k++) {
        const double u = answer(&V, mu, &found, b->connector_S + k * b->nr);
        if ((c.node && !labelled(&c, b->connector_node[k / 3], k % 3 + 1)) ||
            !(u > found.displacement))
            continue;
        found.displacement = u;
        found.connector = k / 3;
        found.axis = k % 3;
        found.node = b->connector_node[k / 3];
        found.component = k % 3 + 1;
    }
    if (!(found.displacement > 0))
        FB_TRY(fb_fail(e, FB_EUSAGE,
                       "a self-test of %s wants a connector that a force moves: name nodes by "
                       "--connectors LIST",
                       who));
    *p = found;
out:
    free(mu);
    fb_mat_free(&V);
    fb_coords_free(&c);
    return s;
}

void fb_probe_says(const fb_model *b, const fb_probe *p, const char *mark, const char *file,
                   fb_buf *o)
{
    const char axis = "xyz"[p->axis];
    const long long node = p->node;
    fb_put_text(o,
                "%s Self-test of %s (linkexport --self-test): a unit force (%s) along %c at node ",
                mark, file, fb_units_force_name(&b->units).s, axis);
    fb_put_text(
        o, "%lld.\n%s To be seen: displacement there %.9g %s%s, first frequency%s %.9g Hz.\n", node,
        mark, p->displacement, b->units.name[FB_LENGTH],
        p->nrigid ? " (rigid motion left out)" : "", p->nrigid ? " above rigid motion" : "", p->hz);
}

/* " mm"; a name that is more than letters is any text, and no part of a program. */
static const char *length(const fb_model *b, char unit[32])
{
    const char *name = b->units.name[FB_LENGTH];
    for (const char *p = name; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')))
            return "";
    snprintf(unit, 32, " %s", name);
    return unit;
}

/* Seconds in the unit of time; 1 where it is not known. */
static double second(const fb_model *b)
{
    return b->units.factor[FB_TIME] > 0 ? b->units.factor[FB_TIME] : 1;
}

void fb_probe_python(const fb_model *b, const fb_probe *p, const char *file, const char *import,
                     const char *load, double tolerance, fb_buf *o)
{
    fb_put_text(o, "#!/usr/bin/env python3\n");
    fb_probe_says(b, p, "#", file, o);
    fb_put_text(o, "import os, sys, numpy as np%s%s\n", *import ? ", " : "", import);
    fb_put_text(o, "os.chdir(os.path.dirname(os.path.abspath(__file__)))\nsecond = %.17g\n",
                second(b));
    fb_put_text(o, "name = \"%s\"\nnode, component, connector, axis = %lld, %lld, %lld, %lld\n",
                file, (long long)p->node, (long long)p->component, (long long)p->connector,
                (long long)p->axis);
    fb_put_text(o, "%s", load);
    fb_put_text(o,
                "s, r = %.17g, %lld  # shift, rigid motions\n"
                "L = np.linalg.inv(np.linalg.cholesky(K + s * M))\n"
                "mu, V = np.linalg.eigh(L @ M @ L.T)\n"
                "mu, V = mu[:len(mu) - r], V[:, :len(mu) - r]\n"
                "got = np.array([sum((V.T @ L @ p)**2 / (1 - s * mu)), "
                "np.sqrt(1 / mu[-1] - s) / (2 * np.pi * second)])\n",
                p->shift, (long long)p->nrigid);
    fb_put_text(o,
                "want = np.array([%.17g, %.17g])\n"
                "good = all(abs(got / want - 1) < %g)\n",
                p->displacement, p->hz, tolerance);
    char unit[32];
    fb_put_text(o,
                "print(\"displacement %%.9g%s, %%.9g wanted; frequency %%.9g Hz, %%.9g wanted: "
                "%%s\"\n      %% (got[0], want[0], got[1], want[1], \"good\" if good else "
                "\"WRONG\"))\nsys.exit(0 if good else 1)\n",
                length(b, unit));
}

fb_status fb_test_python(const fb_model *b, const char *who, const char *file, const char *import,
                         const char *load, double tolerance, fb_buf *o, fb_err *e)
{
    fb_probe p;
    FB_PASS(fb_probe_new(b, who, &p, e));
    fb_probe_python(b, &p, file, import, load, tolerance, o);
    return FB_OK;
}

fb_status fb_test_octave(const fb_model *b, const char *who, const char *file, const char *load,
                         fb_buf *o, fb_err *e)
{
    fb_probe p;
    FB_PASS(fb_probe_new(b, who, &p, e));
    fb_probe_says(b, &p, "%", file, o);
    fb_put_text(o, "name = '%s'; node = %lld; component = %lld;\n", file, (long long)p.node,
                (long long)p.component);
    fb_put_text(o, "%s", load);
    fb_put_text(o,
                "s = %.17g; r = %lld; %% shift, rigid motions\n"
                "L = chol((K + K') / 2 + s * (M + M') / 2, 'lower');\n"
                "A = L \\ ((M + M') / 2) / L';\n"
                "[V, W] = eig((A + A') / 2);\n"
                "[mu, order] = sort(diag(W)); y = V(:, order)' * (L \\ f);\n"
                "mu = mu(1:end - r); y = y(1:end - r);\n",
                p.shift, (long long)p.nrigid);
    fb_put_text(o,
                "got = [sum(y .^ 2 ./ (1 - s * mu)), sqrt(1 / mu(end) - s) / (2 * pi * %.17g)];\n"
                "want = [%.17g, %.17g];\n",
                second(b), p.displacement, p.hz);
    char unit[32];
    fb_put_text(o,
                "good = all(abs(got ./ want - 1) < 1e-6); said = {'WRONG', 'good'};\n"
                "fprintf('displacement %%.9g%s, %%.9g wanted; frequency %%.9g Hz, %%.9g wanted: "
                "%%s\\n', got(1), want(1), got(2), want(2), said{good + 1});\n"
                "assert(good, 'the self-test is WRONG');\n",
                length(b, unit));
    return FB_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selftest.c - what all self-tests of exports share.
 *
 * Symbols  S the row of shapes of a connector's translation, V, w the eigenvectors and angular
 *          frequencies of Kr, Mr, elastic ones alone, V'Mr V = 1
 * Equations
 *   (ST.1) u = sum_k (S v_k)^2 / w_k^2     displacement of the dof under a unit force there
 *   (ST.2) hz = w_1 / 2 pi
 * The scripts compute both of the numbers that they read, by eigenvectors of their own.
 */
#include "body.h"
#include "memory.h"
#include "selftest.h"
#include <math.h>
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

/* (ST.1) */
static double answer(const fb_roots *q, const double *S, int64_t nr)
{
    double u = 0;
    for (int64_t k = 0; k < q->n; k++)
        if (q->lambda[k] > 0) {
            const double s = fb_dot(S, q->V.x + k * nr, nr);
            u += s * s / q->lambda[k];
        }
    return u;
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
    fb_roots q = {0};
    fb_err none = {0};
    double most = 0;
    fb_status s = FB_OK;
    FB_PASS(fits(b, who, e));
    s = fb_coords_new(b, who, &c, &none);
    if (s == FB_ESYS)
        return fb_fail(e, s, "%s", none.msg);
    *p = (fb_probe){.hz = 0};
    FB_TRY(fb_model_roots(b, &q, e));
    for (int64_t k = 0; k < b->nc; k++)
        for (int64_t a = 0; a < 3; a++) {
            const double *S = b->connector_S + (3 * k + a) * b->nr, u = answer(&q, S, b->nr);
            if ((c.node && !labelled(&c, b->connector_node[k], a + 1)) || !(u > most))
                continue;
            most = u;
            *p = (fb_probe){.connector = k,
                            .axis = a,
                            .node = b->connector_node[k],
                            .component = a + 1,
                            .row = S,
                            .displacement = u};
        }
    if (!(most > 0))
        FB_TRY(fb_fail(e, FB_EUSAGE,
                       "a self-test of %s wants a connector that a force moves: name nodes by "
                       "--connectors LIST",
                       who));
    p->nrigid = q.nrigid;
    for (int64_t k = 0; k < q.n && !(p->hz > 0); k++)
        if (q.lambda[k] > 0) { /* (ST.2) */
            p->hz = fb_hertz(&b->units, q.lambda[k]);
            p->period = 2 * M_PI / sqrt(q.lambda[k]);
        }
out:
    fb_coords_free(&c);
    fb_roots_free(&q);
    return s;
}

void fb_probe_says(const fb_model *b, const fb_probe *p, const char *mark, const char *file,
                   fb_buf *o)
{
    fb_put_text(o,
                "%s Self-test of %s (linkexport --self-test): a unit force (%s) along %c at node "
                "%lld.\n%s To be seen: displacement there %.9g %s%s, first frequency%s %.9g Hz.\n",
                mark, file, b->units.name[FB_FORCE], "xyz"[p->axis], (long long)p -> node, mark,
                p -> displacement, b -> units.name[FB_LENGTH],
                p->nrigid ? " (rigid motion left out)" : "", p->nrigid ? " above rigid motion" : "",
                p->hz);
}

/* Seconds in the unit of time; 1 where it is not known. */
static double second(const fb_model *b)
{
    return b->units.factor[FB_TIME] > 0 ? b->units.factor[FB_TIME] : 1;
}

void fb_test_python(const fb_model *b, const fb_probe *p, const char *file, const char *import,
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
                "L = np.linalg.inv(np.linalg.cholesky(M))\n"
                "w2, V = np.linalg.eigh(L @ K @ L.T)\n"
                "w2, s = w2[%lld:], (V.T @ L @ p)[%lld:]\n",
                (long long)p->nrigid, (long long)p->nrigid);
    fb_put_text(o,
                "got = np.array([sum(s * s / w2), np.sqrt(w2[0]) / (2 * np.pi * second)])\n"
                "want = np.array([%.17g, %.17g])\n"
                "good = all(abs(got / want - 1) < %g)\n",
                p->displacement, p->hz, tolerance);
    fb_put_text(o, "print(\"displacement %%.9g, %%.9g wanted; frequency %%.9g Hz, %%.9g wanted: "
                   "%%s\"\n      %% (got[0], want[0], got[1], want[1], \"good\" if good else "
                   "\"WRONG\"))\nsys.exit(0 if good else 1)\n");
}

void fb_test_octave(const fb_model *b, const fb_probe *p, const char *file, const char *load,
                    fb_buf *o)
{
    fb_probe_says(b, p, "%", file, o);
    fb_put_text(o, "name = '%s'; node = %lld; component = %lld;\n", file, (long long)p->node,
                (long long)p->component);
    fb_put_text(o, "%s", load);
    fb_put_text(o,
                "L = chol((M + M') / 2, 'lower');\n"
                "A = L \\ ((K + K') / 2) / L';\n"
                "[V, W] = eig((A + A') / 2);\n"
                "[w2, order] = sort(diag(W)); s = V(:, order)' * (L \\ f);\n"
                "w2 = w2(%lld:end); s = s(%lld:end);\n",
                (long long)p->nrigid + 1, (long long)p->nrigid + 1);
    fb_put_text(o,
                "got = [sum(s .^ 2 ./ w2), sqrt(w2(1)) / (2 * pi * %.17g)];\n"
                "want = [%.17g, %.17g];\n",
                second(b), p->displacement, p->hz);
    fb_put_text(o,
                "fprintf('displacement %%.9g, %%.9g wanted; frequency %%.9g Hz, %%.9g wanted\\n', "
                "got(1), want(1), got(2), want(2));\n"
                "assert(all(abs(got ./ want - 1) < 1e-6), 'the self-test is WRONG');\n");
}

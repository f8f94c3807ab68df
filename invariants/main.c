/* SPDX-License-Identifier: GPL-3.0-or-later */
/* invariants - add the inertia invariants I1..I11 to a body. */
#include "cli.h"
#include "publish.h"
#include "stream.h"
#include "inertia.h"
#include <math.h>
#include <stdio.h>

static const fb_opt opts[] = {{0}};

/* Above this the nodal masses are no fair picture of the generalized mass: more than a rounded
 * export explains (7e-8 on real files), less than any lumping worth a warning. */
static const double mass_tolerance = 1e-3;

/* Against the invariants that the input prints, in shares of the largest entry of each. A dump
 * prints nodal inertias with 10 decimals, which explains 2e-6 on a real beam; a term left out shows
 * as 5e-5 to 1e-3 there. */
static const double reference_tolerance = 1e-5;

/* A body that cannot be bent so far, in shares of its size, before its inertia is none: worth a
 * word. */
static const double deflection_warned = 0.05;

/* Masses along the axes that differ by more, in shares, are not those of a rigid body. */
static const double axes_differ = 1e-6;

static const char remedy[] = "more elements, fewer modes, or a lumped mass matrix are the remedy";
static const char condensed[] =
    "dofs without a place (condensed before they came here, or of beams and shells that were made "
    "solids of) are not in I5 and I8 to I11, which hold the motion of the nodes alone";

static fb_status judge_composite(const fb_model *b, int from_matrix, const double mass[3],
                                 const char *file, fb_log *log, fb_err *e)
{
    const double *low = b->v_composite, stands = b->v_deflection[0], *m = mass;
    const int rigid = from_matrix && fmin(fmin(m[0], m[1]), m[2]) >
                                         (1 - axes_differ) * fmax(fmax(m[0], m[1]), m[2]);
    if (stands < 0 && from_matrix && !rigid)
        fb_warn(log,
                "/full/M moves %.6g %.6g %.6g %s along x, y, z: no rigid body; the inertia of "
                "rigid and elastic motion together is negative (%.2g of a unit diagonal)",
                m[0], m[1], m[2], b->units.name[FB_MASS], low[0]);
    else if (stands < 0 && from_matrix)
        return fb_fail(
            e, FB_ESOLVE,
            "%s: the inertia of rigid and elastic motion together is negative (%.2g of a unit "
            "diagonal) for the body at rest: the mass matrix /full/M is not positive semidefinite",
            file, low[0]);
    else if (stands < 0)
        fb_warn(log,
                "the inertia of rigid and elastic motion together is negative (%.2g of a unit "
                "diagonal) for the body at rest: the nodal masses do not belong to the generalized "
                "mass",
                low[0]);
    else if (stands < deflection_warned)
        fb_warn(log,
                "the inertia of rigid and elastic motion together turns negative (%.2g of a unit "
                "diagonal) before the body is bent by %g %% of its size: a simulator will stop "
                "there; %s",
                stands < 0.02 ? low[1] : low[2], stands < 0.02 ? 2. : 5.,
                from_matrix && fb_model_condensed(b) ? condensed : remedy);
    else
        fb_note(log,
                "the inertia of rigid and elastic motion together is positive for deflections up "
                "to %g %% of the body's size",
                100 * stands);
    return FB_OK;
}

static void compare(const fb_model *b, fb_log *log)
{
    double error = 0;
    int k = b->T ? 0 : fb_invariants_reference(b, &error);
    if (k == 0)
        return;
    fb_note(log,
            "against the invariants that the input prints: largest deviation in I%d, %.2g of its "
            "largest entry",
            k, error);
    if (error > reference_tolerance)
        fb_warn(log,
                "I%d differs from what the input prints by %.2g of its largest entry (%.0e wanted)",
                k, error, reference_tolerance);
}

/* A generalized mass of zeros: no simulator can move such a body. */
static fb_status need_mass(const fb_model *b, const char *file, fb_err *e)
{
    const fb_mat M = {b->nr, b->nr, b->Mr};
    if (b->nr == 0 || fb_mat_max(&M) > 0)
        return FB_OK;
    return fb_fail(e, FB_EFORMAT,
                   "%s: /reduced/M is zero: a body without mass has no invariants; does the model "
                   "have a mass matrix or nodal masses, and in which units?",
                   file);
}

/* A link record of a body with a mass matrix holds the invariants of that, and not the matrix. */
static fb_status need_matrix(fb_stream *in, const fb_model *b, fb_err *e)
{
    return b->M.p || !fb_stream_has(in, "/invariants/lumping_error")
               ? FB_OK
               : fb_fail(e, FB_EFORMAT,
                         "%s: its invariants were made of a mass matrix, which it has no more, and "
                         "nodal masses would make others: run the body itself through invariants",
                         in->name);
}

/* Dofs without geometry follow rigid motion by the stiffness. */
static fb_status stiffness(fb_stream *in, fb_model *b, fb_err *e)
{
    static const char *const want[] = {"/dofs", "/full/K", NULL};
    fb_model k = {0};
    if (!fb_model_condensed(b))
        return FB_OK;
    fb_status s = fb_model_read(in, &k, want, e);
    if (!s) {
        b->K = k.K;
        k.K = (fb_csc){0};
    }
    fb_model_free(&k);
    return s;
}

static fb_status run(fb_run *r, fb_err *e)
{
    static const char *const always[] = {"/nodes",      "/dofs",     "/full/M",    "/reduced",
                                         "/connectors", "/recovery", "/reference", NULL};
    static const char *const modal[] = {"/nodes",     "/dofs",        "/reduced", "/connectors",
                                        "/reference", "/modes/shape", NULL};
    static const char *const mine[] = {"/invariants", "/verdict/composite", "/verdict/deflection",
                                       NULL};
    fb_stream in = FB_STREAM_NONE;
    fb_model b = {0};
    double mass[3] = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_stream_open(&in, r->file[0], e));
    FB_TRY(fb_model_read(&in, &b, fb_stream_has(&in, "/reduced/T") ? always : modal, e));
    FB_TRY(fb_stream_with_shapes(&in, e));
    if (!b.Mr || !(b.T || b.shape))
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "%s: no generalized coordinates (/reduced); reduce makes them", in.name));
    if (!b.dof_node || !b.node_id)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: no %s", in.name,
                       b.node_id ? "dof labels (/dofs)" : "node numbers (/nodes/id)"));
    FB_TRY(need_mass(&b, in.name, e));
    FB_TRY(need_matrix(&in, &b, e));
    if (b.M.p && b.T) {
        FB_TRY(stiffness(&in, &b, e));
        FB_TRY(fb_invariants_full(&b, mass, &r->log, e));
    } else {
        FB_TRY(fb_invariants_nodal(&b, b.T ? b.T : b.shape, e));
        snprintf(b.mass_treatment, sizeof b.mass_treatment, "nodal");
    }
    snprintf(b.invariants_rule, sizeof b.invariants_rule, "2");
    FB_TRY(fb_composite(&b, b.T ? b.T : b.shape, e));
    FB_TRY(judge_composite(&b, b.M.p && b.T, mass, in.name, &r->log, e));
    double error = fb_invariants_mass_error(&b);
    fb_note(&r->log,
            "mass %.10g %s from %lld nodes; I6 against the generalized mass: %.2g of its diagonal",
            b.I[1][0], b.units.name[FB_MASS], (long long)b.nn, error);
    if (error > mass_tolerance)
        fb_warn(&r->log,
                "the nodal masses give a generalized mass (I6) that is off by %.2g of its diagonal",
                error);
    compare(&b, &r->log);
    snprintf(b.stage, sizeof b.stage, "invariants");
    s = fb_publish(r, &in, &b, mine, mine, e);
out:
    fb_model_free(&b);
    fb_stream_abandon(&in);
    return s;
}

static const fb_tool tool = {.name = "invariants",
                             .summary = "add the inertia invariants I1..I11 to a flexible body",
                             .usage = "invariants [OPTION]... [FILE]",
                             .example =
                                 "mnfparse beam.mnf | reduce --cb 18 | invariants -o link.h5",
                             .opts = opts,
                             .max_files = 1,
                             .data_out = fb_data_always,
                             .run = run};

int main(int argc, char **argv)
{
    return fb_main(&tool, argc, argv);
}

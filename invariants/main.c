/* SPDX-License-Identifier: GPL-3.0-or-later */
/* invariants - add the inertia invariants I1..I11 to a body. */
#include "inertia.h"
#include <math.h>

static const char *mass;

static const fb_opt opts[] = {
    {"mass", 0, FB_TEXT, &mass, "NAME", 0, 0,
     "of a body with a mass matrix: consistent (solids; the default where it can be), rowsum (the default else) or diagonal"},
    {0}};

static int data_out(void)
{
    return 1;
}

/* Above this the nodal masses are no fair picture of the generalized mass: more than a rounded
 * export explains (7e-8 on real files), less than any lumping worth a warning. */
static const double mass_tolerance = 1e-3;

/* Against the invariants that the input prints, in shares of the largest entry of each. A dump prints
 * nodal inertias with 10 decimals, which explains 2e-6 on a real beam; a term left out shows as 5e-5 to
 * 1e-3 there. */
static const double reference_tolerance = 1e-5;

/* Shares of mass, static moment and inertia by which lumped masses may miss R'MR: above, a simulator
 * would swing another body. */
static const double lumping_tolerance = 1e-2;

static void judge_lumping(const fb_model *b, fb_log *log)
{
    const double *x = b->lumping_error;
    if (x && fmax(x[0], fmax(x[1], x[2])) > lumping_tolerance)
        fb_warn(log, "the %s masses miss the body's mass by %.2g, its static moment by %.2g and its inertia by %.2g: too few "
                "nodes carry the mass matrix, I1 to I5 and I7 to I11 are not to be trusted", b->mass_treatment, x[0], x[1], x[2]);
}

static void compare(const fb_model *b, fb_log *log)
{
    double error = 0;
    int k = b->T ? 0 : fb_invariants_reference(b, &error);
    if (k == 0)
        return;
    fb_note(log, "against the invariants that the input prints: largest deviation in I%d, %.2g of its largest entry", k,
            error);
    if (error > reference_tolerance)
        fb_warn(log, "I%d differs from what the input prints by %.2g of its largest entry (%.0e wanted)", k, error,
                reference_tolerance);
}

/* A generalized mass of zeros: no simulator can move such a body. */
static fb_status need_mass(const fb_model *b, const char *file, fb_err *e)
{
    const fb_mat M = {b->nr, b->nr, b->Mr};
    if (b->nr == 0 || fb_mat_max(&M) > 0)
        return FB_OK;
    return fb_fail(e, FB_EFORMAT, "%s: /reduced/M is zero: a body without mass has no invariants; does the model have a "
                   "mass matrix or nodal masses, and in which units?", file);
}

static fb_status run(fb_run *r, fb_err *e)
{
    static const char *const always[] = {"/nodes", "/dofs", "/full/M", "/reduced", "/reference", NULL};
    static const char *const modal[] = {"/nodes", "/dofs", "/reduced", "/reference", "/modes/shape", NULL};
    static const char *const mine[] = {"/invariants", NULL};
    fb_stream in = FB_STREAM_NONE;
    fb_model b = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_stream_open(&in, r->file[0], e));
    FB_TRY(fb_model_read(&in, &b, fb_stream_has(&in, "/reduced/T") ? always : modal, e));
    if (!b.Mr || !(b.T || b.shape)) {
        s = fb_fail(e, FB_EFORMAT, "%s: no generalized coordinates (/reduced); reduce makes them", in.name);
        goto out;
    }
    if (!b.dof_node || !b.node_id) {
        s = fb_fail(e, FB_EFORMAT, "%s: no %s", in.name, b.node_id ? "dof labels (/dofs)" : "node numbers (/nodes/id)");
        goto out;
    }
    FB_TRY(need_mass(&b, in.name, e));
    if (b.M.p && b.T) {
        FB_TRY(fb_invariants_full(&b, mass, &r->log, e));
        judge_lumping(&b, &r->log);
    } else if (mass) {
        s = fb_fail(e, FB_EUSAGE, "--mass chooses what to make of a mass matrix; this body has nodal masses alone");
        goto out;
    } else {
        FB_TRY(fb_invariants_nodal(&b, b.T ? b.T : b.shape, e));
        snprintf(b.mass_treatment, sizeof b.mass_treatment, "nodal");
    }
    double error = fb_invariants_mass_error(&b);
    fb_note(&r->log, "mass %.10g %s from %lld nodes; I6 against the generalized mass: %.2g of its largest entry",
            b.I[1][0], b.units.name[FB_MASS], (long long)b.nn, error);
    if (error > mass_tolerance)
        fb_warn(&r->log, "the nodal masses give a generalized mass (I6) that is off by %.2g of its largest entry",
                error);
    compare(&b, &r->log);
    snprintf(b.stage, sizeof b.stage, "invariants");
    s = fb_publish(r, &in, &b, mine, mine, e);
out:
    fb_model_free(&b);
    fb_stream_abandon(&in);
    return s;
}

static const fb_words words[] = {{"mass", "consistent rowsum diagonal"}, {0}};

static const fb_tool tool = {
    .words = words, .name = "invariants", .summary = "add the inertia invariants I1..I11 to a flexible body",
    .usage = "invariants [OPTION]... [FILE]", .opts = opts, .max_files = 1, .data_out = data_out, .run = run};

int main(int argc, char **argv)
{
    return fb_main(&tool, argc, argv);
}

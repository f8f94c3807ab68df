/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tool.c - reduce: reduce a flexible body to fewer generalized coordinates; its options. */
#include "accurate.h"
#include "cli.h"
#include "dofset.h"
#include "linalg/far.h"
#include "memory.h"
#include "publish.h"
#include "stream.h"
#include "full.h"
#include "modal.h"
#include "tool.h"
#include "verdict.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *method, *fix, *rayleigh, *modal_damping;
static double speed, stress_most;
static int as_viscous;
static int keep_time;
static fb_watch started;
static fb_reduceopt want = {.order = -1, .modes = -1, .tolerance = -1};
static int64_t order_of[FB_NMETHOD]; /* --cb N and its like; 0: not given */

/* The options of all methods; those of some stand between the two. */
static const fb_opt before[] = {
    {"method", 0, FB_TEXT, &method, "NAME", 0, 0,
     "reduction method; with --order, --modes, --fmax or --accurate-to"},
    {"order", 0, FB_INT, &want.order, "N", 1, 1e6,
     "order of the reduced model: number of generalized coordinates"},
    {"modes", 0, FB_INT, &want.modes, "K", 0, 1e6, "number of normal modes kept"},
    {"fmax", 0, FB_REAL, &want.fmax, "HZ", 1e-12, 1e15,
     "keep the normal modes up to this frequency in Hz"},
    {"accurate-to", 0, FB_REAL, &want.accurate_to, "HZ", 1e-12, 1e15,
     "with --method cb, imr or mdm, in the place of --order: the smallest order whose frequencies "
     "up to this one in Hz, and static answers at the boundary, are within --tolerance of the full "
     "body's; -v says what was tried"},
    {"tolerance", 0, FB_REAL, &want.tolerance, "SHARE", 1e-9, 1,
     "relative error that --accurate-to allows; default: 0.01"},
    {"interface", 0, FB_TEXT, &want.interface, "LIST", 0, 0,
     "boundary dofs: " FB_DOFSET_FORMS "; default: the body's interface nodes"},
    {"fix", 0, FB_TEXT, &fix, "LIST", 0, 0,
     "hold these dofs, written as --interface, at zero before reducing, e.g. the node of the "
     "reference frame: no rigid "
     "motion is left; without a method boundary coordinates of a body that is reduced already"},
    {"keep", 0, FB_TEXT, &want.keep, "LIST", 0, 0,
     "of the normal modes keep these alone: 1,4-9 by number, 0-500Hz by frequency, mass:0.01 or "
     "energy:0.01 with at least that share of effective mass or strain energy; without a method, "
     "of a body that is reduced already"},
    {"drop", 0, FB_TEXT, &want.drop, "LIST", 0, 0, "drop these normal modes, named as in --keep"},
    {"select", 0, FB_TEXT, &want.keep, "LIST", 0, 0, "another name of --keep"},
};
static const fb_opt behind[] = {
    {"loads", 0, FB_TEXT, &want.loads, "LIST", 0, 0,
     "attachment vectors of full models: the static answers to a unit load at each of these dofs, "
     "written as --interface, and to load vectors of mnfparse --load (load:NAME, load:all), beside "
     "the order asked for"},
    {"eigensolver", 0, FB_TEXT, &want.eigensolver, "NAME", 0, 0,
     "of full models: auto (the default), lanczos, arpack, dense"},
    {"memory", 0, FB_REAL, &want.memory, "GIB", 1e-6, 1e9,
     "memory a factor may take in GiB; default: what the machine has available"},
    {"no-sturm", 0, FB_FLAG, &want.no_sturm, NULL, 0, 0,
     "do not count the modes by the inertia of K - s M: saves a factorisation, and a mode may be "
     "missed"},
    {"check", 0, FB_FLAG, &want.check, NULL, 0, 0,
     "compute as many frequencies of the full model and compare them (/verdict/check, and -v)"},
    {"time", 0, FB_FLAG, &keep_time, NULL, 0, 0,
     "keep in the file how many seconds it took, for the summary of correlate: two runs no longer "
     "give the same bytes"},
    {"rayleigh", 0, FB_TEXT, &rayleigh, "ALPHA,BETA", 0, 0,
     "add alpha M + beta K to the damping of the reduced body"},
    {"modal-damping", 0, FB_TEXT, &modal_damping, "LIST", 0, 0,
     "add damping ratios of the reduced body's modes: 0.02, or 7:0.01,8-12:0.02 with the numbers "
     "of /reduced/frequency; the last one given for a mode counts"},
    {"structural-as-viscous", 0, FB_FLAG, &as_viscous, NULL, 0, 0,
     "make structural damping viscous, of the same loss at each mode of the reduced body"},
    {"speed", 0, FB_REAL, &speed, "RAD_S", -1e15, 1e15,
     "speed of rotation in rad/s for the poles: they are those of D + RAD_S G (mnfparse "
     "--gyroscopic); default: 0"},
    {"stress-tolerance", 0, FB_REAL, &stress_most, "SHARE", 1e-9, 1,
     "of full models with mnfparse --stress: what the shapes may lack of a coordinate, square root "
     "of its share of strain energy; default: 0.1"},
    {"orthonormalize", 0, FB_FLAG, &want.orthonormalize, NULL, 0, 0,
     "use the eigenvectors of the reduced pair as coordinates (Adams' form): M = 1, K = diag, "
     "rigid modes first"},
};
enum {
    NBEFORE = sizeof before / sizeof *before,
    NBEHIND = sizeof behind / sizeof *behind,
    NOWN = 16,
    NMORE = 4,
    NOPT = FB_NMETHOD + NBEFORE + NOWN + NBEHIND + NMORE + 1
};

/* What a full model's coordinates have of it. */
#define COORDINATE_STRESS "/stress/coordinate", "/stress/coordinate_strain", "/stress/residual"

/* --accurate-to finds the order itself, where there is one to find. */
static fb_status accurate_fits(const fb_method *m, int given, fb_err *e)
{
    if (given || want.keep || want.drop)
        return fb_fail(e, FB_EUSAGE,
                       "--accurate-to finds the order: give it without --order, --modes, --fmax, "
                       "--keep and --drop");
    if (want.no_sturm)
        return fb_fail(
            e, FB_EUSAGE,
            "--accurate-to counts the modes of the body, so that none is missed: give it "
            "without --no-sturm");
    if (m->grows == FB_GROWS_NOT)
        return fb_fail(
            e, FB_EUSAGE,
            "--accurate-to wants a method that adds modes (cb, imr, mdm): the order of %s "
            "is no such number",
            m->doc);
    if (!(want.tolerance > 0))
        want.tolerance = 0.01;
    return FB_OK;
}

/* Options that this method does not know, and an order that is missing or said twice. */
static fb_status fits(const fb_method *m, fb_err *e)
{
    int given = (want.order >= 0) + (want.modes >= 0) + (want.fmax > 0);
    for (const fb_method *const *other = fb_methods; *other; other++) {
        const char *stray = fb_own_stray((*other)->options, m->options, &want);
        if (stray)
            return fb_fail(e, FB_EUSAGE, "--%s is no option of %s", stray, m->doc);
    }
    if (want.accurate_to > 0)
        return accurate_fits(m, given, e);
    if (want.tolerance > 0)
        return fb_fail(e, FB_EUSAGE, "--tolerance is for --accurate-to HZ");
    if (given == 0 && want.keep && !m->masters && !m->any_order)
        return fb_cut_reach(&want, e);
    if (given != 1 && !(given == 0 && (m->masters || m->any_order)))
        return fb_fail(e, FB_EUSAGE,
                       "one of --order N, --modes K, --fmax HZ and --accurate-to HZ is wanted%s",
                       given > 1 && want.order >= 0
                           ? "; --cb N and its like are --order N: write --method NAME beside the "
                             "others"
                           : "");
    return FB_OK;
}

static fb_status unknown(fb_err *e)
{
    static const fb_meant meant[] = {{"craig-bampton", "cb"},
                                     {"craigbampton", "cb"},
                                     {"hurty", "cb"},
                                     {"cms", "cb"},
                                     {"static", "guyan"},
                                     {"irons", "guyan"},
                                     {"modal", "mdm"},
                                     {"ranking", "imr"},
                                     {"least-squares", "lsmr"},
                                     {"improved", "irs"},
                                     {"arnoldi", "krylov"},
                                     {"moments", "krylov"},
                                     {"rubin", "cb with --free-boundary"},
                                     {"craig-chang", "cb with --free-boundary"},
                                     {"herting", "cb with --free-boundary"},
                                     {0}};
    const char *write = fb_meaning(meant, method);
    fb_guess g = {0};
    for (const fb_method *const *m = fb_methods; *m; m++)
        fb_nearest(method, (*m)->name, &g);
    if (write || g.word)
        return fb_fail(e, FB_EUSAGE,
                       "unknown --method '%s': did you mean %s? --help lists the methods", method,
                       write ? write : g.word);
    return fb_fail(e, FB_EUSAGE, "unknown --method '%s'; --help lists the methods", method);
}

/* --fix, --keep and --drop alone: of a body that is reduced already. */
static int alone(void)
{
    return (fix || want.keep || want.drop) && want.order < 0 && want.modes < 0 && !(want.fmax > 0);
}

/* --cb N is short for --method cb --order N. */
static fb_status choose(const fb_method **out, fb_err *e)
{
    const fb_method *m = NULL;
    for (int k = 0; k < FB_NMETHOD; k++) {
        if (!order_of[k])
            continue;
        if (m || method || want.order >= 0)
            return fb_fail(
                e, FB_EUSAGE,
                "--%s N says method and order; give it once, without --method and --order",
                fb_methods[k]->name);
        m = fb_methods[k];
        want.order = order_of[k];
    }
    if (want.keep && want.drop)
        return fb_fail(e, FB_EUSAGE,
                       "--keep says what stays, --drop what goes: give one of the two");
    if (!m && !method && alone())
        return FB_OK;
    if (!m && !method && speed != 0)
        return fb_fail(
            e, FB_EUSAGE,
            "--speed is that of the poles which a reduction finds: give its method again, "
            "as --cb N --speed %g (poles at other speeds are other reductions)",
            speed);
    if (!m && !method)
        return fb_fail(
            e, FB_EUSAGE,
            "no method: give --cb N, or --method NAME with --order N, --modes K, --fmax HZ or "
            "--accurate-to HZ");
    if (!m && !(m = fb_method_find(method)))
        return unknown(e);
    *out = m;
    return fits(m, e);
}

/* The body's own modes as coordinates, those of the held body with --fix: N brings them back to the
 * input's modes. */
static fb_status coordinates(fb_model *b, fb_mat *N, fb_log *log, fb_err *e)
{
    int64_t *dof = NULL, n = 0;
    fb_mat H = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_own(b, N, log, e));
    if (!fix)
        return FB_OK;
    FB_TRY(fb_dofset(b, "--fix", fix, &dof, &n, log, e));
    FB_TRY(fb_modal_hold(b, dof, n, &H, e));
    s = fb_mat_times(N, &H, e);
out:
    fb_mat_free(&H);
    free(dof);
    return s;
}

/* --fix of a full model: the rows and columns of held dofs leave it. */
static fb_status hold_full(fb_model *b, fb_log *log, fb_err *e)
{
    int64_t *dof = NULL, n = 0;
    fb_status s = fb_dofset(b, "--fix", fix, &dof, &n, log, e);
    for (int64_t k = 0; !s && k < n; k++)
        b->dof_class[dof[k]] = FB_DOF_FIXED;
    free(dof);
    return s;
}

/* Dofs that an earlier --fix holds stay held. */
static fb_status remember_held(fb_model *b, fb_err *e)
{
    fb_buf list = {0};
    fb_log quiet = {0};
    int64_t *dof = NULL, n = 0;
    fb_status s = FB_OK;
    for (int64_t k = 0; b->held_node && k < b->nheld; k++)
        fb_put_text(&list, "%lld:%lld,", (long long)b->held_node[k],
                    (long long)b->held_component[k]);
    fb_put_bytes(&list, "", 1);
    FB_TRY(fb_buf_status(&list, e));
    if (b->nheld)
        FB_TRY(fb_dofset(b, "/reduced/held_node", (const char *)list.data, &dof, &n, &quiet, e));
    for (int64_t k = 0; k < n; k++)
        b->dof_class[dof[k]] = FB_DOF_FIXED;
    FB_FREE(b->held_node, b->held_component);
    b->nheld = 0;
out:
    fb_buf_free(&list);
    fb_log_free(&quiet);
    free(dof);
    return s;
}

/* A method starts from the full model, whatever the stream holds of an earlier one. */
static fb_status from_full(fb_stream *in, fb_log *log, fb_err *e)
{
    static const char *const wants[] = {"/reduced", NULL};
    fb_model b = {0};
    const fb_status s = fb_model_read(in, &b, wants, e);
    if (!s && strcmp(b.stage, "mnfparse")) /* whose superelements are reduced as they come */
        fb_warn(log,
                "the stream holds a reduced body (%s, order %lld) beside the full model: the full "
                "model is held by --fix and reduced anew; --fix without a method holds coordinates "
                "of the reduced body",
                b.method, (long long)b.nr);
    fb_model_free(&b);
    return s;
}

static void say(const fb_method *m, const fb_model *b, const fb_reduction *r, fb_log *log)
{
    fb_note(log,
            "%s: boundary %lld, normal %lld, dropped %lld, order %lld, highest frequency %.6g Hz",
            m->doc, (long long)r->nb, (long long)r->nn, (long long)r->ndropped, (long long)b->nr,
            b->nr ? b->frequency[b->nr - 1] : 0);
}

/* What the user says of damping and speed, and the poles that follow. */
static fb_status damp(fb_model *b, fb_log *log, fb_err *e)
{
    if (as_viscous)
        FB_PASS(fb_structural_as_viscous(b, log, e));
    FB_PASS(fb_damping(b, rayleigh, modal_damping, log, e));
    return fb_poles(b, speed, log, e);
}

/* Stress of the coordinates, of a full model that has that of shapes beside it. */
static fb_status give_stress(fb_model *b, fb_log *log, fb_err *e)
{
    if (stress_most > 0 && !b->stress_shape)
        return fb_fail(e, FB_EUSAGE,
                       "--stress-tolerance is for full models with stress beside them: mnfparse "
                       "--stress FILE reads it");
    return fb_stress_fit(b, stress_most > 0 ? stress_most : fb_stress_most, log, e);
}

/* V := N V, in terms of the input's modes again. */
static fb_status release(fb_model *b, const fb_mat *N, fb_err *e)
{
    const fb_mat V = {b->nm, b->nr, b->V};
    fb_mat NV = {0};
    FB_PASS(fb_mat_product(0, 0, N, &V, &NV, e));
    free(b->V);
    b->V = NV.x;
    b->nm = N->m;
    return FB_OK;
}

/* What --accurate-to tried goes to /verdict, with the frequencies of both bodies. */
static void keep_tries(fb_model *b, fb_accuracy *a)
{
    b->ntry = a->n;
    b->v_tries = a->tries;
    a->tries = NULL;
    if (want.check)
        return;
    b->ncheck = a->ncompared;
    b->v_check = a->compared;
    a->compared = NULL;
}

/* A body that was reduced already, and has no matrices of its own, is held by the coordinates that
 * it has now: they are its modes. Vold [nm x nr] brings them back to the input's. */
static fb_status once_more(fb_model *b, fb_mat *Vold, fb_log *log, fb_err *e)
{
    if (!b->T || !b->Kr || !b->Mr || !b->V)
        return FB_OK;
    fb_warn(log,
            "the body is reduced already (%s, order %lld): its coordinates are reduced again; the "
            "file mnfparse wrote has all its modes",
            b->method, (long long)b->nr);
    *Vold = (fb_mat){b->nm, b->nr, b->V};
    b->V = NULL;
    FB_FREE(b->shape, b->shape_imag, b->eigen, b->mode_number, b->mode_transform, b->kind);
    b->shape = b->T;
    b->T = NULL;
    b->nm = b->nr;
    return remember_held(b, e);
}

/* Files hold no times, unless the user says so. */
static void clock_to(fb_model *b)
{
    b->seconds[0] = 0;
    if (keep_time)
        snprintf(b->seconds, sizeof b->seconds, "%.3g", fb_watch_start().start - started.start);
}

/* A body held by modes. */
static fb_status reduce_modal(fb_run *run, fb_stream *in, const fb_method *m, fb_err *e)
{
    static const char *const wants[] = {
        "/nodes",      "/dofs",      "/modes",          "/sets",      "/reduced", "/interface",
        "/connectors", "/full/load", "/full/load_name", "/geometric", NULL};
    static const char *const mine[] = {"/reduced", "/connectors", "/interface",
                                       "/verdict", "/poles",      NULL};
    static const char *const stale[] = {"/reduced",       "/connectors", "/interface",  "/verdict",
                                        "/participation", "/poles",      "/invariants", NULL};
    const char *only_full = want.loads         ? "--loads"
                            : want.check       ? "--check"
                            : want.no_sturm    ? "--no-sturm"
                            : want.eigensolver ? "--eigensolver"
                                               : NULL;
    fb_model b = {0};
    fb_reduction r = {0};
    fb_mat N = {0}, modes = {0};
    fb_accuracy tries = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_model_read(in, &b, wants, e));
    FB_TRY(give_stress(&b, &run->log, e)); /* its modes have their own */
    if (!b.vector)
        FB_FREE(b.load, b.load_dof, b.load_name);
    FB_TRY(once_more(&b, &modes, &run->log, e));
    FB_TRY(fb_stream_with_shapes(in, e));
    if (!b.shape || !b.Kr || !b.Mr || !b.dof_node || b.nr != b.nm)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "%s: neither stiffness and mass matrices nor modes to reduce: name both "
                       "matrices to mnfparse, or take the stream of which a link record was made",
                       in->name));
    if (only_full)
        FB_TRY(
            fb_fail(e, FB_EUSAGE,
                    "%s is for bodies with stiffness and mass matrices; this one is held by modes",
                    only_full));
    FB_TRY(coordinates(&b, &N, &run->log, e));
    FB_TRY(want.accurate_to > 0 ? fb_accurate_modal(m, &b, &want, &r, &tries, &run->log, e)
                                : fb_method_modal(m, &b, &want, &r, &run->log, e));
    FB_TRY(fb_reduction_cut(&b, &want, &r, &run->log, e));
    if (want.orthonormalize)
        FB_TRY(fb_modal_orthonormalize(&b, &r, e));
    else
        FB_TRY(fb_modal_prove(&b, &r, &run->log, e));
    FB_TRY(fb_reduction_apply_take(&b, &r, &want, m->name, &run->log, e));
    FB_TRY(release(&b, &N, e));
    if (modes.x)
        FB_TRY(release(&b, &modes, e));
    FB_TRY(damp(&b, &run->log, e));
    say(m, &b, &r, &run->log);
    FB_TRY(fb_verdict(&b, &r.check, NULL, 0, &run->log, e));
    keep_tries(&b, &tries);
    clock_to(&b);
    s = fb_publish(run, in, &b, mine, stale, e);
out:
    FB_FREE_BY(fb_mat_free, &N, &modes);
    fb_accuracy_free(&tries);
    fb_reduction_free(&r);
    fb_model_free(&b);
    return s;
}

/* Nodal masses for those who know nothing else: exporters, invariants without M. */
static fb_status lumps(fb_model *b, fb_log *log, fb_err *e)
{
    double *m = NULL, *J = NULL;
    if (!b->node_id || b->node_mass)
        return FB_OK;
    fb_status s = fb_model_lump(b, &m, &J, e);
    if (s == FB_EFORMAT) {
        fb_note(log, "no /nodes/mass: %s", e->msg);
        *e = (fb_err){0};
        return FB_OK;
    }
    if (s)
        return s;
    b->node_mass = m;
    free(b->node_inertia);
    b->node_inertia = J;
    return FB_OK;
}

/* The reduction of a full model, which lends K and M to the method: where they are gone after it
 * they are read again. */
static fb_status by_blocks(fb_stream *in, const fb_method *m, fb_model *b, fb_reduction *r,
                           fb_log *log, fb_err *e)
{
    static const char *const both[] = {"/full/K", "/full/M", NULL};
    fb_reduceopt o = want;
    fb_model again = {0};
    o.lender = b;
    FB_PASS(fb_method_full(m, b, &o, r, log, e));
    if (b->K.p && b->M.p)
        return FB_OK;
    const fb_watch w = fb_watch_start();
    FB_PASS(fb_model_read(in, &again, both, e));
    const int same = again.K.p && again.M.p && again.ndof == b->ndof;
    if (same) {
        b->K = again.K;
        b->M = again.M;
        again.K = again.M = (fb_csc){0};
    }
    fb_model_free(&again);
    fb_watch_note(&w, log, "input again");
    return same ? FB_OK
                : fb_fail(e, FB_EFORMAT, "%s has changed while it was being reduced", in->name);
}

/* A body that has stiffness and mass matrices. */
static fb_status reduce_full(fb_run *run, fb_stream *in, const fb_method *m, fb_err *e)
{
    static const char *const wants[] = {"/nodes",  "/dofs",      "/full",      "/sets",
                                        "/basis",  "/recovery",  "/interface", "/connectors",
                                        "/stress", "/geometric", NULL};
    static const char *const mine[] = {"/nodes",     "/reduced",        "/connectors",
                                       "/interface", "/verdict",        "/participation",
                                       "/poles",     COORDINATE_STRESS, NULL};
    static const char *const stale[] = {"/reduced",    "/connectors",     "/interface",
                                        "/verdict",    "/participation",  "/poles",
                                        "/invariants", COORDINATE_STRESS, NULL};
    fb_model b = {0};
    fb_reduction r = {0};
    fb_accuracy tries = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_model_read(in, &b, wants, e));
    fb_watch_note(&started, &run->log, "start and input");
    if (!b.dof_node || !b.dof_component || !b.dof_class)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: matrices without /dofs", in->name));
    if (fix && fb_stream_has(in, "/reduced/T"))
        FB_TRY(from_full(in, &run->log, e));
    if (fix)
        FB_TRY(hold_full(&b, &run->log, e));
    FB_TRY(want.accurate_to > 0 ? fb_accurate_full(m, &b, &want, &r, &tries, &run->log, e)
                                : by_blocks(in, m, &b, &r, &run->log, e));
    FB_TRY(fb_reduction_cut(&b, &want, &r, &run->log, e));
    FB_TRY(fb_reduction_apply_take(&b, &r, &want, m->name, &run->log, e));
    FB_TRY(give_stress(&b, &run->log, e));
    FB_TRY(damp(&b, &run->log, e));
    say(m, &b, &r, &run->log);
    FB_TRY(fb_verdict(&b, &r.check, r.load, r.nload, &run->log, e));
    keep_tries(&b, &tries);
    if (want.check)
        FB_TRY(fb_verdict_compare(&b, &want, &run->log, e));
    FB_TRY(lumps(&b, &run->log, e));
    clock_to(&b);
    const fb_watch writing = fb_watch_start();
    FB_TRY(fb_publish(run, in, &b, mine, stale, e));
    fb_watch_note(&writing, &run->log, "output");
out:
    fb_accuracy_free(&tries);
    fb_reduction_free(&r);
    fb_model_free(&b);
    return s;
}

/* An option that is about a method, as given; NULL: none is. */
static const char *of_a_method(void)
{
    const struct {
        const char *name;
        int given;
    } all[] = {{"interface", want.interface != NULL},
               {"loads", want.loads != NULL},
               {"check", want.check},
               {"accurate-to", want.accurate_to > 0},
               {"tolerance", want.tolerance > 0},
               {"eigensolver", want.eigensolver != NULL},
               {"memory", want.memory > 0},
               {"no-sturm", want.no_sturm}};
    const char *stray = NULL;
    for (size_t k = 0; !stray && k < sizeof all / sizeof *all; k++)
        if (all[k].given)
            stray = all[k].name;
    for (const fb_method *const *m = fb_methods; !stray && *m; m++)
        stray = fb_own_stray((*m)->options, NULL, &want);
    return stray;
}

/* --fix, --keep, --drop without a method: the body that is reduced already, less some
 * coordinates. */
static fb_status reduce_again(fb_run *run, fb_stream *in, fb_err *e)
{
    static const char *const wants[] = {
        "/nodes",         "/dofs",          "/full",   "/sets",      "/recovery",
        "/interface",     "/connectors",    "/modes",  "/reduced",   "/verdict/residual",
        "/verdict/sturm", "/verdict/shift", "/stress", "/geometric", NULL};
    static const char *const mine[] = {
        "/reduced",       "/connectors", "/interface",      "/verdict",
        "/participation", "/poles",      COORDINATE_STRESS, NULL};
    static const char *const stale[] = {"/reduced",    "/connectors",     "/interface",
                                        "/verdict",    "/participation",  "/poles",
                                        "/invariants", COORDINATE_STRESS, NULL};
    fb_model b = {0};
    fb_reduction r = {0};
    int64_t *dof = NULL, n = 0;
    char name[sizeof b.method];
    fb_status s = FB_OK;
    const char *stray = of_a_method();
    if (stray)
        FB_TRY(fb_fail(e, FB_EUSAGE, "--%s wants a method", stray));
    FB_TRY(fb_model_read(in, &b, wants, e));
    FB_TRY(fb_reduction_of_take(&b, &r, e));
    FB_TRY(remember_held(&b, e));
    if (fix) {
        FB_TRY(fb_dofset(&b, "--fix", fix, &dof, &n, &run->log, e));
        FB_TRY(fb_reduction_hold(&b, dof, n, &r, e));
    }
    FB_TRY(fb_reduction_cut(&b, &want, &r, &run->log, e));
    snprintf(name, sizeof name, "%.*s", (int)strcspn(b.method, ","), b.method);
    FB_FREE(b.gravity, b.v_residual, b.v_sturm, b.v_shift);
    FB_TRY(fb_reduction_apply_take(&b, &r, &want, name, &run->log, e));
    FB_TRY(fb_reduction_carry(&b, &r.W, e));
    if (b.stress_shape || stress_most > 0)
        FB_TRY(give_stress(&b, &run->log, e));
    FB_TRY(damp(&b, &run->log, e));
    fb_note(&run->log, "%lld coordinates are left: boundary %lld, normal %lld", (long long)b.nr,
            (long long)r.nb, (long long)r.nn);
    FB_TRY(fb_verdict(&b, &r.check, r.load, r.nload, &run->log, e));
    clock_to(&b);
    s = fb_publish(run, in, &b, mine, stale, e);
out:
    free(dof);
    fb_reduction_free(&r);
    fb_model_free(&b);
    return s;
}

/* Who meets a limit wants to know what would do. */
static fb_status with_advice(fb_status s, fb_err *e)
{
    static const char advice[] = "; `reduce -v` says what all of it takes (memory forecast): allow "
                                 "more (ulimit -v, -d), want fewer modes, or take the memory of "
                                 "several processes: mpirun -n 2 reduce-mpi";
    const size_t at = strlen(e->msg);
    if (s == FB_ESYS && !fb_far && strstr(e->msg, "out of memory") &&
        !strstr(e->msg, "reduce-mpi") && at + sizeof advice <= sizeof e->msg)
        memcpy(e->msg + at, advice, sizeof advice);
    return s;
}

/* Texts that no body is wanted to judge are refused before one is read. */
static fb_status check_texts(const fb_method *m, fb_err *e)
{
    if (want.eigensolver)
        FB_PASS(fb_eigensolver_check(want.eigensolver, e));
    FB_PASS(fb_damping_check(rayleigh, modal_damping, e));
    FB_PASS(fb_cut_check(&want, e));
    return m && m->check ? m->check(&want, e) : FB_OK;
}

static fb_status run(fb_run *run, fb_err *e)
{
    const fb_method *m = NULL;
    fb_stream in = FB_STREAM_NONE;
    fb_status s = FB_OK;
    started = fb_watch_start();
    FB_TRY(choose(&m, e));
    FB_TRY(check_texts(m, e));
    FB_TRY(fb_stream_open(&in, run->file[0], e));
    if (fb_far && fb_stream_has(&in, "/full/Kg"))
        FB_TRY(fb_fail(e, FB_EUSAGE,
                       "%s holds geometric stiffness, which this program does not carry: reduce it "
                       "by reduce",
                       in.name));
    if (!m)
        s = reduce_again(run, &in, e);
    else if (fb_stream_has(&in, "/full/K") && fb_stream_has(&in, "/full/M"))
        s = with_advice(reduce_full(run, &in, m, e), e);
    else
        s = reduce_modal(run, &in, m, e);
out:
    fb_stream_abandon(&in);
    return s;
}

int fb_reduce_main(int argc, char **argv, const char *name, const fb_opt *more)
{
    static fb_opt opts[NOPT];
    static char help[FB_NMETHOD][200], names[FB_NMETHOD * 16];
    const fb_words words[] = {{"method", names}, {"eigensolver", "auto lanczos arpack dense"}, {0}};
    const char *usage =
        more ? "mpirun -n RANKS reduce-mpi [OPTION]... [FILE]" : "reduce [OPTION]... [FILE]";
    int n = 0;
    for (; n < FB_NMETHOD; n++) {
        const char *masters = fb_methods[n]->masters
                                  ? ", to N master dofs (--masters, else --interface; a full model "
                                    "finds those missing)"
                                  : "";
        snprintf(help[n], sizeof help[n], "%s%s; short for --method %s --order N",
                 fb_methods[n]->doc, masters, fb_methods[n]->name);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", n ? " " : "",
                 fb_methods[n]->name);
        opts[n] = (fb_opt){fb_methods[n]->name, 0, FB_INT, &order_of[n], "N", 1, 1e6, help[n]};
    }
    memcpy(opts + n, before, sizeof before);
    n += NBEFORE;
    for (int k = 0; k < FB_NMETHOD; k++)
        n = fb_own_add(fb_methods[k]->options, &want, opts, n, NOPT - NBEHIND - NMORE);
    memcpy(opts + n, behind, sizeof behind);
    for (n += NBEHIND; more && more->name; more++)
        opts[n++] = *more;
    const fb_tool tool = {
        .name = name,
        .summary = "reduce a flexible body to fewer generalized coordinates",
        .usage = usage,
        .example = "mnfparse beam.mnf | reduce --cb 18 --interface 1,21 | mnfparse --info",
        .opts = opts,
        .words = words,
        .max_files = 1,
        .data_out = more ? NULL : fb_data_always, /* mpirun gives its ranks terminals */
        .run = run};
    return fb_main(&tool, argc, argv);
}

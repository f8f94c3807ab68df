/* SPDX-License-Identifier: GPL-3.0-or-later */
/* info.c - a page about a body, for people. */
#include "info.h"
#include "geometric.h"
#include "bytes.h"
#include "linalg/sparse.h"
#include "memory.h"
#include "model.h"
#include "sentences.h"
#include "status.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mass, centre and inertia about the centre from nodal masses:
 *   (INF.1) m = sum m_p,  c = sum m_p u_p / m
 *   (INF.2) Jc = sum [ m_p ((r.r) I - r r') + J_p ],  r = u_p - c                             */
double fb_node_inertia(const fb_model *b, double c[3], double J[9])
{
    double m = 0;
    for (int a = 0; a < 3; a++)
        c[a] = 0;
    for (int64_t p = 0; p < b->nn; p++) {
        m += b->node_mass[p];
        for (int a = 0; a < 3; a++)
            c[a] += b->node_mass[p] * b->xyz[3 * p + a];
    }
    for (int a = 0; a < 3; a++) {
        c[a] = m > 0 ? c[a] / m : 0;
        for (int d = 0; d < 3; d++)
            J[3 * a + d] = 0;
    }
    for (int64_t p = 0; p < b->nn; p++) {
        double r[3], rr = 0;
        for (int a = 0; a < 3; a++) {
            r[a] = b->xyz[3 * p + a] - c[a];
            rr += r[a] * r[a];
        }
        for (int a = 0; a < 3; a++)
            for (int d = 0; d < 3; d++)
                J[3 * a + d] += b->node_mass[p] * ((a == d) * rr - r[a] * r[d]) +
                                (b->node_inertia ? b->node_inertia[9 * p + 3 * a + d] : 0);
    }
    return m;
}

static void source(const fb_model *b, fb_buf *o)
{
    if (b->format[0])
        fb_put_text(o, "Format           %s\n", b->format);
    if (b->producer[0])
        fb_put_text(o, "Producer         %s\n", b->producer);
    if (b->source[0])
        fb_put_text(o, "Made from        %s\n", b->source);
    if (b->title[0])
        fb_put_text(o, "Title            %s\n", b->title);
    if (b->date[0])
        fb_put_text(o, "Date             %s\n", b->date);
    for (int k = 0; k < 3; k++)
        if (b->comment[k][0])
            fb_put_text(o, "Comment          %s\n", b->comment[k]);
    fb_put_text(o, "Units            %s\n", fb_units_list(&b->units).s);
}

static void classes(const fb_model *b, fb_buf *o)
{
    static const char *const name[] = {"physical", "generalized", "internal", "multipliers",
                                       "held"};
    FB_ROWS(name, FB_NDOFCLASS);
    int64_t n[FB_NDOFCLASS] = {0};
    const char *sep = "";
    if (!b->K.p || !b->dof_class)
        return;
    for (int64_t d = 0; d < b->ndof; d++)
        n[b->dof_class[d]]++;
    fb_put_text(o, "                 ");
    for (int k = 0; k < FB_NDOFCLASS; k++)
        if (n[k]) {
            fb_put_text(o, "%s%lld %s", sep, (long long)n[k], name[k]);
            sep = ", ";
        }
    if (b->na)
        fb_put_text(o, "; %lld in the input", (long long)b->na);
    fb_put_text(o, "\n");
}

static void counts(const fb_model *b, fb_buf *o)
{
    if (b->nn || !b->nc) /* a link record has connectors alone */
        fb_put_text(o, "Nodes            %lld\n", (long long)b->nn);
    if (b->ndof)
        fb_put_text(o, "Dofs             %lld\n", (long long)b->ndof);
    classes(b, o);
    if (b->nm)
        fb_put_text(o, "Modes            %lld\n", (long long)b->nm);
    if (b->face_offset)
        fb_put_text(o, "Faces            %lld\n", (long long)b->nf1 - 1);
    if (b->stress_node)
        fb_put_text(o, "Stress nodes     %lld\n", (long long)b->ns);
    if (b->method[0])
        fb_put_text(o, "Reduced by       %s\nOrder            %lld\n", b->method, (long long)b->nr);
}

static fb_status box(const fb_model *b, fb_buf *o, fb_err *e)
{
    const char *m = b->units.name[FB_MASS], *l = b->units.name[FB_LENGTH];
    double lo[3], hi[3], V = 0;
    if (!b->xyz || !(fb_box_diagonal(b->xyz, b->nn) > 0))
        return FB_OK;
    fb_box(b->xyz, b->nn, lo, hi);
    fb_put_text(o, "Box of the nodes %.6g .. %.6g, %.6g .. %.6g, %.6g .. %.6g %s\n", lo[0], hi[0],
                lo[1], hi[1], lo[2], hi[2], l);
    fb_status s = fb_node_volume(b, &V, e);
    const double f = b->units.factor[FB_MASS], g = b->units.factor[FB_LENGTH],
                 rho = V > 0 ? fb_total_mass(b) / V : 0;
    if (rho > 0 && f > 0 && g > 0)
        fb_put_text(o, "Mass over box    %.4g kg/m^3, at most the density\n",
                    rho * f / (g * g * g));
    else if (rho > 0)
        fb_put_text(o, "Mass over box    %.4g %s/%s^3, at most the density\n", rho, m, l);
    return s;
}

/* ---- full models ------------------------------------------------------------------------ */

static void matrices(const fb_model *b, fb_buf *o)
{
    enum { KMD = 3, ALL = 6 };
    const fb_csc *A[ALL] = {&b->K, &b->M, &b->D, &b->S, &b->gyroscopic, &b->N};
    static const char *const name[ALL] = {"Stiffness",  "Mass",       "Damping",
                                          "Structural", "Gyroscopic", "Circulatory"};
    if (b->matrices[0])
        fb_put_text(o, "Matrices         %s\n", b->matrices);
    if (b->unused[0])
        fb_put_text(o, "Not used         %s\n", b->unused);
    for (int k = 0; k < ALL; k++) {
        if (!A[k]->p)
            continue;
        fb_put_text(o, "%-16s %lld by %lld, %lld entries%s", name[k], (long long)A[k]->m,
                    (long long)A[k]->n, (long long)A[k]->p[A[k]->n],
                    A[k]->upper ? " in the upper half" : "");
        if (b->asymmetry && k < KMD)
            fb_put_text(o, ", asymmetry %.2g", b->asymmetry[k]);
        fb_put_text(o, "\n");
    }
    for (int64_t k = 0; b->kg_node && k < b->nkg; k++) {
        const fb_geoload l = fb_geoload_of(b, k);
        char text[300];
        fb_geoload_text(&l, text, sizeof text);
        fb_put_text(o, "%-16s of load %lld: %s\n", k ? "" : "Geometric", (long long)k + 1, text);
    }
}

static void balance(const fb_model *b, fb_buf *o)
{
    const char *m = b->units.name[FB_MASS], *l = b->units.name[FB_LENGTH];
    if (b->total_mass)
        fb_put_text(o, "\nMass x, y, z     %.10g %.10g %.10g %s\n", b->total_mass[0],
                    b->total_mass[1], b->total_mass[2], m);
    else if (b->K.p && b->M.p && b->check_kind)
        fb_put_text(o, "\nMass x, y, z     not known: dofs that nothing places\n");
    if (b->mass_center)
        fb_put_text(o, "Centre           %.10g %.10g %.10g %s\n", b->mass_center[0],
                    b->mass_center[1], b->mass_center[2], l);
    for (int a = 0; b->mass_inertia && a < 3; a++)
        fb_put_text(o, "%-16s %14.7g %14.7g %14.7g%s%s%s%s%s\n", a ? "" : "Inertia, centre",
                    b->mass_inertia[3 * a], b->mass_inertia[3 * a + 1], b->mass_inertia[3 * a + 2],
                    a ? "" : "   ", a ? "" : m, a ? "" : " ", a ? "" : l, a ? "" : "^2");
    if (b->rigid_residual) {
        fb_put_text(o, "K r, relative   ");
        for (int64_t k = 0; k < b->nmotion; k++)
            fb_put_text(o, " %.2g", b->rigid_residual[k]);
        fb_put_text(o, "%s\n", b->nmotion < 6 ? ", rotations not known" : "");
    } else if (b->check_kind && b->K.p) {
        fb_put_text(o, "K r, relative    not known: dofs that nothing places\n");
    }
}

static void findings(const fb_model *b, fb_buf *o)
{
    static const char *const name[] = {
        [FB_CHECK_NULL] = "No K, no M",        [FB_CHECK_SUPPORT] = "Supports",
        [FB_CHECK_MASSLESS] = "Massless",      [FB_CHECK_NEGATIVE] = "Negative mass",
        [FB_CHECK_UNIT] = "Unit rows",         [FB_CHECK_PART] = "Loose parts",
        [FB_CHECK_MULTIPLIER] = "Multipliers", [FB_CHECK_HELD] = "Held"};
    FB_ROWS(name, FB_NCHECK);
    enum { SHOWN = 12 };
    if (!b->check_kind)
        return;
    fb_put_text(o, "\nChecks of dofs   %s\n", b->nk ? "by node.component" : "nothing found");
    for (int kind = 0; kind < FB_NCHECK; kind++) {
        int64_t n = 0;
        for (int64_t k = 0; k < b->nk; k++)
            n += b->check_kind[k] == kind;
        if (!n)
            continue;
        fb_put_text(o, "%-16s %lld:", name[kind], (long long)n);
        for (int64_t k = 0, shown = 0; k < b->nk && shown < SHOWN; k++) {
            if (b->check_kind[k] != kind)
                continue;
            shown++;
            fb_put_text(o, " %lld", (long long)b->check_node[k]);
            if (b->check_component[k])
                fb_put_text(o, ".%lld", (long long)b->check_component[k]);
        }
        fb_put_text(o, "%s\n", n > SHOWN ? " ..." : "");
    }
}

/* ---- modal bodies ----------------------------------------------------------------------- */

static void inertia_page(const fb_model *b, fb_buf *o)
{
    static const char *const stated[3] = {"Inertia, origin", "as stated, with", "products +m x y"};
    const char *m = b->units.name[FB_MASS], *l = b->units.name[FB_LENGTH];
    if (b->ref_mass)
        fb_put_text(o, "\nMass as stated   %.10g %s\n", b->ref_mass[0], m);
    if (b->ref_com)
        fb_put_text(o, "Centre as stated %.10g %.10g %.10g %s\n", b->ref_com[0], b->ref_com[1],
                    b->ref_com[2], l);
    for (int a = 0; b->ref_inertia && a < 3; a++)
        fb_put_text(o, "%-16s %14.7g %14.7g %14.7g%s%s%s%s%s\n", stated[a],
                    b->ref_inertia[3 * a] + 0.0, b->ref_inertia[3 * a + 1] + 0.0,
                    b->ref_inertia[3 * a + 2] + 0.0, a ? "" : "   ", a ? "" : m, a ? "" : " ",
                    a ? "" : l, a ? "" : "^2");
    if (!b->node_mass || !b->xyz)
        return;
    double c[3], J[9], mass = fb_node_inertia(b, c, J);
    fb_put_text(o, "\nSum of nodes     %.10g %s, centre %.10g %.10g %.10g %s\n", mass, m, c[0],
                c[1], c[2], l);
    for (int a = 0; a < 3; a++)
        fb_put_text(o, "%-16s %14.7g %14.7g %14.7g%s%s%s%s%s\n", a ? "" : "Inertia, centre",
                    J[3 * a], J[3 * a + 1], J[3 * a + 2], a ? "" : "   ", a ? "" : m, a ? "" : " ",
                    a ? "" : l, a ? "" : "^2");
}

/* ---- reduced bodies --------------------------------------------------------------------- */

/* Of a body that a tool behind mnfparse has judged, or ought to have. */
static void verdict(const fb_model *b, fb_buf *o)
{
    static const char *const grade[] = {[FB_GOOD] = "good", [FB_LOOK] = "look", [FB_BAD] = "bad"};
    fb_sentence t[FB_NSENTENCE];
    if (!b->Kr && !b->v_composite)
        return;
    const int n = fb_sentences(b, t);
    fb_put_text(o, "\nVerdict\n");
    for (int k = 0; k < n; k++) {
        fb_put_text(o, "  %-4s  ", grade[t[k].grade]);
        fb_put_wrapped(o, t[k].say, 8, 8);
        fb_put_text(o, t[k].numbers[0] ? "\n          " : "");
        fb_put_wrapped(o, t[k].numbers, 10, 10);
        fb_put_text(o, "\n");
    }
}

enum { MASS6 = 6 };

/* In percent of the mass (x, y, z) and the inertia about the axes of the origin, as far as
 * known. */
static void effective(const fb_model *b, const double *mass, fb_buf *o)
{
    for (int64_t c = 0; c < b->nrigid; c++) {
        const double all = b->v_mass_full[c * (b->nrigid + 1)];
        const double percent = all > 0 ? 100 * mass[c] / all : 0;
        if (fabs(percent) < 0.005)
            fb_put_text(o, "%8s", "-");
        else
            fb_put_text(o, "%8.2f", percent);
    }
}

/* The roots of the reduced pair; beside them those of the full body, and effective masses. */
static void reduced_frequencies(const fb_model *b, fb_buf *o)
{
    static const char *const axis[MASS6] = {"x", "y", "z", "about x", "about y", "about z"};
    const int masses = b->p_mass && b->v_mass_full && b->nrigid <= MASS6;
    double total[MASS6] = {0};
    fb_put_text(o, "\nModes of the reduced body%s\n  mode  frequency [Hz]",
                masses ? "; effective masses in % of mass and inertia, about the origin" : "");
    if (b->v_check)
        fb_put_text(o, "  full body [Hz]  error [%%]");
    for (int64_t c = 0; masses && c < b->nrigid; c++)
        fb_put_text(o, "%8s", axis[c]);
    fb_put_text(o, "\n");
    for (int64_t k = 0; k < b->nr; k++) {
        const double f = b->frequency[k];
        fb_put_text(o, "%6lld %15.6f", (long long)k + 1, f);
        if (b->v_check && k < b->ncheck) {
            const double full = b->v_check[2 * k];
            fb_put_text(o, " %15.6f", full);
            if (full != 0 && f != 0)
                fb_put_text(o, " %10.4f", 100 * (f / full - 1));
            else
                fb_put_text(o, " %10s", fb_hertz_error(f, full) > 0 ? "not rigid" : "rigid");
        } else if (b->v_check) {
            fb_put_text(o, " %15s %10s", "", "");
        }
        if (masses)
            effective(b, b->p_mass + k * b->nrigid, o);
        for (int64_t c = 0; masses && c < b->nrigid; c++)
            total[c] += b->p_mass[k * b->nrigid + c];
        fb_put_text(o, "\n");
    }
    if (!masses)
        return;
    fb_put_text(o, "%-22s%*s", "   all", b->v_check ? 27 : 0, "");
    effective(b, total, o);
    fb_put_text(o, "\n");
}

static void poles(const fb_model *b, fb_buf *o)
{
    if (!b->pole_frequency || !b->pole_damping)
        return;
    fb_put_text(o, "\nPoles of the reduced body");
    if (b->pole_speed && b->pole_speed[0] != 0)
        fb_put_text(o, " at %.6g rad/s", b->pole_speed[0] / fb_units_time(&b->units));
    fb_put_text(o, "\n  pole  frequency [Hz]  damping ratio\n");
    for (int64_t k = 0; k < b->npole; k++)
        fb_put_text(o, "%6lld %15.6f  %13.6f%s\n", (long long)k + 1, b->pole_frequency[k],
                    b->pole_damping[k],
                    b->pole_damping[k] < 0                                ? "  unstable"
                    : b->pole_frequency[k] > 0 || b->pole_damping[k] == 0 ? ""
                                                                          : "  real");
}

static void frequencies(const fb_model *b, fb_buf *o)
{
    if (b->eigen) {
        fb_put_text(o, "\n  mode   frequency [Hz]   generalized mass   generalized stiffness%s\n",
                    b->mode_damping ? "   damping [%]" : "");
        for (int64_t k = 0; k < b->nm; k++) {
            const double *v = b->eigen + 5 * k;
            fb_put_text(o, "%6lld %16.6f", (long long)b->mode_number[k], v[1]);
            if (v[3] > 0)
                fb_put_text(o, " %18.9g %23.9g", v[3], v[4]);
            else /* not known */
                fb_put_text(o, " %18s %23s", "-", "-");
            if (b->mode_damping && b->mode_damping[k] > 0)
                fb_put_text(o, " %13.5g", 100 * b->mode_damping[k]);
            fb_put_text(o, "\n");
        }
    }
    if (b->frequency && (b->method[0] || !b->eigen))
        reduced_frequencies(b, o);
    poles(b, o);
}

/* "Named sets   LEFT (1 node), EDGE (12 nodes)"; some have hundreds. */
static void sets(const fb_model *b, fb_buf *o)
{
    enum { MOST = 24 };
    const char *head = "\nNamed sets       ";
    for (int64_t k = 0; b->set_name && b->set_offset && k < b->nset && k < MOST; k++) {
        const int64_t n = b->set_offset[k + 1] - b->set_offset[k];
        fb_put_text(o, "%s%-30s %lld node%s\n", head, b->set_name[k], (long long)n,
                    n == 1 ? "" : "s");
        head = "                 ";
    }
    if (b->set_name && b->nset > MOST)
        fb_put_text(o, "%s... %lld in all\n", head, (long long)b->nset);
}

/* "Loads            gravity, spin" of the full model, else of the reduced one. */
static void loads(const fb_model *b, fb_buf *o)
{
    enum { MOST = 12 };
    char(*const name)[FB_NAME] = b->vector_name ? b->vector_name : b->load_name;
    const int64_t n = b->vector_name ? b->nvector : b->nload;
    for (int64_t k = 0; name && k < n && k < MOST; k++)
        fb_put_text(o, "%s%s", k ? ", " : "\nLoads            ", name[k]);
    if (name && n > MOST)
        fb_put_text(o, ", ... (%lld in all)", (long long)n);
    if (name && n)
        fb_put_text(o, "\n");
}

static void interface(const fb_model *b, fb_buf *o)
{
    if (b->interface_dof)
        fb_put_text(o, "\nInterface dofs   %lld\n", (long long)b->nb);
    if (!b->connector_node)
        return;
    fb_put_text(o, "\n  interface node                position [%s]\n", b->units.name[FB_LENGTH]);
    for (int64_t k = 0; k < b->nc; k++) {
        fb_put_text(o, "%8lld", (long long)b->connector_node[k]);
        for (int a = 0; b->connector_position && a < 3; a++)
            fb_put_text(o, " %16.9g", b->connector_position[3 * k + a]);
        const char *name = fb_node_name(b, b->connector_node[k]);
        fb_put_text(o, "%s%s\n", name ? "   " : "", name ? name : "");
    }
}

/* ---- how it was made ----------------------------------------------------------------------- */

static const char mark[] = "warning: "; /* before a warning in /history */

static int64_t warnings(const fb_history *h, const fb_log *log)
{
    int64_t n = log ? log->nwarning : 0;
    for (int64_t k = 0; h && k < h->n; k++)
        n += !strncmp(h->lines + (size_t)k * h->width, mark, sizeof mark - 1);
    return n;
}

/* What other programs may have written reaches no terminal as it is. */
static fb_status line(const char *text, int warning, fb_buf *o, fb_err *e)
{
    char *plain = NULL;
    FB_PASS(fb_copy(&plain, text, (int64_t)strlen(text) + 1, 1, "a line of the page", e));
    fb_plain_text(plain);
    fb_put_text(o, "%s%s", warning ? "    " : "  ",
                warning && strncmp(text, mark, sizeof mark - 1) ? mark : "");
    fb_put_wrapped(o, plain, warning ? 4 + (int)sizeof mark : 2, 6);
    fb_put_text(o, "\n");
    free(plain);
    return FB_OK;
}

static fb_status made(const fb_history *h, const fb_log *log, fb_buf *o, fb_err *e)
{
    if (h && h->n)
        fb_put_text(o, "\nMade by\n");
    for (int64_t k = 0; h && k < h->n; k++) {
        const char *text = h->lines + (size_t)k * h->width;
        FB_PASS(line(text, !strncmp(text, mark, sizeof mark - 1), o, e));
    }
    if (log && log->nwarning && !(h && h->n))
        fb_put_text(o, "\nWarnings\n");
    for (int64_t k = 0; log && k < log->nwarning; k++)
        FB_PASS(line(log->warning[k], 1, o, e));
    return FB_OK;
}

fb_status fb_info_page(const fb_model *b, const fb_history *h, const fb_log *log, fb_buf *o,
                       fb_err *e)
{
    const int64_t nwarning = warnings(h, log);
    source(b, o);
    counts(b, o);
    if (nwarning)
        fb_put_text(o, "Warnings         %lld, at the end of the page\n", (long long)nwarning);
    matrices(b, o);
    FB_PASS(box(b, o, e));
    balance(b, o);
    inertia_page(b, o);
    verdict(b, o);
    frequencies(b, o);
    interface(b, o);
    sets(b, o);
    loads(b, o);
    findings(b, o);
    FB_PASS(made(h, log, o, e));
    return fb_buf_status(o, e);
}

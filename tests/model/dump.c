/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/model/dump.h"

static int digits;

static void frame(fb_buf *o, int number, const char *name)
{
    static const char rule[] =
        "--------------------------------------------------------------------------\n";
    char text[80];
    snprintf(text, sizeof text, "Block  %2d:      %s:", number, name);
    fb_put_text(o, "\n\n%s|%72s|\n|    %-68s|\n|%72s|\n%s\n\n", rule, "", text, "", rule);
}

static void reals(fb_buf *o, const double *x, int64_t n, int64_t step)
{
    for (int64_t k = 0; k < n; k++)
        fb_put_text(o, " %*.*e", digits + 8, digits, x[k * step]);
    fb_put_text(o, " \n");
}

static void none(fb_buf *o, int number, const char *name)
{
    frame(o, number, name);
    fb_put_text(o, "\tNo %s Information\n\n", name);
}

static void beginning(const fb_model *b, fb_buf *o)
{
    frame(o, 1, "Version Code");
    fb_put_text(o,
                "MNF version: 6.0\nPrecision: Double   \nPlatform independent (XDR encoded): Yes \n"
                "Coarsened or sketched mesh: No \n");
    frame(o, 2, "Header");
    fb_put_text(o,
                "Title: %s\nDate: %s\nInput file name: %s\nInput file type: %s\nComments:\n  %s\n  "
                "%s\n  %s\n",
                b->title, b->date, b->source, b->producer, b->comment[0], b->comment[1],
                b->comment[2]);
    frame(o, 3, "Content Summary");
    fb_put_text(o, "Existence:\n");
    const int has[37] = {
        [1] = 1,  [2] = 1,  [3] = 1,  [4] = 1,  [6] = 0,  [7] = 1,  [8] = 1, [9] = 1,
        [10] = 1, [11] = 1, [14] = 1, [16] = 1, [17] = 1, [18] = 1, [30] = 1};
    for (int k = 1; k <= 36; k++)
        if (k != 33)
            fb_put_text(o, "   block_%d (%d) %s\n", k, k, has[k] ? "Yes" : "No");
    frame(o, 4, "Nodal Coords");
    for (int64_t p = 0; p < b->nn; p++) {
        fb_put_text(o, "%9lld", (long long)b->node_id[p]);
        reals(o, b->xyz + 3 * p, 3, 1);
    }
    frame(o, 5, "Element Topology");
    fb_put_text(o, "Obsolete: Reported as part of face list, block 14\n");
}

static void table(const fb_model *b, fb_buf *o, const char *title, const int64_t *node, int64_t n,
                  const double *x)
{
    for (int64_t k = 0; k < b->nm; k++) {
        fb_put_text(
            o,
            "\n%s %lld=================================\n\n     ID   x y z\n~~~~~~~~~~~~~~~~~~\n\n",
            title, (long long)b->mode_number[k]);
        for (int64_t p = 0; p < n; p++) {
            fb_put_text(o, "%9lld", (long long)node[p]);
            reals(o, x + (k * n + p) * 6, 6, 1);
        }
    }
}

static void modes(const fb_model *b, fb_buf *o)
{
    if (b->ref_mass) {
        frame(o, 6, "Global Body Properties");
        fb_put_text(o, "Mass:");
        reals(o, b->ref_mass, 1, 1);
        fb_put_text(o, "Center of Mass:");
        reals(o, b->ref_com, 3, 1);
        fb_put_text(o, "Inertia Tensor:");
        for (int a = 0; a < 3; a++)
            reals(o, b->ref_inertia + 3 * a, 3, 1);
    }
    frame(o, 7, "Eigenvalues");
    fb_put_text(o,
                "            Natural Freq.     Natural Freq.\n Mode   Eigenvalue\n===== =======\n");
    for (int64_t k = 0; k < b->nm; k++) {
        fb_put_text(o, "%5lld", (long long)b->mode_number[k]);
        reals(o, b->eigen + 5 * k, 5, 1);
    }
    frame(o, 8, "Mode Shapes");
    fb_put_text(o, "Number of Mode Shapes %lld\n\n", (long long)b->nm);
    table(b, o, "MODE NUMBER", b->node_id, b->nn, b->shape);
}

static void masses(const fb_model *b, fb_buf *o)
{
    frame(o, 9, "Nodal Masses");
    for (int64_t p = 0; p < b->nn; p++) {
        fb_put_text(o, "%9lld\t", (long long)b->node_id[p]);
        reals(o, b->node_mass + p, 1, 1);
    }
    frame(o, 10, "Nodal Inertias");
    for (int64_t p = 0; p < b->nn; p++) {
        fb_put_text(o, "Inertia Tensor of Node %9lld:", (long long)b->node_id[p]);
        for (int a = 0; a < 3; a++)
            reals(o, b->node_inertia + 9 * p + 3 * a, 3, 1);
    }
    frame(o, 11, "MNF Default Units");
    fb_put_text(o,
                "Units:\nMass Units    %s\nLength Units  %s\nTime Units    %s\nForce Units   %s\n",
                fb_units_adams(&b->units, FB_MASS), fb_units_adams(&b->units, FB_LENGTH),
                fb_units_adams(&b->units, FB_TIME), fb_units_adams(&b->units, FB_FORCE));
    for (int column = 4; column >= 3; column--) {
        frame(o, 16 - column, column == 4 ? "Generalized Stiffness" : "Generalized Mass");
        for (int64_t k = 0; k < b->nm; k++) {
            fb_put_text(o, "%5lld   %5lld ", (long long)b->mode_number[k],
                        (long long)b->mode_number[k]);
            reals(o, b->eigen + 5 * k + column, 1, 1);
        }
    }
}

static void middle(const fb_model *b, fb_buf *o)
{
    frame(o, 14, "Element Faces");
    fb_put_text(o, "number of faces %lld\n\n", (long long)b->nf1 - 1);
    for (int64_t f = 0; f < b->nf1 - 1; f++) {
        fb_put_text(o, "%9lld      ", (long long)f + 1);
        for (int64_t q = b->face_offset[f]; q < b->face_offset[f + 1]; q++)
            fb_put_text(o, "%9lld", (long long)b->node_id[b->face_index[q]]);
        fb_put_text(o, "\n");
    }
    frame(o, 15, "Generalized Damping");
    fb_put_text(o, "No generalized damping information in MNF.\n");
    frame(o, 16, "Mode Shape Transformation");
    fb_put_text(o, "Number of modes: %lld\n\n", (long long)b->nm);
    for (int64_t k = 0; k < b->nm; k++)
        reals(o, b->mode_transform + k * b->nm, b->nm, 1);
    frame(o, 17, "Interface Nodes");
    for (int64_t k = 0; k < b->nc; k++)
        fb_put_text(o, "%4lld %9lld \n", (long long)k + 1, (long long)b->connector_node[k]);
    frame(o, 18, "Node Stress per Mode");
    fb_put_text(o, "Number of Stress Shapes %lld\n\n", (long long)b->nm);
    table(b, o, "STRESS SHAPE NUMBER", b->stress_node, b->ns, b->stress);
}

/* Row k of a table with three columns: column k of I [3 x M]. */
static void by_mode(const fb_model *b, fb_buf *o, const double *I)
{
    for (int64_t k = 0; k < b->nm; k++) {
        fb_put_text(o, "%5lld, ", (long long)b->mode_number[k]);
        reals(o, I + k, 3, b->nm);
    }
}

static void square(fb_buf *o, const double *x)
{
    for (int a = 0; a < 3; a++)
        reals(o, x + 3 * a, 3, 1);
}

static void invariants(const fb_model *b, fb_buf *o)
{
    int64_t m = b->nm;
    frame(o, 19, "Invariant 1");
    reals(o, b->I[1], 1, 1);
    frame(o, 20, "Invariant 2");
    reals(o, b->I[2], 3, 1);
    frame(o, 21, "Invariant 3");
    by_mode(b, o, b->I[3]);
    frame(o, 22, "Invariant 4");
    by_mode(b, o, b->I[4]);
    frame(o, 23, "Invariant 5");
    for (int64_t i = 0; i < m; i++) {
        fb_put_text(o, "\nMode: %lld \n", (long long)b->mode_number[i]);
        by_mode(b, o, b->I[5] + 3 * m * i);
    }
    frame(o, 24, "Invariant 7");
    square(o, b->I[7]);
    frame(o, 25, "Invariant 8");
    for (int64_t i = 0; i < m; i++) {
        fb_put_text(o, "\nMode: %lld\n", (long long)b->mode_number[i]);
        square(o, b->I[8] + 9 * i);
    }
    frame(o, 26, "Invariant 9");
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < m; i++) {
            fb_put_text(o, "\nModes: %lld %lld\n", (long long)b->mode_number[i],
                        (long long)b->mode_number[j]);
            square(o, b->I[9] + 9 * (i * m + j));
        }
}

static void statistics(const fb_model *b, fb_buf *o)
{
    static const char *const label[] = {
        "Max. Trans. Magnitude:     ", "Max. Small Rot. Magnitude: ",
        "Max. Von Mises Stress:     "};
    frame(o, 30, "Modal Statistics");
    fb_put_text(o, "Number of Modes %lld\n\n", (long long)b->nm);
    for (int64_t k = 0; k < b->nm; k++) {
        fb_put_text(o, "\nMODE NUMBER %lld=================================\n\n",
                    (long long)b->mode_number[k]);
        for (int q = 0; q < 3; q++)
            if (b->stat_node[13 * k + q])
                fb_put_text(o, "%s Node ID = %lld  Magnitude = %.*e\n", label[q],
                            (long long)b->stat_node[13 * k + q], digits, b->stat_value[13 * k + q]);
    }
}

void make_dump(const fb_model *b, int n, fb_buf *o)
{
    digits = n;
    beginning(b, o);
    modes(b, o);
    masses(b, o);
    middle(b, o);
    if (b->I[1])
        invariants(b, o);
    none(o, 27, "Modal Preload");
    none(o, 28, "Modal Loads");
    none(o, 29, "Modal Strain");
    statistics(b, o);
    none(o, 31, "Nodal Pre-Stress");
    none(o, 32, "Nodal Pre-Strain");
    none(o, 34, "Matrix Operator");
    none(o, 35, "Modal Load Nodal");
    none(o, 36, "Monitor Point");
}

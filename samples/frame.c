/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frame - the project's own models: a straight beam and the L-shaped frame of two rods.
 *
 * Element  two nodes, six dofs each, local x along the rod; g_y, g_z the shear strains
 *   (FR.1) U = EA/2L (u2-u1)^2 + GJ/2L (rx2-rx1)^2 + EI/2L [(ry2-ry1)^2 + (rz2-rz1)^2] + S/2 (g_y^2
 *          + g_z^2)
 *   (FR.2) g_y = (v2-v1)/L - (rz1+rz2)/2,  g_z = (w2-w1)/L + (ry1+ry2)/2
 *   (FR.3) linear element:  S = L k G A / (1 + A L^2 / (192 I)),  k = 16/19, G = E / 2(1+nu)
 *          hermite element: S = 12 E I / L, which makes (FR.1) the Euler-Bernoulli element
 *   (FR.4) lumped mass: m/2 and L/2 rho (Ip, I, I) at each end; consistent: [2 1; 1 2]/6 on every
 *          dof; hermite: bending by cubics, m/420 [156 22L 54 -13L; 4L^2 13L -3L^2; 156 -22L; 4L^2]
 *          + rho I/30L [36 3L -36 3L; 4L^2 -3L -L^2; 36 -3L; 4L^2] of (v1, rz1, v2, rz2), axial
 *          motion and twist as before
 *   (FR.5) taper t: the section at the far end of a rod is t times as wide; each element has the
 *          section of its middle
 *   (FR.6) geometric stiffness of a tension N: linear N/L [1 -1; -1 1] of v and of w; hermite the
 *          matrix of rho I in (FR.4) with N for rho I. N is what the lumps beyond the element pull,
 *          the first node held: m of gravity along x, m x of turning about y or z, 1 of a force at
 *          the end
 * Square section h: A = h^2, I = h^4/12, Ip = 2 I, J = 0.1426284 h^4; round: J = Ip = pi d^4/32, I
 * = Ip/2
 * Units    m, kg, s, N
 * Source   L. Scalera, PhD thesis, University of Udine 2018, ch. 3-4 (the L-shaped mechanism)
 */
#include "flexbody.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *shape = "beam", *element = "linear", *mass = "lumped";
static int64_t elements = 20;
static double length = 1, square = 0, diameter = 0.02, young = 70e9, poisson = 0.33, density = 2700;
static double elbow_mass = 0, hub_inertia = 0, rotary = -1, taper = 1;
static int modal, geometric;

static const fb_opt opts[] = {
    {"shape", 0, FB_TEXT, &shape, "NAME", 0, 0,
     "beam: one rod along x; lshape: a second rod along y"},
    {"elements", 0, FB_INT, &elements, "N", 1, 10000, "elements in all (lshape: an even number)"},
    {"element", 0, FB_TEXT, &element, "NAME", 0, 0,
     "linear (with shear) or hermite (Euler-Bernoulli)"},
    {"mass", 0, FB_TEXT, &mass, "NAME", 0, 0,
     "lumped, consistent (linear in every dof) or hermite (cubic in bending)"},
    {"length", 0, FB_REAL, &length, "M", 1e-9, 1e9, "length of a rod in m"},
    {"square", 0, FB_REAL, &square, "M", 1e-9, 1e9,
     "side of a square section in m (default: round)"},
    {"diameter", 0, FB_REAL, &diameter, "M", 1e-9, 1e9, "diameter of a round section in m"},
    {"taper", 0, FB_REAL, &taper, "RATIO", 1e-3, 1e3,
     "width of the section at the far end of a rod, in shares of that at its start"},
    {"young", 0, FB_REAL, &young, "PA", 1e-9, 1e20, "Young's modulus in Pa"},
    {"poisson", 0, FB_REAL, &poisson, "NU", 0, 0.5, "Poisson's ratio"},
    {"density", 0, FB_REAL, &density, "KG/M3", 1e-9, 1e9, "density in kg/m^3"},
    {"rotary", 0, FB_REAL, &rotary, "KGM2", 1e-300, 1e9,
     "bending rotary inertia of a whole element in kg m^2 instead of rho I L"},
    {"elbow-mass", 0, FB_REAL, &elbow_mass, "KG", 0, 1e9, "point mass at the elbow (lshape) in kg"},
    {"hub-inertia", 0, FB_REAL, &hub_inertia, "KGM2", 0, 1e9,
     "inertia about y at the first node in kg m^2"},
    {"geometric", 0, FB_FLAG, &geometric, NULL, 0, 0,
     "add the geometric stiffness of a beam held at its first node: of gravity along x, of turning "
     "about y and z, of a force along x at its end"},
    {"modal", 0, FB_FLAG, &modal, NULL, 0, 0,
     "hold the body by all its free-free modes instead of K and M"},
    {0},
};

typedef struct {
    double K[12][12], M[12][12];
} elmat;

/* K += stiffness a a', a sparse row of (FR.1). */
static void add(elmat *m, double stiffness, const double a[12])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            m->K[i][j] += stiffness * a[i] * a[j];
}

/* Bending of (FR.4): dofs v, r of both ends; sign -1 where r turns v backwards (w and ry). */
static void cubic(elmat *m, int v, int r, double sign, double mass_of, double rotary_of, double L)
{
    static const double T[4][4] = {
        {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
    static const double R[4][4] = {
        {36, 3, -36, 3}, {3, 4, -3, -1}, {-36, -3, 36, -3}, {3, -1, -3, 4}};
    const int at[4] = {v, r, v + 6, r + 6};
    const double unit[4] = {1, sign * L, 1, sign * L};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            m->M[at[i]][at[j]] =
                unit[i] * unit[j] * (mass_of / 420 * T[i][j] + rotary_of / (30 * L) * R[i][j]);
}

static void element_local(elmat *m, double L, double width)
{
    double h = square * width, d = diameter * width, A, I, Ip, J, S;
    A = h > 0 ? h * h : M_PI * d * d / 4;
    I = h > 0 ? h * h * h * h / 12 : M_PI * d * d * d * d / 64;
    Ip = 2 * I;
    J = h > 0 ? 0.1426284 * h * h * h * h : Ip;
    S = 12 * young * I / L; /* (FR.3) */
    if (strcmp(element, "hermite"))
        S = L * (16.0 / 19) * young / (2 * (1 + poisson)) * A / (1 + A * L * L / (192 * I));
    *m = (elmat){0};
    add(m, young * A / L, (double[12]){[0] = -1, [6] = 1}); /* (FR.1) */
    add(m, young / (2 * (1 + poisson)) * J / L, (double[12]){[3] = -1, [9] = 1});
    add(m, young * I / L, (double[12]){[4] = -1, [10] = 1});
    add(m, young * I / L, (double[12]){[5] = -1, [11] = 1});
    add(m, S, (double[12]){[1] = -1 / L, [7] = 1 / L, [5] = -0.5, [11] = -0.5}); /* (FR.2) */
    add(m, S, (double[12]){[2] = -1 / L, [8] = 1 / L, [4] = 0.5, [10] = 0.5});
    const double rho[6] = {A, A, A, Ip, I, I};
    for (int c = 0; c < 6; c++) { /* (FR.4) */
        double all = c >= 4 && rotary > 0 ? rotary : density * rho[c] * L;
        int lumped = !strcmp(mass, "lumped");
        m->M[c][c] = m->M[c + 6][c + 6] = lumped ? all / 2 : all / 3;
        m->M[c][c + 6] = m->M[c + 6][c] = lumped ? 0 : all / 6;
    }
    if (!strcmp(mass, "hermite")) {
        double turned = rotary > 0 ? rotary / L : density * I;
        cubic(m, 1, 5, 1, density * A * L, turned, L);
        cubic(m, 2, 4, -1, density * A * L, turned, L);
    }
}

/* Rod along y: local x = Y, y = -X, z = Z. The section has no preferred direction. */
static void turn(double A[12][12])
{
    static const double R[3][3] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}; /* local = R global */
    double B[12][12] = {{0}}, C[12][12] = {{0}};
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            for (int k = 0; k < 3; k++)
                B[i][j] += A[i][j / 3 * 3 + k] * R[k][j % 3];
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            for (int k = 0; k < 3; k++)
                C[i][j] += R[k][i % 3] * B[i / 3 * 3 + k][j];
    memcpy(A, C, sizeof C);
}

typedef struct { /* triplets of the upper triangle */
    int64_t *i, *j, n;
    double *k, *m;
} triplets;

static void scatter(triplets *t, int64_t node, const elmat *m)
{
    for (int a = 0; a < 12; a++)
        for (int b = a; b < 12; b++) {
            t->i[t->n] = 6 * node + a;
            t->j[t->n] = 6 * node + b;
            t->k[t->n] = m->K[a][b];
            t->m[t->n++] = m->M[a][b];
        }
}

static void point_mass(triplets *t, int64_t node, int c, double value)
{
    t->i[t->n] = t->j[t->n] = 6 * node + c;
    t->k[t->n] = 0;
    t->m[t->n++] = value;
}

/* Half the mass of an element at each end, with its rotary inertia; exact for the lumped model. */
static void node_lumps(fb_model *b, int64_t node, const elmat *m)
{
    for (int end = 0; end < 2; end++) {
        int64_t p = node + end;
        for (int c = 0; c < 6; c++) {
            double half = m->M[6 * end + c][c] + m->M[6 * end + c][c + 6];
            if (c == 0)
                b->node_mass[p] += half;
            else if (c >= 3)
                b->node_inertia[9 * p + 4 * (c - 3)] += half;
        }
    }
}

static fb_status nodes(fb_model *b, fb_err *e)
{
    int64_t n = elements + 1, first = strcmp(shape, "lshape") ? elements : elements / 2;
    double L = length / (double)first;
    fb_status s = FB_OK;
    b->nn = n;
    b->nf1 = n;
    b->nfi = 2 * elements;
    FB_TRY(fb_new(&b->node_id, n, 8, "nodes", e));
    FB_TRY(fb_new(&b->xyz, 3 * n, 8, "nodes", e));
    FB_TRY(fb_new(&b->node_mass, n, 8, "nodes", e));
    FB_TRY(fb_new(&b->node_inertia, 9 * n, 8, "nodes", e));
    FB_TRY(fb_new(&b->face_offset, n, 8, "faces", e));
    FB_TRY(fb_new(&b->face_index, 2 * elements, 8, "faces", e));
    for (int64_t p = 0; p < n; p++) {
        b->node_id[p] = p + 1;
        b->xyz[3 * p] = L * (double)(p < first ? p : first);
        b->xyz[3 * p + 1] = L * (double)(p < first ? 0 : p - first);
    }
    for (int64_t q = 0; q < elements; q++) {
        b->face_offset[q + 1] = 2 * q + 2;
        b->face_index[2 * q] = q;
        b->face_index[2 * q + 1] = q + 1;
    }
    FB_TRY(fb_model_nodal_dofs(b, e));
    s = fb_model_set_connectors(b, (int64_t[]){1, n}, 2, e);
out:
    return s;
}

static fb_status matrices(fb_model *b, fb_err *e)
{
    int64_t cap = 78 * elements + 4, first = strcmp(shape, "lshape") ? elements : elements / 2;
    triplets t = {0};
    elmat x, y;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t.i, cap, 8, "triplets", e));
    FB_TRY(fb_new(&t.j, cap, 8, "triplets", e));
    FB_TRY(fb_new(&t.k, cap, 8, "triplets", e));
    FB_TRY(fb_new(&t.m, cap, 8, "triplets", e));
    for (int64_t q = 0; q < elements; q++) {
        const double at = ((double)(q % first) + 0.5) / (double)first; /* (FR.5) */
        element_local(&x, length / (double)first, 1 + (taper - 1) * at);
        y = x;
        turn(y.K);
        turn(y.M);
        scatter(&t, q, q < first ? &x : &y);
        node_lumps(b, q, q < first ? &x : &y);
    }
    for (int c = 0; c < 3; c++)
        point_mass(&t, first, c, elbow_mass);
    point_mass(&t, 0, 4, hub_inertia);
    b->node_mass[first] += elbow_mass;
    b->node_inertia[4] += hub_inertia;
    FB_TRY(fb_csc_from_triplets(&b->K, b->ndof, b->ndof, t.n, t.i, t.j, t.k, 1, e));
    s = fb_csc_from_triplets(&b->M, b->ndof, b->ndof, t.n, t.i, t.j, t.m, 1, e);
out:
    FB_FREE(t.i, t.j, t.k, t.m);
    return s;
}

/* (FR.6); load 0: turning about z, 1: about y, 2: gravity along x, 3: force at the end. */
static fb_status tensioned(const fb_model *b, int load, fb_csc *Kg, fb_err *e)
{
    const double L = length / (double)elements;
    triplets t = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t.i, 78 * elements, 8, "triplets", e));
    FB_TRY(fb_new(&t.j, 78 * elements, 8, "triplets", e));
    FB_TRY(fb_new(&t.k, 78 * elements, 8, "triplets", e));
    FB_TRY(fb_new(&t.m, 78 * elements, 8, "triplets", e));
    for (int64_t q = 0; q < elements; q++) {
        elmat x = {0};
        double N = load == 3;
        for (int64_t p = q + 1; load < 3 && p < b->nn; p++)
            N += b->node_mass[p] * (load == 2 ? 1 : b->xyz[3 * p]);
        if (!strcmp(element, "hermite")) {
            cubic(&x, 1, 5, 1, 0, N, L);
            cubic(&x, 2, 4, -1, 0, N, L);
        } else {
            for (int c = 1; c < 3; c++) {
                x.M[c][c] = x.M[c + 6][c + 6] = N / L;
                x.M[c][c + 6] = x.M[c + 6][c] = -N / L;
            }
        }
        scatter(&t, q, &x);
    }
    s = fb_csc_from_triplets(Kg, b->ndof, b->ndof, t.n, t.i, t.j, t.m, 1, e);
out:
    FB_FREE(t.i, t.j, t.k, t.m);
    return s;
}

static fb_status add_geometric(fb_model *b, fb_err *e)
{
    const fb_geoload load[4] = {
        {.W = {[8] = 1}}, {.W = {[4] = 1}}, {.a = {1}}, {.node = b->nn, .f = {1}}};
    fb_csc Kg[4] = {{0}};
    fb_status s = FB_OK;
    for (int k = 0; k < 4; k++)
        FB_TRY(tensioned(b, k, Kg + k, e));
    FB_TRY(fb_geometric_stack_take(Kg, 4, &b->Kg, e));
    b->nkgdof = 4 * b->ndof;
    s = fb_geoload_set(b, load, 4, e);
out:
    FB_FREE_BY(fb_csc_free, Kg, Kg + 1, Kg + 2, Kg + 3);
    return s;
}

static fb_status dense(const fb_csc *A, fb_mat *B, fb_err *e)
{
    fb_status s = fb_mat_new(B, A->n, A->n, e);
    for (int64_t j = 0; !s && j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            B->x[A->i[q] + j * A->n] = B->x[j + A->i[q] * A->n] = A->x[q];
    return s;
}

/* All eigenvectors span all dofs: the modal body says the same as K and M. */
static fb_status hold_by_modes(fb_model *b, fb_err *e)
{
    fb_mat K = {0}, M = {0}, V = {0};
    double *lambda = NULL;
    int64_t n = b->ndof;
    fb_status s = FB_OK;
    FB_TRY(dense(&b->K, &K, e));
    FB_TRY(dense(&b->M, &M, e));
    FB_TRY(fb_new(&lambda, n, 8, "eigenvalues", e));
    FB_TRY(fb_eig_dense(&K, &M, lambda, &V, e));
    b->nm = b->nr = n;
    FB_TRY(fb_new(&b->mode_number, n, 8, "modes", e));
    FB_TRY(fb_new(&b->eigen, 5 * n, 8, "modes", e));
    FB_TRY(fb_new(&b->Kr, n * n, 8, "modes", e));
    FB_TRY(fb_new(&b->Mr, n * n, 8, "modes", e));
    FB_TRY(fb_new(&b->kind, n, 8, "modes", e));
    for (int64_t k = 0; k < n; k++) {
        double w2 = k < 6 ? 0 : lambda[k]; /* a free body: six rigid modes */
        b->mode_number[k] = k + 1;
        memcpy(b->eigen + 5 * k, (double[5]){w2, sqrt(w2) / (2 * M_PI), sqrt(w2), 1, w2},
               5 * sizeof(double));
        b->Kr[k * n + k] = w2;
        b->Mr[k * n + k] = 1;
        b->kind[k] = FB_KIND_EIGEN;
    }
    b->shape = V.x;
    V.x = NULL;
    FB_FREE_BY(fb_csc_free, &b->K, &b->M);
    FB_TRY(fb_model_frequencies(b, NULL, e));
    s = fb_model_connectors(b, b->shape, e);
out:
    FB_FREE_BY(fb_mat_free, &K, &M, &V);
    free(lambda);
    return s;
}

static fb_status interface(fb_model *b, fb_err *e)
{
    fb_status s = fb_new(&b->interface_dof, 12, 8, "interface", e);
    b->nb = 12;
    for (int64_t k = 0; !s && k < 12; k++)
        b->interface_dof[k] = k < 6 ? k : b->ndof - 12 + k;
    return s;
}

static int one_of(const char *v, const char *a, const char *b)
{
    return !strcmp(v, a) || !strcmp(v, b);
}

static fb_status run(fb_run *r, fb_err *e)
{
    fb_model b = {0};
    fb_status s = FB_OK;
    if (!one_of(shape, "beam", "lshape") || !one_of(element, "linear", "hermite") ||
        (!one_of(mass, "lumped", "consistent") && strcmp(mass, "hermite")) ||
        (!strcmp(shape, "lshape") && elements % 2))
        return fb_fail(e, FB_EUSAGE,
                       "--shape is beam or lshape (even --elements), --element linear or hermite, "
                       "--mass lumped, "
                       "consistent or hermite");
    if (geometric && (modal || strcmp(shape, "beam")))
        return fb_fail(e, FB_EUSAGE, "--geometric is of a beam, without --modal");
    FB_TRY(fb_units_system(&b.units, "SI", e));
    snprintf(b.stage, sizeof b.stage, "frame");
    snprintf(b.title, sizeof b.title, "%s, %lld %s elements, %s mass", shape, (long long)elements,
             element, mass);
    snprintf(b.producer, sizeof b.producer, "flexbody frame");
    snprintf(b.source, sizeof b.source, "%s", shape);
    FB_TRY(nodes(&b, e));
    FB_TRY(matrices(&b, e));
    FB_TRY(interface(&b, e));
    if (geometric)
        FB_TRY(add_geometric(&b, e));
    if (modal)
        FB_TRY(hold_by_modes(&b, e));
    s = fb_publish(r, NULL, &b, NULL, NULL, e);
out:
    fb_model_free(&b);
    return s;
}

static const fb_tool tool = {.name = "frame",
                             .summary = "make a beam or the L-shaped frame",
                             .usage = "frame [OPTION]...",
                             .example =
                                 "frame --elements 20 --mass hermite | reduce --cb 18 -o beam.h5",
                             .opts = opts,
                             .max_files = 0,
                             .data_out = fb_data_always,
                             .run = run};

int main(int argc, char **argv)
{
    return fb_main(&tool, argc, argv);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sid.c - Standard Input Data (SID_FEM) of a flexible body, text.
 *
 * Layout   header with the numbers of nodes and modes; refmod (mass, modes); frame (one `new node`
 *          a connector: origin, phi, psi, AP); then the integrals mdCM J Ct Cr Me Gr Ge Oe ksigma
 *          Ke De, each a Taylor series m0 + sum_k q_k m1(:,k,:); entries that are zero are left
 *          out.
 *   (SID.1) origin  m0 = u, m1(i,k) = phi_ik;   AP  m0 = 1, m1(:,k,:) = psi_k~
 *   (SID.2) mdCM    m0 = I2, m1 = I3;           Ct  m0 = I3'
 *   (SID.3) J       xx yy zz xy xz yz: m0 of I7, m1 of -(I8_k + I8_k')
 *   (SID.4) Cr      m0 = I4', m1(j,k,a) = (I5_k)_aj
 *   (SID.5) Gr_k = -2 I8_k  [3 x 3 each];       Ge_k(j,a) = 2 (I5_k)_aj
 *   (SID.7) With geometric stiffness, U_l per unit of load l: what K q is more under the loads
 *           -(a-g), -w' and w w' is linear in them, so
 *           Ct m1(j,k,a) = -U_a, Cr m1(j,k,a) -= U_ra, Oe m1 += U_xx, ..., U_xy + U_yx, ..., and of
 *           a node phi m1(i,k,j) = -U_fi, psi m1(i,k,j) = -U_ti
 *   (SID.6) Oe      columns xx yy zz xy yz xz: m0 = -J1/2 (xx yy zz), -J1 (xy yz xz);
 *                   m1 = -(I11_yy + I11_zz), ..., I11_xy + I11_xy', ...
 *          Columns of Gr and Ge: interleaved 3 (k-1) + a, blocked (a-1) n + k, mixed: Gr as the
 *          first, Ge as the second. Which one Simpack's own FEMBS writes is not verified.
 * Dialects embslib: mdCM, J, exponent D, every entry of symmetric blocks, interleaved. morembs:
 *          mCM, mmi, exponent E, symmetric blocks by their lower triangle, blocked.
 * Assumed  no rigid motion within the modes; the body frame is the tangent frame of the fixed node
 *          or a Buckens frame. EMBSlib takes Me as the unit matrix (normalised modes), node numbers
 *          of at most 5 digits; it ignores ksigma.
 * Digits   12, as the known writers give.
 * Source   O. Wallrapp, Standardization of flexible body modeling in multibody system codes, Part
 *          I, Mech. Struct. Mach. 22 (1994) 283-304
 */
#include "body.h"
#include "geometric.h"
#include "selftest.h"
#include "writer.h"
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "a SID file";

typedef struct {
    const fb_model *b;
    fb_buf *o;
    int morembs, gr_blocked, ge_blocked;
    fb_nodes nodes;
    double *x;     /* [6 nodes, m] shapes of the nodes */
    fb_geounits u; /* of geometric stiffness, or none */
} sid;

enum { ZERO = 0, DIAGONAL = 1, SYMMETRIC = 2, FULL = 3, UNIT = 4 };

/* The blocks of a node and of the body, in the order of the file. */
typedef enum { ORIGIN, PHI, PSI, AP, MDCM, J, CT, CR, ME, GR, GE, OE, KSIGMA, KE, DE } what;

typedef struct {
    const char *name;
    what block;
    int64_t rows, cols;
    int order, structure;
} taylor;

static void value(const sid *t, double v)
{
    char text[32];
    snprintf(text, sizeof text, "%18.11E", v);
    char *e = strchr(text, 'E');
    if (e && !t->morembs)
        *e = 'D';
    fb_put_text(t->o, "=%s\n", text);
}

/* Below this the exponent needs three digits, which no reader expects. */
static int nothing(double v)
{
    return fabs(v) < 1e-99;
}

/* ---- entries of the blocks ----------------------------------------------------------------- */

/* (i,j) of the skew matrix of psi_k, (SID.1) */
static double skew_psi(const sid *t, int64_t i, int64_t k, int64_t j, int64_t node)
{
    const double *psi = t->x + (6 * node + 3) * t->b->nr + k;
    return i == j ? 0 : (j == (i + 1) % 3 ? -1 : 1) * psi[(3 - i - j) * t->b->nr];
}

static const int axis_of[2][6][2] = {{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}},  /* J  */
                                     {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}}}; /* Oe */

static double dJ(const sid *t, const int axes[2], int64_t k)
{
    const double *I8 = t->b->I[8] + 9 * k;
    return -(I8[3 * axes[0] + axes[1]] + I8[3 * axes[1] + axes[0]]);
}

/* (j,k) of the geometric stiffness per unit of load l, of forces and moments those of the node. */
static double unit(const sid *t, int64_t l, int64_t j, int64_t k)
{
    return t->u.K ? t->u.K[(l * t->b->nr + j) * t->b->nr + k] : 0;
}

static double node_unit(const sid *t, int64_t node, int64_t c, int64_t j, int64_t k)
{
    for (int64_t q = 0; q < t->u.nnode; q++)
        if (t->u.node[q] == t->nodes.node[node])
            return unit(t, FB_GEO_NODE + 6 * q + c, j, k);
    return 0;
}

/* (SID.4) */
static double dCr(const sid *t, int64_t i, int64_t k, int64_t a)
{
    return t->b->I[5][(3 * k + a) * t->b->nr + i];
}

/* (SID.6) */
static double dOe(const sid *t, int64_t i, int64_t k, int64_t j)
{
    const int64_t m = t->b->nr, mm = m * m, ik = i * m + k;
    const double *W = t->b->I[11];
    const int a = axis_of[1][j][0], c = axis_of[1][j][1];
    if (a == c)
        return unit(t, FB_GEO_W + 4 * a, i, k) -
               (W[4 * ((a + 1) % 3) * mm + ik] + W[4 * ((a + 2) % 3) * mm + ik]);
    return unit(t, FB_GEO_W + 3 * a + c, i, k) + unit(t, FB_GEO_W + 3 * c + a, i, k) +
           W[(3 * a + c) * mm + ik] + W[(3 * c + a) * mm + ik];
}

static double mean(const double *A, int64_t n, int64_t i, int64_t j)
{
    return 0.5 * (A[i * n + j] + A[j * n + i]);
}

/* m0(i,j), of a node where the block is one of its own. Columns of Gr and Ge stand for mode k and
 * axis a. */
static double m0(const sid *t, what block, int64_t i, int64_t j, int64_t node)
{
    const fb_model *b = t->b;
    const int64_t m = b->nr;
    const int blocked = block == GR ? t->gr_blocked : t->ge_blocked;
    const int64_t k = blocked && m ? j % m : j / 3, a = blocked && m ? j / m : j % 3;
    switch (block) {
    case ORIGIN:
        return t->nodes.xyz[3 * node + i];
    case PHI:
        return t->x[(6 * node + i) * m + j];
    case PSI:
        return t->x[(6 * node + 3 + i) * m + j];
    case AP:
        return i == j;
    case MDCM:
        return b->I[2][i];
    case J:
        return b->I[7][3 * axis_of[0][i][0] + axis_of[0][i][1]];
    case CT:
        return b->I[3][j * m + i];
    case CR:
        return b->I[4][j * m + i];
    case ME:
        return mean(b->Mr, m, i, j);
    case GR:
        return -2 * b->I[8][9 * k + 3 * i + a];
    case GE:
        return 2 * dCr(t, i, k, a);
    case OE:
        return (j < 3 ? -0.5 : -1) * dJ(t, axis_of[1][j], i);
    case KSIGMA:
        return 0;
    case KE:
        return mean(b->Kr, m, i, j);
    case DE:
        return b->Dr ? b->Dr[i * m + j] : 0; /* of any form */
    }
    return 0;
}

/* m1(i,k,j) of the blocks of first order (SID.7). */
static double m1(const sid *t, what block, int64_t i, int64_t k, int64_t j, int64_t node)
{
    return block == ORIGIN ? t->x[(6 * node + i) * t->b->nr + k]
           : block == AP   ? skew_psi(t, i, k, j, node)
           : block == MDCM ? t->b->I[3][i * t->b->nr + k]
           : block == J    ? dJ(t, axis_of[0][i], k)
           : block == PHI  ? -node_unit(t, node, i, j, k)
           : block == PSI  ? -node_unit(t, node, 3 + i, j, k)
           : block == CT   ? -unit(t, FB_GEO_A + j, i, k)
           : block == CR   ? dCr(t, i, k, j) - unit(t, FB_GEO_R + j, i, k)
                           : dOe(t, i, k, j);
}

static void put_taylor(const sid *t, const taylor *y, int64_t node)
{
    const char *in = y->block <= AP ? "                     " : "           ";
    /* A symmetric block as every entry, or as its lower triangle. */
    int lower = t->morembs && y->structure == SYMMETRIC;
    int structure = y->structure == SYMMETRIC && !t->morembs ? FULL : y->structure;
    fb_put_text(t->o,
                "%s%s\n%s     order                 = %4d\n%s     nrow                  = %4lld\n",
                in, y->name, in, y->order, in, (long long)y->rows);
    fb_put_text(t->o,
                "%s     ncol                  = %4lld\n%s     nq                    = %4lld\n", in,
                (long long)y->cols, in, (long long)t->b->nr);
    fb_put_text(t->o, "%s     nqn                   =    0\n%s     structure             = %4d\n",
                in, in, structure);
    for (int64_t j = 0; j < y->cols; j++)
        for (int64_t i = lower ? j : 0; i < y->rows; i++) {
            double v = m0(t, y->block, i, j, node);
            if (nothing(v))
                continue;
            fb_put_text(t->o, "%s     m0(%2lld,%2lld)             ", in, (long long)i + 1,
                        (long long)j + 1);
            value(t, v);
        }
    for (int64_t k = 0; y->order && k < t->b->nr; k++)
        for (int64_t j = 0; j < y->cols; j++)
            for (int64_t i = 0; i < y->rows; i++) {
                double v = m1(t, y->block, i, k, j, node);
                if (nothing(v))
                    continue;
                fb_put_text(t->o, "%s     m1(%2lld,%2lld,%2lld)          ", in, (long long)i + 1,
                            (long long)k + 1, (long long)j + 1);
                value(t, v);
            }
    fb_put_text(t->o, "%send %s\n", in, y->name);
}

/* ---- the file ----------------------------------------------------------------------------- */

static void refmod(const sid *t)
{
    static const char *const kind[] = {"Constraint Mode", "Normal Mode", "Eigen Mode",
                                       "Attachment Mode"};
    FB_ROWS(kind, FB_NKIND);
    const fb_model *b = t->b;
    fb_put_text(t->o, " part\n      new modal\n           refmod\n                mass             "
                      "               ");
    value(t, b->I[1][0]);
    fb_put_text(t->o, "                nelastq                         =%6lld\n", (long long)b->nr);
    for (int64_t k = 0; k < b->nr; k++) {
        int q = b->kind ? (int)b->kind[k] : FB_KIND_EIGEN;
        fb_put_text(t->o, "                ielastq (%4lld)                  = %s %4lld",
                    (long long)k + 1, kind[q], (long long)k + 1);
        if (q == FB_KIND_EIGEN && b->frequency) /* then coordinate k is eigenvector k */
            fb_put_text(t->o, " : %12.3f Hz", b->frequency[k]);
        fb_put_text(t->o, "\n");
    }
    fb_put_text(t->o, "           end refmod\n");
}

static fb_status nodes(const sid *t, fb_err *e)
{
    const int64_t m = t->b->nr;
    const int first = t->u.nnode > 0;
    const taylor part[] = {{"origin", ORIGIN, 3, 1, 1, FULL},
                           {"phi", PHI, 3, m, first, FULL},
                           {"psi", PSI, 3, m, first, FULL},
                           {"AP", AP, 3, 3, 1, FULL}};
    fb_put_text(t->o, "           frame\n");
    for (int64_t p = 0; p < t->nodes.n; p++) {
        int64_t id = t->nodes.node[p];
        if (!t->morembs && (id < 0 || id > 99999))
            return fb_fail(e, FB_EFORMAT,
                           "EMBSlib reads node numbers of at most 5 digits, not %lld: "
                           "linkexport --renumber, or --dialect morembs",
                           (long long)id);
        fb_put_text(t->o,
                    "                new node                        =%8lld\n"
                    "                     rframe                     =    body ref\n",
                    (long long)id);
        for (size_t q = 0; q < sizeof part / sizeof *part; q++)
            put_taylor(t, part + q, p);
        fb_put_text(t->o, "                end node\n");
    }
    fb_put_text(t->o, "           end frame\n");
    return FB_OK;
}

static void integrals(const sid *t)
{
    const int64_t m = t->b->nr;
    const int De = !t->b->Dr ? ZERO : fb_symmetric(t->b->Dr, m) ? SYMMETRIC : FULL;
    const taylor block[] = {
        {t->morembs ? "mCM" : "mdCM", MDCM, 3, 1, 1, FULL},
        {t->morembs ? "mmi" : "J", J, 6, 1, 1, FULL},
        {"Ct", CT, m, 3, t->u.K != NULL, FULL},
        {"Cr", CR, m, 3, 1, FULL},
        {"Me", ME, m, m, 0, SYMMETRIC},
        {"Gr", GR, 3, 3 * m, 0, FULL},
        {"Ge", GE, m, 3 * m, 0, FULL},
        {"Oe", OE, m, 6, 1, FULL},
        {"ksigma", KSIGMA, m, 1, 0, ZERO},
        {"Ke", KE, m, m, 0, SYMMETRIC},
        {"De", DE, m, m, 0, De},
    };
    for (size_t q = 0; q < sizeof block / sizeof *block; q++)
        put_taylor(t, block + q, 0);
}

static fb_status layout(sid *t, const fb_export *ask, fb_err *e)
{
    const char *l = ask->layout ? ask->layout : t->morembs ? "blocked" : "interleaved";
    t->gr_blocked = !strcmp(l, "blocked");
    t->ge_blocked = strcmp(l, "interleaved") != 0;
    if (strcmp(l, "interleaved") && strcmp(l, "blocked") && strcmp(l, "mixed"))
        return fb_fail(e, FB_EUSAGE, "--layout is interleaved, blocked or mixed, not '%.40s'", l);
    return FB_OK;
}

static fb_status write_sid(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                           fb_err *e)
{
    sid t = {.b = b, .o = o, .morembs = !strcmp(ask->dialect, "morembs")};
    fb_status s = FB_OK;
    const fb_inertia_set at = fb_inertia_of(b);
    FB_TRY(layout(&t, ask, e));
    FB_TRY(fb_need_modes(b, who, e));
    FB_TRY(fb_need_invariants(b, who, e));
    FB_TRY(fb_need_held(b, who, e));
    FB_TRY(fb_need_inertia(b, &at, who, 1, log, e)); /* 12 digits change it by 1e-11 */
    if (!t.morembs)
        FB_TRY(fb_need_normalised(b, "EMBSlib", e));
    FB_TRY(fb_exposed_nodes(b, 0, &t.nodes, e));
    FB_TRY(fb_geometric_units(b, &t.u, e));
    FB_TRY(fb_node_shapes(b, t.nodes.node, t.nodes.n, &t.x, e));
    fb_put_text(o,
                "%5lld %3lld    :No. nodes, No. modes:flexbody; Gr and Ge columns %s; %sgeometric "
                "stiffness; %s\n",
                (long long)t.nodes.n, (long long)b->nr,
                t.gr_blocked   ? "blocked"
                : t.ge_blocked ? "mixed"
                               : "interleaved",
                t.u.K ? "" : "no ", fb_units_list(&b->units).s);
    refmod(&t);
    FB_TRY(nodes(&t, e));
    integrals(&t);
    fb_put_text(o, "      end modal\n end part\n");
    s = fb_buf_status(o, e);
out:
    fb_nodes_free(&t.nodes);
    fb_geounits_free(&t.u);
    free(t.x);
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    static const char load[] =
        "A, phi, at, block = {}, None, None, None\n"
        "for line in open(name):\n"
        "    w = line.split()\n"
        "    if line.lstrip().startswith(\"new node\"):\n"
        "        at = int(w[-1])\n"
        "    elif len(w) == 1:\n"
        "        block = w[0]\n"
        "    elif \"nelastq\" in w:\n"
        "        n = int(w[-1])\n"
        "        A = {\"Me\": np.zeros((n, n)), \"Ke\": np.zeros((n, n))}\n"
        "        p = np.zeros(n)\n"
        "    elif line.lstrip().startswith(\"m\") and \"(\" in line:\n"
        "        head, x = line.split(\"=\")\n"
        "        index = [int(k) - 1 for k in head[head.index(\"(\") + "
        "1:head.index(\")\")].split(\",\")]\n"
        "        x = float(x.replace(\"D\", \"E\"))\n"
        "        if block in A and len(index) == 2:\n"
        "            A[block][index[0], index[1]] = A[block][index[1], index[0]] = x\n"
        "        if block == \"phi\" and at == node and len(index) == 2 and index[0] == axis:\n"
        "            p[index[1]] = x\n"
        "K, M = A[\"Ke\"], A[\"Me\"]\n";
    (void)ask;
    return fb_test_python(b, who, file, "", load, 1e-6, o, e);
}

static const fb_dialect dialects[] = {
    {"embslib", "EMBSlib, Simpack: mdCM, J, exponent D; normalised modes", 0},
    {"morembs", "MatMorembs, matflex: mCM, mmi, exponent E", 0},
    {0},
};

static const fb_own own_options[] = {{"layout", FB_TEXT, offsetof(fb_export, layout), "NAME",
                                      "sid: columns of Gr and Ge are interleaved, blocked or mixed",
                                      "interleaved blocked mixed"},
                                     {0}};

const fb_writer fb_writer_sid = {
    .name = "sid",
    .doc = "Standard Input Data (SID_FEM)",
    .geometric = 1,
    .options = own_options,
    .dialects = dialects,
    .write = write_sid,
    .test = test,
    .test_ending = "py",
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_records.c - targets that hold the integrals: MBSim's record, ERLS matrices, Modelica;
 * pictures; MATLAB 7.3; folders; and the move of the frame that all of them follow. */
#include "export/body.h"
#include "export/writer.h"
#include "invariants/inertia.h"
#include "reduce/method.h"
#include "tests/model/generic.h"
#include "tests/model/reduced.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/flexbody-test-XXXXXX"; /* a fresh name for each test */

static void fresh(void)
{
    strcpy(path, "/tmp/flexbody-test-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void gone(void)
{
    unlink(path);
}

static const int64_t *sizes(int64_t m)
{
    static int64_t n[12];
    memcpy(n,
           (int64_t[12]){0, 1, 3, 3 * m, 3 * m, 3 * m * m, m * m, 9, 9 * m, 9 * m * m, 9 * m,
                         9 * m * m},
           sizeof n);
    return n;
}

/* ---- the frame ------------------------------------------------------------------------------- */

START_TEST(moved_integrals_are_those_of_the_moved_body)
{
    static const char *const where[] = {"com", "node:13", "node:10"};
    fb_model b, c;
    fb_err e = {0};
    double r0[3];
    make_constrained(&b, 7, 4,
                     (uint64_t)_i); /* elastic modes of a free body would have no I3 and I4 */
    make_constrained(&c, 7, 4, (uint64_t)_i);
    for (int a = 0; a < 3; a++)
        r0[a] = _i % 3 == 0 ? b.I[2][a] / b.I[1][0] : b.xyz[(_i % 3 == 1 ? 3 : 0) + a];
    ck_assert_msg(fb_frame_move(&b, where[_i % 3], &e) == FB_OK, "%s", e.msg);
    for (int64_t k = 0; k < 3 * c.nn; k++)
        c.xyz[k] -= r0[k % 3];
    ck_assert_int_eq(fb_invariants_nodal(&c, c.T, &e), FB_OK);
    near_all(b.xyz, c.xyz, 3 * c.nn, 1e-15, "xyz");
    near_all(b.connector_position, c.xyz, 3, 1e-15, "connector");
    for (int k = 1; k <= 11; k++) {
        char name[8];
        snprintf(name, sizeof name, "I%d", k);
        if (k == 2 && _i % 3 == 0) /* zero but for round-off */
            ck_assert(fabs(b.I[2][0]) + fabs(b.I[2][1]) + fabs(b.I[2][2]) < 1e-13);
        else
            near_all(b.I[k], c.I[k], sizes(16)[k], 2e-14, name);
    }
    fb_model_free(&b);
    fb_model_free(&c);
}
END_TEST

/* A record without nodes has the connectors to name a place by; a body with both has the nodes. */
START_TEST(a_connector_is_a_place)
{
    enum { NR = GENERIC_ORDER };
    static const int64_t id[GENERIC_CONNECTORS] = {1310, 12, 6};
    fb_model b, c;
    fb_err e = {0};
    char where[20];
    double r0[3], *I[12];
    make_generic(&b, "mm-t-s", (uint64_t)_i);
    make_generic(&c, "mm-t-s", (uint64_t)_i);
    generic_invariants(&b, b.I);
    memcpy(r0, b.connector_position + 3 * _i, sizeof r0);
    for (int64_t k = 0; k < 3 * c.nn; k++)
        c.xyz[k] -= r0[k % 3];
    generic_invariants(&c, I);
    free(b.node_id);
    free(b.xyz);
    free(b.face_offset);
    free(b.face_index);
    b.node_id = b.face_offset = b.face_index = NULL;
    b.xyz = NULL;
    b.nn = b.nf1 = b.nfi = 0;
    snprintf(where, sizeof where, "node:%d", (int)id[_i]);
    ck_assert_msg(fb_frame_move(&b, where, &e) == FB_OK, "%s", e.msg);
    for (int q = 0; q < GENERIC_CONNECTORS; q++)
        for (int a = 0; a < 3; a++)
            ck_assert_double_eq_tol(b.connector_position[3 * q + a],
                                    c.connector_position[3 * q + a] - r0[a], 1e-15);
    for (int k = 1; k <= 11; k++) {
        char name[16];
        snprintf(name, sizeof name, "I%d", k);
        near_all(b.I[k], I[k], sizes(NR)[k], 1e-13, name);
        free(I[k]);
    }
    ck_assert_int_eq(fb_frame_move(&b, "node:407", &e), FB_EUSAGE);
    fb_model_free(&b);
    fb_model_free(&c);
}
END_TEST

/* The second node is HUB, the first two are TWO. */
static void name_nodes(fb_model *b)
{
    fb_err e = {0};
    b->nset = 2;
    b->nset1 = b->nsetnode = 3;
    ck_assert_int_eq(fb_new(&b->set_name, b->nset, sizeof *b->set_name, "names", &e), FB_OK);
    ck_assert_int_eq(FB_NEW(&b->set_offset, b->nset1, &e), FB_OK);
    ck_assert_int_eq(FB_NEW(&b->set_node, b->nsetnode, &e), FB_OK);
    memcpy(b->set_name[0], "HUB", 4);
    memcpy(b->set_name[1], "TWO", 4);
    b->set_offset[1] = 1;
    b->set_offset[2] = 3;
    b->set_node[0] = b->set_node[1] = b->node_id[1];
    b->set_node[2] = b->node_id[0];
}

START_TEST(frame_words)
{
    static const struct {
        const char *word, *says;
    } bad[] = {{"here", "--frame is origin, com or node:N, not 'here'"},
               {"node:", "wants a node's number or name, not ''"},
               {"node:1x", "wants a node's number or name, not '1x'"},
               {"node:99", "--frame node:99: the body has no such node"},
               {"node:nix", "the input has no set 'nix'; it has HUB, TWO"},
               {"node:two", "the set 'two' has 2 nodes, one is wanted"}};
    fb_model b, empty = {0};
    fb_err e = {0};
    make_held(&b, 4, 2, 1);
    name_nodes(&b);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ck_assert_int_eq(fb_frame_move(&b, bad[k].word, &e), FB_EUSAGE);
        ck_assert_msg(strstr(e.msg, bad[k].says) != NULL, "%s", e.msg);
    }
    ck_assert_int_eq(fb_frame_move(&b, "origin", &e), FB_OK);
    ck_assert_int_eq(fb_frame_move(&b, "node:hub", &e), FB_OK); /* its place is the origin then */
    for (int a = 0; a < 3; a++)
        ck_assert(fabs(b.xyz[3 + a]) <= 0);
    ck_assert_int_eq(fb_frame_move(&empty, "com", &e), FB_EFORMAT);
    fb_model_free(&b);
}
END_TEST

START_TEST(connectors_are_picked)
{
    fb_model b;
    fb_log log = {0};
    fb_err e = {0};
    make_held(&b, 5, 2, 1);
    ck_assert_msg(fb_pick_connectors(&b, "16,10-13", &log, &e) == FB_EUSAGE, "%s",
                  e.msg); /* 11 and 12 are no nodes */
    ck_assert_msg(fb_pick_connectors(&b, "16,10", &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(b.nc, 2);
    ck_assert(b.connector_node[0] == 16 && b.connector_node[1] == 10);
    ck_assert(b.connector_S[1] == b.T[b.ndof + 12] &&
              b.connector_Shat[2 * 2 + 1] == b.T[b.ndof + 12 + 5]);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* A diagonal pair without shapes: six rigid motions that round-off leaves at 1e-13 of the largest
 * eigenvalue, three of a mechanism, none of soft supports and a held slender body. Where the
 * frequencies are there, they count, whatever K is. */
START_TEST(rigid_modes_of_a_bare_pair)
{
    static const struct {
        double lambda[9];
        int rigid;
    } t[] = {{{-9e-13, -4e-13, 1e-13, 3e-13, 4e-13, 6e-13, 1.8e-3, 2e-2, 1}, 6},
             {{-1e-15, 2e-15, 4e-15, 1e-14, 2e-14, 1e-13, 1e-7, 1e-3, 1}, 6},
             {{1e-14, 1e-14, 3e-13, 1e-4, 2e-4, 3e-4, 2e-3, 2e-2, 1}, 3},
             {{1e-10, 1e-10, 3e-10, 3e-10, 4e-10, 5e-10, 1e-7, 1e-3, 1}, 0},
             {{1e-9, 4e-9, 9e-9, 1e-8, 4e-8, 1e-7, 2e-3, 2e-2, 1}, 0}};
    double K[81] = {0}, M[81] = {0};
    fb_model b = {.nr = 9, .Kr = K, .Mr = M};
    fb_err e = {0};
    int64_t n = -1;
    for (int k = 0; k < 9; k++) {
        K[10 * k] = 5e8 * t[_i].lambda[k];
        M[10 * k] = 1;
    }
    ck_assert_msg(fb_rigid_modes(&b, &n, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(n, t[_i].rigid);
    b.frequency = (double[9]){-1, 0, 0, 1, 2, 3, 4, 5, 6};
    ck_assert_msg(fb_rigid_modes(&b, &n, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(n, 2);
}
END_TEST

/* Six rigid shapes, as eigensolvers and text leave them: up to 6e-12 of the largest eigenvalue they
 * are rigid motion; soft supports are not, however far the stiff modes lie above them. Held at a
 * node, the body has none: modes of 0.005 Hz below 11 kHz (2e-13 of the largest) are soft. Nor is a
 * soft mode of another shape (the order of the modes is turned). Nodes of solids do not turn in any
 * mode. */
START_TEST(rigid_modes_are_told_by_their_shapes)
{
    static const struct {
        double lambda[9];
        int rigid, held, turned, solid;
    } t[] = {{{-2e-12, -1e-12, 1e-13, 3e-12, 4e-12, 6e-12, 1.8e-3, 2e-2, 1}, 6, 0, 0, 0},
             {{-2e-12, -1e-12, 1e-13, 3e-12, 4e-12, 6e-12, 1.8e-3, 2e-2, 1}, 6, 0, 0, 1},
             {{-1e-15, 2e-15, 4e-15, 1e-14, 2e-14, 1e-13, 1e-7, 1e-3, 1}, 6, 0, 0, 0},
             {{1e-14, 1e-14, 3e-12, 1e-4, 2e-4, 3e-4, 2e-3, 2e-2, 1}, 3, 0, 0, 0},
             {{2e-9, 2e-9, 3e-9, 3e-9, 4e-9, 5e-9, 1e-7, 1e-3, 1}, 0, 0, 0, 0},
             {{2e-9, 4e-9, 9e-9, 1e-8, 4e-8, 1e-7, 2e-3, 2e-2, 1}, 0, 0, 0, 0},
             {{2e-13, 2e-13, 2e-13, 2e-13, 3e-13, 3e-13, 1.8e-3, 2e-2, 1}, 0, 1, 0, 0},
             {{1e-15, 1e-15, 1e-15, 2e-13, 2e-13, 3e-13, 1.8e-3, 2e-2, 1}, 3, 0, 3, 0}};
    fb_model b;
    fb_err e = {0};
    int64_t n = -1;
    make_body(&b, 4, 9, 7);
    free(b.frequency);
    b.frequency = NULL; /* they would count */
    for (int64_t k = 0; k < 9; k++)
        b.Kr[10 * k] = 5e8 * t[_i].lambda[(k + t[_i].turned) % 9];
    for (int64_t d = 0; t[_i].held && d < 6; d++)
        for (int64_t k = 0; k < 9; k++)
            b.shape[d + k * b.ndof] = 0;
    for (int64_t d = 0; t[_i].solid && d < b.ndof * b.nm; d++)
        b.shape[d] *= d % 6 < 3;
    ck_assert_msg(fb_rigid_modes(&b, &n, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(n, t[_i].rigid);
    fb_model_free(&b);
}
END_TEST

/* Dofs that are no displacement of the node they are labelled with go nowhere. */
START_TEST(what_is_no_displacement_has_no_place)
{
    int64_t id[3] = {4, 9, 2}, node[8] = {9, 9, 9, 9, 2, 7, 4, 9},
            component[8] = {1, 7, 0, 2, 6, 3, 1, -1},
            class[8] = {0, 0, 0, FB_DOF_INTERNAL, 0, 0, 0, 0};
    double T[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *y = NULL;
    const fb_model b = {.nn = 3,
                        .node_id = id,
                        .ndof = 8,
                        .dof_node = node,
                        .dof_component = component,
                        .dof_class = class,
                        .nr = 1,
                        .T = T};
    fb_err e = {0};
    ck_assert_msg(fb_node_shapes(&b, id, 3, &y, &e) == FB_OK, "%s", e.msg);
    for (int k = 0; k < 18; k++)
        ck_assert(y[k] == (k == 6 ? 1 : k == 7 ? 4 : k == 17 ? 5 : k == 0 ? 7 : 0));
    free(y);
}
END_TEST

/* Node 3 hangs rigidly on node 1, node 2 has dofs of its own and one that is held: u3 = u1 + t1 x
 * (x3 - x1). */
START_TEST(slaves_move_with_their_frame)
{
    enum { NR = 3, NDOF = 8, NA = 6 };
    static const double xyz[9] = {0, 0, 0, 1, 0, 0, 0.5, -2, 3};
    int64_t id[3] = {1, 2, 3}, node[NDOF] = {1, 1, 1, 1, 1, 1, 2, 2},
            component[NDOF] = {1, 2, 3, 4, 5, 6, 1, 2}, all[NA] = {2, 2, 2, 3, 3, 3},
            all_component[NA] = {1, 2, 3, 1, 2, 3}, class[NA] = {0, 0, FB_DOF_FIXED, 0, 0, 0};
    /* G by rows: node 2; node 3 = [1, -(x3 - x1)~] of node 1 */
    const double rows[NA][NDOF] = {{[6] = 1},
                                   {[7] = 1},
                                   {0},
                                   {[0] = 1, [4] = 3, [5] = 2},
                                   {[1] = 1, [3] = -3, [5] = 0.5},
                                   {[2] = 1, [3] = -2, [4] = -0.5}};
    double T[NDOF * NR], *y = NULL, most = 0;
    uint64_t seed = 5;
    fb_csc G = {0};
    fb_err e = {0};
    int64_t i[NA * NDOF], j[NA * NDOF], n = 0;
    double v[NA * NDOF];
    for (int a = 0; a < NA; a++)
        for (int d = 0; d < NDOF; d++)
            if (rows[a][d] != 0) {
                i[n] = a;
                j[n] = d;
                v[n++] = rows[a][d];
            }
    ck_assert_int_eq(fb_csc_from_triplets(&G, NA, NDOF, n, i, j, v, 0, &e), FB_OK);
    for (int k = 0; k < NDOF * NR; k++)
        T[k] = random_real(&seed);
    const fb_model b = {.nn = 3,
                        .node_id = id,
                        .ndof = NDOF,
                        .dof_node = node,
                        .dof_component = component,
                        .nr = NR,
                        .T = T,
                        .na = NA,
                        .all_node = all,
                        .all_component = all_component,
                        .all_class = class,
                        .G = G};
    ck_assert_msg(fb_node_shapes(&b, id, 3, &y, &e) == FB_OK, "%s", e.msg);
    for (int k = 0; k < NR; k++) {
        const double *u = T + NDOF * k, *t = u + 3, *r = xyz + 6;
        const double want[18] = {u[0],
                                 u[1],
                                 u[2],
                                 t[0],
                                 t[1],
                                 t[2],
                                 u[6],
                                 u[7],
                                 0,
                                 0,
                                 0,
                                 0,
                                 u[0] + t[1] * r[2] - t[2] * r[1],
                                 u[1] + t[2] * r[0] - t[0] * r[2],
                                 u[2] + t[0] * r[1] - t[1] * r[0]};
        for (int d = 0; d < 18; d++) {
            ck_assert_double_eq_tol(y[d * NR + k], want[d], 1e-15);
            most = fmax(most, fabs(want[d]));
        }
    }
    ck_assert_double_gt(most, 1);
    free(y);
    fb_csc_free(&G);
}
END_TEST

/* ---- HDF5 records ------------------------------------------------------------------------------
 * */

/* Publishes into `path`. */
static void publish(const fb_writer *w, fb_model *b, fb_export ask)
{
    fb_run r = {.out = path, .line = "linkexport test"};
    fb_err e = {0};
    ck_assert_msg(w->publish(&r, NULL, b, &ask, &e) == FB_OK, "%s", e.msg);
    fb_log_free(&r.log);
}

static int64_t opened(const char *name)
{
    int64_t file = -1;
    fb_err e = {0};
    ck_assert_msg(fb_h5_open(&file, name, -1, name, &e) == FB_OK, "%s", e.msg);
    return file;
}

/* A dataset of these dimensions (0: ends). */
static double *dataset(int64_t file, const char *name, int64_t d0, int64_t d1, int64_t d2,
                       int64_t d3)
{
    const int64_t want[5] = {d0, d1, d2, d3, 0};
    fb_h5shape sh;
    fb_err e = {0};
    int64_t n = 1;
    ck_assert_msg(fb_h5_foreign_shape(file, name, 1 << 20, &sh, &e) == FB_OK, "%s", e.msg);
    for (int k = 0; k < sh.rank; k++) {
        ck_assert_msg(sh.dim[k] == want[k], "%s: dimension %d is %d", name, k, (int)sh.dim[k]);
        n *= sh.dim[k];
    }
    ck_assert_int_eq(want[sh.rank], 0);
    double *x = malloc((size_t)n * 8);
    ck_assert_msg(fb_h5_foreign_read(file, name, 'd', 0, x, &e) == FB_OK, "%s", e.msg);
    return x;
}

#define DATA(file, name, n, want, tol, ...) \
    do { \
        double *fb_x = dataset(file, name, __VA_ARGS__); \
        near_all(fb_x, want, n, tol, name); \
        free(fb_x); \
    } while (0)

/* MBSim takes symmetric damping alone. */
static void make_for_mbsim(fb_model *b, uint64_t seed)
{
    make_generic(b, "SI", seed);
    fb_mat_symmetrise(&(fb_mat){b->nr, b->nr, b->Dr});
    generic_invariants(b, b->I);
}

/* Direct sums over the nodes in MBSim's layout. */
START_TEST(mbsim_record)
{
    enum { NN = GENERIC_NODES, M = GENERIC_ORDER };
    fb_model b;
    fb_err e = {0};
    make_for_mbsim(&b, (uint64_t)_i);
    double rr[9] = {0}, N[9 * M] = {0}, W[6 * M * M] = {0}, phi[3 * NN * M], psi[3 * NN * M], J = 0;
    static const int pair[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    for (int p = 0; p < NN; p++) {
        double m = b.node_mass[p], *u = b.xyz + 3 * p;
        for (int k = 0; k < M; k++)
            for (int i = 0; i < 3; i++) {
                double f = b.T[k * b.ndof + 6 * p + i];
                phi[(3 * p + i) * M + k] = f;
                psi[(3 * p + i) * M + k] = b.T[k * b.ndof + 6 * p + 3 + i];
                for (int a = 0; a < 3; a++)
                    N[(3 * a + i) * M + k] += m * u[a] * f;
            }
        for (int q = 0; q < 6; q++)
            for (int k = 0; k < M; k++)
                for (int l = 0; l < M; l++)
                    W[(q * M + k) * M + l] += m * b.T[k * b.ndof + 6 * p + pair[q][0]] *
                                              b.T[l * b.ndof + 6 * p + pair[q][1]];
        for (int a = 0; a < 3; a++) { /* with the nodes' own J: tr(J)/2 1 - J */
            J = b.node_inertia[9 * p] + b.node_inertia[9 * p + 4] + b.node_inertia[9 * p + 8];
            for (int c = 0; c < 3; c++)
                rr[3 * a + c] +=
                    m * u[a] * u[c] + (a == c) * J / 2 - b.node_inertia[9 * p + 3 * a + c];
        }
    }
    publish(&fb_writer_link, &b, (fb_export){.mbsim = 1});
    int64_t f = opened(path);
    DATA(f, "/mass", 1, b.I[1], 0, 0, 0, 0, 0);
    DATA(f, "/position integral", 3, b.I[2], 0, 3, 0, 0, 0);
    DATA(f, "/shape function integral", 3 * M, b.I[3], 0, 3, M, 0, 0);
    DATA(f, "/stiffness matrix", M * M, b.Kr, 0, M, M, 0, 0);
    DATA(f, "/damping matrix", M * M, b.Dr, 0, M, M, 0, 0);
    DATA(f, "/position position integral", 9, rr, 1e-14, 3, 3, 0, 0);
    DATA(f, "/position shape function integral", 9 * M, N, 1e-14, 9, M, 0, 0);
    DATA(f, "/shape function shape function integral", 6 * M * M, W, 1e-14, 6 * M, M, 0, 0);
    DATA(f, "/nodal relative position", 3 * NN, b.xyz, 0, 3 * NN, 0, 0, 0);
    DATA(f, "/nodal shape matrix of translation", 3 * NN * M, phi, 0, 3 * NN, M, 0, 0);
    DATA(f, "/nodal shape matrix of rotation", 3 * NN * M, psi, 0, 3 * NN, M, 0, 0);
    double node[NN],
        face[19] = {4, 0, 2, -1, 1, 5, 7, 6, -1, 3, 2, 1, -1, 7, 6, 5, 3, 1, -1}; /* no line */
    for (int p = 0; p < NN; p++)
        node[p] = (double)b.node_id[p];
    DATA(f, "/node numbers", NN, node, 0, NN, 0, 0, 0);
    DATA(f, "/openmbv indices", 19, face, 0, 19, 0, 0, 0);
    ck_assert_int_eq(fb_h5_close(&f, &e), FB_OK);
    fb_model_free(&b);
}
END_TEST

/* A mode that is a rotation about an axis through the origin, of nodes that are points: the sums of
 * MBSim hold the rotation twice and no more, so that any error in them is mass that pushes back. */
START_TEST(mbsim_sums_of_a_mode_that_is_a_rotation)
{
    enum { NN = GENERIC_NODES, M = GENERIC_ORDER };
    static const double n[3] = {0.48, -0.6, 0.64};
    fb_model b;
    fb_err e = {0};
    fb_run r = {.out = path, .line = "test"};
    make_generic(&b, "SI", (uint64_t)_i);
    memset(b.node_inertia, 0, sizeof(double) * 9 * NN);
    for (int p = 0; p < NN; p++)
        for (int a = 0; a < 3; a++) {
            const int c = (a + 1) % 3, d = (a + 2) % 3;
            b.T[6 * p + a] = n[c] * b.xyz[3 * p + d] - n[d] * b.xyz[3 * p + c];
            b.T[6 * p + 3 + a] = n[a];
        }
    memset(b.Mr, 0, sizeof(double) * M * M);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            b.Dr[i * M + j] = i == j;
            for (int q = 0; q < 3 * NN; q++) {
                const double *u = b.T + 6 * (q / 3) + q % 3;
                b.Mr[i * M + j] += b.node_mass[q / 3] * (u[i * b.ndof] * u[j * b.ndof]);
            }
        }
    ck_assert_int_eq(fb_model_connectors(&b, b.T, &e), FB_OK);
    generic_invariants(&b, b.I);
    ck_assert_msg(fb_writer_link.publish(&r, NULL, &b, &(fb_export){.mbsim = 1}, &e) == FB_OK, "%s",
                  e.msg);
    ck_assert_msg(r.log.nwarning == 0, "%s", r.log.warning[0]);
    fb_log_free(&r.log);
    fb_model_free(&b);
}
END_TEST

/* Stress of the nodes by coordinate: that of the modes, times how they are combined; zero where a
 * node has none. */
START_TEST(mbsim_stress)
{
    enum { NN = GENERIC_NODES, NM = GENERIC_MODES, NR = GENERIC_ORDER };
    static const int to[6] = {0, 1, 2,
                              3, 5, 4}; /* xx yy zz xy xz yz: MBSim has xx yy zz xy yz zx */
    double want[6 * NN * NR] = {0};
    fb_model b;
    fb_err e = {0};
    make_for_mbsim(&b, (uint64_t)_i);
    for (int64_t q = 0; q < b.ns; q++) {
        int p = 0;
        while (b.node_id[p] != b.stress_node[q])
            p++;
        for (int c = 0; c < 6; c++)
            for (int k = 0; k < NR; k++)
                for (int j = 0; j < NM; j++)
                    want[(6 * p + to[c]) * NR + k] +=
                        b.stress[(j * b.ns + q) * 6 + c] * b.V[k * NM + j];
    }
    publish(&fb_writer_link, &b, (fb_export){.mbsim = 1});
    int64_t f = opened(path);
    DATA(f, "/nodal stress matrix", 6 * NN * NR, want, 1e-14, 6 * NN, NR, 0, 0);
    ck_assert_int_eq(fb_h5_close(&f, &e), FB_OK);
    fb_model_free(&b);
}
END_TEST

/* No stress in the input, or of modes that nobody knows how to combine: none in the record, and the
 * rest is there. */
START_TEST(mbsim_without_stress)
{
    fb_model b;
    fb_err e = {0};
    make_for_mbsim(&b, 2);
    if (_i) {
        free(b.V);
        b.V = NULL;
    } else {
        free(b.stress);
        free(b.stress_node);
        b.stress = NULL;
        b.stress_node = NULL;
        b.ns = 0;
    }
    publish(&fb_writer_link, &b, (fb_export){.mbsim = 1});
    int64_t f = opened(path);
    ck_assert(!fb_h5_exists(f, "/nodal stress matrix"));
    ck_assert(fb_h5_exists(f, "/openmbv indices"));
    ck_assert_int_eq(fb_h5_close(&f, &e), FB_OK);
    fb_model_free(&b);
}
END_TEST

/* The record is still a stream of the project. */
/* What MBSim stops at, or cannot integrate. */
START_TEST(mbsim_refusals)
{
    static const char *const says[] = {
        "MBSim reads symmetric damping matrices alone, /reduced/D is not symmetric",
        "MBSim wants modes that hold no rigid motion, the body has 1: fix the node",
        "MBSim takes its mass matrix from the shape integrals, where a motion of this body"};
    fb_model b;
    fb_run r = {.out = path, .line = "linkexport test"};
    fb_err e = {0};
    const fb_export ask = {.mbsim = 1};
    make_for_mbsim(&b, 1);
    if (_i == 0)
        b.Dr[1] += 1;
    else if (_i == 1)
        b.frequency[0] = 0;
    else
        memset(b.I[11], 0, sizeof *b.I[11] * 9 * GENERIC_ORDER * GENERIC_ORDER);
    ck_assert_int_eq(fb_writer_link.publish(&r, NULL, &b, &ask, &e), FB_EFORMAT);
    ck_assert_msg(!strncmp(e.msg, says[_i], strlen(says[_i])), "%s", e.msg);
    fb_model_free(&b);
}
END_TEST

START_TEST(mbsim_record_is_a_stream)
{
    fb_model b, c = {0};
    fb_stream st = FB_STREAM_NONE;
    fb_err e = {0};
    make_held(&b, 4, 2, 1);
    publish(&fb_writer_link, &b, (fb_export){.mbsim = 1});
    ck_assert_msg(fb_stream_open(&st, path, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_model_read(&st, &c, NULL, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(c.nr, 2);
    ck_assert_ptr_null(c.T);
    fb_stream_abandon(&st);
    fb_model_free(&b);
    fb_model_free(&c);
}
END_TEST

/* Exudyn's triangles are fans of the faces, without lines; its names are those of the class. */
START_TEST(exudyn_triangles)
{
    static const double want[21] = {4, 0, 2, 1, 5, 7, 1, 7, 6, 3, 2, 1, 7, 6, 5, 7, 5, 3, 7, 3, 1};
    fb_model b;
    fb_err e = {0};
    make_for_mbsim(&b, (uint64_t)_i);
    free(b.Dr); /* would be warned of */
    b.Dr = NULL;
    publish(&fb_writer_exudyn, &b, (fb_export){.dialect = NULL});
    int64_t f = opened(path);
    DATA(f, "/trigList", 21, want, 0, 7, 3, 0, 0);
    DATA(f, "/massMatrixReduced", b.nr * b.nr, b.Mr, 0, b.nr, b.nr, 0, 0);
    DATA(f, "/inertiaLocal", 9, b.I[7], 0, 3, 3, 0, 0);
    ck_assert_int_eq(fb_h5_close(&f, &e), FB_OK);
    fb_model_free(&b);
}
END_TEST

/* Weights by direct products with the generators, as their definition writes them. */
START_TEST(erls_matrices)
{
    enum { NN = GENERIC_NODES, M = GENERIC_ORDER, NC = GENERIC_CONNECTORS };
    static const double A[3][3][3] = {{{0, 0, 0}, {0, 0, -1}, {0, 1, 0}},
                                      {{0, 0, 1}, {0, 0, 0}, {-1, 0, 0}},
                                      {{0, -1, 0}, {1, 0, 0}, {0, 0, 0}}};
    double S[6][3][3] = {{{0}}}, X[3 * M * M] = {0}, Y[6 * M * M] = {0}, Z[9 * M * M] = {0},
           W[18 * M * M] = {0};
    static const int mix[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    fb_model b;
    fb_err e = {0};
    make_generic(&b, "SI", (uint64_t)_i);
    /* Omega = sum w_k A_k: Omega'Omega = sum w_k w_l A_k'A_l */
    for (int t = 0; t < 6; t++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) {
                    S[t][i][j] += A[mix[t][0]][k][i] * A[mix[t][1]][k][j];
                    if (t > 2)
                        S[t][i][j] += A[mix[t][1]][k][i] * A[mix[t][0]][k][j];
                }
    for (int p = 0; p < NN; p++)
        for (int rot = 0; rot < 2; rot++)
            for (int k = 0; k < M; k++)
                for (int l = 0; l < M; l++) {
                    const double *f = b.T + k * b.ndof + 6 * p + 3 * rot,
                                 *g = b.T + l * b.ndof + 6 * p + 3 * rot;
                    double w[3][3], G[9][3], Lf[4][3];
                    for (int i = 0; i < 3; i++)
                        for (int j = 0; j < 3; j++)
                            w[i][j] =
                                rot ? b.node_inertia[9 * p + 3 * i + j] : (i == j) * b.node_mass[p];
                    for (int q = 0; q < 9; q++) /* A_k g, S_t g, weighted */
                        for (int i = 0; i < 3; i++) {
                            G[q][i] = 0;
                            for (int j = 0; j < 3; j++)
                                for (int h = 0; h < 3; h++)
                                    G[q][i] += w[i][j] *
                                               (q < 3 ? A[q] : (const double(*)[3])S[q - 3])[j][h] *
                                               g[h];
                        }
                    for (int q = 0; q < 4; q++) /* f, A_r f */
                        for (int i = 0; i < 3; i++)
                            Lf[q][i] = q == 0 ? f[i]
                                              : A[q - 1][i][0] * f[0] + A[q - 1][i][1] * f[1] +
                                                    A[q - 1][i][2] * f[2];
#define DOT(x, y) (x[0] * y[0] + x[1] * y[1] + x[2] * y[2])
                    int at = k * M + l;
                    for (int q = 0; q < 3; q++)
                        X[q * M * M + at] += DOT(Lf[0], G[q]);
                    for (int q = 0; q < 6; q++)
                        Y[q * M * M + at] += DOT(Lf[0], G[3 + q]);
                    for (int r = 0; r < 3; r++) {
                        for (int q = 0; q < 3; q++)
                            Z[(3 * r + q) * M * M + at] += DOT(Lf[1 + r], G[q]);
                        for (int q = 0; q < 6; q++)
                            W[(6 * r + q) * M * M + at] += DOT(Lf[1 + r], G[3 + q]);
                    }
                }
    publish(&fb_writer_erls, &b, (fb_export){0});
    int64_t f = opened(path);
    DATA(f, "/X", 3 * M * M, X, 1e-14, 3, M, M, 0);
    DATA(f, "/Y", 6 * M * M, Y, 1e-14, 6, M, M, 0);
    DATA(f, "/Z", 9 * M * M, Z, 1e-14, 3, 3, M, M);
    DATA(f, "/W", 18 * M * M, W, 1e-14, 3, 6, M, M);
    DATA(f, "/K", M * M, b.Kr, 0, M, M, 0, 0);
    double U[NC * 6 * M];
    static const int at[NC] = {4, 1, 6}; /* of nodes 1310, 12, 6 */
    for (int p = 0; p < NC; p++)
        for (int c = 0; c < 6; c++)
            for (int k = 0; k < M; k++)
                U[(6 * p + c) * M + k] = b.T[k * b.ndof + 6 * at[p] + c];
    DATA(f, "/U", NC * 6 * M, U, 0, NC, 6, M, 0);
    ck_assert_int_eq(fb_h5_close(&f, &e), FB_OK);
    fb_model_free(&b);
}
END_TEST

/* X_1 = I11_32 - I11_23, Z_rd[k,l] = -(I9_kl)_rd without rotary inertia. */
START_TEST(erls_agrees_with_the_invariants)
{
    enum { M = 3 };
    fb_model b;
    fb_err e = {0};
    make_held(&b, 6, M, (uint64_t)_i);
    free(b.node_inertia);
    b.node_inertia = NULL;
    publish(&fb_writer_erls, &b, (fb_export){0});
    int64_t f = opened(path);
    double *X = dataset(f, "/X", 3, M, M, 0), *Z = dataset(f, "/Z", 3, 3, M, M);
    for (int k = 0; k < M; k++)
        for (int l = 0; l < M; l++) {
            int at = k * M + l, mm = M * M;
            ck_assert_double_eq_tol(X[at], b.I[11][7 * mm + at] - b.I[11][5 * mm + at], 1e-13);
            for (int r = 0; r < 9; r++)
                ck_assert_double_eq_tol(Z[r * mm + at], -b.I[9][9 * at + r], 1e-13);
        }
    free(X);
    free(Z);
    ck_assert_int_eq(fb_h5_close(&f, &e), FB_OK);
    fb_model_free(&b);
}
END_TEST

START_TEST(matlab_73)
{
    enum { M = 3 };
    fb_model b;
    fb_err e = {0};
    char head[512], class[16] = "";
    make_held(&b, 5, M, 2);
    publish(&fb_writer_mat, &b, (fb_export){.dialect = "7.3"});
    FILE *in = fopen(path, "rb");
    ck_assert_int_eq(fread(head, 1, sizeof head, in), sizeof head);
    fclose(in);
    ck_assert_mem_eq(head, "MATLAB 7.3 MAT-file", 19);
    ck_assert_mem_eq(head + 124, "\0\2IM", 4);
    int64_t f = opened(path);
    double *T = dataset(f, "/T", M, b.ndof, 0, 0), *I8 = dataset(f, "/I8", 3, 3, M, 0);
    near_all(T, b.T, M * b.ndof, 0, "T");
    for (int k = 0; k < M; k++)
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++)
                ck_assert(I8[(c * 3 + a) * M + k] == b.I[8][(3 * k + a) * 3 + c]);
    ck_assert_int_eq(fb_h5_get_text(f, "/I8", "MATLAB_class", class, sizeof class, &e), FB_OK);
    ck_assert_str_eq(class, "double");
    free(T);
    free(I8);
    ck_assert_int_eq(fb_h5_close(&f, &e), FB_OK);
    fb_model_free(&b);
}
END_TEST

/* ---- MBSim's own example --------------------------------------------------------------------- */

/* Masses as MBSim's example was made: m_i = m_ii / sum m_ii x m, one direction. */
static void lumped_masses(const char *name, double *mass, int64_t nn)
{
    FILE *f = fopen(name, "r");
    long long i, j;
    double v, sum = 0;
    ck_assert_ptr_nonnull(f);
    while (fscanf(f, "%lld %lld %lf", &i, &j, &v) == 3)
        if (i == j && i % 3 == 1) {
            mass[i / 3] = v;
            sum += v;
        }
    fclose(f);
    for (int64_t p = 0; p < nn; p++)
        mass[p] *= 93600 / sum;
}

/* A body of the file's own nodes and shapes. */
static void example(int64_t f, fb_model *b)
{
    enum { NN = 261, M = 2 };
    fb_err e = {0};
    double *phi = dataset(f, "/nodal shape matrix of translation", 3 * NN, M, 0, 0);
    *b = (fb_model){.nn = NN, .nr = M};
    ck_assert_int_eq(fb_units_system(&b->units, "SI", &e), FB_OK);
    b->xyz = dataset(f, "/nodal relative position", 3 * NN, 0, 0, 0);
    b->node_id = malloc(8 * NN);
    b->node_mass = calloc(NN, 8);
    for (int p = 0; p < NN; p++)
        b->node_id[p] = p + 1;
    ck_assert_int_eq(fb_model_nodal_dofs(b, &e), FB_OK);
    b->T = calloc((size_t)(M * b->ndof), 8);
    for (int p = 0; p < NN; p++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < M; k++)
                b->T[k * b->ndof + 6 * p + i] = phi[(3 * p + i) * M + k];
    b->Kr = dataset(f, "/stiffness matrix", M, M, 0, 0);
    b->Mr = calloc(M * M, 8);
    b->Mr[0] = b->Mr[3] = 1;
    ck_assert_msg(fb_model_set_connectors(b, b->node_id, 1, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_model_connectors(b, b->T, &e) == FB_OK, "%s", e.msg);
    free(phi);
}

START_TEST(mbsim_example_is_reproduced)
{
    static const struct {
        const char *name;
        int64_t n, d0, d1;
    } data[] = {{"/mass", 1, 0, 0},
                {"/position integral", 3, 3, 0},
                {"/position position integral", 9, 3, 3},
                {"/shape function integral", 6, 3, 2},
                {"/position shape function integral", 18, 9, 2},
                {"/shape function shape function integral", 24, 12, 2},
                {"/stiffness matrix", 4, 2, 2}};
    char h5[512], mas[512];
    fb_model b;
    fb_err e = {0};
    const char *name = shared_file("consumers/mbsim/ffr_interface_node_frame_input_data.h5");
    if (!name)
        return;
    snprintf(h5, sizeof h5, "%s", name);
    if (!(name = shared_file("abaqus/17_mbsim_ccx_beam/calculix.mas")))
        return;
    snprintf(mas, sizeof mas, "%s", name);
    int64_t f = opened(h5);
    example(f, &b);
    lumped_masses(mas, b.node_mass, b.nn);
    ck_assert_msg(fb_invariants_nodal(&b, b.T, &e) == FB_OK, "%s", e.msg);
    publish(&fb_writer_link, &b, (fb_export){.mbsim = 1});
    int64_t g = opened(path);
    for (size_t k = 0; k < sizeof data / sizeof *data; k++) {
        double *want = dataset(f, data[k].name, data[k].d0, data[k].d1, 0, 0);
        /* S1 is a sum of masses of 93600 in all times shapes of about 0.003, which nearly cancels.
         * */
        DATA(g, data[k].name, data[k].n, want, 1e-12, data[k].d0, data[k].d1, 0, 0);
        free(want);
    }
    ck_assert_int_eq(fb_h5_close(&f, &e), FB_OK);
    ck_assert_int_eq(fb_h5_close(&g, &e), FB_OK);
    fb_model_free(&b);
}
END_TEST

/* ---- Modelica, pictures, folders ---------------------------------------------------------------
 * */

static char *text_of(const fb_model *b, const fb_writer *w, const char *dialect)
{
    const fb_export ask = {.dialect = dialect, .coordinates = 1};
    fb_buf o = {.little = 1};
    fb_log log = {0};
    fb_err e = {0};
    ck_assert_msg(w->write(b, &ask, &o, &log, &e) == FB_OK, "%s", e.msg);
    fb_put_bytes(&o, "", 1);
    return (char *)o.data;
}

/* The n numbers of `name = {...}`. */
static void literal(const char *text, const char *name, double *x, int64_t n)
{
    const char *p = strstr(text, name);
    ck_assert_msg(p != NULL, "no %s", name);
    p = strchr(p, '=') + 1;
    for (int64_t k = 0; k < n; k++) {
        char *end;
        p += strspn(p, "{}, \n");
        x[k] = strtod(p, &end);
        ck_assert_ptr_ne(end, p);
        p = end;
    }
    ck_assert_int_eq(p[strspn(p, "} ")], '"');
}

START_TEST(modelica_literals)
{
    enum { M = GENERIC_ORDER, NC = GENERIC_CONNECTORS };
    static const char *const name[12] = {"",
                                         "Real I1 =",
                                         "Real I2[3]",
                                         "Real I3[3,M]",
                                         "Real I4[3,M]",
                                         "Real I5[M,3,M]",
                                         "Real I6[M,M]",
                                         "Real I7[3,3]",
                                         "Real I8[M,3,3]",
                                         "Real I9[M,M,3,3]",
                                         "Real I10[3,3,M]",
                                         "Real I11[3,3,M,M]"};
    fb_model b;
    double x[9 * M * M];
    make_generic(&b, "SI", 1);
    generic_invariants(&b, b.I);
    char *text = text_of(&b, &fb_writer_modelica, "literal");
    ck_assert_ptr_nonnull(strstr(text, "record BodyData"));
    ck_assert_ptr_nonnull(strstr(text, "Integer M = 5 "));
    ck_assert_ptr_nonnull(strstr(text, "node[Nc] = {1310, 12, 6}"));
    for (int k = 1; k <= 11; k++) {
        literal(text, name[k], x, sizes(M)[k]);
        near_all(x, b.I[k], sizes(M)[k], 0, name[k]);
    }
    literal(text, "Real S[Nc,3,M]", x, NC * 3 * M);
    near_all(x, b.connector_S, NC * 3 * M, 0, "S");
    literal(text, "Real Shat[Nc,3,M]", x, NC * 3 * M);
    near_all(x, b.connector_Shat, NC * 3 * M, 0, "Shat");
    literal(text, "Real u0[Nc,3]", x, NC * 3);
    near_all(x, b.connector_position, NC * 3, 0, "u0");
    literal(text, "Real A[Nc,3,3]", x, NC * 9);
    near_all(x, b.connector_rotation, NC * 9, 0, "A");
    literal(text, "Real Me[M,M]", x, M * M);
    near_all(x, b.Mr, M * M, 0, "Me");
    literal(text, "Real Ke[M,M]", x, M * M);
    near_all(x, b.Kr, M * M, 0, "Ke");
    literal(text, "Real De[M,M]", x, M * M);
    near_all(x, b.Dr, M * M, 0, "De");
    int open = 0;
    for (char *p = text; *p; p++)
        open += (*p == '{') - (*p == '}');
    ck_assert_int_eq(open, 0);
    ck_assert_ptr_nonnull(strstr(text, "\nend BodyData;\n"));
    free(text);
    fb_model_free(&b);
}
END_TEST

/* BodyData.mat holds each array as a matrix, rows over all indices but the last; BodyData.mo finds
 * entry [i,j,k,l] in row ((i-1) n_j + j-1) n_k + k. */
START_TEST(modelica_matfile)
{
    enum { M = GENERIC_ORDER };
    static const char *const says[] = {
        "final parameter Real I1 = I1_rows[1,1] ",
        "final parameter Real I2[3] = {I2_rows[1,i] for i in 1:3} ",
        "Real I3[3,M] = readRealMatrix(file, \"I3\", 3, 5) ",
        "Real I5_rows[15,5] = readRealMatrix(file, \"I5\", 15, 5)",
        "Real I5[M,3,M] = {{{I5_rows[(i-1)*3+j,k] for k in 1:5} for j in 1:3} for i in 1:5} ",
        "Real I9_rows[75,3] = readRealMatrix(file, \"I9\", 75, 3)",
        "Real I9[M,M,3,3] = {{{{I9_rows[(i-1)*15+(j-1)*3+k,l] for l in 1:3} for k in 1:3} for j in "
        "1:5} for i in 1:5} ",
        "Real I10[3,3,M] = {{{I10_rows[(i-1)*3+j,k] for k in 1:5} for j in 1:3} for i in 1:3} ",
        "Real I11[3,3,M,M] = {{{{I11_rows[(i-1)*15+(j-1)*5+k,l] for l in 1:5} for k in 1:5} for j "
        "in 1:3} for i in 1:3} ",
        "Real Shat[Nc,3,M] = {{{Shat_rows[(i-1)*3+j,k] for k in 1:5} for j in 1:3} for i in 1:3} "};
    fb_model b;
    fb_files f = {0};
    fb_log log = {0};
    fb_err e = {0};
    const fb_export ask = {.dialect = "matfile"};
    make_generic(&b, "SI", 3);
    generic_invariants(&b, b.I);
    ck_assert_msg(fb_writer_modelica.files(&b, &ask, &f, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(f.n, 2);
    ck_assert_str_eq(f.file[0].name, "BodyData.mo");
    fb_put_bytes(&f.file[0].bytes, "", 1);
    for (size_t k = 0; k < sizeof says / sizeof *says; k++)
        ck_assert_msg(strstr((char *)f.file[0].bytes.data, says[k]) != NULL, "no '%s' in %s",
                      says[k], f.file[0].bytes.data);
    const unsigned char *p = f.file[1].bytes.data, *end = p + f.file[1].bytes.size;
    int seen = 0;
    while (
        p <
        /* level 4: type, rows, columns, imaginary, length of the name; columns one after the other
         * */
        end) {
        int32_t head[5];
        memcpy(head, p, sizeof head);
        const char *name = (const char *)p + 20;
        const unsigned char *x = p + 20 + head[4];
        const double *want = !strcmp(name, "I9")     ? b.I[9]
                             : !strcmp(name, "I11")  ? b.I[11]
                             : !strcmp(name, "I5")   ? b.I[5]
                             : !strcmp(name, "Shat") ? b.connector_Shat
                             : !strcmp(name, "Ke")   ? b.Kr
                                                     : NULL;
        for (int32_t c = 0; want && c < head[2]; c++)
            for (int32_t r = 0; r < head[1]; r++) {
                double v;
                memcpy(&v, x + 8 * (c * head[1] + r), 8);
                ck_assert_msg(v == want[r * head[2] + c], "%s(%d,%d)", name, r, c);
            }
        seen += want != NULL;
        p = x + 8 * head[1] * head[2];
    }
    ck_assert(p == end && seen == 5);
    fb_files_free(&f);
    fb_model_free(&b);
}
END_TEST

START_TEST(modelica_refusals)
{
    fb_model b;
    fb_buf o = {0};
    fb_log log = {0};
    fb_err e = {0};
    const fb_export ask = {.dialect = "literal"};
    make_held(&b, 5, 3, 1);
    b.units.factor[FB_LENGTH] = 0.001;
    ck_assert_int_eq(fb_writer_modelica.write(&b, &ask, &o, &log, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "in SI units"));
    int64_t nc = b.nc;
    b.nc = 0;
    ck_assert_int_eq(fb_writer_modelica.write(&b, &ask, &o, &log, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "--connectors LIST"));
    b.nc = nc;
    fb_buf_free(&o);
    fb_model_free(&b);
}
END_TEST

static int64_t unbase64(const char *p, unsigned char *out)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned v = 0;
    int64_t n = 0;
    for (int k = 0; *p && strchr(letter, *p); p++, k++) {
        v = v << 6 | (unsigned)(strchr(letter, *p) - letter);
        if (k % 4)
            out[n++] = (unsigned char)(v >> (6 - 2 * (k % 4)));
    }
    return n;
}

/* The bytes of a named array, whose count comes first. */
static int64_t array(const char *text, const char *name, unsigned char *out)
{
    char key[60];
    uint64_t n = 0;
    snprintf(key, sizeof key, "Name=\"%s\"", name);
    const char *p = strstr(text, key);
    ck_assert_msg(p != NULL, "no array %s", name);
    p = strchr(p, '\n') + 1;
    int64_t all = unbase64(p, out);
    for (int k = 0; k < 8; k++)
        n |= (uint64_t)out[k] << 8 * k;
    ck_assert_int_eq((int64_t)n + 8, all);
    memmove(out, out + 8, (size_t)n);
    return (int64_t)n;
}

/* The longest displacement in coordinate k, and a tenth of the diagonal of the box over it. */
static double enlarged(const fb_model *b, int k)
{
    double most = 0, lo[3], hi[3];
    for (int p = 0; p < b->nn; p++)
        for (int a = 0; a < 3; a++) {
            const double *u = b->T + k * b->ndof + 6 * p, x = b->xyz[3 * p + a];
            most = fmax(most, hypot(u[0], hypot(u[1], u[2])));
            lo[a] = p ? fmin(lo[a], x) : x;
            hi[a] = p ? fmax(hi[a], x) : x;
        }
    return 0.1 * hypot(hi[0] - lo[0], hypot(hi[1] - lo[1], hi[2] - lo[2])) / most;
}

/* A mode of the picture: its three displacements, or rotations, a node. */
static void drawn(const fb_model *b, const char *text, const char *name, int k, int first)
{
    static unsigned char bytes[4096];
    float u[3 * GENERIC_NODES];
    ck_assert_int_eq(array(text, name, bytes), sizeof u);
    memcpy(u, bytes, sizeof u);
    for (int d = 0; d < 3 * GENERIC_NODES; d++)
        ck_assert_double_eq_tol(
            (double)u[d], enlarged(b, k) * b->T[k * b->ndof + 6 * (d / 3) + first + d % 3], 1e-6);
}

/* Faces of 3, 4, 3, 2 and 5 nodes are triangle, quad, triangle, line and polygon. */
static void grid(const fb_model *b, const char *text)
{
    static unsigned char bytes[4096];
    ck_assert_ptr_nonnull(strstr(text, "<Piece NumberOfPoints=\"8\" NumberOfCells=\"5\">"));
    ck_assert_int_eq(array(text, "Points", bytes), 24 * GENERIC_NODES);
    ck_assert_mem_eq(bytes, b->xyz, 24 * GENERIC_NODES);
    ck_assert_int_eq(array(text, "node", bytes), 8 * GENERIC_NODES);
    ck_assert_mem_eq(bytes, b->node_id, 8 * GENERIC_NODES);
    ck_assert_int_eq(array(text, "connectivity", bytes), 8 * 17);
    ck_assert_mem_eq(bytes, b->face_index, 8 * 17);
    ck_assert_int_eq(array(text, "offsets", bytes), 8 * 5);
    ck_assert_mem_eq(bytes, b->face_offset + 1, 8 * 5);
    ck_assert_int_eq(array(text, "types", bytes), 5);
    ck_assert_mem_eq(bytes, "\5\11\5\3\7", 5);
}

START_TEST(picture)
{
    fb_model b;
    fb_files f = {0};
    fb_log log = {0};
    fb_err e = {0};
    char name[80];
    make_generic(&b, "mm-t-s", (uint64_t)_i);
    char *text = text_of(&b, &fb_writer_vtu, "single");
    grid(&b, text);
    for (int k = 0; k < GENERIC_ORDER; k++) {
        snprintf(name, sizeof name, "coordinate_%03d", k + 1);
        drawn(&b, text, name, k, 0);
    }
    free(text);
    b.kind[1] = b.kind[3] = FB_KIND_EIGEN; /* shapes that a frequency belongs to */
    ck_assert_int_eq(
        fb_writer_vtu.files(&b, &(fb_export){.dialect = "series", .coordinates = 1}, &f, &log, &e),
        FB_OK);
    ck_assert_int_eq(f.n, 1 + GENERIC_ORDER);
    for (int k = 0; k <= GENERIC_ORDER; k++) {
        snprintf(name, sizeof name, k ? "coordinate_%03d.vtu" : "modes.pvd", k);
        ck_assert_str_eq(f.file[k].name, name);
        text = strndup((char *)f.file[k].bytes.data, (size_t)f.file[k].bytes.size);
        if (k) {
            const char *at = strstr(text, "Name=\"frequency_Hz\"");
            grid(&b, text);
            drawn(&b, text, "displacement", k - 1, 0);
            drawn(&b, text, "rotation", k - 1, 3);
            ck_assert_int_eq(at != NULL, k == 2 || k == 4);
            ck_assert(!at || atof(strchr(at, '\n')) == b.frequency[k - 1]);
        }
        for (int q = 1; !k && q <= GENERIC_ORDER; q++) {
            snprintf(name, sizeof name, "timestep=\"%d\" part=\"0\" file=\"coordinate_%03d.vtu\"",
                     q, q);
            ck_assert_ptr_nonnull(strstr(text, name));
        }
        free(text);
    }
    fb_files_free(&f);
    fb_model_free(&b);
}
END_TEST

/* Two bodies of one dof a node with a spring between: K = k [1 -1; -1 1], M = m I, so that f = 0
 * and sqrt(2 k / m) / 2 pi, where both move by the same, against each other. */
static void two_masses(fb_model *b)
{
    static int64_t id[] = {1, 2}, component[] = {1, 1}, class[2];
    static double xyz[] = {0, 0, 0, 10, 0, 0}, K[] = {8, -8, -8, 8}, M[] = {4, 0, 0, 4},
                  T[] = {1, 0, 0, 1};
    *b = (fb_model){.nn = 2,
                    .node_id = id,
                    .xyz = xyz,
                    .ndof = 2,
                    .dof_node = id,
                    .dof_component = component,
                    .dof_class = class,
                    .nr = 2,
                    .Kr = K,
                    .Mr = M,
                    .T = T};
    fb_err e = {0};
    ck_assert_int_eq(fb_units_system(&b->units, "SI", &e), FB_OK);
}

START_TEST(picture_that_swings)
{
    static unsigned char bytes[4096];
    fb_model b;
    fb_files f = {0};
    fb_log log = {0};
    fb_err e = {0};
    float u[6];
    two_masses(&b);
    ck_assert_int_eq(
        fb_writer_vtu.files(&b, &(fb_export){.dialect = "series", .modes = "2"}, &f, &log, &e),
        FB_OK);
    ck_assert_int_eq(f.n, 1 + 24);
    for (int k = 0; k < 24; k++) {
        fb_put_bytes(&f.file[1 + k].bytes, "", 1);
        const char *text = (char *)f.file[1 + k].bytes.data, *at = strstr(text, "frequency_Hz");
        ck_assert_double_eq_tol(atof(strchr(at, '\n')), 2 / (2 * acos(-1)), 1e-12);
        ck_assert_int_eq(array(text, "displacement", bytes), sizeof u);
        memcpy(u, bytes, sizeof u);
        ck_assert_double_eq_tol(fabs((double)u[0]), fabs(sin(2 * acos(-1) * k / 24)), 1e-6);
        ck_assert_double_eq_tol((double)(u[0] + u[3]), 0, 1e-6);
    }
    ck_assert_str_eq(f.file[1].name, "mode_002_00.vtu");
    fb_files_free(&f);
}
END_TEST

/* Faces of 3, 4, 3, 2 and 5 corners are 1 + 2 + 1 + 3 triangles and a line; 8 vertices; the numbers
 * stand one after the other: places, colours, displacements and colours of each shape. */
START_TEST(picture_as_gltf)
{
    fb_model b;
    int32_t head[5], size;
    float v[3 * GENERIC_NODES];
    make_generic(&b, "SI", 1);
    unsigned char *file = (unsigned char *)text_of(&b, &fb_writer_glb, NULL);
    memcpy(head, file, sizeof head);
    ck_assert_int_eq(head[0], 0x46546c67);
    ck_assert_int_eq(head[1], 2);
    ck_assert_int_eq(head[4], 0x4e4f534a);
    memcpy(&size, file + 20 + head[3], 4);
    ck_assert_int_eq(head[2], 12 + 8 + head[3] + 8 + size);
    const unsigned char *bin = file + 28 + head[3];
    file[20 + head[3] - 1] = 0;
    const char *json = (char *)file + 20;
    ck_assert_ptr_nonnull(strstr(json, "\"count\":21,\"type\":\"SCALAR\""));
    ck_assert_ptr_nonnull(strstr(json, "\"count\":2,\"type\":\"SCALAR\""));
    for (int k = 0; k < GENERIC_ORDER; k++) {
        memcpy(v, bin + (2 + 2 * (size_t)k) * sizeof v, sizeof v);
        for (int d = 0; d < 3 * GENERIC_NODES; d++)
            ck_assert_double_eq_tol((double)v[d],
                                    enlarged(&b, k) * b.T[k * b.ndof + 6 * (d / 3) + d % 3], 1e-6);
    }
    free(file);
    fb_model_free(&b);
}
END_TEST

START_TEST(modes_that_are_no_list)
{
    static const struct {
        const char *list, *error;
    } t[] = {{"", "numbers and ranges are wanted"},
             {"1,", "numbers and ranges are wanted"},
             {"x", "numbers and ranges are wanted"},
             {"0", "numbers and ranges are wanted"},
             {"2-1", "numbers and ranges are wanted"},
             {"1 2", "numbers and ranges are wanted"},
             {"3", "the body has 2 modes"},
             {"1-900000000000", "the body has 2 modes"}};
    fb_model b;
    fb_buf o = {.little = 1};
    fb_log log = {0};
    fb_err e = {0};
    two_masses(&b);
    const fb_status s = fb_writer_vtu.write(
        &b, &(fb_export){.dialect = "single", .modes = t[_i].list}, &o, &log, &e);
    ck_assert_int_eq(s, FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, t[_i].error) != NULL, "%s", e.msg);
    fb_buf_free(&o);
}
END_TEST

/* Without faces each node is a vertex; a body of one place or without motion is not enlarged. */
START_TEST(picture_of_points)
{
    static unsigned char bytes[4096];
    fb_model b;
    int64_t v;
    float u[3 * GENERIC_NODES];
    make_generic(&b, "SI", 1);
    free(b.face_offset);
    free(b.face_index);
    b.face_offset = b.face_index = NULL;
    for (int k = 0; k < 3 * GENERIC_NODES; k++)
        b.xyz[k] = k % 3;
    char *text = text_of(&b, &fb_writer_vtu, "single");
    ck_assert_int_eq(array(text, "types", bytes), GENERIC_NODES);
    for (int k = 0; k < GENERIC_NODES; k++)
        ck_assert_int_eq(bytes[k], 1);
    ck_assert_int_eq(array(text, "connectivity", bytes), 8 * GENERIC_NODES);
    for (int k = 0; k < GENERIC_NODES; k++) {
        memcpy(&v, bytes + 8 * k, 8);
        ck_assert_int_eq(v, k);
    }
    ck_assert_int_eq(array(text, "offsets", bytes), 8 * GENERIC_NODES);
    for (int k = 0; k < GENERIC_NODES; k++) {
        memcpy(&v, bytes + 8 * k, 8);
        ck_assert_int_eq(v, k + 1);
    }
    ck_assert_int_eq(array(text, "coordinate_003", bytes), sizeof u);
    memcpy(u, bytes, sizeof u);
    for (int d = 0; d < 3 * GENERIC_NODES; d++)
        ck_assert_double_eq_tol((double)u[d], b.T[2 * b.ndof + 6 * (d / 3) + d % 3], 1e-6);
    free(text);
    fb_model_free(&b);
}
END_TEST

enum { LONG_LINES = 200000 }; /* of 12 bytes: more than a spooled buffer holds */

/* a.txt grows again when b.txt has begun. */
static fb_status two_files(fb_run *r, fb_files *f, int broken, fb_err *e)
{
    fb_buf *o = NULL;
    FB_PASS(fb_files_open(r, f, e));
    FB_PASS(fb_files_add(f, "a.txt", &o, e));
    for (int k = 0; k < LONG_LINES; k++)
        fb_put_text(o, "%11d\n", k);
    FB_PASS(fb_files_add(f, "b.txt", &o, e));
    fb_put_text(o, "two\n");
    fb_put_text(&f->file[0].bytes, "one\n");
    if (broken)
        o->failed = 1;
    return fb_publish_files(r, f, e);
}

static fb_status in_folder(const char *folder, int broken, fb_err *e)
{
    fb_run r = {.out = folder};
    fb_files f = {0};
    const fb_status s = two_files(&r, &f, broken, e);
    fb_files_free(&f);
    return s;
}

START_TEST(folder_appears_whole_or_not_at_all)
{
    char folder[80], slash[90], a[120], b[120], text[13] = "";
    struct stat st;
    fb_err e = {0};
    fb_status s = FB_OK;
    int fails = 0;
    snprintf(folder, sizeof folder, "%s.d", path);
    snprintf(slash, sizeof slash, "%s/", folder);
    snprintf(a, sizeof a, "%s/a.txt", folder);
    snprintf(b, sizeof b, "%s/b.txt", folder);
    ck_assert_int_eq(in_folder(folder, 1, &e), FB_ESYS);
    ck_assert_int_ne(stat(folder, &st), 0);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = in_folder(folder, 0, &e));
    ck_assert_int_gt(fails, 2);
    ck_assert_int_eq(stat(a, &st), 0);
    ck_assert_int_eq(st.st_size, 12 * LONG_LINES + 4);
    FILE *in = fopen(a, "r");
    ck_assert_ptr_nonnull(in);
    ck_assert_int_eq(fseek(in, 12 * (LONG_LINES - 1), SEEK_SET), 0);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, in));
    ck_assert_int_eq(atoi(text), LONG_LINES - 1);
    fclose(in);
    ck_assert_int_eq(stat(b, &st), 0);
    ck_assert_int_eq(st.st_size, 4);
    ck_assert_int_eq(in_folder(folder, 0, &e), FB_EUSAGE);
    ck_assert_ptr_nonnull(strstr(e.msg, "exists and is no empty folder"));
    ck_assert_int_eq(stat(a, &st), 0);
    unlink(a);
    unlink(b); /* an empty folder is taken, a slash behind it too */
    ck_assert_msg(in_folder(slash, 0, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(stat(b, &st), 0);
    unlink(a);
    unlink(b);
    ck_assert_int_eq(rmdir(folder), 0);
    ck_assert_int_eq(in_folder("-", 0, &e), FB_EUSAGE);
    ck_assert_str_eq(e.msg, "2 files are to be written: name a new folder by -o FOLDER");
    ck_assert_int_eq(in_folder("/nowhere/at/all", 0, &e), FB_ESYS);
}
END_TEST

/* Connectors first, in their order; the others by rising numbers, in every list alike; or nothing
 * has changed. */
START_TEST(renumbered_nodes)
{
    enum { NN = GENERIC_NODES };
    fb_model b, c;
    fb_log log = {0};
    fb_err e = {0};
    fb_status s = FB_OK;
    int fails = 0;
    make_generic(&b, "SI", 1);
    make_generic(&c, "SI", 1);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = fb_renumber(&b, &log, &e));
    ck_assert_int_gt(fails, 2);
    for (int64_t k = 0; k < b.nc; k++)
        ck_assert_int_eq(b.connector_node[k], k + 1);
    for (int p = 0; p < NN; p++) {
        int64_t want = 1, at = -1;
        for (int64_t k = 0; k < c.nc; k++)
            at = c.connector_node[k] == c.node_id[p] ? k + 1 : at;
        for (int q = 0; q < NN; q++) /* connectors, and smaller ones that are none */
            want += c.node_id[q] == 1310 || c.node_id[q] == 12 || c.node_id[q] == 6
                        ? 1
                        : c.node_id[q] < c.node_id[p];
        ck_assert_int_eq(b.node_id[p], at > 0 ? at : want);
        ck_assert_int_eq(b.dof_node[6 * p], b.node_id[p]);
    }
    ck_assert_str_eq(c.load_name[4], "12.3"); /* unit loads at the second connector */
    ck_assert_str_eq(b.load_name[4], "2.3");
    ck_assert_str_eq(b.load_name[1], "spin");
    fb_log_free(&log);
    fb_model_free(&b);
    fb_model_free(&c);
}
END_TEST

START_TEST(memory_runs_out)
{
    static const fb_writer *const way[] = {&fb_writer_erls, &fb_writer_link, &fb_writer_mat,
                                           &fb_writer_mat, &fb_writer_exudyn};
    const fb_export ask = {.dialect = _i == 3 ? "7.3" : "5", .mbsim = 1, .with_T = 1};
    fb_model b;
    fb_run r = {.out = path, .line = "linkexport test"};
    fb_err e = {0};
    fb_status s = FB_OK;
    int fails = 0;
    make_held(&b, 4, 2, 1);
    if (_i == 4) { /* would be warned of, and a warning may be lost */
        free(b.Dr);
        b.Dr = NULL;
    }
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = way[_i]->publish(&r, NULL, &b, &ask, &e));
    ck_assert_int_gt(fails, 10);
    fb_model_free(&b);
}
END_TEST

START_TEST(memory_runs_out_in_texts)
{
    fb_model b;
    fb_buf o = {0};
    fb_files f = {0};
    fb_log log = {0};
    fb_err e = {0};
    fb_status s = FB_OK;
    int fails = 0;
    const fb_writer *w = _i < 2 ? &fb_writer_modelica : _i < 4 ? &fb_writer_vtu : &fb_writer_glb;
    const fb_export ask = {.dialect = "any"};
    make_held(&b, 4, 2, 1);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_buf_free(&o);
        fb_files_free(&f);
        s = _i % 2 ? w->files(&b, &ask, &f, &log, &e) : w->write(&b, &ask, &o, &log, &e);
        for (int64_t k = 0; !s && k < f.n; k++)
            s = fb_buf_status(&f.file[k].bytes, &e);
    });
    ck_assert_int_gt(fails, 5);
    fb_buf_free(&o);
    fb_files_free(&f);
    fb_model_free(&b);
}
END_TEST

Suite *suite_records(void)
{
    Suite *s = suite_create("records");
    TCase *t = tcase_create("records");
    tcase_add_checked_fixture(t, fresh, gone);
    tcase_add_loop_test(t, moved_integrals_are_those_of_the_moved_body, 0, 9);
    tcase_add_loop_test(t, a_connector_is_a_place, 0, 3);
    tcase_add_test(t, frame_words);
    tcase_add_loop_test(t, rigid_modes_of_a_bare_pair, 0, 5);
    tcase_add_loop_test(t, rigid_modes_are_told_by_their_shapes, 0, 8);
    tcase_add_test(t, what_is_no_displacement_has_no_place);
    tcase_add_test(t, slaves_move_with_their_frame);
    tcase_add_test(t, connectors_are_picked);
    tcase_add_loop_test(t, mbsim_record, 0, 3);
    tcase_add_loop_test(t, mbsim_sums_of_a_mode_that_is_a_rotation, 0, 3);
    tcase_add_loop_test(t, mbsim_stress, 0, 3);
    tcase_add_loop_test(t, mbsim_without_stress, 0, 2);
    tcase_add_loop_test(t, mbsim_refusals, 0, 3);
    tcase_add_test(t, mbsim_record_is_a_stream);
    tcase_add_loop_test(t, exudyn_triangles, 0, 2);
    tcase_add_loop_test(t, erls_matrices, 0, 3);
    tcase_add_loop_test(t, erls_agrees_with_the_invariants, 0, 3);
    tcase_add_test(t, matlab_73);
    tcase_add_test(t, mbsim_example_is_reproduced);
    tcase_add_test(t, modelica_literals);
    tcase_add_test(t, modelica_matfile);
    tcase_add_test(t, modelica_refusals);
    tcase_add_loop_test(t, picture, 0, 3);
    tcase_add_test(t, picture_of_points);
    tcase_add_test(t, picture_that_swings);
    tcase_add_loop_test(t, modes_that_are_no_list, 0, 8);
    tcase_add_test(t, folder_appears_whole_or_not_at_all);
    tcase_add_test(t, renumbered_nodes);
    tcase_add_loop_test(t, memory_runs_out, 0, 5);
    tcase_add_loop_test(t, memory_runs_out_in_texts, 0, 5);
    tcase_add_test(t, picture_as_gltf);
    suite_add_tcase(s, t);
    return s;
}

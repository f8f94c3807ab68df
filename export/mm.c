/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mm.c - a folder of Matrix Market files, with tables that say what rows and columns are.
 *
 * Layout   K.mtx, M.mtx, D.mtx (coordinate real symmetric, lower triangle without zeros; damping
 *          that is not symmetric: general, every entry that is not zero, row and column as they
 *          are), T.mtx (array real general, [dofs x coordinates], x = T z), B.mtx and C.mtx = B'
 *          (M z'' + D z' + K z = B u, y = C z; ports.c) with ports.txt, a line a column of B: node
 *          component; P.mtx with loads.txt: a load a column, its name a line; dofs.txt: one line a
 *          row of T, or of K, M, D of a body that is not reduced: node component; coordinates.txt:
 *          one line a row of the reduced K, M, D: kind as in flexbody.5, frequency of the pair in
 *          Hz in ascending order, node and component of the dof that the coordinate is (0 0: none);
 *          nodes.txt: node x y z.
 * Digits   17: the numbers come back to the last bit.
 * Assumed  nothing: a reduced body is written by its pair, a full model by its sparse matrices.
 * Source   Boisvert, Pozo, Remington, The Matrix Market Exchange Formats, NISTIR 5935 (1996)
 */
#include "memory.h"
#include "body.h"
#include "selftest.h"
#include "writer.h"

static void banner(fb_buf *o, const char *what, const fb_model *b)
{
    fb_put_text(o, "%%%%MatrixMarket matrix %s\n%% units %s\n", what, fb_units_list(&b->units).s);
}

static fb_status dense(fb_files *f, const char *name, const double *A, const fb_model *b, fb_err *e)
{
    int64_t n = b->nr, nnz = 0;
    fb_buf *o = NULL;
    if (!A)
        return FB_OK;
    FB_PASS(fb_files_add(f, name, &o, e));
    const int half = fb_symmetric(A, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = half ? j : 0; i < n; i++)
            nnz += A[i * n + j] != 0;
    banner(o, half ? "coordinate real symmetric" : "coordinate real general", b);
    fb_put_text(o, "%lld %lld %lld\n", (long long)n, (long long)n, (long long)nnz);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = half ? j : 0; i < n; i++)
            if (A[i * n + j] != 0)
                fb_put_text(o, "%lld %lld %.16e\n", (long long)i + 1, (long long)j + 1,
                            A[i * n + j]);
    return FB_OK;
}

/* The upper triangle of a column is the lower one of a row. */
static fb_status sparse(fb_files *f, const char *name, const fb_csc *A, const fb_model *b,
                        fb_err *e)
{
    fb_buf *o = NULL;
    if (!A->p)
        return FB_OK;
    FB_PASS(fb_files_add(f, name, &o, e));
    banner(o, A->upper ? "coordinate real symmetric" : "coordinate real general", b);
    fb_put_text(o, "%lld %lld %lld\n", (long long)A->m, (long long)A->n, (long long)A->p[A->n]);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            fb_put_text(o, "%lld %lld %.16e\n", (long long)(A->upper ? j : A->i[q]) + 1,
                        (long long)(A->upper ? A->i[q] : j) + 1, A->x[q]);
    return FB_OK;
}

static fb_status shapes(fb_files *f, const fb_model *b, fb_err *e)
{
    const double *T = fb_shapes(b);
    fb_buf *o = NULL;
    if (!T)
        return FB_OK;
    FB_PASS(fb_files_add(f, "T.mtx", &o, e));
    banner(o, "array real general", b);
    fb_put_text(o, "%lld %lld\n", (long long)b->ndof, (long long)b->nr);
    for (int64_t k = 0; k < b->ndof * b->nr; k++)
        fb_put_text(o, "%.16e\n", T[k]);
    return FB_OK;
}

/* B.mtx and C.mtx = B', and what their columns and rows are. */
static fb_status ports(fb_files *f, const fb_model *b, fb_err *e)
{
    fb_ports p = {0};
    fb_buf *o = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_ports_new(b, &p, e));
    if (!p.n)
        goto out;
    const int64_t m = p.C ? b->nr : b->ndof;
    for (int out = 0; out < 2; out++) {
        int64_t nnz = p.C ? 0 : p.n;
        for (int64_t k = 0; p.C && k < p.n * m; k++)
            nnz += p.C[k] != 0;
        FB_TRY(fb_files_add(f, out ? "C.mtx" : "B.mtx", &o, e));
        banner(o, "coordinate real general", b);
        fb_put_text(o, "%lld %lld %lld\n", (long long)(out ? p.n : m), (long long)(out ? m : p.n),
                    (long long)nnz);
        for (int64_t k = 0; k < p.n; k++)
            for (int64_t j = p.C ? 0 : p.B.i[k]; j < (p.C ? m : p.B.i[k] + 1); j++)
                if (!p.C || p.C[k * m + j] != 0)
                    fb_put_text(o, "%lld %lld %.16e\n", (long long)(out ? k : j) + 1,
                                (long long)(out ? j : k) + 1, p.C ? p.C[k * m + j] : 1.0);
    }
    FB_TRY(fb_files_add(f, "ports.txt", &o, e));
    for (int64_t k = 0; k < p.n; k++)
        fb_put_text(o, "%lld %lld\n", (long long)p.node[k], (long long)p.component[k]);
out:
    fb_ports_free(&p);
    return s;
}

/* P.mtx, a load each column of n rows, and a line of loads.txt for its name. */
static fb_status loads(fb_files *f, const fb_model *b, const double *P, int64_t n, int64_t nload,
                       fb_err *e)
{
    char name[FB_NAME];
    fb_buf *o = NULL;
    if (!P || !nload)
        return FB_OK;
    FB_PASS(fb_files_add(f, "P.mtx", &o, e));
    banner(o, "array real general", b);
    fb_put_text(o, "%lld %lld\n", (long long)n, (long long)nload);
    for (int64_t k = 0; k < n * nload; k++)
        fb_put_text(o, "%.16e\n", P[k]);
    FB_PASS(fb_files_add(f, "loads.txt", &o, e));
    for (int64_t k = 0; k < nload; k++)
        fb_put_text(o, "%s\n", P == b->vector ? b->vector_name[k] : fb_load_name(b, k, name));
    return FB_OK;
}

static fb_status coordinates(fb_files *f, const fb_model *b, fb_err *e)
{
    int64_t *node = NULL, *component = NULL;
    fb_buf *o = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_coords_labels(b, &node, &component, e));
    FB_TRY(fb_files_add(f, "coordinates.txt", &o, e));
    for (int64_t k = 0; k < b->nr; k++)
        fb_put_text(o, "%lld %.16e %lld %lld\n", (long long)b->kind[k], b->frequency[k],
                    node ? (long long)node[k] : 0LL, node ? (long long)component[k] : 0LL);
out:
    FB_FREE(node, component);
    return s;
}

static fb_status tables(fb_files *f, const fb_model *b, fb_err *e)
{
    fb_buf *o = NULL;
    if (b->dof_node && b->dof_component) {
        FB_PASS(fb_files_add(f, "dofs.txt", &o, e));
        for (int64_t d = 0; d < b->ndof; d++)
            fb_put_text(o, "%lld %lld\n", (long long)b->dof_node[d],
                        (long long)b->dof_component[d]);
    }
    if (b->Kr && b->kind && b->frequency)
        FB_PASS(coordinates(f, b, e));
    if (b->node_id && b->xyz) {
        FB_PASS(fb_files_add(f, "nodes.txt", &o, e));
        for (int64_t p = 0; p < b->nn; p++)
            fb_put_text(o, "%lld %.16e %.16e %.16e\n", (long long)b->node_id[p], b->xyz[3 * p],
                        b->xyz[3 * p + 1], b->xyz[3 * p + 2]);
    }
    return FB_OK;
}

static fb_status files_mm(const fb_model *b, const fb_export *ask, fb_files *f, fb_log *log,
                          fb_err *e)
{
    fb_status s = FB_OK;
    (void)ask;
    (void)log;
    if (b->Kr && b->Mr) {
        FB_TRY(dense(f, "K.mtx", b->Kr, b, e));
        FB_TRY(dense(f, "M.mtx", b->Mr, b, e));
        FB_TRY(dense(f, "D.mtx", b->Dr, b, e));
        FB_TRY(dense(f, "structural.mtx", b->Sr, b, e));
        FB_TRY(dense(f, "gyroscopic.mtx", b->Gr, b, e));
        FB_TRY(shapes(f, b, e));
        FB_TRY(loads(f, b, b->load, b->nr, b->nload, e));
    } else if (b->K.p && b->M.p) {
        FB_TRY(sparse(f, "K.mtx", &b->K, b, e));
        FB_TRY(sparse(f, "M.mtx", &b->M, b, e));
        FB_TRY(sparse(f, "D.mtx", &b->D, b, e));
        FB_TRY(sparse(f, "structural.mtx", &b->S, b, e));
        FB_TRY(sparse(f, "gyroscopic.mtx", &b->gyroscopic, b, e));
        FB_TRY(loads(f, b, b->vector, b->ndof, b->nvector, e));
    } else {
        s = fb_fail(
            e, FB_EFORMAT,
            "the body has neither a reduced pair (/reduced) nor full matrices (/full) to write");
        goto out;
    }
    FB_TRY(ports(f, b, e));
    s = tables(f, b, e);
out:
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    static const char load[] =
        "def read(path):\n"
        "    lines = open(path).read().splitlines()\n"
        "    kind, rows = lines[0].split()[2:], [l.split() for l in lines if not "
        "l.startswith(\"%\")]\n"
        "    size = [int(x) for x in rows[0]]\n"
        "    if kind[0] == \"array\":\n"
        "        return np.array([float(r[0]) for r in rows[1:]]).reshape(size[::-1]).T\n"
        "    A = np.zeros(size[:2])\n"
        "    for i, j, x in rows[1:]:\n"
        "        A[int(i) - 1, int(j) - 1] = float(x)\n"
        "        if kind[2] == \"symmetric\":\n"
        "            A[int(j) - 1, int(i) - 1] = float(x)\n"
        "    return A\n"
        "K, M, B = (read(os.path.join(name, n + \".mtx\")) for n in \"KMB\")\n"
        "ports = [l.split() for l in open(os.path.join(name, \"ports.txt\"))]\n"
        "p = B[:, ports.index([str(node), str(component)])]\n";
    (void)ask;
    return fb_test_python(b, "a folder of Matrix Market files", file, "", load, 1e-8, o, e);
}

static const fb_dialect dialects[] = {{"folder", "K.mtx, M.mtx, D.mtx, T.mtx and tables", 1}, {0}};

const fb_writer fb_writer_mm = {
    .name = "mm",
    .doc = "Matrix Market files in a folder",
    .loads = 1,
    .whole = 1,
    .keeps = 1,
    .dialects = dialects,
    .files = files_mm,
    .test = test,
    .test_ending = "py",
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full.c - assembled matrices of Ansys (.full): stiffness, mass, damping, with their dofs.
 *
 * Layout   a matrix is two records a column: row numbers from 1, and values; column k has the rows
 *          above k ascending, then k itself. The rows are those of all nodes in the order of the
 *          nodal equivalence, so many each as the dof table says; a dof's number is an index into
 *          the list of dofs, negative where it is not in the solution.
 *   (FL.1) held dofs: their rows in K are a one on the diagonal, what joined them to others is not
 *          in the file any more; M has them whole
 *   (FL.2) u_slave = c + sum a_i u_i    constraint equations; K is T'KT already and has a one on
 *          the diagonal of the slave. M is taken to be T'MT as well, where it has nothing at the
 *          slaves
 *   (FL.3) an imposed value of 2^100: no element knows the dof, and it is left out
 * Buckling what stands in the place of M is stress stiffness
 * Checks   the diagonals stand in the file once more; the number of terms; where each part ends
 * Source   Ansys Programmer's Reference, Format of Binary Data Files, for the header */
#include "binary.h"
#include "memory.h"
#include "reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FREE, HELD, ABSENT, SLAVE }; /* state of a row */
enum { STATIC = 0, BUCKLING = 1, MODAL = 2 };

typedef struct {
    const fb_input *in;
    ans_file f;
    fb_parts *p;
    fb_log *log;
    int64_t n, nodes, kept; /* rows, nodes, rows that are not absent */
    int64_t *node;          /* [n] */
    int64_t *component;     /* [n] */
    char *state;            /* [n] */
    int64_t *to;            /* [n] row of the model, or -1 */
    int64_t *row;           /* [n] of the column at hand */
    double *value, *diag;   /* [n] */
    int64_t imposed;        /* held dofs with a value other than 0 */
} full;

static void full_free(full *u)
{
    FB_FREE(u->node, u->component, u->state, u->to, u->row, u->value, u->diag);
}

static int64_t head(const full *u, int k)
{
    return u->f.h[k - 1];
}

static int64_t pointer(const full *u, int lo, int hi)
{
    return ans_pointer(u->f.h, lo, hi);
}

static fb_dofname name_of(const full *u, int64_t row)
{
    return fb_name_of(u->node[row], u->component[row]);
}

/* ---- what is not read --------------------------------------------------------------------- */

static fb_status refused(const full *u, fb_err *e)
{
    const int64_t kan = head(u, 5), order = head(u, 15);
    const char *what = head(u, 1) >= 0      ? "the matrices of a frontal assembly"
                       : head(u, 1) != -4   ? "an assembly of an unknown form"
                       : head(u, 11)        ? "a lumped mass matrix (LUMPM)"
                       : head(u, 14)        ? "unsymmetric matrices"
                       : head(u, 16)        ? "superelements among its elements"
                       : head(u, 63)        ? "one domain of a distributed solution"
                       : order == 3         ? "the matrices of a reduced solution"
                       : order == 4         ? "the matrices of an unsymmetric or damped solution"
                       : kan == 7           ? "the matrices of a substructure generation"
                       : kan < 0 || kan > 2 ? "the matrices of a harmonic or transient analysis"
                                            : NULL;
    return what
               ? fb_fail(e, FB_EFORMAT,
                         "the .full file holds %s, whose layout is not known: let a modal analysis "
                         "(ANTYPE,MODAL, MODOPT,LANB) write it, in one process",
                         what)
               : FB_OK;
}

/* ---- dofs --------------------------------------------------------------------------------- */

/* Signed indices into the list of dofs become labels and states. */
static fb_status label(full *u, const int64_t *bac, const int64_t *each, const int64_t *list,
                       const int64_t *at, fb_err *e)
{
    const int64_t nlist = head(u, 8);
    int64_t r = 0;
    for (int64_t k = 0; k < u->nodes; k++) {
        if (bac[k] < 1 || each[k] < 0 || each[k] > u->n - r)
            return fb_fail(e, FB_EFORMAT, "dof table: node %lld has %lld dofs, %lld rows are left",
                           (long long)bac[k], (long long)each[k], (long long)(u->n - r));
        for (int64_t end = r + each[k]; r < end; r++) {
            const int64_t i = at[r] < 0 ? -at[r] : at[r];
            if (i < 1 || i > nlist)
                return fb_fail(e, FB_EFORMAT,
                               "dof table: row %lld, of node %lld, is dof %lld of a list of %lld",
                               (long long)r + 1, (long long)bac[k], (long long)at[r],
                               (long long)nlist);
            u->node[r] = bac[k];
            u->component[r] = ans_component(list[i - 1]);
            u->state[r] = at[r] < 0 ? HELD : FREE;
        }
    }
    return r == u->n
               ? FB_OK
               : fb_fail(e, FB_EFORMAT, "dof table: the nodes have %lld dofs, the rows are %lld",
                         (long long)r, (long long)u->n);
}

/* (FL.3) */
static fb_status impose(full *u, const int64_t *number, int64_t at, fb_err *e)
{
    ans_record r;
    double *value = NULL;
    int64_t n = 0;
    fb_status s = FB_OK;
    FB_TRY(ans_record_at(&u->f, at, "imposed values", &r, e));
    FB_TRY(ans_count(&r, "imposed values", &n, e));
    FB_TRY(ans_limit(&u->f, n, "imposed values", e));
    FB_TRY(ans_take_reals(&u->f, &at, "imposed values", n, &value, e));
    for (int64_t k = 0; k < u->n; k++) {
        if (number[k] < 0 || number[k] > n)
            FB_TRY(fb_fail(e, FB_EFORMAT, "row %lld has the imposed value %lld of %lld",
                           (long long)k + 1, (long long)number[k], (long long)n));
        if (u->state[k] != HELD || !number[k])
            continue;
        if (value[number[k] - 1] >= ANS_NO_VALUE)
            u->state[k] = ABSENT;
        else
            u->imposed += value[number[k] - 1] != 0;
    }
out:
    free(value);
    return s;
}

static fb_status room(full *u, fb_err *e)
{
    FB_PASS(fb_new(&u->node, u->n, 8, "dofs", e));
    FB_PASS(fb_new(&u->component, u->n, 8, "dofs", e));
    FB_PASS(fb_new(&u->state, u->n, 1, "dofs", e));
    FB_PASS(fb_new(&u->to, u->n, 8, "dofs", e));
    FB_PASS(fb_new(&u->row, u->n, 8, "dofs", e));
    FB_PASS(fb_new(&u->value, u->n, 8, "dofs", e));
    return fb_new(&u->diag, u->n, 8, "dofs", e);
}

static fb_status read_dofs(full *u, fb_err *e)
{
    int64_t *list = NULL, *bac = NULL, *each = NULL, *index = NULL, *number = NULL;
    int64_t at = u->f.behind;
    fb_status s = FB_OK;
    FB_TRY(ans_limit(&u->f, u->n, "rows", e));
    FB_TRY(ans_limit(&u->f, u->nodes, "nodes", e));
    FB_TRY(ans_limit(&u->f, head(u, 8), "dofs of a node", e));
    if (!u->n)
        FB_TRY(fb_fail(e, FB_EFORMAT, "the matrices have no rows"));
    FB_TRY(ans_take_ints(&u->f, &at, "list of dofs", head(u, 8), &list, e));
    FB_TRY(ans_take_ints(&u->f, &at, "nodal equivalence", u->nodes, &bac, e));
    at = pointer(u, 36, 37);
    FB_TRY(ans_take_ints(&u->f, &at, "dofs of the nodes", u->nodes, &each, e));
    FB_TRY(ans_take_ints(&u->f, &at, "dof table", u->n, &index, e));
    FB_TRY(ans_take_ints(&u->f, &at, "numbers of imposed values", u->n, &number, e));
    FB_TRY(room(u, e));
    FB_TRY(label(u, bac, each, list, index, e));
    FB_TRY(impose(u, number, at, e));
    for (int64_t k = 0; k < u->n; k++)
        u->to[k] = u->state[k] == ABSENT ? -1 : u->kept++;
out:
    FB_FREE(list, bac, each, index, number);
    return s;
}

/* ---- constraint equations ----------------------------------------------------------------- */

/* The next two records; node and component have room for all rows. */
static fb_status equation(full *u, int64_t slave, int64_t n, int64_t *at, int64_t *node,
                          int64_t *component, fb_err *e)
{
    ans_record r;
    if (n < 0 || n > u->n)
        return fb_fail(e, FB_EFORMAT, "constraint equation of %s: %lld terms", name_of(u, slave).s,
                       (long long)n);
    FB_PASS(ans_record_at(&u->f, *at, "constraint equation", &r, e));
    FB_PASS(ans_ints(&r, "constraint equation", u->row, n, e));
    FB_PASS(ans_record_at(&u->f, r.next, "constraint equation", &r, e));
    FB_PASS(ans_reals(&r, "constraint equation", u->value, n, e));
    *at = r.next;
    for (int64_t k = 0; k < n; k++) {
        const int64_t row = u->row[k] - 1;
        if (row < 0 || row >= u->n || !(fabs(u->value[k]) <= 1e300))
            return fb_fail(e, FB_EFORMAT, "constraint equation of %s: %g times row %lld of %lld",
                           name_of(u, slave).s, u->value[k], (long long)row + 1, (long long)u->n);
        node[k] = u->node[row];
        component[k] = u->component[row];
    }
    return u->state[slave] == SLAVE ? fb_parts_equation(u->p, u->node[slave], u->component[slave],
                                                        node, component, u->value, n, e)
                                    : FB_OK;
}

/* (FL.2) */
static fb_status equations(full *u, fb_err *e)
{
    const int64_t n = head(u, 21);
    int64_t at = pointer(u, 31, 32), *slave = NULL, *terms = NULL, *node = NULL, *component = NULL;
    double *constant = NULL;
    int64_t moved = 0;
    ans_record r;
    fb_status s = FB_OK;
    if (n == 0)
        return FB_OK;
    FB_TRY(ans_limit(&u->f, n, "constraint equations", e));
    FB_TRY(ans_take_ints(&u->f, &at, "slaves", n, &slave, e));
    FB_TRY(ans_take_reals(&u->f, &at, "constants of constraint equations", n, &constant, e));
    for (int k = 0; k < 2; k++, at = r.next) /* counts again, ones */
        FB_TRY(ans_record_at(&u->f, at, "constraint equations", &r, e));
    FB_TRY(ans_take_ints(&u->f, &at, "terms of constraint equations", n, &terms, e));
    FB_TRY(fb_new(&node, u->n, 8, "constraint equations", e));
    FB_TRY(fb_new(&component, u->n, 8, "constraint equations", e));
    for (int64_t k = 0; k < n; k++) {
        if (slave[k] < 1 || slave[k] > u->n)
            FB_TRY(fb_fail(e, FB_EFORMAT, "constraint equation %lld: slave row %lld of %lld",
                           (long long)k + 1, (long long)slave[k], (long long)u->n));
        char *state = u->state + slave[k] - 1;
        *state = *state == FREE ? SLAVE : *state;
        moved += constant[k] != 0;
    }
    for (int64_t k = 0; k < n; k++)
        FB_TRY(equation(u, slave[k] - 1, terms[k], &at, node, component, e));
    if (moved)
        fb_warn(u->log, "%s: %lld constraint equations have a constant: it is taken as 0",
                fb_base_name(u->in->name), (long long)moved);
out:
    FB_FREE(slave, terms, node, component, constant);
    return s;
}

static fb_status count_free(const full *u, fb_err *e)
{
    int64_t n = 0;
    for (int64_t k = 0; k < u->n; k++)
        n += u->state[k] == FREE;
    return n == head(u, 3)
               ? FB_OK
               : fb_fail(e, FB_EFORMAT,
                         "the header announces %lld rows in the solution, the dof table "
                         "and the constraint equations leave %lld: coupled dofs (CP) or "
                         "another form that is not known",
                         (long long)head(u, 3), (long long)n);
}

/* ---- matrices ----------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    fb_role role;
    int64_t begin, end, diagonal; /* words: first record, the one behind it, diagonal (0: none) */
    int64_t terms;                /* announced */
    int eliminated;               /* what is held or slave has a one on the diagonal alone */
} part;

/* Rows and values of column k; *at goes on. */
static fb_status column(full *u, const part *m, int64_t k, int values, int64_t *at, int64_t *count,
                        fb_err *e)
{
    ans_record r;
    int64_t n, last = k;
    FB_PASS(ans_record_at(&u->f, *at, m->name, &r, e));
    FB_PASS(ans_count(&r, m->name, &n, e));
    n -= n == u->n - k + 1 && r.flags & 0x40; /* one short of padding */
    if (n < 1 || n > u->n - k)
        return fb_fail(e, FB_EFORMAT,
                       "%s: column %lld, at word %lld, has %lld terms, 1 to %lld can be", m->name,
                       (long long)k + 1, (long long)*at, (long long)n, (long long)(u->n - k));
    FB_PASS(ans_ints(&r, m->name, u->row, n, e));
    for (int64_t q = 0; q < n; q++) {
        const int64_t i = --u->row[q];
        if (q + 1 < n ? i <= last || i >= u->n : i != k)
            return fb_fail(e, FB_EFORMAT,
                           "%s: column %lld, at word %lld, has row %lld: rows below the diagonal "
                           "are wanted, ascending, then the diagonal",
                           m->name, (long long)k + 1, (long long)*at, (long long)i + 1);
        last = i;
    }
    FB_PASS(ans_record_at(&u->f, r.next, m->name, &r, e));
    *at = r.next;
    *count = n;
    return values ? ans_reals(&r, m->name, u->value, n, e) : FB_OK;
}

/* What is held, slave or absent has what its state says. (FL.1), (FL.2) */
static fb_status check_entry(const full *u, const part *m, int64_t i, int64_t k, double x,
                             fb_err *e)
{
    const int a = u->state[i], b = u->state[k];
    const int cut = a >= ABSENT || b >= ABSENT || (m->eliminated && (a || b));
    if (!cut || x == 0)
        return FB_OK;
    if (i == k && (a == HELD || m->eliminated || (a == SLAVE && x == 1)))
        return FB_OK;
    return fb_fail(
        e, FB_EFORMAT,
        "%s: dofs %s and %s are joined by %.6g, but %s is %s: a form of the file that is "
        "not known",
        m->name, name_of(u, i).s, name_of(u, k).s, x, name_of(u, a ? i : k).s,
        (a ? a : b) == HELD    ? "held"
        : (a ? a : b) == SLAVE ? "the slave of a constraint equation"
                               : "of no element");
}

static fb_status check_diagonal(full *u, const part *m, fb_err *e)
{
    int64_t at = m->diagonal;
    double *d = NULL;
    fb_status s = FB_OK;
    if (!at)
        return FB_OK;
    FB_TRY(ans_take_reals(&u->f, &at, "diagonal", u->n, &d, e));
    for (int64_t k = 0; k < u->n; k++)
        if (memcmp(d + k, u->diag + k, sizeof *d) != 0 && d[k] != u->diag[k])
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "%s: the diagonal of row %lld (dof %s) is %.17g in the matrix and %.17g "
                           "in the table of diagonals: the file is damaged",
                           m->name, (long long)k + 1, name_of(u, k).s, u->diag[k], d[k]));
out:
    free(d);
    return s;
}

/* One pass over all columns: counts the entries of the upper half, or places them. */
static fb_status pass(full *u, const part *m, int values, fb_fill *f, int64_t *terms, fb_err *e)
{
    fb_meter meter;
    int64_t at = m->begin;
    fb_meter_start(&meter, u->log, u->in, values, 2);
    *terms = 0;
    for (int64_t k = 0; k < u->n; k++) {
        int64_t n = 0;
        FB_PASS(column(u, m, k, values, &at, &n, e));
        fb_meter_at(&meter, u->f.data + 4 * at);
        *terms += n;
        for (int64_t q = 0; q < n; q++) {
            const int64_t i = u->row[q], to = u->to[i];
            const int in = u->to[k] >= 0 && to >= 0 && u->state[i] != SLAVE && u->state[k] != SLAVE;
            if (values && (u->state[i] || u->state[k]))
                FB_PASS(check_entry(u, m, i, k, u->value[q], e));
            if (in && !values)
                fb_fill_count(f, to);
            else if (in)
                (void)fb_fill_place(f, u->to[k], to, u->value[q]);
        }
        u->diag[k] = values ? u->value[n - 1] : 0;
    }
    if (m->end && at != m->end)
        return fb_fail(e, FB_EFORMAT,
                       "%s ends at word %lld, what follows begins at %lld: the file is damaged",
                       m->name, (long long)at, (long long)m->end);
    return FB_OK;
}

static fb_status matrix(full *u, const part *m, fb_err *e)
{
    fb_fill f = {0};
    fb_csc A = {0};
    fb_matrix *out = NULL;
    int64_t terms = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_fill_new(&f, u->kept, u->kept, 1, e));
    FB_TRY(pass(u, m, 0, &f, &terms, e));
    if (m->terms && terms != m->terms)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s has %lld terms, the header announces %lld", m->name,
                       (long long)terms, (long long)m->terms));
    FB_TRY(fb_fill_start(&f, 0, e));
    FB_TRY(pass(u, m, 1, &f, &terms, e));
    FB_TRY(check_diagonal(u, m, e));
    FB_TRY(fb_fill_finish(&f, &A, NULL, NULL, e));
    FB_TRY(fb_parts_matrix(u->p, m->name, u->in->name, m->role, &out, e));
    out->A = A;
    A = (fb_csc){0};
    out->stored = terms;
    out->every_row = 1;
    snprintf(out->date, sizeof out->date, "%s", u->f.date);
    FB_TRY(fb_labels_new(&out->row, u->kept, 1, e));
    for (int64_t k = 0; k < u->n; k++) {
        if (u->to[k] < 0)
            continue;
        out->row.node[u->to[k]] = u->node[k];
        out->row.component[u->to[k]] = u->component[k];
        out->row.class[u->to[k]] = u->state[k] == HELD ? FB_DOF_FIXED : FB_DOF_PHYSICAL;
    }
out:
    fb_fill_free(&f);
    fb_csc_free(&A);
    return s;
}

static fb_status matrices(full *u, fb_err *e)
{
    const int buckling = head(u, 5) == BUCKLING;
    const part stiffness = {"K",
                            FB_ROLE_STIFFNESS,
                            pointer(u, 19, 20),
                            pointer(u, 38, 39),
                            pointer(u, 54, 55),
                            ans_pointer(u->f.h, 9, 10),
                            1},
               mass = {buckling ? "S" : "M",
                       buckling ? FB_ROLE_OTHER : FB_ROLE_MASS,
                       pointer(u, 27, 28),
                       pointer(u, 56, 57),
                       pointer(u, 56, 57),
                       ans_pointer(u->f.h, 34, 22),
                       0},
               damping = {"C",
                          FB_ROLE_DAMPING,
                          pointer(u, 29, 30),
                          pointer(u, 58, 59),
                          pointer(u, 58, 59),
                          ans_pointer(u->f.h, 35, 40),
                          0};
    FB_PASS(matrix(u, &stiffness, e));
    if (mass.begin)
        FB_PASS(matrix(u, &mass, e));
    if (buckling && mass.begin)
        fb_warn(u->log,
                "%s: of a buckling analysis: what stands in the place of the mass is stress "
                "stiffness, the matrix S, which is not used unless --stiffness adds it",
                fb_base_name(u->in->name));
    if (damping.begin && !damping.diagonal)
        return fb_fail(
            e, FB_EFORMAT,
            "the damping matrix has no table of its diagonal, by which alone it could be "
            "checked: write the file by a modal analysis without damping");
    return damping.begin ? matrix(u, &damping, e) : FB_OK;
}

static void tell(const full *u)
{
    int64_t count[4] = {0};
    for (int64_t k = 0; k < u->n; k++)
        count[(int)u->state[k]]++;
    fb_note(u->log,
            "%s: Ansys %s of %s, %lld rows of %lld nodes, %lld held, %lld slaves, %lld without an "
            "element",
            u->in->name, u->f.version, u->f.date[0] ? u->f.date : "an unknown date",
            (long long)u->n, (long long)u->nodes, (long long)count[HELD], (long long)count[SLAVE],
            (long long)count[ABSENT]);
    if (count[SLAVE] && pointer(u, 27, 28))
        fb_warn(u->log,
                "%s: %lld dofs follow others by constraint equations: the mass is taken to be "
                "condensed on these as the stiffness is; an .rst of the same run, named beside it, "
                "tells by its modes",
                fb_base_name(u->in->name), (long long)count[SLAVE]);
    if (u->imposed)
        fb_warn(u->log, "%s: %lld held dofs have a value other than 0 imposed: they are held at 0",
                fb_base_name(u->in->name), (long long)u->imposed);
}

static fb_status read_full(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    full u = {.in = in, .p = p, .log = log};
    fb_status s = FB_OK;
    FB_TRY(ans_open(&u.f, in, e));
    FB_TRY(refused(&u, e));
    u.n = head(&u, 2);
    u.nodes = head(&u, 7);
    FB_TRY(read_dofs(&u, e));
    FB_TRY(equations(&u, e));
    FB_TRY(count_free(&u, e));
    FB_TRY(matrices(&u, e));
    FB_TRY(ans_tell(&u.f, p, e));
    p->no_places = "a .full has no coordinates: name the .rst or .cdb of the same model beside it";
    tell(&u);
out:
    full_free(&u);
    return s;
}

static int sniff(const fb_input *in)
{
    return ans_sniff(in, ANS_FULL);
}

const fb_reader fb_reader_ansys_full = {
    .name = "ansys_full",
    .doc = "Ansys assembled matrices .full",
    .sniff = sniff,
    .read = read_full,
};

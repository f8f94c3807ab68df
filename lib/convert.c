/* SPDX-License-Identifier: GPL-3.0-or-later */
/* convert.c - a model in another system of units, from the exponents and rules of the schema.
 *
 * Factors  f_k = (unit k of the model in SI) / (unit k wanted in SI),  k mass, length, time, force
 *   (UC.1) v := v f_m^a f_l^b f_t^c f_f^d        exponents a, b, c, d of the row
 *   (UC.2) translations of shapes and of T: v := v f_l; rotations are pure numbers
 *   (UC.3) /full: v_ij := v_ij f / (g_i g_j), f by (UC.1), g the factor of the dof, f_l or 1
 *   (UC.4) /recovery/G: v_ij := v_ij h_i / g_j, h the factor of the input's dof
 *   (UC.5) /full/load: v_j := v_j f / g_j
 * Generalized coordinates are pure numbers and stay what they are: T, S and the shapes scale as
 * length, K as mass length^2 / time^2, M as mass length^2. Hz are Hz in every system.
 */
#include "schema.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    double f[FB_NUNIT];
} factors;

static double power(const factors *u, const signed char exponent[FB_NUNIT])
{
    double v = 1;
    for (int k = 0; k < FB_NUNIT; k++)
        for (int q = exponent[k]; q != 0; q += q > 0 ? -1 : 1)
            v = q > 0 ? v * u->f[k] : v / u->f[k];
    return v;
}

static double component_factor(const int64_t *component, const factors *u, int64_t d)
{
    int64_t c = component ? component[d] : 0;
    return c >= 1 && c <= 3 ? u->f[FB_LENGTH] : 1;
}

static double dof_factor(const fb_model *b, const factors *u, int64_t d)
{
    return component_factor(b->dof_component, u, d);
}

static void scale(double *x, int64_t n, double by)
{
    for (int64_t k = 0; by != 1 && k < n; k++)
        x[k] *= by;
}

/* Columns of a table, each by its own factor. */
static void scale_columns(double *x, int64_t rows, int columns, const double *by)
{
    for (int64_t r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            x[r * columns + c] *= by[c];
}

static void convert_sparse(const fb_model *b, const factors *u, const fb_row *r, fb_csc *A)
{
    double by = power(u, r->unit);
    for (int64_t j = 0; A->p && j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            A->x[q] *= r->rule == FB_PLAIN ? by /* (UC.1) */
                       : r->rule == FB_RECOVERY
                           ? component_factor(b->all_component, u, A->i[q]) /
                                 dof_factor(b, u, j) /* (UC.4) */
                           : by / (dof_factor(b, u, A->i[q] % b->ndof) *
                                   dof_factor(b, u, j % b->ndof)); /* (UC.3); Kg has blocks */
}

static void convert_array(fb_model *b, const factors *u, const fb_row *r, double *x)
{
    const double *f = u->f, l = f[FB_LENGTH], w = 1 / f[FB_TIME], m = f[FB_MASS] * l * l;
    const double shape[6] = {l, l, l, 1, 1, 1}, eigen[5] = {w * w, 1, w, m, m * w * w};
    const double statistics[13] = {l, 1, f[FB_FORCE] / (l * l), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const double q = sqrt(f[FB_MASS]), root[6] = {q, q, q, q * l, q * l, q * l};
    const double rigid[6] = {f[FB_MASS], f[FB_MASS], f[FB_MASS], m, m, m};
    int64_t n = fb_row_count(b, r);
    switch (r->rule) {
    case FB_PLAIN:
    case FB_PAIRED:
        scale(x, n, power(u, r->unit)); /* (UC.1) */
        break;
    case FB_HERTZ:
    case FB_RECOVERY: /* sparse */
        break;
    case FB_SHAPE6:
        scale_columns(x, n / 6, 6, shape); /* (UC.2) */
        break;
    case FB_BYDOF:
        for (int64_t k = 0; k < n; k++)
            x[k] *= dof_factor(b, u, k % b->ndof);
        break;
    case FB_PERDOF:
        for (int64_t k = 0; k < n; k++)
            x[k] *= power(u, r->unit) / dof_factor(b, u, k % b->ndof); /* (UC.5) */
        break;
    case FB_BYLOAD:
        for (int64_t k = 0; k < n; k++) {
            int64_t node = 0, component = 0;
            x[k] *= fb_load_dof(b, k / b->nr, &node, &component)
                        ? component_factor(&component, u, 0)
                        : power(u, r->unit);
        }
        break;
    case FB_SQRTMASS6:
        scale_columns(x, b->nr, (int)b->nrigid, root);
        break;
    case FB_MASS6:
        scale_columns(x, b->nr, (int)b->nrigid, rigid);
        break;
    case FB_MASS66:
        for (int64_t k = 0; k < n; k++)
            x[k] *= root[k / b->nrigid] * root[k % b->nrigid];
        break;
    case FB_EIGENTABLE:
        scale_columns(x, n / 5, 5, eigen);
        break;
    case FB_STATTABLE:
        scale_columns(x, n / 13, 13, statistics);
        break;
    }
}

/* Does the model hold numbers whose units are those of dofs? */
static int has_dofs(const fb_model *b)
{
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        const char *field = (const char *)b + r->offset;
        const void *data;
        fb_csc A;
        memcpy(&data, field, sizeof data);
        memcpy(&A, field, r->type == 'c' ? sizeof A : 0);
        if ((r->rule == FB_BYDOF || r->rule == FB_PAIRED || r->rule == FB_PERDOF ||
             r->rule == FB_RECOVERY) &&
            (r->type == 'c' ? A.p != NULL : data != NULL))
            return 1;
    }
    return 0;
}

/* A row of K or T of which no one knows whether it is a translation or a rotation has no unit. */
static fb_status components_known(const fb_model *b, const factors *u, fb_err *e)
{
    if (u->f[FB_LENGTH] == 1 || !has_dofs(b))
        return FB_OK;
    if (!b->dof_class || !b->dof_component || !b->dof_node)
        return fb_fail(e, FB_EFORMAT,
                       "matrices or shapes without /dofs: which rows are lengths is not known, so "
                       "their units can't be converted");
    for (int64_t d = 0; d < b->ndof; d++)
        if (b->dof_class[d] == FB_DOF_PHYSICAL &&
            (b->dof_component[d] < 1 || b->dof_component[d] > 6))
            return fb_fail(e, FB_EUSAGE,
                           "dof %lld of the model has no component: whether it is a length or an "
                           "angle is not known, so its units can't be converted (mnfparse "
                           "--dofs-per-node N or --dof-table FILE)",
                           (long long)b->dof_node[d]);
    return FB_OK;
}

fb_status fb_model_convert(fb_model *b, const fb_units *to, fb_err *e)
{
    factors u;
    for (int k = 0; k < FB_NUNIT; k++) {
        if (!(b->units.factor[k] > 0) || !(to->factor[k] > 0))
            return fb_fail(e, FB_EUSAGE,
                           "%s unit of %s is '%s', which is not a known one: name the input's "
                           "units (mnfparse --input-units SYSTEM)",
                           b->units.factor[k] > 0 ? "the wanted" : "the input's", fb_unit_kinds[k],
                           b->units.factor[k] > 0 ? to->name[k] : b->units.name[k]);
        u.f[k] = b->units.factor[k] / to->factor[k];
    }
    fb_status s = components_known(b, &u, e);
    if (s)
        return s;
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        char *field = (char *)b + r->offset;
        double *x;
        if (r->type == 'c') {
            convert_sparse(b, &u, r, (fb_csc *)(void *)field);
        } else if (r->type == 'd') {
            memcpy(&x, field, sizeof x);
            if (x)
                convert_array(b, &u, r, x);
        }
    }
    b->units = *to;
    s = fb_model_check(b, e);
    return s ? fb_context(e, "in %s numbers leave the range of double", fb_units_list(to).s)
             : FB_OK;
}

fb_status fb_model_name_units(fb_model *b, const char *system, fb_err *e)
{
    fb_units u;
    FB_PASS(fb_units_system(&u, system, e));
    for (int k = 0; k < FB_NUNIT; k++)
        if (b->units.factor[k] > 0 && b->units.factor[k] != u.factor[k])
            return fb_fail(e, FB_EUSAGE,
                           "the input names its units (%s), which are not %s: --input-units is for "
                           "inputs that do not; --units converts",
                           fb_units_list(&b->units).s, system);
    b->units = u;
    return FB_OK;
}

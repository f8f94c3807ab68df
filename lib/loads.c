/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loads.c - load vectors: those of the full model, and what they are of the reduced one.
 *
 * Equation
 *   (LD.1) p_k = T'P_k of load vector k, p = T'e of a unit load: x = T z, the work of both is the
 *          same
 * Units    P in force and moment, p in force times length: coordinates are pure numbers
 */
#include "linalg/dense.h"
#include "linalg/far.h"
#include "memory.h"
#include "model.h"
#include "number.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int taken(const fb_model *b, const char *name)
{
    for (int64_t k = 0; k < b->nvector; k++)
        if (!strcmp(b->vector_name[k], name))
            return 1;
    return 0;
}

fb_status fb_model_add_vector(fb_model *b, const char *name, const double *x, fb_err *e)
{
    const int64_t k = b->nvector;
    char own[FB_NAME];
    if (strchr(name, '"')) /* lists quote what holds a comma */
        return fb_fail(e, FB_EUSAGE,
                       "a load cannot be called %.79s, with a quote in its name: "
                       "--load NAME=... gives it another",
                       name);
    if (!strncasecmp(name, "all", 3) && strchr("#", name[3])) /* every one, in a list */
        return fb_fail(e, FB_EUSAGE,
                       "a load cannot be called %s, which are all loads in a list: --load NAME=... "
                       "gives it another name",
                       name);
    if (b->ndof && (k + 1) > INT64_MAX / 8 / b->ndof)
        return fb_fail(e, FB_ESYS, "%lld load vectors of %lld dofs are too many", (long long)k + 1,
                       (long long)b->ndof);
    char(*names)[FB_NAME] = fb_realloc(b->vector_name, (size_t)k + 1, sizeof *names);
    b->vector_name = names ? names : b->vector_name;
    double *all = fb_realloc(b->vector, (size_t)((k + 1) * b->ndof), sizeof *all);
    b->vector = all ? all : b->vector;
    if (!names || !all)
        return fb_fail(e, FB_ESYS, "out of memory: load vector %.79s", name);
    snprintf(own, sizeof own, "%.72s", name);
    fb_plain_text(own);
    const size_t stem = strlen(own);
    for (int64_t n = 2; taken(b, own) && n < 1000000; n++)
        snprintf(own + stem, sizeof own - stem, "#%lld", (long long)n);
    memset(names[k], 0, sizeof names[k]);
    memcpy(names[k], own, strlen(own));
    memcpy(all + k * b->ndof, x, sizeof *x * (size_t)b->ndof);
    b->nvector = k + 1;
    return FB_OK;
}

/* (LD.1) of T whose rows other processes hold. */
static fb_status products_far(fb_model *b, const fb_mat *T, int64_t nvector, fb_err *e)
{
    const fb_mat V = {b->ndof, nvector, b->vector};
    fb_mat E = {0}, P = {b->nr, b->nload, b->load}, PV = fb_mat_columns(&P, 0, nvector),
           PE = fb_mat_columns(&P, nvector, b->nload - nvector);
    fb_status s = FB_OK;
    if (nvector)
        FB_TRY(fb_gemm(1, 0, 1, T, &V, 0, &PV, e));
    if (!PE.n)
        goto out;
    FB_TRY(fb_mat_new(&E, b->ndof, PE.n, e));
    for (int64_t q = 0; q < PE.n; q++)
        E.x[b->load_dof[nvector + q] + q * b->ndof] = 1;
    s = fb_gemm(1, 0, 1, T, &E, 0, &PE, e);
out:
    fb_mat_free(&E);
    return s;
}

static fb_status products(fb_model *b, const double *x, const double *own, int64_t nvector,
                          fb_err *e)
{
    const fb_mat T = {b->ndof, b->nr, (double *)(uintptr_t)x}; /* only read */
    if (fb_is_far(x))
        return products_far(b, &T, nvector, e);
    for (int64_t q = 0; q < b->nload; q++)
        for (int64_t k = 0; k < b->nr; k++)
            b->load[q * b->nr + k] = q < nvector && own ? own[q * b->nr + k]
                                     : q < nvector
                                         ? fb_dot(b->vector + q * b->ndof, x + k * b->ndof, b->ndof)
                                         : x[b->load_dof[q] + k * b->ndof];
    return FB_OK;
}

/* Load vectors of a body without those of its full model: the rows of /reduced/load that are. */
static int64_t own_vectors(const fb_model *b)
{
    int64_t n = 0;
    while (b->load && b->load_dof && b->load_name && n < b->nload && b->load_dof[n] < 0)
        n++;
    return n;
}

/* The rows of load vectors stand first, in the order of these. */
fb_status fb_model_attached(const fb_model *b, int64_t **load, int64_t *n, fb_err *e)
{
    const int64_t nload = b->load_dof && b->load ? b->nload : 0,
                  nvector = b->vector && b->vector_name ? b->nvector : own_vectors(b);
    *n = 0;
    FB_PASS(fb_new(load, nload, sizeof **load, "loads", e));
    for (int64_t k = 0; k < nload; k++)
        if (b->load_dof[k] >= 0)
            (*load)[(*n)++] = b->load_dof[k];
        else if (k < nvector && b->load_dof[k] == FB_LOAD_ATTACHED)
            (*load)[(*n)++] = -1 - k;
    return FB_OK;
}

int fb_load_dof(const fb_model *b, int64_t k, int64_t *node, int64_t *component)
{
    const int64_t d = b->load_dof ? b->load_dof[k] : FB_LOAD_VECTOR;
    const int named = d == FB_LOAD_UNIT && b->load_name;
    const char *p = named ? b->load_name[k] : "", *end = p + strlen(p);
    if (d >= 0 && b->dof_node && b->dof_component) {
        *node = b->dof_node[d];
        *component = b->dof_component[d];
        return 1;
    }
    p = fb_scan_int(p, end, node);
    return p && *p == '.' && fb_scan_int(p + 1, end, component) == end;
}

void fb_model_name_load(fb_model *b, int64_t k, int64_t node, int64_t component)
{
    memset(b->load_name[k], 0, FB_NAME);
    snprintf(b->load_name[k], FB_NAME, "%s", fb_name_of(node, component).s);
}

void fb_model_name_loads(fb_model *b)
{
    int64_t node = 0, component = 0;
    for (int64_t k = 0; b->load_name && b->dof_node && k < b->nload; k++)
        if (fb_load_dof(b, k, &node, &component))
            fb_model_name_load(b, k, node, component);
}

static fb_status loads(fb_model *b, const double *T, const int64_t *load, int64_t n,
                       const double *own, char (*name)[FB_NAME], int64_t nvector, fb_err *e)
{
    int64_t nload = nvector;
    for (int64_t k = 0; k < n; k++)
        nload += load[k] >= 0;
    if (!nload)
        return FB_OK;
    FB_PASS(FB_NEW(&b->load_dof, nload, e));
    FB_PASS(FB_NEW(&b->load, nload * b->nr, e));
    FB_PASS(FB_NEW(&b->load_name, nload, e));
    b->nload = nload;
    for (int64_t k = 0; k < nvector; k++) {
        b->load_dof[k] = FB_LOAD_VECTOR;
        memcpy(b->load_name[k], name[k], FB_NAME);
    }
    for (int64_t k = 0, q = nvector; k < n; k++)
        if (load[k] < 0) {
            b->load_dof[-1 - load[k]] = FB_LOAD_ATTACHED;
        } else {
            b->load_dof[q++] = load[k];
        }
    fb_model_name_loads(b);
    return products(b, T, own, nvector, e);
}

fb_status fb_model_loads(fb_model *b, const double *T, const int64_t *load, int64_t n, fb_err *e)
{
    const int full = b->vector && b->vector_name;
    const int64_t nvector = full ? b->nvector : own_vectors(b);
    double *own = full ? NULL : b->load;
    char(*name)[FB_NAME] = full ? NULL : b->load_name;
    if (full)
        FB_FREE(b->load, b->load_name);
    free(b->load_dof);
    b->load_dof = NULL;
    b->load = NULL;
    b->load_name = NULL;
    b->nload = 0;
    const fb_status s = loads(b, T, load, n, own, full ? b->vector_name : name, nvector, e);
    FB_FREE(own, name);
    return s;
}

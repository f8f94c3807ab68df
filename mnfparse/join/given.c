/* SPDX-License-Identifier: GPL-3.0-or-later */
/* given.c - the inputs that the user named, and what became of each: one that is not used is worth
 * a warning. */
#include "memory.h"
#include "assemble.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fb_given counted(const fb_parts *p)
{
    return (fb_given){.matrices = p->nmatrix,
                      .tables = p->ntable > 0,
                      .others = p->nn + p->nset + p->norder + p->nrot + p->line.n + p->plane.n +
                                p->elements.n + p->body.nn + p->body.nm};
}

fb_status fb_parts_given(fb_parts *p, const char *name, fb_err *e)
{
    FB_PASS(fb_grow(&p->given, &p->cap_given, p->ngiven + 1, sizeof *p->given, e));
    fb_given *g = p->given + p->ngiven++;
    *g = counted(p);
    snprintf(g->name, sizeof g->name, "%.255s", fb_base_name(name));
    return FB_OK;
}

static int nonzero(const fb_matrix *m)
{
    for (int64_t q = 0; m->A.p && q < m->A.p[m->A.n]; q++)
        if (m->A.x[q] != 0 || (m->imag && m->imag[q] != 0))
            return 1;
    return 0;
}

/* From what there was before each to what is new in it. */
void fb_given_count(fb_parts *p)
{
    fb_given end = counted(p);
    for (int64_t q = 0; q < p->nmatrix; q++)
        p->matrix[q].nonzero = nonzero(p->matrix + q);
    for (int64_t k = 0; k < p->ngiven; k++) {
        fb_given *g = p->given + k;
        const fb_given *next = k + 1 < p->ngiven ? g + 1 : &end;
        g->matrices = next->matrices - g->matrices;
        g->tables = next->tables - g->tables;
        g->others = next->others - g->others;
    }
}

/* Matrices of input k that are worth a word: 0 where one is used, or where all have had theirs. */
static int64_t left_out(const fb_parts *p, int64_t k, char *list, size_t n)
{
    int64_t count = 0;
    for (int64_t q = 0; q < p->nmatrix; q++) {
        const fb_matrix *m = p->matrix + q;
        if (m->input != k + 1)
            continue;
        if (m->used)
            return 0;
        if (!m->nonzero || m->role == FB_ROLE_STRUCTURAL_DAMPING)
            continue;
        size_t at = strlen(list);
        if (count++ < 8 && m->name[0] && strcmp(m->name, p->given[k].name))
            snprintf(list + at, n - at, "%s%s", at ? ", " : "", m->name);
    }
    return count;
}

/* Has the reader warned of it, with these words? */
static int told(const fb_log *log, const char *name, const char *words)
{
    for (int64_t q = 0; q < log->nwarning; q++)
        if (strstr(log->warning[q], name) && strstr(log->warning[q], words))
            return 1;
    return 0;
}

void fb_given_tell(const fb_parts *p, int modal, fb_log *log)
{
    for (int64_t k = 0; k < p->ngiven; k++) {
        const fb_given *g = p->given + k;
        char list[400] = "";
        if (g->others > 0 || (g->tables && p->table_used))
            continue;
        if (told(log, g->name, g->matrices ? "not used" : ""))
            continue;
        if (g->matrices && modal && left_out(p, k, list, sizeof list))
            fb_warn(log,
                    "%s is not used: the model is the body of another file, which is held by modes",
                    g->name);
        else if (g->matrices && left_out(p, k, list, sizeof list))
            fb_warn(log,
                    "%s is not used: %s%s%s is not known as stiffness, mass or damping; "
                    "--stiffness, --mass, --damping, --structural-damping or --gyroscopic "
                    "FILE[:NAME] names it",
                    g->name, *list ? "its matrix (" : "its matrix", list, *list ? ")" : "");
        else if (!g->matrices && g->tables)
            fb_warn(log, "%s is not used: the matrices name their dofs themselves", g->name);
        else if (!g->matrices)
            fb_warn(log, "%s is not used: nothing in it belongs to a model", g->name);
    }
}

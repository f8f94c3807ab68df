/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roles.c - which matrix of the inputs is K, which M, which D, S and G.
 *
 * The user's word first; then the reader's, who knows the format's names; then the matrix' name;
 * then the file's. Nothing is guessed between two candidates.
 *
 * An imaginary part B of K is structural damping where B = B' (K + i B). Where B = -B' the matrix
 * is hermitian: one sector of a cyclic structure, (K, M) of a phase angle between neighbours; its
 * modes are not those of the real part. */
#include "memory.h"
#include "linalg/sparse_ops.h"
#include "assemble.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const fb_role_name[] = {
    "stiffness", "mass",      "damping",   "structural-damping", "gyroscopic", "circulatory",
    "geometric", "geometric", "geometric", "geometric",          "geometric",  "geometric",
    "geometric", "geometric", "geometric", "geometric",          "geometric",  "geometric",
    "geometric", "geometric", "geometric", "geometric",          "geometric",  "geometric",
    "geometric", "geometric", "geometric", "geometric",          "geometric",  "geometric"};
FB_ROWS(fb_role_name, FB_NROLE);

static fb_role wanted(int k)
{
    static const fb_role of[FB_LOADED] = {FB_ROLE_STIFFNESS,  FB_ROLE_MASS,
                                          FB_ROLE_DAMPING,    FB_ROLE_STRUCTURAL_DAMPING,
                                          FB_ROLE_GYROSCOPIC, FB_ROLE_CIRCULATORY};
    return k < FB_LOADED ? of[k] : FB_ROLE_LOADED;
}

/* ---- names ------------------------------------------------------------------------------ */

static int one_of(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (!strcasecmp(s, *list))
            return 1;
    return 0;
}

/* Nastran's sets behind the letter: KAA, MGGX, ... */
static int set_suffix(const char *s)
{
    static const char *const list[] = {"",   "aa", "gg",  "ff",  "ll", "xx",
                                       "nn", "tt", "aax", "ggx", "r",  NULL};
    return one_of(s, list);
}

static fb_role role_of_word(const char *s)
{
    static const char *const k[] = {"stiffness", "stiff", "stif", "sti", NULL};
    static const char *const m[] = {"mass", "mas", NULL};
    static const char *const d[] = {"damping", "damp", "dmpv", "dam", NULL};
    static const char *const h[] = {"dmps", "structural", NULL};
    static const char *const g[] = {"gyroscopic", "gyro", NULL};
    return one_of(s, k)   ? FB_ROLE_STIFFNESS
           : one_of(s, m) ? FB_ROLE_MASS
           : one_of(s, d) ? FB_ROLE_DAMPING
           : one_of(s, h) ? FB_ROLE_STRUCTURAL_DAMPING
           : one_of(s, g) ? FB_ROLE_GYROSCOPIC
                          : FB_ROLE_UNKNOWN;
}

static fb_role role_of_name(const char *s)
{
    fb_role r = role_of_word(s);
    if (r)
        return r;
    int c = tolower((unsigned char)s[0]);
    if (c == 'k' && s[1] == '4' && set_suffix(s + 2))
        return FB_ROLE_STRUCTURAL_DAMPING;
    if (!c || !set_suffix(s + 1))
        return FB_ROLE_UNKNOWN;
    return c == 'k'                           ? FB_ROLE_STIFFNESS
           : c == 'm'                         ? FB_ROLE_MASS
           : c == 'b' || c == 'c' || c == 'd' ? FB_ROLE_DAMPING
                                              : FB_ROLE_UNKNOWN;
}

/* job_STIF1.mtx, g13_SI_K.mtx, job.mas: the words between punctuation, digits behind them cut. A
 * single b, c or d is more often a variant than a damping matrix. Two words that disagree say
 * nothing. */
static fb_role role_of_file(const char *origin)
{
    fb_role r = FB_ROLE_UNKNOWN;
    for (const char *p = fb_base_name(origin); *p;) {
        char word[32] = "";
        size_t n = 0;
        while (*p && !isalnum((unsigned char)*p))
            p++;
        for (; isalnum((unsigned char)*p); p++)
            if (n + 1 < sizeof word)
                word[n++] = *p;
        word[n] = 0;
        fb_role t = n > 1 || strchr("kKmM", word[0]) ? role_of_name(word) : FB_ROLE_UNKNOWN;
        while (!t && n > 3 && isdigit((unsigned char)word[n - 1])) {
            word[--n] = 0;
            t = role_of_word(word);
        }
        if (t && r && t != r)
            return FB_ROLE_UNKNOWN;
        r = t ? t : r;
    }
    return r;
}

static void deduce(fb_parts *p)
{
    for (int64_t k = 0; k < p->nmatrix; k++) {
        fb_matrix *m = p->matrix + k;
        int64_t unknown = 0;
        if (m->role == FB_ROLE_UNKNOWN)
            m->role = role_of_name(m->name);
        for (int64_t q = 0; q < p->nmatrix; q++)
            unknown += !strcmp(p->matrix[q].origin, m->origin);
        if (m->role == FB_ROLE_UNKNOWN && unknown == 1)
            m->role = role_of_file(m->origin);
        if (m->role == FB_ROLE_UNKNOWN)
            m->role = m->hint;
    }
}

int fb_join_lacks_stiffness(fb_parts *p)
{
    int lacks = !p->how.stiffness.text;
    deduce(p);
    for (int64_t k = 0; k < p->nmatrix; k++)
        lacks = lacks && (p->matrix[k].role == FB_ROLE_MASS || p->matrix[k].role == FB_ROLE_OTHER ||
                          (p->nmatrix == 1 && p->how.mass.text));
    return lacks;
}

/* ---- choosing --------------------------------------------------------------------------- */

static int has_entries(const fb_csc *A)
{
    for (int64_t q = 0; A->p && q < A->p[A->n]; q++)
        if (A->x[q] != 0)
            return 1;
    return 0;
}

static void list_add(char *list, size_t n, const fb_parts *p, const fb_matrix *m)
{
    char one[400];
    size_t at = strlen(list);
    fb_matrix_name(p, m, one, sizeof one);
    if (at + strlen(one) + 8 < n)
        snprintf(list + at, n - at, "%s%s", at ? ", " : "", one);
    else if (at + 5 < n && (at < 3 || strcmp(list + at - 3, "...")))
        snprintf(list + at, n - at, ", ...");
}

/* The candidates of one role. */
typedef struct {
    fb_role role;
    int input;        /* 0: any */
    const char *name; /* NULL: any */
} filter;

static int passes(const filter *f, const fb_matrix *m, int64_t *seen)
{
    if (f->input && m->input != f->input)
        return 0;
    if (f->role && m->role != f->role)
        return 0;
    return !f->name || fb_matrix_called(m, f->name, seen);
}

/* Matrices of zeros stand for absent ones (Nastran writes them): they only count where nothing else
 * does. */
static int64_t candidates(const fb_parts *p, const filter *f, int filled, fb_matrix **one,
                          char *list, size_t n)
{
    int64_t found = 0, seen = 0;
    list[0] = 0;
    for (int64_t k = 0; k < p->nmatrix; k++) {
        fb_matrix *m = p->matrix + k;
        if (!passes(f, m, &seen) || (filled && !has_entries(&m->A)))
            continue;
        found++;
        *one = m;
        list_add(list, n, p, m);
    }
    return found;
}

static fb_status forced(fb_join *j, int k, const fb_choice *c, fb_matrix **out, fb_err *e)
{
    char list[500];
    filter f = {.input = c->input, .name = c->name};
    fb_matrix *one = NULL;
    int64_t found = candidates(j->p, &f, 0, &one, list, sizeof list);
    if (found > 1 && !c->name) {
        f.role = k < FB_LOADED ? wanted(k) : FB_ROLE_STIFFNESS;
        if (candidates(j->p, &f, 1, &one, list, sizeof list) == 1)
            found = 1;
        else
            f.role = FB_ROLE_UNKNOWN;
    }
    if (found == 1) {
        *out = one;
        return FB_OK;
    }
    if (found > 1 && c->name)
        return fb_fail(
            e, FB_EUSAGE,
            "--%s %s: %lld matrices have that name; NAME#1 is the first, NAME#2 the second",
            fb_role_name[k], c->text, (long long)found);
    f = (filter){.input = c->input};
    found = candidates(j->p, &f, 0, &one, list, sizeof list);
    return fb_fail(e, FB_EUSAGE, "--%s %s: %s%s%s", fb_role_name[k], c->text,
                   found
                       ? c->name ? "no such matrix; the file holds " : "choose one with FILE:NAME: "
                       : "the file holds no matrix",
                   found ? list : "", "");
}

/* Is there a matrix, not of zeros, of which nothing is known? */
static int unknown_left(const fb_parts *p)
{
    for (int64_t k = 0; k < p->nmatrix; k++)
        if (p->matrix[k].role == FB_ROLE_UNKNOWN && has_entries(&p->matrix[k].A))
            return 1;
    return 0;
}

/* A stiffness of zeros, by name, is that of a rigid body: a payload. */
static fb_status deduced(fb_join *j, int k, fb_err *e)
{
    char list[500];
    const char *name = fb_role_name[k];
    fb_matrix *one = NULL;
    filter f = {.role = wanted(k)};
    int64_t found = candidates(j->p, &f, 1, &one, list, sizeof list);
    if (found > 1 && k >= FB_S) { /* a model is one without them, too */
        fb_warn(j->log,
                "%lld matrices could be the %s: %s; none is taken, --%s FILE:NAME chooses one",
                (long long)found, name, list, name);
        return FB_OK;
    }
    if (!found && k == FB_K && !unknown_left(j->p))
        found = candidates(j->p, &f, 0, &one, list, sizeof list);
    if (found > 1)
        return fb_fail(e, FB_EUSAGE,
                       "%lld matrices could be the %s: %s; choose one with --%s FILE:NAME",
                       (long long)found, name, list, name);
    if (found == 1)
        j->role[k] = one;
    return FB_OK;
}

/* Is the role a sum? */
static int is_sum(const fb_how *how, int k)
{
    for (int t = 0; t < how->nmore; t++)
        if (how->more[t].role == k)
            return 1;
    return 0;
}

/* The terms of role k, term[0] its matrix, before any is added: each one is used once, and those of
 * other inputs are of coordinates of their own. */
static fb_status find_terms(fb_join *j, int k, fb_matrix **term, fb_err *e)
{
    const fb_how *how = &j->p->how;
    const int bodies = is_sum(how, FB_K) && is_sum(how, FB_M);
    char one[400], other[400];
    int n = 0;
    term[n++] = j->role[k];
    for (int t = 0; t < how->nmore; t++) {
        fb_matrix *m = NULL;
        if (how->more[t].role != k)
            continue;
        FB_PASS(forced(j, k, &how->more[t].c, &m, e));
        fb_matrix_name(j->p, m, one, sizeof one);
        for (int q = 0; q < FB_NROLE; q++)
            if (m == j->role[q])
                return fb_fail(e, FB_EUSAGE, "--%s: %s is added to the %s, and is the %s itself",
                               fb_role_name[k], one, fb_role_name[k], fb_role_name[q]);
        if (m->used)
            return fb_fail(e, FB_EUSAGE, "--%s: %s is added twice", fb_role_name[k], one);
        FB_PASS(fb_csc_check(&m->A, one, e));
        m->used = 1;
        m->role = wanted(k);
        for (int q = 0; q < n; q++) {
            fb_matrix_name(j->p, term[q], other, sizeof other);
            FB_PASS(fb_join_apart(j->p, term[q], other, m, one, bodies, e));
        }
        term[n++] = m;
    }
    return FB_OK;
}

/* Terms of role k join its matrix, which says so in /source. */
static fb_status add_terms(fb_join *j, int k, fb_err *e)
{
    const fb_how *how = &j->p->how;
    char sum[400], one[400];
    fb_matrix **term = NULL;
    int n = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&term, how->nmore + 1, sizeof(void *), "terms", e));
    FB_TRY(find_terms(j, k, term, e));
    fb_matrix_name(j->p, j->role[k], sum, sizeof sum);
    for (int t = 0; t < how->nmore; t++) {
        if (how->more[t].role != k)
            continue;
        fb_matrix *m = term[++n];
        fb_matrix_name(j->p, m, one, sizeof one);
        fb_note(j->log, "%s: %s + %g %s, %lld by %lld", fb_role_name[k], sum, how->more[t].factor,
                one, (long long)m->A.m, (long long)m->A.n);
        FB_TRY(fb_join_sum(j->role[k], sum, m, one, how->more[t].factor, e));
        snprintf(j->sum[k] + strlen(j->sum[k]), sizeof j->sum[k] - strlen(j->sum[k]), " + %g %s",
                 how->more[t].factor, one);
    }
out:
    free(term);
    return s;
}

static fb_status choose(fb_join *j, fb_err *e)
{
    static const fb_choice none = {0};
    const fb_how *how = &j->p->how;
    const fb_choice *c[FB_NROLE] = {&how->stiffness,  &how->mass,       &how->damping,
                                    &how->structural, &how->gyroscopic, &none};
    for (int k = FB_LOADED; k < FB_NROLE; k++)
        c[k] = k - FB_LOADED < how->nloaded ? &how->loaded[k - FB_LOADED].c : &none;
    for (int k = 0; k < FB_NROLE; k++)
        if (c[k]->text)
            FB_PASS(forced(j, k, c[k], &j->role[k], e));
    for (int k = 0; k < FB_NROLE; k++) {
        for (int q = 0; q < k; q++) /* what the user has given a role has no other */
            if (j->role[k] && j->role[k] == j->role[q]) {
                char one[400];
                fb_matrix_name(j->p, j->role[k], one, sizeof one);
                return fb_fail(e, FB_EUSAGE, "%s is named as the %s and as the %s", one,
                               fb_role_name[q], fb_role_name[k]);
            }
        if (j->role[k])
            j->role[k]->role = wanted(k);
    }
    for (int k = 0; k < FB_NROLE; k++)
        if (!c[k]->text && k < FB_LOADED)
            FB_PASS(deduced(j, k, e));
    if (!j->role[FB_K] && !j->modal) {
        char list[500];
        fb_matrix *one = NULL;
        (void)candidates(j->p, &(filter){0}, 0, &one, list, sizeof list);
        return fb_fail(e, FB_EUSAGE,
                       "which matrix is the stiffness? The inputs hold %s; name it with "
                       "--stiffness FILE[:NAME]",
                       list);
    }
    return FB_OK;
}

/* ---- what is used, and what is not ------------------------------------------------------ */

static int has_imaginary(const fb_matrix *m)
{
    for (int64_t q = 0; m->imag && q < m->A.p[m->A.n]; q++)
        if (m->imag[q] != 0)
            return 1;
    return 0;
}

/* max |B - B'| and max |B + B'| over max |B|, B the imaginary part. */
static fb_status imaginary_form(const fb_matrix *m, double *skew, double *even, fb_err *e)
{
    const fb_csc *A = &m->A, B = {A->m, A->n, A->p, A->i, m->imag, 0};
    fb_csc Bt = {0}, S[2] = {{0}, {0}};
    double top[3] = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_csc_transposed(&B, &Bt, e));
    FB_TRY(fb_csc_add(&B, -1, &Bt, &S[0], e));
    FB_TRY(fb_csc_add(&B, 1, &Bt, &S[1], e));
    for (int k = 0; k < 3; k++) {
        const fb_csc *C = k < 2 ? &S[k] : &B;
        for (int64_t q = 0; q < C->p[C->n]; q++)
            top[k] = fmax(top[k], fabs(C->x[q]));
    }
    *skew = top[0] / top[2];
    *even = top[1] / top[2];
out:
    FB_FREE_BY(fb_csc_free, &Bt, &S[0], &S[1]);
    return s;
}

/* An imaginary part that is no structural damping makes another matrix of the real one. */
static fb_status check_imaginary(const fb_matrix *m, const char *name, fb_err *e)
{
    double skew = 0, even = 0;
    if (!has_imaginary(m) || m->A.upper || m->A.m != m->A.n || m->col.node)
        return FB_OK;
    fb_status s = imaginary_form(m, &skew, &even, e);
    if (s || skew <= 1e-8)
        return s;
    if (even <= 1e-8)
        return fb_fail(e, FB_EFORMAT,
                       "%s is hermitian: a sector of a cyclic structure, not structural damping, "
                       "and its real part has other modes; export a model of the whole body, or "
                       "the real pair [Re -Im; Im Re] of twice the order",
                       name);
    return fb_fail(e, FB_EFORMAT,
                   "the imaginary part of %s is not symmetric: it is no structural damping, and "
                   "the real part alone is another model; export real matrices",
                   name);
}

/* The imaginary part of the stiffness is its structural damping, unless there is another one. */
static fb_status take_imaginary(fb_join *j, fb_err *e)
{
    const fb_matrix *K = j->role[FB_K];
    fb_matrix *S = &j->imaginary;
    if (!K || !has_imaginary(K) || j->role[FB_S]) /* shapes beside a mass have none */
        return FB_OK;
    *S = *K;
    S->A = (fb_csc){0};
    S->row = S->col = (fb_labels){0};
    S->imag = NULL;
    S->role = FB_ROLE_STRUCTURAL_DAMPING;
    S->condensed = 0;
    FB_PASS(fb_csc_new(&S->A, K->A.m, K->A.n, K->A.p[K->A.n], K->A.upper, e));
    memcpy(S->A.p, K->A.p, sizeof *S->A.p * (size_t)(K->A.n + 1));
    memcpy(S->A.i, K->A.i, sizeof *S->A.i * (size_t)K->A.p[K->A.n]);
    memcpy(S->A.x, K->imag, sizeof *S->A.x * (size_t)K->A.p[K->A.n]);
    if (K->row.node)
        FB_PASS(fb_labels_copy(&S->row, &K->row, K->A.m, e));
    if (K->col.node)
        FB_PASS(fb_labels_copy(&S->col, &K->col, K->A.n, e));
    j->role[FB_S] = S;
    return FB_OK;
}

/* A matrix of role k that the inputs announce and that has no entries, as a header alone or a file
 * that is cut; NULL: none. */
static const fb_matrix *hollow(const fb_join *j, int k)
{
    if (j->role[k])
        return j->role[k]->nonzero ? NULL : j->role[k];
    for (int64_t q = 0; q < j->p->nmatrix; q++)
        if (j->p->matrix[q].role == wanted(k) && !j->p->matrix[q].nonzero)
            return j->p->matrix + q;
    return NULL;
}

static fb_status check_hollow(const fb_join *j, fb_err *e)
{
    char one[400];
    const fb_matrix *K = hollow(j, FB_K);
    for (int k = 0; k < FB_NROLE; k++)
        if (!K || (j->role[k] && j->role[k]->nonzero))
            return FB_OK;
    fb_matrix_name(j->p, K, one, sizeof one);
    return fb_fail(e, FB_EFORMAT,
                   "the stiffness, %s of %lld by %lld, has no entries, nor has another matrix of "
                   "the model: was it written, or is the file cut?",
                   one, (long long)K->A.m, (long long)K->A.n);
}

/* Without a row a stiffness is none; one of zeros is that of a payload. */
static void tell_hollow(const fb_join *j)
{
    const fb_matrix *K = hollow(j, FB_K), *M = hollow(j, FB_M);
    char one[400];
    if (K && !K->A.n && !j->modal) {
        fb_matrix_name(j->p, K, one, sizeof one);
        fb_warn(j->log, "the stiffness, %s, has neither rows nor entries: the body is rigid", one);
    }
    if (M) {
        fb_matrix_name(j->p, M, one, sizeof one);
        fb_warn(j->log,
                "the mass, %s of %lld by %lld, has no entries: the model has stiffness only", one,
                (long long)M->A.m, (long long)M->A.n);
    } else if (!j->role[FB_M]) {
        fb_warn(j->log, "the inputs have no mass matrix: the model has stiffness only");
    }
    for (int k = FB_D; k < FB_N; k++) /* one of zeros is used where the user names it */
        if (j->role[k] && hollow(j, k)) {
            fb_matrix_name(j->p, j->role[k], one, sizeof one);
            fb_warn(j->log, "the %s, %s of %lld by %lld, has no entries", fb_role_name[k], one,
                    (long long)j->role[k]->A.m, (long long)j->role[k]->A.n);
        }
}

static void tell(fb_join *j)
{
    char one[400];
    for (int k = 0; k < FB_NROLE; k++) {
        fb_matrix *m = j->role[k];
        if (!m)
            continue;
        size_t at = strlen(j->b->matrices);
        fb_matrix_name(j->p, m, one, sizeof one);
        if (k >= FB_LOADED)
            snprintf(one, sizeof one, "%s", fb_base_name(j->p->how.loaded[k - FB_LOADED].c.text));
        fb_note(j->log, "%s: %s, %lld by %lld, %lld entries", fb_role_name[k], one,
                (long long)m->A.m, (long long)m->A.n, (long long)m->A.p[m->A.n]);
        snprintf(j->b->matrices + at, sizeof j->b->matrices - at, "%s%s: %s%s", at ? "; " : "",
                 fb_role_name[k], one, j->sum[k]);
        if (has_imaginary(m) && (k != FB_K || j->role[FB_S] != &j->imaginary))
            fb_warn(j->log, "%s has an imaginary part%s: it is not used", one,
                    k == FB_K ? ", and there is a structural damping beside it" : "");
    }
    tell_hollow(j);
    for (int64_t k = 0; k < j->p->nmatrix; k++) {
        fb_matrix *m = j->p->matrix + k;
        if (m->used)
            continue;
        fb_matrix_name(j->p, m, one, sizeof one);
        list_add(j->b->unused, sizeof j->b->unused, j->p, m);
        if (m->nonzero && m->role == FB_ROLE_STRUCTURAL_DAMPING)
            fb_warn(j->log, "%s is structural damping: it is not used (--structural-damping)", one);
        else
            fb_note(j->log, "%s is not used%s", one, m->nonzero ? "" : ": it has no entries");
    }
}

fb_status fb_join_roles(fb_join *j, fb_err *e)
{
    deduce(j->p);
    FB_PASS(choose(j, e));
    FB_PASS(check_hollow(j, e));
    for (int k = 0; k < FB_NROLE; k++)
        if (j->role[k]) {
            char one[400];
            fb_matrix_name(j->p, j->role[k], one, sizeof one);
            FB_PASS(fb_csc_check(&j->role[k]->A, one, e));
            FB_PASS(check_imaginary(j->role[k], one, e));
            j->role[k]->used = 1;
        }
    for (int k = 0; k < FB_NROLE; k++)
        if (j->role[k])
            FB_PASS(add_terms(j, k, e));
    FB_PASS(take_imaginary(j, e));
    tell(j);
    return FB_OK;
}

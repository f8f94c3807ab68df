/* SPDX-License-Identifier: GPL-3.0-or-later */
/* skin.c - the faces of the body from its elements.
 *
 * Law      Of solids the faces that occur once, of shells and the like all, of lines all; the same
 *          corners twice are one face, and what lies between two solids is not seen.
 *   (SK.1) Two faces are the same if their corners are. A face stands in the bucket of its lowest
 *          corner, sorted by its other corners there: linear in the number of elements, since the
 *          buckets have a bounded size in a mesh.
 *   (SK.2) (sum over edges c_k x c_k+1) . (mean of the face - mean of the element) > 0: the face is
 *          seen from outside; where it is not, its corners change their direction.
 * Middles  A face with all its middle nodes becomes triangles and quadrangles over its nodes, with
 *          some of them one polygon through them.
 */
#include "assemble.h"
#include "elements.h"
#include "memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* elements by positions of their nodes in /nodes, -1: none */
    const fb_model *b;
    const fb_elements *x;
    int64_t *v;        /* [nnode] */
    int64_t *first;    /* [n + 1] of the nodes of each element */
    int64_t *start;    /* [nn + 1] of the buckets */
    int64_t *entry;    /* element * FB_FACES + face, by bucket */
    unsigned char *on; /* [n] bit f: face f is one of the body */
} skin;

static void skin_free(skin *k)
{
    FB_FREE(k->v, k->first, k->start, k->entry, k->on);
}

/* The corners of face f of element q, each once; how many, 0 where nothing is left of the face. */
static int corners(const skin *k, int64_t q, int f, int64_t c[4])
{
    const fb_solid *t = fb_element_kinds[k->x->topology[q]].solid;
    const int64_t *v = k->v + k->first[q];
    int n = 0;
    for (int a = 0; a < t->size[f]; a++) {
        int seen = 0;
        c[n] = v[t->face[f][a]];
        for (int d = 0; d < n; d++)
            seen |= c[d] == c[n];
        n += !seen;
    }
    return n >= (t->dim > 1 ? 3 : 2) ? n : 0;
}

/* ---- nodes -------------------------------------------------------------------------------- */

/* Is there no face whose corners differ? */
static int flat(const skin *k, int64_t q)
{
    int64_t c[4];
    for (int f = 0; f < fb_element_kinds[k->x->topology[q]].solid->nface; f++)
        if (corners(k, q, f, c))
            return 0;
    return 1;
}

/* Elements without one of their corners are left out: their topology has no faces then. */
static fb_status find_nodes(skin *k, fb_log *log, fb_err *e)
{
    const fb_elements *x = k->x;
    fb_index at = {0};
    int64_t lost = 0, folded = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_index_new(&at, k->b->node_id, k->b->nn, "/nodes/id", e));
    FB_TRY(fb_new(&k->v, x->nnode, sizeof *k->v, "nodes of the elements", e));
    FB_TRY(fb_new(&k->first, x->n + 1, sizeof *k->first, "elements", e));
    for (int64_t q = 0; q < x->nnode; q++)
        k->v[q] = x->node[q] ? fb_index_find(&at, x->node[q]) : -1;
    for (int64_t q = 0; q < x->n; q++) {
        const fb_element_kind *t = fb_element_kinds + x->topology[q];
        int64_t *v = k->v + k->first[q];
        int whole = 1;
        k->first[q + 1] = k->first[q] + t->nodes;
        for (int a = 0; a < t->solid->corners; a++)
            whole &= v[a] >= 0;
        lost += !whole;
        folded += whole && flat(k, q);
        for (int a = 0; !whole && a < t->nodes; a++)
            v[a] = -1;
    }
    if (lost)
        fb_warn(log,
                "%lld of %lld elements are not drawn: they stand at nodes that have no coordinates",
                (long long)lost, (long long)x->n);
    if (folded)
        fb_warn(log, "%lld of %lld elements are not drawn: the same node is at several corners",
                (long long)folded, (long long)x->n);
out:
    fb_index_free(&at);
    return s;
}

/* ---- faces that occur once (SK.1) --------------------------------------------------------- */

typedef struct {
    int64_t other[3], entry; /* corners but the lowest, ascending, -1 behind them */
} key;

static int by_corners(const void *a, const void *b)
{
    const key *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->other[k] != y->other[k])
            return x->other[k] < y->other[k] ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static key key_of(const skin *k, int64_t entry)
{
    key t = {{-1, -1, -1}, entry};
    int64_t c[4];
    const int n = corners(k, entry / FB_FACES, (int)(entry % FB_FACES), c);
    for (int a = 1; a < n; a++) /* n <= 4: sorted by insertion */
        for (int d = a; d > 0 && c[d] < c[d - 1]; d--) {
            const int64_t w = c[d];
            c[d] = c[d - 1];
            c[d - 1] = w;
        }
    for (int a = 1; a < n; a++)
        t.other[a - 1] = c[a];
    return t;
}

/* Counts the faces by their lowest corner, or puts them there. */
static void deal(skin *k, int64_t *count, int64_t *entry)
{
    for (int64_t q = 0; q < k->x->n; q++) {
        const fb_solid *t = fb_element_kinds[k->x->topology[q]].solid;
        if (k->v[k->first[q]] < 0)
            continue;
        for (int f = 0; f < t->nface; f++) {
            int64_t c[4];
            const int n = corners(k, q, f, c);
            int64_t low = n ? c[0] : 0;
            for (int a = 1; a < n; a++)
                low = c[a] < low ? c[a] : low;
            if (n && entry)
                entry[count[low]++] = q * FB_FACES + f;
            else if (n)
                count[low + 1]++;
        }
    }
}

/* Of a solid and a shell with the same face the solid's is kept: it knows its outside. */
static void choose(skin *k, const key *t, int64_t n)
{
    for (int64_t a = 0, z; a < n; a = z) {
        int64_t solids = 0, best = a;
        for (z = a; z < n && !memcmp(t[z].other, t[a].other, sizeof t->other); z++) {
            const int64_t element = t[z].entry / FB_FACES;
            if (fb_element_kinds[k->x->topology[element]].solid->dim == 3 && !solids++)
                best = z;
        }
        if (solids < 2)
            k->on[t[best].entry / FB_FACES] |= (unsigned char)(1 << t[best].entry % FB_FACES);
    }
}

static fb_status find_faces(skin *k, fb_err *e)
{
    const int64_t nn = k->b->nn;
    int64_t most = 0;
    key *t = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&k->on, k->x->n, 1, "elements", e));
    FB_TRY(fb_new(&k->start, nn + 2, sizeof *k->start, "faces by node", e));
    deal(k, k->start + 1, NULL);
    for (int64_t p = 0; p < nn; p++) {
        most = k->start[p + 2] > most ? k->start[p + 2] : most;
        k->start[p + 2] += k->start[p + 1];
    }
    FB_TRY(fb_new(&k->entry, k->start[nn + 1], sizeof *k->entry, "faces of elements", e));
    FB_TRY(fb_new(&t, most, sizeof *t, "faces of a node", e));
    deal(k, k->start + 1, k->entry); /* moves the starts of the buckets one place on */
    for (int64_t p = 0; p < nn; p++) {
        const int64_t n = k->start[p + 1] - k->start[p];
        for (int64_t q = 0; q < n; q++)
            t[q] = key_of(k, k->entry[k->start[p] + q]);
        if (n > 1)
            qsort(t, (size_t)n, sizeof *t, by_corners);
        choose(k, t, n);
    }
out:
    free(t);
    return s;
}

/* ---- polygons over the nodes of a face ---------------------------------------------------- */

typedef struct { /* what becomes of one face */
    int n, size[5];
    int64_t node[5][8];
} patch;

static void put(patch *t, int n, const int64_t *v)
{
    t->size[t->n] = n;
    memcpy(t->node[t->n++], v, sizeof *v * (size_t)n);
}

/* The middle node between corners a and b of element q, or -1. */
static int64_t middle(const skin *k, int64_t q, int a, int b)
{
    const fb_element_kind *t = fb_element_kinds + k->x->topology[q];
    for (int d = 0; d < t->solid->nedge && t->solid->corners + d < t->nodes; d++)
        if ((t->solid->edge[d][0] == a && t->solid->edge[d][1] == b) ||
            (t->solid->edge[d][0] == b && t->solid->edge[d][1] == a))
            return k->v[k->first[q] + t->solid->corners + d];
    return -1;
}

/* Corners c [n] with the middles m behind each, the centre or -1; n is 3 or 4, all middles
 * there. */
static void subdivide(patch *t, int n, const int64_t *c, const int64_t *m, int64_t centre)
{
    for (int a = 0; a < n; a++) {
        const int z = (a + n - 1) % n;
        put(t, centre < 0 ? 3 : 4, (int64_t[]){c[a], m[a], centre < 0 ? m[z] : centre, m[z]});
    }
    if (centre < 0)
        put(t, n, m);
}

static patch patch_of(const skin *k, int64_t q, int f)
{
    const fb_element_kind *kind = fb_element_kinds + k->x->topology[q];
    const fb_solid *t = kind->solid;
    const int64_t *v = k->v + k->first[q];
    const int whole = t->corners + t->nedge, size = t->size[f];
    int64_t c[4] = {0}, m[4] = {0}, ring[8] = {0};
    int n = 0, middles = 0, r = 0;
    patch out = {0};
    for (int a = 0; a < size; a++) {
        const int now = t->face[f][a], next = t->face[f][(a + 1) % size];
        if (v[now] == v[next])
            continue;
        c[n] = v[now];
        m[n] = middle(k, q, now, next);
        if (m[n] == v[now] || m[n] == v[next])
            m[n] = -1;
        ring[r++] = c[n];
        if (m[n] >= 0 && t->dim > 1)
            ring[r++] = m[n];
        middles += m[n++] >= 0;
    }
    if (t->dim == 1 && m[0] >= 0) {
        put(&out, 2, (int64_t[]){c[0], m[0]});
        put(&out, 2, (int64_t[]){m[0], c[1]});
    } else if (t->dim > 1 && middles == n && n > 2) {
        subdivide(&out, n, c, m, n == 4 && kind->nodes > whole ? v[whole + f] : -1);
    } else {
        put(&out, r, ring);
    }
    return out;
}

/* (SK.2) */
static int inside_out(const skin *k, int64_t q, int f)
{
    const fb_solid *t = fb_element_kinds[k->x->topology[q]].solid;
    const int64_t *v = k->v + k->first[q];
    const double *x = k->b->xyz;
    double middle_of[3] = {0}, away[3] = {0}, normal[3] = {0};
    const int n = t->size[f];
    if (t->dim < 3)
        return 0;
    for (int a = 0; a < t->corners; a++)
        for (int d = 0; d < 3; d++)
            middle_of[d] += x[3 * v[a] + d] / t->corners;
    for (int a = 0; a < n; a++) {
        const double *p = x + 3 * v[t->face[f][a]], *r = x + 3 * v[t->face[f][(a + 1) % n]];
        for (int d = 0; d < 3; d++) {
            const int y = (d + 1) % 3, z = (d + 2) % 3;
            away[d] += (p[d] - middle_of[d]) / n;
            normal[d] += (p[y] - middle_of[y]) * (r[z] - middle_of[z]) -
                         (p[z] - middle_of[z]) * (r[y] - middle_of[y]);
        }
    }
    return normal[0] * away[0] + normal[1] * away[1] + normal[2] * away[2] < 0;
}

/* All faces into the model; without room there, how much they need. */
static void emit(const skin *k, fb_model *b)
{
    int64_t nf = 0, ni = 0;
    for (int64_t q = 0; q < k->x->n; q++)
        for (int f = 0; f < FB_FACES && k->on[q] >> f; f++) {
            if (!(k->on[q] >> f & 1))
                continue;
            const patch t = patch_of(k, q, f);
            const int turn = b->face_index && inside_out(k, q, f);
            for (int a = 0; a < t.n; a++) {
                for (int d = 0; b->face_index && d < t.size[a]; d++)
                    b->face_index[ni + (turn ? t.size[a] - 1 - d : d)] = t.node[a][d];
                ni += t.size[a];
                nf++;
                if (b->face_index)
                    b->face_offset[nf] = ni;
            }
        }
    b->nf1 = nf + 1;
    b->nfi = ni;
}

/* ---- what moves --------------------------------------------------------------------------- */

/* Nodes of the faces, and those of them that the dofs of the input move, or its mode shapes. */
static fb_status moving(const fb_model *b, int64_t *nodes, int64_t *moved, fb_err *e)
{
    const int64_t *node = b->na ? b->all_node : b->dof_node, n = b->na ? b->na : b->ndof;
    char *moves = NULL, *seen = NULL;
    fb_index at = {0};
    fb_status s = FB_OK;
    *nodes = *moved = 0;
    FB_TRY(fb_index_new(&at, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(fb_new(&moves, b->nn, 1, "nodes that move", e));
    FB_TRY(fb_new(&seen, b->nn, 1, "nodes of faces", e));
    for (int64_t d = 0; d < n; d++) {
        const int64_t p = fb_index_find(&at, node[d]);
        if (p >= 0)
            moves[p] = 1;
    }
    for (int64_t k = 0; b->shape && k < 6 * b->nm * b->nn; k++)
        if (b->shape[k] != 0)
            moves[k / 6 % b->nn] = 1;
    for (int64_t k = 0; k < b->nfi; k++) {
        const int64_t p = b->face_index[k];
        *nodes += !seen[p];
        *moved += !seen[p] && moves[p];
        seen[p] = 1;
    }
out:
    fb_index_free(&at);
    FB_FREE(moves, seen);
    return s;
}

static void drop_faces(fb_model *b)
{
    FB_FREE(b->face_offset, b->face_index);
    b->face_offset = b->face_index = NULL;
    b->nf1 = b->nfi = 0;
}

static void tell(const fb_elements *x, fb_log *log)
{
    char list[300] = "";
    int64_t n = 0;
    for (int64_t k = 0; k < x->nodd; k++) {
        const size_t at = strlen(list);
        n += x->odd[k].n;
        snprintf(list + at, sizeof list - at, "%s %s (%lld)", k ? "," : "", x->odd[k].name,
                 (long long)x->odd[k].n);
    }
    if (n)
        fb_warn(log,
                "%lld elements are not drawn, of types without a known shape or in lines not "
                "understood:%s",
                (long long)n, list);
}

fb_status fb_join_faces(fb_parts *p, fb_model *b, fb_log *log, fb_err *e)
{
    skin k = {.b = b, .x = &p->elements};
    int64_t nodes, moved;
    fb_status s = FB_OK;
    tell(k.x, log);
    if (!k.x->n || !b->node_id || !b->xyz || b->face_offset)
        return FB_OK;
    FB_TRY(find_nodes(&k, log, e));
    FB_TRY(find_faces(&k, e));
    emit(&k, b);
    if (!b->nfi) {
        drop_faces(b);
        goto out;
    }
    FB_TRY(fb_new(&b->face_offset, b->nf1, sizeof *b->face_offset, "faces", e));
    FB_TRY(fb_new(&b->face_index, b->nfi, sizeof *b->face_index, "corners of faces", e));
    emit(&k, b);
    FB_TRY(moving(b, &nodes, &moved, e));
    fb_note(log, "%lld faces of %lld elements, over %lld nodes", (long long)b->nf1 - 1,
            (long long)k.x->n, (long long)nodes);
    if (2 * moved < nodes) {
        fb_note(log,
                "the faces of the elements are left out: the matrices move %lld of their %lld "
                "nodes, the rest would stand still in pictures",
                (long long)moved, (long long)nodes);
        drop_faces(b);
    }
out:
    skin_free(&k);
    return s;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* deck.c - the mesh as CalculiX reads it, and its matrices as Abaqus writes them. */
#include "bench/mesh/mesh.h"
#include <inttypes.h>

void mesh_deck(const mesh *m, const int64_t *held, int64_t nheld, int64_t modes, fb_buf *out)
{
    int per = m->kind->nodes;
    fb_put_text(out, "*NODE,NSET=NALL\n");
    for (int64_t k = 0; k < m->nn; k++) /* a field of more than 20 characters would be cut */
        fb_put_text(out, "%" PRId64 ",%.13e,%.13e,%.13e\n", k + 1, m->xyz[3 * k], m->xyz[3 * k + 1],
                    m->xyz[3 * k + 2]);
    fb_put_text(out, "*ELEMENT,TYPE=%s,ELSET=EALL\n", m->kind->deck);
    for (int64_t k = 0; k < m->ne; k++) {
        fb_put_text(out, "%" PRId64, k + 1);
        for (int a = 0; a < per; a++) /* a line holds 16 numbers */
            fb_put_text(out, ",%s%" PRId64, a == 15 ? "\n" : "", m->v[k * per + a] + 1);
        fb_put_text(out, "\n");
    }
    fb_put_text(out, "*NSET,NSET=HELD\n");
    for (int64_t k = 0; k < nheld; k++)
        fb_put_text(out, "%" PRId64 ",\n", held[k] + 1);
    fb_put_text(out, "*MATERIAL,NAME=STEEL\n*ELASTIC\n%.13e,%.13e\n*DENSITY\n%.13e\n", MESH_E,
                MESH_NU, MESH_RHO);
    fb_put_text(out, "*SOLID SECTION,ELSET=EALL,MATERIAL=STEEL\n*BOUNDARY\nHELD,1,3\n");
    /* STORAGE: the eigenvalues in binary; the table of the .dat file has seven digits */
    fb_put_text(out, "*STEP\n*FREQUENCY,STORAGE=YES\n%" PRId64 "\n*END STEP\n", modes);
}

void mesh_matrix(const fb_csc *A, int64_t dofs, fb_buf *out)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            fb_put_text(out, "%" PRId64 ",%" PRId64 ", %" PRId64 ",%" PRId64 ", %21.14e\n",
                        A->i[q] / dofs + 1, A->i[q] % dofs + 1, j / dofs + 1, j % dofs + 1,
                        A->x[q]);
}

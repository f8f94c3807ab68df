/* SPDX-License-Identifier: GPL-3.0-or-later */
/* readers.c - the table of input formats, from the rows in reader.h. */
#include "reader.h"
#include <string.h>

const fb_reader *const fb_readers[] = {
#define X(name) &fb_reader_##name,
    FB_READERS(X)
#undef X
    NULL};

/* What people call the formats elsewhere. */
static const fb_meant meant[] = {
    {"adams", "mnf, mnfdump (its dump as text) or adamsmat"}, {"nastran", "op4, op2, dmig or bulk"},
    {"pch", "dmig"}, {"punch", "dmig"}, {"bdf", "bulk"}, {"dat", "bulk"}, {"optistruct", "dmig or bulk"},
    {"abaqus", "abaqus_matrix, coordinate, user_element or inp"},
    {"calculix", "coordinate (.sti, .mas), ccx_dof (.dof), frd or inp"}, {"ccx", "coordinate, ccx_dof, frd or inp"},
    {"sti", "coordinate"}, {"mas", "coordinate"}, {"dof", "ccx_dof"},
    {"ansys", "hb (HBMAT) or mm (*EXPORT), with ansys_mapping, ansys_vector, ansys_nodes"},
    {"hbmat", "hb"}, {"mapping", "ansys_mapping"}, {"fem", "mbdyn"}, {"mat", "matlab"}, {"mtx", "mm, abaqus_matrix or mnfdump"},
    {"matrixmarket", "mm"}, {"harwell", "hb"}, {"universal", "unv"}, {"uff", "unv"}, {"txt", "table"}, {"csv", "table"},
    {0}};

static fb_status unknown(const char *name, const char *list, fb_err *e)
{
    const char *write = fb_meaning(meant, name);
    fb_guess g = {0};
    for (const fb_reader *const *r = fb_readers; *r; r++)
        fb_nearest(name, (*r)->name, &g);
    if (write)
        return fb_fail(e, FB_EUSAGE, "unknown --format '%s': write %s, or leave it out (the bytes say what a file is)", name, write);
    return fb_unknown_word("--format", name, &g, list, e);
}

fb_status fb_reader_find(const fb_input *in, const char *name, const fb_reader **out, fb_err *e)
{
    char list[512] = "";
    for (const fb_reader *const *r = fb_readers; *r; r++) {
        if (name ? !strcmp((*r)->name, name) : (*r)->sniff(in)) {
            *out = *r;
            return FB_OK;
        }
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", (*r)->name);
    }
    if (name)
        return unknown(name, list, e);
    if (fb_is_hdf5(in->data, in->size))
        return fb_fail(e, FB_EFORMAT, "an HDF5 file, as these programs write: mnfparse stands before it; reduce, invariants, correlate "
                       "and linkexport read it, and linkexport --to text shows it");
    return fb_fail(e, FB_EFORMAT, "format not recognised from its first bytes; known are %s "
                   "(--format forces one)", list);
}

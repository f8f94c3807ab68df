/* SPDX-License-Identifier: GPL-3.0-or-later */
/* readers.c - the table of input formats, from the rows in reader.h. */
#include "ansys/binary.h"
#include "h5.h"
#include "cli.h"
#include "reader.h"
#include <string.h>
#include <strings.h>

const fb_reader *const fb_readers[] = {
#define X(name) &fb_reader_##name,
    FB_READERS(X)
#undef X
        NULL};

/* What people call the formats elsewhere. */
static const fb_meant meant[] = {
    {"adams", "mnf, mnfdump (its dump as text) or adamsmat"},
    {"nastran", "op4, op2, dmig or bulk"},
    {"pch", "dmig"},
    {"punch", "dmig"},
    {"bdf", "bulk"},
    {"dat", "bulk"},
    {"optistruct", "dmig or bulk"},
    {"abaqus", "abaqus_matrix, coordinate, user_element or inp"},
    {"calculix", "coordinate (.sti, .mas), ccx_dof (.dof), frd or inp"},
    {"ccx", "coordinate, ccx_dof, frd or inp"},
    {"sti", "coordinate"},
    {"mas", "coordinate"},
    {"dof", "ccx_dof"},
    {"ansys", "ansys_full, ansys_rst, ansys_mode or ansys_sub; hb (HBMAT) or mm (*EXPORT), with "
              "ansys_mapping, ansys_vector, ansys_nodes"},
    {"full", "ansys_full"},
    {"rst", "ansys_rst"},
    {"mode", "ansys_mode"},
    {"sub", "ansys_sub"},
    {"hbmat", "hb"},
    {"archive", "cdb"},
    {"mapping", "ansys_mapping"},
    {"fem", "mbdyn"},
    {"mat", "matlab"},
    {"mtx", "mm, abaqus_matrix or mnfdump"},
    {"matrixmarket", "mm"},
    {"harwell", "hb"},
    {"universal", "unv"},
    {"uff", "unv"},
    {"msh", "gmsh"},
    {"txt", "table or csv"},
    {"numpy", "npy or npz"},
    {"scipy", "npz"},
    {"exudyn", "npz, npy or pickle"},
    {"pkl", "pickle"},
    {0}};

static fb_status unknown(const char *name, const char *list, fb_err *e)
{
    const char *write = fb_meaning(meant, name);
    fb_guess g = {0};
    for (const fb_reader *const *r = fb_readers; *r; r++)
        fb_nearest(name, (*r)->name, &g);
    if (write)
        return fb_fail(
            e, FB_EUSAGE,
            "unknown --format '%s': write %s, or leave it out (the bytes say what a file is)", name,
            write);
    return fb_unknown_word("--format", name, &g, list, e);
}

/* HDF5 and binary files of programs whose other files are read; what they are and the way out,
 * NULL: none of them. */
static const char *of_others(const fb_input *in)
{
    enum { HEAD = 1 << 20 };
    static const struct {
        const char *word, *says;
    } known[] = {{"Octave-1-", "Octave's binary format: let Octave write MATLAB's by save -v7 FILE "
                               "VARIABLES"},
                 {"OCTAVE_NEW_FORMAT", "an HDF5 file of Octave: let Octave write MATLAB's by save "
                                       "-v7 FILE VARIABLES"},
                 {"stiffnessMatrix", "an HDF5 file of Exudyn: let it write NumPy's, "
                                     "fem.SaveToFile('model.npz')"}};
    const int hdf5 = fb_is_hdf5(in->data, in->size);
    const size_t n = in->size < HEAD ? in->size : HEAD;
    const char *p = (const char *)in->data;
    for (size_t q = 0; q < sizeof known / sizeof *known; q++) {
        const size_t m = strlen(known[q].word), last = hdf5 == (q > 0) && n >= m ? n - m + 1 : 0;
        for (size_t k = 0; k < (q ? last : last > 0); k++)
            if (p[k] == known[q].word[0] && !memcmp(p + k, known[q].word, m))
                return known[q].says;
    }
    return NULL;
}

/* Files of other programs that hold what is wanted in a form that they alone read, by the end of
 * their names. */
static fb_status foreign(const fb_input *in, const char *list, fb_err *e)
{
    static const char abaqus[] =
        "let Abaqus write the matrices as text (*MATRIX GENERATE, STIFFNESS, MASS and *MATRIX "
        "OUTPUT, STIFFNESS, MASS, FORMAT=MATRIX INPUT) and name job_STIF1.mtx, job_MASS1.mtx and "
        "the deck",
                      ansys[] =
                          "name the .full of a modal analysis and the .rst or .cdb of the same "
                          "model, or the .sub of a superelement",
                      damaged[] =
                          "its header is not that of an Ansys binary file: was it damaged, or "
                          "turned into text on its way here?";
    static const struct {
        const char *end, *what, *recipe;
    } known[] = {{".sim", "matrices in a database of Abaqus", abaqus},
                 {".odb", "results of Abaqus, no matrices", abaqus},
                 {".full", "no matrices of Ansys", damaged},
                 {".sub", "no superelement of Ansys", damaged},
                 {".rst", "no results of Ansys", damaged},
                 {".mode", "no mode shapes of Ansys", damaged},
                 {".emat", "element matrices of Ansys", ansys},
                 {".db", "a database of Ansys", ansys}};
    const size_t n = strlen(in->name);
    if (ans_foreign(in))
        return fb_fail(e, FB_EFORMAT, "%s, not read here: %s", ans_foreign(in), ansys);
    for (size_t q = 0; q < sizeof known / sizeof *known; q++)
        if (n > strlen(known[q].end) &&
            !strcasecmp(in->name + n - strlen(known[q].end), known[q].end))
            return fb_fail(e, FB_EFORMAT, "%s, not read here: %s", known[q].what, known[q].recipe);
    if (of_others(in))
        return fb_fail(e, FB_EFORMAT, "%s", of_others(in));
    if (fb_is_hdf5(in->data, in->size))
        return fb_fail(
            e, FB_EFORMAT,
            "an HDF5 file, as these programs write: reduce, invariants, correlate and linkexport "
            "read it; mnfparse takes it alone, without other inputs, to show, move, convert or add "
            "to it (--info, --rotate, --units, --load, ...), and its matrices as files (linkexport "
            "--to mm)");
    return fb_fail(e, FB_EFORMAT,
                   "format not recognised from its first bytes; known are %s (--format forces one)",
                   list);
}

void fb_reader_names(fb_buf *list, const char *between)
{
    for (const fb_reader *const *r = fb_readers; *r; r++)
        fb_put_text(list, "%s%s", r == fb_readers ? "" : between, (*r)->name);
    fb_put_bytes(list, "", 1);
}

fb_status fb_reader_find(const fb_input *in, const char *name, const fb_reader **out, fb_err *e)
{
    fb_buf list = {0};
    for (const fb_reader *const *r = fb_readers; *r; r++)
        if (name ? !strcmp((*r)->name, name) : (*r)->sniff(in)) {
            *out = *r;
            return FB_OK;
        }
    fb_reader_names(&list, ", ");
    fb_status s = fb_buf_status(&list, e);
    if (!s)
        s = name ? unknown(name, (const char *)list.data, e)
                 : foreign(in, (const char *)list.data, e);
    fb_buf_free(&list);
    return s;
}

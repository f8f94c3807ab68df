/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mnfparse - read a flexible body or finite-element matrices, write a flexbody stream. */
#include "basis.h"
#include "component.h"
#include "dofset.h"
#include "geometric.h"
#include "h5.h"
#include "info.h"
#include "loads.h"
#include "memory.h"
#include "move.h"
#include "number.h"
#include "publish.h"
#include "reader.h"
#include "stress.h"
#include "schema.h"
#include "text/lines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *format, *input_units, *units, *nodes, *dof_table, *basis, *mirror, *translate;
static fb_list rotate, stress, loads, geometric;
static int info, check;
static fb_how how;
static int include_outside;

static fb_opt opts[] = {
    {"format", 0, FB_TEXT, &format, "NAME", 0, 0,
     "read the input as NAME instead of finding the format from its bytes"},
    {"stiffness", 0, FB_FILE, &how.stiffness.text, "FILE[:NAME]", 0, 0,
     "the stiffness matrix (of that name; NAME#2: the second one); FILE+FILE, FILE+0.5*FILE or "
     "FILE:NAME+NAME is a sum"},
    {"mass", 0, FB_FILE, &how.mass.text, "FILE[:NAME]", 0, 0, "the mass matrix"},
    {"damping", 0, FB_FILE, &how.damping.text, "FILE[:NAME]", 0, 0, "the viscous damping matrix"},
    {"structural-damping", 0, FB_FILE, &how.structural.text, "FILE[:NAME]", 0, 0,
     "the structural damping matrix S: K + i S in harmonic motion; default: the imaginary part of "
     "the stiffness, K4 of Nastran, DMPS of Abaqus"},
    {"gyroscopic", 0, FB_FILE, &how.gyroscopic.text, "FILE[:NAME]", 0, 0,
     "the gyroscopic matrix G of unit speed, skew: D + s G at speed s"},
    {"geometric", 0, FB_LIST, &geometric, "FILE[:NAME]:LOAD", 0, 0,
     "the stiffness of the same model under a load: ax=1 (gravity along x), wz2=100 (turning about "
     "z "
     "with the square 100 of the speed), rx=1, wxwy=1, f:17.1=1 (a force at node 17), or a sum "
     "with "
     "commas; less the stiffness it is geometric stiffness, per unit of the first number; again "
     "for "
     "further loads"},
    {"nodes", 0, FB_FILE, &nodes, "FILE", 0, 0, "coordinates: a deck, or lines of id, x, y, z"},
    {"dofs-per-node", 0, FB_INT, &how.dofs_per_node, "N", 1, 6,
     "for matrices without dof labels: row r is node 1+(r-1)/N, component 1+(r-1) mod N"},
    {"dof-table", 0, FB_FILE, &dof_table, "FILE", 0, 0,
     "for matrices without dof labels: a line of node and component for each row"},
    {"interface", 0, FB_TEXT, &how.interface, "LIST", 0, 0,
     "boundary dofs: " FB_DOFSET_FORMS "; without components all of the node"},
    {"rigid", 0, FB_LIST, &how.rigid, "NAME=SET[@x,y,z]", 0, 0,
     "a new node at x,y,z, or at the centroid of the nodes of SET, with six dofs that the dofs of "
     "SET follow rigidly (RBE2); NAME: its number, or a name; -v says where"},
    {"average", 0, FB_LIST, &how.average, "NAME=SET[@x,y,z]", 0, 0,
     "a new node at x,y,z, or at the centroid, with six dofs that are the average motion of SET "
     "(RBE3)"},
    {"basis", 0, FB_FILE, &basis, "FILE[:NAME]", 0, 0,
     "shapes over the dofs of the model for reduce --method basis: a stream's, modes, or the "
     "matrix of that name, a shape each column"},
    {"stress", 0, FB_FILES, &stress, "FILE[:SHAPES,STRESS,LIST]", 0, 0,
     "results with the stress of modes or static answers of this model, for reduce to give its "
     "coordinates theirs, or two matrices with a column for each: displacements, and six rows of "
     "stress for each node of LIST; again for more files"},
    {"load", 0, FB_FILES, &loads, "[NAME=]LOAD", 0, 0,
     "a load vector, or several, that goes with the body: FILE[:MATRIX], a load each column, or "
     "made "
     "of the mass matrix, gravity:X,Y,Z and centrifugal:X,Y,Z[@X,Y,Z] (acceleration, angular "
     "velocity and a point of its axis, in units of the input); again for further ones"},
    {"force-symmetric", 0, FB_FLAG, &how.force_symmetric, NULL, 0, 0,
     "take stiffness and mass that are not symmetric, averaging their halves, and mirror what has "
     "one half"},
    {"unsymmetric", 0, FB_FLAG, &how.unsymmetric, NULL, 0, 0,
     "keep a stiffness that is not symmetric (friction, follower loads): its symmetric part has "
     "the modes, its skew part goes along"},
    {"far-frames", 0, FB_FLAG, &how.far_frames, NULL, 0, 0,
     "let --rigid and --average place a node farther from SET than SET is large"},
    {"include-outside", 0, FB_FLAG, &include_outside, NULL, 0, 0,
     "let INCLUDE leave the folder of the deck"},
    {"input-units", 0, FB_TEXT, &input_units, "SYSTEM", 0, 0,
     "units of an input that does not name them: SI, mm-t-s, mm-kg-ms, in-lbf-s, ..."},
    {"units", 0, FB_TEXT, &units, "SYSTEM", 0, 0,
     "convert everything to this system of units: SI, mm-t-s, mm-kg-ms, in-lbf-s, ..."},
    {"mirror", 0, FB_TEXT, &mirror, "AXIS", 0, 0,
     "mirror the body across the plane through the origin that x, y or z stands on; before "
     "--rotate"},
    {"rotate", 0, FB_LIST, &rotate, "AXIS:DEGREES", 0, 0,
     "turn the body about the origin: z:30, about an axis of its own 1,1,0:30, by a quaternion "
     "W,X,Y,Z or by nine numbers of a matrix by rows; again for a further turn"},
    {"translate", 0, FB_TEXT, &translate, "X,Y,Z", 0, 0,
     "carry the body by this, in the input's unit of length; after --rotate"},
    {"info", 0, FB_FLAG, &info, NULL, 0, 0,
     "print a page about the input, or about a stream of these programs: verdict, mass, "
     "frequencies, effective masses, warnings"},
    {"check", 0, FB_FLAG, &check, NULL, 0, 0,
     "print checks of component modes instead: rigid motion by stiffness, geometry and modes, "
     "places of the boundary nodes by the stiffness, forces of rigid motion by node, effective "
     "masses; exit status 1 where one says no"},
    {0},
};

static int data_out(void)
{
    return !info && !check;
}

/* The inputs, each once, in the order they are named: FILE arguments, then those of options. */
typedef struct {
    const char **path; /* borrowed */
    char **cut;        /* [ncut] parts of options */
    fb_addend *more;
    fb_loaded *loaded;
    int n, ncut;
} inputs;

static int input_number(inputs *in, const char *path)
{
    for (int k = 0; k < in->n; k++)
        if (!strcmp(in->path[k], path))
            return k + 1;
    in->path[in->n++] = path;
    return in->n;
}

/* FILE or FILE:NAME between text and end: 0 where there is no such file. A colon may belong to the
 * file's name: what exists as it stands is a file. */
static fb_status choice(inputs *in, fb_choice *c, const char *text, const char *end, int *there,
                        fb_err *e)
{
    char *path = NULL;
    FB_PASS(fb_new(&path, end - text + 1, 1, "file name", e));
    memcpy(path, text, (size_t)(end - text));
    in->cut[in->ncut++] = path;
    c->name = NULL;
    *there = !access(path, F_OK);
    char *colon = *there ? NULL : strrchr(path, ':');
    if (colon && colon != path && colon[1]) {
        *colon = 0;
        c->name = colon + 1;
        *there = !access(path, F_OK);
    }
    c->input = -1;
    c->text = path;
    return FB_OK;
}

/* The next term from text on, which ends at the first plus before which there is a file. */
static fb_status term(inputs *in, fb_choice *c, const char **text, int *there, fb_err *e)
{
    const char *end = *text;
    *there = 0;
    if (!*end)
        return FB_OK;
    do {
        end += strcspn(end + 1, "+") + 1;
        FB_PASS(choice(in, c, *text, end, there, e));
    } while (!*there && *end);
    if (*there)
        *text = end;
    return FB_OK;
}

/* 0.5*FILE */
static double factor(const char **text)
{
    const char *star = strchr(*text, '*');
    double f = 1;
    if (star && fb_scan_reals(*text, star, &f, 1) == 1)
        *text = star + 1;
    else
        f = 1;
    return f;
}

/* A, A+B, A+0.5*B: what is no file behind the first is a matrix of the file before. */
static fb_status choices(inputs *in, int role, fb_choice *c, fb_err *e)
{
    const char *all = c->text, *text = all;
    int there = 0;
    if (!all)
        return FB_OK;
    FB_PASS(term(in, c, &text, &there, e));
    if (!there) /* as it stands; opening it says what is wrong */
        FB_PASS(choice(in, c, all, all + strlen(all), &there, e));
    c->input = input_number(in, c->text);
    const char *before = c->text;
    c->text = all;
    while (there && *text == '+') {
        const char *start = ++text;
        fb_addend a = {.role = role, .factor = factor(&text)};
        FB_PASS(term(in, &a.c, &text, &there, e));
        if (!there) {
            const char *end = text + strcspn(text, "+");
            if (end == text)
                return fb_fail(e, FB_EUSAGE, "'%s': a file or a matrix is wanted behind the plus",
                               all);
            FB_PASS(choice(in, &a.c, text, end, &there, e));
            a.c.name = a.c.text;
            a.c.text = before;
            there = 1;
            text = end;
        }
        before = a.c.text;
        a.c.input = input_number(in, a.c.text);
        a.c.text = start;
        in->more[how.nmore++] = a;
    }
    how.more = in->more;
    return FB_OK;
}

/* FILE[:NAME]:LOAD. The load is behind the first colon from which on the text says one. */
static fb_status loaded(inputs *in, const char *text, fb_loaded *l, fb_err *e)
{
    const char *cut = text, *at = NULL;
    fb_err why = {0}, last = {0};
    fb_status s = FB_EUSAGE;
    int there = 0, force = 0;
    while (s && (cut = strchr(cut, ':')) != NULL) {
        at = cut++;
        s = fb_geoload_parse(cut, &l->load, &l->unit, &last);
        why = force ? why : last; /* behind f: there is no load that tells more */
        force = force || !strncmp(cut, "f:", 2);
    }
    if (!at || at == text)
        return fb_fail(e, FB_EUSAGE, "--geometric %s: FILE[:NAME]:LOAD=VALUE is wanted", text);
    if (s)
        return fb_fail(e, s, "--geometric %s: %s", text, why.msg);
    FB_PASS(choice(in, &l->c, text, at, &there, e));
    l->c.input = input_number(in, l->c.text);
    l->c.text = text;
    return FB_OK;
}

static fb_status all_loaded(inputs *in, fb_err *e)
{
    if (geometric.n > FB_LOADS)
        return fb_fail(e, FB_EUSAGE, "--geometric: %d loads at the most, not %d", FB_LOADS,
                       geometric.n);
    FB_PASS(fb_new(&in->loaded, geometric.n, sizeof *in->loaded, "loads", e));
    for (int k = 0; k < geometric.n; k++)
        FB_PASS(loaded(in, geometric.v[k], in->loaded + k, e));
    how.loaded = in->loaded;
    how.nloaded = geometric.n;
    return FB_OK;
}

/* At most so many file names: pluses, and tries at each. */
static int64_t most_terms(void)
{
    const char *const text[] = {how.stiffness.text, how.mass.text, how.damping.text,
                                how.structural.text, how.gyroscopic.text};
    int64_t n = 8 + geometric.n;
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        int64_t plus = 1;
        for (const char *p = text[k]; p && *p; p++)
            plus += *p == '+';
        n += 2 * plus * plus + 2;
    }
    return n;
}

typedef struct { /* of --info and moves: a stream instead of parts */
    int there;
    fb_stream st;
    fb_model b;
    fb_history h;
} shown;

static int moved(void)
{
    return mirror || rotate.n || translate;
}

/* What cannot be moved: the datasets of a newer version may depend on place, and those that link
 * records keep for one simulator do. */
static fb_status movable(const shown *to, fb_err *e)
{
    double version[2] = {0, 0};
    FB_PASS(fb_h5_get_real(to->st.h5, "/", "format_version", version, 2, e));
    if (version[1] > FB_FORMAT_MINOR)
        return fb_fail(e, FB_EFORMAT,
                       "%s has version %g.%g, which may hold what this program (%d.%d) does not "
                       "know how to move or convert",
                       to->st.name, version[0], version[1], FB_FORMAT_MAJOR, FB_FORMAT_MINOR);
    if (!strcmp(to->b.stage, "linkexport"))
        return fb_fail(e, FB_EUSAGE,
                       "%s is a link record: move or convert the stream that linkexport read",
                       to->st.name);
    return FB_OK;
}

static fb_status read_stream(const fb_input *in, const char *path, shown *to, fb_err *e)
{
    fb_status s = FB_OK;
    FB_TRY(in->mapped ? fb_stream_open(&to->st, path, e) : fb_stream_open_input(&to->st, in, e));
    FB_TRY(fb_model_read(&to->st, &to->b, NULL, e));
    FB_TRY(fb_history_read(&to->st, &to->h, e));
    if (moved() || (units && !info && !check))
        FB_TRY(movable(to, e));
    to->there = 1;
out:
    return s;
}

/* FILE:NAME, where there is no file of that name but FILE: the colon becomes the end, the part is
 * what stands behind. */
static const char *part_of(char *path)
{
    char *colon = access(path, F_OK) ? strrchr(path, ':') : NULL;
    if (!colon || colon == path || !colon[1])
        return NULL;
    *colon = 0;
    if (!access(path, F_OK))
        return colon + 1;
    *colon = ':';
    return NULL;
}

static fb_status read_one(const char *path, int number, fb_parts *p, shown *stream, fb_log *log,
                          fb_err *e)
{
    fb_input in = {0};
    const fb_reader *rd = NULL;
    int64_t before = p->nmatrix;
    fb_status s = fb_input_open(&in, path, e);
    if (s)
        return s;
    FB_TRY(fb_parts_given(p, in.name, e));
    int table = (nodes && !strcmp(path, nodes)) || (dof_table && !strcmp(path, dof_table));
    s = fb_reader_find(&in, table ? NULL : format, &rd,
                       e); /* --format is about the body or its matrices */
    if (s == FB_EFORMAT && table &&
        !memchr(in.data, 0, in.size)) /* whose reader says which line is wrong */
        s = fb_reader_find(&in, "table", &rd, e);
    if (s == FB_EFORMAT && stream && !format && fb_is_hdf5(in.data, in.size)) {
        s = read_stream(&in, path, stream, e);
        goto out;
    }
    if (!s) {
        fb_note(log, "%s: %s, %zu bytes", in.name, rd->doc, in.size);
        s = rd->read(&in, p, log, e);
        s = s ? s : fb_parts_own_units(p, &in, e);
        if (!s)
            fb_warn_cut(&in, log);
    }
    if (s)
        fb_context(e, "%s", in.name);
    if (!s && p->nmatrix > before && (!p->body.format[0] || p->modes_yield))
        snprintf(p->body.format, sizeof p->body.format, "%s", rd->name);
    for (int64_t k = before; k < p->nmatrix; k++)
        p->matrix[k].input = number;
out:
    fb_input_close(&in);
    return s;
}

static fb_status read_part(const char *path, int number, fb_parts *p, shown *stream, fb_log *log,
                           fb_err *e)
{
    char *own = NULL;
    FB_PASS(fb_copy(&own, path, (int64_t)strlen(path) + 1, 1, "file name", e));
    p->part = part_of(own);
    fb_status s = read_one(own, number, p, stream, log, e);
    if (!s && p->part)
        s = fb_fail(
            e, FB_EUSAGE,
            "%s has no parts to choose '%s' from: superelements of Nastran decks are chosen "
            "so; matrices by --stiffness, --mass, ...",
            own, p->part);
    p->part = NULL;
    free(own);
    return s;
}

/* Mirror, turns, translation, in the input's unit of length. */
static fb_status named_move(fb_move *m, fb_err *e)
{
    *m = fb_move_none();
    if (mirror)
        FB_PASS(fb_move_mirror(m, "--mirror", mirror, e));
    for (int k = 0; k < rotate.n; k++)
        FB_PASS(fb_move_rotate(m, "--rotate", rotate.v[k], e));
    return translate ? fb_move_translate(m, "--translate", translate, e) : FB_OK;
}

static fb_status move(fb_model *b, fb_err *e)
{
    fb_move m;
    if (!moved())
        return FB_OK;
    FB_PASS(named_move(&m, e));
    return fb_model_move(b, &m, e);
}

/* Texts that no file is wanted to judge are refused before one is read. */
static fb_status check_texts(fb_err *e)
{
    fb_units u;
    fb_move m;
    if (units)
        FB_PASS(fb_units_system(&u, units, e));
    if (input_units)
        FB_PASS(fb_units_system(&u, input_units, e));
    return named_move(&m, e);
}

/* Before columns of other files are read, which come in units of their own. */
static fb_status name_units(fb_model *b, fb_err *e)
{
    return input_units ? fb_model_name_units(b, input_units, e) : FB_OK;
}

static fb_status convert(fb_model *b, fb_err *e)
{
    fb_units to;
    if (!units)
        return FB_OK;
    FB_PASS(fb_units_system(&to, units, e));
    return fb_model_convert(b, &to, e);
}

static void inputs_free(inputs *in)
{
    for (int k = 0; k < in->ncut; k++)
        free(in->cut[k]);
    FB_FREE(in->path, in->cut, in->more, in->loaded);
}

/* An option that takes a stream, too. */
static int of_streams(void)
{
    return info || check || moved() || units || input_units || basis || stress.n || loads.n;
}

static fb_status read_all(fb_run *r, inputs *in, fb_parts *p, shown *stream, fb_err *e)
{
    int piped = r->nfile == 1 && !strcmp(r->file[0], "-");
    int options = how.stiffness.text || how.mass.text || how.damping.text || how.structural.text ||
                  how.gyroscopic.text || geometric.n;
    fb_status s = FB_OK;
    const int64_t most = most_terms();
    FB_TRY(fb_new(&in->path, r->nfile + most, sizeof *in->path, "file names", e));
    FB_TRY(fb_new(&in->cut, most, sizeof *in->cut, "file names", e));
    FB_TRY(fb_new(&in->more, most, sizeof *in->more, "terms", e));
    for (int k = 0; k < r->nfile && !(piped && options);
         k++) /* files named by options need no other */
        (void)input_number(in, r->file[k]);
    FB_TRY(choices(in, 0, &how.stiffness, e));
    FB_TRY(choices(in, 1, &how.mass, e));
    FB_TRY(choices(in, 2, &how.damping, e));
    FB_TRY(choices(in, 3, &how.structural, e));
    FB_TRY(choices(in, 4, &how.gyroscopic, e));
    FB_TRY(all_loaded(in, e));
    if (nodes)
        (void)input_number(in, nodes);
    if (dof_table)
        (void)input_number(in, dof_table);
    p->include_outside = include_outside;
    p->how = how;
    if (input_units)
        FB_TRY(fb_units_system(&p->input_units, input_units, e));
    for (int k = 0; k < in->n; k++)
        FB_TRY(read_part(in->path[k], k + 1, p, of_streams() && in->n == 1 ? stream : NULL, &r->log,
                         e));
out:
    return s;
}

/* Shapes along the nodes' axes become basic, as the matrices did. p: parts of their file, of: parts
 * of the model; NULL: of a stream, along whose axes they are. */
static fb_status turned(const fb_parts *of, const fb_parts *p, const fb_model *b, fb_basis *t,
                        fb_err *e)
{
    const int64_t made = how.rigid.n + how.average.n; /* nodes, which stand last */
    if (t->what == FB_COLUMN_LOAD || !t->along_axes)
        return FB_OK;
    if (of)
        return fb_basis_turn(t, of->frame, b->nn - made, b, e);
    for (int64_t k = 0; p->frame && k < p->nn; k++)
        if (!fb_frame_is_basic(p->frame + 9 * k))
            return fb_fail(e, FB_EFORMAT,
                           "%s: its shapes are along the points' axes (CD), those of a stream are "
                           "basic: name it where the matrices become the stream",
                           t->name);
    return FB_OK;
}

/* Forces name them. */
static fb_status sets_of(const fb_model *b, fb_parts *p, fb_err *e)
{
    for (int64_t k = 0; k < b->nset; k++) {
        fb_set *t = NULL;
        FB_PASS(fb_parts_set(p, b->set_name[k], &t, e));
        FB_PASS(fb_copy(&t->node, b->set_node + b->set_offset[k],
                        b->set_offset[k + 1] - b->set_offset[k], sizeof *t->node, "set", e));
        t->n = b->set_offset[k + 1] - b->set_offset[k];
    }
    return FB_OK;
}

/* The columns that a file beside the model holds: a stream's, or what a reader makes of it. */
static fb_status read_columns(fb_run *r, const char *text, const fb_parts *of_model,
                              const fb_model *b, fb_basis *t, fb_err *e)
{
    inputs of = {0};
    fb_choice c = {0};
    int there = 0;
    fb_parts p = {0};
    fb_input in = {0};
    const fb_reader *rd = NULL;
    fb_err none = {0};
    fb_status s = FB_OK;
    format = NULL; /* which is that of the inputs */
    FB_TRY(fb_new(&of.cut, 1, sizeof *of.cut, "file names", e));
    FB_TRY(choice(&of, &c, text, text + strlen(text), &there, e));
    snprintf(t->name, sizeof t->name, "%.255s", c.text);
    FB_TRY(fb_input_open(&in, there ? c.text : text, e));
    if (fb_is_hdf5(in.data, in.size) && fb_reader_find(&in, NULL, &rd, &none)) {
        if (c.name)
            FB_TRY(fb_fail(e, FB_EUSAGE, "%s is a stream, of which all is taken: leave out :%s",
                           t->name, c.name));
        FB_TRY(fb_basis_of_stream(&in, b, t, e));
    } else {
        for (int64_t k = 0; k < b->nn && b->xyz; k++)
            FB_TRY(fb_parts_node(&p, b->node_id[k], b->xyz + 3 * k, NULL, e));
        p.columns = c.name ? 2 : 1;
        if (t->what == FB_COLUMN_LOAD)
            FB_TRY(sets_of(b, &p, e));
        FB_TRY(read_one(c.text, 1, &p, NULL, &r->log, e));
        FB_TRY(fb_basis_of_parts(&p, c.name, b, t, e));
        s = turned(of_model, &p, b, t, e);
    }
out:
    inputs_free(&of);
    fb_parts_free(&p);
    fb_input_close(&in);
    return s;
}

/* Matrices of one file, which their names choose. */
static fb_status read_stress_table(fb_run *r, const fb_stress_names *n, const fb_parts *of_model,
                                   fb_model *b, fb_err *e)
{
    fb_basis shapes = {.what = FB_COLUMN_SHAPE}, s6 = {.what = FB_COLUMN_STRESS};
    fb_parts p = {.columns = 2};
    fb_status s = FB_OK;
    snprintf(shapes.name, sizeof shapes.name, "%.255s", fb_base_name(n->file));
    memcpy(s6.name, shapes.name, sizeof s6.name);
    FB_TRY(fb_stress_beside(b, e));
    FB_TRY(read_one(n->file, 1, &p, NULL, &r->log, e));
    FB_TRY(fb_basis_of_parts(&p, n->shapes, b, &shapes, e));
    FB_TRY(fb_basis_of_parts(&p, n->stress, b, &s6, e));
    FB_TRY(turned(of_model, &p, b, &shapes, e));
    s = fb_stress_table(&shapes, &s6, n->list, b, &r->log, e);
out:
    FB_FREE_BY(fb_basis_free, &shapes, &s6);
    fb_parts_free(&p);
    return s;
}

static fb_status read_one_stress(fb_run *r, const char *text, const fb_parts *of_model, fb_model *b,
                                 fb_err *e)
{
    fb_parts p = {.stressed = 1};
    fb_stress_names n;
    fb_status s = FB_OK;
    FB_PASS(fb_stress_split(&n, text, e));
    if (n.file) {
        s = read_stress_table(r, &n, of_model, b, e);
        goto out;
    }
    FB_TRY(read_one(text, 1, &p, NULL, &r->log, e));
    s = fb_result_join(&p, fb_base_name(text), b, &r->log, e);
out:
    fb_parts_free(&p);
    free(n.file);
    return s;
}

/* --stress: shapes with their stress go beside the model, which was made of p (NULL: of a stream);
 * what is reduced already gets its own. */
static fb_status read_stress(fb_run *r, const fb_parts *p, fb_model *b, fb_err *e)
{
    format = stress.n ? NULL : format; /* which is that of the inputs */
    for (int k = 0; k < stress.n; k++)
        FB_PASS(read_one_stress(r, stress.v[k], p, b, e));
    return stress.n && b->T ? fb_stress_fit(b, fb_stress_most, &r->log, e) : FB_OK;
}

/* --basis */
static fb_status read_basis(fb_run *r, const fb_parts *p, fb_model *b, fb_err *e)
{
    fb_basis t = {0};
    if (!basis)
        return FB_OK;
    fb_status s = read_columns(r, basis, p, b, &t, e);
    s = s ? s : fb_basis_join(&t, b, &r->log, e);
    fb_basis_free(&t);
    return s;
}

/* NAME=: what stands before the first '=' where no file is called so; a slash is a folder's. */
static fb_status load_name(const char **text, char name[FB_NAME], fb_err *e)
{
    const size_t n = strcspn(*text, "=");
    name[0] = 0;
    if (!n || !(*text)[n] || !access(*text, F_OK))
        return FB_OK;
    if (memchr(*text, '/', n))
        return access(*text + n + 1, F_OK)
                   ? FB_OK
                   : fb_fail(e, FB_EUSAGE,
                             "--load %s: no such file, and the name of a load has no '/'", *text);
    if (n > FB_LOAD_NAME)
        return fb_fail(e, FB_EUSAGE, "--load %s: a name of %zu bytes, %d are the most", *text, n,
                       FB_LOAD_NAME);
    memcpy(name, *text, n);
    name[n] = 0;
    *text += n + 1;
    return FB_OK;
}

/* A name that the user gives says one load, or the columns of one file: NAME#1, NAME#2, ... */
static fb_status name_is_new(const fb_model *b, const char *name, fb_err *e)
{
    const size_t n = strlen(name);
    for (int64_t k = 0; n && k < b->nvector; k++)
        if (!strncasecmp(b->vector_name[k], name, n) && strchr("#", b->vector_name[k][n]))
            return fb_fail(e, FB_EUSAGE, "--load %s=...: a load is called %s already", name,
                           b->vector_name[k]);
    return FB_OK;
}

/* --load, in the units of the input; p: what the model was made of, NULL: of a stream. */
static fb_status read_loads(fb_run *r, const fb_parts *p, fb_model *b, fb_err *e)
{
    if (loads.n && b->load && !b->vector && b->nload && b->load_dof && b->load_dof[0] < 0)
        return fb_fail(
            e, FB_EUSAGE,
            "--load: the body has load vectors by coordinates alone, as link records do, "
            "and would lose them: add loads to the stream that linkexport read");
    for (int k = 0; k < loads.n; k++) {
        char name[FB_NAME];
        fb_basis t = {.what = FB_COLUMN_LOAD};
        int field = 0;
        const char *text = loads.v[k];
        FB_PASS(load_name(&text, name, e));
        FB_PASS(name_is_new(b, name, e));
        FB_PASS(fb_loads_field(text, name, b, &field, &r->log, e));
        fb_status s = field ? FB_OK : read_columns(r, text, p, b, &t, e);
        s = s || field ? s : fb_loads_join(&t, p, name, b, &r->log, e);
        fb_basis_free(&t);
        if (s)
            return s;
    }
    const double *T = b->T ? b->T : b->nr == b->nm ? b->shape : NULL;
    int64_t *attached = NULL, n = 0;
    if (!loads.n || !T || !b->Kr)
        return FB_OK;
    fb_status s = fb_model_attached(b, &attached, &n, e);
    s = s ? s : fb_model_loads(b, T, attached, n, e);
    free(attached);
    return s;
}

static fb_status print_page(fb_run *r, const fb_model *b, const fb_history *h, fb_err *e)
{
    fb_buf page = {0};
    int no = 0;
    fb_status s =
        check ? fb_component_page(b, &page, &no, e) : fb_info_page(b, h, &r->log, &page, e);
    if (!s)
        s = fb_publish_bytes(r, &page, e);
    if (!s && no)
        s = fb_fail(e, FB_NO, "%d checks of the component modes say no", no);
    fb_buf_free(&page);
    return s;
}

/* An option that says how matrices become a model; NULL: none is given. */
static const char *of_matrices(void)
{
    const struct {
        const char *name;
        int given;
    } all[] = {{"dofs-per-node", how.dofs_per_node > 0},
               {"interface", how.interface != NULL},
               {"rigid", how.rigid.n > 0},
               {"average", how.average.n > 0},
               {"far-frames", how.far_frames},
               {"force-symmetric", how.force_symmetric},
               {"geometric", geometric.n > 0},
               {"unsymmetric", how.unsymmetric},
               {"include-outside", include_outside}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].given)
            return all[k].name;
    return NULL;
}

/* A stream of these programs: its page, or itself moved. */
static fb_status again(fb_run *r, shown *of, fb_err *e)
{
    const char *option = of_matrices();
    if (option)
        return fb_fail(e, FB_EUSAGE,
                       "--%s is about the files that a model is made of, and %s is a stream, made "
                       "already: name those files%s",
                       option, of->st.name,
                       how.interface ? ", or give the boundary by reduce --interface" : "");
    FB_PASS(name_units(&of->b, e));
    FB_PASS(read_basis(r, NULL, &of->b, e));
    FB_PASS(read_stress(r, NULL, &of->b, e));
    FB_PASS(read_loads(r, NULL, &of->b, e));
    FB_PASS(move(&of->b, e));
    FB_PASS(convert(&of->b, e));
    if (info || check)
        return print_page(r, &of->b, &of->h, e);
    return fb_publish(r, &of->st, &of->b, NULL, fb_schema_groups(), e);
}

static fb_status run(fb_run *r, fb_err *e)
{
    fb_parts p = {0};
    fb_model b = {0};
    shown stream = {.st = FB_STREAM_NONE};
    inputs in = {0};
    fb_status s = FB_OK;
    if (info && check)
        FB_TRY(fb_fail(e, FB_EUSAGE, "--info and --check print a page each: give one of them"));
    FB_TRY(check_texts(e));
    FB_TRY(read_all(r, &in, &p, &stream, e));
    if (stream.there) {
        s = again(r, &stream, e);
        goto out;
    }
    FB_TRY(fb_parts_assemble(&p, &b, &r->log, e));
    FB_TRY(name_units(&b, e));
    FB_TRY(read_basis(r, &p, &b, e));
    FB_TRY(read_stress(r, &p, &b, e));
    FB_TRY(read_loads(r, &p, &b, e));
    FB_TRY(move(&b, e));
    FB_TRY(convert(&b, e));
    FB_TRY(fb_density_check(&b, &r->log, e));
    fb_model_plain_texts(&b);
    snprintf(b.stage, sizeof b.stage, "mnfparse");
    fb_note(&r->log, "%lld nodes, %lld dofs, %lld modes, %lld interface dofs, %lld connectors",
            (long long)b.nn, (long long)b.ndof, (long long)b.nm, (long long)b.nb, (long long)b.nc);
    s = info || check ? print_page(r, &b, NULL, e) : fb_publish(r, NULL, &b, NULL, NULL, e);
out:
    FB_FREE_BY(fb_model_free, &b, &stream.b);
    fb_stream_abandon(&stream.st);
    free(stream.h.lines);
    fb_parts_free(&p);
    inputs_free(&in);
    return s;
}

static fb_words words[] = {
    {"format", NULL}, {"units", NULL}, {"input-units", NULL}, {"mirror", "x y z"}, {0}};

static const fb_tool tool = {.name = "mnfparse",
                             .summary = "read a flexible body, write a flexbody stream",
                             .words = words,
                             .usage = "mnfparse [OPTION]... FILE...",
                             .example = "mnfparse beam.mnf -o body.h5 && mnfparse --info body.h5",
                             .opts = opts,
                             .max_files = 64,
                             .names_inputs = 1,
                             .data_out = data_out,
                             .run = run};

/* --help names every format of the table. */
int main(int argc, char **argv)
{
    fb_buf help = {0}, names = {0};
    fb_err e;
    fb_put_text(&help, "read the inputs as NAME instead of finding the format from their bytes: ");
    fb_reader_names(&help, ", ");
    fb_reader_names(&names, " ");
    if (!fb_buf_status(&help, &e) && !fb_buf_status(&names, &e)) {
        opts[0].help = (const char *)help.data;
        words[0].words = (const char *)names.data;
    }
    words[1].words = words[2].words = fb_units_names();
    int code = fb_main(&tool, argc, argv);
    FB_FREE_BY(fb_buf_free, &help, &names);
    return code;
}

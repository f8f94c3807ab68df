/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linkexport - write a flexible body in a form that simulators load. */
#include "cli.h"
#include "body.h"
#include "dofset.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "writer.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *to = "link", *frame = "origin", *connectors, *units;
static int renumber, self_test;
static fb_export ask;
static char formats[400];

static const fb_opt all[] = {
    {"to", 0, FB_TEXT, &to, "FORMAT", 0, 0, formats},
    {"dialect", 0, FB_TEXT, &ask.dialect, "NAME", 0, 0,
     "variant of the format; see the format's section in the manual page"},
    {"units", 0, FB_TEXT, &units, "SYSTEM", 0, 0,
     "convert everything to this system of units: SI, mm-t-s, mm-kg-ms, in-lbf-s, ..."},
    {"frame", 0, FB_TEXT, &frame, "WHERE[,axes:HOW]", 0, 0,
     "move the origin of the body's axes: origin (stay), com, node:N, by number or name; with "
     ",axes:HOW they turn, "
     "too: principal, nodes:P,Q (x through P, y towards Q), z:30 or another turn as mnfparse "
     "--rotate has it"},
    {"connectors", 0, FB_TEXT, &connectors, "LIST", 0, 0,
     "nodes where the body is joined to others, instead of its own choice: " FB_DOFSET_FORMS},
    {"self-test", 0, FB_FLAG, &self_test, NULL, 0, 0,
     "write beside -o FILE, as FILE.test.ENDING, the smallest model of the target that loads it, "
     "with a "
     "unit force, and the displacement and first frequency to be seen"},
    {"renumber", 0, FB_FLAG, &renumber, NULL, 0, 0,
     "give the connectors the node numbers 1, 2, ..., all others the next ones; -v says which"},
};

enum { NALL = sizeof all / sizeof *all, NOWN = 16, NOPT = NALL + NOWN + 1 };
static fb_opt opts[NOPT]; /* those of all formats, then those of some */

/* What people call the targets elsewhere. */
static const fb_meant meant[] = {{"fem", "--to mbdyn"},
                                 {"mbsim", "--to link --mbsim"},
                                 {"hdf5", "--to link"},
                                 {"h5", "--to link"},
                                 {"nastran", "--to dmig"},
                                 {"pch", "--to dmig"},
                                 {"matlab", "--to mat"},
                                 {"mathworks", "--to simscape"},
                                 {"simulink", "--to simscape"},
                                 {"adams", "--to mnf"},
                                 {"simpack", "--to sid"},
                                 {"sid_fem", "--to sid"},
                                 {"morembs", "--to sid --dialect morembs"},
                                 {"matflex", "--to sid --dialect morembs"},
                                 {"embslib", "--to sid"},
                                 {"mo", "--to modelica"},
                                 {"fmu", "--to modelica (a Modelica tool makes the FMU)"},
                                 {"calculix", "--to abaqus --dialect calculix"},
                                 {"inp", "--to abaqus"},
                                 {"mtx", "--to mm"},
                                 {"matrixmarket", "--to mm"},
                                 {"browser", "--to html"},
                                 {"page", "--to html"},
                                 {"web", "--to html"},
                                 {"three", "--to html"},
                                 {"paraview", "--to vtu"},
                                 {"vtk", "--to vtu"},
                                 {"gltf", "--to glb"},
                                 {"blender", "--to glb"},
                                 {"txt", "--to text"},
                                 {"optistruct", "--to dmig"},
                                 {"openradioss", "--to dmig --dialect openradioss"},
                                 {"chrono", "--to mm"},
                                 {"extptfm", "--to openfast"},
                                 {"flex5", "--to openfast"},
                                 {"pymor", "--to mm"},
                                 {"python", "--to mm"},
                                 {0}};

static const fb_writer *find(void)
{
    for (const fb_writer *const *w = fb_writers; *w; w++)
        if (!strcmp((*w)->name, to))
            return *w;
    return NULL;
}

static int data_out(void)
{
    const fb_writer *w = find();
    return w && w->binary;
}

static void list(char *out, size_t n)
{
    for (const fb_writer *const *w = fb_writers; *w; w++) {
        size_t at = strlen(out);
        snprintf(out + at, n - at, "%s%s", at ? ", " : "", (*w)->name);
    }
}

static fb_status unknown(fb_err *e)
{
    const char *write = fb_meaning(meant, to);
    char known[256] = "";
    fb_guess g = {0};
    list(known, sizeof known);
    for (const fb_writer *const *w = fb_writers; *w; w++)
        fb_nearest(to, (*w)->name, &g);
    if (write)
        return fb_fail(e, FB_EUSAGE, "unknown --to '%s': write %s", to, write);
    return fb_unknown_word("--to", to, &g, known, e);
}

/* The dialect asked for, or the writer's first. */
static fb_status dialect(const fb_writer *w, const fb_dialect **out, fb_err *e)
{
    char known[256] = "";
    *out = w->dialects;
    if (!ask.dialect)
        return FB_OK;
    for (const fb_dialect *d = w->dialects; d && d->name; d++) {
        size_t at = strlen(known);
        if (!strcmp(d->name, ask.dialect)) {
            *out = d;
            return FB_OK;
        }
        snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", d->name);
    }
    if (!w->dialects)
        return fb_fail(e, FB_EUSAGE, "--to %s has no --dialect", to);
    return fb_fail(e, FB_EUSAGE, "unknown --dialect '%s' of --to %s; known are %s", ask.dialect, to,
                   known);
}

/* The first option given that the format chosen has not is refused with all formats that have
 * it. */
static fb_status check_options(const fb_writer *w, fb_err *e)
{
    const char *name = NULL;
    char owners[256] = "";
    for (const fb_writer *const *other = fb_writers; *other; other++) {
        const char *stray = fb_own_stray((*other)->options, w->options, &ask);
        const size_t at = strlen(owners);
        name = name ? name : stray;
        if (stray && !strcmp(stray, name))
            snprintf(owners + at, sizeof owners - at, "%s%s", at ? ", " : "", (*other)->name);
    }
    return name ? fb_fail(e, FB_EUSAGE, "--%s belongs to --to %s", name, owners) : FB_OK;
}

static fb_status convey(fb_run *r, fb_stream *in, fb_model *b, const fb_writer *w,
                        const fb_dialect *d, fb_err *e)
{
    fb_stream spool = FB_STREAM_NONE;
    fb_buf out = {.little = 1};
    fb_files files = {0};
    fb_status s = FB_OK;
    if (w->publish) {
        snprintf(b->stage, sizeof b->stage, "linkexport");
        s = w->publish(r, in, b, &ask, e);
    } else if (d && d->several) {
        FB_TRY(fb_files_open(r, &files, e));
        FB_TRY(w->files(b, &ask, &files, &r->log, e));
        s = fb_publish_files(r, &files, e);
    } else {
        FB_TRY(fb_spool_open(r, &spool, &out, e));
        FB_TRY(w->write(b, &ask, &out, &r->log, e));
        s = fb_spool_commit(r, &spool, &out, e);
    }
out:
    fb_stream_abandon(&spool);
    fb_buf_free(&out);
    fb_files_free(&files);
    return s;
}

/* A generalized mass of zeros: no simulator can move such a body; a page of text may be what finds
 * out why. */
static fb_status need_mass(const fb_model *b, const fb_writer *w, const char *file, fb_log *log,
                           fb_err *e)
{
    static const char says[] =
        "/reduced/M is zero: a body without mass moves in no simulator; reduce it again";
    const fb_mat M = {b->nr, b->nr, b->Mr};
    if (!b->Mr || b->nr == 0 || fb_mat_max(&M) > 0)
        return FB_OK;
    if (!w->weightless)
        return fb_fail(e, FB_EFORMAT, "%s: %s", file, says);
    fb_warn(log, "%s", says);
    return FB_OK;
}

/* What this target cannot say of damping. */
static void tell_lost(const fb_model *b, const fb_writer *w, fb_log *log)
{
    if ((b->N.p || b->Nr) && ((!w->whole && !w->keeps) || ask.mbsim))
        fb_warn(log, "--to %s holds symmetric stiffness alone: the skew part is left out", w->name);
    if ((b->Kgr || b->Kg.p) && ((!w->geometric && (w->whole || !w->keeps)) || ask.mbsim))
        fb_warn(log, "--to %s holds no geometric stiffness: it is left out",
                ask.mbsim ? "link --mbsim" : w->name);
    if (!w->loads && b->load && b->nload)
        fb_warn(log, "--to %s has no place for load vectors: %lld are left out", w->name,
                (long long)b->nload);
    if (w->keeps && !ask.mbsim)
        return;
    if (b->S.p || b->Sr)
        fb_warn(log,
                "--to %s holds no structural damping: it is left out (reduce "
                "--structural-as-viscous makes it viscous)",
                w->name);
    if (b->gyroscopic.p || b->Gr)
        fb_warn(log, "--to %s holds no gyroscopic matrix: it is left out", w->name);
}

/* Who reads the file takes units for consistent, or knows none. */
static void tell_units(const fb_model *b, const fb_writer *w, fb_log *log)
{
    const double force = fb_units_force(&b->units);
    if (w->test && !w->any_units && fabs(force - 1) > 1e-9)
        fb_warn(log,
                "the units %s are not consistent: stiffness and forces of --to %s are in %s, of "
                "which %s is %g; --units mm-t-s, SI or another system converts",
                fb_units_list(&b->units).s, w->name, fb_units_force_name(&b->units).s,
                b->units.name[FB_FORCE], force);
}

/* K := K + N where K is written whole. */
static fb_status make_whole(fb_model *b, const fb_writer *w, fb_err *e)
{
    const int64_t n = b->nr;
    fb_csc K = {0}, Kt = {0}, low = {0};
    fb_status s = FB_OK;
    if (!w->whole)
        return FB_OK;
    if (b->Nr && b->Kr)
        fb_axpy(1, b->Nr, b->Kr, n * n);
    if (!b->N.p || !b->K.upper)
        return FB_OK;
    b->K.upper = 0; /* the upper half as it stands, then its mirror without the diagonal */
    FB_TRY(fb_csc_transposed(&b->K, &Kt, e));
    for (int64_t j = 0; j < Kt.n; j++)
        for (int64_t q = Kt.p[j]; q < Kt.p[j + 1]; q++)
            Kt.x[q] = Kt.i[q] == j ? 0 : Kt.x[q];
    FB_TRY(fb_csc_add(&b->K, 1, &Kt, &low, e));
    FB_TRY(fb_csc_add(&low, 1, &b->N, &K, e));
    fb_csc_free(&b->K);
    b->K = K;
out:
    FB_FREE_BY(fb_csc_free, &Kt, &low);
    return s;
}

/* The name of the file without its folder. */
static const char *own_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Can decks and scripts name it? */
static int fit_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (strchr("\"'\\", *c) || (unsigned char)*c < ' ')
            return 0;
    return *name != 0;
}

/* What --self-test writes, before anything is written; empty: it is not asked for. */
static fb_status make_test(const fb_run *r, const fb_model *b, const fb_writer *w, fb_buf *o,
                           fb_err *e)
{
    if (!self_test)
        return FB_OK;
    if (!w->test)
        return fb_fail(e, FB_EUSAGE,
                       "--self-test: --to %s shows a body, and holds no matrices to be tested",
                       w->name);
    if (!r->out || !strcmp(r->out, "-") || !fit_name(own_name(r->out)))
        return fb_fail(e, FB_EUSAGE,
                       "--self-test writes a model that loads the file by its name: give it one by "
                       "-o FILE, without quotes, backslashes and a slash at its end");
    FB_PASS(w->test(b, &ask, own_name(r->out), o, e));
    return fb_buf_status(o, e);
}

static fb_status put_test(fb_run *r, const fb_writer *w, const fb_buf *o, fb_err *e)
{
    fb_buf name = {0};
    if (!o->size)
        return FB_OK;
    fb_put_text(&name, "%s.test.%s", r->out, w->test_ending);
    fb_put_bytes(&name, "", 1);
    fb_status s = fb_buf_status(&name, e);
    if (!s)
        s = fb_publish_many(r, &(fb_output){.path = (const char *)name.data, .bytes = o}, 1, e);
    fb_buf_free(&name);
    return s;
}

static fb_status run(fb_run *r, fb_err *e)
{
    const fb_writer *w = find();
    const fb_dialect *d = NULL;
    fb_stream in = FB_STREAM_NONE;
    fb_model b = {0};
    fb_units wanted;
    fb_buf test = {0};
    fb_status s = FB_OK;
    if (!w)
        return unknown(e);
    FB_TRY(check_options(w, e));
    FB_TRY(dialect(w, &d, e));
    ask.dialect = d ? d->name : NULL;
    if (units) /* before anything is read */
        FB_TRY(fb_units_system(&wanted, units, e));
    FB_TRY(fb_stream_open(&in, r->file[0], e));
    FB_TRY(fb_model_read(&in, &b, NULL, e));
    FB_TRY(need_mass(&b, w, in.name, &r->log, e));
    tell_lost(&b, w, &r->log);
    if (units)
        FB_TRY(fb_model_convert(&b, &wanted, e));
    tell_units(&b, w, &r->log);
    ask.connectors = connectors != NULL;
    if (connectors)
        FB_TRY(fb_pick_connectors(&b, connectors, &r->log, e));
    FB_TRY(fb_frame_move(&b, frame, e));
    if (renumber)
        FB_TRY(fb_renumber(&b, &r->log, e));
    FB_TRY(make_test(r, &b, w, &test, e));
    FB_TRY(make_whole(&b, w, e));
    FB_TRY(convey(r, &in, &b, w, d, e));
    s = put_test(r, w, &test, e);
out:
    fb_buf_free(&test);
    fb_model_free(&b);
    fb_stream_abandon(&in);
    return s;
}

/* The words of --to; the dialects of each, and of all. */
static fb_words words[FB_NWRITER + NOWN + 6];
static char names[FB_NWRITER][64], listed[FB_NWRITER][128], every[400], targets[400];

static void add(char *to_text, size_t n, const char *word)
{
    size_t at = strlen(to_text);
    snprintf(to_text + at, n - at, "%s%s", at ? " " : "", word);
}

static void fill_words(void)
{
    int n = 0;
    for (int k = 0; k < FB_NWRITER; k++) {
        const fb_writer *w = fb_writers[k];
        add(targets, sizeof targets, w->name);
        for (const fb_dialect *d = w->dialects; d && d->name; d++) {
            add(listed[k], sizeof listed[k], d->name);
            add(every, sizeof every, d->name);
        }
        if (w->dialects) {
            snprintf(names[k], sizeof names[k], "dialect@%s", w->name);
            words[n++] = (fb_words){names[k], listed[k]};
        }
        for (const fb_own *o = w->options; o && o->name; o++)
            if (o->words)
                words[n++] = (fb_words){o->name, o->words};
    }
    words[n++] = (fb_words){"to", targets};
    words[n++] = (fb_words){"dialect", every};
    words[n++] = (fb_words){"frame", "origin com"};
    words[n++] = (fb_words){"units", fb_units_names()};
}

static const fb_tool tool = {
    .name = "linkexport",
    .summary = "write a flexible body in a form that simulators load",
    .words = words,
    .usage = "linkexport [OPTION]... [FILE]",
    .example =
        "mnfparse beam.mnf | reduce --cb 18 | invariants | linkexport --to html -o body.html",
    .opts = opts,
    .max_files = 1,
    .data_out = data_out,
    .run = run};

int main(int argc, char **argv)
{
    int n = NALL;
    memcpy(opts, all, sizeof all);
    for (int k = 0; k < FB_NWRITER; k++)
        n = fb_own_add(fb_writers[k]->options, &ask, opts, n, NOPT);
    fill_words();
    list(formats, sizeof formats);
    snprintf(formats + strlen(formats), sizeof formats - strlen(formats), "; default: %s", to);
    return fb_main(&tool, argc, argv);
}

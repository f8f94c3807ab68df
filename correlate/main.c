/* SPDX-License-Identifier: GPL-3.0-or-later */
/* correlate - the modes of a model against those of others: MAC, NCO, CO, pairs, pictures. */
#include "dofset.h"
#include "memory.h"
#include "correlate.h"
#include "response.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAXMODEL = 32, MAXPANEL = MAXMODEL * FB_NCRITERION };
enum { PAGE, CSV, JSON, SVG, HTML, DATASETS, NOUTPUT };

static int64_t n = -1;
static fb_correlate_opts want = {.partner = 0.1};
static fb_matching how;
static const char *mass, *svg, *csv, *json, *html, *h5;
static double min_diagonal = -1, max_off = -1;
static int panels;
static const char *frf, *frequencies;
static fb_frf_ask asked;
static double max_db = -1, min_frac = -1;

static const fb_opt opts[] = {
    {"modes", 'n', FB_INT, &n, "N", 1, 100000,
     "compare the N lowest modes of each file: one whose partner is above them has none (default: "
     "all; a full model takes the number of the others)"},
    {"mac", 0, FB_FLAG, &want.want[FB_MAC], NULL, 0, 0,
     "modal assurance criterion (default: all three)"},
    {"nco", 0, FB_FLAG, &want.want[FB_NCO], NULL, 0, 0,
     "normalised cross orthogonality, by the mass of the first model"},
    {"co", 0, FB_FLAG, &want.want[FB_CO], NULL, 0, 0,
     "cross orthogonality of mass-normalised modes"},
    {"as-published", 0, FB_FLAG, &want.as_published, NULL, 0, 0,
     "statistics as in Scalera's tables: rigid modes exact, means over n^2, modes in their order, "
     "no turning of repeated roots"},
    {"dofs", 0, FB_TEXT, &how.dofs, "LIST", 0, 0,
     "compare these dofs of the first model only: " FB_DOFSET_FORMS},
    {"nearest", 0, FB_REAL, &how.tolerance, "LENGTH", 0, 1e300,
     "match nodes by position within LENGTH instead of by number"},
    {"mass", 0, FB_FILE, &mass, "FILE", 0, 0,
     "weigh by the mass of this file instead of the first model's"},
    {"partner", 0, FB_REAL, &want.partner, "X", 0, 1,
     "modes whose NCO (without a mass: MAC) is below X are no pair; default 0.1"},
    {"min-diagonal", 0, FB_REAL, &min_diagonal, "X", 0, 1,
     "exit with status 1 where a pair's value is below X"},
    {"max-off", 0, FB_REAL, &max_off, "X", 0, 1,
     "exit with status 1 where a value beside the pairs is above X"},
    {"svg", 0, FB_OUTPUT, &svg, "FILE", 0, 0, "write heat maps, one panel per criterion and model"},
    {"panels", 0, FB_FLAG, &panels, NULL, 0, 0,
     "write each panel of --svg to a file of its own: NAME.svg becomes NAME-1-MAC.svg, ..."},
    {"csv", 0, FB_OUTPUT, &csv, "FILE", 0, 0,
     "write every entry as one line of CSV: value, pair or not, frequency error, modal masses"},
    {"json", 0, FB_OUTPUT, &json, "FILE", 0, 0,
     "write frequencies, pairs, errors, modal masses, summary, statistics and matrices as JSON"},
    {"html", 0, FB_OUTPUT, &html, "FILE", 0, 0,
     "write a page for a browser: summary, heat maps, frequency errors, pairs in motion"},
    {"h5", 0, FB_OUTPUT, &h5, "FILE", 0, 0,
     "write frequencies, pairs and matrices as HDF5: /correlation/1, /correlation/2, ..."},
    {"frf", 0, FB_TEXT, &frf, "OUT:IN,...", 0, 0,
     "compare frequency responses instead of modes: the motion of dof OUT under a unit force at "
     "dof IN, both NODE.COMPONENT, a node's number or name; the outputs are of responses then"},
    {"frequencies", 0, FB_TEXT, &frequencies, "F0,F1,N", 0, 0,
     "of --frf: N frequencies from F0 to F1 in Hz"},
    {"loss-factor", 0, FB_REAL, &asked.loss, "H", 0, 10,
     "of --frf: the stiffness of all models is K (1 + i H)"},
    {"speed", 0, FB_REAL, &asked.speed, "RAD_S", -1e15, 1e15,
     "of --frf: the damping of all models is D + RAD_S G, G gyroscopic"},
    {"min-frac", 0, FB_REAL, &min_frac, "X", 0, 1,
     "of --frf: exit with status 1 where a FRAC is below X"},
    {"max-db", 0, FB_REAL, &max_db, "DB", 0, 1e9,
     "of --frf: exit with status 1 where an amplitude is wrong by more than DB decibels"},
    {0},
};

typedef struct {             /* one model against the first; a and b over the dofs they share */
    fb_shapes first, weight; /* the first model as it is in its file; the mass of --mass */
    int64_t asked;           /* modes that the first model was asked for */
    fb_shapes a[MAXMODEL], b[MAXMODEL];
    fb_correlation c[MAXMODEL];
    int n;
    fb_page_state page;
    fb_buf panel[MAXPANEL]; /* of model k, criterion q: k FB_NCRITERION + q */
    char *panel_path[MAXPANEL];
} results;

static void results_free(results *r)
{
    for (int k = 0; k < MAXMODEL; k++) {
        FB_FREE_BY(fb_shapes_free, r->a + k, r->b + k);
        fb_correlation_free(r->c + k);
    }
    FB_FREE_BY(fb_shapes_free, &r->first, &r->weight);
    free(r->page.node);
    for (int k = 0; k < MAXPANEL; k++) {
        fb_buf_free(r->panel + k);
        free(r->panel_path[k]);
    }
}

/* The first model is loaded once, or again where a model has more modes than those before. */
static fb_status first_modes(fb_run *run, results *r, int64_t modes, fb_shapes *a, fb_err *e)
{
    fb_status s = FB_OK;
    if (modes > r->asked) {
        fb_shapes_free(&r->first);
        s = fb_shapes_load(run->file[0], modes, &r->first, &run->log, e);
        r->asked = s ? 0 : modes;
    }
    return s ? s : fb_shapes_view(&r->first, modes, a, e);
}

/* 0: no regular file. */
static int64_t bytes_of(const char *path)
{
    struct stat p;
    return !stat(path, &p) && S_ISREG(p.st_mode) ? (int64_t)p.st_size : 0;
}

static fb_status compare(fb_run *run, results *r, int k, fb_buf bytes[NOUTPUT], fb_err *e)
{
    int64_t left[2] = {0, 0}, modes = n;
    fb_status s = fb_shapes_load(run->file[k + 1], n, r->b + k, &run->log, e);
    if (s)
        return s;
    if (modes < 0) /* measured modes are elastic: a free model has six more below them */
        modes = r->b[k].n + (r->b[k].as_given && !r->b[k].nrigid ? 6 : 0);
    s = first_modes(run, r, modes, r->a + k, e);
    if (!s)
        s = fb_shapes_match(r->a + k, r->b + k, &how, left, &run->log, e);
    if (!s)
        s = fb_correlate(r->a + k, r->b + k, &want, r->c + k, e);
    if (s)
        return s;
    r->n = k + 1;
    for (int side = 0; side < 2; side++)
        if (r->c[k].nstill[side])
            fb_warn(&run->log,
                    "%lld of the %lld modes of %s have no motion, or no mass that moves, at the "
                    "dofs compared: they correlate with nothing",
                    (long long)r->c[k].nstill[side], (long long)(side ? r->c[k].nb : r->c[k].na),
                    (side ? r->b : r->a)[k].name);
    fb_report_text(r->a + k, r->b + k, r->c + k, left, &want, &bytes[PAGE]);
    r->b[k].bytes = bytes_of(run->file[k + 1]);
    if (html)
        FB_TRY(fb_page_model(&r->page, &r->first, r->a + k, r->b + k, r->c + k, left, &bytes[HTML],
                             e));
out:
    fb_shapes_drop(r->a + k); /* the shapes have served; frequencies and names are reported */
    fb_shapes_drop(r->b + k);
    return s;
}

/* The thresholds; the first one missed is named. */
static fb_status judge(const results *r, fb_err *e)
{
    for (int k = 0; k < r->n; k++)
        for (int q = 0; q < FB_NCRITERION; q++) {
            const fb_table *t = r->c[k].table + q;
            if (!t->C.x)
                continue;
            if (min_diagonal >= 0 && t->diagonal_min < min_diagonal)
                return fb_fail(e, FB_NO, "%s: %s of a pair is %.4f, below --min-diagonal %g",
                               r->b[k].name, fb_criterion_name[q], t->diagonal_min, min_diagonal);
            if (max_off >= 0 && t->off_max > max_off)
                return fb_fail(e, FB_NO, "%s: %s beside the pairs is %.4f, above --max-off %g",
                               r->b[k].name, fb_criterion_name[q], t->off_max, max_off);
        }
    return FB_OK;
}

/* The folder of a file, and its name in there; 0: there is none. */
static int folder_of(const char *path, struct stat *folder, const char **name)
{
    char text[4096];
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    snprintf(text, sizeof text, "%.*s", slash ? (int)(slash + 1 - path) : 1, slash ? path : ".");
    return !stat(text, folder);
}

/* One name is one file: as paths, or through the file system; of files that are not there yet by
 * their folder and name. */
static int same_file(const char *a, const char *b)
{
    struct stat p, q;
    const char *of_a, *of_b;
    if (!strcmp(a, b))
        return 1;
    const int has_a = !stat(a, &p), has_b = !stat(b, &q);
    if (has_a || has_b)
        return has_a && has_b && S_ISREG(p.st_mode) && p.st_dev == q.st_dev && p.st_ino == q.st_ino;
    return folder_of(a, &p, &of_a) && folder_of(b, &q, &of_b) && p.st_dev == q.st_dev &&
           p.st_ino == q.st_ino && !strcmp(of_a, of_b);
}

/* No output may be another, or one of the inputs. */
static fb_status outputs_apart(const fb_run *run, const fb_output *o, int no, fb_err *e)
{
    for (int k = 0; k < no; k++) {
        const char *path = o[k].path ? o[k].path : "-";
        if (!strncmp(path, "/dev/", 5))
            continue;
        for (int q = 0; q < k; q++)
            if (same_file(path, o[q].path ? o[q].path : "-"))
                return fb_fail(e, FB_EUSAGE, "%s is to be two outputs: give each a file of its own",
                               strcmp(path, "-") ? path : "the standard output");
        for (int q = 0; q <= run->nfile; q++) {
            const char *input = q < run->nfile ? run->file[q] : mass;
            if (input && strcmp(path, "-") && same_file(path, input))
                return fb_fail(e, FB_EUSAGE, "%s is an input: an output would destroy it", path);
        }
    }
    return FB_OK;
}

/* "-MODEL-CRITERION" before the ending of --svg. */
static fb_status panel_outputs(const fb_run *run, results *r, fb_output *o, int *no, fb_err *e)
{
    const char *slash = strrchr(svg, '/'), *dot = strrchr(svg, '.');
    const size_t size = strlen(svg) + 16;
    const int stem = (int)(dot && (!slash || dot > slash + 1) ? (size_t)(dot - svg) : strlen(svg));
    if (!strcmp(svg, "-") || !strncmp(svg, "/dev/", 5))
        return fb_fail(e, FB_EUSAGE, "--panels are several files: give --svg the name of one");
    for (int k = 0; k + 1 < run->nfile; k++)
        for (int q = 0; q < FB_NCRITERION; q++) {
            const int at = k * FB_NCRITERION + q;
            if (!want.want[q])
                continue;
            fb_status s = fb_new(&r->panel_path[at], (int64_t)size, 1, "the name of a file", e);
            if (s)
                return s;
            snprintf(r->panel_path[at], size, "%.*s-%d-%s%s", stem, svg, k + 1,
                     fb_criterion_name[q], svg + stem);
            o[(*no)++] = (fb_output){.path = r->panel_path[at], .bytes = r->panel + at};
        }
    return FB_OK;
}

/* The page and the files that are wanted; bytes and datasets are not there yet. r: NULL for
 * responses, which have no panels. */
static fb_status outputs_wanted(const fb_run *run, results *r, fb_buf bytes[NOUTPUT], fb_output *o,
                                int *no, fb_err *e)
{
    const char *const path[NOUTPUT] = {run->out, csv, json, svg, html, h5};
    if (panels && !svg)
        return fb_fail(e, FB_EUSAGE, "--panels wants --svg FILE");
    for (int k = 0; k < NOUTPUT; k++) {
        if (k == SVG && panels && r) {
            fb_status s = panel_outputs(run, r, o, no, e);
            if (s)
                return s;
        } else if (k == PAGE || path[k]) {
            o[(*no)++] = (fb_output){.path = path[k], .bytes = k == DATASETS ? NULL : bytes + k};
        }
    }
    return outputs_apart(run, o, *no, e);
}

static void report(results *r, fb_buf bytes[NOUTPUT])
{
    if (r->n > 1)
        fb_report_summary(r->a, r->b, r->c, r->n, &bytes[PAGE]);
    for (int k = 0; k < r->n; k++) {
        if (csv)
            fb_report_csv(r->a + k, r->b + k, r->c + k, &bytes[CSV]);
        if (json)
            fb_report_json(r->a + k, r->b + k, r->c + k, k == 0, &bytes[JSON]);
    }
    fb_put_text(&bytes[JSON], "\n]\n");
    for (int k = 0; panels && k < MAXPANEL; k++)
        if (r->panel_path[k]) {
            const int m = k / FB_NCRITERION;
            fb_report_panel(r->a + m, r->b + m, r->c + m, k % FB_NCRITERION, r->panel + k);
        }
    if (svg)
        fb_report_svg(r->a, r->b, r->c, r->n, &bytes[SVG]);
    if (html)
        fb_page_end(&r->page, r->a->name, &bytes[HTML]);
}

/* ---- frequency responses ------------------------------------------------------------------ */

/* What is said of modes alone, or of responses alone. */
static const char *stray(void)
{
    const struct {
        const char *name;
        int given;
    } of_modes[] = {{"modes", n >= 0},
                    {"mac", want.want[FB_MAC]},
                    {"nco", want.want[FB_NCO]},
                    {"co", want.want[FB_CO]},
                    {"as-published", want.as_published},
                    {"dofs", how.dofs != NULL},
                    {"nearest", how.tolerance > 0},
                    {"mass", mass != NULL},
                    {"min-diagonal", min_diagonal >= 0},
                    {"max-off", max_off >= 0},
                    {"panels", panels}},
      of_responses[] = {{"frequencies", frequencies != NULL},
                        {"loss-factor", asked.loss > 0},
                        {"speed", asked.speed < 0 || asked.speed > 0},
                        {"min-frac", min_frac >= 0},
                        {"max-db", max_db >= 0}};
    for (size_t k = 0; frf && k < sizeof of_modes / sizeof *of_modes; k++)
        if (of_modes[k].given)
            return of_modes[k].name;
    for (size_t k = 0; !frf && k < sizeof of_responses / sizeof *of_responses; k++)
        if (of_responses[k].given)
            return of_responses[k].name;
    return NULL;
}

static fb_status judge_responses(const fb_frf_set *s, fb_err *e)
{
    for (int64_t m = 0; m < s->nmodel; m++) {
        const fb_frf_match w = fb_frf_worst(s, m);
        if (min_frac >= 0 && w.frac < min_frac)
            return fb_fail(e, FB_NO, "%s: a FRAC is %.4f, below --min-frac %g", s->model[m].name,
                           w.frac, min_frac);
        if (max_db >= 0 && fabs(w.error) > max_db)
            return fb_fail(e, FB_NO, "%s: an amplitude is wrong by %.4f dB at %.6g Hz, --max-db %g",
                           s->model[m].name, w.error, w.at, max_db);
    }
    return FB_OK;
}

/* The full model of the first file, if it has one, is the reference; a file alone is compared with
 * its own full model. */
static fb_status load_responses(fb_run *run, fb_frf_set *s, fb_err *e)
{
    const int alone = run->nfile == 1;
    FB_PASS(fb_frf_paths(&asked, frf, e));
    FB_PASS(frequencies ? fb_frf_frequencies(&asked, frequencies, e)
                        : fb_fail(e, FB_EUSAGE, "--frf wants --frequencies F0,F1,N"));
    FB_PASS(FB_NEW(&s->model, run->nfile, e));
    FB_PASS(fb_new(&s->match, run->nfile * asked.npath, sizeof *s->match, "matches", e));
    FB_PASS(fb_frf_load(run->file[0], 1, 1, &asked, &s->reference, &run->log, e));
    if (alone && s->reference.order)
        return fb_fail(e, FB_EUSAGE,
                       "%s has no full model to compare with: name a reference before it",
                       run->file[0]);
    for (int k = !alone; k < run->nfile; k++) {
        FB_PASS(fb_frf_load(run->file[k], 0, 0, &asked, s->model + s->nmodel, &run->log, e));
        if (s->model[s->nmodel].nheld != s->reference.nheld)
            fb_warn(&run->log,
                    "reduce --fix holds %lld dofs of %s and %lld of %s: take a file of one and the "
                    "same --fix as the reference; its full model is held there, too",
                    (long long)s->model[s->nmodel].nheld, s->model[s->nmodel].name,
                    (long long)s->reference.nheld, s->reference.name);
        for (int64_t p = 0; p < asked.npath; p++)
            s->match[s->nmodel * asked.npath + p] =
                fb_frf_compare(&asked, &s->reference, s->model + s->nmodel, p);
        s->nmodel++;
    }
    return FB_OK;
}

static fb_status run_responses(fb_run *run, fb_err *e)
{
    void (*const put[NOUTPUT])(const fb_frf_set *, fb_buf *) = {
        fb_frf_text, fb_frf_csv, fb_frf_json, fb_frf_svg, fb_frf_html, NULL};
    const char *const path[NOUTPUT] = {run->out, csv, json, svg, html, h5};
    fb_buf bytes[NOUTPUT] = {0};
    fb_output o[NOUTPUT + MAXPANEL];
    fb_frf_set set = {.ask = &asked};
    fb_datasets d = {0};
    int no = 0;
    fb_status s = outputs_wanted(run, NULL, bytes, o, &no, e);
    if (!s)
        s = load_responses(run, &set, e);
    for (int k = 0; !s && k < NOUTPUT; k++)
        if (put[k] && (k == PAGE || path[k]))
            put[k](&set, bytes + k);
    if (!s && h5) {
        s = fb_frf_h5(&set, &d, e);
        o[no - 1].array = d.array; /* the last one, by its place in the list */
        o[no - 1].narray = d.n;
    }
    s = s ? s : fb_publish_many(run, o, no, e);
    s = s ? s : judge_responses(&set, e);
    for (int64_t m = 0; set.model && m < run->nfile; m++)
        fb_frf_free(set.model + m);
    fb_frf_free(&set.reference);
    FB_FREE(set.model, set.match);
    fb_datasets_free(&d);
    fb_frf_ask_free(&asked);
    for (int k = 0; k < NOUTPUT; k++)
        fb_buf_free(bytes + k);
    return s;
}

static fb_status run(fb_run *run, fb_err *e)
{
    fb_buf bytes[NOUTPUT] = {0};
    fb_output o[NOUTPUT + MAXPANEL];
    fb_datasets d = {0};
    results *r = NULL;
    fb_status s = FB_OK;
    int no = 0;
    if (stray())
        return fb_fail(e, FB_EUSAGE, "--%s is %s --frf", stray(),
                       frf ? "about modes: it does not go with" : "of");
    if (frf)
        return run_responses(run, e);
    if (run->nfile < 2)
        return fb_fail(e, FB_EUSAGE,
                       "two files at the least are wanted: the reference and a model; try --help");
    if (!want.want[FB_MAC] && !want.want[FB_NCO] && !want.want[FB_CO])
        want.want[FB_MAC] = want.want[FB_NCO] = want.want[FB_CO] = 1;
    FB_TRY(FB_NEW(&r, 1, e));
    FB_TRY(outputs_wanted(run, r, bytes, o, &no, e));
    if (mass) {
        FB_TRY(fb_mass_load(mass, &r->weight, e));
        how.weight = &r->weight;
    }
    r->page.nmodel = run->nfile - 1;
    for (int k = 0; k + 1 < run->nfile; k++)
        FB_TRY(compare(run, r, k, bytes, e));
    report(r, bytes);
    if (h5) {
        FB_TRY(fb_report_h5(&d, r->a, r->b, r->c, r->n, e));
        o[no - 1].array = d.array; /* the last one, by its place in the list */
        o[no - 1].narray = d.n;
    }
    FB_TRY(fb_publish_many(run, o, no, e));
    s = judge(r, e);
out:
    if (r)
        results_free(r);
    free(r);
    fb_datasets_free(&d);
    for (int k = 0; k < NOUTPUT; k++)
        fb_buf_free(bytes + k);
    return s;
}

static const fb_tool tool = {.name = "correlate",
                             .summary = "compare models: modes by MAC, NCO, CO, and responses",
                             .usage = "correlate [OPTION]... REFERENCE MODEL...",
                             .example = "mnfparse beam.mnf -o full.h5 && reduce --cb 18 full.h5 -o "
                                        "cb.h5 && correlate full.h5 cb.h5",
                             .opts = opts,
                             .max_files = MAXMODEL + 1,
                             .run = run};

int main(int argc, char **argv)
{
    return fb_main(&tool, argc, argv);
}

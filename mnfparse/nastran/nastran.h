/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nastran.h - what the Nastran readers share: lines and fields of bulk data, names, dof numbers,
 * matrices given by dof, coordinate systems. */
#ifndef NASTRAN_H
#define NASTRAN_H
#include "bytes.h"
#include "linalg/sparse.h"
#include "elements.h"
#include "status.h"
#include "parts.h"
#include "text/include.h"
#include "text/keys.h"
#include "text/lines.h"

/* ---- lines and fields (fields.c) ------------------------------------------------------ */

enum { NAS_FIELDS = 256, NAS_COLUMNS = 80 };

typedef struct {
    fb_lines t;
    int64_t line; /* number of the line last read */
    fb_meter meter;
} nas_text;

/* What stands for the name of a card where punched eigenvectors begin. */
#define NAS_EIGENVECTOR "$EIGEN"

typedef struct { /* one physical line that is not a comment */
    fb_span raw;
    char name[9]; /* upper case, without '*'; "" on a continuation */
    int more;     /* continues the card before */
    int large;
    int64_t line;
    int n;                     /* data fields: 8, 4 (large), or more in free format */
    fb_span f[NAS_FIELDS];     /* without blanks around */
    char columns[NAS_COLUMNS]; /* the line where tabs had to be expanded */
} nas_line;

/* The next line; *got = 0 at the end of the text. */
fb_status nas_next(nas_text *t, nas_line *l, int *got, fb_err *e) FB_CHECKED;
int nas_blank(fb_span f);
/* Case does not matter. */
int nas_is(fb_span f, const char *word);
/* The whole field must be a number of 15 digits at the most. */
int nas_int(fb_span f, int64_t *k);

/* ---- names (fields.c) ----------------------------------------------------------------- */

/* Without blanks and NULs (they stand inside 16-byte names), unprintable bytes as '?'. */
void nas_name(char *out, size_t cap, const unsigned char *p, size_t n);
/* What a matrix is for, from its name. */
fb_role nas_role(const char *name, int square);

/* ---- matrices given by dof (labelled.c) -------------------------------------------------- */

typedef struct {
    char name[17];
    int form, type, polar;
    int64_t ncol;
    fb_gather g; /* rows: dof numbers; columns: dof numbers, of form 9 keys */
} nas_matrix;

typedef struct {
    fb_keys dofs; /* node * 8 + component, numbered in the order they come */
    int32_t last; /* the number looked up before */
    nas_matrix *m;
    int64_t n, cap;
} nas_dmig;

/* The matrix of that name with the header given, or an error: twice, form or type unknown. */
fb_status nas_dmig_header(nas_dmig *d, const char *name, const int64_t head[5],
                          fb_err *e) FB_CHECKED;
nas_matrix *nas_dmig_find(const nas_dmig *d, const char *name);
fb_status nas_dmig_column(nas_dmig *d, nas_matrix *m, int64_t node, int64_t component,
                          fb_err *e) FB_CHECKED;
/* Value a, b: real and imaginary, or amplitude and phase where the header says so. */
fb_status nas_dmig_entry(nas_dmig *d, nas_matrix *m, int64_t node, int64_t component, double a,
                         double b, fb_err *e) FB_CHECKED;
/* Hands everything to p; component 1 of the n ids in spoint (ascending) is 0. */
fb_status nas_dmig_finish(nas_dmig *d, const int64_t *spoint, int64_t n, const char *origin,
                          fb_parts *p, fb_log *log, fb_err *e) FB_CHECKED;
void nas_dmig_free(nas_dmig *d);

/* ---- matrices given by column (columns.c) ----------------------------------------------- */

/* The Fortran record [i32 n][n bytes][i32 n] at the cursor, which goes to the first of the
 * bytes. */
fb_status nas_record(fb_cursor *c, size_t *n, fb_err *e) FB_CHECKED;

typedef struct { /* header of a matrix */
    int64_t ncol, nrow;
    int64_t form, type; /* 1 real single, 2 real double, 3 and 4 complex */
    int bigmat;
    int words; /* words a real number takes in string lengths */
    char name[17];
} nas_head;

typedef struct {
    nas_head h;
    fb_gather g;
    int64_t stored;
    int64_t budget; /* columns that the matrices of this file may still have */
    const char *origin;
    fb_parts *parts;
    fb_log *log;
} nas_sink;

void nas_sink_open(nas_sink *k, const char *origin, size_t bytes, fb_parts *p, fb_log *log);
/* Checks the header and begins the matrix. */
fb_status nas_sink_begin(nas_sink *k, fb_err *e) FB_CHECKED;
fb_status nas_sink_column(nas_sink *k, int64_t icol, fb_err *e) FB_CHECKED;
/* n reals (complex: pairs) at rows irow, irow + 1, ... (1-based) of the column. */
fb_status nas_sink_values(nas_sink *k, int64_t irow, const double *v, int64_t n,
                          fb_err *e) FB_CHECKED;
/* The string at irow with `words` words of numbers fits: the count of its reals. */
fb_status nas_sink_string(const nas_sink *k, int64_t irow, int64_t words, int64_t *reals,
                          fb_err *e) FB_CHECKED;
/* Hands the matrix to the parts. */
fb_status nas_sink_end(nas_sink *k, fb_err *e) FB_CHECKED;

/* op4_text.c */
int op4_text_sniff(const fb_input *in);
fb_status op4_text_read(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e) FB_CHECKED;

/* ---- points, systems, sets (points.c) ----------------------------------------------- */

enum { NAS_UNSET = -999999 }; /* a blank CP, CD of a GRID */

typedef struct {
    int64_t id, cp, cd;
    char ps[7]; /* fixed components, "" where blank */
    double x[3];
} nas_grid;

typedef struct {
    int64_t id, rid, g[3]; /* g: CORD1, rid then unused */
    int kind;              /* 1 rectangular, 2 cylindrical, 3 spherical */
    int by_grids, state;
    double abc[9];     /* three points in rid, then in the basic system */
    double o[3], t[9]; /* x_basic = o + t x_local; [3*i+j]: component i of axis j */
} nas_system;

typedef struct {
    int64_t id, component;
} nas_pair;

typedef struct {
    const char *name;
    nas_pair *dof;
    int64_t n, cap;
} nas_set;

typedef struct { /* SEQGP: where a point stands among all, which stand at their numbers else */
    int64_t id;
    double at;
} nas_place;

enum { NAS_ASET, NAS_BSET, NAS_CSET, NAS_QSET, NAS_RSET, NAS_OSET, NAS_PS, NAS_SPC, NAS_NSET };

typedef struct {
    nas_grid *grid;
    nas_system *system;
    int64_t *spoint;
    nas_pair *range; /* [2*nrange] first and last id of a THRU; set and components */
    int64_t ngrid, cap_grid, nsystem, cap_system, nspoint, cap_spoint, nrange, cap_range;
    nas_set set[NAS_NSET], extrn, conct; /* the last two: row orders EXTRN, SECONCT */
    nas_set tied;                        /* dofs that follow others: the m-set */
    nas_place *seqgp;                    /* [nseqgp] */
    int64_t nseqgp, cap_seqgp;
    int64_t set_cp, set_cd; /* GRDSET */
    char set_ps[7];
    int lenient;   /* a point whose system is missing is left out, not an error */
    int64_t nmass; /* CONM2 */
    double mass;
} nas_points;

void nas_points_init(nas_points *t);
void nas_points_free(nas_points *t);
fb_status nas_points_grid(nas_points *t, const nas_grid *g, fb_err *e) FB_CHECKED;
fb_status nas_points_system(nas_points *t, const nas_system *s, fb_err *e) FB_CHECKED;
/* Ids first..last; many are bounded. */
fb_status nas_points_spoints(nas_points *t, int64_t first, int64_t last, fb_err *e) FB_CHECKED;
/* Components as a string of digits ("123456", "0", ""). */
fb_status nas_points_row(nas_set *list, int64_t id, const char *components, fb_err *e) FB_CHECKED;
fb_status nas_points_set_range(nas_points *t, int set, int64_t first, int64_t last,
                               const char *components, fb_err *e) FB_CHECKED;
fb_status nas_points_place(nas_points *t, int64_t id, double at, fb_err *e) FB_CHECKED;
/* For qsort and bsearch: what begins with a number, by it. */
int nas_by_id(const void *a, const void *b);
/* Of a deck, finished: the a-set and the g-set as row orders. */
fb_status nas_points_orders(const nas_points *t, const char *origin, fb_parts *p,
                            fb_err *e) FB_CHECKED;
/* Resolves the systems and hands nodes, sets and row orders to p. */
fb_status nas_points_finish(nas_points *t, const char *origin, fb_parts *p, fb_log *log,
                            fb_err *e) FB_CHECKED;

/* ---- decks (deck.c, cards in bulk.c, DMIG lines in dmig.c, INCLUDE in include.c) -- */

typedef struct { /* a field of the card that is being put together */
    char s[39];
    unsigned char n;
} nas_token;

typedef enum { NAS_NO_CARD, NAS_CARD, NAS_DMIG_HEADER, NAS_DMIG_COLUMN } nas_state;

typedef struct {
    nas_points points;
    nas_dmig dmig;
    nas_state state;
    int card, which;  /* NAS_CARD: row of the table of cards; which of its kind it is */
    char name[9];     /* of the card */
    int64_t line;     /* where it begins */
    nas_token *token; /* [ntoken] */
    int64_t ntoken, cap_token;
    int64_t matrix; /* NAS_DMIG_*: position in dmig.m */
    int ended;      /* ENDDATA; 2: with DMIG cards behind it */
    int64_t nbad;   /* GRID cards that are not understood */
    nas_sink dmi;
    int dmi_open;    /* its matrix is not complete */
    fb_modes shapes; /* punched eigenvectors */
    int64_t nscalar, ncomplex;
    const char *chosen; /* part that the user wants, NULL: all */
    char part[17];      /* that the line at hand is in */
    char owner[17];     /* the first with matrices or their rows */
    char (*super)[17];  /* [nsuper] all parts */
    int64_t nsuper, cap_super;
    int several; /* parts have matrices or their rows */
    fb_parts *parts;
    fb_log *log;
    fb_includes open;
} nas_deck;

/* Opens what the line includes; found 0: no such file, a warning says so. */
fb_status nas_include(nas_deck *d, nas_text *t, const nas_line *l, char resolved[PATH_MAX],
                      fb_input *in, int *found, fb_err *e) FB_CHECKED;
/* Field k + 2 of the card at hand, blank where it has none. */
static inline fb_span nas_field_at(const nas_deck *d, int64_t k)
{
    if (k >= d->ntoken)
        return (fb_span){"", ""};
    return (fb_span){d->token[k].s, d->token[k].s + d->token[k].n};
}
/* Components as text: digits only; "" where blank. */
fb_status nas_components(const nas_deck *d, int64_t k, char out[7], fb_err *e) FB_CHECKED;
/* Row of the card in the table, -1: of no interest. */
int nas_card_find(const char *name);
fb_status nas_card_end(nas_deck *d, fb_err *e) FB_CHECKED;
/* Element cards (elements.c), by what follows in them. */
enum {
    NAS_HEXA,
    NAS_PENTA,
    NAS_TETRA,
    NAS_PYRAM,
    NAS_QUAD4,
    NAS_QUAD8,
    NAS_QUAD9,
    NAS_TRIA3,
    NAS_TRIA6,
    NAS_LINE,   /* EID PID G1 G2   */
    NAS_LINE1,  /* EID G1 G2       */
    NAS_SPRING, /* EID K G1 C1 G2  */
    NAS_RBE2,
    NAS_RBE3,
    NAS_NOT_DRAWN,
    NAS_NELEMENT
};
fb_status nas_element(nas_deck *d, fb_err *e) FB_CHECKED;
/* Elements and equations that let dofs follow others (ties.c). */
fb_status nas_ties(nas_deck *d, fb_err *e) FB_CHECKED;
/* Nodes in the order of Nastran become those of fb_element_kinds: middles of upright edges stand
 * before those of the top there. */
void nas_element_order(fb_topology t, int64_t node[FB_ELEMENT_NODES]);
fb_status nas_dmig_begin(nas_deck *d, nas_text *t, const nas_line *l, fb_err *e) FB_CHECKED;
fb_status nas_dmig_more(nas_deck *d, nas_text *t, const nas_line *l, fb_err *e) FB_CHECKED;
/* BEGIN: another part of the deck (super.c); is a card of no interest, for the part it is in?; at
 * the end: is it clear which part is meant? */
fb_status nas_super_begin(nas_deck *d, const nas_line *l, fb_err *e) FB_CHECKED;
int nas_super_skips(nas_deck *d, const nas_line *l);
fb_status nas_super_end(nas_deck *d, const char *origin, fb_err *e) FB_CHECKED;
/* A DMI card (dmi.c), and the end of the last matrix. */
fb_status nas_dmi(nas_deck *d, fb_err *e) FB_CHECKED;
fb_status nas_dmi_end(nas_deck *d, fb_err *e) FB_CHECKED;
/* Eigenvectors of a punch file (punch.c): the lines behind $EIGENVECTOR, which has been taken. */
fb_status nas_punch(nas_deck *d, nas_text *t, fb_err *e) FB_CHECKED;
fb_status nas_punch_finish(nas_deck *d, const char *origin, const char *format,
                           fb_err *e) FB_CHECKED;
#endif

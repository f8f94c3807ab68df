/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units.h - unit systems (units.c). */
#ifndef FB_UNITS_H
#define FB_UNITS_H
#include "status.h"
#include <stddef.h>

typedef enum { FB_MASS, FB_LENGTH, FB_TIME, FB_FORCE, FB_NUNIT } fb_unitkind;

/* A unit system: names ("kg") and factors to SI; factor 0 where the name is not known. */
typedef struct {
    char name[FB_NUNIT][24];
    double factor[FB_NUNIT];
} fb_units;

extern const char *const fb_unit_kinds[]; /* "mass", "length", "time", "force" */
/* "kg, m, s, N" */
typedef struct {
    char s[100];
} fb_unitlist;
fb_unitlist fb_units_list(const fb_units *u);
/* "mass length time force": consistent, but unnamed. */
void fb_units_unnamed(fb_units *u);
/* A named system: SI, mm-t-s, ... ; the error lists them. */
fb_status fb_units_system(fb_units *u, const char *name, fb_err *e) FB_CHECKED;
/* The names it knows, between blanks. */
const char *fb_units_names(void);
/* Sets one unit from any of its spellings ("KILOGRAM", "kg"); 0 where it is not known: then the
 * name is kept and the factor is 0. */
int fb_units_set(fb_units *u, fb_unitkind k, const char *spelling);
/* Seconds in the unit of time; 1 where it is not known. */
double fb_units_time(const fb_units *u);
/* The unit of force over mass length / time^2, in which matrices are: 1000 of kg, mm, s, N; 1 where
 * one of them is not known. */
double fb_units_force(const fb_units *u);
/* The name of the unit that the matrices have for forces: "N", or "kg mm s^-2" where that is
 * another. */
typedef struct {
    char s[100];
} fb_unitname;
fb_unitname fb_units_force_name(const fb_units *u);
/* lambda in rad^2 over the unit of time^2 as a frequency in Hz, signed; 0 for 0. And back. */
double fb_hertz(const fb_units *u, double lambda);
double fb_lambda(const fb_units *u, double hertz);
/* Relative error of a frequency of a reduced body in Hz beside that of the full one: 1 where a
 * rigid motion (0) is none any more. */
double fb_hertz_error(double reduced, double full);
/* The units with these factors to SI, mass to force; 0 where one of them is not known. */
int fb_units_of(fb_units *u, const double factor[FB_NUNIT]);
/* The long Adams spelling of unit k ("KILOGRAM"), or its name where there is none. */
const char *fb_units_adams(const fb_units *u, fb_unitkind k);
/* "kg m^2 s^-2" from exponents; "1" for a pure number. */
void fb_units_text(const fb_units *u, const signed char exponent[FB_NUNIT], char *out, size_t n);
#endif

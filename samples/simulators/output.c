/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.c - run.h5, made in memory and sent to standard output.
 *
 * /run     t, theta, theta_rate, torque [rows, links], tip [rows, links, 3], q [rows, ..], kinetic,
 *          potential [rows]; frequency, growth (--frequencies)
 * /motion  time [frames], position [frames, points, 3] of the points of /nodes, with the /faces of all
 *          links: linkexport --to html and play.sh show them
 */
#include "sim.h"
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

/* A unit: "rad", "1", "Hz", or t, l, e, r: of time, length, energy, a rate. */
static const struct {
    const char *path, *unit, *meaning;
} SET[NSET] = {
    {"/run/t", "t", "time of each row"},
    {"/run/theta", "rad", "angle of the joint before each link; 0 where rigid"},
    {"/run/theta_rate", "r", "its rate"},
    {"/run/torque", "e", "torque of the joint: as given, or what its law needs"},
    {"/run/tip", "l", "place of the tip of each link"},
    {"/run/q", "1", "modal coordinates of the links in turn"},
    {"/run/kinetic", "e", "kinetic energy"},
    {"/run/potential", "e", "energy of gravity, strain, springs and forces at tips"},
    {"/run/frequency", "Hz", "of small motion about the start"},
    {"/run/growth", "r", "of it: below 0 damped, above 0 unstable"},
    {"/motion/time", "t", "time of each frame"},
    {"/motion/position", "l", "place of each node in each frame"},
    {"/nodes/id", "1", "points of the links in turn"},
    {"/nodes/xyz", "l", "their places at the start"},
    {"/faces/offset", "1", "of each face in index"},
    {"/faces/index", "1", "corners of the faces"},
};

static hid_t check(hid_t id, const char *what)
{
    if (id < 0)
        fail(SYSTEM, "run.h5", "%s cannot be written", what);
    return id;
}

static void attribute(hid_t at, const char *name, hid_t type, hsize_t n, const void *x)
{
    const hid_t space = n ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
    const hid_t a = check(H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT), name);
    check(H5Awrite(a, type, x), name);
    H5Aclose(a);
    H5Sclose(space);
}

static void text(hid_t at, const char *name, const char *s)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(s) ? strlen(s) : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    attribute(at, name, type, 0, s);
    H5Tclose(type);
}

/* A dataset, of integers where its unit is 1; sizes n end at 0. */
static void put(hid_t f, int k, const double *x, const int n[3], const char *unit)
{
    const hsize_t dim[3] = {(hsize_t)n[0], (hsize_t)n[1], (hsize_t)n[2]};
    const hid_t disk = k >= ID && k != START ? H5T_STD_I64LE : H5T_IEEE_F64LE;
    const hid_t space = H5Screate_simple(n[1] ? n[2] ? 3 : 2 : 1, dim, NULL);
    const hid_t plain = H5Pcreate(H5P_DATASET_CREATE), groups = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_obj_track_times(plain, 0); /* the same run, the same bytes */
    H5Pset_create_intermediate_group(groups, 1);
    const hid_t d =
        check(H5Dcreate2(f, SET[k].path, disk, space, groups, plain, H5P_DEFAULT), SET[k].path);
    check(H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x), SET[k].path);
    text(d, "units", unit);
    text(d, "description", SET[k].meaning);
    H5Dclose(d);
    H5Pclose(groups);
    H5Pclose(plain);
    H5Sclose(space);
}

static void root(const run *r, hid_t f)
{
    static const char *const kind[] = {"mass", "length", "time", "force"};
    const flex *b = &r->c.joint[0].link;
    char name[40];
    text(f, "format", "flexbody");
    attribute(f, "format_version", H5T_NATIVE_DOUBLE, 2, (double[2]){1, 1});
    text(f, "stage", r->c.f->name);
    const hid_t source = H5Gcreate2(f, "/source", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    text(check(source, "/source"), "title", r->c.file);
    H5Gclose(source);
    for (int k = 0; k < 4; k++) {
        snprintf(name, sizeof name, "%s_unit", kind[k]);
        text(f, name, b->unit[k]);
        snprintf(name, sizeof name, "%s_to_SI", kind[k]);
        attribute(f, name, H5T_NATIVE_DOUBLE, 0, b->si + k);
    }
}

static void rows(const run *r, hid_t f)
{
    const char *const *u = (const char *const *)r->c.joint[0].link.unit;
    char energy[300], rate[100];
    snprintf(energy, sizeof energy, "%s %s^2/%s^2", u[0], u[1], u[2]);
    snprintf(rate, sizeof rate, "1/%s", u[2]);
    for (int k = 0; k < NSET; k++) {
        const int *n = r->set[k == START ? PLACE : k].n;
        const char *unit = strcmp(SET[k].unit, "t") ? SET[k].unit : u[2];
        unit = strcmp(unit, "l") ? unit : u[1];
        unit = strcmp(unit, "e") ? strcmp(unit, "r") ? unit : rate : energy;
        if (k == START && n[0])
            put(f, k, r->set[PLACE].x, (int[3]){n[1], n[2]}, unit);
        else if (n[0] && (k != COORD || n[1]))
            put(f, k, r->set[k].x, n, unit);
    }
}

void write_run(const run *r)
{
    const hid_t core = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_fapl_core(core, 1 << 20, 0);
    H5Pset_obj_track_times(create, 0);
    const hid_t f = check(H5Fcreate("run.h5", H5F_ACC_TRUNC, create, core), "the file");
    root(r, f);
    rows(r, f);
    check(H5Fflush(f, H5F_SCOPE_GLOBAL), "the file");
    const ssize_t n = H5Fget_file_image(f, NULL, 0);
    void *bytes = array(check(n, "the file") / 8 + 1);
    check(H5Fget_file_image(f, bytes, (size_t)n), "the file");
    if (fwrite(bytes, 1, (size_t)n, stdout) != (size_t)n || fflush(stdout))
        fail(SYSTEM, "run.h5", "the output cannot be written");
    H5Fclose(f);
    H5Pclose(core);
    H5Pclose(create);
}

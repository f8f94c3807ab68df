/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.c - run.h5, made in memory and sent to standard output.
 *
 * /run     t, theta, theta_rate, torque [rows, links], tip [rows, links, 3], q [rows, ..], kinetic,
 *          potential [rows]; frequency, growth (--frequencies)
 * /motion  time [frames], position [frames, points, 3] of the points of /nodes, with the /faces of
 *          all links: linkexport --to html and play.sh show them
 */
#include "sim.h"
#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdio.h>

enum { ONE, RADIAN, HERTZ_, OF_TIME, LENGTH, ENERGY, OF_RATE, NUNITS };

static const struct {
    const char *path;
    int unit, rank, rows; /* where the rank is more than 1: as many rows as that has numbers */
    const char *meaning;
} SET[NSET] = {
    {"/run/t", OF_TIME, 1, TIME, "time of each row"},
    {"/run/theta", RADIAN, 2, TIME, "angle of the joint before each link; 0 where rigid"},
    {"/run/theta_rate", OF_RATE, 2, TIME, "its rate"},
    {"/run/torque", ENERGY, 2, TIME, "torque of the joint: as given, or what its law needs"},
    {"/run/tip", LENGTH, 3, TIME, "place of the tip of each link"},
    {"/run/q", ONE, 2, TIME, "modal coordinates of the links in turn"},
    {"/run/kinetic", ENERGY, 1, TIME, "kinetic energy"},
    {"/run/potential", ENERGY, 1, TIME, "energy of gravity, strain, springs and forces at tips"},
    {"/run/frequency", HERTZ_, 1, HERTZ, "of small motion about the start"},
    {"/run/growth", OF_RATE, 1, GROWTH, "of it: below 0 damped, above 0 unstable"},
    {"/motion/time", OF_TIME, 1, FRAME, "time of each frame"},
    {"/motion/position", LENGTH, 3, FRAME, "place of each node in each frame"},
    {"/nodes/id", ONE, 1, ID, "points of the links in turn"},
    {"/nodes/xyz", LENGTH, 2, ID, "their places at the start"},
    {"/faces/offset", ONE, 1, OFFSET, "of each face in index"},
    {"/faces/index", ONE, 1, INDEX, "corners of the faces"},
};

static hid_t check(hid_t id, const char *what)
{
    if (id < 0)
        fail(SYSTEM, "run.h5", "%s cannot be written", what);
    return id;
}

static void text(hid_t f, const char *at, const char *name, const char *s)
{
    check(H5LTset_attribute_string(f, at, name, s), name);
}

static void root(const chain *c, hid_t f)
{
    static const char *const kind[] = {"mass", "length", "time", "force"};
    const flex *b = &c->body[0].link;
    char name[40];
    text(f, "/", "format", "flexbody");
    check(H5LTset_attribute_double(f, "/", "format_version", (double[]){1, 1}, 2), "the version");
    text(f, "/", "stage", program.name);
    H5Gclose(check(H5Gcreate2(f, "/source", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "/source"));
    text(f, "/source", "title", c->file);
    for (int k = 0; k < 4; k++) {
        snprintf(name, sizeof name, "%s_unit", kind[k]);
        text(f, "/", name, b->unit[k]);
        snprintf(name, sizeof name, "%s_to_SI", kind[k]);
        check(H5LTset_attribute_double(f, "/", name, b->si + k, 1), name);
    }
}

/* Datasets that have numbers, those after /motion/position but /nodes/xyz as integers. */
static void sets(const chain *c, hid_t f)
{
    char *const *u = c->body[0].link.unit;
    char energy[300], rate[100];
    const char *const unit[NUNITS] = {"1", "rad", "Hz", u[2], u[1], energy, rate};
    const hid_t plain = H5Pcreate(H5P_DATASET_CREATE), groups = H5Pcreate(H5P_LINK_CREATE);
    snprintf(energy, sizeof energy, "%s %s^2/%s^2", u[0], u[1], u[2]);
    snprintf(rate, sizeof rate, "1/%s", u[2]);
    H5Pset_obj_track_times(plain, 0); /* the same run, the same bytes */
    H5Pset_create_intermediate_group(groups, 1);
    for (int k = 0; k < NSET; k++) {
        const char *path = SET[k].path;
        const long n = c->set[k].n, rows = SET[k].rank > 1 ? c->set[SET[k].rows].n : n;
        if (!n)
            continue;
        const hsize_t wide = (hsize_t)(n / rows), three = SET[k].rank > 2 ? 3 : 1;
        const hid_t space =
            H5Screate_simple(SET[k].rank, (hsize_t[]){(hsize_t)rows, wide / three, 3}, NULL);
        const hid_t disk = k >= ID && k != START ? H5T_STD_I64LE : H5T_IEEE_F64LE;
        const hid_t d = check(H5Dcreate2(f, path, disk, space, groups, plain, H5P_DEFAULT), path);
        check(H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->set[k].x), path);
        text(f, path, "units", unit[SET[k].unit]);
        text(f, path, "description", SET[k].meaning);
        H5Dclose(d);
        H5Sclose(space);
    }
    H5Pclose(groups);
    H5Pclose(plain);
}

void write_run(const chain *c)
{
    const hid_t core = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_fapl_core(core, 1 << 20, 0);
    H5Pset_obj_track_times(create, 0);
    const hid_t f = check(H5Fcreate("run.h5", H5F_ACC_TRUNC, create, core), "the file");
    root(c, f);
    sets(c, f);
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

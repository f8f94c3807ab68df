/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.c - run.h5, made in memory and sent to standard output.
 *
 * /run     t, theta, theta_rate, torque [rows, links], tip [rows, links, 3], q [rows, ..], kinetic,
 *          potential [rows]; frequency, growth (--frequencies)
 * /motion  time [frames], position [frames, points, 3] of the points of /nodes, with the /faces of all
 *          links: play.sh shows them
 */
#include "run.h"
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(hid_t id, const char *what)
{
    if (id < 0)
        fail(SYSTEM, "run.h5: %s cannot be written", what);
}

static void text(hid_t at, const char *name, const char *s)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(s) ? strlen(s) : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    check(a, name);
    H5Awrite(a, type, s);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

/* Dataset of reals, or of 64-bit integers where `whole`; dims end at 0. */
static void put(hid_t f, const char *path, const void *x, int whole, const hsize_t dim[3],
                const char *unit, const char *meaning)
{
    const hid_t memory = whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
    const hid_t disk = whole ? H5T_STD_I64LE : H5T_IEEE_F64LE;
    const hid_t space = H5Screate_simple(dim[1] ? dim[2] ? 3 : 2 : 1, dim, NULL);
    const hid_t plain = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plain, 0); /* the same run, the same bytes */
    const hid_t d = H5Dcreate2(f, path, disk, space, H5P_DEFAULT, plain, H5P_DEFAULT);
    check(d, path);
    check(H5Dwrite(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, x), path);
    text(d, "units", unit);
    text(d, "description", meaning);
    H5Dclose(d);
    H5Pclose(plain);
    H5Sclose(space);
}

static void group(hid_t f, const char *path)
{
    const hid_t plain = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(plain, 0);
    const hid_t g = H5Gcreate2(f, path, H5P_DEFAULT, plain, H5P_DEFAULT);
    check(g, path);
    H5Gclose(g);
    H5Pclose(plain);
}

static void root(const run *r, hid_t f)
{
    static const char *const kind[] = {"mass", "length", "time", "force"};
    const double version[2] = {1, 1};
    const hsize_t two = 2;
    const hid_t pair = H5Screate_simple(1, &two, NULL), one = H5Screate(H5S_SCALAR);
    const flex *b = &r->c.joint[0].link;
    text(f, "format", "flexbody");
    hid_t a = H5Acreate2(f, "format_version", H5T_IEEE_F64LE, pair, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, H5T_NATIVE_DOUBLE, version);
    H5Aclose(a);
    text(f, "stage", r->f->name);
    for (int k = 0; k < 4; k++) {
        char name[40];
        snprintf(name, sizeof name, "%s_unit", kind[k]);
        text(f, name, b->unit[k]);
        snprintf(name, sizeof name, "%s_to_SI", kind[k]);
        a = H5Acreate2(f, name, H5T_IEEE_F64LE, one, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(a, H5T_NATIVE_DOUBLE, b->si + k);
        H5Aclose(a);
    }
    H5Sclose(pair);
    H5Sclose(one);
}

static void rows(const run *r, hid_t f)
{
    const hsize_t n = (hsize_t)r->rows, links = (hsize_t)r->c.n, nq = (hsize_t)r->nq;
    const hsize_t nf = (hsize_t)r->nfrequency;
    const char *const *u = (const char *const *)r->c.joint[0].link.unit;
    char energy[300], per[100];
    snprintf(energy, sizeof energy, "%s %s^2/%s^2", u[0], u[1], u[2]);
    snprintf(per, sizeof per, "1/%s", u[2]);
    group(f, "/run");
    put(f, "/run/t", r->t, 0, (hsize_t[3]){n}, u[2], "time of each row");
    put(f, "/run/theta", r->theta, 0, (hsize_t[3]){n, links}, "rad",
        "angle of the joint before each link; 0 where rigid");
    put(f, "/run/theta_rate", r->rate, 0, (hsize_t[3]){n, links}, per, "its rate");
    put(f, "/run/torque", r->torque, 0, (hsize_t[3]){n, links}, energy,
        "torque of the joint: as given, or what its law needs");
    put(f, "/run/tip", r->tip, 0, (hsize_t[3]){n, links, 3}, u[1], "place of the tip of each link");
    if (nq)
        put(f, "/run/q", r->q, 0, (hsize_t[3]){n, nq}, "1",
            "modal coordinates of the links in turn");
    put(f, "/run/kinetic", r->kinetic, 0, (hsize_t[3]){n}, energy, "kinetic energy");
    put(f, "/run/potential", r->potential, 0, (hsize_t[3]){n}, energy,
        "energy of gravity, strain, springs and forces at tips");
    if (nf) {
        put(f, "/run/frequency", r->hertz, 0, (hsize_t[3]){nf}, "Hz",
            "of small motion about the start");
        put(f, "/run/growth", r->growth, 0, (hsize_t[3]){nf}, per,
            "of it: below 0 damped, above 0 unstable");
    }
}

static void motion(const run *r, hid_t f)
{
    const hsize_t np = (hsize_t)r->np, frames = (hsize_t)r->drawn;
    const char *const *u = (const char *const *)r->c.joint[0].link.unit;
    size_t nf = 0, ni = 0;
    for (int i = 0; i < r->c.n; i++) {
        const picture *p = &r->c.joint[i].link.picture;
        nf += (size_t)p->nf;
        ni += (size_t)p->offset[p->nf];
    }
    long long *id = array(np, sizeof *id), *offset = array(nf + 1, sizeof *offset);
    long long *index = array(ni, sizeof *index), base = 0, face = 0, corner = 0;
    for (hsize_t k = 0; k < np; k++)
        id[k] = (long long)k + 1;
    for (int i = 0; i < r->c.n; i++) {
        const picture *p = &r->c.joint[i].link.picture;
        for (int k = 0; k < p->offset[p->nf]; k++)
            index[corner + k] = base + p->index[k];
        for (int k = 0; k < p->nf; k++)
            offset[++face] = corner + p->offset[k + 1];
        corner += p->offset[p->nf];
        base += p->np;
    }
    group(f, "/nodes");
    put(f, "/nodes/id", id, 1, (hsize_t[3]){np}, "1", "points of the links in turn");
    put(f, "/nodes/xyz", r->place, 0, (hsize_t[3]){np, 3}, u[1], "their places at the start");
    group(f, "/faces");
    put(f, "/faces/offset", offset, 1, (hsize_t[3]){nf + 1}, "1", "of each face in index");
    put(f, "/faces/index", index, 1, (hsize_t[3]){ni}, "1", "corners of the faces");
    group(f, "/motion");
    put(f, "/motion/time", r->when, 0, (hsize_t[3]){frames}, u[2], "time of each frame");
    put(f, "/motion/position", r->place, 0, (hsize_t[3]){frames, np, 3}, u[1],
        "place of each node in each frame");
    free(id);
    free(offset);
    free(index);
}

void write_run(const run *r)
{
    const hid_t core = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_fapl_core(core, 1 << 20, 0);
    H5Pset_obj_track_times(create, 0);
    const hid_t f = H5Fcreate("run.h5", H5F_ACC_TRUNC, create, core);
    check(f, "the file");
    root(r, f);
    rows(r, f);
    if (r->frames)
        motion(r, f);
    check(H5Fflush(f, H5F_SCOPE_GLOBAL), "the file");
    const ssize_t n = H5Fget_file_image(f, NULL, 0);
    check(n, "the file");
    void *bytes = array((size_t)n, 1);
    check(H5Fget_file_image(f, bytes, (size_t)n), "the file");
    if (fwrite(bytes, 1, (size_t)n, stdout) != (size_t)n || fflush(stdout))
        fail(SYSTEM, "run.h5: the output cannot be written");
    free(bytes);
    H5Fclose(f);
    H5Pclose(core);
    H5Pclose(create);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* criteria - MAC, NCO and CO of two large sets of modes, against the bare products of their
 * size. */
#include "flexbody.h"
#include "correlate/correlate.h"
#include <math.h>
#include <sys/resource.h>
#include <time.h>

static int64_t dofs = 300000, modes = 500, band = 30;

static const fb_opt opts[] = {
    {"dofs", 0, FB_INT, &dofs, "N", 10, 100000000, "dofs"},
    {"modes", 0, FB_INT, &modes, "N", 1, 100000, "modes of each model"},
    {"band", 0, FB_INT, &band, "N", 1, 1000,
     "entries of a column in the upper half of the mass matrix"},
    {0},
};

/* Wall time, and that of all processors together: what others do on the machine is not in it. */
typedef struct {
    double wall, cpu;
} instant;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static instant since(instant start)
{
    return (instant){seconds(CLOCK_MONOTONIC) - start.wall,
                     seconds(CLOCK_PROCESS_CPUTIME_ID) - start.cpu};
}

static double gib(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1048576;
}

static fb_status make_shapes(fb_shapes *s, uint64_t seed, const fb_shapes *like, fb_err *e)
{
    fb_status r = fb_mat_new(&s->X, dofs, modes, e);
    s->n = modes;
    s->nd = dofs;
    if (!r)
        r = fb_new(&s->f, modes, 8, "frequencies", e);
    for (int64_t k = 0; !r && k < modes; k++)
        s->f[k] = (double)k + 1;
    for (int64_t k = 0; !r && k < dofs * modes;
         k++) { /* xorshift; the second set is the first, a little off */
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        double x = (double)(seed >> 11) * 0x1p-53 - 0.5;
        s->X.x[k] = like ? like->X.x[k] + 0.1 * x : x;
    }
    return r;
}

/* Columns of unit length by M, as an eigensolver leaves them. */
static fb_status normalise(fb_shapes *s, const fb_csc *M, fb_err *e)
{
    fb_mat y = {0};
    fb_status r = fb_mat_new(&y, dofs, 1, e);
    for (int64_t k = 0; !r && k < modes; k++) {
        fb_mat x = {dofs, 1, s->X.x + k * dofs};
        double sum = 0;
        r = fb_csc_mul_many(M, &x, &y, e);
        for (int64_t d = 0; !r && d < dofs; d++)
            sum += x.x[d] * y.x[d];
        for (int64_t d = 0; !r && d < dofs; d++)
            x.x[d] /= sqrt(sum);
    }
    fb_mat_free(&y);
    s->normalised = 1;
    return r;
}

static fb_status make_mass(fb_csc *M, fb_err *e)
{
    int64_t q = 0;
    fb_status s = fb_csc_new(M, dofs, dofs, dofs * band, 1, e);
    for (int64_t j = 0; !s && j < dofs; j++) {
        for (int64_t i = j >= band ? j - band + 1 : 0; i <= j; i++) {
            M->i[q] = i;
            M->x[q++] = i == j ? 2 : 0.5 / (double)band;
        }
        M->p[j + 1] = q;
    }
    return s;
}

static fb_status measure(const char *name, const fb_shapes *a, fb_shapes *b, fb_correlate_opts o,
                         instant bare, int products, fb_buf *out, fb_err *e)
{
    fb_correlation c = {0};
    const instant start = since((instant){0, 0});
    fb_status s = fb_correlate(a, b, &o, &c, e);
    const instant t = since(start);
    if (!s)
        fb_put_text(out,
                    "%-14s %d product(s) %7.2f s, cpu %7.2f s   ratio %5.2f, cpu %5.2f   smallest "
                    "of a pair %.4f\n",
                    name, products, t.wall, t.cpu, t.wall / (products * bare.wall),
                    t.cpu / (products * bare.cpu),
                    c.table[o.want[FB_MAC] ? FB_MAC : FB_NCO].diagonal_min);
    fb_correlation_free(&c);
    return s;
}

static fb_status run(fb_run *r, fb_err *e)
{
    fb_shapes a = {.name = "a"}, b = {.name = "b"};
    fb_csc M = {0};
    fb_mat P = {0};
    fb_buf out = {0};
    instant bare = {INFINITY, INFINITY};
    fb_status s = FB_OK;
    FB_TRY(make_shapes(&a, 88172645463325252u, NULL, e));
    FB_TRY(make_shapes(&b, 1234567u, &a, e));
    FB_TRY(make_mass(&M, e));
    FB_TRY(normalise(&a, &M, e));
    FB_TRY(fb_mat_new(&P, modes, modes, e));
    for (int k = 0; k < 2; k++) {
        const instant start = since((instant){0, 0});
        FB_TRY(fb_gemm(1, 0, 1, &a.X, &b.X, 0, &P, e));
        const instant t = since(start);
        bare = (instant){fmin(bare.wall, t.wall), fmin(bare.cpu, t.cpu)};
    }
    const double input = gib();
    fb_put_text(&out,
                "%lld x %lld modes, %lld dofs, %lld entries of M; the bare product %.2f s, cpu "
                "%.2f s, %.1f GF/s\n",
                (long long)modes, (long long)modes, (long long)dofs, (long long)M.p[dofs],
                bare.wall, bare.cpu, 2e-9 * (double)(dofs * modes * modes) / bare.wall);
    FB_TRY(measure("MAC", &a, &b, (fb_correlate_opts){.want = {1}}, bare, 1, &out, e));
    a.M = M;
    M = (fb_csc){0};
    FB_TRY(measure("NCO and CO", &a, &b, (fb_correlate_opts){.want = {0, 1, 1}}, bare, 1, &out, e));
    FB_TRY(
        measure("MAC, NCO, CO", &a, &b, (fb_correlate_opts){.want = {1, 1, 1}}, bare, 2, &out, e));
    fb_put_text(&out, "memory: shapes and mass %.2f GiB, at the most %.2f GiB\n", input, gib());
    s = fb_publish_bytes(r, &out, e);
out:
    fb_buf_free(&out);
    fb_mat_free(&P);
    fb_csc_free(&M);
    FB_FREE_BY(fb_shapes_free, &a, &b);
    return s;
}

static const fb_tool tool = {.name = "criteria",
                             .summary = "time MAC, NCO, CO of large sets of modes",
                             .usage = "criteria [OPTION]...",
                             .opts = opts,
                             .run = run};

int main(int argc, char **argv)
{
    return fb_main(&tool, argc, argv);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* move_text.c - a move from what the user writes.
 *
 * Equations
 *   (MT.1) Q = c 1 + (1 - c) n n' + s n~          by c, s of an angle about the unit axis n
 *          (Rodrigues)
 *   (MT.2) Q = (2 w^2 - 1) 1 + 2 v v' + 2 w v~    of the unit quaternion w, v
 *   (MT.3) Q := (3 Q - Q Q'Q) / 2                 to the nearest rotation, quadratically convergent
 */
#include "linalg/dense.h"
#include "move.h"
#include "number.h"
#include <math.h>
#include <string.h>

static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

fb_move fb_move_none(void)
{
    fb_move m = {.det = 1, .flip = {1, 1, 1}};
    memcpy(m.Q, unit, sizeof unit);
    return m;
}

int fb_move_turns(const fb_move *m)
{
    return memcmp(m->Q, unit, sizeof unit) != 0;
}

/* Round-off of a product of rotations is no direction. */
static double clean(double x)
{
    return fabs(x) < 1e-15 ? 0 : x;
}

static void product(const double *A, const double *B, double *C)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] =
                clean(A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j]);
}

static void then(fb_move *m, const double *Q, int det)
{
    const double P[9] = {m->Q[0], m->Q[1], m->Q[2], m->Q[3], m->Q[4],
                         m->Q[5], m->Q[6], m->Q[7], m->Q[8]},
                 t[3] = {m->t[0], m->t[1], m->t[2]};
    product(Q, P, m->Q);
    for (int i = 0; i < 3; i++)
        m->t[i] = Q[3 * i] * t[0] + Q[3 * i + 1] * t[1] + Q[3 * i + 2] * t[2];
    m->det *= det;
}

/* Right angles are exact. */
static void angle(double degrees, double *c, double *s)
{
    const double r = fmod(degrees, 360), quarter = floor(r / 90 + 0.5),
                 rest = (r - 90 * quarter) * (M_PI / 180), x = cos(rest), y = sin(rest);
    switch ((int)quarter & 3) {
    case 0:
        *c = x;
        *s = y;
        break;
    case 1:
        *c = -y;
        *s = x;
        break;
    case 2:
        *c = -x;
        *s = -y;
        break;
    default:
        *c = y;
        *s = -x;
    }
}

/* (MT.1) */
static void about(const double n[3], double degrees, double *Q)
{
    double c, s;
    angle(degrees, &c, &s);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double cross = i == j ? 0 : (j == (i + 1) % 3 ? -1 : 1) * n[3 - i - j];
            Q[3 * i + j] = clean(c * (i == j) + (1 - c) * n[i] * n[j] + s * cross);
        }
}

static int axis_of(const char *text, size_t n)
{
    return n == 1 && *text >= 'x' && *text <= 'z' ? *text - 'x' : -1;
}

/* v [n] becomes of length 1, however long or short it was; 0: it has no direction. */
static int unit_of(double *v, int n)
{
    double top = 0;
    for (int k = 0; k < n; k++)
        top = fmax(top, fabs(v[k]));
    for (int k = 0; k < n; k++)
        v[k] /= top; /* squares of what is left stay in range */
    fb_to_unit(v, n);
    return top > 0;
}

static int by_axis(const char *text, const char *colon, double *Q)
{
    const int a = axis_of(text, (size_t)(colon - text));
    double n[3] = {a == 0, a == 1, a == 2}, degrees = 0;
    if (a < 0 && fb_scan_reals(text, colon, n, 3) != 3)
        return 0;
    if (fb_scan_reals(colon + 1, colon + strlen(colon), &degrees, 1) != 1 || !unit_of(n, 3))
        return 0;
    about(n, degrees, Q);
    return 1;
}

/* (MT.2) */
static int by_quaternion(double *q, double *Q)
{
    if (!unit_of(q, 4))
        return 0;
    const double w = q[0], *v = q + 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double cross = i == j ? 0 : (j == (i + 1) % 3 ? -1 : 1) * v[3 - i - j];
            Q[3 * i + j] = clean((i == j) * (2 * w * w - 1) + 2 * v[i] * v[j] + 2 * w * cross);
        }
    return 1;
}

static double determinant(const double *Q)
{
    return Q[0] * (Q[4] * Q[8] - Q[5] * Q[7]) - Q[1] * (Q[3] * Q[8] - Q[5] * Q[6]) +
           Q[2] * (Q[3] * Q[7] - Q[4] * Q[6]);
}

/* (MT.3): the rotation of which digits were cut. */
static int by_matrix(const double *A, double *Q)
{
    double worst = 0;
    memcpy(Q, A, 9 * sizeof *Q);
    for (int turn = 0; turn < 6; turn++) {
        double Qt[9] = {0}, QQ[9] = {0}, QQQ[9] = {0};
        for (int k = 0; k < 9; k++)
            Qt[k] = Q[3 * (k % 3) + k / 3];
        product(Qt, Q, QQ);
        product(Q, QQ, QQQ);
        for (int k = 0; k < 9; k++) {
            worst = turn ? worst : fmax(worst, fabs(QQ[k] - unit[k]));
            Q[k] = clean((3 * Q[k] - QQQ[k]) / 2);
        }
    }
    return worst < 1e-3 && determinant(Q) > 0;
}

fb_status fb_move_rotate(fb_move *m, const char *option, const char *text, fb_err *e)
{
    const char *colon = strchr(text, ':');
    double v[9], Q[9];
    const int n = colon ? 0 : fb_scan_reals(text, text + strlen(text), v, 9);
    if (colon    ? !by_axis(text, colon, Q)
        : n == 4 ? !by_quaternion(v, Q)
        : n == 9 ? !by_matrix(v, Q)
                 : 1)
        return fb_fail(
            e, FB_EUSAGE,
            "%s: '%.120s' is not AXIS:DEGREES (z:30 or 1,1,0:30), a quaternion W,X,Y,Z, or "
            "nine numbers of a rotation by rows",
            option, text);
    then(m, Q, 1);
    return FB_OK;
}

fb_status fb_move_mirror(fb_move *m, const char *option, const char *text, fb_err *e)
{
    const int a = axis_of(text, strlen(text));
    double Q[9];
    if (a < 0)
        return fb_fail(e, FB_EUSAGE,
                       "%s: '%.40s' is not x, y or z: the axis across the mirror, which the origin "
                       "is on",
                       option, text);
    memcpy(Q, unit, sizeof Q);
    Q[4 * a] = -1;
    then(m, Q, -1);
    m->flip[a] = -m->flip[a];
    return FB_OK;
}

fb_status fb_move_translate(fb_move *m, const char *option, const char *text, fb_err *e)
{
    double v[3];
    if (fb_scan_reals(text, text + strlen(text), v, 3) != 3)
        return fb_fail(e, FB_EUSAGE, "%s: '%.80s' is not X,Y,Z", option, text);
    for (int a = 0; a < 3; a++)
        m->t[a] += v[a];
    return FB_OK;
}

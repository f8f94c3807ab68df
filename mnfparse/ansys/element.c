/* SPDX-License-Identifier: GPL-3.0-or-later */
/* element.c - Ansys' elements by the number in their name, and the axes of nodes.
 *
 * Order    of nodes as in Abaqus' elements; wedges, tetrahedra, ... have nodes that come again
 * Source   Mechanical APDL Element Reference */
#include "element.h"
#include "text/lines.h"
#include <math.h>
#include <string.h>

/* Element names by their number; nodes: of a whole element, in their order. Loads on surfaces
 * (151 to 156), contact and meshes without stiffness (200) are no part of the body. */
static const struct {
    short name;
    signed char dim; /* 0: nothing to draw */
    unsigned char nodes;
} names[] = {
    {185, 3, 8}, {186, 3, 20}, {187, 3, 10}, {45, 3, 8},  {95, 3, 20}, {92, 3, 10}, {285, 3, 4},
    {190, 3, 8}, {5, 3, 8},    {64, 3, 8},   {65, 3, 8},  {70, 3, 8},  {73, 3, 8},  {90, 3, 20},
    {87, 3, 10}, {226, 3, 20}, {227, 3, 10}, {72, 3, 4},  {46, 3, 8},  {181, 2, 4}, {281, 2, 8},
    {63, 2, 4},  {43, 2, 4},   {143, 2, 4},  {41, 2, 4},  {28, 2, 4},  {91, 2, 8},  {93, 2, 8},
    {99, 2, 8},  {182, 2, 4},  {183, 2, 8},  {42, 2, 4},  {82, 2, 8},  {25, 2, 4},  {83, 2, 8},
    {188, 1, 2}, {189, 1, 3},  {180, 1, 2},  {3, 1, 2},   {4, 1, 2},   {44, 1, 2},  {8, 1, 2},
    {10, 1, 2},  {16, 1, 2},   {14, 1, 2},   {39, 1, 2},  {40, 1, 2},  {288, 1, 2}, {289, 1, 3},
    {184, 1, 2}, {178, 1, 2},  {214, 1, 2},  {21, 0, 1},  {71, 0, 1},  {169, 0, 1}, {170, 0, 1},
    {171, 0, 1}, {172, 0, 1},  {173, 0, 1},  {174, 0, 1}, {175, 0, 1}, {176, 0, 1}, {177, 0, 1},
    {151, 0, 1}, {152, 0, 1},  {153, 0, 1},  {154, 0, 1}, {156, 0, 1}, {200, 0, 1}, {201, 0, 1},
};

static fb_topology topology(const char *type, int64_t n)
{
    const char *p = type;
    int64_t type_number;
    while (*p && (*p < '0' || *p > '9'))
        p++;
    if (!fb_is_int((fb_span){p, p + strlen(p)}, &type_number))
        return FB_UNKNOWN;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (names[k].name != type_number)
            continue;
        if (!names[k].dim)
            return FB_POINT;
        if (names[k].dim == 2 && (n == 3 || n == 6)) /* triangles that are written as such */
            return fb_topology_of(2, n);
        const fb_topology t = fb_topology_of(names[k].dim, names[k].nodes);
        const int corners = fb_element_kinds[t].solid->corners;
        return n < corners ? FB_UNKNOWN : n == corners ? fb_topology_of(names[k].dim, corners) : t;
    }
    return FB_UNKNOWN;
}

fb_status ans_element(fb_elements *x, int64_t id, const char *type, const int64_t *node, int64_t n,
                      fb_err *e)
{
    int64_t own[FB_ELEMENT_NODES] = {0};
    const fb_topology t = topology(type, n);
    if (t == FB_UNKNOWN)
        return fb_elements_odd(x, type, e);
    if (t == FB_POINT)
        return FB_OK;
    for (int64_t q = 0; q < n && q < fb_element_kinds[t].nodes; q++)
        own[q] = node[q];
    return fb_elements_add(x, id, t, own, e);
}

/* (AE.1) */
void ans_axes(const double a[3], double F[9])
{
    const double degree = acos(-1) / 180, cz = cos(a[0] * degree), sz = sin(a[0] * degree),
                 cx = cos(a[1] * degree), sx = sin(a[1] * degree), cy = cos(a[2] * degree),
                 sy = sin(a[2] * degree);
    const double R[9] = {cz * cy - sz * sx * sy,
                         -sz * cx,
                         cz * sy + sz * sx * cy,
                         sz * cy + cz * sx * sy,
                         cz * cx,
                         sz * sy - cz * sx * cy,
                         -cx * sy,
                         sx,
                         cx * cy};
    memcpy(F, R, sizeof R);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* element.c - the element types of Abaqus and CalculiX.
 *
 * Source   Abaqus Elements Guide, CalculiX 2.22 manual, section 6.2: a family, the number of nodes,
 *          letters that change the formulation alone
 */
#include "element.h"
#include <string.h>
#include <strings.h>

/* The first row whose letters the name begins with; nodes 0: the digits behind them say it. */
static const struct {
    const char *family;
    signed char dim; /* 0: nothing to draw */
    unsigned char nodes, expanded;
} families[] = {
    {"C3D", 3, 0, ABA_SOLID},     {"AC3D", 3, 0, ABA_SOLID},     {"DC3D", 3, 0, ABA_SOLID},
    {"Q3D", 3, 0, ABA_SOLID},     {"CSS", 3, 0, ABA_SOLID},      {"SC", 3, 0, ABA_SOLID},
    {"COH3D", 3, 0, ABA_SOLID},   {"GK3D", 3, 0, ABA_SOLID},     {"STRI65", 2, 6, ABA_LINE},
    {"STRI", 2, 0, ABA_LINE},     {"SFM3D", 2, 0, ABA_SOLID},    {"SPRINGA", 1, 2, ABA_SOLID},
    {"SPRING2", 1, 2, ABA_SOLID}, {"SPRING1", 0, 0, ABA_SOLID},  {"S", 2, 0, ABA_LINE},
    {"DS", 2, 0, ABA_LINE},       {"M3D", 2, 0, ABA_LINE},       {"CPS", 2, 0, ABA_PLANE},
    {"CPEG", 2, 0, ABA_PLANE},    {"CPE", 2, 0, ABA_PLANE},      {"CGAX", 2, 0, ABA_PLANE},
    {"CAX", 2, 0, ABA_PLANE},     {"COH2D", 2, 0, ABA_SOLID},    {"R3D", 2, 0, ABA_SOLID},
    {"RB", 1, 2, ABA_SOLID},      {"B21", 1, 2, ABA_LINE},       {"B22", 1, 3, ABA_LINE},
    {"B23", 1, 2, ABA_LINE},      {"B31", 1, 2, ABA_LINE},       {"B32", 1, 3, ABA_LINE},
    {"B33", 1, 2, ABA_LINE},      {"PIPE21", 1, 2, ABA_LINE},    {"PIPE22", 1, 3, ABA_LINE},
    {"PIPE31", 1, 2, ABA_LINE},   {"PIPE32", 1, 3, ABA_LINE},    {"ELBOW31", 1, 2, ABA_SOLID},
    {"ELBOW32", 1, 3, ABA_SOLID}, {"FRAME", 1, 2, ABA_SOLID},    {"T2D", 1, 0, ABA_LINE},
    {"T3D", 1, 0, ABA_LINE},      {"CONN", 1, 2, ABA_SOLID},     {"GAPUNI", 1, 2, ABA_SOLID},
    {"JOINT", 1, 2, ABA_SOLID},   {"DASHPOT1", 0, 0, ABA_SOLID}, {"DASHPOT", 1, 2, ABA_SOLID},
    {"MASS", 0, 0, ABA_SOLID},    {"ROTARYI", 0, 0, ABA_SOLID},  {"DCOUP", 0, 0, ABA_SOLID},
};

static int digit(char c)
{
    return c >= '0' && c <= '9';
}

static int64_t number(const char *p)
{
    int64_t n = 0;
    for (; digit(*p) && n < 1000; p++)
        n = 10 * n + (*p - '0');
    return n;
}

aba_type aba_type_of(const char *name)
{
    for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
        const char *family = families[k].family, *behind = name + strlen(family);
        aba_type t = {FB_POINT, (aba_expanded)families[k].expanded};
        if (strncasecmp(name, family, strlen(family)))
            continue;
        if (!families[k].nodes && families[k].dim && !digit(*behind))
            continue;
        if (families[k].dim)
            t.topology = fb_topology_of(families[k].dim,
                                        families[k].nodes ? families[k].nodes : number(behind));
        return t;
    }
    return (aba_type){FB_UNKNOWN, ABA_SOLID};
}

/* C3D27 has its centre before the middles of its faces; the middle of a line is its second node. */
void aba_order(fb_topology t, const int64_t *line, int n, int64_t node[FB_ELEMENT_NODES])
{
    for (int k = 0; k < fb_element_kinds[t].nodes; k++) {
        int from = k;
        if (t == FB_HEXA27 && k >= 20)
            from = k == 26 ? 20 : k + 1;
        if (t == FB_LINE3 && k)
            from = 3 - k;
        node[k] = from < n ? line[from] : 0;
    }
}

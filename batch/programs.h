/* SPDX-License-Identifier: GPL-3.0-or-later */
/* programs.h - the programs of a batch: the main() of each, under a name of its own (Makefile). */
#ifndef FB_PROGRAMS_H
#define FB_PROGRAMS_H

#define FB_PROGRAMS(X) \
    X(mnfparse) \
    X(reduce) \
    X(invariants) \
    X(correlate) \
    X(linkexport)

#define FB_PROGRAM(name) int fb_program_##name(int argc, char **argv);
FB_PROGRAMS(FB_PROGRAM)
#undef FB_PROGRAM
#endif

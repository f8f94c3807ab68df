#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make.sh [FOLDER] - makes the shipped samples anew; the tools and the generator are in PATH.
#   beam.mnf    round rod, 1 m x 20 mm, aluminium, 20 elements, lumped mass: 12 + 6 Craig-Bampton modes
#   lshape.mnf  two square rods of 0.5 m, 8 mm, with a mass at the elbow and a hub, 8 elements: 12 + 6
set -e
cd "${1:-$(dirname "$0")}"
frame --modal | reduce --cb 18 --interface 1,21 --orthonormalize | linkexport --to mnf -o beam.mnf
frame --shape lshape --elements 8 --length 0.5 --square 0.008 --elbow-mass 0.017 --hub-inertia 0.005569 --modal |
    reduce --cb 18 --interface 1,9 --orthonormalize | linkexport --to mnf -o lshape.mnf

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# records.sh [NAME]... - makes the link records of chains/, all or those named, here; the tools and frame are in PATH.
set -e
all="f1 f2 fl lc l3 l2 payload sp1 sp2 sp4 sp8 turn1 turn2 turn4 turn8 stiff pendulum canadarm1 canadarm2 canadarm3 crank slider"
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $all
aluminium="--young 7e10 --poisson 0.33 --density 2700"
hermite="--shape beam --element hermite --mass lumped"
record() { # name, coordinates, frame's options: with shapes, for pictures
    name=$1 order=$2
    shift 2
    frame "$@" | reduce --cb "$order" | invariants | linkexport --with-T -o "$name.h5"
}
spin() { # pieces of the 8 m beam of Scaglioni 2.4.3
    record "sp$1" 16 $hermite --elements 20 --length "$(awk "BEGIN { print 8 / $1 }")" --diameter 0.0096403 --young 1.3359e12 --poisson 0.3 --density 2767
}
turning() { # pieces of a beam of 1 m with E A L^2 / E I = 1e6, E I / rho A L^4 = 1: square 0.2 * sqrt(3) / 100; name, options
    name=${2:-turn$1}
    record "$name" 16 $3 $hermite --elements "$(awk "BEGIN { n = 32 / $1; print n < 8 ? 8 : n }")" --length "$(awk "BEGIN { print 1 / $1 }")" \
        --square 0.00346410161514 --young 1e6 --poisson 0.3 --density 1
}
arm() { # number, length, mass: a link of Mohan and Saha's Canadarm, E I = 1e5 N m^2
    record "canadarm$1" 20 $hermite --elements 24 --length "$2" --diameter 0.2 --young 1.27323954e9 --poisson 0.3 \
        --density "$(awk "BEGIN { printf \"%.15g\", $3 / ($2 * atan2(0, -1) / 100) }")"
}
for want in "$@"; do
    case $want in
    f1) record f1 18 $hermite --elements 16 --length 1 --square 0.02 $aluminium ;;
    f2) record f2 18 $hermite --elements 16 --length 0.7 --square 0.015 $aluminium ;;
    fl) record fl 18 --shape lshape --elements 16 --mass lumped --length 0.5 --square 0.008 $aluminium ;;
    lc) frame --shape lshape --elements 16 --mass consistent --length 0.5 --square 0.008 $aluminium |
        reduce --cb 18 | invariants | linkexport --connectors 1,9,17 --with-T -o lc.h5 ;;
    l3 | l2) record "$want" 18 --shape lshape --elements $((2 * (${want#l} - 1))) --mass lumped --length 0.5 --square 0.008 --elbow-mass 0.017 \
        --hub-inertia 0.005569 $aluminium ;;
    payload) # one node: 0.4 kg, 1e-4 kg m^2, and a stiffness of zeros
        printf '%%%%MatrixMarket matrix coordinate real symmetric\n6 6 0\n' >payload-K.mtx
        printf '%%%%MatrixMarket matrix coordinate real symmetric\n6 6 6\n1 1 0.4\n2 2 0.4\n3 3 0.4\n4 4 1e-4\n5 5 1e-4\n6 6 1e-4\n' >payload-M.mtx
        echo 1 0 0 0 >payload-nodes.txt
        mnfparse payload-K.mtx payload-M.mtx --dofs-per-node 6 --nodes payload-nodes.txt --interface 1 --input-units SI |
            reduce --cb 6 | invariants | linkexport -o payload.h5 ;;
    sp*) spin "${want#sp}" ;;
    turn*) turning "${want#turn}" ;;
    stiff) turning 1 stiff --geometric ;; # in one piece, with its geometric stiffness
    pendulum) record pendulum 20 $hermite --elements 20 --length 0.4 --diameter 0.0478730736 --young 47123889.8 --poisson 0.3 --density 5540 ;;
    canadarm1) arm 1 6 140 ;;
    canadarm2) arm 2 7 85 ;;
    canadarm3) arm 3 2 95 ;;
    crank) record crank 20 $hermite --elements 15 --length 0.152 --diameter 0.01 --young 5e7 --poisson 0.3 --density 2767 ;;
    slider) record slider 20 $hermite --elements 30 --length 0.304 --diameter 0.01 --young 1e9 --poisson 0.3 --density 2767 ;;
    *) echo "records.sh: there is no record $want; there are $all" >&2; exit 2 ;;
    esac
done

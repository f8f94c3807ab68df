#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kernels.sh - the parts of a reduction as ratios, on models of 27,000 and 100,000 dofs (there without ARPACK), with BENCH_FULL=1
# of 320,000, too, and 500 modes of 100,000; fails where eigensolvers and count do not agree. `mesh` and `kernels` are in PATH
# (make bench).
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
on() { # cells along x, options of kernels
    n=$1
    shift
    dofs=$(mesh -v --nx "$n" --ny $((n / 2)) --nz "$n" --thick $((n / 4)) -o "$dir/m.h5" 2>&1 |
        sed -n 's/^mesh: \([0-9]*\) dofs.*/\1/p')
    echo "== $dofs dofs, 20-node hexahedra $*"
    warm "$((n / 8))"
    kernels "$@" "$dir/m.h5" || bad=1
}
on 20
on 32 --no-arpack
if [ -n "$BENCH_FULL" ]; then
    on 32 --modes 500 --no-arpack
    on 48
fi
exit $bad

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# reduce.sh [NX NY NZ] - Craig-Bampton reductions of a block of hexahedra: 120 boundary dofs and 100 modes, 12 and
# 18; time and peak memory by phase, then the same work by peers on the same matrices. The tools and `block` are
# in PATH (make bench). PEERS: which ones, default "scipy slepc"; "no": none. Default 40 15 15: 31,488 dofs;
# 60 23 23 makes 105,408, where scipy takes long.
set -e
[ -x /usr/bin/time ] || { echo "reduce: wants GNU time (Debian package time)"; exit 1; }
nx=${1:-40} ny=${2:-15} nz=${3:-15}
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
block --nx "$nx" --ny "$ny" --nz "$nz" --lx "$((nx)).0e-2" --ly "$((ny)).0e-2" --lz "$((nz)).0e-2" -o "$dir/block.h5"
last=$(((nx + 1) * (ny + 1) * (nz + 1)))
core=$(reduce --version | sed -n 's/.*core \([^ ,]*\).*/\1/p')
echo "block of $((3 * last)) dofs, $(nproc) processors, core $core"
case_of() { # boundary, modes, interface
    echo "== $1 boundary dofs, $2 modes"
    /usr/bin/time -o "$dir/took" -f "%e %U %S %M" reduce -v --method cb --modes "$2" --interface "$3" "$dir/block.h5" \
        -o "$dir/reduced.h5" 2>"$dir/log"
    grep -E ' s, |inertia counts|modes by' "$dir/log" | sed 's/^reduce: /  /'
    took=$(awk '{ printf "%.2f %.2f %.4g", $1, $2 + $3, $4 / 1048576 }' "$dir/took")
    echo "$took" | awk '{ print "  flexbody in all: " $1 " s, CPU " $2 " s, " $3 " GiB" }'
    [ "$PEERS" = no ] && return
    # Debian's interpreter sees Debian's modules. The same kernels for all: what reduce found out, its peers are told.
    python=$(command -v /usr/bin/python3 || command -v python3) || { echo "  no python3: no peers"; return; }
    # shellcheck disable=SC2086
    OPENBLAS_CORETYPE=$core "$python" "$here/peers.py" "$dir/block.h5" "$dir/reduced.h5" $took ${PEERS:-scipy slepc} |
        sed 's/^/  /'
}
case_of 120 100 "1-20,$((last - 19))-$last"
case_of 12 18 "1,$(((ny + 1) * (nz + 1))),$((last - (ny + 1) * (nz + 1) + 1)),$last"

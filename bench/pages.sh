# pages.sh [N] - the way of a mesh of N^3 hexahedra, as a deck beside its matrices in Matrix Market, to pictures: the matrices
# alone, the same with the deck (elements, skin, sets), and from the reduced body the page, glb and vtu of 12 modes. Seconds
# are of the processor, all threads together; warm cache, the best of three runs; peak memory by GNU time. N is 40 unless
# given, 100 by make bench-full (10^6 elements: 5 GB of text, 10 GB of disk, 8 GB of memory; nothing is reduced there).
# Aim: matrices with the deck in at most 1.5 times the time of the matrices alone.
set -e
[ -x /usr/bin/time ] || { echo "pages: wants GNU time (Debian package time)"; exit 1; }
best() { # command: smallest processor seconds and its peak kB
    for run in 1 2 3; do
        /usr/bin/time -f "%U %S %M" -o t sh -c "$1" >/dev/null 2>&1 || { echo "pages: failed: $1" >&2; exit 1; }
        awk '{ print $1 + $2, $3 }' t
    done | sort -n | head -1
}
row() { # name seconds kB, seconds to compare with
    echo "$@" | awk '{ printf "%-28s %8.2f s %8.0f MB", $1, $2, $3 / 1024; if ($4) printf "   %.2f of the matrices alone", $2 / $4; print "" }'
}
n=${1:-${BENCH_FULL:+100}} n=${n:-40}
mesh -q --kind hex8 --nx "$n" --ny "$n" --nz "$n" --boundary 48 --deck deck.inp -o mesh.h5
linkexport -q --to mm mesh.h5 -o mm
rm mesh.h5
echo "$n^3 = $((n * n * n)) hexahedra, $(awk '!/^%/ { print $1, "dofs,", $3, "entries of K"; exit }' mm/K.mtx), text $(($(cat mm/K.mtx mm/M.mtx deck.inp | wc -c) / 1000000)) MB"
read='mnfparse -q --stiffness mm/K.mtx --mass mm/M.mtx --dofs-per-node 3'
# shellcheck disable=SC2046
set -- $(best "$read -o alone.h5")
row matrices "$@"
alone=$1
# shellcheck disable=SC2046
row matrices-and-deck $(best "$read deck.inp -o full.h5") "$alone"
[ "$n" -le 50 ] || exit 0
reduce -q --cb 60 --interface HELD full.h5 | invariants -q -o body.h5
for to in html glb vtu; do
    # shellcheck disable=SC2046
    row $to $(best "rm -rf out; linkexport -q --to $to $([ $to = html ] || echo --modes 7-18) body.h5 -o out")
    echo "    $(du -sb out | cut -f 1) bytes"
done

# SPDX-License-Identifier: GPL-3.0-or-later
# mpi.sh - reduce-mpi on 1, 2 and 4 ranks of this machine beside reduce, on 44,000 dofs (BENCH_FULL=1: 100,000, and 320,000 out of
# core): the worst rank's memory, processor time of all ranks, and the modes beside SLEPc's Krylov-Schur on MUMPS on as many ranks, both with one thread a rank.
# Aims: memory of 2 and 4 ranks at most 0.65 and 0.37 of one's; processor time of one rank at most 2 times reduce's, of 2 ranks 1.4
# times one's; SLEPc 3 times the time of the modes (factor and iteration); out of core 0.4 of the memory in core. PEERS=no leaves SLEPc out.
set -e
command -v mpirun >/dev/null && command -v reduce-mpi >/dev/null || { echo "mpi: wants make mpi and mpirun"; exit 1; }
[ -x /usr/bin/time ] || { echo "mpi: wants GNU time (Debian package time)"; exit 1; }
here=$(dirname "$0")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_hwloc_base_binding_policy=none
on() { ranks=$1; shift; rm -f t; warm "$warm"; mpirun -q --oversubscribe -n "$ranks" /usr/bin/time -f "%U %S %M" -a -o t "$@"; }
sums() { awk '{ cpu += $1 + $2; if ($3 > most) most = $3 } END { print cpu, most / 1024 }' t; }
spent() { # the factor of the statics, which serves the modes, or theirs; iteration
    awk '/factor for static solutions:/ { f += $6 } /fixed-interface modes: factor/ { f += $5; i = $8 } END { print f, i }' log
}
model() { # cells along x
    mesh -v --nx "$1" --ny $(($1 / 2)) --nz "$1" --thick $(($1 / 4)) -o m.h5 2>&1 | sed -n 's/^mesh: \([0-9]*\) dofs.*/\1 dofs, 20-node hexahedra, 120 boundary dofs, 100 modes/p'
    warm "$warm"
    /usr/bin/time -f "%U %S %M" -o t reduce -q --cb 220 m.h5 -o o.h5
    echo "reduce $(sums)" | tee alone | awk '{ printf "  reduce           %6.1f s of processors, %5.0f MiB\n", $2, $3 }'
    for n in 1 2 4; do
        on $n reduce-mpi -v --cb 220 m.h5 -o o.h5 2>log
        echo "$(sums) $(spent)" >now
        [ $n -gt 1 ] || cp now one
        peer=
        [ "$PEERS" = no ] || warm "$warm"
        [ "$PEERS" = no ] || peer=$(OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 mpirun -q --oversubscribe -n $n /usr/bin/python3 "$here/peers_mpi.py" m.h5 100 2>/dev/null) || peer=
        echo "$n $(cat now) $(cut -d' ' -f2- alone) $(cat one) $peer" | awk '{
            printf "  reduce-mpi, %d ranks %5.1f s of processors, %5.0f MiB the worst rank; factor %.3g s, modes %.3g s\n", $1, $2, $3, $4, $5
            if ($1 == 1) printf "    processor time / reduce'"'"'s %.2f, aim <= 2: %s\n", $2 / $6, $2 <= 2 * $6 ? "met" : "missed"
            aim = $1 == 2 ? 0.65 : 0.37
            if ($1 > 1) printf "    memory / one rank'"'"'s %.2f, aim <= %.2f: %s; processor time / one rank'"'"'s %.2f\n", $3 / $9, aim, $3 <= aim * $9 ? "met" : "missed", $2 / $8
            if (NF > 12) printf "    SLEPc with MUMPS %.3g + %.3g s: %.2f times, aim >= 3: %s\n", $12, $13, ($12 + $13) / ($4 + $5), ($12 + $13 >= 3 * ($4 + $5)) ? "met" : "missed" }'
    done
}
warm=3
model 24
[ -n "$BENCH_FULL" ] || exit 0
warm=5
model 32
warm=8
mesh --nx 48 --ny 24 --nz 48 --thick 12 -o m.h5
for folder in "" "--out-of-core ."; do
    # shellcheck disable=SC2086
    on 1 reduce-mpi -q --cb 138 $folder m.h5 -o o.h5
    [ -z "$folder" ] && sums >core
    echo "  320,000 dofs, 18 modes, 1 rank ${folder:-in core}: $(sums | awk '{ printf "%.0f s of processors, %.0f MiB", $1, $2 }')"
done
echo "$(sums) $(cat core)" | awk '{ printf "    memory out of core / in core %.2f, aim <= 0.40: %s\n", $2 / $4, $2 <= 0.4 * $4 ? "met" : "missed" }'

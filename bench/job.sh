# SPDX-License-Identifier: GPL-3.0-or-later
# job.sh [CELLS] - the whole job: stiffness and mass as text by Abaqus and the deck that has nodes and the set of the
# boundary, to a link record of 12 boundary dofs and 18 modes. The pipe, the median of three runs; its programs one by one,
# from file to file; the phases of reduce; and scipy, which reads and reduces the same (peers.py; one thread of OpenBLAS,
# with two SuperLU takes longer). Fails where eigenvalues differ by 1e-8. CELLS 32: 99,747 dofs, 10.6 million lines, two
# minutes of scipy; PEERS=none: without it; BENCH_LIMIT=S: seconds that it has, 600. Tools and `mesh` are in PATH (make bench).
# Aims: a tenth of scipy's time; start, input and output of reduce at most 0.04 of its work (all but the count).
set -e
[ -x /usr/bin/time ] || { echo "job: wants GNU time (Debian package time)"; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
n=${1:-32} modes=18
mesh -v --nx "$n" --ny $((n / 2)) --nz "$n" --thick $((n / 4)) --boundary 12 --deck job.inp --abaqus job -o mesh.h5 2>&1 |
    sed 's/^mesh: /  /'
rm mesh.h5
cat job_STIF1.mtx job_MASS1.mtx job.inp | wc -lc | awk '{ printf "  text: %.1f million lines, %.0f MB\n", $1 / 1e6, $2 / 1e6 }'
for _ in 1 2 3; do
    warm 2
    /usr/bin/time -o took -f "%e %U %S %M" sh -c "mnfparse -q job_STIF1.mtx job_MASS1.mtx job.inp |
        reduce -q --method cb --modes $modes --interface HELD | invariants -q | linkexport -q -o record.h5"
    cat took
done | sort -n | sed -n 2p >pipe
row() { # name: a line of the table from what GNU time says
    awk -v name="$1" '{ printf "  %-12s %7.2f s, CPU %7.2f s, %5.2f GiB\n", name, $1, $2 + $3, $4 / 1048576 }'
}
stage() { # program arguments...
    warm 2
    /usr/bin/time -o took -f "%e %U %S %M" "$@" 2>said
    row "$1" <took
    cut -d' ' -f1 took >>each
}
: >each
row pipe <pipe
stage mnfparse -q job_STIF1.mtx job_MASS1.mtx job.inp -o full.h5
stage reduce -v --method cb --modes "$modes" --interface HELD full.h5 -o reduced.h5
awk -v took="$(cut -d' ' -f1 took)" '
    function aim(x, most) { return x <= most ? "met" : "missed" }
    { sub(/^reduce: /, "") }
    / s, memory at most / {
        name = seconds = $0
        sub(/: [^:]* s, memory.*/, "", name)
        sub(/ s, memory.*/, "", seconds)
        sub(/.*: /, "", seconds)
        printf "      %-34s %6.2f s\n", name, seconds
        sum += seconds
        if (name ~ /input/ || name == "output") ends += seconds
    }
    /: factor .* s, iteration .* s, count .* s$/ { count = $(NF - 1) }
    END {
        printf "      %-34s %6.2f s\n", "all else", took - sum
        printf "  reduce: start, input and output %.2f s, %.3f of the work, aim <= 0.04: %s\n", ends, ends / (took - count),
            aim(ends / (took - count), 0.04)
    }' said
stage invariants -q reduced.h5 -o body.h5
stage linkexport -q body.h5 -o record.h5
awk 'NR == FNR { sum += $1; next } { printf "  %-12s %7.2f s of the programs one by one: the pipe takes %.2f of it\n", "sum", sum, $1 / sum }' each pipe
roots reduced.h5 >ours
rm full.h5 reduced.h5 body.h5
python=$(command -v /usr/bin/python3 || command -v python3) || python=
[ "$PEERS" != none ] && [ -n "$python" ] || exit 0
code=0
warm 4
OPENBLAS_CORETYPE=$(reduce --version | sed -n 's/.*core \([^ ,]*\).*/\1/p') OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 \
    timeout "${BENCH_LIMIT:-600}" /usr/bin/time -o took -f "%e %U %S %M" "$python" "$here/peers.py" scipy job "$modes" theirs >said || code=$?
case $code in
77 | 124) echo "  scipy skipped: $([ $code = 77 ] && echo not installed || echo "more than ${BENCH_LIMIT:-600} s")"; exit 0 ;;
0) ;;
*) exit 1 ;;
esac
row scipy <took
awk '/^(read|factor|constraint|modes|reduce) / { printf "      %-34s %6.2f s\n", $1, $2 }' said
paste -d' ' pipe took | awk '{ r = $5 / $1; printf "  scipy takes %.1f times the time of the pipe, aim 10: %s\n", r, (r >= 10) ? "met" : "missed" }'
paste ours theirs | head -n "$modes" | awk '
    { n++; d = $1 / $2 - 1; if (d < 0) d = -d; if (d > worst) worst = d }
    END { printf "  %d eigenvalues differ by %.1e at most\n", n, worst; exit !(n > 0 && worst < 1e-8) }' || { echo "  NOT EQUAL"; exit 1; }

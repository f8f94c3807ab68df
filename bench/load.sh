#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# load.sh [CELLS] - one reduction alone, repeated, on one thread, and while every processor runs another job: fails
# where two runs give different bytes or where frequencies differ by more than 1e-10 between one thread and several; the
# ratios of time are printed. Tools and `mesh` are in PATH (make bench). Default 16 cells: 14,000 dofs; with BENCH_FULL=1
# 32: 100,000. Aims: under load twice the time at most, and CPU time less than a third more.
set -e
[ -x /usr/bin/time ] || { echo "load: wants GNU time (Debian package time)"; exit 1; }
if [ -n "$BENCH_FULL" ]; then n=${1:-32}; else n=${1:-16}; fi
dir=$(mktemp -d)
jobs=
quiet() {
    for job in $jobs; do kill "$job" 2>/dev/null || :; done
    jobs=
}
trap 'quiet; rm -rf "$dir"' EXIT
mesh --nx "$n" --ny $((n / 2)) --nz "$n" --thick $((n / 4)) -o "$dir/m.h5"
reduction() { # name [VARIABLE=VALUE]: name.h5, time and CPU time in name.took
    name=$1
    shift
    /usr/bin/time -o "$dir/$name.took" -f "%e %U %S" env "$@" reduce --method cb --modes 100 "$dir/m.h5" -o "$dir/$name.h5"
    awk -v name="$name" '{ printf "  %-10s %7.2f s, CPU %7.2f s\n", name, $1, $2 + $3 }' "$dir/$name.took"
}
bad=0
echo "== $(nproc) processors"
reduction alone
reduction again
cmp "$dir/alone.h5" "$dir/again.h5" && echo "  the same bytes on repetition" || bad=1
reduction thread1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
reduction thread2 OPENBLAS_NUM_THREADS=2 OMP_NUM_THREADS=2
for name in thread1 thread2; do roots -f "$dir/$name.h5" >"$dir/$name.f"; done
# The rigid motions' zeros are round-off: they are not compared.
paste "$dir/thread1.f" "$dir/thread2.f" | awk '
    { a[NR] = $1; b[NR] = $2; if ($1 > top) top = $1 }
    END {
        for (k = 1; k <= NR; k++) {
            if (a[k] < 1e-5 * top)
                continue
            n++
            d = a[k] / b[k] - 1
            if (d < 0) d = -d
            if (d > worst) worst = d
        }
        printf "  one and two threads: %d frequencies, largest relative difference %.1e\n", n, worst
        exit !(n > 0 && worst < 1e-10)
    }' || { echo "  NOT EQUAL"; bad=1; }
for _ in $(seq "$(nproc)"); do
    awk 'BEGIN { for (;;) x = x * 0.5 + 1 }' &
    jobs="$jobs $!"
done
reduction loaded
quiet
cmp "$dir/alone.h5" "$dir/loaded.h5" && echo "  the same bytes under load" || bad=1
cat "$dir/alone.took" "$dir/again.took" "$dir/loaded.took" | awk '
    { t[NR] = $1; c[NR] = $2 + $3 }
    function says(x, most) { return x <= most ? "met" : "missed" }
    END {
        a = t[1] < t[2] ? t[1] : t[2]
        b = c[1] < c[2] ? c[1] : c[2]
        printf "  under load: time %.2f times, aim <= 2: %s; CPU time %.2f times, aim <= 1.33: %s\n", t[3] / a,
            says(t[3] / a, 2), c[3] / b, says(c[3] / b, 1.33)
    }'
exit $bad

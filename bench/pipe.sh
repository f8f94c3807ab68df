# SPDX-License-Identifier: GPL-3.0-or-later
# pipe - reading, writing and passing on a body of 500 MB, against cp of the same file: warm cache, five
# runs of each in turn, medians; peak memory by GNU time. Rates are bytes of the .mnf by elapsed time; the
# CPU time stands beside it, because a busy machine spoils the first and not the second.
# Aim: a third of cp's rate, memory no more than the model.
set -e
[ -x /usr/bin/time ] || { echo "pipe: wants GNU time (Debian package time)"; exit 1; }
OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
mkmnf -o big.mnf
mnfparse big.mnf -o big.h5
size=$(wc -c <big.mnf)
model=$(wc -c <big.h5)

measure() { # name command: elapsed, CPU seconds and kB of the heaviest process, one line a run
    rm -f out.mnf out.h5
    /usr/bin/time -f "%e %U %S %M" -o t sh -c "$2"
    echo "$1 $(cat t)" >>runs
}
for run in 1 2 3 4 5; do
    measure cp "cp big.mnf out.mnf"
    measure read "mnfparse big.mnf -o out.h5"
    measure write "linkexport --to mnf big.h5 -o out.mnf"
    measure out "mnfparse big.mnf | cat >out.h5"
    measure in "cat big.h5 | linkexport --to mnf -o out.mnf"
    measure pass "mnfparse big.mnf | linkexport --to mnf -o out.mnf"
done
cmp out.mnf big.mnf
awk -v size="$size" -v model="$model" '
function median(name, column,    n, i, j, v, x) {
    n = 0
    for (i = 1; i <= rows; i++)
        if (row[i, 1] == name)
            v[++n] = column == 3 ? row[i, 3] + row[i, 4] : row[i, column]
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && v[j] < v[j - 1]; j--) { x = v[j]; v[j] = v[j - 1]; v[j - 1] = x }
    return v[int((n + 1) / 2)]
}
function line(name, what,    e, c) {
    e = median(name, 2)
    c = median(name, 3)
    printf "%-44s %6.2f s %7.0f MB/s  %5.2f of cp   CPU %5.2f s  %5.2f of cp   %4.2f of the model\n", what, e, size / 1e6 / e,
        median("cp", 2) / e, c, median("cp", 3) / c, median(name, 5) * 1024 / model
}
{ rows++; for (k = 1; k <= 5; k++) row[rows, k] = $k }
END {
    printf ".mnf %.0f MB, stream %.0f MB; medians of %d runs; memory: peak of the largest process\n", size / 1e6, model / 1e6, rows / 6
    line("cp", "cp")
    line("read", "read:  mnfparse FILE -o FILE")
    line("write", "write: linkexport --to mnf FILE -o FILE")
    line("out", "pipe:  mnfparse FILE | cat")
    line("in", "pipe:  cat | linkexport --to mnf -o FILE")
    line("pass", "both:  mnfparse FILE | linkexport --to mnf")
}' runs

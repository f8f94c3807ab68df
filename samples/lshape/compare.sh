#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# compare.sh [FOLDER [MODEL]] - chapter 4 of the thesis: the L-shaped frame of 16 elements reduced to order 18 by
# five methods, and the modes of each against those of the full model: MAC, NCO, CO as tables (correlation.txt,
# .csv) and as a figure (correlation.svg), frequency errors, times, and what is published beside what is computed.
# The tools and the generator `frame` are in PATH. FOLDER keeps the files; MODEL is a full model of the frame to
# take instead of the generator's. Exit status 1 where a published digit is missed. Only published values are
# written here: L. Scalera, PhD thesis, University of Udine 2018, tables 4.1 and 4.2.
set -e
dir=${1:-}
[ -n "$dir" ] || { dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; }
mkdir -p "$dir"
full=${2:-$dir/full.h5}
[ $# -ge 2 ] || frame --shape lshape --elements 16 --element linear --mass consistent --length 0.5 --square 0.008 -o "$full"
: >"$dir/times"
# method NAME REDUCE-OPTIONS
method() {
    name=$1
    shift
    start=$(date +%s.%N)
    reduce -q "$@" "$full" -o "$dir/$name.h5"
    echo "$name $start $(date +%s.%N) $*" >>"$dir/times"
}
method CB --cb 18
method IMR --method imr --select 1,21,26,27,40,48
method Guyan --guyan 18 --masters 1,9,17
method LSMR --lsmr 18 --masters 1,9,17
method MDM --mdm 18
method MDM24 --mdm 24

models="CB IMR Guyan LSMR MDM"
files=$(for m in $models; do echo "$dir/$m.h5"; done)
# shellcheck disable=SC2086
correlate --as-published -n 18 "$full" $files --csv "$dir/correlation.csv" --svg "$dir/correlation.svg" -o "$dir/correlation.txt"
correlate --as-published -n 24 --mac "$full" "$dir/MDM24.h5" -o "$dir/MDM24.txt"
cat "$dir/correlation.txt"

echo "Frequency errors [%], modes in their order"
awk -F, '$2 == "\"MAC\"" || $2 == "MAC" { if ($3 == $5 && $3 > 6) { gsub(/"|\.h5/, "", $1); f[$3] = $4; x[$3, $1] = 100 * ($6 / $4 - 1); if ($3 > n) n = $3 } }
    END {
        m = split("'"$models"'", name, " ")
        printf "%4s %14s", "mode", "full [Hz]"
        for (k = 1; k <= m; k++) printf " %10s", name[k]
        printf "\n"
        for (i = 7; i <= n; i++) {
            printf "%4d %14.6f", i, f[i]
            for (k = 1; k <= m; k++) printf " %10.4f", (x[i, name[k]] ^ 2 < 1e-10 ? 0 : x[i, name[k]])
            printf "\n"
        }
    }' "$dir/correlation.csv"
echo
echo "Reduction, wall time [s]"
awk '{ t = $3 - $2; n = $1; $1 = $2 = $3 = ""; printf "%-6s %6.2f  reduce%s\n", n, t, substr($0, 3) }' "$dir/times"
echo

# One line of the statistics: the numbers of MODEL and CRITERION as they are printed, in the order mean, first
# diagonal below 0.9, largest and mean entry beside the diagonal.
statistics() {
    awk -v model="$1.h5" -v criterion="$2" '$2 == "against" { on = $1 == model } on && NF == 6 && $1 == criterion { print $3, $4, $5, $6 }' "$3"
}
total=0 off=0
# published MODEL CRITERION FILE "MEAN FIRST OFF-MAX OFF-MEAN", a ? where nothing is listed
published() {
    have=$(statistics "$1" "$2" "$3")
    note=$(echo "$4 $have" | awk '{
        for (k = 1; k <= 4; k++) {
            if ($k == "?") continue
            n++
            same = k == 2 ? $k == $(k + 4) : $(k + 4) != "" && $k == sprintf("%.4f", $(k + 4))
            bad += !same
        }
        printf "%d %d", n, bad
    }')
    n=${note% *} b=${note#* }
    total=$((total + n)) off=$((off + b))
    # shellcheck disable=SC2086
    printf '%-6s %-4s %8s %6s %8s %8s   %8s %6s %8s %8s%s\n' "$1" "$2" $have $4 "$([ "$b" -eq 0 ] || echo '  <- off')"
}
all=$dir/correlation.txt
echo "Tables 4.1 and 4.2: computed, then published (? not listed)"
printf '%-6s %-4s %8s %6s %8s %8s   %8s %6s %8s %8s\n' model "" mean "< 0.9" off-max off-mean mean "< 0.9" off-max off-mean
set -f # a ? is no file name
published CB MAC "$all" "0.6952 12 0.9989 ?"
published CB NCO "$all" "0.7057 12 0.9996 0.0111"
published CB CO "$all" "0.7136 12 0.9998 0.0148"
published IMR MAC "$all" "0.6340 9 0.8609 ?"
published IMR NCO "$all" "0.6449 12 0.6790 0.0030"
published IMR CO "$all" "0.6694 12 0.8240 0.0094"
published Guyan MAC "$all" "0.7511 11 0.8136 ?"
published Guyan NCO "$all" "? ? ? ?"
published Guyan CO "$all" "? ? ? ?"
published LSMR MAC "$all" "1.0000 - 0.6672 ?"
published LSMR NCO "$all" "1.0000 - 0.0000 0.0000"
published LSMR CO "$all" "1.0000 - 0.0000 0.0000"
published MDM MAC "$all" "? ? ? ?"
published MDM NCO "$all" "1.0000 - 0.0000 0.0000"
published MDM CO "$all" "1.0000 - 0.0000 0.0000"
# The published MAC of MDM is that of 24 modes, 6 rigid and 18 elastic.
published MDM24 MAC "$dir/MDM24.txt" "1.0000 - 0.8540 ?"
echo "$total numbers, $off off"
[ "$off" -eq 0 ]

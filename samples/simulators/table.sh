#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# table.sh RUN.h5 NAME... - datasets of /run, a row a time, columns divided by tabs: table.sh run.h5 t theta tip; frequency and growth
# are of the start, and make one row: table.sh run.h5 frequency
[ $# -gt 1 ] || { echo "usage: table.sh RUN.h5 NAME..., of /run: theta, tip, ..." >&2; exit 2; }
[ -r "$1" ] || { echo "table.sh: $1 cannot be read" >&2; exit 5; }
run=$1 times='' once=0
shift
for name in "$@"; do
    case $name in frequency | growth) once=1 ;; *) times=$name ;; esac
    h5dump -H -d "/run/$name" "$run" >/dev/null 2>&1 || { echo "table.sh: $run has no /run/$name; h5dump -n lists what it has" >&2; exit 3; }
done
[ $once = 0 ] || [ -z "$times" ] || { echo "table.sh: frequency and growth are of the start, $times has a row a time: ask for them apart" >&2; exit 2; }
for name in t "$@"; do
    echo "@ $name"
    h5dump -A 0 -y -w 1 -m %.14g -d "/run/$name" "$run" | awk '/^ *DATA \{/ { on = 1; next } /^ *}/ { on = 0 } on { gsub(/[ ,]/, ""); if ($0 != "") print }'
done | awk -v once=$once '
/^@/ { k = NR > 1 ? k + 1 : 0; name[k] = $2; next }
{ x[k, n[k]++] = $0 }
END {
    rows = once ? 1 : n[0]
    for (r = 0; r < rows; r++) {
        line = ""
        for (j = 1; j <= k; j++)
            for (c = 0; c < n[j] / rows; c++)
                line = line (line == "" ? "" : "\t") x[j, r * (n[j] / rows) + c]
        print line
    }
}'

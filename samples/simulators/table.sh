#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# table.sh RUN.h5 NAME... - datasets of /run, a row a time, columns divided by tabs: table.sh run.h5 t theta tip
[ $# -gt 1 ] || { echo "usage: table.sh RUN.h5 NAME..., of /run: theta, tip, ..." >&2; exit 2; }
[ -r "$1" ] || { echo "table.sh: $1 cannot be read" >&2; exit 5; }
run=$1
shift
for name in "$@"; do
    h5dump -H -d "/run/$name" "$run" >/dev/null 2>&1 || { echo "table.sh: $run has no /run/$name; h5dump -n lists what it has" >&2; exit 3; }
done
for name in t "$@"; do
    echo "@ $name"
    h5dump -A 0 -y -w 1 -m %.14g -d "/run/$name" "$run" | awk '/^ *DATA \{/ { on = 1; next } /^ *}/ { on = 0 } on { gsub(/[ ,]/, ""); if ($0 != "") print }'
done | awk '
/^@/ { k = NR > 1 ? k + 1 : 0; name[k] = $2; next }
{ x[k, n[k]++] = $0 }
END {
    for (r = 0; r < n[0]; r++) {
        line = ""
        for (j = 1; j <= k; j++)
            for (c = 0; c < n[j] / n[0]; c++)
                line = line (line == "" ? "" : "\t") x[j, r * (n[j] / n[0]) + c]
        print line
    }
}'

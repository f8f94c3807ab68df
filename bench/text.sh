# SPDX-License-Identifier: GPL-3.0-or-later
# text.sh [NX NY NZ] - matrices of 10^7 entries as text: Matrix Market, Abaqus, Nastran DMIG, CalculiX .sti; and as
# Ansys' binary .full. The reader alone, mnfparse from file to stream, `wc -l` of the same bytes, and scipy's mmread
# of the first. Seconds are of the processor, all threads together; warm cache, the best of three runs; peak memory
# by GNU time against the matrix that comes out. Entries are those in the file, nonzeros those of the whole matrix.
# mktext and readtext are in PATH (make bench); PEERS=no leaves scipy out.
# Aim: text 20 million nonzeros a second, binary 300 MB/s in the reader; memory at most twice the matrix.
set -e
[ -x /usr/bin/time ] || { echo "text: wants GNU time (Debian package time)"; exit 1; }
here=$(dirname "$0")
best() { # command: smallest processor seconds and its peak kB
    for run in 1 2 3; do
        /usr/bin/time -f "%U %S %M" -o t sh -c "$1" >/dev/null 2>&1
        awk '{ print $1 + $2, $3 }' t
    done | sort -n | head -1
}
for kind in mm abaqus dmig sti full; do
    case $kind in mm) f=K.mtx ;; abaqus) f=job_STIF1.mtx ;; dmig) f=K.pch ;; sti) f=job.sti ;; full) f=job.full ;; esac
    entries=$(mktext $kind "$@" 2>&1 >$f)
    bytes=$(wc -c <$f)
    for run in 1 2 3; do
        /usr/bin/time -f "%M" -o t readtext $f >r
        echo "$(cat r) $(cat t)"
    done | sort -n | head -1 >reader
    echo "$kind $bytes $entries $(cat reader) $(best "wc -l $f") $(best "mnfparse -q $f -o out.h5")" |
        awk '{ printf "%-7s %5.0f MB, %.1f M entries; reader %.2f s %4.0f MB/s %5.1f M entries/s %5.1f M nonzeros/s, %.2f of the matrix in memory; wc -l %.2f s; to stream %.2f s %4.0f MB/s, %.2f of the matrix%s\n",
               $1, $2 / 1e6, $3 / 1e6, $4, $2 / 1e6 / $4, $3 / 1e6 / $4, $7 / 1e6 / $4, $8 * 1024 / $6, $9, $11, $2 / 1e6 / $11, $12 * 1024 / $6, $1 == "full" ? "; aim: reader 300 MB/s" : "" }'
    if [ $kind = mm ] && [ "$PEERS" != no ] && python=$(command -v /usr/bin/python3 || command -v python3); then
        "$python" "$here/mmread.py" $f | awk -v b="$bytes" -v n="$entries" '{ printf "        scipy.io.mmread %.2f s %4.0f MB/s %5.1f M entries/s %5.1f M nonzeros/s\n", $1, b / 1e6 / $1, n / 1e6 / $1, $2 / 1e6 / $1 }'
    fi
    rm -f $f out.h5
done

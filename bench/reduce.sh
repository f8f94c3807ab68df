#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# reduce.sh - Craig-Bampton reductions by `reduce` and by its peers on the same matrices: time of the phases, CPU time,
# peak memory, and whether the eigenvalues agree to 1e-8; fails where they do not. Tools and generators are in PATH (make
# bench). What is not installed, or not done in time, is skipped.
#   BENCH_FULL=1      sizes to 900,000 dofs, slow peers to 100,000
#   BENCH_SECONDS=S   when the time is up the peers are skipped; default 260, in full 21600
#   BENCH_LIMIT=S     for one run of a peer; default 120, in full 1800
#   PEERS="NAME..."   only these; PEERS=none: none
#   BENCH_THREADS=N   threads of each program, default: the processors, 8 at most
#   BENCH_CASES=RE    only the cases whose names match, e.g. 'hex20-[67]k'; `reduce.sh list` shows them
#   BENCH_OUT=DIR     where results.tsv and cost.svg go; default: the folder of the work, which is removed
set -e
[ -x /usr/bin/time ] || { echo "reduce: wants GNU time (Debian package time)"; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
start=$(date +%s)
if [ -n "$BENCH_FULL" ]; then budget=21600 limit=1800; else budget=260 limit=120; fi
budget=${BENCH_SECONDS:-$budget} limit=${BENCH_LIMIT:-$limit}
fast="slepc-cholmod slepc-mumps scipy-cholmod plain"
slow="scipy octave calculix"
results=$dir/results.tsv
: >"$results"

# The same kernels and as many threads for all: what reduce found out, its peers are told.
core=$(reduce --version | sed -n 's/.*core \([^ ,]*\).*/\1/p')
threads=${BENCH_THREADS:-$(nproc)}
[ "$threads" -le 8 ] || threads=8
export OPENBLAS_NUM_THREADS="$threads" OMP_NUM_THREADS="$threads" OMP_WAIT_POLICY=passive
python=$(command -v /usr/bin/python3 || command -v python3) || python=

run() { # program command...: GNU time's line in took, its exit status in code
    code=0
    warm $((need > 1 ? need : 1))
    timeout "$room" /usr/bin/time -o "$dir/took" -f "%e %U %S %M" "$@" >"$dir/out" 2>"$dir/err" || code=$?
}
peer() { # name: leaves out, roots, took, code; 77: not installed
    rm -f "$dir/roots" "$dir/out" "$dir/took"
    export OPENBLAS_CORETYPE="$core"
    code=77
    case $1 in
    plain) run plain "$dir/m.h5" "$modes" "$dir/roots" ;;
    octave)
        command -v octave-cli >/dev/null && command -v h5copy >/dev/null || return 0
        rm -f "$dir/octave.h5" # Octave reads no tables of text
        for group in full interface; do h5copy -i "$dir/m.h5" -o "$dir/octave.h5" -s /$group -d /$group; done
        run octave-cli -qf "$here/octave.m" "$dir/octave.h5" "$modes" "$dir/roots"
        rm -f "$dir/octave.h5" ;;
    calculix)
        command -v ccx >/dev/null || return 0
        # its threads wait by spinning: two took six times as long as one (2,300 dofs)
        (export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1; cd "$dir" && run ccx m && echo "$code" >code && sed -n '/ERROR/p' out >&2)
        code=$(cat "$dir/code")
        # three words, the number of modes, the eigenvalues
        [ "$code" -ne 0 ] || od -A n -v -t f8 -w8 -j 16 -N $((8 * modes)) "$dir/m.eig" >"$dir/roots"
        rm -f "$dir"/m.eig "$dir"/m.frd "$dir"/m.dat ;;
    *)
        [ -n "$python" ] || return 0
        run "$python" "$here/peers.py" "$1" "$dir/m.h5" "$modes" "$dir/roots" ;;
    esac
    unset OPENBLAS_CORETYPE
}
ours() {
    room=86400
    run reduce -v --method cb --modes "$modes" "$dir/m.h5" -o "$dir/reduced.h5"
    if [ "$code" -ne 0 ]; then
        tail -1 "$dir/err"
        return
    fi
    roots "$dir/reduced.h5" >"$dir/ours"
    cp "$dir/ours" "$dir/roots"
    sed -n 's/^reduce: factor for static solutions: \([^ ]*\) s.*/factor \1/p
        s/^reduce: constraint modes: \([^ ]*\) s.*/constraint \1/p
        s/^reduce: fixed-interface modes: factor \([^ ]*\) s, iteration \([^ ]*\) s, count \([^ ]*\) s.*/modes \1 \2\ncount \3/p
        s/^reduce: reduced matrices: \([^ ]*\) s.*/reduce \1/p
        s/^reduce: memory forecast: \([^ ]*\) GiB.*/forecast \1/p' "$dir/err" >"$dir/out"
    grep -E 'modes by|inertia counts' "$dir/err" | sed 's/^reduce: fixed-interface modes/  flexbody/'
    rm -f "$dir/reduced.h5"
}
note() { # program status: one line of results.tsv
    [ -f "$dir/took" ] || echo "0 0 0 0" >"$dir/took"
    [ -f "$dir/out" ] || : >"$dir/out"
    [ -f "$dir/roots" ] || : >"$dir/roots"
    paste "$dir/ours" "$dir/roots" | head -n "$modes" | awk -v FS='[ \t]+' -v OFS='\t' -v kase="$kase" -v dofs="$dofs" \
        -v boundary="$boundary" -v modes="$modes" -v program="$1" -v status="$2" -v took="$dir/took" -v out="$dir/out" '
        { sub(/^ +/, ""); if ($2 == "") next; n++; d = $1 / $2 - 1; if (d < 0) d = -d; if (d > worst) worst = d }
        END {
            while ((getline line <out) > 0) {
                k = split(line, f, " ")
                if (f[1] == "core") core = f[2]; else for (j = 2; j <= k; j++) phase[f[1]] += f[j]
            }
            getline line <took
            split(line, t, " ")
            # of the peers the work alone, of flexbody all but the count: reading and writing, too
            work = phase["factor"] + phase["constraint"] + phase["modes"] + phase["reduce"]
            if (program == "flexbody" || program == "calculix") work = t[1] - phase["count"]
            print kase, dofs, boundary, modes, program, phase["factor"] + 0, phase["constraint"] + 0, phase["modes"] + 0,
                phase["reduce"] + 0, phase["count"] + 0, work, t[2] + t[3], t[4] / 1048576, n + 0, worst + 0,
                core, phase["forecast"] + 0, status }' >>"$results"
}
kase() { # name, GiB wanted, modes, boundary, peers, options of mesh: one model, every program
    kase=$1 need=$2 modes=$3 boundary=$4 peers=$5
    shift 5
    [ -z "$list" ] || { echo "$kase: mesh $*, $boundary boundary dofs, $modes modes; $peers"; return; }
    echo "$kase" | grep -Eqx "${BENCH_CASES:-.*}" || return 0
    have=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
    [ "$have" -ge "$need" ] || { echo "== $kase: skipped, wants $need GiB of memory, $have are available"; return; }
    case " $peers " in *calculix*) deck="--deck $dir/m.inp --modes $modes" ;; *) deck= ;; esac
    # shellcheck disable=SC2086
    dofs=$(mesh -v "$@" --boundary "$boundary" $deck -o "$dir/m.h5" 2>&1 | sed -n 's/^mesh: \([0-9]*\) dofs.*/\1/p')
    echo "== $kase: $dofs dofs, $boundary boundary dofs, $modes modes"
    ours
    if [ "$code" -ne 0 ]; then
        : >"$dir/ours"
        rm -f "$dir/roots" "$dir/out"
        note flexbody "failed: $code"
        return 0
    fi
    note flexbody ok
    for name in $peers; do
        case " ${PEERS:-$peers} " in *" $name "*) ;; *) continue ;; esac
        room=$((start + budget - $(date +%s)))
        [ "$room" -lt "$limit" ] || room=$limit
        if [ "$room" -lt 1 ]; then
            rm -f "$dir/took" "$dir/out" "$dir/roots"
            note "$name" "skipped: the time is up"
            continue
        fi
        peer "$name"
        case $code in
        0) note "$name" ok ;;
        77) note "$name" "skipped: not installed" ;;
        124) rm -f "$dir/roots" && note "$name" "skipped: more than $room s" ;;
        *) note "$name" "failed: $code $(tail -1 "$dir/err" | tr '\t' ' ')" ;;
        esac
    done
    awk -v only="$kase" -f "$here/table.awk" "$results"
    rm -f "$dir"/m.h5 "$dir"/m.inp
}
[ "$1" != list ] || list=1
[ -n "$list" ] || echo "$threads threads, core $core"
[ -n "$BENCH_FULL" ] && big=$slow || big=
kase hex20-2k 0 100 120 "$fast $slow" --nx 8 --ny 4 --nz 8 --thick 2
kase hex20-7k 0 100 120 "$fast $slow" --nx 12 --ny 6 --nz 12 --thick 3
kase hex8 0 20 120 "$fast scipy calculix" --kind hex8 --nx 24 --ny 12 --nz 24 --thick 6
kase tet4 0 20 120 "$fast" --kind tet4 --nx 24 --ny 10 --nz 24 --thick 6
kase tet10 0 20 120 "$fast" --kind tet10 --nx 12 --ny 6 --nz 12 --thick 3
kase plate 0 20 120 "$fast scipy" --kind plate --nx 50 --ny 30
kase frame 0 20 120 "$fast scipy" --kind frame --nx 8 --ny 4 --nz 4
[ -z "$BENCH_FULL$list" ] || kase hex20-14k 0 100 120 "$fast $slow" --nx 16 --ny 8 --nz 16 --thick 4
kase hex20-27k 1 100 120 "$fast $slow" --nx 20 --ny 10 --nz 20 --thick 5
[ -z "$BENCH_FULL$list" ] || kase hex20-45k 2 100 120 "$fast $slow" --nx 24 --ny 12 --nz 24 --thick 6
kase hex20-100k-18 4 18 12 "plain slepc-cholmod slepc-mumps $big" --nx 32 --ny 16 --nz 32 --thick 8
kase hex20-100k 4 100 120 "slepc-cholmod slepc-mumps plain scipy-cholmod $big" --nx 32 --ny 16 --nz 32 --thick 8
if [ -n "$BENCH_FULL$list" ]; then
    kase hex20-100k-500 6 500 120 "" --nx 32 --ny 16 --nz 32 --thick 8
    kase hex20-320k 12 100 120 "slepc-mumps slepc-cholmod plain" --nx 48 --ny 24 --nz 48 --thick 12
    kase hex20-320k-18 12 18 12 "plain" --nx 48 --ny 24 --nz 48 --thick 12
    kase hex20-900k-thin 18 100 120 "" --nx 160 --ny 64 --nz 160 --thick 3
fi
[ -z "$list" ] || exit 0
awk -v modes=100 -f "$here/plot.awk" "$results" >"$dir/cost.svg"
[ -z "$BENCH_OUT" ] || { mkdir -p "$BENCH_OUT" && cp "$results" "$dir/cost.svg" "$BENCH_OUT"; }
awk -f "$here/verdict.awk" "$results"

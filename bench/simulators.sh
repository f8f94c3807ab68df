# SPDX-License-Identifier: GPL-3.0-or-later
# simulators.sh - cost of one evaluation of the accelerations against links (1 to 50, two modes each): grows as the links in denoc,
# towards the cube in ffr and erls, which form and factor one dense matrix. Then a second of the L frame. A figure goes to $BENCH_OUT.
command -v denoc >/dev/null || { echo "  no simulators: make simulators (libgsl-dev)"; exit 0; }
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/../samples/simulators/records.sh" f1 fl lc
export OPENBLAS_NUM_THREADS=1
seconds() { # program, chain, options: CPU seconds
    program=$1 chain=$2
    shift 2
    /usr/bin/time -o used -f %U "$program" "$@" "$chain" >run.h5 && cat used
}
for n in 1 2 5 10 20 50; do
    for k in $(seq "$n"); do echo "link f1.h5 hub 1 tip 17 axis 0 1 0 modes 2 start 0.1 0.2"; done >chain.txt
    for p in denoc ffr erls; do
        case $p in denoc) count=$((200000 / n)) ;; *) count=$((200000 / n / n + 40)) ;; esac
        base=$(seconds $p chain.txt --time 0 --evaluate 1)
        used=$(seconds $p chain.txt --time 0 --evaluate $count)
        awk -v n="$n" -v p=$p -v a="$base" -v b="$used" -v c=$count 'BEGIN { print n, p, (b - a) / (c - 1) * 1e6 }'
    done
done >cost
awk '
{ t[$2, $1] = $3; if (!($1 in seen)) { seen[$1]; n[++rows] = $1 } }
function slope(p, a, b) { return log(t[p, b] / t[p, a]) / log(b / a) }
END {
    printf "  %5s %12s %12s %12s   microseconds of processor\n", "links", "denoc", "ffr", "erls"
    for (k = 1; k <= rows; k++) printf "  %5d %12.1f %12.1f %12.1f\n", n[k], t["denoc", n[k]], t["ffr", n[k]], t["erls", n[k]]
    printf "  %5s %12.2f %12.2f %12.2f   exponent from 10 to 50 links (aims 1, towards 3)\n", "", slope("denoc", 10, 50), slope("ffr", 10, 50), slope("erls", 10, 50)
}' cost
mkdir -p "${BENCH_OUT:-.}"
awk '
BEGIN { split("denoc ffr erls", p, " "); split("#c2185b #1565c0 #558b2f", ink, " ") }
{ x[$2, ++c[$2]] = 70 + 560 * log($1) / log(50); y[$2, c[$2]] = 430 - 390 * log($3) / log(1e5) }
function text(a, b, s) { printf "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n", a, b, s }
END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 490\" font-family=\"sans-serif\" font-size=\"14\"><rect width=\"720\" height=\"490\" fill=\"white\"/>"
    text(350, 24, "microseconds for the accelerations of a chain, two modes a link")
    for (d = 0; d < 6; d++) { Y = 430 - 78 * d; printf "<line x1=\"70\" x2=\"630\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>\n", Y, Y; text(40, Y + 5, 10 ^ d) }
    split("1 2 5 10 20 50", n, " ")
    for (k = 1; k in n; k++) text(70 + 560 * log(n[k]) / log(50), 455, n[k])
    text(350, 478, "links")
    for (k = 1; k in p; k++) {
        printf "<polyline fill=\"none\" stroke-width=\"2.5\" stroke=\"%s\" points=\"", ink[k]
        for (i = 1; i <= c[p[k]]; i++) printf "%.1f,%.1f ", x[p[k], i], y[p[k], i]
        print "\"/>"
        text(665, y[p[k], c[p[k]]] + 5, p[k])
    }
    print "</svg>"
}' cost >"${BENCH_OUT:-.}/simulators.svg"
printf 'gravity 0 0 -9.81\nlink fl.h5 hub 1 tip 17 axis 0 1 0 modes 3\n' >fl.txt
printf 'gravity 0 0 -9.81\nlink lc.h5 hub 1 tip 17 axis 0 1 0 start 2.356194490192345\n' >lc.txt
for p in denoc ffr erls; do
    echo "  a second of the L frame, $p: 3 modes $(seconds $p fl.txt) s, all 12 $(seconds $p lc.txt) s, implicit $(seconds $p lc.txt --implicit --rtol 1e-6) s (aim: below 1)"
done

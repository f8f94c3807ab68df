# One inertia: what a consistent mass makes of beams, and the deflection that they stand.
stands() {
    h5dump -m '%.3g' -d /verdict/deflection "$1" | awk '$1 == "(0):" { print $2; exit }'
}
rod() { # elements mass modes
    frame --elements "$1" --element hermite --mass "$2" ${4:+--taper "$4"} | reduce --cb "$3" --fix 1 --interface $(($1 + 1)) -q | invariants -o rod.h5
    echo "$1 $2 $3: $(stands rod.h5)"
}
rod 20 consistent 12
rod 20 lumped 12
rod 20 hermite 12
rod 20 hermite 8
# Few elements and many modes: true Hermite masses bend into what no simulator can integrate.
rod 2 hermite 12
rod 4 hermite 12
rod 8 hermite 12
rod 8 hermite 12 0.3
# MBDyn 1.7 sums its inertia over nodal masses: record 9 fits them, or the export names the dialect that keeps the matrix.
frame --elements 20 --element hermite --mass hermite | reduce --cb 12 --fix 1 --interface 21 | invariants | linkexport --to mbdyn -o fine.fem
awk '/GROUP 11/ { on = 1; next } /^\*\*/ { on = 0 } on { n++; m += $1; if ($1 < 0) bad++ } END { printf "%d nodes, %.6f kg, %d negative\n", n, m, bad }' fine.fem
frame --elements 2 --element hermite --mass hermite | reduce --cb 12 --fix 1 --interface 3 | invariants -q -o coarse.h5
linkexport --to mbdyn coarse.h5 -o coarse.fem || echo "exit $?"
linkexport --to mbdyn --dialect develop coarse.h5 -o coarse.fem
# The page says what the body stands.
mnfparse --info coarse.h5 | grep -A 2 'is good at rest only' | sed 's/: 0\.[0-9.e-]*/: POSITIVE/; s/ -[0-9.e-]*/ NEGATIVE/g'

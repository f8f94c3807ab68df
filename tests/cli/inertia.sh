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

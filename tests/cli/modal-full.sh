# One beam as K and M, and held by all its modes: the same reduced spectrum, to 1e-7 of the elastic ones.
spectrum() { h5dump -m '%.12g' -y -w 1 -d /reduced/frequency "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
rod="--elements 8 --square 0.02 --mass consistent"
for how in "--cb 20" "--guyan 12" "--imr 18" "--mdm 14" "--cb 13 --fix 1:12346"; do
    frame $rod | reduce -q $how -o full.h5
    frame $rod --modal | reduce -q $how -o modal.h5
    spectrum full.h5 >a
    spectrum modal.h5 >b
    paste a b | awk -v how="$how" '$1 > 1 { d = $1 / $2 - 1; if (d < 0) d = -d; if (d > worst) worst = d; n++ }
        END { print how ": " NR " and " n ", " (worst < 1e-7 ? "equal" : "off by " worst) }'
done

# Masses and stiffnesses that are not what they must be, by every method, above and below the size of the dense engine.
mm() { echo '%%MatrixMarket matrix coordinate real symmetric'; }
hz() { h5dump -m "$2" -y -w 1 -d /reduced/frequency "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") printf "%s ", $0 } /DATA {/ { on = 1 } END { print "" }'; }
fails() { reduce "$@" -o r.h5; echo "$* -> $?"; }
# A chain of n masses. Coupled: M of dofs 31, 32 is [1 2; 2 1], eigenvalue -1; else three dofs share -0.6, eigenvalue -0.2, each
# pair of them allowed.
chain() { # n, entries of M beside the diagonal
    n=$1
    shift
    { mm; echo "$n $n $((2 * n - 1))"; seq "$n" | awk '{ print $1, $1, 2 } $1 > 1 { print $1, $1 - 1, -1 }'; } >K.mtx
    { mm; echo "$n $n $((n + $#))"; seq "$n" | awk '{ print $1, $1, 1 }'; for x; do echo "$x"; done; } >M.mtx
    mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 1 -o b.h5
}
for n in 100 700; do
    chain $n "32 31 2"
    for how in "--mdm 8" "--cb 8 --interface 1" "--guyan 1 --interface 1"; do fails $how b.h5; done
    chain $n "32 31 -0.6" "33 31 -0.6" "33 32 -0.6"
    for how in "--mdm 8" "--lsmr 8 --masters 1-8" "--guyan 1 --interface 1"; do fails $how b.h5; done
done
# M = [3 2; 2 1], eigenvalues 4.24 and -0.24: not "singular".
{ mm; printf '%s\n' '2 2 3' '1 1 900' '2 1 -900' '2 2 900'; } >K.mtx
{ mm; printf '%s\n' '2 2 3' '1 1 3' '2 1 2' '2 2 1'; } >M.mtx
mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 1 -o b.h5
fails --cb 2 --interface 1 b.h5
# A stiffness below zero: K = diag(-100, 400, 900), M = 1: -10, 20, 30 rad/s are -1.5915, 3.1831, 4.7746 Hz.
{ mm; printf '%s\n' '3 3 3' '1 1 -100' '2 2 400' '3 3 900'; } >K.mtx
{ mm; printf '%s\n' '3 3 3' '1 1 1' '2 2 1' '3 3 1'; } >M.mtx
mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 1 -q -o b.h5
reduce --mdm 3 b.h5 -o r.h5 && hz r.h5 %.4f
reduce --lsmr 3 --masters 1-3 b.h5 -o r.h5 && hz r.h5 %.4f
# 600 equal oscillators of 100 rad/s, 15.9155 Hz: one group, whole.
{ mm; echo "600 600 600"; seq 600 | awk '{ print $1, $1, 1e4 }'; } >K.mtx
{ mm; echo "600 600 600"; seq 600 | awk '{ print $1, $1, 1 }'; } >M.mtx
mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 1 -q -o b.h5
reduce -q --mdm 10 b.h5 -o r.h5 && hz r.h5 %.4f | tr ' ' '\n' | sort | uniq -c | awk 'NF == 2 { print $1, $2 }'
# Two pairs of dofs without mass turn freely, 2.1 with 3.1 and 5.1 with 6.1, between masses of 1 kg on 100 N/m: named together,
# with the --fix that leaves the others as they are: 10 rad/s.
{ mm; printf '%s\n' '6 6 8' '1 1 100' '2 2 5' '3 2 -5' '3 3 5' '4 4 100' '5 5 7' '6 5 -7' '6 6 7'; } >K.mtx
{ mm; printf '%s\n' '6 6 2' '1 1 1' '4 4 1'; } >M.mtx
mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 1 -q -o b.h5
fails --mdm 2 b.h5
reduce --mdm 2 --fix 2,5 b.h5 -o r.h5 && hz r.h5 %.4f
# Boundary dofs without mass: 3.1 hangs on 2.1 by a spring and has none.
{ mm; printf '%s\n' '3 3 5' '1 1 200' '2 1 -100' '2 2 150' '3 2 -50' '3 3 50'; } >K.mtx
{ mm; printf '%s\n' '3 3 2' '1 1 1' '2 2 1'; } >M.mtx
mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 1 -o b.h5
fails --cb 2 --interface 2,3 b.h5

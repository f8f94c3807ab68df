# The same reduction on 1, 2 and 3 ranks and alone: frequencies, K and M to 1e-10 of the largest (beams of 200 elements among them,
# whose factors alone leave 1e-9), the count of the modes, messages and exit status. CI must have MPI.
. "$DATA/ranks"
on() { ranks=$1; shift; mpirun -q --oversubscribe -n "$ranks" reduce-mpi "$@"; }
numbers() { h5dump -m '%.17g' -y -w 1 -d "$2" "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
alike() { # dataset tolerance: a.h5 and b.h5
    numbers a.h5 "$1" >a.txt
    numbers b.h5 "$1" >b.txt
    paste a.txt b.txt | awk -v what="$now: $1" -v tol="$2" '{ d = $1 > $2 ? $1 - $2 : $2 - $1; m = $1 > 0 ? $1 : -$1; if (d > worst) worst = d; if (m > most) most = m; n++ }
        NF != 2 { worst = 1e300 } END { if (n == 0 || worst > tol * most) print what, "differs by", worst, "of", most }'
}
both() { # ranks, options: what differs
    ranks=$1; shift; now="$ranks $*"
    reduce -q "$@" -o a.h5 && on "$ranks" -q "$@" -o b.h5 || echo "exit status of $*"
    for d in K ${turned:-M} frequency; do alike /reduced/$d "${within:-1e-10}"; done
    alike /nodes/mass 1e-12
    numbers a.h5 /verdict/sturm >a.txt 2>/dev/null; numbers b.h5 /verdict/sturm >b.txt 2>/dev/null; cmp -s a.txt b.txt || echo "$now: another count"
}
frame --shape lshape --elements 200 -o lshape.h5
frame --elements 8 -o small.h5
frame --elements 150 --mass hermite --taper 0.7 -o beam.h5
both 1 --cb 30 --interface 1,201 lshape.h5
both 2 --cb 30 --interface 1,201 --loads 100:3,150:2 lshape.h5 && alike /reduced/load 1e-10
mnfparse lshape.h5 --load gravity:1,2,-9.81 --load spin=centrifugal:0,0,1 -o loaded.h5
both 2 --cb 30 --interface 1,201 --loads load:spin,150:2 loaded.h5 && alike /reduced/load 1e-10
both 2 --cb 30 --interface 1,201 --keep 1-9,12 lshape.h5
both 3 --cb 30 --interface 1,201 --drop 0-90Hz --loads load:spin,150:2 loaded.h5
both 2 --imr 20 --interface 1,201 lshape.h5
both 2 --method cb --accurate-to 200 --interface 1,201 lshape.h5 && alike /verdict/check 1e-10
both 2 --method imr --accurate-to 200 --interface 1,201 lshape.h5 && alike /verdict/check 1e-10
within=1e-9 # 0.00017 of the answer is left beside the 20 modes, whose 1e-13 count 6000 times there
both 2 --mdm 20 --loads load:all loaded.h5
within=
both 3 --cb 14 --interface 1:123 --modal-damping 0.02 lshape.h5
both 2 --guyan 18 --masters 1,100,201 --fix 50 lshape.h5
both 2 --irs 18 --masters 1,100,201 lshape.h5
within=1e-9 # the fit to 18 masters has a condition of 2.1e4, the modes' shapes 1e-14
both 2 --lsmr 18 --masters 1,100,201 --loads 150:2 lshape.h5
within=
frame --shape lshape --elements 40 -o short.h5
both 3 --lsmr 24 short.h5 # by default masters that do not do: others, chosen by the modes
both 2 --mdm 1 small.h5
both 2 --mdm 54 small.h5
both 2 --mdm 20 --check beam.h5 && alike /verdict/check 1e-10
turned=K # pairs of equal roots, whose vectors are any two of their plane
both 2 --method cb --fmax 3000 --interface 1,151 --rayleigh 0,1e-6 beam.h5 && alike /reduced/D 1e-10
turned=
# Nothing is inside, and more ranks than rows; masters found where few dofs are.
frame --elements 1 -o one.h5 && frame --shape lshape --elements 8 --mass consistent -o small.h5
both 3 --cb 12 --interface 1,2 one.h5
both 2 --guyan 18 small.h5
both 2 --irs 18 small.h5
# A part that nothing ties to the boundary is named.
chain() { awk -v k="$1" 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric\n12 12", k ? 22 : 12; for (j = 1; j <= 12; j++) {
    print j, j, k ? (j % 6 < 2 ? k : 2 * k) : 1; if (k && j % 6 != 1) print j, j - 1, -k } }'; }
chain 900 >K.mtx && chain 0 >M.mtx && mnfparse -q --stiffness K.mtx --mass M.mtx --dofs-per-node 1 --input-units SI -o parts.h5
on 2 --cb 6 --interface 1 parts.h5 -o b.h5 2>&1 | sed 's/.*nothing/nothing/' && reduce -q --cb 6 --interface 1 parts.h5 -o a.h5 && alike /reduced/K 1e-9
# What comes out is a stream like any other; from the standard input, the same bytes each time on one rank.
on 2 -q --cb 24 --interface 1,201 - <lshape.h5 | invariants | linkexport --to text | grep -c 'Hz' | awk '{ print ($1 > 0 ? "link record" : "none") }'
on 1 -q --cb 24 --interface 1,201 lshape.h5 >a.h5 && on 1 -q --cb 24 --interface 1,201 lshape.h5 >b.h5 && cmp a.h5 b.h5
# Out of core: nothing stays in the folder.
mkdir core && on 2 -q --cb 30 --interface 1,201 --out-of-core core lshape.h5 -o b.h5 && reduce -q --cb 30 --interface 1,201 lshape.h5 -o a.h5 && alike /reduced/K 1e-9; ls core | wc -l
# Refusals: one message, the status, no output.
rm -f b.h5
for o in "--cb 4 --interface 1,201" "--krylov 20 --at 100 --interface 1,201" "--cb 30 --interface 999" "--cb 20 --interface 1:123 --memory 1e-6" "--cb 20 --out-of-core /nowhere/x --interface 1"; do
    on 2 -q $o lshape.h5 -o b.h5
    echo "$?"
done
frame --geometric -o geometric.h5 && on 2 --cb 14 geometric.h5 -o b.h5
echo "$?"
on 2 --cb 20 nothing.h5 -o b.h5
echo "$?"; ls b.h5 2>/dev/null; ls *.?????? 2>/dev/null | grep '^b\.h5\.'
reduce-mpi --help | grep -c 'out-of-core'

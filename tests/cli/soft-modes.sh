# A held body with soft modes far below its own: two stiff springs in a row, 4e9 N/m on 1 kg each, held at node 1; on node 3
# hang three masses of 1 kg on springs of 1e-3, 2e-3 and 4e-3 N/m. Those are no rigid modes, in no table and for no export:
# sqrt(k)/2 pi = 0.0050329, 0.0071176, 0.0100658 Hz, for the rest hardly moves. Free, the
# body has one rigid mode, of 0 Hz, and the others move against 3 kg (numpy, stiff springs taken as rigid): 0.00539 0.00782 0.01209.
cat >K.mtx <<END
%%MatrixMarket matrix coordinate real symmetric
6 6 11
1 1 4e9
2 1 -4e9
2 2 8e9
3 2 -4e9
3 3 4000000000.007
4 3 -1e-3
4 4 1e-3
5 3 -2e-3
5 5 2e-3
6 3 -4e-3
6 6 4e-3
END
cat >M.mtx <<END
%%MatrixMarket matrix coordinate real symmetric
6 6 6
1 1 1
2 2 1
3 3 1
4 4 1
5 5 1
6 6 1
END
hz() { h5dump -m '%.5f' -y -w 1 -d /reduced/frequency "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") printf "%s ", $0 } /DATA {/ { on = 1 } END { print "" }'; }
mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 1 --interface 1,3 -o b.h5
for how in "--cb 4" "--mdm 4" "--cb 4 --orthonormalize"; do
    reduce $how --fix 1 --interface 3 b.h5 -o r.h5 && hz r.h5
    reduce $how --interface 3 b.h5 -o r.h5 && hz r.h5
done
# Component modes of eleven digits, with a spring to the ground along x. 2e-3 N/m is 2e-11 of the stiffness: less than a condensation
# leaves of zero, and no support. 1 N/m is one: sqrt(1/0.848230)/2 pi = 0.1728 Hz, but for the last digits of the text.
frame | reduce --cb 18 | linkexport --to dmig -o cb.pch
for spring in 2.E-3 1.; do
    printf 'DMIG    KG             0       6       2       0\nDMIG*   KG                             1               1\n*                      1               1 %15s\n' $spring >ground.pch
    mnfparse --stiffness cb.pch:KAAX+ground.pch:KG --mass cb.pch:MAAX -o b.h5 && hz b.h5 | cut -d' ' -f5-7 | sed 's/\(\.[0-9]\{4\}\)[0-9]/\1/g'
done

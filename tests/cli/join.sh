# Two reduced bodies joined at a node: chains of five springs k = 4e6 and masses m = 1 (half at the ends) by all their coordinates, so
# f_j = 2 sqrt(k/m) sin(j pi / 20) / (2 pi), j = 0 .. 10, of the ten springs. Nodes 1 to 6, and 6, 8, 9, 10, 11, 7.
chain() { awk -v list="$*" 'BEGIN { n = split(list, id, " "); print "BEGIN BULK"
    for (i = 1; i <= n; i++) printf "GRID,%d,,%d.,0.,0.\n", id[i], i + (id[1] > 1) * 5
    print "DMIG,KAAX,0,6,2,0"
    for (i = 1; i <= n; i++) { printf "DMIG,KAAX,%d,1,,%d,1,%s\n", id[i], id[i], (i == 1 || i == n) ? "4.+6" : "8.+6"
        if (i > 1) printf "DMIG,KAAX,%d,1,,%d,1,-4.+6\n", id[i], id[i - 1] }
    print "DMIG,MAAX,0,6,2,0"
    for (i = 1; i <= n; i++) printf "DMIG,MAAX,%d,1,,%d,1,%s\n", id[i], id[i], (i == 1 || i == n) ? ".5" : "1." }'; }
chain 1 2 3 4 5 6 >a.pch && chain 6 8 9 10 11 7 >b.pch
mnfparse -q --input-units SI a.pch | reduce -q --cb 6 --interface 1,6 >a.h5 && mnfparse -q --input-units SI b.pch | reduce -q --cb 6 --interface 6,7 >b.h5
linkexport -q --to dmig -o A.pch a.h5 && linkexport -q --to dmig -o B.pch b.h5 # A: 7 to 10, B: 12 to 15
for n in 12 101; do linkexport -q --to dmig --modal-base $n -o A$n.pch a.h5; done && grep SPOINT A101.pch
join() { mnfparse -q --stiffness $1:KAAX+$2:KAAX --mass $1:MAAX+$2:MAAX --input-units SI; }
off() { reduce -q --mdm 11 >r.h5 && h5dump -y -w 1 -m %.17g -d /reduced/frequency r.h5 | awk 'BEGIN { pi = atan2(0, -1) }
    /^ +[0-9.e-]+,?$/ { f = 2000 * sin(j++ * pi / 20) / pi; bad += j == 1 ? $1 > 1e-2 : ($1 / f - 1) ^ 2 > 1e-18 }
    END { print j, "frequencies,", bad + 0, "of them off" }'; }
join A101.pch B.pch | off
join a.pch b.pch | off # the chains themselves
for two in "A.pch B.pch" "B.pch A.pch" "A12.pch B.pch"; do
    join $two >x
    echo "exit $? $(wc -c <x)"
done
mnfparse --stiffness A12.pch:KAAX+B.pch:KAAX --mass A12.pch:MAAX --input-units SI # of one body are those alone whose labels agree
sed 's/KAAX/KGAA/' A.pch >G.pch && mnfparse --info --stiffness A.pch:KAAX+2*G.pch:KGAA --mass A.pch:MAAX --input-units SI | grep Matrices
# Where there are no modal coordinates there is nothing to number.
frame --elements 2 | reduce --guyan 12 | linkexport --to dmig --modal-base 500 -o none.pch
# Numbers that cannot be
for n in 3 99999997 0 x 12x; do
    linkexport -q --to dmig --modal-base $n a.h5
    echo exit $?
done
linkexport --to sid --modal-base 12 a.h5
echo exit $?
# Modal coordinates may have numbers below those of interface nodes, and are called -1, -2 ... where these are not.
chain 1 2 3 4 5 106 | mnfparse -q --input-units SI | reduce -q --cb 6 --interface 1,106 >gap.h5
linkexport -q --to abaqus --dialect element --modal-base 50 -o gap gap.h5 && sed -n 3p gap/element.inp

# One mass for three: nodes 1 to 4 of a rod with mass m = 2, 2 and f 2 along x, y, z.
deck() { awk -v f="$1" 'BEGIN { print "BEGIN BULK"; for (i = 1; i <= 4; i++) printf "GRID,%d,,%d.,0.,0.\n", i, i
    print "DMIG,KAAX,0,6,2,0"
    for (i = 1; i <= 4; i++) for (c = 1; c <= 3; c++) { printf "DMIG,KAAX,%d,%d,,%d,%d,%d.\n", i, c, i, c, (i == 1 || i == 4) ? 1 : 2
        if (i > 1) printf "DMIG,KAAX,%d,%d,,%d,%d,-1.\n", i, c, i - 1, c }
    print "DMIG,MAAX,0,6,2,0"
    for (i = 1; i <= 4; i++) for (c = 1; c <= 3; c++) printf "DMIG,MAAX,%d,%d,,%d,%d,%.4f\n", i, c, i, c, c == 3 ? 2 * f : 2 }'; }
for f in 1 0.9999 0.9 0.4; do
    deck $f >d.pch
    mnfparse -q --input-units SI d.pch | reduce -q --mdm 6 --orthonormalize >r.h5 && invariants -q r.h5 >i.h5
    linkexport --to mnf r.h5 >x
    echo "$f: mnf exit $? $([ -s x ] && echo written)"
    linkexport --to link --connectors 1,4 i.h5 >x
    echo "$f: link exit $? $([ -s x ] && echo written)"
done

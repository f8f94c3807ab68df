# The page about a stream, from a file or a pipe: what reduce and invariants found, in 100 columns.
# A clamped beam has effective masses of 61.31, 18.83, 6.47 and 3.31 % (within 0.02) in bending and 8/pi^2 = 81.06 % along its axis.
frame --elements 40 --length 1 --element hermite --mass hermite | reduce -q --mdm 12 --fix 1 --check -o modes.h5
mnfparse --info modes.h5 >page
mnfparse --info <modes.h5 | cmp - page && echo "file and pipe: same"
awk '$2 == "good" || $1 == "good"' page | head -1
rows() { awk '/^ *mode +freq/ { on = 1; next } $1 == "all" { exit } on' page; }
rows | awk '$3 != $2 || $4 != "0.0000" { print "differs: " $0 } $5 > 0 || $8 > 50 { axial = $8 > $5 ? $8 : $5 }
    $6 > 0 || $7 > 0 { k = int(n / 2); share[k] += $6 + $7; n++ } END { print n, share[0] / 2, share[1] / 2, share[2] / 2, share[3] / 2, axial }'
sed -n '/^Made by/,$p' page
awk 'length > 100' page
# --check pairs that differ: the error is that of the two numbers beside it, and the verdict counts those below 1 %.
frame --elements 6 --length 1 | reduce --cb 18 --check --interface 1,7 | invariants | tee inv.h5 | mnfparse --info >page
grep 'frequencies' page
rows | awk '$3 > 0 { d = 100 * ($2 / $3 - 1) - $4; if (d > 6e-5 || d < -6e-5) print "error: " $0; n++ } END { print n " elastic" }'
linkexport inv.h5 | mnfparse --info | grep -c '^  good'
# A rigid motion that is cut is missed, not within 1 % of 0.
frame --elements 4 | reduce -q --mdm 12 --drop 6 --check | mnfparse --info >page
grep 'frequencies' page; rows <page | awk '$1 == 6' | tr -s ' '; grep -c 'not rigid' page
# Another system of units; a stream among other inputs; one that is cut.
mnfparse --info --units mm-t-s inv.h5 | grep -E '^(Units|Sum)'
mnfparse --info inv.h5 modes.h5
echo "exit $?"
head -c 3000 inv.h5 | mnfparse --info
echo "exit $?"
# An input's own warnings stand on its page.
printf '%%%%MatrixMarket matrix coordinate real symmetric\n6 6 6\n' >K.mtx
for i in 1 2 3 4 5 6; do echo "$i $i 2" >>K.mtx; done
printf '1 0 0 0\n2 1 0 0\n' >nodes.txt
mnfparse -q --info --stiffness K.mtx --nodes nodes.txt --dofs-per-node 3 | sed -n '/^Warnings$/,$p'

# A generalized mass of zeros, as another program may leave it, goes no further.
zero_mass() { # FILE: the bytes of /reduced/M
    at=$(h5dump -p -H -d /reduced/M "$1" | awk '/OFFSET/ { print $2 }')
    size=$(h5dump -p -H -d /reduced/M "$1" | awk '/SIZE/ { print $2; exit }')
    head -c "$size" /dev/zero | dd of="$1" bs=1 seek="$at" conv=notrunc 2>/dev/null
}
frame --elements 4 | reduce --cb 18 >body.h5
invariants body.h5 >inv.h5
zero_mass body.h5
zero_mass inv.h5
invariants body.h5 >out
echo "exit $?, $(wc -c <out) bytes"
for to in link mat dmig; do
    linkexport --to $to inv.h5 >out
    echo "$to: exit $?, $(wc -c <out) bytes"
done
linkexport --to text inv.h5 >page
echo "text: exit $?"
# K = [1.001 -0.001; -0.001 1.001], M = diag(0, 1): the boundary dof 1 has no mass but a share (0.001/1.001)^2 of the other's,
# w^2 = (1.001 - 0.001^2/1.001) / (0.001/1.001)^2 = 1001.5^2, 159.39 Hz; the model has one root, of 0.159 Hz.
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1.001\n2 1 -0.001\n2 2 1.001\n' >K.mtx
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 2 1\n' >M.mtx
mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 1 --interface 1 -o boundary.h5
reduce --cb 1 boundary.h5 -o r.h5
reduce --mdm 1 boundary.h5 -o r.h5
# A load whose answer moves no mass: springs 100 and 200 N/m meet at row 2.
mm() { printf '%%%%MatrixMarket matrix coordinate real symmetric\n%s\n' "$1"; }
mm '3 3 5
1 1 100
2 1 -100
2 2 300
3 2 -200
3 3 200' >K.mtx
mm '3 3 2
1 1 1
3 3 2' >M.mtx
mnfparse -q --stiffness K.mtx --mass M.mtx | reduce --cb 2 --interface 1,3 --loads 2 >loaded.h5

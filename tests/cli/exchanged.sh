# Stiffness and mass in each other's place end with a sentence: by every method, from Matrix Market and from Abaqus' coordinates, of a
# free body and of a held one. The same matrices in their places have nothing to say.
frame --elements 300 | linkexport --to mm -o beam
labelled() { # FILE: row and column as node, component
    awk '/^%/ { next } !size { size = 1; next } { printf "%d %d %d %d %s\n", ($1 - 1) / 6 + 1, ($1 - 1) % 6 + 1, ($2 - 1) / 6 + 1, ($2 - 1) % 6 + 1, $3 }' "$1"
}
mnfparse --stiffness beam/K.mtx --mass beam/M.mtx --dofs-per-node 6 -o right.h5
mnfparse --stiffness beam/M.mtx --mass beam/K.mtx --dofs-per-node 6 -o mm.h5
labelled beam/K.mtx >K.coordinate && labelled beam/M.mtx >M.coordinate
mnfparse --stiffness M.coordinate --mass K.coordinate -o coordinate.h5
said() { sed -e 's/leaves [0-9.e+-]* of/leaves ... of/' -e 's/ and [0-9.e+-]* of.*: / ...: /'; }
for body in mm coordinate; do
    for method in "--cb 20 --interface 1,301" "--guyan 12 --interface 1,301" "--lsmr 12 --interface 1,301" "--imr 20 --interface 1,301" "--mdm 8"; do
        # shellcheck disable=SC2086
        reduce $method $body.h5 >out 2>err
        echo "$body $method: exit $?, $(wc -c <out) bytes, $(said <err)"
    done
done
reduce --mdm 8 --fix 1 mm.h5 2>&1 >out | said
reduce --mdm 8 right.h5 -o r.h5
reduce --mdm 8 --fix 1 right.h5 -o r.h5

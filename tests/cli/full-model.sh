# SPDX-License-Identifier: GPL-3.0-or-later
# Full models: choice of matrices, labels, checks, interface, frames; messages and exit status.
sym='%%MatrixMarket matrix coordinate real symmetric'
printf '%s\n' "$sym" '6 6 9' '1 1 2' '2 2 1' '3 3 4' '4 1 -2' '4 4 2' '5 2 -1' '5 5 1' '6 3 -4' '6 6 4' >K.mtx
printf '%s\n' "$sym" '6 6 6' '1 1 3' '2 2 3' '3 3 3' '4 4 5' '5 5 5' '6 6 5' >M.mtx
printf '%s\n' "$sym" '6 6 2' '1 1 1' '2 2 1e36' >supports.mtx
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '6 6 3' '1 1 1' '1 2 -1' '2 2 2' >half.mtx
printf '%s\n' 'node,x,y,z' '1,0,0,0' '2,0,0,0' >nodes.csv
printf '%s\n' '# node dof' '1 1' '2 3' '1 1' >list
mnfparse K.mtx M.mtx --nodes nodes.csv --dofs-per-node 3 --info
mnfparse K.mtx M.mtx --dofs-per-node 3 --interface @list --info | grep Interface
mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 3 --interface 2:13 --info | grep -e Matrices -e Interface
mnfparse supports.mtx --stiffness supports.mtx --dofs-per-node 3 --info | grep -e Dofs -e input -e Supports
for args in 'K.mtx M.mtx --dofs-per-node 4' 'K.mtx M.mtx K.mtx --dofs-per-node 3 --interface 7' 'half.mtx --stiffness half.mtx' \
    'K.mtx supports.mtx --mass supports.mtx:M' 'M.mtx' '--stiffness missing.mtx' 'nodes.csv' \
    'K.mtx M.mtx --dofs-per-node 3 --rigid A=1@0,0' 'K.mtx M.mtx --dofs-per-node 7'; do
    mnfparse $args -o out.h5
    echo "$args: exit $?"
done
[ ! -e out.h5 ]

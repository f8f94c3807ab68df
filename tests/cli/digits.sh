# SPDX-License-Identifier: GPL-3.0-or-later
# A lever of 10 masses without coordinates, free to turn: K = sum ((i+1) x_i - i x_(i+1))^2, so that x_i = i is its
# zero. Where the text of K lost 1e-8 of each diagonal, that root is -1e-8 sum K_ii i^2 / sum i^2 = -1.02e-6 by first
# order, -0.0001609 Hz: no instability. A first diagonal of 3 instead of 4 is one (numpy: -0.0036345, -0.009595 Hz).
lever() { # factor of the diagonals, the first
    echo '%%MatrixMarket matrix coordinate real symmetric'
    echo 10 10 19
    awk -v f="$1" -v first="$2" 'BEGIN {
        for (i = 1; i <= 10; i++) {
            d = (i < 10 ? (i + 1) ^ 2 : 0) + (i > 1 ? (i - 1) ^ 2 : 0)
            printf "%d %d %.17g\n", i, i, (i == 1 ? first : d) * f
            if (i < 10) print i + 1, i, -i * (i + 1)
        }
    }'
}
{
    echo '%%MatrixMarket matrix coordinate real symmetric'
    echo 10 10 10
    for k in 1 2 3 4 5 6 7 8 9 10; do echo $k $k 1; done
} >M.mtx
lever 0.99999999 4 >few.mtx
lever 1 3 >buckled.mtx
for k in few buckled; do
    mnfparse -q --stiffness $k.mtx --mass M.mtx --dofs-per-node 1 -o $k.h5
    reduce --mdm 4 $k.h5 -o r.h5
done

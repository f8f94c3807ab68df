# The published correlations of the L-shaped benchmark, and again with K and M through Matrix Market files.
compare="$DATA/../../samples/lshape/compare.sh"
"$compare" a >page || cat page
tail -1 page
grep -c '<path' a/correlation.svg | awk '{ print ($1 > 100) }'
numbers() { h5dump -m '%.17g' -y -w 1 -d "/full/$1/$2" a/full.h5 | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
matrix() { # the upper half by columns is the lower half by rows
    numbers "$1" p >p
    numbers "$1" i >i
    numbers "$1" x | paste i - | awk 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric"; while ((getline x <"p") > 0) end[n++] = x; print n - 1, n - 1, end[n - 1] }
        { while (NR > end[j]) j++; print j, $1 + 1, $2 }'
}
matrix K >K.mtx
matrix M >M.mtx
mnfparse -q K.mtx M.mtx --dofs-per-node 6 --interface 1,17 -o model.h5
"$compare" b model.h5 >page || cat page
tail -1 page

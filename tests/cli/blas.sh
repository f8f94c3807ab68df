# Any BLAS will do: under the reference BLAS and LAPACK, and under BLIS, where this machine has them beside the one that
# is chosen, the same frequencies come out (to 1e-9 and 1e-5 Hz), and --version says whose they are.
lib=$(dirname "$(ldd "$(command -v reduce)" | awk '/libblas/ { print $3 }')") others=0
spectrum() { mnfparse "$DATA/../../samples/lshape.mnf" | reduce --cb 18 | invariants | linkexport --to text | awk '/frequency \[Hz\]/ { on = 1; next } on && NF != 4 { exit } on { print $2 }'; }
spectrum >chosen
[ "$(wc -l <chosen)" -eq 18 ] || echo "no spectrum"
for blas in "$lib"/blas "$lib"/blis-pthread "$lib"/blis-openmp "$lib"/blis-serial; do
    [ -e "$blas/libblas.so.3" ] && [ -e "$lib/lapack/liblapack.so.3" ] || continue
    others=$((others + 1))
    export LD_LIBRARY_PATH="$blas:$lib/lapack"
    spectrum >other
    paste chosen other | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-9 * $1 + 1e-5) { print "mode " NR ": " $0; bad = 1 } }'
    reduce --version | grep -q "BLAS ${blas##*/}/libblas.*LAPACK lapack/liblapack" || reduce --version
    unset LD_LIBRARY_PATH
done
[ $others -gt 0 ] || skip "no second BLAS (libblas3, liblapack3)"

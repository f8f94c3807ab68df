# The shipped samples are what their generator makes (frequencies to six digits, not bytes: the
# vectors of repeated roots depend on the BLAS).
"$DATA/../../samples/make.sh" .
for x in beam lshape; do
    for y in $x.mnf "$DATA/../../samples/$x.mnf"; do
        mnfparse --info "$y" | awk '/interface/ { exit } $1 >= 7 && $1 <= 18 && NF == 4 { printf "%.4f\n", $2 }'
    done >$x.f
    echo "$x: $(sort $x.f | uniq -c | awk '$1 % 2' | wc -l) differ of $(wc -l <$x.f)"
done

# Units: named by the input or the user, converted on the way in or out.
f="$DATA/../../samples/beam.mnf"
mnfparse "$f" --units mm-kg-ms --info | grep -E "^(Units|Sum)"
mnfparse "$f" --units mm-t-s | linkexport --to mnf --units SI >back.mnf
for x in "$f" back.mnf; do mnfparse --info $x | grep -v "^Inertia" >$(basename $x).txt; done
cmp beam.mnf.txt back.mnf.txt && echo same
mnfparse "$f" --input-units SI >a.h5 && echo named
mnfparse "$f" --input-units mm-t-s
echo "exit $?"
mnfparse "$f" --units furlong
echo "exit $?"

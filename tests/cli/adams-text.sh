# The ASCII dump of an .mnf, and an Adams matrix file beside it.
d="$DATA/../fuzz/corpus"
mnfparse "$d/mnfdump/body.mtx" --info | head -4
mnfparse "$d/mnfdump/body.mtx" | invariants -v 2>&1 >x.h5 | sed 's/[0-9.e-]* of its/X of its/; s/[0-9.e-]* kg/X kg/'
mnfparse "$d/adamsmat/two.mat"
echo "exit $?"
mnfparse "$DATA/../../samples/beam.mnf" "$d/adamsmat/sparse.mat"
echo "exit $?"
mnfparse "$DATA/../../samples/beam.mnf" "$d/adamsmat/two.mat" >x.h5
echo "exit $?"

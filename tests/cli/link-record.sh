# The link record holds what a simulator needs, and says what is missing.
f="$DATA/../../samples/beam.mnf"
mnfparse "$f" | reduce --cb 18 | invariants | linkexport >link.h5
h5dump -n link.h5 | awk '$1 == "dataset" { print $2 }' | tr '\n' ' '
echo
mnfparse "$f" | reduce --cb 18 | invariants | linkexport --with-T | (cat >t.h5; h5dump -H -d /reduced/T t.h5 | grep -m1 DATASPACE)
mnfparse "$f" | reduce --cb 18 | linkexport >x.h5
echo "exit $?"

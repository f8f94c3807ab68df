# /history: one line a tool, then its warnings; no -o, -q, -v and no directory parts.
mkdir -p deep/folder
cp "$DATA/../../samples/beam.mnf" deep/folder/
mnfparse -v -o a.h5 deep/folder/beam.mnf 2>/dev/null
reduce -q --cb 40 --interface 1,21,21:1 a.h5 | invariants >b.h5
h5dump -d /history b.h5 | grep '([0-9]*):' | sed -e 's/\\000//g' -e 's/[0-9]*\.[0-9]*\.[0-9]*/VERSION/'
reduce --strict --cb 40 a.h5 >out
echo "exit $?, $(wc -c <out) bytes"

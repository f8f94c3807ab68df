# A stream that is cut short never looks like a short stream.
mnfparse "$DATA/../../samples/beam.mnf" | head -c 1500 | reduce --cb 18 >out.h5
echo "exit $?, $(wc -c <out.h5) bytes"
mnfparse "$DATA/../../samples/beam.mnf" | head -c 20000 | reduce --cb 18 >out.h5
echo "exit $?, $(wc -c <out.h5) bytes"

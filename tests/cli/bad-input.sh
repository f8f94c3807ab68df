# Empty input, a directory, a foreign file, a truncated one: a message with the place, no output.
: >empty
for f in empty . "$DATA/bad-input.sh"; do
    mnfparse $f >out
    echo "exit $?, $(wc -c <out) bytes"
done
head -c 9000 "$DATA/../../samples/beam.mnf" | mnfparse >out
echo "exit $?, $(wc -c <out) bytes"
mnfparse </dev/null
echo "exit $?"
reduce --cb 18 .
echo "exit $?"
invariants "$DATA/bad-input.sh"
echo "exit $?"

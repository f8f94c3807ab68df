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
# Devices that never end.
for tool in "mnfparse" "reduce --cb 9" "linkexport"; do
    timeout 20 $tool /dev/zero >out; echo "$tool: exit $?, $(wc -c <out) bytes"
done
timeout 20 mnfparse - </dev/zero >out; echo "exit $?"
# Too few descriptors are the system's fault, not the file's.
mnfparse "$DATA/../../samples/beam.mnf" -o b.h5
for n in 4 5 6 7; do
    sh -c "ulimit -n $n; exec reduce --cb 18 b.h5" >out 2>err
    code=$?
    [ $code = 0 ] || { [ $code = 5 ] && grep -q 'oo many open files' err; } && echo "$n: done or told"
done

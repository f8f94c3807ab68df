# Options and names that are nearly right: the message says what to write.
f="$DATA/../../samples/beam.mnf"
mnfparse "$f" >b.h5
for args in "--mehtod cb" "--CB 18" "-cb 18" "-modes 3" "--m 3" "--check=3" "--help=3" "--quite" "--strict --Interface 1" \
    "--method craig-bampton --order 18" "--method CB --order 18" "--method guyna --order 12"; do
    reduce $args b.h5 >out
    echo "$args: exit $?, $(wc -c <out) bytes"
done
mnfparse --from nastran "$f"
mnfparse --format nastran "$f" >out
mnfparse --format mbdny "$f" >out
for to in fem mbsim MATLAB nastran fmu mbdny txet; do
    linkexport --to $to b.h5
done
linkexport --to text --out x b.h5 && echo "short for --output"

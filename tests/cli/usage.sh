# What the command line refuses, each with exit code 2.
f="$DATA/../../samples/beam.mnf"
for args in "--cb 18x" "--cb" "--frobnicate" "--cb 18 --cb 20" "-Z" "--cb 18 --order 3" "--method nosuch --order 18" "--method cb" \
    "--method cb --order 18 --modes 2" "a b" "--cb 11" "--cb 18 --interface 99" "--cb 18 --interface 1:7" \
    "--cb 18 --interface 3-1" "--fmax -1" "--method mdm --modes 0"; do
    mnfparse "$f" | reduce $args >out
    echo "$args: exit $?, $(wc -c <out) bytes"
done
mnfparse --format nosuch "$f"
echo "exit $?"
mnfparse "$f" | linkexport --to nosuch
echo "exit $?"

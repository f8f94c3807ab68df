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
# Texts that no body is wanted to judge are refused before one is opened.
for args in "--eigensolver no" "--rayleigh no" "--modal-damping no" "--keep no" "--drop no" "--loads 1"; do
    reduce --cb 18 $args absent.h5 2>&1 | grep -o -- "--[a-z-]*: '[a-z]*'\|no eigensolver\|No such file"
done
reduce --krylov 18 --at no absent.h5 2>&1 | grep -o -- "--at: 'no'"
for args in "--units mm" "--input-units mm" "--mirror no" "--rotate no" "--translate no"; do
    mnfparse $args absent.mnf 2>&1 | grep -o "unknown unit system\|--[a-z]*: 'no'"
done
linkexport --units mm absent.h5 2>&1 | grep -o "unknown unit system"

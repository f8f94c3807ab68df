# What reductions of full models refuse, each with its exit status and no output.
frame --elements 4 -o m.h5
frame --elements 4 --modal -o modal.h5
for args in "--cb 11 m.h5" "--cb 18 --interface 9 m.h5" "--cb 18 --fix 1 --interface 1,5 m.h5" "--cb 18 --fix 1-5 m.h5" \
    "--guyan 18 --masters 1,5 m.h5" "--method guyan --modes 2 m.h5" "--method guyan --modes 0 m.h5" "--guyan 31 m.h5" "--method imr --fmax 9 m.h5" "--method imr --select 99 m.h5" \
    "--method mdm --fmax 1e-9 --fix 1 m.h5" "--method imr --select 1 --weights 7 m.h5" "--mdm 6 --eigensolver nosuch m.h5" \
    "--mdm 6 --rayleigh 1 m.h5" "--mdm 6 --modal-damping 9:0.1 m.h5" "--cb 18 --loads 3 modal.h5" "--mdm 6 --check modal.h5"; do
    reduce $args >out
    echo "$args: exit $?, $(wc -c <out) bytes"
done

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
reduce --mdm 6 --modal-damping '' m.h5 -o x.h5
# A matrix that is announced and has no entries: a header of DMIG alone, a size line.
printf 'DMIG,KAAX,0,6,2,0,,,2\nDMIG,MAAX,0,6,2,0,,,2\n' >hollow.bdf
mnfparse hollow.bdf -o x.h5
echo "exit $?"
printf 'DMIG,KAAX,0,6,2,0,,,2\nDMIG,KAAX,1,1,,1,1,5.\nDMIG,MAAX,0,6,2,0,,,2\n' >hollow.bdf
mnfparse hollow.bdf -o x.h5
printf 'DMIG,KAAX,0,6,2,0,,,2\nDMIG,MAAX,0,6,2,0,,,2\nDMIG,MAAX,1,1,,1,1,5.\n' >hollow.bdf
mnfparse hollow.bdf -o x.h5
printf '%%%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 5.\n' >K.mtx
printf '%%%%MatrixMarket matrix coordinate real symmetric\n1 1 0\n' >D.mtx
cp K.mtx M.mtx
mnfparse --stiffness K.mtx --mass M.mtx --damping D.mtx --dofs-per-node 1 -o x.h5 && echo done
# A frequency below all modes, as of kHz for Hz.
reduce --method cb --fmax 1e-9 m.h5 -o x.h5 && reduce --method cb --fmax 1e-9 modal.h5 -o x.h5 && echo done

# alpha M r brakes rigid motion r: said of a free body, and of it alone. Its power on the six rigid modes V (V'Mr V = 1) is
# V'Dr V = alpha; beta and damping of modes leave them 0.
frame --shape lshape --elements 4 -o f.h5
for args in "--rayleigh 2.5,1e-5" "--rayleigh 0,1e-5" "--modal-damping 0.02" "--fix 1 --rayleigh 2.5,1e-5"; do
    reduce --cb 18 $args f.h5 -o r.h5
    echo "$args: exit $?"
done

# Bodies with geometric stiffness, in one piece. A beam that turns (the record `stiff`: L = 1, EI = rho A = 1.2e-5) has its exact frequencies, in the
# plane and out of it, with all three programs; 5e-3 for its stretching at the highest speed, which moves its mass outward. A force along it
# buckles it at pi^2/4 EI (Timoshenko and Gere, 1961): it grows 0.1 % above, not 0.1 % below. Two links that swing keep their energy.
. "$DATA/sim"
records stiff
turning() { # program, speed
    printf 'time 0\nbend\nlink stiff.h5 hub 1 tip 33 axis 0 0 1 drive spinup %s 0\n' "$2" >turning.txt
    run "$1" turning --frequencies
    table "turning-$1.h5" frequency growth | awk '{ print $1 * 6.283185307179586; print $2 * 6.283185307179586; print $(NF / 2 + 1) < 1e-9 ? 0 : $(NF / 2 + 1) }'
}
for p in ffr erls denoc; do
    turning $p 2 | near "$p, turning at 2" 6e-4 3.6218 4.1373 0
    turning $p 4 | near "$p, at 4" 6e-4 3.8977 5.5850 0
    turning $p 8 | near "$p, at 8" 5e-3 4.6571 9.2568 0
    for force in 2.9579e-5 2.9639e-5; do
        printf 'time 0\nbend\nlink stiff.h5 hub 1 tip 33 force -%s 0 0\n' $force >column.txt
        run $p column --frequencies
        echo "$p, a force of $force: $(table column-$p.h5 frequency growth | awk '{ for (k = NF / 2 + 1; k <= NF; k++) g = g || $k > 1e-6; print g ? "buckles" : "stands" }')"
    done
done
frame --geometric --shape beam --element hermite --mass lumped --elements 16 --length 1 --square 0.02 --young 7e9 --poisson 0.33 --density 2700 |
    reduce --cb 18 | invariants | linkexport -o soft.h5
link='link soft.h5 hub 1 tip 17 modes 4 axis 0 1 0'
printf 'gravity 0 0 -9.81\ntime 1\nstep 0.05\n%s\n%s\n' "$link" "$link" >swing.txt
for p in ffr erls denoc; do
    run $p swing
    table swing-$p.h5 kinetic potential | awk -v p=$p '{ e = $1 + $2; e = e < 0 ? -e : e; worst = e > worst ? e : worst; top = $1 > top ? $1 : top }
        END { print p ", energy kept: " (top > 10 && worst < 1e-9 * top) }'
done
table swing-denoc.h5 theta tip | tail -1 | near "denoc as ffr" 1e-9 $(table swing-ffr.h5 theta tip | tail -1)

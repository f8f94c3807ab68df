# Published motions (samples/simulators/chains), beside numbers recomputed by an independent prototype (Radau and DOP853 at 1e-8):
# spin-up beams (1e-5), swings of the L frame (their stated tolerance), the soft pendulum, the Canadarm, the slider-crank.
. "$DATA/sim"
records lc l3 sp1 sp2 sp4 sp8 pendulum canadarm1 canadarm2 canadarm3 crank slider
deflection() { # tip of the last link across the turning axes at the times behind the file
    f=$1
    shift
    table "$f" t theta tip | awk -v at=" $* " '{ n = (NF - 1) / 4; x = $(NF - 2); y = $(NF - 1); v = cos($2) * y - sin($2) * x; if (index(at, " " $1 " ")) print v; if (v < m) m = v } END { print m }'
}
pieces() { # of one link, from spin2.txt
    { sed -n '/^link.*axis/q; /^link/!p' spin2.txt; sed -n "/^link.*axis/s/sp4/sp$1/p" spin2.txt; } >spin2-"$1".txt
    i=1
    while [ $((i += 1)) -le "$1" ]; do echo "link sp$1.h5 hub 1 tip 21"; done >>spin2-"$1".txt
    run denoc spin2-"$1" --implicit
}
run denoc spin2 --implicit
deflection spin2-denoc.h5 5 7 | near "2 rad/s, four pieces" 1e-5 -0.214232 -0.283585 -0.283723
pieces 1
deflection spin2-1-denoc.h5 5 7 | near "one" 1e-5 -0.218426 -0.313694 -0.344410
pieces 2
deflection spin2-2-denoc.h5 5 7 | near "two" 1e-5 -0.215559 -0.293149 -0.297722
pieces 8
deflection spin2-8-denoc.h5 5 7 | near "eight" 1e-5 -0.213890 -0.281198 -0.281216
table spin2-denoc.h5 t theta tip | tail -n 1 | awk '{ printf "%.3e\n", cos($2) * $(NF - 2) + sin($2) * $(NF - 1) - 8 }' | near "extension of the turning beam, W^2 rho L^3 / 3 E" 3e-9 1.414e-6
run denoc spin4 --implicit
deflection spin4-denoc.h5 5 7 | near "4 rad/s, four pieces" 1e-5 -0.426526 -0.555986 -0.555986
sed '/^link sp4.h5 hub 1 tip 21$/d; s/sp4/sp1/' spin4.txt >one.txt
run denoc one --implicit
echo "one piece: exit $?, $(wc -c <one-denoc.h5) bytes"
for p in ffr erls denoc; do
    run $p swing --step 0.002
    table swing-$p.h5 theta tip | tail -n 1 | awk '{ print $1 * 45 / atan2(1, 1); print $4 }' | near "$p, swing" 5e-5 48.638 -0.37772
done
sed '1i bend' swing.txt >bent.txt
run denoc bent --step 0.002
table bent-denoc.h5 theta tip | awk 'NR == 1 { print $4 } END { print $1 * 45 / atan2(1, 1); print $4 }' | near "from rest under gravity" 3e-4 -0.357954 48.754 -0.37720 # the prototype had other I5, I8, I9 of this consistent mass
# peaks of the tip's acceleration over 2 s, bins of 0.5 Hz: the largest within 3 Hz of each wanted one (the swing splits them: within 1 Hz)
peaks() {
    table "$1" tip | awk -v h=0.002 -v want="$2" '
        { z[NR] = $3 }
        END {
            pi = atan2(0, -1)
            n = NR - 2
            for (k = 1; k <= n; k++) { a[k] = (z[k + 2] - 2 * z[k + 1] + z[k]) / (h * h); mean += a[k] / n }
            m = split(want, w, " ")
            for (q = 1; q <= m; q++) {
                top = 0
                for (f = w[q] - 3; f <= w[q] + 3; f += 0.5) {
                    c = s = 0
                    for (k = 1; k <= n; k++) {
                        x = (a[k] - mean) * (1 - cos(2 * pi * (k - 0.5) / n))
                        c += x * cos(2 * pi * f * k * h)
                        s += x * sin(2 * pi * f * k * h)
                    }
                    if (c * c + s * s > top) { top = c * c + s * s; at = f }
                }
                if (at - w[q] > 1 || w[q] - at > 1) bad = bad " " at " for " w[q]
            }
            print "peaks" (bad == "" ? ": within 1 Hz" : ":" bad)
        }'
}
peaks swing-denoc.h5 "9 24 88 121 160 179.5"
peaks bent-denoc.h5 "14.5 88 160 175.5 179.5"
# Vidoni et al., Table 2, rigid row: steel rods of 0.5 m, 30 x 10 mm, here square with the same polar moment; theta and elbow after 0.5 s
frame --shape lshape --elements 4 --mass lumped --length 0.5 --square 0.0223606797749979 --young 2.1e11 --poisson 0.3 --density 7850 |
    reduce -q --cb 18 --interface 1,3,5 | invariants | linkexport -o rods.h5
printf 'gravity 0 0 -9.81\ntime 0.5\nstep 0.5\nlink rods.h5 hub 1 tip 3 axis 0 1 0 modes 0\n' >rods.txt
run denoc rods
table rods-denoc.h5 theta tip | awk 'NR > 1 { print $1 * 45 / atan2(1, 1); print $2; print $4 }' >f
sed -n 1p f | near "rigid rods, printed" 5e-5 125.90
sed -n 2,3p f | near "elbow" 2e-4 -0.2931 -0.4050
run denoc swing-l3
table swing-l3-denoc.h5 theta tip | tail -n 1 | awk '{ print $1 * 45 / atan2(1, 1); print $4 }' | near "four elements" 5e-5 74.872 -0.48729
run denoc pendulum-soft
table pendulum-soft-denoc.h5 theta | sed 1d | near "soft pendulum" 1e-7 2.90079178 0.90773474 1.30904292
run denoc canadarm-rigid --step 0.002
table canadarm-rigid-denoc.h5 t torque | awk '$1 == 1 || $1 == 5 { print $2; print $3; print $4 }' | near "torques of the rigid Canadarm" 1e-6 512.4203 268.5904 29.2332 525.3209 289.7392 38.5194
for k in 1 2 3; do table canadarm-rigid-denoc.h5 t torque | cut -f 1,$((k + 1)) >torque$k.txt; done
run denoc canadarm
table canadarm-denoc.h5 t theta | awk '$1 == 5 || $1 == 10 { print $2; print $3; print $4 }' | near "flexible" 2e-6 0.148317 0.265590 0.507999 0.751472 0.501673 0.995759
awk 'BEGIN { for (t = 0; t < 0.7005; t += 0.001) print t, 0.01 * (1 - exp(-t / 0.167)) }' >torque.txt
run denoc slider
table slider-denoc.h5 t tip | awk '$1 == 0.4 { print $5 } { y = $6 < 0 ? -$6 : $6; if (y > m) m = y } END { print m < 4e-6 ? 0 : m }' | near "slider-crank, on the axis" 1e-6 0.432795 0

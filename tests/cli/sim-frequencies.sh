# Frequencies of small motion: hinged L frames beside the printed ones (bins of 0.5 Hz of a swinging frame: within 1 Hz or 4e-4) and beside
# those recomputed from the record (1e-6 or their last digit); beams that turn, in 1 to 8 pieces, beside exact ones and those of an
# independent prototype (6e-5: its section is not known to all digits).
. "$DATA/sim"
records lc l3 l2 turn1 turn2 turn4 turn8
for p in ffr erls denoc; do
    run $p hinged --frequencies
    table hinged-$p.h5 frequency | tr '\t' '\n' >f
    sed -n 3,9p f | near "$p, 16 elements, recomputed" 1e-6 8.773784 14.388217 23.998815 87.880927 120.879421 159.546275 179.623157
    sed -n '3,6p;8,9p' f | near "$p, 16 elements, printed, within 1 Hz" 1 8.5 14.5 24.5 88 159.5 180
    run $p hinged-l3 --frequencies
    table hinged-l3-$p.h5 frequency | tr '\t' '\n' | sed -n 3,14p >f
    near "$p, 4 elements, recomputed" 2e-5 8.1610 11.2363 23.7448 30.2690 111.7341 116.4437 171.8727 264.814 1463.2 2260.3 6160.5 9330.8 <f
    sed -n '10p;12p' f | near "$p, 4 elements, printed, to 4e-4" 4e-4 2260 9334
    run $p hinged-l2 --frequencies
    table hinged-l2-$p.h5 frequency | tr '\t' '\n' | sed -n 3,8p | near "$p, 2 elements, recomputed" 3e-5 7.4409 9.0718 27.631 31.558 1273.5 1481.6
done
# Hz in every system of units.
linkexport --units mm-kg-ms lc.h5 -o ms.h5 && sed 's/lc.h5/ms.h5/' hinged.txt >ms.txt && denoc --frequencies ms.txt >ms-run.h5
table ms-run.h5 frequency | tr '\t' '\n' | sed -n 3,9p | near "in mm, kg and ms" 1e-6 8.773784 14.388217 23.998815 87.880927 120.879421 159.546275 179.623157
# They are of the start: one row, whatever times the run has beside it.
denoc --frequencies --time 0.02 --step 0.01 hinged.txt >swing.h5
table swing.h5 frequency growth | awk -F '\t' '{ print NR, NF }'
table swing.h5 t frequency 2>&1
echo "exit $?"
# the same frame by other methods, to the digits recomputed (Scalera, Table 4.3: Guyan 8.5 14.5 24.5 97.5 186.5, IMR 8.5 14.5 24.5 111 201.5 241.5, MDM 10 26 31 88 130 194.5 213)
reduced() { # reduce's options: frequencies 1 to 7
    frame --shape lshape --elements 16 --mass consistent --length 0.5 --square 0.008 --young 7e10 --poisson 0.33 --density 2700 |
        reduce "$@" | invariants -q | linkexport --connectors 1,9,17 -o lc.h5
    run ffr hinged --frequencies
    table hinged-ffr.h5 frequency | tr '\t' '\n' | sed -n 3,9p
}
reduced --guyan 18 --masters 1,9,17 >f
sed 6q f | near "Guyan, recomputed" 5e-4 8.78 14.40 24.06 97.64 143.54 186.34
sed -n '1,4p;6p' f | near "printed, within 1 Hz" 1 8.5 14.5 24.5 97.5 186.5
reduced --method imr --select 1,21,26-27,40,48 >f
sed 6q f | near "IMR, recomputed" 5e-4 8.78 14.41 24.12 111.23 201.07 241.36
sed 6q f | near "printed, within 1 Hz" 1 8.5 14.5 24.5 111 201.5 241.5
reduced --mdm 18 >f
near "MDM, recomputed" 5e-4 9.70 26.53 31.07 88.24 129.38 194.46 213.34 <f
near "printed, within 1 Hz" 1 10 26 31 88 130 194.5 213 <f
reduced --lsmr 18 >g
paste f g | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-9 * $1) bad = 1 } END { print "LSMR, of the same span: " (bad ? "other" : "the same") }'
# Scaglioni's TUDOR arm, 15 x 4 mm, bending across 4 mm: of a square rod the same, with 4/15 of the mass at its tip; planar robot, 2 mm. Printed
# to their digits: 4.7 75.6 241.3, 22.9 143.44 401.33 Hz (0.2 %: the third has other elements there), 17.94 Hz by beams.
arm() { # length, side, density, E; then its links: bending frequencies 1 to 3
    frame --shape beam --elements 64 --element hermite --mass lumped --length $1 --square $2 --density $3 --young $4 --poisson 0.3 |
        reduce -q --cb 36 | invariants | linkexport -o arm.h5
    run denoc arm --frequencies
    table arm-denoc.h5 frequency | tr '\t' '\n' | sed -n '1p;3p;5p'
}
printf '%%%%MatrixMarket matrix coordinate real symmetric\n6 6 0\n' >motor-K.mtx
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric\n6 6 6"; for (k = 1; k <= 6; k++) print k, k, k < 4 ? 0.5885 * 4 / 15 : 1e-9 }' >motor-M.mtx
echo 1 0 0 0 >motor.txt
mnfparse motor-K.mtx motor-M.mtx --dofs-per-node 6 --nodes motor.txt --interface 1 --input-units SI | reduce -q --cb 6 | invariants | linkexport -o motor.h5
printf 'time 0\nlink arm.h5 hub 1 tip 65\nlink motor.h5 hub 1 tip 1 modes 0\n' >arm.txt
arm 0.44 0.004 7800 2e11 >f
near "TUDOR arm, link 1, recomputed" 1e-4 4.733 75.63 241.78 <f
near "printed" 2e-3 4.733 75.6 241.3 <f
sed -i '$d' arm.txt
arm 0.378 0.004 7800 2e11 >f
near "link 2, recomputed" 2e-4 22.90 143.44 401.5 <f
near "printed" 3e-4 22.9 143.44 401.33 <f
arm 0.3 0.002 2800 7e10 | sed 2q | near "planar robot, recomputed" 5e-4 17.94 112.4
# damping inside a chain: D = b K of all links damps each mode w0 by b w0^2 / 2, exactly (1e-6: differences of the Jacobian)
frame --shape beam --elements 16 --element hermite --mass lumped --length 0.5 --square 0.02 --young 7e10 --poisson 0.33 --density 2700 |
    reduce --cb 18 --rayleigh 0,1e-5 | invariants | linkexport -o damped.h5
printf 'time 0\nlink damped.h5 hub 1 tip 17 axis 0 1 0\nlink damped.h5 hub 1 tip 17\n' >damped.txt
for p in ffr erls denoc; do
    run $p damped --frequencies
    table damped-$p.h5 frequency growth | awk -v p=$p '{ n = NF / 2; for (k = 1; k <= n; k++) if ($k > 1) { w = 6.283185307179586 * $k; g = $(n + k); d = (g + 1e-5 * (w * w + g * g) / 2) / g; if (d < 0) d = -d; if (d > m) m = d; c++ } } END { print p ", damped chain: " (c == 24 && m < 1e-6 ? "as b w0^2 / 2" : c " modes, off by " m) }'
done
turning() { # pieces, speed: the lowest two frequencies in rad/s, growth of the first
    k=$1 tip=$((32 / $1 < 8 ? 9 : 32 / $1 + 1)) i=0
    {
        printf 'time 0\nbend\n'
        while [ $((i += 1)) -le "$k" ]; do
            echo "link turn$k.h5 hub 1 tip $tip $([ $i -gt 1 ] || echo "axis 0 0 1 drive spinup $2 0")"
        done
    } >turning.txt
    run denoc turning --frequencies
    table turning-denoc.h5 frequency growth | awk '{ print $1 * 6.283185307179586; print $2 * 6.283185307179586; print $(NF / 2 + 1) < 1e-9 ? 0 : $(NF / 2 + 1) }'
}
turning 1 2 | near "turning at 2, one piece" 6e-5 2.8901 3.5148 0
turning 2 2 | near "two pieces" 6e-5 3.3229 3.8785 0
turning 4 2 | near "four" 6e-5 3.5469 4.0721 0
turning 8 2 >f
near "eight" 6e-5 3.6037 4.1217 0 <f
head -n 2 f | near "exact, to what is left of 1 / k^2" 6e-3 3.6218 4.1373
turning 1 4 | sed -n 3p | near "turning at 4, one piece: unstable, growth" 6e-5 1.9098
turning 2 4 | near "two pieces" 6e-5 2.5164 4.7258 0
turning 4 4 | near "four" 6e-5 3.5934 5.3772 0
turning 8 4 | near "eight" 6e-5 3.8273 5.5362 0

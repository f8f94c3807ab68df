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

# Modes as a modal test gives them, in a universal file: five sensors with numbers of their own, 1 mm beside the
# nodes, translations alone, no masses, frequencies 1 % high, scaled and turned over; one mode missed, two swapped.
# Against the finite elements, by position; then the same shapes complex, of any phase.
frame --shape lshape --elements 16 --mass consistent -o full.h5
reduce -q --mdm 14 full.h5 -o modes.h5
numbers() { h5dump -m '%.10g' -y -w 1 -d "$1" "$2" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
numbers /reduced/T modes.h5 >T
numbers /reduced/frequency modes.h5 >f
numbers /nodes/xyz modes.h5 >xyz
# unv TYPE: 2 real, 5 complex
unv() {
    awk -v type="$1" '
        FILENAME == "T" { T[n++] = $1 } FILENAME == "f" { f[++m] = $1 } FILENAME == "xyz" { x[c++] = $1 }
        function mode(k, label, factor,   s, d, v) {
            printf "    -1\n    55\ntest\nNONE\nNONE\nNONE\nNONE\n%10d%10d%10d%10d%10d%10d\n", 1, type == 5 ? 3 : 2, 2, 8, type, 3
            if (type == 5) printf "%10d%10d%10d%10d\n%13.5e%13.5e%13.5e%13.5e%13.5e%13.5e\n", 2, 6, 1, label, -6.2831853 * f[k] * 0.02, 6.2831853 * f[k], 1, 0, 0, 0
            else printf "%10d%10d%10d%10d\n%13.5e%13.5e%13.5e%13.5e\n", 2, 4, 1, label, 1.01 * f[k], 0, 0, 0
            for (s = 3; s <= 15; s += 3) {
                printf "%10d\n", 100 + s
                for (d = 0; d < 3; d++) {
                    v = factor * T[(k - 1) * 102 + (s - 1) * 6 + d]
                    if (type == 5) printf "%13.5e%13.5e", v * cos(k), v * sin(k); else printf "%13.5e", v
                }
                printf "\n"
            }
            printf "    -1\n"
        }
        END {
            printf "    -1\n  2411\n"
            for (s = 3; s <= 15; s += 3) printf "%10d%10d%10d%10d\n%25.16e%25.16e%25.16e\n", 100 + s, 1, 1, 1, x[3 * s - 3] + 0.001, x[3 * s - 2], x[3 * s - 1]
            printf "    -1\n"
            mode(7, 1, -3); mode(8, 2, 0.5); mode(10, 3, 2); if (type == 5) mode(9, 4, 1); mode(11, 5, -1)
        }' T f xyz
}
unv 2 | sed 's/  6.43227e+01/  9.70000e+01/' >test.unv
mnfparse -q test.unv -o test.h5
correlate --mac --nearest 0.002 -n 11 full.h5 test.h5 | awk 'NR == 1 || $1 > 6' | tr -s ' '
correlate --mac full.h5 test.h5
echo "exit $?"
correlate --mac --nearest 0.002 --dofs 3,6,9:12 full.h5 test.h5 | head -1
correlate --mac --nearest 0.002 -n 12 test.h5 full.h5 | awk '$1 > 0'
unv 5 >complex.unv
mnfparse -q complex.unv -o complex.h5
correlate --mac --nearest 0.002 full.h5 complex.h5 | awk 'NR == 1 || $1 > 6 && NF >= 6 && $1 ~ /^[0-9]+$/'
correlate --mac complex.h5 complex.h5 | awk 'NF >= 6 && $1 ~ /^[0-9]+$/'
reduce --mdm 3 complex.h5 -o out.h5
echo "exit $?"

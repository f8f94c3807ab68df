# The project's own beam, clamped at its origin, in MBDyn's file: frequencies, tip displacement under 1 N, inertia
# about the origin, axial coordinate at 50 rad/s (published for this beam: 14.23038933 88.95780931 248.71675585
# 486.45046142 860.07398991 1402.7382269 Hz, 6.063045451e-4 m, 0.283097 kg m^2, 1.71235759e-5; a mode has either sign).
frame --element hermite --rotary 2e-9 --modal | reduce --cb 12 --fix 1 --interface 21 --orthonormalize | invariants >body.h5
linkexport --to mbdyn --dialect develop body.h5 >body.fem
awk '
/^\*\* RECORD GROUP/ { record = $4 + 0; row = 0; next }
/^\*\*/ { if (record == 8) mode++; next }
record == 8 { y[mode] = $2 }
record == 10 { row++; k[row] = $row }
record == 12 { row++; if (row == 1) m = $1; if (row == 2) c = $1; if (row == 5) j = $3 }
record == 16 { row++; if (row == 3) spin = $30 }
END {
    for (i = 1; i <= 10; i += i < 9 ? 2 : 1) printf "%.4f\n", sqrt(k[i]) / 6.283185307179586
    for (i = 1; i <= 12; i++) tip += y[i] * y[i] / k[i]
    printf "%.4e\n%.6f\n%.6e\n", tip, j + m * c * c, 2500 * (spin < 0 ? -spin : spin) / k[10]
}' body.fem

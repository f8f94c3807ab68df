# mnfparse --geometric: a clamped-free beam (EI = rho A = L = 1) that turns about z, its stiffness and that of its tension from awk, in
# the text of Abaqus; the frequencies are those of the record alone: K + y (Kg - I11_xx - I11_yy), y the square of the speed.
beam() { # tension: none, wz2 (turning with speed 1), ax (gravity 1 along x), f (force 1 at the tip); factor; softening
    awk -v kind="$1" -v by="${2:-1}" -v soft="${3:-0}" -v gap="${4:-0}" '
        function put(i, j, x) { if (x != 0) { K[i, j] += x; if (i != j) K[j, i] += x } }
        function bend(q, A, by, p, a, b, i, j) {
            for (p = 0; p < 2; p++) for (a = 0; a < 4; a++) for (b = a; b < 4; b++) {
                i = 6 * q + at[p, a]; j = 6 * q + at[p, b]
                put(i, j, by * A[a, b] * (p && (a + b) % 2 ? -1 : 1)) } }
        function row(A, a, s, f, k) { split(s, f); for (k = 1; k <= 4; k++) A[a, k - 1] = f[k] }
        BEGIN { n = 16; l = 1 / n; split("1 5 7 11 2 4 8 10", t); for (k = 0; k < 8; k++) at[int(k / 4), k % 4] = t[k + 1]
            row(E, 0, 12 " " 6 * l " -12 " 6 * l); row(E, 1, 0 " " 4 * l * l " " (-6 * l) " " 2 * l * l)
            row(E, 2, 0 " " 0 " " 12 " " (-6 * l)); row(E, 3, "0 0 0 " 4 * l * l)
            row(S, 0, 36 " " 3 * l " -36 " 3 * l); row(S, 1, 0 " " 4 * l * l " " (-3 * l) " " (-l * l))
            row(S, 2, 0 " " 0 " " 36 " " (-3 * l)); row(S, 3, "0 0 0 " 4 * l * l)
            for (q = 0; q < n; q++) {
                N = kind == "f"
                for (p = q + 1; p <= n && kind != "f"; p++) N += (p == n ? l / 2 : l) * (kind == "ax" ? 1 : p * l)
                if (kind != "none") bend(q, S, by * N / (30 * l))
                if (kind == "mass") continue
                bend(q, E, 1 / (l * l * l))
                for (c = 0; c <= 3; c += 3) { k = (c ? 1 : 1e6) / l; put(6*q+c, 6*q+c, k); put(6*q+6+c, 6*q+6+c, k); put(6*q+c, 6*q+6+c, -k) } }
            if (kind == "mass") { delete K; for (d = 0; d < 6 * n + 6; d++) K[d, d] = (d < 6 || d >= 6 * n ? l / 2 : l) * (d % 6 < 3 ? 1 : 1e-6) }
            for (d = 0; soft && d < 6 * n + 6; d++) if (d % 6 < 2) K[d, d] -= by * (d < 6 || d >= 6 * n ? l / 2 : l)
            for (j = 0; j < 6 * n + 6; j++) for (i = j; i < 6 * n + 6 && i < j + 12; i++) if ((i, j) in K && j >= gap)
                printf "%d,%d, %d,%d, %.17e\n", i / 6 + 1, i % 6 + 1, j / 6 + 1, j % 6 + 1, K[i, j] }'
}
beam none >K.mtx && beam mass >M.mtx && beam wz2 25 >wz2.mtx && beam wz2 25 1 >soft.mtx && beam ax 10 >ax.mtx && beam f 5 >tip.mtx
beam wz2 25 0 6 >held.mtx && beam wz2 1e-9 >small.mtx && sed 's/^17,/18,/' wz2.mtx >other.mtx
awk 'BEGIN { for (k = 0; k <= 16; k++) print k + 1, k / 16, 0, 0 }' >nodes.txt
make() { mnfparse --input-units SI --stiffness K.mtx --mass M.mtx --nodes nodes.txt --interface 1,17 "$@"; }
turning() { # the two lowest roots of the record at speeds 2, 4, 8
    h5dump -y -w 1 -m %.17g -d /reduced/K "$1" >K.txt; h5dump -y -w 1 -m %.17g -d /reduced/Kg "$1" >Kg.txt
    h5dump -y -w 1 -m %.17g -d /invariants/I11 "$1" >W.txt
    awk 'FNR == 1 { f++ } /^ +-?[0-9.]+[-+0-9.e]*,?$/ { sub(",", ""); x[f, n[f]++] = $1 + 0 }
        END { m = sqrt(n[1]); for (s = 2; s <= 8; s *= 2) { # eigenvectors as coordinates: M = 1; the least root of A by Jacobi
            for (i = 0; i < m; i++) for (j = 0; j < m; j++) { q = i * m + j
                A[i, j] = x[1, q] + s * s * (x[2, q] - x[3, q] - x[3, 4 * m * m + q]) }
            for (sweep = 0; sweep < 12; sweep++) for (p = 0; p < m; p++) for (r = p + 1; r < m; r++) {
                if (A[p, r] ^ 2 < 1e-24 * (A[p, p] * A[r, r]) ^ 2 || A[p, r] == 0) continue
                h = (A[r, r] - A[p, p]) / (2 * A[p, r]); t = (h < 0 ? -1 : 1) / ((h < 0 ? -h : h) + sqrt(h * h + 1)); c = 1 / sqrt(t * t + 1); u = t * c
                for (k = 0; k < m; k++) { a = A[k, p]; b = A[k, r]; A[k, p] = c * a - u * b; A[k, r] = u * a + c * b }
                for (k = 0; k < m; k++) { a = A[p, k]; b = A[r, k]; A[p, k] = c * a - u * b; A[r, k] = u * a + c * b } }
            one = two = 1e300; for (k = 0; k < m; k++) { v = A[k, k]; if (v < one) { two = one; one = v } else if (v < two) two = v }
            printf "speed %d: %.3f in the plane, %.3f out of it\n", s, sqrt(one), sqrt(two) } }' K.txt Kg.txt W.txt
}
body() { make "$@" | reduce --fix 1 --orthonormalize --cb 14 --interface 17 | invariants | linkexport; }
echo "exact: 3.6218 4.1373, 3.8977 5.5850, 4.6571 9.2568"
body --geometric wz2.mtx:wz2=25 >a.h5 && turning a.h5
echo "the softening of the turning mass is taken off:"
body --geometric soft.mtx:wz2=25 >b.h5 && turning b.h5
echo "rows that the load step holds:"
body --geometric held.mtx:wz2=25 >c.h5 && turning c.h5
make --geometric wz2.mtx:wz2=25 --geometric ax.mtx:ax=10,rz=20 --geometric tip.mtx:f:17.1=5 >d.h5 && mnfparse --info d.h5 | grep -A2 Geometric
mnfparse --rotate z:90 --units mm-t-s d.h5 | mnfparse --info | grep -A2 Geometric
reduce --cb 14 --fix 1 --interface 17 d.h5 | invariants >e.h5 && reduce --drop 1 e.h5 | invariants | linkexport --connectors 1,17 | mnfparse --info | grep -A2 Geometric
reduce --drop 1 e.h5 | invariants | linkexport --connectors 17 --renumber | mnfparse --info | grep 'load 3'
linkexport --to mm e.h5 -o mm && linkexport --to text e.h5 | grep 'geometric stiffness'
mnfparse --input-units SI --stiffness K.mtx --mass M.mtx --nodes nodes.txt --rigid TIP=17 --geometric tip.mtx:f:tip.1=5 | mnfparse --info | grep 'load 1'
for g in K.mtx:wz2=1 other.mtx:wz2=25 wz2.mtx:wz=25 wz2.mtx wz2.mtx:ax=0 wz2.mtx:f:HUB.1=5 wz2.mtx:ax=1,ax=-1 wz2.mtx:f:99.1=1 no.mtx:ax=1; do
    make --geometric $g >x; echo "exit $? $(wc -c <x)"
done
make --geometric small.mtx:wz2=1e-9 >x
make --geometric soft.mtx:ax=25 >x
mnfparse --geometric wz2.mtx:wz2=25 "$DATA/../../samples/beam.mnf" >x; echo "exit $? $(wc -c <x)"

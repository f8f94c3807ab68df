# --stiffness A+f*B: masses m on springs k to the ground (A) and on a string of tension N and pitch l between walls (B, without N):
# lambda_j = k/m + 4 N/(m l) sin^2(j pi / (2 (n + 1))).
mtx() { awk -v n=9 -v d="$1" -v o="$2" 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, (o != 0) * (n - 1) + n
    for (k = 1; k <= n; k++) { print k, k, d; if (k < n && o != 0) print k + 1, k, o } }'; }
mtx 500 0 >A.mtx && mtx 4 -2 >B+g.mtx && mtx 0.25 0 >M.mtx # l = 0.5
mnfparse --dofs-per-node 1 --stiffness A.mtx+30*B+g.mtx --mass M.mtx | reduce --mdm 9 >r.h5 &&
h5dump -y -w 1 -m %.17g -d /reduced/frequency r.h5 | awk 'BEGIN { pi = atan2(0, -1) } /^ +[0-9.]+,?$/ { j++
    s = sin(j * pi / 20); f = sqrt(500 / 0.25 + 4 * 30 / (0.25 * 0.5) * s * s) / (2 * pi)
    bad += ($1 / f - 1) ^ 2 > 1e-22 } END { print j, "frequencies,", bad + 0, "of them off" }'
mnfparse --dofs-per-node 1 --info --stiffness A.mtx+30*B+g.mtx --mass M.mtx | grep Matrices
for s in A.mtx+no.mtx A.mtx+ A.mtx+A.mtx; do
    mnfparse --dofs-per-node 1 --stiffness $s --mass M.mtx >x
    echo "exit $? $(wc -c <x)"
done

# Frequency responses: the full model against numpy's dense solution, the same bytes on any number of threads, what is refused.
frame --elements 12 >free.h5
reduce --fix 1 --cb 20 --interface 13 free.h5 -o cb.h5
reduce --fix 1 --guyan 9 --masters 13:123456,7:123 free.h5 -o guyan.h5
ask="--frf 13.3:13.3,7.2:13.2,13.5:13.3 --frequencies 0,1500,61 --loss-factor 0.02"
for t in 1 2; do
    OPENBLAS_NUM_THREADS=$t correlate $ask cb.h5 guyan.h5 --csv $t.csv --json $t.json --svg $t.svg --html $t.html --h5 $t.h5 >$t.page || exit
done
for f in csv json svg html h5 page; do cmp 1.$f 2.$f || echo "$f differs"; done
sed -n '/^summary/,$p' 1.page
awk 'length > 100' 1.page
correlate $ask cb.h5 >alone.page && head -1 alone.page && tail -2 alone.page
grep -c '^"' 1.csv
head -1 1.csv
grep -o '<polyline' 1.svg | wc -l
h5dump -H -d /response/1 1.h5 | grep DATASPACE | tr -d ' ' | head -1
correlate --frf 13.2:13.2,13.3:13.2 --frequencies 1,400,20 --loss-factor 0.02 cb.h5 --min-frac 0.99 | sed -n '/13.3:13.2/p'
correlate $ask cb.h5 guyan.h5 --min-frac 0.999 >page; echo "exit $?"
correlate $ask cb.h5 --max-db 0.001 >page; echo "exit $?"
correlate --frf 13.3:13.3 --frequencies 1,1500,4 free.h5 cb.h5 >page; echo "exit $?"
for bad in "--frequencies 1,2,3" "--frf 13.3:13.3" "--frf 13.3 --frequencies 1,2,3" "--frf 13.3:13.3 --frequencies 2,1,3" \
    "--frf 99.3:13.3 --frequencies 1,2,3" "--frf 1.3:13.3 --frequencies 1,2,3" "--frf 13.3:13.3 --frequencies 1,2,3 --mac"; do
    correlate $bad cb.h5 >page; echo "exit $?, $(wc -c <page) bytes"
done
correlate --frf 13.3:13.3 --frequencies 0,9,3 free.h5 free.h5 >page; echo "exit $?"
for py in python3 /usr/bin/python3 none; do $py -c 'import numpy, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-numpy and python3-h5py"
$py - <<'P'
import csv, h5py, numpy as np
f = h5py.File("cb.h5")
def dense(g):
    n = len(g["p"]) - 1
    A = np.zeros((n, n))
    for j in range(n):
        A[g["i"][g["p"][j]:g["p"][j + 1]], j] = g["x"][g["p"][j]:g["p"][j + 1]]
    return A + np.triu(A, 1).T
node, comp = f["dofs/node"][:], f["dofs/component"][:]
keep = np.flatnonzero(node != 1)
K, M = (dense(f["full/" + x])[np.ix_(keep, keep)] for x in "KM")
at = {(str(a), str(b)): k for k, (a, b) in enumerate(zip(node[keep], comp[keep]))}
worst = 0
for r in csv.DictReader(open("1.csv")):
    if r["error_db"] == "":  # the reference
        o, i = (at[tuple(x.split("."))] for x in r["response"].split(":"))
        w = 2 * np.pi * float(r["frequency_hz"])
        h = np.linalg.solve(K * (1 + 0.02j) - w * w * M, np.eye(len(keep))[:, i])[o]
        got = complex(float(r["real"]), float(r["imaginary"]))
        worst = max(worst, abs(got - h) / abs(h))
        assert abs(abs(h) - float(r["amplitude"])) <= 1e-9 * abs(h)
print("numpy agrees to 1e-9" if worst < 1e-9 else worst)
P
# A speed without gyroscopic matrices changes nothing, and each file is named.
correlate --frf 13.3:13.3 --frequencies 1,1500,4 --speed 10 cb.h5 guyan.h5 >page; echo "exit $?"
# A held dof has no response in a body held by modes, either.
mnfparse "$DATA/../../samples/beam.mnf" | reduce --fix 1 --cb 12 --interface 21 -q -o held.h5
correlate --frf 21.1:1.1 --frequencies 1,2,3 held.h5 held.h5 >page; echo "exit $?, $(wc -c <page) bytes"
# Names of nodes in quotes, which CSV and JSON have escaped.
correlate --frf '"13".3:13.3' --frequencies 1,1500,2 cb.h5 guyan.h5 --csv names.csv --json names.json >page; echo "exit $?"
sed -n '2p' names.csv | cut -d, -f 2
grep -o '"response": "[^,]*' names.json | head -n 1

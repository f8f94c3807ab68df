# OpenRadioss' starter, as its source reads (read_pch_file.F, hm_read_fxb.F): fixed columns A8,A8,5I8,I16 of the first line that is
# no comment, A8,A16,2I16 of a column, A8,2I16,F16 of a row; labels are nodes of the deck; BAAX ends it. The frequencies of what
# it takes are those of the reduced pair; of 11 digits a soft motion of a stiff body keeps 8.
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.linalg, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-scipy and python3-h5py"
frame --shape lshape -o l.h5
reduce --guyan 18 --interface 1,11,21 --rayleigh 0,1e-6 l.h5 -o r.h5
linkexport --to dmig --dialect openradioss r.h5 -o r.pch
linkexport --to dmig r.h5 -o n.pch
cat >read.py <<'P'
import sys, numpy as np, h5py
from scipy.linalg import eigh
def starter(name, deck):
    lines = iter(open(name).read().splitlines())
    comment = lambda l: l[:1] in "#$" or not l.strip()
    line = next(l for l in lines if not comment(l))
    head = [int(line[k:k + 8]) for k in range(16, 48, 8)]        # raises where the line is a card of another kind
    assert head[1] == 6 and head[2] < 3
    A, which, label = {"KAAX": {}, "MAAX": {}}, None, None
    for line in lines:
        if comment(line) or line[:5] == "DMIG ":
            continue
        if line[0] != "*":
            which, label = line[8:24].strip(), (int(line[24:40]), int(line[40:56]))
            if which in ("BAAX", "K4AAX", "PAX"):
                raise ValueError(which)
        else:
            other = (int(line[8:24]), int(line[24:40]))
            A[which][other, label] = A[which][label, other] = float(line[40:56].replace("D", "E"))
        assert label[0] in deck and 1 <= label[1] <= 6
    dofs = sorted({p for a in A.values() for q in a for p in q})
    dense = [np.array([[a.get((p, q), 0) for q in dofs] for p in dofs]) for a in A.values()]
    return np.sqrt(abs(eigh(*dense, eigvals_only=True))) / (2 * np.pi)
got = starter("r.pch", {1, 11, 21})
want = abs(h5py.File("r.h5")["reduced/frequency"][()])
print(len(got), max(abs(got[6:] / want[6:] - 1)) < 1e-8, max(got[:6]) < 1e-2)
try:
    starter("n.pch", {1, 11, 21})
except ValueError as e:
    print("Nastran's file is refused")
P
$py read.py
reduce --cb 18 l.h5 | linkexport --to dmig --dialect openradioss >x.pch
echo "exit $?"

# Files of Exudyn's FEMinterface as numpy, scipy and pickle write them, by the calls of its SaveToFile: the matrices of the stream are theirs.
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.io, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-scipy and python3-h5py"
frame --shape lshape | linkexport --to mm -o frame
$py - <<'P'
import numpy as np, pickle, re, scipy.io as io
K, M = (io.mmread("frame/%s.mtx" % n).tocsr() for n in "KM")
xyz = np.loadtxt("frame/nodes.txt")[:, 1:4]
lines = np.column_stack([np.arange(len(xyz) - 1), np.arange(1, len(xyz))])
sets = [{"Name": "root", "NodeNumbers": np.array([0]), "NodeWeights": np.ones(1)}, {"Name": "tip", "NodeNumbers": [len(xyz) - 1]}]
data = {"metaData": {"source": "test"}, "nodes": {"RigidBodyRxyz": np.hstack([xyz, 0 * xyz])}, "elements": [{"Name": "e", "Line2": lines}],
        "massMatrix": M, "stiffnessMatrix": K, "surface": [], "nodeSets": sets, "elementSets": [], "modeBasis": {}, "eigenValues": [],
        "postProcessingModes": {}, "fileVersion": 4, "type": "FEMinterface"}
np.savez("plain.npz", **data)
np.savez_compressed("packed.npz", **data)
for p in 3, 4, 5:
    with open("p%d.pkl" % p, "wb") as f:
        pickle.dump(data, f, protocol=p)
with open("numpy2.pkl", "wb") as f: # names as NumPy 2 writes them
    f.write(open("p3.pkl", "rb").read().replace(b"numpy.core.", b"numpy._core."))
def triplets(A):
    c = A.tocoo()
    return np.array([c.row, c.col, c.data]).T
for version in 0, 1, 4:
    with open("v%d.npy" % version, "wb") as f:
        if version:
            np.save(f, np.array([version]))
        np.save(f, data["nodes"], allow_pickle=True)
        np.save(f, data["elements"], allow_pickle=True)
        if version >= 2:
            np.save(f, {"massMatrix": triplets(M), "stiffnessMatrix": triplets(K), "type": "sparseTriplets"}, allow_pickle=True)
        else:
            np.save(f, triplets(M))
            np.save(f, triplets(K))
        for name in "surface", "nodeSets", "elementSets", "modeBasis", "eigenValues", "postProcessingModes":
            np.save(f, data[name], allow_pickle=True)
np.save("K.npy", K)
class Evil:
    def __reduce__(self):
        return eval, ("print('run')",)
pickle.dump({"nodes": Evil()}, open("evil.pkl", "wb"))
P
for f in plain.npz packed.npz p3.pkl p4.pkl p5.pkl numpy2.pkl v0.npy v1.npy v4.npy; do
    mnfparse $f --input-units SI --interface tip -o $f.h5
    $py - $f.h5 <<'P'
import h5py, numpy as np, scipy.io as io, scipy.sparse as sp, sys
f = h5py.File(sys.argv[1])
def of(n):
    g = f["full/" + n]
    A = sp.csc_matrix((g["x"][:], g["i"][:], g["p"][:]))
    return (A + sp.triu(A, 1).T).toarray()
K, M = (io.mmread("frame/%s.mtx" % n).toarray() for n in "KM")
good = abs(of("K") - K).max() <= 1e-15 * abs(K).max() and np.array_equal(of("M"), M) and np.array_equal(f["nodes/xyz"][:], np.loadtxt("frame/nodes.txt")[:, 1:4])
print(sys.argv[1], "equal" if good else "differs", f["connectors/node"][:], list(f["sets/name"][:]))
P
done
mnfparse --stiffness K.npy --mass frame/M.mtx --dofs-per-node 6 -o K.h5 && echo "a matrix alone"
mnfparse evil.pkl -o evil.h5
echo "exit $?"
$py -c 'import h5py; f = h5py.File("model.hdf5", "w"); f.create_group("stiffnessMatrix"); f.create_group("massMatrix")'
mnfparse model.hdf5 -o x.h5
echo "exit $?"

# A reader of its own finds the glTF whole: container, accessors within their buffer, bounds as stored, indices of vertices, names.
for py in python3 /usr/bin/python3 none; do $py -c 'import json, struct' 2>/dev/null && break; done
[ $py = none ] && skip "no python3"
cat >mesh.msh <<'M'
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
5
1 10 0 0
2 11 0 0
3 10 1 0
4 10 0 1
5 10 0 2
$EndNodes
$Elements
2
1 4 0 1 2 3 4
2 1 0 4 5
$EndElements
M
{ echo '%%MatrixMarket matrix coordinate real symmetric'; echo '15 15 15'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo $i $i $((i * i)); done; } >K.mtx
{ echo '%%MatrixMarket matrix coordinate real symmetric'; echo '15 15 15'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo $i $i 1; done; } >M.mtx
mnfparse -q --stiffness K.mtx --mass M.mtx --nodes mesh.msh --dofs-per-node 3 --input-units mm-t-s --interface 1 >b.h5 && reduce -q --cb 6 b.h5 >r.h5 &&
linkexport --to glb r.h5 -o tetra.glb && linkexport --to glb --modes 2,4-5 r.h5 -o some.glb && linkexport --to glb --coordinates r.h5 -o coordinates.glb &&
mnfparse "$DATA/../../samples/lshape.mnf" | linkexport --to glb -o lines.glb
# Stress by hand: a unit displacement along y pulls its node along x with 1, others do nothing. Colours are those of von Mises stress then.
awk 'function head(name, rows) { printf "# name: %s\n# type: matrix\n# rows: %d\n# columns: 15\n", name, rows }
    BEGIN { head("U", 15); for (i = 1; i <= 15; i++) for (j = 1; j <= 15; j++) printf "%d%s", i == j, j < 15 ? " " : "\n"
    head("S", 30); for (i = 0; i < 30; i++) for (j = 0; j < 15; j++) printf "%d%s", i % 6 == 0 && j == i / 2 + 1, j < 14 ? " " : "\n" }' >stress.txt
mnfparse -q b.h5 --stress stress.txt:U,S,1-5 | reduce -q --cb 6 | linkexport --to glb -o stressed.glb && $py - <<'P'
import json, struct
for name in ("tetra.glb", "some.glb", "coordinates.glb", "lines.glb", "stressed.glb"):
    raw = open(name, "rb").read()
    magic, version, size, n, kind = struct.unpack("<5I", raw[:20])
    assert (magic, version, size, kind) == (0x46546C67, 2, len(raw), 0x4E4F534A) and n % 4 == 0
    g = json.loads(raw[20:20 + n])
    m, kind = struct.unpack("<2I", raw[20 + n:28 + n])
    assert kind == 0x4E4942 and m % 4 == 0 and 28 + n + m == size == 28 + n + g["buffers"][0]["byteLength"]
    data, values = raw[28 + n:], []
    for a in g["accessors"]:
        v = g["bufferViews"][a["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3}[a["type"]]
        count = a["count"] * width
        assert v["byteLength"] == 4 * count and v["byteOffset"] % 4 == 0 and v["byteOffset"] + v["byteLength"] <= m
        x = struct.unpack_from("<%d%s" % (count, {5126: "f", 5125: "I"}[a["componentType"]]), data, v["byteOffset"])
        values.append(x)
        if "min" in a:
            assert a["min"] == [min(x[k::width]) for k in range(width)] and a["max"] == [max(x[k::width]) for k in range(width)]
    mesh, corners = g["meshes"][0], {}
    for p in mesh["primitives"]:
        vertices = g["accessors"][p["attributes"]["POSITION"]]["count"]
        assert all(g["accessors"][k]["count"] == vertices for t in p["targets"] + [p["attributes"]] for k in t.values())
        assert all("min" in g["accessors"][t["POSITION"]] for t in p["targets"]) and len(p["targets"]) == len(g["animations"])
        corners[p["mode"]] = len(values[p["indices"]])
        assert max(values[p["indices"]]) < vertices
        for t in p["targets"]:
            for w in (-1, 1):
                assert all(0 <= c + w * d <= 1 for c, d in zip(values[1], values[t["COLOR_0"]]))
        for t in p["targets"]:
            u, c = values[t["POSITION"]], values[t["COLOR_0"]]
            size = [abs(y) for y in u[1::3]] if name == "stressed.glb" else [(x * x + y * y + z * z) ** 0.5 for x, y, z in zip(u[::3], u[1::3], u[2::3])]
            want = [s / (max(size) or 1) * hue for s in size for hue in (0.5, -0.25, -0.5)]
            assert max(abs(a - b) for a, b in zip(c, want)) < 1e-6
    assert mesh["extras"]["colours"] == ("von Mises stress" if name == "stressed.glb" else "displacement")
    for k, a in enumerate(g["animations"]):
        time, weight = (values[a["samplers"][0][s]] for s in ("input", "output"))
        assert len(weight) == len(time) * len(g["animations"]) and max(weight[k::len(g["animations"])]) == 1
    names = [a["name"] for a in g["animations"]]
    assert names == mesh["extras"]["targetNames"]
    print(name, vertices, corners, len(names), names[0], "|", names[-1], [round(c, 9) for c in g["nodes"][0]["translation"]])
P

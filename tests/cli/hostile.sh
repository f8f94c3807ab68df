# HDF5 of other programs and of hostile ones: refused by name, in little time and memory, no second file opened (a fifo stands
# in its place: who opens it waits for ever). python3-h5py makes them.
python=/usr/bin/python3
$python -c 'import h5py' 2>/dev/null || skip "no python3-h5py"
ulimit -t 60 2>/dev/null
mkfifo fifo.h5
cp "$DATA/../golden/invariants.h5" body.h5
cat >make.py <<'END'
import h5py, numpy, shutil, sys
def edit(name, fn):
    shutil.copy("body.h5", name)
    with h5py.File(name, "r+") as f:
        fn(f)
def new(name, fn, **how):
    with h5py.File(name, "w", **how) as f:
        fn(f)
def deep(f, n=3000):
    g = f
    for k in range(n):
        g = g.create_group("g")
def wide(f):
    for k in range(5000):
        f.create_group("w%d" % k)
def loop(f):
    f["nodes/again"] = f["/"]
def virtual(f):
    v = h5py.VirtualLayout((4,), "f8")
    v[:] = h5py.VirtualSource("fifo.h5", "x", (4,))
    f.create_virtual_dataset("later", v)
def virtual_mass(f):
    del f["nodes/mass"]
    v = h5py.VirtualLayout((2,), "f8")
    v[:] = h5py.VirtualSource("fifo.h5", "x", (2,))
    f.create_virtual_dataset("nodes/mass", v)
def external(f):
    f.create_dataset("later", (4,), "f8", external=[("fifo.h5", 0, 32)])
def bomb(f):
    f.create_dataset("later", (1 << 50,), "f8", chunks=(1 << 20,), compression="gzip")
def bomb_mass(f):
    del f["nodes/mass"]
    d = f.create_dataset("nodes/mass", (1 << 34,), "f8", chunks=(1 << 24,), compression="gzip")
    d[:1 << 24] = 1.0
def references(f):
    f["later"] = numpy.array([f["nodes"].ref], dtype=h5py.ref_dtype)
    f.attrs["home"] = f["nodes"].ref
def committed(f):
    f["later"] = numpy.dtype("f8")
def attributes(f):
    for k in range(300):
        f.attrs["a%d" % k] = numpy.arange(100.0)
    f.attrs["text of any length"] = "x" * 1000
def matlab(f):
    f["K"] = numpy.eye(3)
    f["K"].attrs["MATLAB_class"] = numpy.bytes_("double")
edit("deep.h5", deep)
edit("wide.h5", wide)
edit("loop.h5", loop)
edit("soft.h5", lambda f: f.__setitem__("later", h5py.SoftLink("/nodes")))
edit("outside.h5", lambda f: f.__setitem__("later", h5py.ExternalLink("fifo.h5", "/x")))
edit("virtual.h5", virtual)
edit("virtual_mass.h5", virtual_mass)
edit("external.h5", external)
edit("bomb.h5", bomb)
edit("bomb_mass.h5", bomb_mass)
edit("references.h5", references)
edit("committed.h5", committed)
edit("attributes.h5", attributes)
edit("factor.h5", lambda f: f.attrs.modify("length_to_SI", float("nan")))
edit("negative.h5", lambda f: f.attrs.modify("mass_to_SI", -1.0))
edit("unit.h5", lambda f: f.attrs.create("length_unit", numpy.bytes_("x" * 5000)))
edit("latin.h5", lambda f: f["source"].attrs.create("title", numpy.bytes_(b"\xff\xfe\n\r\x1b[31m\xc2\x9b32m")))
edit("numbers.h5", lambda f: f.attrs.create("format_version", numpy.array([1.0, 0.0, 0.0])))
edit("anylength.h5", lambda f: f.attrs.create("format", "flexbody"))
new("plain.h5", lambda f: f.__setitem__("data", numpy.arange(10)))
new("latest.h5", lambda f: f.__setitem__("data", numpy.arange(10)), libver="latest")
new("block.h5", lambda f: f.__setitem__("data", numpy.arange(10)), userblock_size=1024)
new("matlab.h5", matlab, userblock_size=512)
END
$python make.py || skip "python3-h5py cannot make the files"
for f in deep wide loop soft outside virtual virtual_mass external bomb bomb_mass references committed attributes factor negative unit latin numbers anylength plain latest block matlab; do
    linkexport --units mm-t-s $f.h5 >out.h5 2>err
    a=$?
    invariants $f.h5 >inv.h5 2>>err
    echo "$f: exit $a $?, $([ -s out.h5 ] && echo output || echo none), $(head -1 err | cut -c1-150)"
done
# Control characters of a title reach neither a terminal nor a deck: what they would begin anew stays in its line.
linkexport --to text latin.h5 >page
linkexport --to dmig latin.h5 >deck
echo "$(grep -c '\[31m' page) line, $(tr -d '\n' <page | tr -cd '\000-\037\177\302\233' | wc -c) control characters, $(grep -c '^ *.\[31m' deck)"

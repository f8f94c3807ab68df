# VTK's own reader takes the pictures of the modes.
for py in python3 /usr/bin/python3 none; do $py -c 'import vtk' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-vtk9"
mnfparse "$DATA/../../samples/lshape.mnf" >b.h5 && linkexport --to vtu b.h5 -o modes && linkexport --to vtu --dialect single b.h5 >all.vtu &&
ls modes | wc -l && $py - <<'P'
import vtk, xml.dom.minidom
from vtk.util.numpy_support import vtk_to_numpy
for name in ("modes/mode_007.vtu", "all.vtu"):
    xml.dom.minidom.parse(name)
    r = vtk.vtkXMLUnstructuredGridReader()
    r.SetFileName(name)
    r.Update()
    g = r.GetOutput()
    u = vtk_to_numpy(g.GetPointData().GetArray("displacement" if "modes" in name else "mode_007"))
    b = g.GetBounds()
    print(g.GetNumberOfPoints(), g.GetNumberOfCells(), g.GetCellType(0), "%.4f" %
          ((u ** 2).sum(1).max() ** 0.5 / ((b[1] - b[0]) ** 2 + (b[3] - b[2]) ** 2 + (b[5] - b[4]) ** 2) ** 0.5))
f = xml.dom.minidom.parse("modes/modes.pvd").getElementsByTagName("DataSet")
print(len(f), f[0].getAttribute("file"))
P

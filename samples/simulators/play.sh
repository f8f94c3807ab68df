#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# play.sh RUN.h5 FOLDER - the frames of a run (--frames N) as run.pvd and one .vtu a frame for ParaView; for a browser linkexport --to html.
set -e
[ $# = 2 ] || { echo "usage: play.sh RUN.h5 FOLDER" >&2; exit 2; }
[ -r "$1" ] || { echo "play.sh: $1 cannot be read" >&2; exit 5; }
h5dump -H -d /motion/time "$1" >/dev/null 2>&1 || { echo "play.sh: $1 holds no frames: run the simulator with --frames N" >&2; exit 3; }
run=$1 folder=$2
mkdir -p "$folder"
numbers() { h5dump -A 0 -y -w 1 -m %.9g -d "$1" "$run" | awk '/^ *DATA \{/ { on = 1; next } /^ *}/ { on = 0 } on { gsub(/[ ,]/, ""); if ($0 != "") print }'; }
for d in /motion/time /faces/offset /faces/index /motion/position; do
    echo "@"
    numbers "$d"
done | awk -v folder="$folder" '
/^@/ { k++; next }
k == 1 { time[nt++] = $1; next }
k == 2 { offset[no++] = $1; next }
k == 3 { face[ni++] = $1; next }
{ x[nx++] = $1 }
function array(f, type, name, more) { printf "<DataArray type=\"%s\" Name=\"%s\"%s format=\"ascii\">\n", type, name, more > f }
function vtu(f, frame,    i, n) {
    printf "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n" \
        "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<PointData>\n", np, no - 1 > f
    array(f, "Float64", "displacement", " NumberOfComponents=\"3\"")
    for (i = 0; i < 3 * np; i++) printf "%.9g%s", x[frame * 3 * np + i] - x[i], i % 3 == 2 ? "\n" : " " > f
    print "</DataArray>\n</PointData>\n<Points>" > f
    array(f, "Float64", "Points", " NumberOfComponents=\"3\"")
    for (i = 0; i < 3 * np; i++) printf "%s%s", x[frame * 3 * np + i], i % 3 == 2 ? "\n" : " " > f
    print "</DataArray>\n</Points>\n<Cells>" > f
    array(f, "Int64", "connectivity", "")
    for (i = 0; i < ni; i++) print face[i] > f
    print "</DataArray>" > f
    array(f, "Int64", "offsets", "")
    for (i = 1; i < no; i++) print offset[i] > f
    print "</DataArray>" > f
    array(f, "UInt8", "types", "")
    for (i = 1; i < no; i++) { n = offset[i] - offset[i - 1]; print (n == 1 ? 1 : n == 2 ? 3 : n == 3 ? 5 : n == 4 ? 9 : 7) > f }
    print "</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>" > f
    close(f)
}
END {
    np = nx / nt / 3
    pvd = folder "/run.pvd"
    print "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>" > pvd
    for (k = 0; k < nt; k++) {
        name = sprintf("run_%05d.vtu", k)
        printf "<DataSet timestep=\"%s\" part=\"0\" file=\"%s\"/>\n", time[k], name > pvd
        vtu(folder "/" name, k)
    }
    print "</Collection>\n</VTKFile>" > pvd
}'

# Every dataset of the files that the tools write is described in flexbody.5, by its path.
[ -n "$MAN" ] && [ -f "$MAN/flexbody.5" ] || skip "no manual pages (MAN)"
f="$DATA/../../samples/beam.mnf"
sed 's/\\-/-/g; s/\\fB//g; s/\\fR//g' "$MAN/flexbody.5" >page
mnfparse "$f" -o body.h5
reduce --imr 18 body.h5 | invariants >held.h5
linkexport --with-T held.h5 -o link.h5
frame --mass consistent -o full.h5
reduce -q --cb 18 --check --loads 11:2 --rayleigh 1,1e-5 full.h5 | invariants >reduced.h5
frame --elements 6 | linkexport --to mm -o mm
mnfparse -q --stiffness mm/K.mtx --mass mm/M.mtx --nodes mm/nodes.txt --dof-table mm/dofs.txt --rigid 90=7@1.1,0,0 -o solid.h5
for h in body held link full reduced solid; do
    h5dump -n $h.h5 | awk '$1 == "dataset" { print $2 }' | sed 's,^\(/full/[KMD]\)/[pix]$,\1,; s,^/recovery/\(G\|Ms\)/[pix]$,/recovery/\1,'
done | sort -u >paths
grep -c / paths
while read -r p; do
    grep -qF -- "$p" page || echo "not in flexbody.5: $p"
done <paths

# mnfparse --check on Nastran's component modes, against the page that pyYeti's cbcheck prints of the same body (two decimals of
# effective masses, six of mass properties, coordinates to its round-off), and on a file in which two nodes name the wrong axes.
real=$FB_SHARED/data/nastran
[ -f "$real/22_nas2cam_outboard/outboard_cbcheck.out" ] || skip "no exports of Nastran in FB_SHARED"
peer=$real/22_nas2cam_outboard/outboard_cbcheck.out
body() { set -- "$real"/"$1"*/*.op4 "$real"/"$1"*/*.asm "$real"/"$1"*/*.pch; mnfparse -q --check "$@"; }
body 22 >page && tail -1 page
# frequency and six shares a mode
rows() { awk -v from="$1" '$0 ~ from { on = 1 } on && $1 ~ /^[0-9]+$/ && NF == 8 { printf "%d %.3f", $1, $2; for (k = 3; k <= 8; k++) printf " %.2f", $k; print "" }' "$2"; }
rows '^FIXED-BASE' "$peer" >a && rows '^Modes of the held' page >b && cmp a b && wc -l <a
sum() { awk -v from="$1" '$0 ~ from { for (k = NF - 5; k <= NF; k++) printf "%.2f ", $k }' "$2"; }
[ "$(sum '^Total Effective' "$peer")" = "$(sum '^   all' page)" ] && echo totals
# radii of gyration (three ways, two kinds), principal moments
three() { awk -v way="$1" 'tolower($1) == way && NF == 4 { printf "%.4f %.4f %.4f\n", $2, $3, $4 }' "$2" | tail -2; }
for way in stiffness geometry; do
    three $way "$peer" >a
    three $way page | cmp - a && echo "gyration by $way"
done
awk '/Principal Axis Moments/ { getline; getline; print }' "$peer" | awk '{ printf "%.3f %.3f %.3f\n", $1, $2, $3 }' >a
sed -n '/about principal axes/,+3p' page | awk 'NF == 4 && $1 ~ /^(stiffness|geometry|modes)$/ { printf "%.3f %.3f %.3f\n", $2, $3, $4 }' | head -3 >b
paste a b | awk '{ for (k = 1; k <= 3; k++) w = ($k - $(k + 3)) ^ 2 > w ? ($k - $(k + 3)) ^ 2 : w } END { print w < 1e-6 ? "moments" : w }'
sed -n '/^Places/,/largest/p' page | awk '$1 ~ /^[0-9]+$/ { n++; if ($5 > 1e-6) print } END { print n, "places" }'
# Massless rotations at the boundary, a node with one dof; the nodes whose CD is blank in the file, by name.
for k in 01 03; do body $k | tail -1; done
body 05 >page || echo "exit $?"
awk '/^Places/ { on = 1 } on && $1 ~ /^[0-9]+$/ && $5 > 1e-6 { print $1 } /^  largest error/ { print $NF; exit }' page

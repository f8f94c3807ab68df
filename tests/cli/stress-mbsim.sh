# MBSim's own example: the stress that its import wrote for the two shapes of a CalculiX result (a static answer, a mode), against
# what reduce gives to the same two coordinates by the shapes of the .frd. Both are the numbers that ccx printed: round-off.
d=$FB_SHARED/data/abaqus/17_mbsim_ccx_beam peer=$FB_SHARED/data/consumers/mbsim/ffr_interface_node_frame_input_data.h5
[ -f "$peer" ] && [ -f "$d/calculix.frd" ] || skip "no example of MBSim in FB_SHARED"
values() { h5dump -m '%.12g' -y -w 1 -d "$@" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
values '/nodal shape matrix of translation' "$peer" | paste - - >phi
awk 'NR == FNR { a[FNR] = $0; next } { split($1, q, "."); print a[3 * (q[1] - 1) + q[2]] }' phi "$d/calculix.dof" >rows
{ printf '%s\n' '%%MatrixMarket matrix array real general' '783 2' && cut -f1 rows && cut -f2 rows; } >phi.mtx
mnfparse -q "$d/calculix.sti" "$d/calculix.mas" "$d/calculix.dof" "$d/calculix.frd" --stress "$d/calculix.frd" --basis phi.mtx -o m.h5
reduce -q --method basis -o r.h5 m.h5
values '/nodal stress matrix' "$peer" | paste - - >want
values /stress/coordinate r.h5 | paste - - - - - - | awk '{ print $1; print $2; print $3; print $4; print $6; print $5 }' >got
for k in 1 2; do
    head -1566 got >half && cut -f$k want | paste - half | awk -v k=$k '{ x = $1; y = $2 } { d = (x - y) ^ 2; if (d > w) w = d; if (x * x > t) t = x * x }
        END { print NR, w < 1e-20 * t ? "stress of MBSim" : w " of " t }'
    sed -i 1,1566d got
done

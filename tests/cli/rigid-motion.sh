# Rigid motion from all dofs of CalculiX exports, or the word that it is not known. Masses: 1 x 0.1 x 0.01 m and
# 1 x 0.1 x 0.05 m of 7850 kg/m^3, 7.85 and 39.25 kg; inertias of a plate about its end, m (b^2/3 + t^2/12) and so on.
real=$FB_SHARED/data/reports
[ -d "$real" ] || exit 77
page() { # NAME FILE...
    echo "== $1"
    shift
    mnfparse --info --input-units SI "$@" | grep -E '^(Mass x|K r)' | sed 's/[0-9.]*e-[12][0-9]/~0/g'
}
verdict() { reduce -v --mdm 12 -o reduced.h5 2>&1 >/dev/null | grep -E 'warning|not known|free to move|about the axes through the origin:' | sed 's/; about.*//'; }
set -- "$real"/f01*/s4x.sti "$real"/f01*/s4x.mas "$real"/f01*/s4x.dof "$real"/f01*/s4x.inp
page 'shells, S4: the deck tells the places of its expanded nodes' -q "$@"
page 'without the deck nothing tells nodes from incompatible modes' -q "$1" "$2" "$3"
set -- "$real"/f01*/s8rb.sti "$real"/f01*/s8rb.mas "$real"/f01*/s8rb.dof "$real"/f01*/s8rb.inp
page 'shells with rigid ends, S8' -q "$@"
mnfparse -q --input-units SI "$@" | verdict
set -- "$real"/f02*/c8ix.sti "$real"/f02*/c8ix.mas "$real"/f02*/c8ix.dof "$real"/f02*/c8ix.inp
page 'clamped solids with incompatible modes' "$@"
set -- "$real"/f18*/cps4.sti "$real"/f18*/cps4.mas "$real"/f18*/cps4.dof "$real"/f18*/cps4.inp
page 'plane stress: component 3 is the thickness' "$@"

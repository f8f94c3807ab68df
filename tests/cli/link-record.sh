# The link record holds what a simulator needs, and says what is missing.
f="$DATA/../../samples/beam.mnf"
mnfparse "$f" | reduce --cb 18 | invariants | linkexport >link.h5
h5dump -n link.h5 | awk '$1 == "dataset" { print $2 }' | tr '\n' ' '
echo
mnfparse "$f" | reduce --cb 18 | invariants | linkexport --with-T | (cat >t.h5; h5dump -H -d /reduced/T t.h5 | grep -m1 DATASPACE)
mnfparse "$f" | reduce --cb 18 | linkexport >x.h5
echo "exit $?"
# It says of itself what is held, which dof each coordinate is, where its axes are; the hub is a place to join at, with rows of
# zeros; rigid motions that are left make the mass of a floating frame singular.
values() { # file, dataset
    printf '%s:' "$2"
    h5dump -y -w 500 -d "$2" "$1" | awk '/ATTRIBUTE/ { exit } on && !/}/ { gsub(/ +/, " "); printf "%s", $0 } /DATA \{/ { on = 1 }'
    echo
}
frame --shape lshape | reduce --cb 12 --fix 1 --interface 21 | invariants -o held.h5
linkexport --frame node:21 held.h5 -o at21.h5
for d in /reduced/held_node /reduced/held_component /reduced/node /reduced/component /interface/node /interface/component \
    /frame/origin /connectors/node /connectors/position /verdict/rigid_left; do values at21.h5 $d; done
h5dump -a /frame/place -a /reduced/damping at21.h5 | awk '/\(0\)/ { print $2 }'
values at21.h5 '/connectors/S[1,0,0;;1,3,12;]' | awk -F'[:,]' '{ for (k = NF; k > NF - 36; k--) { n++; if ($k != 0) bad++ } print "hub:", n, "numbers,", bad + 0, "of them not zero" }'
linkexport at21.h5 -o again.h5 && h5diff at21.h5 again.h5 /connectors && h5diff at21.h5 again.h5 /reduced && echo stays
# Axes of connectors turn with the body, those of the hub as the others'.
linkexport --frame axes:z:30 held.h5 -o turned.h5 && linkexport --with-T held.h5 | linkexport --frame axes:z:30 -o later.h5
h5diff turned.h5 later.h5 /connectors/rotation && values turned.h5 /connectors/rotation | awk -F'[:,]' '{ print "hub:", $(NF - 8), $(NF - 7), $(NF - 6) }'
linkexport --connectors 21 held.h5 -o chosen.h5 && values chosen.h5 /connectors/node
values link.h5 /verdict/rigid_left
# What --mbsim makes of a record is no more than that record's: of another in other units, at another place, or of fewer coordinates
# it is made again, or is not there.
linkexport -q --mbsim --with-T held.h5 -o mbsim.h5 && h5ls mbsim.h5 | grep -c 'Dataset {\(12\|SCALAR\|72\)'
for o in "--units mm-t-s" "--frame node:21"; do linkexport -q $o mbsim.h5 -o x.h5 && h5ls x.h5 | grep Dataset | grep -v history; done
reduce -q --drop 6 mbsim.h5 -o x.h5 && h5ls x.h5 | grep Dataset | grep -v history
linkexport -q --mbsim --units mm-t-s mbsim.h5 -o late.h5 && linkexport -q --mbsim --units mm-t-s held.h5 -o early.h5
for d in mass 'position position integral' 'shape function shape function integral'; do h5diff -p 1e-12 late.h5 early.h5 "/$d" && echo "$d: the same"; done

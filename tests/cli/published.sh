# Frequencies that others print of bodies which they publish: EXUDYN's rotor from Abaqus and Ansys (its tests divide the first stiffness by
# 100), pyYeti's outboard body.
real=$FB_SHARED/data
[ -d "$real/abaqus/04_abaqus_coord_rotor" ] && [ -d "$real/nastran/22_nas2cam_outboard" ] || skip "no exports of EXUDYN and pyYeti in FB_SHARED"
elastic() { h5dump -y -w 1 -m "%.15g" -d /reduced/frequency "$1" | awk -v form="%s%.$2f" '/ATTRIBUTE/ { exit } $1 + 0 > 1e-3 && n++ < 5 { printf form, sep, $1 + 0; sep = " " } END { print "" }'; }
set -- "$real"/abaqus/04*/*STIF1.mtx "$real"/abaqus/04*/*MASS1.mtx "$real"/abaqus/04*/*.inp
mnfparse "$@" | reduce --mdm 9 -o r.h5 && elastic r.h5 4
set -- "$real"/abaqus/05*/*Stiffness* "$real"/abaqus/05*/*MassMatrix* "$real"/abaqus/05*/*Mapping* "$real"/abaqus/05*/*Coordinates*
mnfparse --stiffness "$1" --mass "$2" "$3" "$4" | reduce --mdm 9 -o r.h5 && elastic r.h5 4
set -- "$real"/nastran/22*/outboard.asm "$real"/nastran/22*/outboard.pch "$real"/nastran/22*/outboard.op4
mnfparse -q "$@" -o o.h5 && elastic o.h5 6 && mnfparse --info o.h5 | awk '/^Mass x, y, z/ { printf "mass %.4f\n", $5 }'

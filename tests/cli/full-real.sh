# Matrices of Abaqus and CalculiX: the frequencies of their reference table, and with all modes kept the same
# spectrum through a Craig-Bampton reduction.
real=$FB_SHARED/data/abaqus
[ -f "$real/REFERENCE.txt" ] || skip "no exports of Abaqus and CalculiX in FB_SHARED"
spectrum() { h5dump -m '%.14g' -y -w 1 -d /reduced/frequency "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
reference() { # section, which of its f[Hz] lines
    awk -v s="$1" -v n="$2" '/^[0-9]/ { on = index($1, s) == 1; k = 0 } on && /f\[Hz\] =/ && ++k == n { sub(/.*\[/, ""); sub(/\].*/, ""); gsub(/ +/, "\n"); print }' "$real/REFERENCE.txt"
}
# model SECTION LINE MODES INTERFACE FILE...; $hold are options of every reduction
model() {
    s=$1 line=$2 face=$3
    shift 3
    mnfparse -q "$@" -o model.h5
    n=$(h5dump -H -d /dofs/node model.h5 | awk '/DATASPACE/ { gsub(/[^0-9 ]/, ""); print $1 }')
    reference "$s" "$line" >want
    reduce -q $hold --mdm "$(wc -l <want)" model.h5 -o few.h5
    spectrum few.h5 | paste - want | awk -v s="$s" '$2 > 1 { d = $1 / $2 - 1; d = d < 0 ? -d : d; if (!(d <= w)) w = d; k++ }
        END { print s ": " k + 0 " elastic frequencies " (w < 1e-6 ? "as listed" : "off by " w) }'
    [ "$face" = - ] && return
    reduce -q $hold --mdm "$n" model.h5 -o full.h5
    reduce -q $hold --cb "$n" --interface "$face" model.h5 -o all.h5
    spectrum full.h5 >a
    spectrum all.h5 >b
    # Round-off of the highest root in the lowest: eps (top/f)^2 may be more than 1e-8.
    paste b a | awk -v top="$(sort -g a | tail -1)" '
        $2 > 1 { d = $1 / $2 - 1; d = (d < 0 ? -d : d) / (1e-8 + 2.2e-16 * (top / $2) ^ 2); if (!(d <= w)) w = d; k++ }
        NF != 2 { odd++ }
        END { print "  all modes kept: " k " frequencies, " (w < 1 && !odd ? "equal" : "off by " w " of what round-off may do, " odd + 0 " without a fellow") }'
}
cd "$real" && files=$PWD && cd - >/dev/null || exit
model 03 1 1-4 "$files"/03*/blockC3D4_STIF1.mtx "$files"/03*/blockC3D4_MASS1.mtx "$files"/03*/blockC3D4.inp
model 03 2 1-4 "$files"/03*/blockC3D8_STIF1.mtx "$files"/03*/blockC3D8_MASS1.mtx "$files"/03*/blockC3D8.inp
model 03 3 1-4 "$files"/03*/blockC3D10_STIF1.mtx "$files"/03*/blockC3D10_MASS1.mtx "$files"/03*/blockC3D10.inp
model 01 1 1 "$files"/01*/model_STIF1.mtx "$files"/01*/model_MASS1.mtx "$files"/01*/model.inp
model 04 1 3,40 "$files"/04*/*STIF1.mtx "$files"/04*/*MASS1.mtx "$files"/04*/*.inp
model 05 1 3,40 --stiffness "$files"/05*/*Stiffness* --mass "$files"/05*/*MassMatrix* "$files"/05*/*Mapping* "$files"/05*/*Coordinates*
model 10 1 5,8 "$files"/10*/*_sto.sti "$files"/10*/*_sto.mas "$files"/10*/*_sto.dof "$files"/10*/*_sto.inp
model 12 1 - "$files"/12*/*_sto.sti "$files"/12*/*_sto.mas "$files"/12*/*_sto.dof "$files"/12*/*_sto.inp
model 13 1 10,29 "$files"/13*/*_sto.sti "$files"/13*/*_sto.mas "$files"/13*/*_sto.dof # the deck would tell that these stand for nodes of solids
model 14 1 1001,2001 "$files"/14*/*_sto.sti "$files"/14*/*_sto.mas "$files"/14*/*_sto.dof "$files"/14*/*_sto.inp
model 17 1 1-2 "$files"/17*/calculix.sti "$files"/17*/calculix.mas "$files"/17*/calculix.dof "$files"/17*/calculix.frd
model 23 1 2 "$files"/23*/bc1e36_STIF1.mtx --mass "$files"/01*/model_MASS1.mtx
for packing in v5_plain v5_zlib octave_v7 v73_imitation; do
    model 10 1 5,8 "$files"/20*/cant_KM_$packing.mat
done
# Hourglass motions have neither stiffness nor mass: one message names dofs that hold all of them.
mnfparse -q "$files"/15*/subsfull_sto.[sdm]* "$files"/15*/subsfull_sto.inp -o model.h5
held=
for k in 1 2 3 4 5 6; do
    reduce -q --mdm 14 ${held:+--fix $held} model.h5 -o few.h5 2>err && break
    cat err >&2
    held=${held:+$held,}$(sed 's/.*--fix \([^ ]*\) .*/\1/' err)
done
hold="--fix $held"
model 15 1 - "$files"/15*/subsfull_sto.[sdm]* "$files"/15*/subsfull_sto.inp
hold=
# Internal modes of elements: more interior modes than the mass matrix has rank for, the highest go.
model 11 1 - "$files"/11*/*_sto.sti "$files"/11*/*_sto.mas "$files"/11*/*_sto.dof "$files"/11*/*_sto.inp
reduce --cb 405 --interface 101,104,107,143 model.h5 -o all.h5
spectrum all.h5 | wc -l

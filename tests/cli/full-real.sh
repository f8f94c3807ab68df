# Matrices of Abaqus and CalculiX: the frequencies of their reference table, and with all modes kept the same
# spectrum through a Craig-Bampton reduction.
real=$FB_SHARED/data/abaqus
[ -f "$real/REFERENCE.txt" ] || exit 77
spectrum() { h5dump -m '%.14g' -y -w 1 -d /reduced/frequency "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
reference() { # section, which of its f[Hz] lines
    awk -v s="$1" -v n="$2" '/^[0-9]/ { on = index($1, s) == 1; k = 0 } on && /f\[Hz\] =/ && ++k == n { sub(/.*\[/, ""); sub(/\].*/, ""); gsub(/ +/, "\n"); print }' "$real/REFERENCE.txt"
}
# model SECTION LINE MODES INTERFACE FILE...
model() {
    s=$1 line=$2 face=$3
    shift 3
    mnfparse -q "$@" -o model.h5
    n=$(h5dump -H -d /dofs/node model.h5 | awk '/DATASPACE/ { gsub(/[^0-9 ]/, ""); print $1 }')
    reference "$s" "$line" >want
    reduce -q --mdm "$(wc -l <want)" model.h5 -o few.h5
    spectrum few.h5 | paste - want | awk -v s="$s" '$2 > 1 { d = $1 / $2 - 1; if (d < 0) d = -d; if (d > w) w = d; k++ }
        END { print s ": " k " elastic frequencies " (w < 1e-6 ? "as listed" : "off by " w) }'
    [ "$face" = - ] && return
    reduce -q --mdm "$n" model.h5 -o full.h5
    reduce -q --cb "$n" --interface "$face" model.h5 -o all.h5
    spectrum full.h5 >a
    spectrum all.h5 | paste - a | awk '$2 > 1 { d = $1 / $2 - 1; if (d < 0) d = -d; if (d > w) w = d; k++ }
        END { print "  all modes kept: " (k > 4 && w < 1e-8 ? "equal" : k " frequencies, off by " w) }'
}
cd "$real" && files=$PWD && cd - >/dev/null || exit
model 03 1 1-4 "$files"/03*/blockC3D4_STIF1.mtx "$files"/03*/blockC3D4_MASS1.mtx "$files"/03*/blockC3D4.inp
model 03 2 1-4 "$files"/03*/blockC3D8_STIF1.mtx "$files"/03*/blockC3D8_MASS1.mtx "$files"/03*/blockC3D8.inp
model 03 3 1-4 "$files"/03*/blockC3D10_STIF1.mtx "$files"/03*/blockC3D10_MASS1.mtx "$files"/03*/blockC3D10.inp
model 10 1 5,8 "$files"/10*/*_sto.sti "$files"/10*/*_sto.mas "$files"/10*/*_sto.dof "$files"/10*/*_sto.inp
# Internal modes of elements: more interior modes than the mass matrix has rank for, the highest go.
model 11 1 - "$files"/11*/*_sto.sti "$files"/11*/*_sto.mas "$files"/11*/*_sto.dof "$files"/11*/*_sto.inp
reduce --cb 405 --interface 101,104,107,143 model.h5 -o all.h5
spectrum all.h5 | wc -l

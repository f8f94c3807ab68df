# /history: one line a tool, then its warnings; no -o, -q, -v and no directory parts.
mkdir -p deep/folder
cp "$DATA/../../samples/beam.mnf" deep/folder/
mnfparse -v -o a.h5 deep/folder/beam.mnf 2>/dev/null
reduce -q --cb 40 --interface 1,21,21:1 a.h5 | invariants >b.h5
h5dump -d /history b.h5 | grep '([0-9]*):' | sed -e 's/\\000//g' -e 's/[0-9]*\.[0-9]*\.[0-9]*/VERSION/'
reduce --strict --cb 40 a.h5 >out
echo "exit $?, $(wc -c <out) bytes"
# A long value is cut and says so; so is a line that nobody could read again.
many() { k=0; while [ $k -lt "$1" ]; do printf %s "$2"; k=$((k + 1)); done; }
reduce --mdm 6 --keep "$(many 300 1-6,)1" a.h5 >long.h5
mnfparse --info long.h5 | tail -1 | tr -s " " | grep -o ".\{12\}$"
turn=x:$(many 997 0)
set --
while [ $# -lt 128 ]; do set -- "$@" --rotate "$turn"; done
mnfparse -q "$@" --translate "$(many 995 0)1,0,0" deep/folder/beam.mnf >turned.h5
mnfparse --info turned.h5 | tail -1 | grep -o '.\{12\}$'

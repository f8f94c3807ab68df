# The completion of each tool, loaded in bash: options, values, files.
command -v bash >/dev/null || skip "no bash"
f="$DATA/../../samples/beam.mnf"
cp "$f" beam.mnf
: >list.txt
mkdir results
cat >ask <<'END'
set -u
# ask WORD... - completes the last word (which may be empty) as bash would cut the line.
ask() {
    . "$COMPLETION/$1" || exit 1
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=(none)
    local f; f=$(complete -p "$1"); f=${f#*-F }; "${f%% *}" || true
    echo "$*: ${COMPREPLY[*]-}"
}
ask reduce --or
ask reduce --method ''
ask reduce --method = g
ask reduce --method =
ask reduce --eigensolver ''
ask reduce --cb ''
ask reduce --interface @l
ask reduce --interface 1
ask reduce --check be
ask reduce -o r
ask reduce --output = r
ask mnfparse be
ask mnfparse --format ansys
ask mnfparse --units in
ask mnfparse --nodes l
ask correlate --min
ask correlate -n ''
ask linkexport --to m
ask linkexport --dialect ''
ask linkexport --to sid --dialect ''
ask linkexport --to = mbdyn --dialect = d
ask linkexport --layout ''
ask linkexport --no-such re
ask flexbatch --j
END
bash --norc ask
# Each word offered for a method or a target is one that the tool knows, and none is missing.
mnfparse "$f" >b.h5
for m in $(reduce --complete-options | sed -n 's/^--method words //p'); do
    reduce --method "$m" --order 18 b.h5 2>&1 >out | grep 'unknown --method'
done
frame -o full.h5
for what in "reduce --cb 18 full.h5 --eigensolver" \
     "linkexport --to" "mnfparse $f --format" "mnfparse $f --units"; do
    said=$($what nosuch 2>&1 | sed 's/.*: //; s/.* are //; s/ ([^)]*)//g; s/,//g')
    offered=$(${what%% *} --complete-options | sed -n "s/^--${what##*--} words //p")
    [ "$said" = "$offered" ] || echo "$what: '$offered' is offered, '$said' is known"
done

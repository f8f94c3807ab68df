# A full disk is reported on each way out: standard output, -o, text.
f="$DATA/../../samples/beam.mnf"
mnfparse "$f" >/dev/full
echo $?
mnfparse "$f" -o /dev/full
echo $?
mnfparse --info "$f" >/dev/full
echo $?
mnfparse "$f" | linkexport --to mnf >/dev/full
echo $?
mnfparse --help >/dev/full
echo $?

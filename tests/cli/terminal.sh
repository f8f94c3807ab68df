# Binary data are not written to a terminal, nor read from one. script(1) gives the tools a terminal.
script -qec true typescript </dev/null >/dev/null 2>&1 || skip "no script(1), which gives a terminal"
f="$DATA/../../samples/beam.mnf"
script -qec "mnfparse $f" typescript </dev/null >/dev/null
echo $?
script -qec "reduce --cb 18 >out.h5" typescript </dev/null >/dev/null
echo $?
script -qec "linkexport --to mnf" typescript </dev/null >/dev/null
echo $?
script -qec "mnfparse --info $f >page" typescript </dev/null >/dev/null
echo $?

# What linkexport refuses, with the remedy, and nothing on standard output.
b="$DATA/../../samples/beam.mnf"
mnfparse "$b" >modal.h5
reduce --cb 18 modal.h5 | invariants >free.h5
reduce --cb 18 modal.h5 >bare.h5
try() {
    linkexport "$@" >out
    echo "$*: exit $?, $(wc -c <out) bytes"
}
try --to mbdyn free.h5
try --to mbdyn --dialect 2.0 free.h5
try --to text --dialect 5 free.h5
try --to sid bare.h5
try --to sid --layout x free.h5
try --to mbdyn --layout blocked free.h5
try --to mm --mbsim free.h5
try --to html --modes 7 free.h5
try --to mm free.h5
try --to dmig modal.h5
try --frame up free.h5
try --connectors 99 free.h5
try --units parsec free.h5
mkdir full && touch full/x
try --to vtu -o full free.h5
ls

# Unit loads of link records, which have no dofs: moved and converted as a record, they are those of the record of the moved body.
# Node 3 has no coordinate of its own; of a unit force at a boundary dof the load is one at the coordinate of that dof.
frame --elements 4 --mass consistent | reduce --cb 18 --loads 5:123,3:12 | invariants -o body.h5
linkexport body.h5 -o record.h5
page() { linkexport --to text "$@" | sed -n "/^Loads/,/^\$/p"; }
for how in "--frame axes:z:90" "--frame axes:1,1,1:120" "--units mm-kg-ms"; do
    linkexport $how body.h5 -o early.h5 && linkexport $how record.h5 -o late.h5
    page early.h5 >early.txt
    page late.h5 >late.txt
    [ -s late.txt ] && cmp early.txt late.txt && echo "$how: the same"
done
linkexport --frame axes:z:90 record.h5 -o turned.h5 && page turned.h5 | grep '^  5'
linkexport --frame axes:x:30 record.h5 >x
echo "exit $? $(wc -c <x)"
# Connectors 1 and 5 become 1 and 2, and 3 stays what it is.
linkexport --renumber record.h5 -o new.h5 && page new.h5 | awk '/^  [0-9]/ { print $1 }' | sort -u
h5dump -d /reduced/load_dof -y new.h5 | grep -m 1 -- -

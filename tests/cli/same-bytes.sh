# Same input, same bytes: no time stamps, and -o and -v leave no trace.
set -e
f="$DATA/../../samples/lshape.mnf"
mnfparse "$f" | reduce --cb 15 - | invariants - >a.h5
sleep 1.1
mnfparse -o p.h5 "$f"
reduce -o q.h5 --cb 15 p.h5
invariants -q q.h5 >b.h5
cmp a.h5 b.h5

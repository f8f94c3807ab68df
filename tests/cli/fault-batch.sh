# flexbatch where the disk is full or memory lacks, in itself or in the process of a body (which goes on counting from where it was
# forked): exit status 5, a message, no output, no temporary file, and nothing that waits for ever.
. "$DATA/faults"
go() { # kind:K
    FAULT=$1 LD_PRELOAD=$FAULT_LIB timeout 60 flexbatch -q 'mnfparse -q {} | reduce -q --cb 15 | invariants -q -o out' "$body" 2>err
}
go disk:0
mv out ref
for k in 2 4 7 10 14 19 25 32 40 49 59; do
    go disk:$k
    judge $? 5 "disk:$k"
done
for k in 1 2 3 11 20 29 34 37 38 39 40 41 42 44 48 53 60 80 110 150 200; do
    go own:$k
    judge $? 5 "own:$k"
done
done_at_least 32

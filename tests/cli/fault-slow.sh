# Reads and writes that are interrupted or do a part of their work change nothing, in pipes and files.
. "$DATA/faults"
run() {
    $1 mnfparse "$body" | $1 reduce --cb 12 --fix 1 | $1 invariants | $1 linkexport --mbsim
}
run "" >ref
seeds=4
[ -z "$FAULT_ALL" ] || seeds=200
while [ $runs -lt $seeds ]; do
    random 1000000
    run "env FAULT=slow:$r LD_PRELOAD=$FAULT_LIB" >out
    cmp -s ref out || wrong "slow:$r: another output"
    slow="env FAULT=slow:$r LD_PRELOAD=$FAULT_LIB"
    $slow mnfparse "$body" -o a.h5 && $slow reduce --cb 12 --fix 1 a.h5 -o b.h5 && $slow invariants b.h5 -o c.h5 &&
        $slow linkexport --mbsim c.h5 -o out
    cmp -s ref out || wrong "slow:$r: another output file"
    runs=$((runs + 1))
done
done_at_least 4

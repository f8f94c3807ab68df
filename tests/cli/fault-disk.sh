# Each call that takes room on a disk fails once with ENOSPC (create, write, reserve, truncate, close, rename): exit status 5, a
# message, no output under the final name, no temporary file.
. "$DATA/faults"
mnfparse "$body" -o body.h5
each disk 3 5 mnfparse "$body"
each disk 3 5 mnfparse --info "$body"
each disk 3 5 reduce --cb 15 body.h5
each disk 3 5 reduce --cb 8 --interface 1 "$g/full.h5"
each disk 3 5 invariants "$g/reduced.h5"
each disk 3 5 linkexport "$g/invariants.h5"
each disk 3 5 linkexport --to mm "$g/invariants.h5"
each disk 3 5 linkexport --to mat "$g/invariants.h5"
each disk 3 5 linkexport --to vtu "$g/invariants.h5"
each disk 3 5 correlate -n 9 "$g/modal.h5" "$g/full.h5"
# Into a pipe: what was written before the failure is no stream, and the next tool says so.
mnfparse "$body" | reduce --cb 15 | invariants >ref
for k in 1 12 23 34 40 44 45 46; do
    { FAULT=disk:$k LD_PRELOAD=$FAULT_LIB mnfparse "$body" 2>err; echo $? >code; } | reduce --cb 15 2>>err | invariants >out 2>>err
    code=$(cat code)
    cmp -s ref out || { [ "$code" = 5 ] && [ ! -s out ]; } || wrong "pipe, disk:$k: exit $code"
    rm -f out
    runs=$((runs + 1))
done
done_at_least 100

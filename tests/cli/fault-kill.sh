# Signals at random times. What stood under the final name stays whole, or is replaced by the whole output; but for
# SIGKILL no temporary file is left; status 0 only with the whole output.
. "$DATA/faults"
frame --elements 150 -o long.h5
from=$(date +%s%N)
reduce --cb 60 long.h5 -o ref
took=$((($(date +%s%N) - from) / 1000000 + 5))
times=8
[ -z "$FAULT_ALL" ] || times=150
hits=0
strike() { # signal, right statuses
    n=0
    while [ $n -lt $times ]; do
        echo old >old
        cp old out
        reduce --cb 60 long.h5 -o out 2>err &
        pid=$!
        random $took
        sleep "$((r / 1000)).$(printf %03d $((r % 1000)))"
        kill -"$1" $pid 2>/dev/null
        wait $pid 2>/dev/null
        code=$?
        [ $code = 0 ] || hits=$((hits + 1))
        case " $2 " in *" $code "*) ;; *) wrong "$1 after $r ms: exit $code: $(cat err)" ;; esac
        cmp -s ref out || { [ $code != 0 ] && cmp -s old out; } || wrong "$1 after $r ms: exit $code, another output"
        [ "$1" = KILL ] || [ -z "$(ls -A tmp; ls -d out.* 2>/dev/null)" ] || wrong "$1 after $r ms: left $(ls tmp out.*)"
        rm -rf tmp/* out.*
        n=$((n + 1)) runs=$((runs + 1))
    done
}
strike TERM "0 143"
strike PIPE "0 141"
strike HUP "0 129"
strike KILL "0 137"
# A writer that dies while it writes into a pipe: the reader refuses what it got.
mkfifo pipe
invariants long.h5 2>/dev/null
reduce --cb 60 long.h5 | invariants >ref.2 2>/dev/null
n=0
while [ $n -lt $times ]; do
    invariants <pipe >out 2>err &
    reader=$!
    reduce --cb 60 long.h5 >pipe 2>/dev/null &
    writer=$!
    random $took
    sleep "$((r / 1000)).$(printf %03d $((r % 1000)))"
    kill -KILL $writer 2>/dev/null
    wait $writer 2>/dev/null
    wait $reader
    code=$?
    { [ $code = 0 ] && cmp -s ref.2 out; } || { [ $code = 3 ] && [ ! -s out ]; } || wrong "writer killed after $r ms: exit $code: $(cat err)"
    n=$((n + 1)) runs=$((runs + 1))
done
[ $hits -gt $times ] || echo "only $hits signals came in time"
done_at_least 40

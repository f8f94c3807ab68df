# Every pipe between two stages is cut at random bytes: the stage behind the cut says so and writes nothing, and so do
# all that follow; the stage before it may end by SIGPIPE, and leaves no temporary file.
. "$DATA/faults"
mnfparse "$body" -o 1.h5
reduce --cb 15 1.h5 -o 2.h5
invariants 2.h5 -o 3.h5
cuts=8
[ -z "$FAULT_ALL" ] || cuts=300
cut() { # before, file that it makes, behind
    n=0
    while [ $n -lt $cuts ]; do
        random "$(wc -c <"$2")"
        { $1 2>err.1; echo $? >code.1; } | head -c $r | { $3 2>err.2; echo $? >code.2; } | linkexport --to text >out 2>err.3
        last=$?
        [ "$(cat code.2) $last $(wc -c <out)" = "3 3 0" ] || wrong "$1, cut at $r: exit $(cat code.1), $(cat code.2), $last"
        case $(cat code.1) in 0 | 141) ;; *) wrong "$1, cut at $r: exit $(cat code.1)" ;; esac
        grep -q . err.2 || wrong "$3 of $r bytes: no message"
        [ -z "$(ls tmp)" ] || wrong "$1, cut at $r: left $(ls tmp)"
        n=$((n + 1)) runs=$((runs + 1))
    done
}
cut "mnfparse $body" 1.h5 "reduce --cb 15"
cut "reduce --cb 15 1.h5" 2.h5 invariants
cut "invariants 2.h5" 3.h5 linkexport
cut "cat $body" "$body" mnfparse
done_at_least 32

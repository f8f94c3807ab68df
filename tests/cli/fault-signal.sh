# A signal while a call makes, writes, closes, renames or removes a file: the call has had its effect, the program does not know
# yet. Whatever the place, no temporary file stays, and under the final name is nothing or the whole output.
# SIGHUP may be ignored here (nohup), and then it is in all that is started.
[ -n "$HANGUP_IS_HEARD" ] || HANGUP_IS_HEARD=1 exec env --default-signal=HUP sh "$0"
. "$DATA/faults"
judge() {
    runs=$((runs + 1))
    [ "$1" = 129 ] || wrong "$3: exit $1"
    [ ! -e out ] || diff -r ref out >/dev/null 2>&1 || wrong "$3: another output"
    left=$(ls -A tmp; ls -d out.* 2>/dev/null)
    [ -z "$left" ] || wrong "$3: left $left"
    rm -rf out tmp/* out.*
}
mnfparse "$body" -o body.h5
each hangup 3 - mnfparse "$body"
each hangup 3 - reduce --cb 15 body.h5
each hangup 3 - reduce --cb 8 --interface 1 "$g/full.h5"
each hangup 2 - linkexport --to mm "$g/invariants.h5"
each hangup 3 - linkexport --to mat "$g/invariants.h5"
# Input that has to be spooled.
printf '#!/bin/sh\nexec invariants - "$@" <%s/reduced.h5\n' "$g" >spooled
printf '#!/bin/sh\nexec mnfparse - "$@" <body.mat\n' >spooled.mat
linkexport --to mat --dialect 7.3 "$g/invariants.h5" -o body.mat
chmod +x spooled spooled.mat
each hangup 2 - ./spooled
each hangup 2 - ./spooled.mat
# Several outputs at once.
many() { correlate -q -n 9 "$g/modal.h5" "$g/full.h5" -o "$1/a.txt" --csv "$1/a.csv" --json "$1/a.json" --svg "$1/a.svg" --h5 "$1/a.h5"; }
rm -rf ref
mkdir ref set
many ref
FAULT_LOG=count FAULT=hangup:0 LD_PRELOAD=$FAULT_LIB many set
k=1 n=$(cat count)
while [ $k -le "$n" ]; do
    rm -f set/*
    (FAULT=hangup:$k LD_PRELOAD=$FAULT_LIB many set) 2>err
    code=$?
    [ $code = 129 ] || wrong "correlate hangup:$k: exit $code"
    diff -rq ref set | grep -v '^Only in ref' && wrong "correlate hangup:$k"
    k=$((k + 2)) runs=$((runs + 1))
done
# METIS takes SIGTERM for its own.
frame --elements 150 -o frame.h5
hits=0
for k in 1 2 5 12 30 70 150; do
    echo old >out
    FAULT=order:$k LD_PRELOAD=$FAULT_LIB reduce --cb 20 frame.h5 -o out 2>err
    code=$?
    [ $code = 143 ] && [ "$(cat out)" = old ] && hits=$((hits + 1))
    [ $code = 143 ] || [ $code = 0 ] || wrong "order:$k: exit $code: $(cat err)"
    runs=$((runs + 1))
done
[ $hits -ge 4 ] || wrong "only $hits signals came while METIS worked"
done_at_least 100

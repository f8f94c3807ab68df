# A read of more than a second shows on a terminal how far it is, and nowhere else; -q hides it. The line goes
# before a message comes. script(1) gives the tools a terminal; the clock of fault.so is 0.7 s later whenever it is
# asked, which is once in 16 MB.
script -qec true typescript </dev/null >/dev/null 2>&1 || skip "no script(1), which gives a terminal"
[ -e "$FAULT_LIB" ] || skip "no FAULT_LIB"
ldd "$(command -v mnfparse)" | grep -q asan && skip "sanitizers want to be loaded first"
export SHELL=/bin/sh
{ echo 'GRID    1               0.      0.      0.' && yes 'CQUAD4  1       1       1       2       3       4'; } 2>/dev/null | head -n 1600000 >deck.bdf
FAULT=late:700 LD_PRELOAD=$FAULT_LIB mnfparse deck.bdf -o x.h5
script -qec "FAULT=late:700 LD_PRELOAD=$FAULT_LIB mnfparse deck.bdf -o x.h5" typescript </dev/null >/dev/null
tr '\r' '\n' <typescript | grep -c '^mnfparse: deck.bdf: [0-9]* % of 0.08 GB' | awk '{ print ($1 > 0 ? "seen" : "not seen") }'
tr '\r' '\n' <typescript | grep -c '^.\[Kmnfparse: the input holds neither'
script -qec "FAULT=late:700 LD_PRELOAD=$FAULT_LIB mnfparse -q deck.bdf -o x.h5" typescript </dev/null >/dev/null
grep -c ' % of ' typescript
rm deck.bdf
# reduce: the factor by flops, the modes by those found, the count; with the time left. -v names a step when it begins, before
# what it has to say of it.
frame --elements 3000 -o body.h5
FAULT=late:700 LD_PRELOAD=$FAULT_LIB reduce --mdm 80 body.h5 -o x.h5
script -qec "FAULT=late:700 LD_PRELOAD=$FAULT_LIB reduce --mdm 80 body.h5 -o x.h5" typescript </dev/null >/dev/null
for step in 'factorisation: [0-9]* % of [0-9.e-]* Gflop' 'search: [0-9]* % of 82 modes' 'count of modes: [0-9]* % of [0-9.e-]* Gflop'; do
    tr '\r' '\n' <typescript | grep -c "^reduce: $step, .* s left" | awk '{ print ($1 > 0 ? "seen" : "not seen") }'
done
script -qec "FAULT=late:700 LD_PRELOAD=$FAULT_LIB reduce -q --mdm 80 body.h5 -o x.h5" typescript </dev/null >/dev/null
grep -c ' % of ' typescript
reduce -v --cb 40 body.h5 --interface 1,3001 -o x.h5 2>&1 | sed -n 's/^reduce: //; s/ of [0-9].*//; s/ below .*//; /^step: /p; s/: [0-9.e-]* s, memory .*//p'

# A read of more than a second shows on a terminal how far it is, and nowhere else; -q hides it. The line goes
# before a message comes. script(1) gives the tools a terminal; a machine that is too quick sees nothing.
script -qec true typescript </dev/null >/dev/null 2>&1 || exit 77
export SHELL=/bin/sh
{ echo 'GRID    1               0.      0.      0.' && yes 'CQUAD4  1       1       1       2       3       4'; } 2>/dev/null | head -c 300000000 >deck.bdf
start=$(date +%s%N)
mnfparse deck.bdf -o x.h5
[ $(($(date +%s%N) - start)) -gt 1500000000 ] || exit 77
script -qec "mnfparse deck.bdf -o x.h5" typescript </dev/null >/dev/null
tr '\r' '\n' <typescript | grep -c '^mnfparse: deck.bdf: [0-9]* % of 0.3 GB' | awk '{ print ($1 > 0 ? "seen" : "not seen") }'
tr '\r' '\n' <typescript | grep -c '^.\[Kmnfparse: the input holds neither'
script -qec "mnfparse -q deck.bdf -o x.h5" typescript </dev/null >/dev/null
grep -c ' % of ' typescript
rm deck.bdf

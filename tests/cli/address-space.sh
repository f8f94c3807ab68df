# Under a limit of the address space OpenBLAS would try for ever to start its threads, after a fork and while it is loaded:
# the tools run with one BLAS thread, or say that the limit is too low.
ldd "$(command -v reduce)" | grep -q asan && skip "sanitizers reserve terabytes"
[ "$(uname -m)" = x86_64 ] || skip "limits are those of x86-64"
frame --elements 150 -o in.h5
reduce --cb 60 in.h5 -o free.h5
for kb in 100000 200000 500000 800000 4000000; do
    (ulimit -v $kb && timeout 60 reduce --cb 60 in.h5 -o out.h5 2>err)
    echo "$kb kB: exit $?"
    [ ! -s err ] || cat err
    if [ -e out.h5 ]; then cmp free.h5 out.h5 && rm out.h5; fi
done
# The same of the data segment, where the end of threads that never began would be waited for.
for kb in 50000 400000 600000; do
    (ulimit -d $kb && timeout 20 mnfparse --version >out 2>&1); echo "data $kb kB: exit $?"
done

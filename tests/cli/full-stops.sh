# A reduction that is ended, or may not take its memory, leaves nothing: neither output nor temporary files. An end
# that comes after the whole output has been put in place finds it there, and cannot take it back.
mkdir tmp
export TMPDIR=$PWD/tmp
frame --elements 4000 -o long.h5
reduce --cb 60 long.h5 -o ref.h5
for wait in 0.1 0.4 0.8; do
    reduce --cb 60 long.h5 -o out.h5 2>/dev/null &
    pid=$!
    sleep $wait
    kill -TERM $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    [ $code = 143 ] || [ $code = 0 ] || echo "exit $code"
    [ $code = 0 ] || [ -e out.h5 ] || continue
    cmp ref.h5 out.h5
    rm out.h5
done
rm ref.h5
reduce --cb 60 --memory 0.0001 long.h5 -o out.h5
echo "exit $?"
reduce --cb 18 long.h5 >/dev/full
echo "exit $?"
ls tmp | wc -l
ls

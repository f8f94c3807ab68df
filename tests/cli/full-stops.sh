# A reduction that is ended, or may not take its memory, leaves nothing: neither output nor temporary files.
mkdir tmp
export TMPDIR=$PWD/tmp
frame --elements 4000 -o long.h5
for wait in 0.1 0.4 0.8; do
    reduce --cb 60 long.h5 -o out.h5 2>/dev/null &
    pid=$!
    sleep $wait
    kill -TERM $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    [ $code = 143 ] && [ -e out.h5 ] && echo "ended, but there is an output"
    [ $code = 143 ] || [ $code = 0 ] || echo "exit $code"
    rm -f out.h5
done
reduce --cb 60 --memory 0.0001 long.h5 -o out.h5
echo "exit $?"
reduce --cb 18 long.h5 >/dev/full
echo "exit $?"
ls tmp | wc -l
ls

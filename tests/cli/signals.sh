# A tool that is ended leaves no temporary file, neither in TMPDIR nor beside the final name.
# Started by nohup or a build daemon the script ignores HUP, and so would the tool.
mkdir tmp
export TMPDIR=$PWD/tmp
mkfifo never
sleep 30 >never &
keep=$!
for sig in TERM HUP; do
    env --default-signal=$sig reduce --cb 18 -o out.h5 <never 2>/dev/null &
    pid=$!
    while [ -z "$(ls tmp)" ]; do sleep 0.05; done
    kill -$sig $pid
    wait $pid 2>/dev/null
    echo "$sig: exit $?, $(ls tmp | wc -l) spools, $(ls | grep -c '^out') outputs"
done
kill $keep

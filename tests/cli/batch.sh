# flexbatch: the bytes of the same pipe in a shell, one thread a body; names with blanks; bodies that fail among others; refusals;
# a full disk; nothing is left by signals, whenever they come.
[ -n "$HANGUP_IS_HEARD" ] || HANGUP_IS_HEARD=1 exec env --default-signal=HUP,INT,TERM sh "$0"
. "$DATA/skip"
s=$DATA/../../samples
mkdir tmp 'two words' shell batch
TMPDIR=$PWD/tmp OMP_NUM_THREADS=1
export TMPDIR OMP_NUM_THREADS
unset OPENBLAS_NUM_THREADS
section() {
    echo "$1"
    echo "$1" >&2
}
left() { # nothing but whole outputs
    ls -A tmp
    ls -A batch | grep -v '\.h5$'
}
cp "$s/beam.mnf" 'two words/a beam.mnf'
cp "$s/lshape.mnf" 'two words/L.mnf'
frame --modal -o 'two words/rod.h5'
for body in 'two words/'*; do
    name=$(basename "$body")
    mnfparse --units mm-t-s "$body" | reduce --cb 15 | invariants | linkexport -o "shell/${name%.*}.h5"
done
flexbatch 'mnfparse --units mm-t-s {} | reduce --cb 15 | invariants | linkexport -o batch/{/.}.h5' 'two words/'*
echo "three: $?"
diff -r shell batch && left
# An option of flexbatch, or of one program, is none of another's; one process at a time or many are the same.
for j in 1 7; do
    rm batch/*
    flexbatch -j $j -q -v 'mnfparse -q --units mm-t-s {} | reduce --cb 15 | invariants | linkexport -o batch/{/.}.h5' 'two words/'* 2>err
    grep -c 'done after' err
    diff -r shell batch
done

# A program that stands there twice, and one whose input is no stream of reduce's; the messages are those of the shell.
rm batch/*
mkdir twice
L='two words/L.mnf'
mnfparse "$L" | reduce -q --cb 20 | reduce -q --cb 15 | invariants -v -o twice/L.h5 2>said
flexbatch 'mnfparse {} | reduce -q --cb 20 | reduce -q --cb 15 | invariants -v -o batch/{/.}.h5' "$L" 2>&1 |
    sed 's/^flexbatch: [^:]*: //' | diff - said
mnfparse "$L" | mnfparse --units mm-t-s - -o twice/units.h5
flexbatch 'mnfparse {} | mnfparse --units mm-t-s - -o batch/units.h5' "$L"
diff -r twice batch && left

section '== failures'
rm batch/*
head -c 3000 "$s/beam.mnf" >'two words/cut.mnf'
echo nothing >'two words/none.txt'
flexbatch 'mnfparse --units mm-t-s {} | reduce --cb 15 | invariants | linkexport -o batch/{/.}.h5' 'two words/'* missing.mnf
echo "five and one that is missing: $?"
diff -r shell batch && left
flexbatch 'mnfparse -q {} | reduce --cb 5 -o batch/{/.}.h5' 'two words/L.mnf' 'two words/rod.h5'
echo "in the second program: $?"
ln -s /dev/full batch/full.h5
ln -s a.h5 batch/b.h5
cp "$s/beam.mnf" full.mnf
cp "$s/beam.mnf" b.mnf
flexbatch 'mnfparse -q {} | reduce --cb 15 -o batch/{/.}.h5' full.mnf b.mnf 'two words/L.mnf'
echo "full disk, a link to nowhere: $?"
[ -s batch/L.h5 ] && [ ! -e batch/a.h5 ] && left
rm batch/*

section '== refusals'
while read -r command; do
    flexbatch "$command" full.mnf b.mnf
    echo "$?: $command"
done <<'END'
mnfparse {} | sort -o {}
mnfparse {} | redcue -o {.}.h5
mnfparse {} > {.}.h5
mnfparse {}
mnfparse {} -o batch/one.h5
mnfparse full.mnf | reduce --cb 15 -o batch/one.h5
reduce --cb 15 -o {.}.r.h5
mnfparse {} -o {.}.h5 | reduce --cb 15 -o {.}.r.h5
mnfparse {} | reduce --cb 15 -o {//}.h5
mnfparse {} | reduce --cb nine -o {.}.h5
mnfparse {} | reduce --help -o {.}.h5
mnfparse {} two | reduce --cb 15 one two -o {.}.h5
END
flexbatch 'mnfparse {} -o {/.}.h5' b.mnf 'two words/../b.mnf'
echo "$?: one output for two bodies"
ln -s . here
flexbatch 'mnfparse {} -o {.}.h5' b.mnf here/b.mnf
echo "$?: and through a link"
ln -s full.h5 b.h5 # which the other body makes
flexbatch 'mnfparse {} -o {.}.h5' b.mnf full.mnf
echo "$?: and through one to what is not there yet"
rm b.h5
flexbatch 'mnfparse {} | correlate - full.mnf --csv one.csv -o {/.}.txt' b.mnf full.mnf
echo "$?: an output beside that of -o"
flexbatch 'mnfparse {} -o {.}' full.mnf full.mnf.txt
echo "$?: over another body"
flexbatch 'mnfparse {} -o -' b.mnf
echo "$?: to no file"
flexbatch -o batch/out.h5 'mnfparse {} -o {.}.h5' b.mnf
echo "$?: -o outside"
flexbatch 'mnfparse {} -o {.}.h5'
# The quotes are forgotten: the shell took the command apart.
flexbatch reduce --cb 18 {} -o {.}.h5 full.mnf
flexbatch mnfparse {} full.mnf
echo "$?: no bodies"
ls -A batch ./*.h5 2>/dev/null

# Signals: to the program alone, at moments that differ. 143, and what is there is whole.
section '== signals'
k=0
while [ $k -lt 60 ]; do
    k=$((k + 1))
    ln "$s/lshape.mnf" "many.$k.mnf" 2>/dev/null || cp "$s/lshape.mnf" "many.$k.mnf"
done
C='mnfparse -q {} | reduce -q --cb 15 | invariants -q | linkexport -q -o batch/{/.}.h5'
flexbatch "$C" many.*.mnf
mkdir whole
mv batch/* whole
stopped=0
for delay in 0.1 0.2 0.3 0.45 0.6; do
    flexbatch "$C" many.*.mnf &
    sleep $delay
    kill -TERM $! 2>/dev/null
    wait $! 2>/dev/null
    case $? in
    143) stopped=$((stopped + 1)) ;;
    0) ;;
    *) echo "another status" ;;
    esac
    left
    for f in batch/*; do
        [ -e "$f" ] && ! cmp "$f" "whole/${f#batch/}"
    done
    rm -f batch/*
done
[ $stopped -gt 0 ] || echo "no signal came in time"
# A body's process killed, as where memory lacks: named, the others go on, nothing is left. It waits for what nobody writes.
mkfifo never.mnf
flexbatch -j 1 'mnfparse -q {} | reduce -q --cb 15 -o batch/{/.}.h5' never.mnf "$L" 2>killed &
k=0 child=
while [ $k -lt 2000 ] && { [ -z "$child" ] || [ -z "$(ls -A tmp)" ]; }; do # until it is there, and has made a file
    sleep 0.02
    child=$(grep -l "^PPid:.$!\$" /proc/[0-9]*/status 2>/dev/null | cut -d/ -f3 | head -n 1)
    k=$((k + 1))
done
kill -KILL "$child"
wait $! 2>/dev/null
echo "a process killed: $?"
cat killed
ls batch
left
rm -f batch/*
# Killed: its programs end by themselves.
flexbatch "$C" many.*.mnf &
sleep 0.3
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
k=0
while [ -n "$(left)" ] && [ $k -lt 50 ]; do
    sleep 0.1
    k=$((k + 1))
done
left || :

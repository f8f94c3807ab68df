# A failure of one of two ranks ends both: its message, the exit status of the manual, no output and no temporary file.
. "$DATA/ranks"
run="mpirun -q --oversubscribe -n"
mkdir here here/core there there/core
cd here || exit 1
frame --shape lshape --elements 40 -o ../body.h5
end() { # what, exit status
    echo "$1: exit $2$(find .. -name 'out.h5*' -o -path '*/core/*' -o -name 'flexbody*')"
    rm -rf ../there/core/* core/*
}

# Its disk: no folder on rank 1, no room on rank 0.
work="reduce-mpi -q --cb 30 --interface 1,41 --out-of-core core ../body.h5 -o out.h5"
mv ../there/core ../there/elsewhere
$run 1 $work : -n 1 sh -c "cd ../there && exec $work"
end "no folder on rank 1" $?
$run 2 reduce-mpi -q --cb 30 --interface 1,41 ../body.h5 -o /dev/full
end "disk full on rank 0" $?
# No coordinate is kept.
$run 2 reduce-mpi -q --mdm 6 --drop 1-6 ../body.h5 -o out.h5
end "nothing left" $?
# Its memory.
$run 1 env FAULT=own:20 LD_PRELOAD="$FAULT_LIB" $work : -n 1 $work
end "no memory on rank 0" $?

# Signals, while rank 0 waits for the rest of its input.
mkfifo in
waits() {
    $run 2 reduce-mpi -q --cb 30 --interface 1,41 - -o out.h5 <in 2>said &
    mpirun=$!
    exec 9>in
    head -c 10000 ../body.h5 >&9
    n=0
    until [ "$(pgrep -P "$mpirun" reduce-mpi | wc -l)" = 2 ] || [ $n = 100 ]; do n=$((n + 1)) && sleep 0.1; done
}
waits
kill -KILL "$(pgrep -P "$mpirun" reduce-mpi | tail -n 1)"
wait "$mpirun"
end "a rank killed" $?
exec 9>&-
waits
kill -TERM "$mpirun"
wait "$mpirun"
end "mpirun told to end" $?

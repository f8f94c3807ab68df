# Each allocation of a tool fails once: exit status 5, a message, no output, no temporary file. Of the program's own every
# fifth, of all that libraries make a sample: HDF5 may call the input damaged there (status 3).
. "$DATA/faults"
ldd "$(command -v mnfparse)" | grep -q hdf5 || skip "HDF5 within the programs (make HDF5=static): its allocations count as theirs"
mnfparse "$body" -o body.h5
linkexport --to mat "$g/full.h5" -o full.mat # read and written in a child process, by libmatio
set -- 5
each own $1 5 mnfparse full.mat
each own $1 5 linkexport --to mat "$g/invariants.h5"
each any 61 5 mnfparse full.mat
each any 201 "5 3" linkexport --to mat "$g/invariants.h5"
each own $1 5 mnfparse "$body"
each own $1 5 reduce --cb 15 body.h5
each own $1 5 reduce --cb 8 --interface 1 "$g/full.h5"
each own $1 5 invariants "$g/reduced.h5"
each own $1 5 linkexport "$g/invariants.h5"
each own $1 5 linkexport --to mm "$g/invariants.h5"
each own $1 5 correlate -n 9 "$g/modal.h5" "$g/full.h5"
each any 401 "5 3" mnfparse "$body"
each any 601 "5 3" reduce --cb 15 body.h5
each any 601 "5 3" reduce --cb 8 --interface 1 "$g/full.h5"
each any 601 "5 3" invariants "$g/reduced.h5"
each any 801 "5 3" linkexport "$g/invariants.h5"
each any 601 "5 3" correlate -n 9 "$g/modal.h5" "$g/full.h5"
done_at_least 200

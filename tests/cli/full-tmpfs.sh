# A disk that fills while HDF5 is at work: a message, exit code 5, no temporary file. Wants root for a mount.
mkdir full
mount -t tmpfs -o size=200k none full 2>/dev/null || skip "no leave to mount"
trap 'umount full' EXIT
mnfparse "$DATA/../../samples/beam.mnf" | reduce --cb 18 | invariants >body.h5
for size in 60k 100k 140k; do
    mount -o remount,size=$size full
    for tool in "reduce --cb 16" "invariants" "linkexport --with-T" "linkexport --to mat"; do
        case $tool in reduce*) in=first.h5; mnfparse "$DATA/../../samples/beam.mnf" >first.h5 ;; *) in=body.h5 ;; esac
        $tool -o full/x.h5 $in 2>err
        a=$?
        TMPDIR=$PWD/full $tool $in >out.h5 2>err
        b=$?
        [ $a = 0 ] && rm full/x.h5
        case "$a $b $(ls -A full | wc -l)" in "5 5 0" | "0 0 0" | "5 0 0" | "0 5 0") ;; *) echo "$size $tool: exit $a $b, left $(ls -A full)" ;; esac
    done
done
mount -o remount,size=60k full
reduce --cb 16 -o full/x.h5 first.h5
echo "exit $?"

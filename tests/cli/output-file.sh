# -o replaces a file whole or not at all, follows a link, refuses one that leads nowhere (a file or a folder), keeps a
# device, honours the umask.
f="$DATA/../../samples/beam.mnf"
echo precious >old
mnfparse no-such-file -o old 2>/dev/null
cat old
mkdir d
mnfparse "$f" -o d/none/x.h5
echo "exit $?"
mnfparse "$f" -o d
echo "exit $?"
ln -s target link
: >target
mnfparse "$f" -o link
test -h link && test -s target && echo followed
mnfparse "$f" -o /dev/null && test -c /dev/null && echo kept
umask 027
mnfparse "$f" -o mode.h5
stat -c %a mode.h5
ls -A d
echo *
ln -s nowhere dangling
ln -s loop loop
for to in "mnfparse $f -o dangling" "mnfparse --info $f -o dangling" "mnfparse $f -o loop" "linkexport --to vtu mode.h5 -o dangling"; do
    $to
    echo "exit $?"
done
test -h dangling && test ! -e nowhere && test -h loop && echo "links are as they were"
# The system's names of the standard output are the standard output.
mnfparse "$f" >stdout.h5
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1; do mnfparse "$f" -o $name | cmp - stdout.h5 && echo "$name: same"; done
mnfparse "$f" -o /dev/stdout >&-
echo "exit $?"
reduce --cb 18 stdout.h5 -o r.h5
correlate stdout.h5 r.h5 --mac --csv /dev/stdout | grep -c ,
mnfparse "$f" -o a -o b
echo "exit $?, $(ls a b 2>/dev/null | wc -l) files"
# A side output that cannot be written: nothing of the page, either.
correlate stdout.h5 r.h5 --svg /dev/full >page
echo "exit $?, $(wc -c <page) bytes"

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
# A file that is replaced keeps mode, owner and names, as with cp; a read-only one stays as it is.
umask 022
mnfparse "$f" -o one.h5
chmod 600 one.h5
reduce --cb 18 one.h5 -o one.h5
stat -c %a one.h5
chmod 664 one.h5
ln one.h5 two.h5
head -c 3000000 /dev/zero >>two.h5 # longer than what comes
linkexport --to text r.h5 >text
linkexport --to text r.h5 -o one.h5
cmp text two.h5 && echo "$(stat -c %a,%h two.h5) as it was"
mnfparse "$f" -o two.h5 && cmp one.h5 stdout.h5 && echo "two names, one file"
linkexport --to vtu r.h5 -o folder && chmod 700 folder && rm folder/* && linkexport --to vtu r.h5 -o folder && stat -c %a folder
if [ "$(id -u)" = 0 ]; then # another owner
    chown 65534:65533 one.h5
    reduce --cb 18 stdout.h5 -o one.h5
    rm two.h5
    reduce --cb 18 stdout.h5 -o one.h5
    stat -c %u:%g one.h5
    chown 65534:"$(id -g)" one.h5 # of the same group
    reduce --cb 18 stdout.h5 -o one.h5
    stat -c %u one.h5
else
    chmod 444 one.h5
    reduce --cb 18 stdout.h5 -o one.h5 2>/dev/null || printf '65534:65533\n65534\n'
fi
ls -A | grep '\.......$' | wc -l

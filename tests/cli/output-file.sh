# -o replaces a file whole or not at all, follows a link, keeps a device, honours the umask.
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
mkdir links
ln -s ../later links/dangling
mnfparse "$f" -o links/dangling
test -h links/dangling && test -s later && echo followed
ln -s none/x links/nowhere
mnfparse "$f" -o links/nowhere
echo "exit $?"
ln -s round links/round
mnfparse "$f" -o links/round
echo "exit $?"
mnfparse "$f" -o /dev/null && test -c /dev/null && echo kept
umask 027
mnfparse "$f" -o mode.h5
stat -c %a mode.h5
ls -A d
echo *

# Outputs belong together: where one cannot be written, none is there; none may be another, or an input.
f="$DATA/../../samples/lshape.mnf"
mnfparse "$f" >full.h5
reduce --mdm 15 full.h5 >mdm.h5
all="--csv a.csv --json a.json --svg a.svg"
left() { echo "exit $1: $(ls a.* 2>/dev/null | tr '\n' ' ')"; rm -f a.*; }
correlate full.h5 mdm.h5 $all --h5 a.h5 -o a.txt
left $?
correlate full.h5 mdm.h5 $all --h5 /dev/full -o a.txt
left $?
correlate full.h5 mdm.h5 $all --h5 a.h5 >/dev/full
left $?
correlate full.h5 mdm.h5 $all --h5 none/a.h5 -o a.txt
left $?
ln mdm.h5 link.h5
correlate full.h5 mdm.h5 $all --h5 link.h5 -o a.txt
left $?
correlate full.h5 mdm.h5 $all --h5 a.svg -o a.txt
left $?
correlate full.h5 mdm.h5 --csv -
left $?
correlate full.h5 mdm.h5 --csv a.csv --json "$PWD/a.csv" -o a.txt
left $?
# The name of a file: quotes in CSV and JSON, markup in the picture, what is no UTF-8.
cp mdm.h5 "$(printf 'a "b" <c> & \303\244\377.h5')"
correlate --mac full.h5 a\ *.h5 $all | head -1
tail -1 a.csv | cut -d, -f1
grep -o '"model": .*h5"' a.json
grep -o 'mode of a.*h5' a.svg
rm a.*
# A panel a file: what stands in each is its own criterion; none without a name.
correlate --mac --nco full.h5 mdm.h5 mdm.h5 --svg a.b/../a.x.svg --panels >/dev/null
mkdir a.b && correlate --mac --nco full.h5 mdm.h5 mdm.h5 --svg a.b/../a.x.svg --panels >/dev/null
for f in a.*svg; do echo "$f $(grep -c '^<svg' "$f") $(sed -n 's/.*bold">//p' "$f" | cut -d'<' -f1 | xargs)"; done
rm -r a.*
correlate full.h5 mdm.h5 --svg - --panels
correlate full.h5 mdm.h5 --panels
# The mass of another file: over the masters the one that the body was condensed to. A threshold for pairs.
frame --shape lshape --elements 16 --element linear --mass consistent --length 0.5 --square 0.008 -o fe.h5
reduce --mdm 12 fe.h5 >fe-mdm.h5
reduce -q --guyan 18 --masters 1,9,17 fe.h5 -o guyan.h5
correlate --nco --mass guyan.h5 -n 9 fe.h5 fe-mdm.h5 | awk 'NR == 1 || $1 > 6' | tr -s ' '
correlate --nco --mass fe.h5 -n 9 fe-mdm.h5 guyan.h5 | awk 'NR == 1 || $1 > 6' | tr -s ' '
correlate -q --partner 0.9 --nco -n 10 --mass guyan.h5 fe.h5 guyan.h5 | tail -5 | tr -s ' '

# Every method on the L-shaped frame held by its modes; the ranking of IMR is the published one.
frame --shape lshape --elements 16 --square 0.008 --length 0.5 --mass consistent --modal >l.h5
reduce --imr 22 --weights 7-18 -v l.h5 2>&1 >imr.h5 | grep participation
for how in "--cb 18" "--method imr --select 1,21,26-27,40,48" "--guyan 18 --masters 1,9,17" "--lsmr 18 --masters 1,9,17" "--mdm 18"; do
    reduce $how --orthonormalize l.h5 | linkexport --to mnf | mnfparse --info | awk -v how="$how" '
        /interface/ { exit } $1 >= 7 && $1 <= 12 && NF == 4 { f = f sprintf(" %.2f", $2) } END { print how ":" f }'
done
for args in "--guyan 14" "--guyan 12 --modes 3" "--cb 18 --masters 1" "--mdm 9 --select x" "--lsmr 12 --weights 7" "--method mdm" \
    "--method imr --fmax 9" "--method imr --keep 1,9Hz"; do
    reduce $args l.h5 >out
    echo "$args: exit $?, $(wc -c <out) bytes"
done

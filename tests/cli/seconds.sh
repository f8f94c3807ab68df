# Files hold no times: two runs give the same bytes. Who wants the seconds in correlate's summary says so, reduction by reduction.
frame --elements 12 -o full.h5
reduce --cb 26 --interface 1,13 full.h5 -o one.h5
reduce --cb 26 --interface 1,13 full.h5 -o two.h5
cmp one.h5 two.h5 && echo "the same bytes"
h5dump -a /reduced/seconds one.h5 >/dev/null 2>&1 || echo "no seconds"
reduce --time --guyan 12 --interface 1,13 full.h5 -o timed.h5
h5dump -a /reduced/seconds timed.h5 | awk -F '"' '/\(0\)/ { print ($2 > 0 && $2 < 1000 ? "seconds" : $2) }'
correlate full.h5 one.h5 two.h5 -n 8 | grep -c seconds
correlate full.h5 one.h5 timed.h5 -n 8 --json out.json --html out.html >page
sed -n '/^summary/,$p' page | awk '/^  [a-z]*[.]h5/ { print $1, ($NF > 0 ? "a number" : $NF) }'
grep -o '"seconds": [0-9]' out.json | cut -c 1-9
grep -c '"seconds":0,' out.html
# A link record keeps it; a later reduction without the option does not.
invariants timed.h5 | linkexport -o link.h5
h5dump -a /reduced/seconds link.h5 | grep -c '(0)'
reduce --fix 13:1 timed.h5 -o again.h5
h5dump -a /reduced/seconds again.h5 >/dev/null 2>&1 || echo "no seconds"

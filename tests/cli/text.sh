# The page for people: 100 columns, rows and columns by name, six digits, zeros left out. Of a rod with the radius of 1 cm and
# E = 70 GPa, nu = 0.33, L = 1 m: EA/L = 2.19911e7, GJ/L = 413.367, 12 EI/L^3 = 6597.34, 6 EI/L^2 = 3298.67, 4 EI/L = 2199.11,
# 2 EI/L = 1099.56 N, m; mass 0.84823 kg.
frame --elements 4 --element hermite --length 1 | reduce --guyan 12 --interface 1,5 | invariants -o r.h5
linkexport --to text r.h5 >page
sed -n '/^Reduced stiffness/,/^$/p; /^I2/,/^$/p' page
awk 'length > 100' page
# With 17 digits they are the numbers of the stream.
linkexport --to text --exact r.h5 >exact
awk 'length > 100' exact
sed -n '/^Reduced mass/,/^$/p' exact | tr -s ' ' '\n' | grep -E '^-?[0-9][0-9.]*(e-?[0-9]+)?$' | grep -vE '^[15]\.[1-6]$' | sort >page.M
h5dump -m %.17g -y -w 1 -d /reduced/M r.h5 | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "" && $0 != 0) print } /DATA {/ { on = 1 }' | sort >stream.M
cmp page.M stream.M && [ "$(wc -l <page.M)" -gt 20 ] && echo "mass: same"
linkexport --exact r.h5
echo "exit $?"
# Modes have numbers: unit masses, nothing beside them.
mnfparse "$DATA/../../samples/beam.mnf" | reduce -q --mdm 8 | linkexport --to text | grep -A 2 '^Reduced mass' | tr -s ' '

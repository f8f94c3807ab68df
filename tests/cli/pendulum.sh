# README's pendulum, command by command: its numbers are those of an independent prototype of the same equations (theta 3.13390790,
# tip -0.99997052 0 -0.00767808 after 1 s), and energy, 0 at the start, stays where it was.
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.integrate, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-scipy and python3-h5py"
awk '/^In Python/ { on = 1 } /^It ends at/ { exit } on && /^    |^$/ { sub(/^    /, ""); print }' "$DATA/../../README.md" >both
sed -n '/^import h5py/,$p' both >pendulum.py
sed '/^import h5py/,$d' both >commands
sh commands && $py pendulum.py >out
awk 'NR == 1 { gsub(/[][]/, ""); printf "%.6f %.6f %.6f %.6f\n", $2, $4, $5 * $5 < 1e-20 ? 0 : $5, $6 } NR == 2 { print $2 * $2 < 1e-20 ? "energy kept" : $2 }' out
grep -c . pendulum.py | awk '{ print $1 <= 40 ? "forty lines" : $1 }'

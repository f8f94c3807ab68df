# Octave loads the MATLAB files: six rigid motions, the rest as the reduction says.
command -v octave-cli >/dev/null || skip "no octave"
mnfparse "$DATA/../../samples/beam.mnf" | reduce --cb 18 | invariants >b.h5 &&
linkexport --to simscape b.h5 >s.mat && linkexport --to mat b.h5 >a.mat && linkexport --to mat --dialect 7.3 b.h5 >h.mat &&
frame | linkexport --to mat >full.mat && linkexport --to modelica --dialect matfile --connectors 21 -o mo \
    "$(mnfparse "$DATA/../../samples/beam.mnf" | reduce --cb 12 --fix 1 --interface 21 | invariants >c.h5; echo c.h5)" &&
HOME=. octave-cli -q --eval '
load s.mat; e = sort (sqrt (abs (eig (body.K, body.M)))) / (2 * pi);
printf ("%d %d %d\n", size (body.P), sum (e < 1e-3));
printf ("%d\n", max (abs (e(7:end) - body.frequency(7:end)) ./ e(7:end)) < 1e-9);
a = load ("a.mat"); h = load ("h.mat");
printf ("%d %d %d\n", isequal (a.I9, h.I9), isequal (a.T, h.T), isequal (size (a.I11), [3 3 18 18]));
f = load ("full.mat"); printf ("%d %d\n", issparse (f.K_full), issymmetric (f.K_full));
m = load ("mo/BodyData.mat"); printf ("%d %d\n", size (m.I9));' 2>/dev/null
# What Octave's save writes otherwise is read (text), or named as what it is.
HOME=. octave-cli -q --eval 'K = speye (3); save ("o.txt", "K"); save ("-binary", "o.bin", "K"); save ("-hdf5", "o.h5", "K");' 2>/dev/null
mnfparse -q o.txt -o o.h5s && h5dump -m '%g' -y -w 1 -d /full/K/x o.h5s | grep -c '^ *1,*$'
for f in o.bin o.h5; do mnfparse $f 2>&1; done
true

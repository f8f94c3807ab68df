# Frames: --with-T records are drawn on their faces, others as a line; play.sh makes .vtu files whose last tip is the run's, linkexport
# a page that moves so in a browser.
. "$DATA/sim"
records fl f2
linkexport -o bare.h5 f2.h5
run denoc lframe --frames 6
sh "$S/play.sh" lframe-denoc.h5 movie
ls movie | tr '\n' ' '
echo
awk '/Name="Points"/ { on = 1; next } /DataArray/ { on = 0 } on { last = $0 } END { print last }' movie/run_00005.vtu | tr ' ' '\t' | near "tip of the last frame" 1e-7 $(table lframe-denoc.h5 tip | tail -n 1)
grep -c '<DataSet' movie/run.pvd
for f in movie/*.vtu movie/run.pvd; do awk '{ n += gsub(/<[a-zA-Z]/, "&") - gsub(/<\//, "&") - gsub(/\/>/, "&") } END { if (n) print "tags do not close" }' "$f"; done
linkexport --to html lframe-denoc.h5 >movie.html
if command -v node >/dev/null && command -v chromium >/dev/null; then
    node "$DATA/../browser/pages.js" "{\"a motion\": {\"file\": \"movie.html\", \"film\": [$(table lframe-denoc.h5 tip | tail -n 1 | tr '\t' ',')], \"texts\": [\"lframe.txt\", \"6 moments\"]}}"
elif [ -z "$CI" ]; then
    echo "a motion: as it should be"
fi
for bad in "" first.h5 "none.h5 movie" "bare.h5 movie"; do
    sh "$S/play.sh" $bad 2>&1
    echo "exit $?"
done
table bare.h5 theta 2>&1
echo "exit $?"
sh "$S/records.sh" none 2>&1
echo "exit $?"
printf 'gravity 0 0 -9.81\nlink bare.h5 hub 1 tip 17 axis 0 1 0 modes 2\n' >bare.txt
run ffr bare --frames 2
sh "$S/play.sh" bare-ffr.h5 bare
grep -o 'NumberOfPoints="[0-9]*" NumberOfCells="[0-9]*"' bare/run_00001.vtu
run denoc lframe --frames 6 && mv lframe-denoc.h5 first.h5 && run denoc lframe --frames 6 && cmp first.h5 lframe-denoc.h5 && echo "same bytes"
run denoc lframe && linkexport --to html lframe-denoc.h5 2>&1 >page.html | cut -d : -f 2-4
# Times that run backwards: 0.2 becomes 0.8 before 0.4.
LC_ALL=C sed 's/\(\x9a\x99\x99\x99\x99\x99\)\xc9\(\x3f\x9a\x99\x99\x99\x99\x99\xd9\x3f\)/\1\xe9\2/' first.h5 >back.h5
linkexport --to html back.h5 2>&1
echo "exit $?"

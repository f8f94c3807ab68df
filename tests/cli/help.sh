# --help keeps to 100 columns, cuts no word, and its example runs.
cp "$DATA/../../samples/beam.mnf" .
for tool in mnfparse reduce invariants correlate linkexport flexbatch frame; do
    $tool --help >$tool.txt || echo "exit $?"
    awk -v tool=$tool 'length > 100 { print tool ": " $0 }' $tool.txt
    # The texts of the options are the words of the manual page.
    $tool --help | sed -n '/^Options:/,/^Example:/p' | grep -o '[a-z]*' | sort -u >help.words
    $tool --man-options | sed 's/\\-/-/g; s/\\f[BIR]//g' | grep -o '[a-z]*' | sort -u >man.words
    comm -13 help.words man.words | grep -vE '^(a|short|TP|f|text)$' | sed "s/^/$tool lacks /"
    example=$(sed -n '/^Example:/,/^$/p' $tool.txt | sed -n 2p)
    sh -c "$example" >out 2>err && cat err && echo "$tool: done"
done
for f in body.h5 full.h5 cb.h5 link.h5 body.html beam.h5; do [ -s $f ] || echo "no $f"; done

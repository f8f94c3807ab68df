# Pages for a browser, opened in one: pictures that move, tables with the numbers of the stream as h5dump prints them, texts of
# files that stay texts, no error, no request. CI must have the browser.
if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
    [ -z "$CI" ] && skip "no chromium or nodejs"
    echo "CI wants chromium and nodejs (packages.txt, [test])"
    exit 1
fi
samples=$DATA/../../samples
numbers() { h5dump -m '%.17g' -y -w 1 -d "$2" "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }' | paste -sd, -; }
mnfparse "$samples/beam.mnf" | reduce --cb 18 | invariants >beam.h5 && linkexport --to html beam.h5 >beam.html
linkexport beam.h5 | linkexport --to html >record.html
# The title of a sample, in characters of four bytes each, becomes markup that would break out of the data, of a title and of an element;
# so would the name of its file.
evil='</script><script>top.bad=1</script>&<' file='<img src=x onerror=top.bad=1>.mnf'
cp "$samples/beam.mnf" "$file"
echo "$evil" | fold -w 1 | while IFS= read -r c; do printf '\000\000\000%s' "$c"; done | dd of="$file" bs=1 seek=4 conv=notrunc 2>/dev/null
mnfparse "$file" >evil.h5 && linkexport --to html evil.h5 | sed 's/"all_faces":20,/"all_faces":5000000,/' >evil.html
grep -c '<script' evil.html
# A full model, K and M without faces, is checked and damped; then against two reduced ones, one of them of a hostile name.
frame --shape lshape --elements 16 >full.h5
reduce --cb 18 --interface 1,17 --check --modal-damping 0.02 full.h5 | invariants >cb.h5 && linkexport --to html cb.h5 >cb.html
reduce --guyan 18 --masters 1,9,17 full.h5 >"<b>&amp;.h5"
correlate -n 18 full.h5 cb.h5 "<b>&amp;.h5" --html both.html --json both.json >/dev/null
correlate --frf 17.3:17.3,9.1:17.1 --frequencies 1,400,80 --loss-factor 0.01 full.h5 cb.h5 "<b>&amp;.h5" --html frf.html --json frf.json >/dev/null
check() { numbers cb.h5 /verdict/check | tr , '\n' | awk "NR % 2 == $1" | paste -sd, -; }
# Two modes of four nodes with stress, as a universal file: uniaxial 4 (and 0) at node 1, shear 3 at node 2; its largest displacement is 2.
{
    printf '    -1\n  2411\n'
    for k in '1 0 0 0' '2 1 0 0' '3 0 1 0' '4 0 0 1'; do
        set -- $k
        printf '%10d%10d%10d%10d\n%25.16E%25.16E%25.16E\n' "$1" 1 1 11 "$2" "$3" "$4"
    done
    printf '    -1\n'
    for m in 1 2; do
        for set in '2 8 3' '4 2 6'; do
            set -- $set
            printf '    -1\n    55\nNONE\nNONE\nNONE\nNONE\nNONE\n%10d%10d%10d%10d%10d%10d\n' 1 2 "$1" "$2" 2 "$3"
            printf '%10d%10d%10d%10d\n%13.5E%13.5E%13.5E%13.5E\n' 2 4 1 $m "${m}0" 1 0 0
            for k in 1 2 3 4; do
                printf '%10d\n' $k
                if [ "$3" = 3 ]; then
                    printf '%13.5E%13.5E%13.5E\n' $((k == m ? 2 : 0)) 0 $((k == 4 ? 1 : 0))
                else
                    printf '%13.5E%13.5E%13.5E%13.5E%13.5E%13.5E\n' $((k == 1 ? 8 - 4 * m : 0)) $((k == 2 ? 3 : 0)) 0 0 0 0
                fi
            done
            printf '    -1\n'
        done
    done
} >stress.unv
mnfparse -q stress.unv | linkexport --to html >stress.html
node "$DATA/../browser/pages.js" "{\"sample\": {\"file\": \"beam.html\", \"hz\": [$(numbers beam.h5 /reduced/frequency)],
    \"texts\": [\"beam, 20 linear elements, lumped mass\", \"reduce 0.1.0 --cb 18\", \"0.84823002 kg\", \"0.0710605\"]},
  \"bare record\": {\"file\": \"record.html\", \"hz\": [$(numbers beam.h5 /reduced/frequency)], \"texts\": [\"its connectors are drawn\"]},
  \"hostile texts\": {\"file\": \"evil.html\", \"texts\": [\"$evil\", \"mnfparse 0.1.0 $file\", \"Thinned for the screen: 20 of 5\\u2009000\\u2009000 faces\"]},
  \"checked\": {\"file\": \"cb.html\", \"hz\": [$(check 0)], \"full\": [$(check 1)], \"texts\": [\"No mode is missing\", \"of 18 frequencies\"]},
  \"correlation\": {\"file\": \"both.html\", \"json\": \"both.json\", \"texts\": [\"<b>&amp;.h5\"]},
  \"responses\": {\"file\": \"frf.html\", \"responses\": \"frf.json\", \"moves\": false, \"scripts\": 2, \"texts\": [\"<b>&amp;.h5\", \"loss factor 0.01\"]},
  \"poles\": {\"file\": \"cb.html\", \"texts\": [\"Poles\", \"Damped frequency\"]},
  \"stress\": {\"file\": \"stress.html\", \"hz\": [10, 20], \"moves\": false, \"stress\": [$(echo | awk '{ printf "%.12f", sqrt(27) / 2 }'), $(echo | awk '{ printf "%.12f", sqrt(27) / 2 }')]}}"

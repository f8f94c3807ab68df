# Thresholds decide the exit status; the page and the files are written all the same.
f="$DATA/../../samples/lshape.mnf"
mnfparse "$f" >full.h5
reduce --mdm 15 full.h5 >mdm.h5
reduce --cb 15 full.h5 >cb.h5
correlate full.h5 mdm.h5 --min-diagonal 0.9999 --nco --max-off 0.0001 >page
echo "exit $?"
correlate full.h5 cb.h5 --nco --min-diagonal 0.9 --json c.json --csv c.csv --svg c.svg >page
echo "exit $?, $(wc -l <c.csv) lines, $(grep -c '<path' c.svg | awk '{ print ($1 > 3) }'), $(grep -c '"pair"' c.json)"
correlate full.h5
echo "exit $?"
correlate full.h5 full.h5 --mac --partner 1 >page # the bounds of an option belong to it
echo "exit $?"
correlate full.h5 full.h5 --nco --max-off 0.001 >page
echo "exit $?"
correlate full.h5 mdm.h5 cb.h5 --h5 c.h5 | sed -n "/^summary/,\$p" | tee page
awk "length > 100" page
for d in 1/pair 2/NCO; do h5dump -H -d /correlation/$d c.h5 | grep DATASPACE | tr -d ' ' | head -1; done
h5dump -y -w 1 -m %.3f -d '/correlation/1/NCO[9,9;;1,2]' c.h5 | grep '^ *[01]\.' | tr -d ' \n'
echo

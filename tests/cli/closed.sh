# A descriptor that the caller left closed: messages never go into data, data never into nothing.
f="$DATA/../../samples/lshape.mnf"
mnfparse "$f" >a.h5
mnfparse -v "$f" >b.h5 2>&-
echo "exit $?"
cmp a.h5 b.h5 && echo same
reduce --cb 99 a.h5 >c.h5 2>&-
invariants c.h5 >d.h5 && echo sound
reduce --cb 99 --strict a.h5 >e.h5 2>&-
echo "exit $?, $(wc -c <e.h5) bytes"
mnfparse "$f" >&-
echo "exit $?"
mnfparse "$f" -o g.h5 >&- && cmp a.h5 g.h5 && echo same

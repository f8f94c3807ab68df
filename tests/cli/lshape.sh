# The L-shaped benchmark against its published numbers.
"$DATA/../../samples/lshape/table.sh" models >table || cat table
tail -1 table
ls models/*.h5 | grep -v reduced | tr '\n' ' '

# Messages that name the file, the line and the way out.
matrix() { printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 1 -1\n2 2 2\n3 3 %s\n' "$1"; }
matrix 1 >K.mtx
matrix 2 >M.mtx
# One line of a table that is none: by option and by name.
printf '1 1\n1 7\n2 1\n' >dofs.txt
printf '1 0 0 0\n2 0 0 x\n' >nodes.txt
mnfparse K.mtx M.mtx --dof-table dofs.txt; echo "exit $?"
mnfparse K.mtx M.mtx --dofs-per-node 3 --nodes nodes.txt; echo "exit $?"
printf '1 1\n2 1\n3 1\n4 1\n5 UX\n6 UW\n' >six.txt
mnfparse K.mtx M.mtx six.txt; echo "exit $?"
# What other programs alone can read is answered by how to get what can be read.
for f in job_X1.sim JOB.ODB file.full file.rst; do
    printf 'HK\0\0\0\0' >$f
    mnfparse $f; echo "exit $?"
done
printf 'DMI     KGG            0       6       2       0              30      30\n' >matpch.pch
mnfparse matpch.pch; echo "exit $?"
# Files named by the user that are no files to read.
: >empty.mtx
mnfparse empty.mtx; echo "exit $?"
mnfparse - </dev/null; echo "exit $?"

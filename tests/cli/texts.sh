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
# DMI cards do not say of which dofs their rows are.
printf 'DMI,K,0,6,2,0,,6,6\n' >matpch.pch
for j in 1 2 3 4 5 6; do printf 'DMI,K,%s,%s,2.\n' $j $j; done >>matpch.pch
printf 'GRID,7\nGRID,8,,1.\n' >two.bdf
mnfparse matpch.pch two.bdf; echo "exit $?"
# Of several superelements in a punch one is named.
for n in 101 102; do
    printf 'BEGIN SUPER=%s\nGRID,1,,%s.\nDMIG,KAAX,0,6,2,0\n' $n $n
    for c in 1 2 3; do printf 'DMIG,KAAX,1,%s,,1,%s,%s.\n' $c $c $n; done
done >super.pch
mnfparse super.pch; echo "exit $?"
mnfparse super.pch:103; echo "exit $?"
mnfparse -q super.pch:102 >super.h5; echo "exit $?"
mnfparse two.bdf:KGG; echo "exit $?"
mnfparse K.mtx:KGG; echo "exit $?"
# Files named by the user that are no files to read.
: >empty.mtx
mnfparse empty.mtx; echo "exit $?"
mnfparse - </dev/null; echo "exit $?"

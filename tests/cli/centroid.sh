# A frame without a place is at the centroid of its set's nodes, and -v says where: of the corners of a 4 by 2 rectangle at z = 0
# it is 2,1,0, hypot(2, 1) = 2.24 from each of them.
for m in K M; do
    { printf '%%%%MatrixMarket matrix coordinate real symmetric\n24 24 24\n'; for i in $(seq 24); do echo "$i $i 1"; done; } >$m.mtx
done
awk 'BEGIN { for (i = 0; i < 8; i++) print i + 1, i % 2 * 4, int(i / 2) % 2 * 2, int(i / 4) }' >nodes.txt
echo 1-4 >set
body() { mnfparse -v K.mtx M.mtx nodes.txt --dofs-per-node 3 "$@" -o body.h5 2>&1 | grep 'frame '; }
body --rigid HUB=1-4
body --average HUB=@set
body --rigid HUB=1-4@2,1,0.5

# What gzip has packed is read as it is: files, the standard input, what a deck includes, streams for --info.
printf '%s\n' '1,1, 1,1, 2.0' '1,2, 1,2, 2.0' '1,3, 1,3, 2.0' >job_STIF1.mtx
printf '%s\n' '1,1, 1,1, 1.0' '1,2, 1,2, 1.0' '1,3, 1,3, 1.0' >job_MASS1.mtx
printf '%s\n' '*NODE' '1, 0, 0, 0' >nodes.inc
printf '%s\n' '*INCLUDE, INPUT=nodes.inc.gz' >job.inp
mnfparse -q job_STIF1.mtx job_MASS1.mtx nodes.inc -o plain.h5
gzip job_STIF1.mtx job_MASS1.mtx nodes.inc
mnfparse -q job_STIF1.mtx.gz job_MASS1.mtx.gz job.inp -o packed.h5
for k in plain packed; do h5dump -d /full/K/x -d /nodes/xyz $k.h5 | sed 1d; done | sort | uniq -c | awk '$1 % 2'
gzip -c packed.h5 | mnfparse --info - | grep '^Nodes'
head -c 40 job_STIF1.mtx.gz | mnfparse - | wc -c

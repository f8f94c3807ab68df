# CalculiX makes solids of beams and shells: several rows are one node's then. The reference node of a *RIGID BODY is their
# interface, without a word; a set or a node of the shell is answered by the way there.
printf '%s\n' 1.1 1.1 1001.1 >job.dof
printf '%s\n' '1 1 1.0' '1 2 -1.0' '2 2 2.0' '2 3 -1.0' '3 3 1.0' >job.sti
printf '%s\n' '1 1 2.0' '2 2 2.0' '3 3 1.0' >job.mas
printf '%s\n' '*NODE' '1, 0, 0, 0' '1001, 1, 0, 0' '*NSET, NSET=TIP' 1 >job.inp
mnfparse --strict job.sti job.mas job.dof job.inp --interface 1001 | reduce --cb 3 -v 2>said >reduced.h5
grep -o 'Craig-Bampton: boundary 1, normal 2' said
for args in "--interface 1" "--interface tip" "--rigid 7=TIP@0,0,0" "--average 7=TIP@0,0,0"; do
    mnfparse $args job.sti job.mas job.dof job.inp | wc -c
done
# A mechanism names a node once, however many rows it has; what holds too little is said to be a hinge.
printf '%s\n' '1 1 1.0' '1 2 -1.0' '2 2 1.0' '3 3 0.0' >loose.sti
printf '%s\n' '1 1 0.2' '2 2 0.2' '3 3 1.0' >loose.mas
mnfparse -q loose.sti loose.mas job.dof job.inp --interface 1001 | reduce --mdm 3 2>&1 >loose.h5 | grep -o 'most of all move.*'
frame --elements 4 | reduce --cb 12 --fix 1:12346 --interface 5 | linkexport --to mbdyn | wc -c
# Labels that stand for several dofs, without places, are compared in their order.
mnfparse -q job.sti job.mas job.dof -o job.h5 && correlate -n 2 job.h5 job.h5 | sed -n 's/ *$//;1p'

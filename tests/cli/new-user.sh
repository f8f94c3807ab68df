# README's ten minutes, command by command: a clamped CalculiX beam becomes an MBDyn file, a free one moves with its frame.
# The files are read by a few lines of Python that know the format alone.
/usr/bin/python3 -c 'import scipy' 2>/dev/null || skip "no python3-scipy"
real=$FB_SHARED/data/abaqus
[ -f "$real/REFERENCE.txt" ] || skip "no exports of Abaqus and CalculiX in FB_SHARED"
cat >fem.py <<'END'
import re, sys, numpy as np, scipy.linalg as sl
group, now = {}, None
for line in open(sys.argv[1]):
    m = re.match(r'\*\* RECORD GROUP (\d+)', line)
    if m:
        now = group.setdefault(int(m[1]), [])
    elif now is not None and not line.startswith('**'):
        now += line.split()
nn, n = int(group[1][1]), int(group[1][2])
K, M, D = (np.array(group[k], float).reshape(n, n) for k in (10, 9, 13))
shape = np.array(group[8], float).reshape(n, nn, 6)
mass = np.array(group[11], float).reshape(nn, 6)
at = group[2].index(sys.argv[2])
print(n, 'coordinates, lowest', ' '.join('%.1f' % f for f in np.sqrt(sl.eigh(K, M, eigvals_only=True)[:4]) / 2 / np.pi), 'Hz')
print('mass %.4f kg, node %s at' % (mass[:, 0].sum(), sys.argv[2]), [float(group[k][at]) for k in (5, 6, 7)])
w2, V = sl.eigh(K, M)
zeta = np.diag(V.T @ D @ V) / 2 / np.sqrt(w2)
print('damping of the first two modes %.3f %.3f' % tuple(zeta[:2]))
END
for x in sti mas dof inp; do
    cp "$real"/10*/*_sto.$x job.$x
done
mnfparse job.sti job.mas job.dof job.inp --input-units SI --info >page.txt
grep -c 'K r, relative' page.txt
mnfparse job.sti job.mas job.dof job.inp --input-units SI --rigid 1001=TIP@0.5,0.01,0.015 >body.h5
reduce --cb 12 --orthonormalize --modal-damping 0.02 body.h5 >reduced.h5
invariants reduced.h5 | linkexport --to mbdyn >beam.fem
/usr/bin/python3 fem.py beam.fem 1001
for x in sti mas dof inp; do
    cp "$real"/14*/*_sto.$x job.$x
done
mnfparse job.sti job.mas job.dof job.inp --input-units SI --interface 1001,2001 >free.h5
reduce --cb 12 --fix 1001 --interface 2001 --orthonormalize --modal-damping 0.02 free.h5 | invariants | linkexport --to mbdyn --frame node:1001 >free.fem
/usr/bin/python3 fem.py free.fem 2001
# What stops newcomers, each with the way on.
mnfparse -q job.sti job.mas job.dof job.inp -o plain.h5
reduce --cb 12 plain.h5 | linkexport --to mbdyn
reduce --cb 18 plain.h5 --interface nset:ENDA | wc -c
reduce --cb 12 plain.h5 --interface 1001,2001 --fix 1 | wc -c
invariants plain.h5 | wc -c

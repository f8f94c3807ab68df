% SPDX-License-Identifier: GPL-3.0-or-later
% octave.m MODEL MODES ROOTS - the work of `reduce --method cb` in Octave: eigs about zero, backslash, T'KT. Prints
% "NAME SECONDS" for each phase; the eigenvalues go to ROOTS.
1;
function A = whole(g)
    n = numel(g.p) - 1;
    j = repelems(1:n, [1:n; diff(double(g.p(:)'))])';
    U = sparse(double(g.i(:)) + 1, j, g.x(:), n, n);
    A = U + triu(U, 1)';
end
arg = argv();
modes = str2double(arg{2});
t = tic;
s = load("-hdf5", arg{1});
K = whole(s.full.K);
M = whole(s.full.M);
b = double(s.interface.dof(:)) + 1;
i = setdiff(1:rows(K), b)';
Kii = K(i, i);
Mii = M(i, i);
Kib = full(K(i, b));
printf("read %.4g\n", toc(t));
t = tic;
opts.tol = 1e-12;
[Phi, D] = eigs(Kii, Mii, modes, 0, opts);
printf("modes %.4g\n", toc(t));
t = tic;
Psi = -(Kii \ Kib);
printf("constraint %.4g\n", toc(t));
t = tic;
T = zeros(rows(K), numel(b) + modes);
T(b, 1:numel(b)) = eye(numel(b));
T(i, :) = [Psi, Phi];
Kr = T' * (K * T);
Mr = T' * (M * T);
printf("reduce %.4g\n", toc(t));
f = fopen(arg{3}, "w");
fprintf(f, "%.17g\n", sort(diag(D)));
fclose(f);

# SPDX-License-Identifier: GPL-3.0-or-later
# small.sh [BODIES] - many small bodies: a round rod of 20 elements (21 nodes) as .mnf through the whole pipe, mnfparse |
# reduce | invariants | linkexport, BODIES times (1000): by flexbatch, which starts once, and as a pipe a body, one a processor at
# a time; and what each program takes of it alone, of which its start (--version). Fails where a record differs from the first.
# Tools and the generator `frame` are in PATH (make bench). Aim: 1000 bodies in 15 s of wall on two processors.
set -e
[ -x /usr/bin/time ] || { echo "small: wants GNU time (Debian package time)"; exit 1; }
bodies=${1:-1000} runs=40
frame --modal | reduce -q --cb 18 --interface 1,21 --orthonormalize | linkexport -q --to mnf -o body.mnf
OPENBLAS_NUM_THREADS=1 # a body a processor
export OPENBLAS_NUM_THREADS
tell() { # name
    awk -v what="$1" -v n="$bodies" -v p="$(nproc)" '{
        printf "  %s, %d bodies, %d processors: %.1f s, CPU %.1f s; %.1f ms and %.1f ms a body", what, n, p, $1, $2 + $3, 1e3 * $1 / n, 1e3 * ($2 + $3) / n
        if (p == 2) printf "; aim 15 ms: %s", ($1 / n <= 0.015) ? "met" : "missed"
        print "" }' took
}
seq "$bodies" | xargs mkdir -p
for k in $(seq "$bodies"); do ln -f body.mnf "$k/body.mnf"; done
seq -f '%.0f/body.mnf' "$bodies" | xargs -n "$bodies" /usr/bin/time -o took -f "%e %U %S" flexbatch \
    'mnfparse -q {} | reduce -q --cb 18 | invariants -q | linkexport -q -o {.}.h5'
tell flexbatch
seq "$bodies" | /usr/bin/time -o took -f "%e %U %S" xargs -P "$(nproc)" -I K sh -c \
    'mnfparse -q body.mnf | reduce -q --cb 18 | invariants -q | linkexport -q -o K.h5'
tell pipes
for k in $(seq "$bodies"); do
    cmp -s 1.h5 "$k.h5" && cmp -s 1.h5 "$k/body.h5" || { echo "  record $k differs from the first"; exit 1; }
done
each() { # command: CPU milliseconds of one run
    /usr/bin/time -o took -f "%U %S" sh -c "for k in \$(seq $runs); do $1; done >/dev/null" && awk -v n=$runs '{ printf "%.1f", 1e3 * ($1 + $2) / n }' took
}
mnfparse -q body.mnf -o a.h5
reduce -q --cb 18 a.h5 -o b.h5
invariants -q b.h5 -o c.h5
while read -r tool arguments; do
    echo "  $tool: $(each "$tool -q $arguments -o out.h5") ms of the processor, its start $(each "$tool --version") ms"
done <<END
mnfparse body.mnf
reduce --cb 18 a.h5
invariants b.h5
linkexport c.h5
END

# SPDX-License-Identifier: GPL-3.0-or-later
# verdict.awk - what all cases of results.tsv say together: ratios against the aims, and whether everything agrees.
# Fails where eigenvalues do not; never for a time.
BEGIN { FS = "\t" }
$18 == "ok" { work[$1, $5] = $11; memory[$1, $5] = $13; done++ }
$18 == "ok" && $5 != "flexbody" { compared++; if ($15 > worst) worst = $15 }
$18 == "ok" && ($14 < $4 || $15 >= 1e-8) { print "NOT EQUAL: " $1 ", " $5 ": " $14 " of " $4 " roots, differ by " $15; bad = 1 }
$18 == "ok" && $5 == "flexbody" && $17 > 0 && $2 >= 20000 {
    ratio = $13 / $17
    if (!low || ratio < low) low = ratio
    if (ratio > high) high = ratio
}
$18 ~ /^failed/ { print "FAILED: " $1 ", " $5 ": " $18; bad = 1 }
$18 ~ /^skipped/ { skipped++ }
function aim(kase, peers, wanted,    n, p, k, least, ratio, says) {
    n = split(peers, p, " ")
    for (k = 1; k <= n; k++)
        if (work[kase, p[k]] > 0 && (!least || work[kase, p[k]] < least))
            least = work[kase, p[k]]
    if (!least || !work[kase, "flexbody"])
        return
    ratio = least / work[kase, "flexbody"]
    says = (ratio >= wanted) ? "met" : "missed"
    printf "  %-16s %-26s %6.2f times flexbody's work, aim %s: %s\n", kase, peers, ratio, wanted, says
}
function most(kase, what, x, wanted, unit) {
    if (x > 0)
        printf "  %-16s %-26s %6.2f %s, aim %s: %s\n", kase, "flexbody, " what, x, unit, wanted, (x <= wanted) ? "met" : "missed"
}
END {
    print "== aims"
    n = split("hex20-27k hex20-100k hex20-320k", size, " ")
    for (k = 1; k <= n; k++) {
        aim(size[k], "slepc-cholmod slepc-mumps", size[k] == "hex20-100k" ? 5 : 3.5)
        aim(size[k], "plain", 4)
        aim(size[k], "octave", 15)
        aim(size[k], "calculix", 20)
    }
    aim("hex20-100k-18", "slepc-cholmod slepc-mumps", 2.2)
    aim("hex20-100k-18", "plain", 1.8)
    aim("hex20-320k-18", "plain", 1.8)
    most("hex20-100k-18", "memory", memory["hex20-100k-18", "flexbody"], 1.3, "GiB")
    most("hex20-100k", "memory", memory["hex20-100k", "flexbody"], 1.3, "GiB")
    most("hex20-320k", "memory", memory["hex20-320k", "flexbody"], 6, "GiB")
    most("hex20-900k-thin", "memory", memory["hex20-900k-thin", "flexbody"], 11, "GiB")
    most("hex20-900k-thin", "work", work["hex20-900k-thin", "flexbody"], 50, "s")
    if (high)
        printf "  memory: peak %.2f to %.2f of the forecast, aim 0.9 to 1.1: %s\n", low, high, (low >= 0.9 && high <= 1.1) ? "met" : "missed"
    printf "== %d comparisons with peers, eigenvalues differ by %.1e at most; %d runs skipped\n", compared, worst, skipped
    exit bad
}

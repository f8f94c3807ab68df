# SPDX-License-Identifier: GPL-3.0-or-later
# verdict.awk - what all cases of results.tsv say together: ratios against the aims, and whether everything agrees.
# Fails where eigenvalues do not; never for a time.
BEGIN { FS = "\t" }
$18 == "ok" { work[$1, $5] = $11; done++ }
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
END {
    print "== aims"
    n = split("hex20-27k hex20-100k hex20-320k", size, " ")
    for (k = 1; k <= n; k++) {
        aim(size[k], "slepc-cholmod slepc-mumps", 3)
        aim(size[k], "plain", 4)
        aim(size[k], "octave", 15)
        aim(size[k], "calculix", 20)
    }
    aim("hex20-100k-18", "plain", 1.8)
    aim("hex20-320k-18", "plain", 1.8)
    if (high)
        printf "  memory: peak %.2f to %.2f of the forecast, aim 0.9 to 1.1: %s\n", low, high, (low >= 0.9 && high <= 1.1) ? "met" : "missed"
    printf "== %d comparisons with peers, eigenvalues differ by %.1e at most; %d runs skipped\n", compared, worst, skipped
    exit bad
}

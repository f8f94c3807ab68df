# SPDX-License-Identifier: GPL-3.0-or-later
# table.awk - one case of results.tsv as a table; -v only=CASE. Ratios are to flexbody's line.
BEGIN {
    FS = "\t"
    printf "  %-14s %8s %8s %8s %8s %8s | %8s %8s %7s | %6s %6s %6s | %s\n", "s", "factor", "constr.", "modes", "reduce",
        "count", "work", "CPU", "GiB", "work", "CPU", "memory", "differ by"
}
function phase(x) { return x > 0 ? sprintf("%8.2f", x) : sprintf("%8s", "-") }
function ratio(x, y) { return y > 0 ? sprintf("%6.2f", x / y) : sprintf("%6s", "-") }
$1 == only && $18 != "ok" { printf "  %-14s %s\n", $5, $18; next }
$1 == only {
    if ($5 == "flexbody") { work = $11; cpu = $12; memory = $13 }
    differ = ($5 == "flexbody") ? "" : sprintf("%.1e", $15)
    lacks = ($14 < $4) ? " " $14 " of " $4 " roots" : ""
    wrong = ($14 < $4 || $15 >= 1e-8) ? " NOT EQUAL" : ""
    printf "  %-14s %s %s %s %s %s | %s %s %7.3f | %s %s %s | %s%s%s\n", $5, phase($6), phase($7), phase($8), phase($9),
        phase($10), phase($11), phase($12), $13, ratio($11, work), ratio($12, cpu), ratio($13, memory), differ, lacks, wrong
    if ($5 == "flexbody" && $17 > 0)
        printf "  %-14s %.3g GiB forecast, peak %.2f of it\n", "", $17, $13 / $17
}

# SPDX-License-Identifier: GPL-3.0-or-later
# plot.awk - work against dofs of the cases hex20-* of results.tsv with -v modes=N and 120 boundary dofs, as an SVG: both
# axes logarithmic, a line a program.
BEGIN {
    FS = "\t"
    left = 76; right = 700; top = 64; bottom = 500
    split("flexbody slepc-cholmod slepc-mumps scipy-cholmod plain scipy octave calculix", order, " ")
    split("#c2185b #1565c0 #00838f #6a1b9a #37474f #ef6c00 #558b2f #795548", ink, " ")
    name["flexbody"] = "flexbody"
    name["slepc-cholmod"] = "SLEPc, CHOLMOD"
    name["slepc-mumps"] = "SLEPc, MUMPS"
    name["scipy-cholmod"] = "scipy, CHOLMOD"
    name["plain"] = "C: ARPACK, CHOLMOD"
    name["scipy"] = "scipy, SuperLU"
    name["octave"] = "Octave"
    name["calculix"] = "CalculiX"
}
$1 ~ /^hex20-/ && $3 == 120 && $4 == modes && $18 == "ok" && $11 > 0 {
    k = ++count[$5]
    x[$5, k] = $2; y[$5, k] = $11
    if (!seen++) { x0 = x1 = $2; y0 = y1 = $11 }
    if ($2 < x0) x0 = $2
    if ($2 > x1) x1 = $2
    if ($11 < y0) y0 = $11
    if ($11 > y1) y1 = $11
}
function px(v) { return left + (right - left) * log(v / x0) / log(x1 / x0) }
function py(v) { return bottom - (bottom - top) * log(v / y0) / log(y1 / y0) }
function thousands(v) { return v >= 1e6 ? v / 1e6 " M" : v >= 1000 ? v / 1000 " k" : v "" }
# the nearest of 1, 2, 5 10^n at or below v, or at or above it
function round125(v, up,    d, m) {
    d = exp(log(10) * int(log(v) / log(10) + 100) - 100 * log(10))
    m = v / d
    if (up) return d * (m <= 1.0001 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10)
    return d * (m >= 4.9999 ? 5 : m >= 1.9999 ? 2 : 1)
}
function text(at, to, anchor, size, colour, what) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>\n", at, to, anchor, size,
        colour, what
}
function line(a, b, c, d, colour, width, dash) {
    printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n", a, b, c, d, colour,
        width, dash ? " stroke-dasharray=\"" dash "\"" : ""
}
function grid(    d, m, v, i) {
    for (d = 1e-3; d < 1e8; d *= 10)
        for (i = 1; i <= 5; i += i > 1 ? 3 : 1) {
            v = d * i
            if (v > x0 * 0.999 && v < x1 * 1.001) {
                line(px(v), top, px(v), bottom, i == 1 ? "#bbb" : "#e6e6e6", 1)
                text(px(v), bottom + 20, "middle", 13, "#444", thousands(v))
            }
            if (v > y0 * 0.999 && v < y1 * 1.001) {
                line(left, py(v), right, py(v), i == 1 ? "#bbb" : "#e6e6e6", 1)
                text(left - 8, py(v) + 4, "end", 13, "#444", v "")
            }
        }
    line(left, bottom, right, bottom, "#444", 1.2)
    line(left, top, left, bottom, "#444", 1.2)
}
function draw(p, colour,    k, path, w) {
    w = (p == "flexbody") ? 3.5 : 1.8
    for (k = 1; k <= count[p]; k++)
        path = path sprintf("%s%.1f,%.1f", k > 1 ? " " : "", px(x[p, k]), py(y[p, k]))
    printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\"/>\n", path, colour, w
    for (k = 1; k <= count[p]; k++)
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"/>\n", px(x[p, k]), py(y[p, k]), w + 1.2, colour
}
# Names stand in a column on the right, from the top by the height of the last point, at least 19 apart.
function labels(    n, i, j, k, p, t, at, used, s) {
    for (i = 1; i in order; i++)
        if (count[order[i]])
            s[++n] = i
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && last(s[j]) < last(s[j - 1]); j--) { t = s[j]; s[j] = s[j - 1]; s[j - 1] = t }
    for (i = 1; i <= n; i++) {
        at[i] = last(s[i])
        if (i > 1 && at[i] < at[i - 1] + 19) at[i] = at[i - 1] + 19
    }
    if (n && at[n] > bottom) at[n] = bottom
    for (i = n - 1; i > 0; i--)
        if (at[i] > at[i + 1] - 19) at[i] = at[i + 1] - 19
    for (i = 1; i <= n; i++) {
        p = order[s[i]]
        line(px(x[p, count[p]]) + 6, last(s[i]), right + 16, at[i], ink[s[i]], 0.8, "2,3")
        text(right + 20, at[i] + 4, "start", 14, ink[s[i]], name[p])
    }
}
function last(i) { return py(y[order[i], count[order[i]]]) }
END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 560\" width=\"900\" height=\"560\" " \
        "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">"
    print "<rect width=\"900\" height=\"560\" fill=\"white\"/>"
    text(left, 28, "start", 17, "#111", "Craig-Bampton reduction: " modes " modes, 120 boundary dofs")
    text(left, 48, "start", 13, "#444", "20-node hexahedra; seconds of one run, the same matrices and BLAS kernels for all")
    text((left + right) / 2, bottom + 46, "middle", 14, "#111", "dofs")
    printf "<text transform=\"translate(22,%d) rotate(-90)\" text-anchor=\"middle\" font-size=\"14\" fill=\"#111\">seconds</text>\n",
        (top + bottom) / 2
    if (seen) {
        x0 = round125(x0, 0); x1 = round125(x1, 1); y0 = round125(y0, 0); y1 = round125(y1, 1)
        grid()
        for (i = 1; i in order; i++)
            if (order[i] != "flexbody" && count[order[i]])
                draw(order[i], ink[i])
        if (count["flexbody"]) draw("flexbody", ink[1])
        labels()
    }
    print "</svg>"
}

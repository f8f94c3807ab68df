/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page.c - one self-contained web page: templates, texts and numbers within them. */
#include "page.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef FB_THREE_JS /* the makefile says where they are; for analysers, which assemble nothing */
#define FB_THREE_JS "/usr/share/javascript/three/three.min.js"
#define FB_ORBIT_JS "/usr/share/javascript/three/examples/js/controls/OrbitControls.js"
#endif
FB_EMBED(style, "lib/page/style.css");
FB_EMBED(licence, "lib/page/licence.html");
FB_EMBED(viewer, "lib/page/viewer.js");
FB_EMBED(three, FB_THREE_JS);
FB_EMBED(orbit, FB_ORBIT_JS);

/* Texts of decks may be in Latin-1: a byte that begins no character of UTF-8 is the one of its
 * number. */
void fb_put_html(fb_buf *o, const char *s)
{
    for (int n; *s; s += n ? n : 1) {
        n = fb_utf8(s);
        const int c = (unsigned char)*s;
        if (strchr("<>&\"'", c) || (!n && c >= 0x80))
            fb_put_text(o, "&#%d;", c);
        else
            fb_put_bytes(o, s, (size_t)(n ? n : 1));
    }
}

void fb_put_json(fb_buf *o, const char *s)
{
    fb_put_bytes(o, "\"", 1);
    for (int n; *s; s += n ? n : 1) {
        n = fb_utf8(s);
        if (!n || strchr("\"\\<>&", *s)) /* "</script>", "<!--" */
            fb_put_text(o, "\\u%04x", (unsigned)(unsigned char)*s);
        else
            fb_put_bytes(o, s, (size_t)n);
    }
    fb_put_bytes(o, "\"", 1);
}

void fb_put_json_real(fb_buf *o, double v)
{
    if (isfinite(v))
        fb_put_text(o, "%.12g", v);
    else
        fb_put_text(o, "null");
}

void fb_put_json_reals(fb_buf *o, const char *name, const double *v, int64_t n)
{
    if (!v)
        return;
    fb_put_text(o, ",\n\"%s\":[", name);
    for (int64_t k = 0; k < n; k++) {
        fb_put_text(o, k ? "," : "");
        fb_put_json_real(o, v[k]);
    }
    fb_put_text(o, "]");
}

/* The part of that name; those that are not known are the caller's. */
static int shared(fb_buf *o, const char *name, size_t n, const char *title)
{
    const struct {
        const char *name;
        fb_asset part;
    } parts[] = {{"style", FB_ASSET(style)},
                 {"three", FB_ASSET(three)},
                 {"orbit", FB_ASSET(orbit)},
                 {"viewer", FB_ASSET(viewer)},
                 {"licence", FB_ASSET(licence)}};
    if (n == 5 && !memcmp(name, "title", n)) {
        fb_put_html(o, title);
        return 1;
    }
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (strlen(parts[k].name) == n && !memcmp(parts[k].name, name, n)) {
            fb_put_bytes(o, parts[k].part.start, (size_t)(parts[k].part.end - parts[k].part.start));
            return 1;
        }
    return 0;
}

fb_asset fb_put_page(fb_buf *o, fb_asset t, const char *title)
{
    const char *from = t.start;
    for (const char *p = from; p + 4 <= t.end; p++) {
        if (memcmp(p, "{{", 2))
            continue;
        const char *name = p + 2, *q = name;
        while (q + 2 < t.end && memcmp(q, "}}", 2))
            q++;
        fb_put_bytes(o, from, (size_t)(p - from));
        from = q + 2;
        if (!shared(o, name, (size_t)(q - name), title))
            return (fb_asset){from, t.end};
        p = from - 1;
    }
    fb_put_bytes(o, from, (size_t)(t.end - from));
    return (fb_asset){t.end, t.end};
}

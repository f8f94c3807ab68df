/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keyword.c - keyword lines of decks. Names are the same in any case and with any blanks. */
#include "keyword.h"

/* Copies up to a comma, '=' (names only) or the line end; blanks go, but those within quotes or
 * within a value stay. 0: no room. */
static int word(const char **at, const char *end, char *out, size_t cap, int is_name)
{
    const char *p = fb_skip_blanks(*at, end);
    size_t n = 0;
    int quoted = 0;
    for (; p < end; p++) {
        if (*p == '"') {
            quoted = !quoted;
            continue;
        }
        if (!quoted && (*p == ',' || (is_name && *p == '=')))
            break;
        if (is_name && (*p == ' ' || *p == '\t'))
            continue;
        if (n + 1 >= cap)
            return 0;
        out[n++] = is_name && *p >= 'a' && *p <= 'z' ? (char)(*p - 32) : *p;
    }
    while (n && !quoted && (out[n - 1] == ' ' || out[n - 1] == '\t' || out[n - 1] == '\r'))
        n--;
    out[n] = 0;
    *at = p;
    return memchr(out, 0, n) == NULL;
}

fb_status fb_keyword_read(fb_lines *l, fb_keyword *k, fb_err *e)
{
    const char *p = l->p + 1, *end = fb_line_end(p, l->end);
    k->n = 0;
    if (!word(&p, end, k->name, sizeof k->name, 1))
        return fb_line_fail(e, l, l->p, "the keyword is too long");
    while (p < end && *p == ',') {
        p++;
        if (fb_at_line_end(p, end)) {
            if (end == l->end)
                break;
            l->p = end + 1; /* the comma at the end: the next line continues this one */
            p = fb_skip_blanks(l->p, l->end);
            end = fb_line_end(p, l->end);
            if (p < end && *p == '*')
                return fb_line_fail(
                    e, l, p,
                    "the keyword line above ends with a comma: more parameters are wanted");
        }
        if (k->n == FB_NPARAM)
            return fb_line_fail(e, l, l->p, "more than %d parameters", FB_NPARAM);
        k->p[k->n].value[0] = 0;
        if (!word(&p, end, k->p[k->n].name, sizeof k->p[0].name, 1))
            return fb_line_fail(e, l, p, "a parameter name is too long");
        if (p < end && *p == '=') {
            p++;
            if (!word(&p, end, k->p[k->n].value, FB_PARAM, 0))
                return fb_line_fail(e, l, p < l->end ? p : l->end - 1,
                                    "a parameter value is too long");
        }
        k->n += k->p[k->n].name[0] != 0;
    }
    l->p = end < l->end ? end + 1 : end;
    return FB_OK;
}

const char *fb_keyword_value(const fb_keyword *k, const char *name)
{
    for (int q = 0; q < k->n; q++)
        if (!strcmp(k->p[q].name, name))
            return k->p[q].value;
    return NULL;
}

int fb_keyword_is(const fb_keyword *k, const char *name)
{
    return !strcmp(k->name, name);
}

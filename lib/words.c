/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - words that were not understood, and options that the rows of a tool's table bring. */
#include "status.h"
#include "cli.h"
#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 32 }; /* no name of an option, format or method comes near */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Letters put in, left out, changed, or swapped with the neighbour (optimal string alignment), in
 * any case. */
int fb_word_distance(const char *a, const char *b)
{
    int row[3][LONGEST + 1];
    const int m = (int)strnlen(a, LONGEST), n = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= n; j++)
        row[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            const int p = tolower((unsigned char)a[i - 1]), q = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(now[j - 1], last[j]) + 1, last[j - 1] + (p != q));
            if (i > 1 && j > 1 && p == tolower((unsigned char)b[j - 2]) &&
                q == tolower((unsigned char)a[i - 2]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

/* Half of the letters must stay: what differs by more is another word. */
void fb_nearest(const char *word, const char *known, fb_guess *g)
{
    const int longer = (int)(strlen(word) > strlen(known) ? strlen(word) : strlen(known));
    const int d = fb_word_distance(word, known);
    if (longer <= LONGEST && 2 * d <= longer && (!g->word || d < g->distance)) {
        g->word = known;
        g->distance = d;
    }
}

const char *fb_meaning(const fb_meant *table, const char *word)
{
    for (; table->word; table++)
        if (!strcasecmp(table->word, word))
            return table->write;
    return NULL;
}

fb_status fb_unknown_word(const char *option, const char *word, const fb_guess *g,
                          const char *known, fb_err *e)
{
    if (g->word)
        return fb_fail(e, FB_EUSAGE, "unknown %s '%s': did you mean %s? Known are %s", option, word,
                       g->word, known);
    return fb_fail(e, FB_EUSAGE, "unknown %s '%s'; known are %s", option, word, known);
}

static int has(const fb_own *own, const char *name)
{
    for (; own && own->name; own++)
        if (!strcmp(own->name, name))
            return 1;
    return 0;
}

int fb_own_add(const fb_own *own, void *asked, fb_opt *opts, int n, int most)
{
    for (; own && own->name; own++) {
        int k = 0;
        while (k < n && strcmp(opts[k].name, own->name) != 0)
            k++;
        if (k < n)
            continue;
        assert(n + 1 < most); /* the tool's table is too short */
        opts[n++] = (fb_opt){.name = own->name,
                             .kind = own->kind,
                             .dest = (char *)asked + own->at,
                             .arg = own->arg,
                             .help = own->help};
    }
    return n;
}

const char *fb_own_stray(const fb_own *own, const fb_own *chosen, const void *asked)
{
    for (; own && own->name; own++) {
        const void *at = (const char *)asked + own->at;
        const int given =
            own->kind == FB_FLAG ? *(const int *)at != 0 : *(const char *const *)at != NULL;
        if (given && !has(chosen, own->name))
            return own->name;
    }
    return NULL;
}

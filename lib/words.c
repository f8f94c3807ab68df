/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - which of the words known is the one that was meant? */
#include "status.h"
#include "words.h"
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

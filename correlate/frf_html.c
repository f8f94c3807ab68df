/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frf_html.c - frequency responses as one page for a browser: the summary, the picture of frf_svg.c
 * and the numbers under the pointer. The page is correlate/frf.html. */
#include "page.h"
#include "response.h"

FB_EMBED(response_page, "correlate/frf.html");

void fb_frf_html(const fb_frf_set *s, fb_buf *o)
{
    const fb_asset page = FB_ASSET(response_page);
    fb_asset behind = fb_put_page(o, page, s->reference.name); /* up to {{picture}} */
    fb_frf_svg(s, o);
    behind = fb_put_page(o, behind, s->reference.name); /* {{data}} */
    fb_frf_json(s, o);
    fb_put_page(o, behind, s->reference.name);
}

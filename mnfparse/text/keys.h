/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys.h - numbers for dof labels: keys in the order of their first appearance, found by
 * hashing. */
#ifndef KEYS_H
#define KEYS_H
#include "status.h"

typedef struct {
    int64_t *key; /* [n] */
    int64_t n, cap, cap_next;
    int32_t *slot; /* [mask+1] 1 + position in key, 0: free */
    uint64_t mask;
    int32_t *next; /* [n] the key that followed this one before: a guess */
} fb_keys;

/* The number of the key, a new one where it has none. */
fb_status fb_keys_number(fb_keys *k, int64_t key, int32_t *number, fb_err *e) FB_CHECKED;
void fb_keys_free(fb_keys *k);

/* The same for the key that comes behind number `last`: columns of a mesh list their rows in
 * similar order. */
static inline fb_status fb_keys_behind(fb_keys *k, int32_t last, int64_t key, int32_t *number,
                                       fb_err *e)
{
    if (k->n && k->key[k->next[last]] == key) {
        *number = k->next[last];
        return FB_OK;
    }
    FB_PASS(fb_keys_number(k, key, number, e));
    k->next[last] = *number;
    return FB_OK;
}
#endif

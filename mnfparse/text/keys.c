/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys.c - numbers for dof labels, by a table with open places. */
#include "keys.h"
#include "memory.h"
#include <stdlib.h>

/* Keys of one node and its neighbours stand side by side: they are asked for behind each other. */
static inline uint64_t hash(int64_t key)
{
    uint64_t h = ((uint64_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
    return (h >> 32) * 16 + ((uint64_t)key & 15); /* low bits know only the factors' low bits */
}

static fb_status rehash(fb_keys *k, fb_err *e)
{
    uint64_t size = k->slot ? 2 * (k->mask + 1) : 1024;
    int32_t *slot = NULL;
    FB_PASS(fb_new(&slot, (int64_t)size, sizeof *slot, "dof labels", e));
    free(k->slot);
    k->slot = slot;
    k->mask = size - 1;
    for (int64_t q = 0; q < k->n; q++) {
        uint64_t at = hash(k->key[q]) & k->mask;
        while (slot[at])
            at = (at + 1) & k->mask;
        slot[at] = (int32_t)(q + 1);
    }
    return FB_OK;
}

fb_status fb_keys_number(fb_keys *k, int64_t key, int32_t *number, fb_err *e)
{
    if (2 * (uint64_t)k->n >= k->mask)
        FB_PASS(rehash(k, e));
    uint64_t at = hash(key) & k->mask;
    for (; k->slot[at]; at = (at + 1) & k->mask)
        if (k->key[k->slot[at] - 1] == key) {
            *number = k->slot[at] - 1;
            return FB_OK;
        }
    if (k->n == INT32_MAX - 1)
        return fb_fail(e, FB_EFORMAT, "more than %lld dofs", (long long)k->n);
    FB_PASS(fb_grow(&k->key, &k->cap, k->n + 1, sizeof *k->key, e));
    FB_PASS(fb_grow(&k->next, &k->cap_next, k->n + 1, sizeof *k->next, e));
    *number = (int32_t)k->n;
    k->next[k->n] = *number;
    k->key[k->n++] = key;
    k->slot[at] = (int32_t)k->n;
    return FB_OK;
}

void fb_keys_free(fb_keys *k)
{
    FB_FREE(k->key, k->next, k->slot);
    *k = (fb_keys){0};
}

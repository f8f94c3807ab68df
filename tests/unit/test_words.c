/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distance of words and what it takes to be the nearest. */
#include "flexbody.h"
#include <check.h>

Suite *suite_words(void);

START_TEST(test_distances)
{
    ck_assert_int_eq(fb_word_distance("", ""), 0);
    ck_assert_int_eq(fb_word_distance("", "cb"), 2);
    ck_assert_int_eq(fb_word_distance("modes", ""), 5);
    ck_assert_int_eq(fb_word_distance("modes", "modse"), 1);    /* swapped */
    ck_assert_int_eq(fb_word_distance("modes", "mode"), 1);     /* left out */
    ck_assert_int_eq(fb_word_distance("kitten", "sitting"), 3); /* Levenshtein's own example */
    ck_assert_int_eq(fb_word_distance("ca", "abc"), 3); /* 2 were the unrestricted distance */
    ck_assert_int_eq(fb_word_distance("CB", "cb"), 0);
}
END_TEST

START_TEST(test_nearest)
{
    static const char *const known[] = {"mass", "info", "format", "output", NULL};
    static const struct {
        const char *word, *want;
    } row[] = {{"from", "format"},   {"Masse", "mass"}, {"ouptut", "output"},
               {"frobnicate", NULL}, {"x", NULL},       {"", NULL}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_guess g = {0};
        for (int q = 0; known[q]; q++)
            fb_nearest(row[k].word, known[q], &g);
        if (row[k].want)
            ck_assert_str_eq(g.word, row[k].want);
        else
            ck_assert_ptr_null(g.word);
    }
}
END_TEST

/* Words longer than any name cost no more and are nobody's neighbours. */
START_TEST(test_long_words)
{
    char a[4096];
    fb_guess g = {0};
    for (size_t k = 0; k + 1 < sizeof a; k++)
        a[k] = 'x';
    a[sizeof a - 1] = 0;
    ck_assert_int_eq(fb_word_distance(a, a), 0);
    fb_nearest(a, a, &g);
    ck_assert_ptr_null(g.word);
}
END_TEST

START_TEST(test_meaning)
{
    static const fb_meant table[] = {{"fem", "--to mbdyn"}, {0}};
    ck_assert_str_eq(fb_meaning(table, "FEM"), "--to mbdyn");
    ck_assert_ptr_null(fb_meaning(table, "fe"));
}
END_TEST

Suite *suite_words(void)
{
    Suite *s = suite_create("words");
    TCase *t = tcase_create("words");
    tcase_add_test(t, test_distances);
    tcase_add_test(t, test_nearest);
    tcase_add_test(t, test_long_words);
    tcase_add_test(t, test_meaning);
    suite_add_tcase(s, t);
    return s;
}

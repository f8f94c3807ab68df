/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command of flexbatch: programs, words, quotes, places for the body's name, and what is
 * refused. */
#include "batch/command.h"
#include "flexbody.h"
#include <check.h>

Suite *suite_batch(void);

/* Words between commas, programs between bars. */
static void joined(const fb_command *c, char *out, size_t n)
{
    *out = 0;
    for (int k = 0; k < c->n; k++)
        for (int q = 0; q < c->stage[k].n; q++)
            snprintf(out + strlen(out), n - strlen(out), "%s%s",
                     q   ? ","
                     : k ? "|"
                         : "",
                     c->stage[k].word[q]);
}

/* What sh makes of the same words: printf '%s,' WORDS. */
START_TEST(test_words)
{
    static const char *const row[][2] = {
        {"mnfparse {}", "mnfparse,{}"},
        {" a  b\t|c\n d ", "a,b|c,d"},
        {"a|b|c", "a|b|c"},
        {"a 'b c' \"d | e\"", "a,b c,d | e"},
        {"a b' 'c\" \"d", "a,b c d"},
        {"a \\ b\\|\\' '\\'", "a, b|',\\"},
        {"a \"x\\\"y\\z\\\\\" '' \"\"", "a,x\"y\\z\\,,"},
        {"a '$HOME;<>&`' \\$x", "a,$HOME;<>&`,$x"},
        {"a \";<>&()\"", "a,;<>&()"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_command c;
        fb_err e = {0};
        char got[200];
        ck_assert_msg(fb_command_parse(row[k][0], &c, &e) == FB_OK, "%s: %s", row[k][0], e.msg);
        joined(&c, got, sizeof got);
        ck_assert_str_eq(got, row[k][1]);
        for (int q = 0; q < c.n; q++)
            ck_assert_ptr_null(c.stage[q].word[c.stage[q].n]);
        fb_command_free(&c);
    }
}
END_TEST

START_TEST(test_refusals)
{
    static const char *const row[][2] = {
        {"", "one at the least"},
        {"a |", "behind each |"},
        {"a || b", "before each |"},
        {"| b", "before each |"},
        {"a > b", "'>' means nothing"},
        {"a; b", "';' means nothing"},
        {"a & b", "'&' means nothing"},
        {"a $B", "'$' means nothing"},
        {"a \"$B\"", "'$' means nothing"},
        {"a `b`", "'`' means nothing"},
        {"a (b)", "'(' means nothing"},
        {"a 'b", "within a quotation"},
        {"a \"b'", "within a quotation"},
        {"a {//}", "the places for a body's name"},
        {"a x{1}", "the places for a body's name"},
        {"a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a", "more than 16 programs"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_command c;
        fb_err e = {0};
        ck_assert_msg(fb_command_parse(row[k][0], &c, &e) == FB_EUSAGE, "%s", row[k][0]);
        ck_assert_msg(strstr(e.msg, row[k][1]) != NULL, "%s: %s", row[k][0], e.msg);
    }
}
END_TEST

/* As GNU parallel's manual has {}, {.}, {/} and {/.}. */
START_TEST(test_places)
{
    static const char *const row[][3] = {
        {"{}", "a b/c.d.mnf", "a b/c.d.mnf"},
        {"{.}.h5", "a b/c.d.mnf", "a b/c.d.h5"},
        {"out/{/}", "a b/c.d.mnf", "out/c.d.mnf"},
        {"{/.}", "a b/c.d.mnf", "c.d"},
        {"x{}y{/}z", "p/q", "xp/qyqz"},
        {"{.}", "a.b/c", "a.b/c"},   /* the folder's ending is not the file's */
        {"{.}", "a.b/.c", "a.b/.c"}, /* a hidden file has none */
        {"{/.}", "/.c.d", ".c"},
        {"{", "f", "{"},
        {"{}{", "{}", "{}{"}, /* a name is not read again */
        {"none", "f", "none"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char *got = NULL;
        fb_err e = {0};
        ck_assert_int_eq(fb_word_fill(row[k][0], row[k][1], &got, &e), FB_OK);
        ck_assert_str_eq(got, row[k][2]);
        free(got);
    }
}
END_TEST

START_TEST(test_fill)
{
    fb_command c, f;
    fb_err e = {0};
    char got[200];
    ck_assert_int_eq(fb_command_parse("a {} '' | b -o {.}.h5", &c, &e), FB_OK);
    ck_assert_int_eq(fb_words_vary(c.stage), 1);
    ck_assert_int_eq(fb_command_fill(&c, "x y.mnf", &f, &e), FB_OK);
    ck_assert_int_eq(fb_words_vary(f.stage), 0);
    joined(&f, got, sizeof got);
    ck_assert_str_eq(got, "a,x y.mnf,|b,-o,x y.h5");
    fb_command_free(&f);
    fb_command_free(&c);
}
END_TEST

START_TEST(test_every_allocation_fails_once)
{
    fb_status s = FB_ESYS;
    for (long k = 0; s && k < 200; k++) {
        fb_command c = {0}, f = {0};
        fb_err e = {0};
        fb_alloc_fail_after = k;
        s = fb_command_parse("a 'b c' {} | d {.}", &c, &e);
        if (!s)
            s = fb_command_fill(&c, "body.mnf", &f, &e);
        fb_alloc_fail_after = -1;
        ck_assert_msg(s == FB_OK || s == FB_ESYS, "%ld: %s", k, e.msg);
        fb_command_free(&f);
        fb_command_free(&c);
    }
    ck_assert_int_eq(s, FB_OK);
}
END_TEST

Suite *suite_batch(void)
{
    Suite *s = suite_create("batch");
    TCase *t = tcase_create("command");
    tcase_add_test(t, test_words);
    tcase_add_test(t, test_refusals);
    tcase_add_test(t, test_places);
    tcase_add_test(t, test_fill);
    tcase_add_test(t, test_every_allocation_fails_once);
    suite_add_tcase(s, t);
    return s;
}

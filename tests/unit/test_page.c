/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_page.c - parts of pages for a browser: texts, base64, pictures, sentences; modes of a body.
 * What a browser makes of them: tests/cli/page.sh. */
#include "page.h"
#include "sentences.h"
#include "export/body.h"
#include "../suites.h"
#include <math.h>

static char *text_of(fb_buf *o)
{
    fb_put_bytes(o, "", 1);
    ck_assert_int_eq(o->failed, 0);
    return (char *)o->data;
}

/* The seven vectors of RFC 4648, section 10, and more than a block of the writer. */
START_TEST(base64_is_that_of_the_rfc)
{
    static const char *const vector[7][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"}};
    for (int k = 0; k < 7; k++) {
        fb_buf o = {0};
        fb_put_base64(&o, vector[k][0], strlen(vector[k][0]));
        ck_assert_str_eq(text_of(&o), vector[k][1]);
        fb_buf_free(&o);
    }
    enum { N = 3 * 5000 };
    static unsigned char zero[N];
    fb_buf o = {0};
    fb_put_base64(&o, zero, N);
    ck_assert_int_eq(strspn(text_of(&o), "A"), 4 * 5000);
    fb_buf_free(&o);
}
END_TEST

/* Nothing in a string of JSON may end the element that holds it, or begin a comment. */
START_TEST(texts_cannot_leave_their_place)
{
    fb_buf o = {0};
    fb_put_json(&o, "</script><!-- \"\\\n\x7f & \xc3\xbc");
    ck_assert_str_eq(
        text_of(&o),
        "\"\\u003c/script\\u003e\\u003c!-- \\u0022\\u005c\\u000a\\u007f \\u0026 \xc3\xbc\"");
    fb_buf_free(&o);
    fb_put_html(&o, "<b>&\"'x");
    ck_assert_str_eq(text_of(&o), "&#60;b&#62;&#38;&#34;&#39;x");
    fb_buf_free(&o);
    fb_put_json(&o, "Tr\xe4ger \xc3\xa4 \xe2\x82\xac \xe2\x82"); /* Latin-1 beside UTF-8, one cut */
    ck_assert_str_eq(text_of(&o), "\"Tr\\u00e4ger \xc3\xa4 \xe2\x82\xac \\u00e2\\u0082\"");
    fb_buf_free(&o);
    fb_put_html(&o, "Tr\xe4ger \xc3\xa4 \xe2\x82\xac\xff");
    ck_assert_str_eq(text_of(&o), "Tr&#228;ger \xc3\xa4 \xe2\x82\xac&#255;");
    fb_buf_free(&o);
    fb_put_json_reals(&o, "v", (double[]){1, NAN, -HUGE_VAL, 0.1}, 4);
    ck_assert_str_eq(text_of(&o), ",\n\"v\":[1,null,null,0.1]");
    fb_buf_free(&o);
}
END_TEST

START_TEST(templates_are_filled)
{
    static const char t[] = "<title>{{title}}</title>{{data}}-{{title}}-";
    fb_buf o = {0};
    fb_asset rest = fb_put_page(&o, (fb_asset){t, t + strlen(t)}, "a<b");
    fb_put_text(&o, "{}");
    rest = fb_put_page(&o, rest, "c");
    ck_assert_ptr_eq(rest.start, rest.end);
    ck_assert_str_eq(text_of(&o), "<title>a&#60;b</title>{}-c-");
    fb_buf_free(&o);
    static const char licence[] = "{{licence}}";
    fb_put_page(&o, (fb_asset){licence, licence + strlen(licence)}, "");
    ck_assert_ptr_nonnull(strstr(text_of(&o), "three.js authors"));
    fb_buf_free(&o);
}
END_TEST

/* ---- pictures ----------------------------------------------------------------------------- */

enum { SIDE = 100, NODES = (SIDE + 1) * (SIDE + 1), LOOSE = 3 };

typedef struct {
    double xyz[3 * (NODES + LOOSE)];
    int64_t offset[SIDE * SIDE + 1], index[4 * SIDE * SIDE];
} plate;

/* A plate of 2 by 1 with SIDE^2 quads, and nodes that belong to none. */
static fb_surface make_plate(plate *p)
{
    for (int64_t k = 0; k < NODES; k++) {
        p->xyz[3 * k] = 10 + 2.0 * (double)(k / (SIDE + 1)) / SIDE;
        p->xyz[3 * k + 1] = (double)(k % (SIDE + 1)) / SIDE;
        p->xyz[3 * k + 2] = -5;
    }
    for (int64_t k = NODES; k < NODES + LOOSE; k++)
        p->xyz[3 * k] = 11, p->xyz[3 * k + 1] = 0.5, p->xyz[3 * k + 2] = -5;
    for (int64_t f = 0; f < SIDE * SIDE; f++) {
        int64_t a = f / SIDE * (SIDE + 1) + f % SIDE, *c = p->index + 4 * f;
        p->offset[f + 1] = 4 * (f + 1);
        c[0] = a, c[1] = a + SIDE + 1, c[2] = a + SIDE + 2, c[3] = a + 1;
    }
    return (fb_surface){.nn = NODES + LOOSE,
                        .nf = SIDE * SIDE,
                        .xyz = p->xyz,
                        .offset = p->offset,
                        .index = p->index};
}

START_TEST(nodes_without_a_face_are_left_out)
{
    static plate p;
    fb_surface f = make_plate(&p);
    const int64_t also[2] = {NODES + 1, -1};
    fb_picture g = {0};
    fb_err e;
    f.nalso = 2;
    f.also = also;
    ck_assert_int_eq(fb_picture_new(&f, 200000, &g, &e), FB_OK);
    ck_assert_int_eq(g.n, NODES + 1);
    ck_assert_int_eq(g.all_points, NODES + 1);
    ck_assert_int_eq(g.nf, SIDE * SIDE);
    ck_assert_int_eq(g.node[g.also[0]], NODES + 1);
    ck_assert_int_eq(g.also[1], -1);
    ck_assert_int_eq(g.offset[g.nf], 4 * SIDE * SIDE);
    ck_assert_double_eq_tol(g.half, 1, 1e-12);
    ck_assert_double_eq_tol(g.center[0], 11, 1e-12);
    fb_picture_free(&g);
    f.offset = NULL; /* then every node is a point */
    f.nf = 0;
    ck_assert_int_eq(fb_picture_new(&f, 200000, &g, &e), FB_OK);
    ck_assert_int_eq(g.n, NODES + LOOSE);
    ck_assert_int_eq(g.nf, 0);
    fb_picture_free(&g);
}
END_TEST

/* Thinned: few enough, not far fewer, faces between nodes of the body, and as large as before: area
 * 2 but for a strip of a cell along the edges. */
START_TEST(many_faces_are_thinned)
{
    static plate p;
    const fb_surface f = make_plate(&p);
    fb_picture g = {0};
    fb_err e;
    double area = 0;
    ck_assert_int_eq(fb_picture_new(&f, 1000, &g, &e), FB_OK);
    ck_assert_int_le(g.nf, 1000);
    ck_assert_int_ge(g.nf, 300);
    ck_assert_int_eq(g.all_faces, SIDE * SIDE);
    for (int64_t k = 0; k < g.nf; k++) {
        const int64_t *c = g.index + g.offset[k], n = g.offset[k + 1] - g.offset[k];
        double a = 0;
        ck_assert_int_ge(n, 3);
        for (int64_t i = 0; i < n; i++) {
            ck_assert_int_lt(c[i], g.n);
            const double *u = f.xyz + 3 * g.node[c[i]], *v = f.xyz + 3 * g.node[c[(i + 1) % n]];
            a += (u[0] * v[1] - u[1] * v[0]) / 2;
        }
        area += fabs(a);
    }
    ck_assert_double_gt(area, 1.7);
    ck_assert_double_lt(area, 2 + 1e-9);
    fb_picture_free(&g);
}
END_TEST

static int16_t sixteen(const char *base64, int64_t k)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char byte[2];
    for (int64_t q = 0; q < 2; q++) {
        const int64_t at = 2 * k + q, bit = 8 * at;
        const unsigned two = (unsigned)(strchr(letter, base64[bit / 6]) - letter) << 6 |
                             (unsigned)(strchr(letter, base64[bit / 6 + 1]) - letter);
        byte[q] = (unsigned char)(two >> (4 - bit % 6));
    }
    return (int16_t)(byte[0] | byte[1] << 8);
}

/* (PI.1), (PI.2): half a step of 1/32767. */
START_TEST(positions_and_shapes_keep_16_bits)
{
    static plate p;
    const fb_surface f = make_plate(&p);
    static double u[6 * (NODES + LOOSE)];
    fb_picture g = {0};
    fb_buf o = {0}, w = {0};
    fb_err e;
    for (int64_t k = 0; k < NODES; k++)
        u[6 * k + 2] = -0.25 * p.xyz[3 * k + 1];
    ck_assert_int_eq(fb_picture_new(&f, 200000, &g, &e), FB_OK);
    fb_put_picture(&o, &g, f.xyz);
    const char *xyz = strstr(text_of(&o), "\"xyz\":\"") + 7;
    for (int64_t k = 0; k < 3 * g.n; k++)
        ck_assert_double_eq_tol(g.center[k % 3] + g.half * sixteen(xyz, k) / 32767,
                                f.xyz[3 * g.node[k / 3] + k % 3], 0.501 * g.half / 32767);
    fb_put_shape(&w, &g, u, 6);
    const char *shape = strstr(text_of(&w), "\"shape\":\"") + 9;
    ck_assert_ptr_nonnull(strstr((char *)w.data, "\"most\":0.25,"));
    for (int64_t k = 0; k < 3 * g.n; k++)
        ck_assert_double_eq_tol(0.25 * sixteen(shape, k) / 32767, u[6 * g.node[k / 3] + k % 3],
                                0.501 * 0.25 / 32767);
    fb_buf_free(&o);
    fb_buf_free(&w);
    fb_picture_free(&g);
}
END_TEST

START_TEST(pictures_survive_a_lack_of_memory)
{
    static plate p;
    const fb_surface f = make_plate(&p);
    fb_picture g = {0};
    fb_err e;
    long k = 0;
    for (fb_status s = FB_ESYS; s; k++) {
        fb_alloc_fail_after = k;
        s = fb_picture_new(&f, 1000, &g, &e);
        fb_alloc_fail_after = -1;
        if (s)
            ck_assert_int_eq(s, FB_ESYS);
        ck_assert(s ? !g.node : g.node != NULL);
    }
    ck_assert_int_ge(k, 6);
    fb_picture_free(&g);
}
END_TEST

/* ---- modes, sentences --------------------------------------------------------------------- */

/* Two masses of 1 between springs of 1: w^2 = 1, 3. D = a M + c K: zeta = a / (2 w) + c w / 2. */
START_TEST(modes_of_two_masses)
{
    double K[4] = {2, -1, -1, 2}, M[4] = {1, 0, 0, 1}, D[4], T[4] = {1, 0, 0, 1};
    const double a = 0.04, c = 0.02;
    fb_model b = {.nr = 2, .ndof = 2, .Kr = K, .Mr = M, .Dr = D, .T = T};
    fb_modal m = {0};
    fb_err e;
    fb_units_unnamed(&b.units);
    for (int k = 0; k < 4; k++)
        D[k] = a * M[k] + c * K[k];
    ck_assert_int_eq(fb_modal_new(&b, &m, &e), FB_OK);
    ck_assert_int_eq(m.n, 2);
    for (int k = 0; k < 2; k++) {
        const double w = sqrt(1 + 2 * k);
        ck_assert_double_eq_tol(m.hz[k], w / 6.283185307179586, 1e-14);
        ck_assert_double_eq_tol(m.zeta[k], a / (2 * w) + c * w / 2, 1e-14);
        ck_assert_double_eq_tol(m.X.x[2 * k + 1] / m.X.x[2 * k], k ? -1 : 1, 1e-14);
    }
    fb_modal_free(&m);
}
END_TEST

static const fb_sentence *with(const fb_sentence *t, int n, const char *word)
{
    for (int k = 0; k < n; k++)
        if (strstr(t[k].say, word))
            return t + k;
    return NULL;
}

START_TEST(sentences_follow_the_numbers)
{
    double definite[3] = {0.5, 0, 1e-20}, step[1] = {0.001}, frequency[2] = {0, 100},
           check[4] = {0, 0, 100, 103};
    double deflection[1] = {0.02}, composite[4] = {0.1, 0.1, -0.1, -0.2},
           mass[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, moved[9];
    double full[3] = {1e-12, 1e-12, 1e-12}, strain[3] = {1e-12, 1e-3, 1e-12};
    int64_t sturm[2] = {3, 3};
    fb_sentence t[FB_NSENTENCE];
    fb_model b = {.nr = 2, .nrigid = 3, .ncheck = 2};
    fb_units_unnamed(&b.units);
    ck_assert_int_eq(fb_sentences(&b, t), 1);
    ck_assert_int_eq(t[0].grade, FB_LOOK);
    ck_assert_ptr_nonnull(strstr(t[0].say, "not been through reduce"));
    memcpy(moved, mass, sizeof moved);
    moved[4] = 1.8;
    b.v_definite = definite, b.v_step = step, b.frequency = frequency, b.v_check = check,
    b.v_deflection = deflection;
    b.v_composite = composite, b.v_mass_full = mass, b.v_mass_reduced = moved, b.v_sturm = sturm;
    b.v_rigid_full = full, b.v_rigid_reduced = strain;
    const int n = fb_sentences(&b, t);
    ck_assert_int_eq(n, 7);
    ck_assert_ptr_nonnull(with(t, n, "The first 1 of 2 frequencies"));
    ck_assert_int_eq(with(t, n, "moves 90 % of the mass in y")->grade, FB_LOOK);
    ck_assert_int_eq(with(t, n, "resists rigid motion, the full one does not")->grade, FB_BAD);
    ck_assert_int_eq(with(t, n, "No mode is missing")->grade, FB_GOOD);
    ck_assert_int_eq(with(t, n, "deflections up to 2 %")->grade, FB_LOOK);
    sturm[0] = 4;
    definite[0] = -1e-3;
    definite[1] = 1;
    const int more = fb_sentences(&b, t);
    ck_assert_int_eq(more, 8);
    ck_assert_int_eq(with(t, more, "4 modes lie below")->grade, FB_BAD);
    ck_assert_int_eq(with(t, more, "not positive definite")->grade, FB_BAD);
    ck_assert_int_eq(with(t, more, "1 negative direction:")->grade, FB_LOOK);
}
END_TEST

Suite *suite_page(void)
{
    Suite *s = suite_create("page");
    TCase *t = tcase_create("page");
    tcase_add_test(t, base64_is_that_of_the_rfc);
    tcase_add_test(t, texts_cannot_leave_their_place);
    tcase_add_test(t, templates_are_filled);
    tcase_add_test(t, nodes_without_a_face_are_left_out);
    tcase_add_test(t, many_faces_are_thinned);
    tcase_add_test(t, positions_and_shapes_keep_16_bits);
    tcase_add_test(t, pictures_survive_a_lack_of_memory);
    tcase_add_test(t, modes_of_two_masses);
    tcase_add_test(t, sentences_follow_the_numbers);
    suite_add_tcase(s, t);
    return s;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define TOOL "mnfparse/main.c"
#define INPUTS \
    {"K", "tests/fuzz/corpus/mm/spring.mtx"}, {"deck", "tests/fuzz/corpus/inp/deck.inp"}, \
        {"body", "tests/fuzz/corpus/mnf/rod.mnf"}, {"n", "tests/fuzz/corpus/table/nodes.csv"}, \
        {"t", "tests/fuzz/corpus/table/dofs.txt"}
#define FIXED "body"
#include "cli_target.h"

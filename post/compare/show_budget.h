/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the result of budgets as text, JSON, CSV. */
#ifndef POST_SHOW_BUDGET_H
#define POST_SHOW_BUDGET_H

#include "compare/budget.h"
#include "compare/compare.h"

/* Text: the broken lines; with -verbose all. Returns 0 or -errno. */
int show_budget(const struct compare *c, const struct budget *b, FILE *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a budget, and folded stacks behind a NUL, which it judges. What is made of them holds:
 * parts sum to the whole, and a new budget is read again and is kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/budget.h"
#include "compare/folded_read.h"
#include "fuzz.h"

static void new_budget(const struct comparison *c)
{
	struct functions_compared f;
	struct budget b = { NULL };
	char what[128], *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	uint32_t line;

	if (!out)
		return;
	if (!comparison_functions(c, &f) && !budget_write(c, &f, 0, true, out) && !fflush(out) &&
	    size < BUDGET_BYTES && c->names <= BUDGET_LINES) {
		int rc = budget_read(&b, text, size, &line, what);

		if (rc == -EINVAL || (!rc && budget_judge(&b, c, NULL, false, true)))
			abort();
		for (uint32_t i = 0; !rc && i < b.count; i++) {
			if (!b.list[i].matched)
				abort();
		}
	}
	budget_free(&b);
	functions_compared_free(&f);
	fclose(out);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
	size_t length = nul ? (size_t)(nul - data) : size;
	struct comparison c = { .inputs = 2 };
	struct pifile_fault fault;
	struct budget b;
	char what[128];
	uint32_t line, i;
	int rc = 0, bad;

	folded_probe(data, size);
	bad = budget_read(&b, (const char *)data, length, &line, what);
	if (bad == -EINVAL && !*what)
		abort();
	for (i = 0; nul && i < 2 && !rc; i++)
		rc = folded_text(&c, i, size & 1 ? BY_PROCESS : BY_PATH, (const char *)nul + 1,
				 size - length - 1, &fault);
	if (nul && !rc && !comparison_finish(&c)) {
		for (i = 0; !bad && i < b.count; i++)
			(void)budget_judge(&b, &c, b.list[i].event, size & 2, size & 4);
		if (c.input[0].total != c.input[1].total)
			abort();
		new_budget(&c);
	}
	budget_free(&b);
	comparison_free(&c);
	return 0;
}

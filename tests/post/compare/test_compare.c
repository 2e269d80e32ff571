/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comparisons: tests against sums over all cases, corrections against worked ones; two runs of one
 * program differ in no line, a slower function is found; trees against what can be added by hand;
 * budgets.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/budget.h"
#include "compare/chance.h"
#include "compare/difference.h"
#include "compare/folded_read.h"
#include "unit.h"
#include "xorshift.h"

static uint64_t state = 88172645463325252ull;

/* From 0 to below 1. */
static double draw(void)
{
	return (double)(xorshift(&state) >> 11) / 9007199254740992.0;
}

/* ---- chance ---------------------------------------------------------------------------------- */

static double choose(unsigned int n, unsigned int k)
{
	double c = 1;

	for (unsigned int i = 1; i <= k; i++)
		c = c * (n - k + i) / i;
	return c;
}

/* Twice the smaller of both tails, each of them whole. */
static double slow(unsigned int a, unsigned int all_a, unsigned int b, unsigned int all_b)
{
	double low = 0, high = 0, p, all = 0;

	for (unsigned int k = 0; k <= a + b; k++) {
		if (all_a && (k > all_a || a + b - k > all_b))
			continue;
		p = all_a ? choose(all_a, k) * choose(all_b, a + b - k) : choose(a + b, k);
		all += p;
		low += k <= a ? p : 0;
		high += k >= a ? p : 0;
	}
	p = 2 * (low < high ? low : high) / all;
	return p < 1 ? p : 1;
}

static void chances_are_exact(void)
{
	unsigned int a, b, wrong = 0;

	for (a = 0; a <= 40; a++) {
		for (b = 0; b <= 40; b++) {
			wrong += fabs(chance_of_counts(a, b) - slow(a, 0, b, 0)) > 1e-9;
			wrong += fabs(chance_of_parts(a, 40, b, 60) - slow(a, 40, b, 60)) > 1e-9;
			wrong += fabs(chance_of_parts(a, 400, b, 50) - slow(a, 400, b, 50)) > 1e-9;
			/* None has less than the least. */
			wrong += chance_of_counts(a, b) <
				 chance_least_of_counts(a + b) * (1 - 1e-9);
			wrong += chance_of_parts(a, 40, b, 60) <
				 chance_least_of_parts(a + b, 40, 60) * (1 - 1e-9);
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_DOUBLE_EQUAL(chance_of_counts(0, 10), 2.0 / 1024, 1e-12);
	/* Many: as the normal distribution has it. 3 standard errors: 0.0027. */
	CU_ASSERT_DOUBLE_EQUAL(chance_of_counts(1000000, 1004248), 0.0027, 0.0001);
	CU_ASSERT_DOUBLE_EQUAL(chance_of_parts(500000, 1000000, 502121, 1000000), 0.0027, 0.0001);
	CU_ASSERT(chance_of_counts(0, 1000000) < 1e-300);
	CU_ASSERT(chance_of_counts(1ull << 40, (1ull << 40) + 10) > 0.9);
}

static void corrections(void)
{
	struct chance c[] = { { 0, .p = 0.01 },
			      { 0, .p = 0.04 },
			      { 0, .p = 0.03 },
			      { 0, .p = 0.005 } };
	struct chance few[] = { { .least = 1, .p = 1 },
				{ .least = 0.5, .p = 0.5 },
				{ .least = 0.001, .p = 0.04 } };

	CU_ASSERT_EQUAL(chance_correct(c, 4, 0.05), 0);
	CU_ASSERT_DOUBLE_EQUAL(c[0].adjusted, 0.03, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(c[1].adjusted, 0.06, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(c[2].adjusted, 0.06, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(c[3].adjusted, 0.02, 1e-12);
	/* Lines that can never be significant do not affect the correction of the third one. */
	CU_ASSERT_EQUAL(chance_correct(few, 3, 0.05), 0);
	CU_ASSERT(!few[0].tested && !few[1].tested && few[2].tested);
	CU_ASSERT_DOUBLE_EQUAL(few[2].adjusted, 0.04, 1e-12);
	CU_ASSERT_EQUAL(chance_correct(NULL, 0, 0.05), 0);
}

/* ---- two runs -------------------------------------------------------------------------------- */

#define FUNCTIONS 300

/* A call tree of functions: a function's caller has a smaller number. The part of time of each. */
static uint32_t caller[FUNCTIONS];
static double part[FUNCTIONS];

static void make_program(void)
{
	double all = 0;
	int i;

	for (i = 0; i < FUNCTIONS; i++) {
		caller[i] = i ? (uint32_t)(draw() * i) : 0;
		part[i] = 1 / (1 + 300 * draw() * draw());
		all += part[i];
	}
	for (i = 0; i < FUNCTIONS; i++)
		part[i] /= all;
}

static int64_t poisson(double mean)
{
	double x;

	if (mean < 30) {
		double limit = exp(-mean), product = draw();
		int64_t n = 0;

		for (; product > limit; n++)
			product *= draw();
		return n;
	}
	/* The sum of twelve is normal enough for these numbers. */
	x = -6;
	for (int i = 0; i < 12; i++)
		x += draw();
	x = mean + sqrt(mean) * x;
	return x > 0 ? (int64_t)(x + 0.5) : 0;
}

static void run(struct comparison *c, uint32_t input, double samples, uint32_t slower, double by)
{
	uint32_t node[FUNCTIONS], name;
	char text[16];

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		snprintf(text, sizeof(text), "f%u", i);
		CU_ASSERT_EQUAL(comparison_name(c, text, strlen(text), &name), 0);
		CU_ASSERT_EQUAL(comparison_call(c, i ? node[caller[i]] : NO_KEY, name, true,
						&node[i]),
				0);
		CU_ASSERT_EQUAL(comparison_add(c, node[i], input,
					       poisson(samples * part[i] * (i == slower ? by : 1))),
				0);
	}
}

/* Lines that differ; *found: the function itself does, in this direction. */
static uint32_t differing(struct compare_options how, double samples, uint32_t slower, double by,
			  bool *found)
{
	static struct options options;
	struct compare c = {
		.options = &options,
		.how = &how,
		.all = { .inputs = 2 },
		.parts = how.scale == SCALE_PARTS,
	};
	struct difference d;
	char text[16];
	uint32_t n;

	snprintf(text, sizeof(text), "f%u", slower);
	run(&c.all, 0, samples, NO_KEY, 1);
	run(&c.all, 1, samples, slower, by);
	CU_ASSERT_EQUAL(comparison_finish(&c.all), 0);
	CU_ASSERT_EQUAL(comparison_functions(&c.all, &c.functions), 0);
	CU_ASSERT_EQUAL(difference_of(&d, &c), 0);
	n = d.significant;
	for (uint32_t i = 0; i < d.count && found; i++) {
		if (!strcmp(d.list[i].name, text) && d.list[i].significant)
			*found = (d.list[i].delta > 0) == (by > 1);
	}
	difference_free(&d);
	functions_compared_free(&c.functions);
	comparison_free(&c.all);
	return n;
}

static int quiet_pairs(struct compare_options how, double samples)
{
	int quiet = 0;

	for (int i = 0; i < 100; i++)
		quiet += !differing(how, samples, NO_KEY, 1, NULL);
	return quiet;
}

static void same_program_differs_in_no_line(void)
{
	static const double samples[] = { 500, 50000 };

	make_program();
	for (int i = 0; i < 2; i++) {
		CU_ASSERT(quiet_pairs((struct compare_options){ .scale = SCALE_PARTS },
				      samples[i]) >= 95);
		CU_ASSERT(quiet_pairs((struct compare_options){ .scale = SCALE_ABSOLUTE },
				      samples[i]) >= 95);
		CU_ASSERT(quiet_pairs((struct compare_options){ .scale = SCALE_PARTS,
								.totals = true },
				      samples[i]) >= 95);
		CU_ASSERT(quiet_pairs((struct compare_options){ .scale = SCALE_PARTS,
								.key = BY_PATH,
								.totals = true },
				      samples[i]) >= 95);
	}
}

static int times_found(struct compare_options how, double samples, double share, double by)
{
	int times = 0;

	make_program();
	for (int i = 0; i < FUNCTIONS; i++)
		part[i] *= i == 7 ? 0 : (1 - share) / (1 - part[7]);
	part[7] = share;
	for (int i = 0; i < 100; i++) {
		bool found = false;

		differing(how, samples, 7, by, &found);
		times += found;
	}
	return times;
}

/* 3 % slower or faster among 300 functions: of the same work, 50,000 samples, nearly all of them
 * the function's; as parts of all, 50,000 of the function's own. Of a hundredth of that it cannot
 * be. */
static void slower_function_is_found(void)
{
	struct compare_options absolute = { .scale = SCALE_ABSOLUTE };
	struct compare_options parts = { .scale = SCALE_PARTS };
	int found[] = {
		times_found(absolute, 50000, 0.95, 1.03), times_found(absolute, 50000, 0.95, 0.97),
		times_found(parts, 500000, 0.1, 1.03),    times_found(parts, 500000, 0.1, 0.97),
		times_found(parts, 5000, 0.1, 1.03),
	};

	printf("# of 100: slower %d, faster %d of the same work; %d, %d of parts; %d of few\n",
	       found[0], found[1], found[2], found[3], found[4]);
	CU_ASSERT(found[0] >= 70 && found[1] >= 70);
	CU_ASSERT(found[2] >= 60 && found[3] >= 60);
	CU_ASSERT(found[4] <= 10);
}

/* ---- trees ----------------------------------------------------------------------------------- */

static const char tree_a[] =
	"p;main 1\np;main;f 10\np;main;f;g 5\np;main;f;g;f 3\n# a comment\n\np;main;h 2\n";
static const char tree_b[] = "p;main;f 4\nq;main;f;g 7\nlone 9\np;a\\x3bb\\\\c 1 \r\n";

static void read_both(struct comparison *c, enum compare_key key)
{
	struct pifile_fault fault;

	*c = (struct comparison){ .inputs = 2 };
	CU_ASSERT_EQUAL(folded_text(c, 0, key, tree_a, sizeof(tree_a) - 1, &fault), 0);
	CU_ASSERT_EQUAL(folded_text(c, 1, key, tree_b, sizeof(tree_b) - 1, &fault), 0);
}

/* Own value and total of a function in an input: "own total". */
static const char *function(const struct comparison *c, const struct functions_compared *f,
			    const char *name, uint32_t input)
{
	static char text[64];

	for (uint32_t i = 0; i < c->names; i++) {
		if (strcmp(c->name[i], name) != 0)
			continue;
		snprintf(text, sizeof(text), "%ld %ld", (long)values_at(c, f->self, i)[input],
			 (long)values_at(c, f->total, i)[input]);
		return text;
	}
	return "none";
}

static void functions_of_trees(void)
{
	struct functions_compared f;
	struct comparison c;

	read_both(&c, BY_PROCESS);
	CU_ASSERT_EQUAL(comparison_finish(&c), 0);
	CU_ASSERT_EQUAL(c.input[0].total, 21);
	CU_ASSERT_EQUAL(c.input[1].total, 21);
	CU_ASSERT_EQUAL(comparison_functions(&c, &f), 0);
	/* f below f counts once. */
	CU_ASSERT_STRING_EQUAL(function(&c, &f, "f", 0), "13 18");
	CU_ASSERT_STRING_EQUAL(function(&c, &f, "g", 0), "5 8");
	CU_ASSERT_STRING_EQUAL(function(&c, &f, "main", 0), "1 21");
	CU_ASSERT_STRING_EQUAL(function(&c, &f, "p", 0), "0 0");
	CU_ASSERT_STRING_EQUAL(function(&c, &f, "f", 1), "4 11");
	CU_ASSERT_STRING_EQUAL(function(&c, &f, "lone", 1), "9 9");
	CU_ASSERT_STRING_EQUAL(function(&c, &f, "a:b\\c", 1), "1 1");
	functions_compared_free(&f);
	comparison_free(&c);
	/* Processes are not part of paths. */
	read_both(&c, BY_PATH);
	CU_ASSERT_EQUAL(comparison_finish(&c), 0);
	CU_ASSERT_STRING_EQUAL(c.name[c.call[comparison_next(&c, NO_KEY)].name], "main");
	CU_ASSERT_EQUAL(values_at(&c, c.total, comparison_next(&c, NO_KEY))[1], 11);
	comparison_free(&c);
}

/* Returns the rest of f and g: "f g total". */
static const char *combined(enum combine how)
{
	static char text[64];
	struct functions_compared f;
	struct comparison c;
	long of_f, of_g, own;

	read_both(&c, BY_PATH);
	CU_ASSERT_EQUAL(comparison_combine(&c, 0, how), 0);
	CU_ASSERT_EQUAL(c.inputs, 1);
	CU_ASSERT_EQUAL(comparison_finish(&c), 0);
	CU_ASSERT_EQUAL(comparison_functions(&c, &f), 0);
	CU_ASSERT_EQUAL(sscanf(function(&c, &f, "f", 0), "%ld %ld", &own, &of_f), 2);
	CU_ASSERT_EQUAL(sscanf(function(&c, &f, "g", 0), "%ld %ld", &own, &of_g), 2);
	snprintf(text, sizeof(text), "%ld %ld %ld", of_f, of_g, (long)c.input[0].total);
	functions_compared_free(&f);
	comparison_free(&c);
	return text;
}

static void combinations(void)
{
	CU_ASSERT_STRING_EQUAL(combined(COMBINE_ADD), "29 15 42");
	CU_ASSERT_STRING_EQUAL(combined(COMBINE_SUBTRACT), "7 1 0");
	CU_ASSERT_STRING_EQUAL(combined(COMBINE_MINIMUM), "9 5 9");
}

static void sums_have_a_limit(void)
{
	static const char most[] = "p;f 9223372036854775807\n";
	struct comparison c = { .inputs = 2 };
	struct pifile_fault fault;

	CU_ASSERT_EQUAL(folded_text(&c, 0, BY_PATH, most, strlen(most), &fault), 0);
	CU_ASSERT_EQUAL(folded_text(&c, 1, BY_PATH, most, strlen(most), &fault), 0);
	CU_ASSERT_EQUAL(comparison_combine(&c, 0, COMBINE_ADD), -EOVERFLOW);
	comparison_free(&c);
}

static void folded_is_judged(const char *text, size_t offset, const char *what)
{
	struct comparison c = { .inputs = 1 };
	struct pifile_fault fault = { 0 };

	CU_ASSERT_EQUAL(folded_text(&c, 0, BY_PROCESS, text, strlen(text), &fault), -EINVAL);
	CU_ASSERT_EQUAL(fault.offset, offset);
	CU_ASSERT_PTR_NOT_NULL(strstr(fault.what, what));
	comparison_free(&c);
}

static void damaged_folded(void)
{
	folded_is_judged("p;f 1\np;f\n", 6, "not a folded stack");
	folded_is_judged("p;f 1x\n", 0, "not a folded stack");
	folded_is_judged("12\n", 0, "not a folded stack");
	folded_is_judged("p;;f 1\n", 0, "an empty name");
	folded_is_judged("p;f 1\np;f 9223372036854775807\n", 6, "more than can be counted");
	folded_is_judged("p;f 18446744073709551616\n", 0, "not a folded stack");
	CU_ASSERT(folded_probe("# c\na;b 1\n", 10) && folded_probe("a 1", 3));
	CU_ASSERT(!folded_probe("a;b\n", 4) && !folded_probe("", 0) && !folded_probe("\0a 1\n", 5));
}

/* ---- memory ---------------------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static int allocations_left = -1; /* until one fails; -1: none does */

static bool fails(void)
{
	return allocations_left >= 0 && !allocations_left--;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

/* Whichever allocation fails: it is said, nothing is leaked, and what was read before is right. */
static bool compared_after(int allocations)
{
	static const char text[] = "p;f\\x41;g\\\\ 3\np;f\\x41 4\nq;h 5\n";
	static const char limits[] = "fA self 4\nh self 4 10%\n";
	struct comparison c = { .inputs = 2 };
	struct pifile_fault fault = { 0 };
	struct budget b = { 0 };
	char what[128];
	uint32_t line;
	int rc;

	allocations_left = allocations;
	rc = folded_text(&c, 0, BY_PATH, text, strlen(text), &fault);
	if (!rc)
		rc = folded_text(&c, 1, BY_PATH, text, strlen(text), &fault);
	if (!rc)
		rc = comparison_finish(&c);
	if (!rc)
		rc = budget_read(&b, limits, strlen(limits), &line, what);
	if (!rc)
		rc = budget_judge(&b, &c, NULL, false, true);
	allocations_left = -1;
	if (rc)
		CU_ASSERT_EQUAL(rc, -ENOMEM);
	if (!rc)
		CU_ASSERT(b.count == 2 && !b.list[0].broken && b.list[1].broken);
	budget_free(&b);
	comparison_free(&c);
	return !rc;
}

static void no_memory(void)
{
	int n = 0;

	while (n < 1000 && !compared_after(n))
		n++;
	CU_ASSERT(n > 10 && n < 1000);
}

/* ---- budgets --------------------------------------------------------------------------------- */

static void budget_is_judged(const char *text, uint32_t at, const char *why)
{
	struct budget b;
	char what[128];
	uint32_t line;

	CU_ASSERT_EQUAL(budget_read(&b, text, strlen(text), &line, what), -EINVAL);
	CU_ASSERT_EQUAL(line, at);
	CU_ASSERT_PTR_NOT_NULL(strstr(what, why));
	budget_free(&b);
}

static void damaged_budgets(void)
{
	budget_is_judged("f self 1\nf self\n", 2, "too few words");
	budget_is_judged("operator new self 1 2%\n", 1, "more than four words");
	budget_is_judged("f own 1\n", 1, "invalid metric 'own'");
	budget_is_judged("f :self 1\n", 1, "invalid metric");
	budget_is_judged("f self 1x\n", 1, "invalid limit");
	budget_is_judged("f self -1\n", 1, "invalid limit");
	budget_is_judged("f self 101%\n", 1, "invalid limit");
	budget_is_judged("f self 1 1\n", 1, "invalid tolerance");
	budget_is_judged("f self 1 base\n", 1, "invalid tolerance");
	budget_is_judged("\"f self 1\n", 1, "not closed");
	budget_is_judged("\"f\"g self 1\n", 1, "must follow the quote");
	budget_is_judged("f;;g self 1\n", 1, "empty name");
	budget_is_judged("f; self 1\n", 1, "empty name");
}

/* Judged with tree_a as the base and tree_b, or of tree_a itself: a letter a line, B or k. */
static const char *judged(const char *text, bool base, bool parts, bool exact)
{
	static char letters[32];
	struct comparison c = { .inputs = base ? 2 : 1 };
	struct pifile_fault fault;
	struct budget b;
	char what[128];
	uint32_t line, i;

	CU_ASSERT_EQUAL(folded_text(&c, 0, BY_PATH, tree_a, sizeof(tree_a) - 1, &fault), 0);
	if (base)
		CU_ASSERT_EQUAL(folded_text(&c, 1, BY_PATH, tree_b, sizeof(tree_b) - 1, &fault), 0);
	CU_ASSERT_EQUAL(comparison_finish(&c), 0);
	CU_ASSERT_EQUAL(budget_read(&b, text, strlen(text), &line, what), 0);
	CU_ASSERT_EQUAL(budget_judge(&b, &c, NULL, parts, exact), 0);
	for (i = 0; i < b.count && i + 1 < sizeof(letters); i++)
		letters[i] = b.list[i].broken ? 'B' : 'k';
	letters[i] = '\0';
	budget_free(&b);
	comparison_free(&c);
	return letters;
}

static void budgets(void)
{
	/* f has 13 of its own, 18 with g and f below; g called by f 5 and 8. */
	CU_ASSERT_STRING_EQUAL(judged("f self 13\nf self 12\nf self 12 8%\nf self 12 9%\n", false,
				      false, true),
			       "kBBk");
	CU_ASSERT_STRING_EQUAL(judged("f total 18\nf total 17\n[fg] self 5\n? total 20\n? total 19\n",
				      false, false, true),
			       "kBBkB");
	CU_ASSERT_STRING_EQUAL(judged("f;g self 5\nf;g self 4\nh;g self 0\nmain;f;g total 8\nmain;f;g total 7.9\n",
				      false, false, true),
			       "kBkkB");
	/* Parts: 13 of 21 is 61.9 %. */
	CU_ASSERT_STRING_EQUAL(judged("f self 62%\nf self 61.8%\nf self 50% 1se\nf self 50% 2se\n",
				      false, true, false),
			       "kBBk");
	CU_ASSERT_STRING_EQUAL(judged("f self 0.013k\nf self 0.012k\nf self 9 2se\nf self 9 1se\nf self 9 2se\n",
				      false, false, false),
			       "kBkBk");
	/* A function that is missing exceeds its budget, unless it must be missing. */
	CU_ASSERT_STRING_EQUAL(judged("nothing self 5\nnothing self 0\n", false, false, true),
			       "Bk");
	/* g has 7 where it had 5, f 4 where it had 13. Of equal totals parts are the same. */
	CU_ASSERT_STRING_EQUAL(judged("g self base\ng self base 40%\nf self base\n", true, false,
				      true),
			       "Bkk");
	CU_ASSERT_STRING_EQUAL(judged("g self base\ng self base 1se\nf self base\n", true, true,
				      false),
			       "Bkk");
}

/* A budget that one run just keeps is kept by others; a function that takes a fifth more breaks it.
 */
static void noise_breaks_no_budget(void)
{
	int kept = 0, broken = 0;

	make_program();
	for (int i = 0; i < 100; i++) {
		for (int slower = 0; slower < 2; slower++) {
			struct comparison c = { .inputs = 1 };
			struct budget b;
			char text[64], what[128];
			uint32_t line;

			snprintf(text, sizeof(text), "f7 self %.6f%% 4se\n", 100 * part[7]);
			run(&c, 0, 5000 / part[7], 7, slower ? 1.2 : 1);
			CU_ASSERT_EQUAL(comparison_finish(&c), 0);
			CU_ASSERT_EQUAL(budget_read(&b, text, strlen(text), &line, what), 0);
			CU_ASSERT_EQUAL(budget_judge(&b, &c, NULL, true, false), 0);
			kept += !slower && !b.list[0].broken;
			broken += slower && b.list[0].broken;
			budget_free(&b);
			comparison_free(&c);
		}
	}
	CU_ASSERT_EQUAL(kept, 100);
	CU_ASSERT_EQUAL(broken, 100);
}

/* The output of budget_write() can be read again, whatever the names are, and is just met. */
static void new_budgets(void)
{
	static const char text[] = "p;a\"b* c 3\np;a\"bx c 4\np;\\x5c? 5\np;\\x1b[31m 6\n";
	struct comparison c = { .inputs = 1 };
	struct functions_compared f;
	struct pifile_fault fault;
	struct budget b;
	char what[128], *made = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&made, &size);
	uint32_t line, i;

	CU_ASSERT_EQUAL(folded_text(&c, 0, BY_PATH, text, sizeof(text) - 1, &fault), 0);
	CU_ASSERT_EQUAL(comparison_finish(&c), 0);
	CU_ASSERT_EQUAL(comparison_functions(&c, &f), 0);
	CU_ASSERT_EQUAL(budget_write(&c, &f, 0, true, out), 0);
	fclose(out);
	CU_ASSERT_PTR_NULL(memchr(made, '\x1b', size));
	CU_ASSERT_EQUAL(budget_read(&b, made, size, &line, what), 0);
	CU_ASSERT_EQUAL(b.count, 4);
	CU_ASSERT_EQUAL(budget_judge(&b, &c, NULL, false, true), 0);
	for (i = 0; i < b.count; i++)
		CU_ASSERT(b.list[i].matched && !b.list[i].broken &&
			  b.list[i].value == b.list[i].allowed);
	budget_free(&b);
	functions_compared_free(&f);
	comparison_free(&c);
	free(made);
}

static void events_of_budgets(void)
{
	static const char text[] =
		"f self 1\nf cycles:u:self 1\nf self 2\nf cycles:u:total base\nf calls:total 1\n";
	struct budget b;
	char what[128];
	uint32_t line;

	CU_ASSERT_EQUAL(budget_read(&b, text, sizeof(text) - 1, &line, what), 0);
	CU_ASSERT_STRING_EQUAL(b.list[1].event, "cycles:u");
	CU_ASSERT_EQUAL(budget_next_event(&b, 0), 0);
	CU_ASSERT_EQUAL(budget_next_event(&b, 1), 1);
	CU_ASSERT_EQUAL(budget_next_event(&b, 2), 4);
	CU_ASSERT_EQUAL(budget_next_event(&b, 5), 5);
	CU_ASSERT(budget_needs_base(&b));
	budget_free(&b);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "chances_are_exact", chances_are_exact },
		{ "corrections", corrections },
		{ "same_program_differs_in_no_line", same_program_differs_in_no_line },
		{ "slower_function_is_found", slower_function_is_found },
		{ "functions_of_trees", functions_of_trees },
		{ "combinations", combinations },
		{ "sums_have_a_limit", sums_have_a_limit },
		{ "damaged_folded", damaged_folded },
		{ "no_memory", no_memory },
		{ "damaged_budgets", damaged_budgets },
		{ "budgets", budgets },
		{ "noise_breaks_no_budget", noise_breaks_no_budget },
		{ "new_budgets", new_budgets },
		{ "events_of_budgets", events_of_budgets },
		{ NULL, NULL },
	};

	return unit_run("compare", tests);
}

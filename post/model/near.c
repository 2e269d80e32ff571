/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Similarity is the edit distance, or 0 if one name is part of the other; or the edit distance to a
 * word of the name. Case is ignored. */
#include "model/near.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "escape.h"
#include "model/wanted.h"

#define LENGTH_MOST 64 /* longer names are only compared as parts and by words */
#define WORD_LEAST  5  /* shorter words of names resemble too much */
#define NEAR_FAR    UINT32_MAX

static uint32_t least(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t n = a < b ? a : b;

	return n < c ? n : c;
}

/* Returns the Levenshtein distance, computed row by row. */
static uint32_t letters_apart(const char *a, size_t na, const char *b, size_t nb)
{
	uint32_t row[LENGTH_MOST + 1];
	size_t i, k;

	for (k = 0; k <= nb; k++)
		row[k] = (uint32_t)k;
	for (i = 1; i <= na; i++) {
		uint32_t before = row[0];

		row[0] = (uint32_t)i;
		for (k = 1; k <= nb; k++) {
			bool same = tolower((unsigned char)a[i - 1]) ==
				    tolower((unsigned char)b[k - 1]);
			uint32_t next = least(row[k] + 1, row[k - 1] + 1, before + !same);

			before = row[k];
			row[k] = next;
		}
	}
	return row[nb];
}

static bool is_part(const char *text, size_t n, const char *of)
{
	for (; strnlen(of, n) == n; of++) {
		if (!strncasecmp(of, text, n))
			return true;
	}
	return false;
}

/* Up to a third of the letters may differ. */
static uint32_t spelled_apart(const char *a, size_t na, const char *b, size_t nb)
{
	size_t longer = na > nb ? na - nb : nb - na;
	uint32_t letters;

	if (na > LENGTH_MOST || nb > LENGTH_MOST || longer * 3 > na + 2)
		return NEAR_FAR;
	letters = letters_apart(a, na, b, nb);
	return letters * 3 <= na + 2 ? letters + 1 : NEAR_FAR;
}

/* The same for the words of a name: "__memcmp_evex" has two, "std::sort<int>(int*)" has two. */
static uint32_t words_apart(const char *wanted, size_t n, const char *name)
{
	const char *end = name + wanted_form(name, WANTED_BARE);
	uint32_t best = NEAR_FAR, d;
	size_t m;

	for (; name < end && *name != '<'; name += m ? m : 1) {
		for (m = 0; name + m < end && isalnum((unsigned char)name[m]); m++)
			;
		d = n < WORD_LEAST || m < WORD_LEAST ? NEAR_FAR : spelled_apart(wanted, n, name, m);
		best = d < best ? d : best;
	}
	return best == NEAR_FAR ? best : best + 1;
}

static uint32_t apart(const char *wanted, size_t n, const char *name)
{
	size_t m = strlen(name);
	uint32_t letters, words;

	if (n >= 3 && m >= 3 && (is_part(wanted, n, name) || (m < n && is_part(name, m, wanted))))
		return 0;
	letters = spelled_apart(wanted, n, name, wanted_form(name, WANTED_BARE));
	words = letters == NEAR_FAR ? words_apart(wanted, n, name) : NEAR_FAR;
	return letters < words ? letters : words;
}

/* Returns the distance to the nearest of the patterns, without their wildcards. */
static uint32_t nearest(const char *wanted, const char *name)
{
	uint32_t best = NEAR_FAR;

	for (; wanted; wanted = *wanted ? wanted + 1 : NULL) {
		const char *end = strchrnul(wanted, ',');
		size_t n = (size_t)(end - wanted), skip = strspn(wanted, "*");
		uint32_t d;

		skip = skip < n ? skip : n;
		wanted += skip;
		n -= skip;
		while (n && wanted[n - 1] == '*')
			n--;
		d = n ? apart(wanted, n, name) : NEAR_FAR;
		best = d < best ? d : best;
		wanted = end;
	}
	return best;
}

static bool is_nearer(const struct near_name *a, const struct near_name *b)
{
	return a->apart != b->apart ? a->apart < b->apart : a->ticks > b->ticks;
}

void near_offer(struct near *x, const char *name, uint64_t ticks)
{
	struct near_name add = { name, ticks, nearest(x->wanted, name) };
	uint32_t i, k;

	for (i = 0; i < x->count; i++) {
		if (strcmp(x->best[i].name, name) != 0)
			continue;
		add.ticks += x->best[i].ticks;
		memmove(&x->best[i], &x->best[i + 1], (--x->count - i) * sizeof(add));
		break;
	}
	for (i = 0; i < x->count && !is_nearer(&add, &x->best[i]); i++)
		;
	if (i == NEAR_NAMES)
		return;
	x->count += x->count < NEAR_NAMES;
	for (k = x->count - 1; k > i; k--)
		x->best[k] = x->best[k - 1];
	x->best[i] = add;
}

bool near_print(const struct near *x, FILE *out, bool alike)
{
	const char *before = "";
	uint32_t i;

	for (i = 0; i < x->count && (!alike || x->best[i].apart != NEAR_FAR); i++) {
		fputs(before, out);
		escape_print(out, x->best[i].name);
		if (x->best[i].ticks)
			fprintf(out, " %" PRIu64, x->best[i].ticks);
		before = ", ";
	}
	return i;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Returns the next option of a command line, or prints what is wrong with it. */
#include "next_option.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"

/* Returns the number of long options that begin with the typed text (1 for an exact name), and
 * lists them. */
static int meant(const struct option *longs, const char *typed, size_t n, char *list, size_t room)
{
	int count = 0, used = 0;

	*list = '\0';
	for (; longs->name; longs++) {
		if (strncmp(longs->name, typed, n))
			continue;
		if (!longs->name[n])
			return 1;
		count++;
		if ((size_t)used < room)
			used += snprintf(list + used, room - (size_t)used, " -%s", longs->name);
	}
	return count;
}

static void refuse(const char *word, int option, const struct option *longs)
{
	const char *typed = word + 1 + (word[1] == '-');
	size_t n = strcspn(typed, "=");
	char list[256];
	int count = n ? meant(longs, typed, n, list, sizeof(list)) : 0;

	if (count > 1)
		complain("option '%s' is ambiguous:%s", word, list);
	else if (count && typed[n])
		complain("option '%.*s' doesn't allow an argument", (int)(typed - word + n), word);
	else if (!option)
		complain("unrecognized option '%s'", word);
	else
		complain("invalid option -- '%c'", option);
}

/* An empty name or list most likely comes from an unset shell variable, and would mean all or none.
 * A list of only commas is treated the same. */
static bool is_empty(const char *list)
{
	return !list[strspn(list, ",")];
}

static void refuse_empty(const char *word, const char *before)
{
	if (word != optarg)
		complain("option '%.*s' has an empty argument", (int)strcspn(word, "="), word);
	else
		complain("option '%s' has an empty argument", before);
}

int next_option(int argc, char **argv, const char *shorts, const struct option *longs)
{
	char ours[64];
	bool stop = *shorts == '+';
	int at = optind ? optind : 1, c;

	/* ':' has getopt distinguish a missing argument from an unknown option. */
	snprintf(ours, sizeof(ours), "%s:%s", stop ? "+" : "", shorts + stop);
	opterr = 0;
	c = getopt_long_only(argc, argv, ours, longs, NULL);
	if (c == ':') {
		complain("option '%s' requires an argument", argv[optind - 1]);
		return '?';
	}
	/* getopt advances optind past a word of several letters only at its last letter. */
	if (c == '?')
		refuse(argv[optind > at ? optind - 1 : optind], optopt, longs);
	if (c != '?' && c != -1 && optarg && is_empty(optarg)) {
		refuse_empty(argv[optind - 1], argv[optind - 2]);
		return '?';
	}
	return c;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses a command line by a table: getopt finds the option, its row stores the value. */
#include "option_table.h"

#include <string.h>

#include "called_as.h"
#include "complain.h"
#include "next_option.h"

#define MOST   128 /* names in a table */
#define GROUPS 8
#define FIRST  256 /* getopt's value of the first name: above all letters */

/* All names of a table, in the form that getopt needs. */
struct index {
	struct option longs[MOST + 1];
	char letters[2 * MOST + 2];
	struct {
		const struct option_row *row;
		const char *name;
		size_t base;
		int value; /* as returned by getopt */
	} of[MOST];
	int names, longs_count;
};

static int argument_of(const struct option_row *row)
{
	if (!row->argument)
		return no_argument;
	return row->argument[0] == '[' ? optional_argument : required_argument;
}

static void add(struct index *x, const struct option_table *t, const struct option_row *row,
		const char *name, size_t base)
{
	const char *bare = name + strspn(name, "-");
	int i = x->names++;

	x->of[i].row = row;
	x->of[i].name = name;
	x->of[i].base = base;
	x->of[i].value = FIRST + i;
	if (t->letters && !bare[1]) {
		x->of[i].value = *bare;
		strncat(x->letters, bare, 1);
		strcat(x->letters, row->argument ? ":" : "");
		return;
	}
	x->longs[x->longs_count++] = (struct option){ bare, argument_of(row), NULL,
						      x->of[i].value };
}

static void make_index(struct index *x, const struct option_table *t)
{
	memset(x, 0, sizeof(*x));
	if (t->ends)
		strcpy(x->letters, "+");
	for (const struct option_part *p = t->parts; p->rows; p++)
		for (const struct option_row *row = p->rows; row->names[0]; row++)
			for (int i = 0; i < 3 && row->names[i] && x->names < MOST; i++)
				add(x, t, row, row->names[i], p->base);
}

static int find(const struct index *x, int value)
{
	for (int i = 0; i < x->names; i++)
		if (x->of[i].value == value)
			return i;
	return -1;
}

/* Writes the first names of a group: "-a, -t and -p". */
static void group_names(const struct option_table *t, unsigned int group, char *out, size_t room)
{
	int count = 0, n = 0;
	size_t used = 0;

	*out = '\0';
	for (int pass = 0; pass < 2; pass++)
		for (const struct option_part *p = t->parts; p->rows; p++)
			for (const struct option_row *row = p->rows; row->names[0]; row++) {
				if (row->group != group)
					continue;
				if (!pass) {
					count++;
					continue;
				}
				if (used < room)
					used += (size_t)snprintf(out + used, room - used, "%s%s",
								 !n             ? "" :
								 n + 1 == count ? " and " :
										  ", ",
								 row->names[0]);
				n++;
			}
}

/* Refuses a second option of a group. `seen` has the option of each group that was given first. */
static bool refused_group(const struct option_table *t, const struct option_row *row,
			  const struct option_row *seen[GROUPS])
{
	const struct option_row *other = seen[row->group];
	char names[128];

	seen[row->group] = row;
	if (!other || other == row || !(t->strict & 1u << row->group))
		return false;
	group_names(t, row->group, names, sizeof(names));
	complain("only one of %s can be given", names);
	return true;
}

enum option_outcome options_parse(const struct option_table *t, unsigned int command, void *base,
				  int argc, char **argv, struct option_rest *rest)
{
	const struct option_row *seen[GROUPS] = { NULL };
	struct index x;
	int c;

	*rest = (struct option_rest){ .words = argv + argc };
	if (argc == 2 && !strcmp(argv[1], "--complete")) {
		options_complete(stdout, t, command);
		return OPTIONS_DONE;
	}
	make_index(&x, t);
	optind = 1;
	while ((c = next_option(argc, argv, x.letters, x.longs)) != -1) {
		int i = find(&x, c);
		struct option_given given;

		if (i < 0)
			return OPTIONS_UNKNOWN;
		given = (struct option_given){ x.of[i].row, x.of[i].name, optarg };
		if (given.row->store == option_help) {
			options_help(stdout, t);
			return OPTIONS_DONE;
		}
		if (given.row->store == option_version) {
			printf("%s (pitrace) %s\n", t->program, PITRACE_VERSION);
			return OPTIONS_DONE;
		}
		if (command && given.row->commands && !(given.row->commands & command)) {
			complain("option %s does not apply to '%s'; see %s --help", given.name,
				 argv[0], called_as(t->program));
			return OPTIONS_REFUSED;
		}
		if (refused_group(t, given.row, seen) ||
		    !given.row->store(&given, (char *)base + x.of[i].base + given.row->offset))
			return OPTIONS_REFUSED;
		rest->given++;
	}
	rest->words = argv + optind;
	rest->count = argc - optind;
	return OPTIONS_TAKEN;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a table of options for --help, and for the completions of shells. */
#include <string.h>

#include "fit.h"
#include "option_table.h"

#define COLUMN 15 /* at which help texts begin */
#define WIDTH  80

/* options_parse() recognizes these two by their addresses and prints the text itself. */
bool option_help(const struct option_given *given, void *to)
{
	(void)given, (void)to;
	return true;
}

bool option_version(const struct option_given *given, void *to)
{
	(void)given, (void)to;
	return false;
}

const struct option_row option_help_rows[] = { OPTION_HELP_ROWS, OPTION_ROWS_END };

static const char *completions_of(const struct option_row *row)
{
	return row->completions ? row->completions() : row->complete;
}

/* Writes "a, b or c" for words that are separated by blanks or commas. */
static void sentence(const char *words, char *out, size_t room)
{
	size_t used = 0;

	*out = '\0';
	if (!words)
		return;
	while (*words && used < room) {
		size_t n = strcspn(words, " ,");
		const char *next = words + n + strspn(words + n, " ,");
		const char *between = !used ? "" : *next ? ", " : " or ";

		used += (size_t)snprintf(out + used, room - used, "%s%.*s", between, (int)n, words);
		words = next;
	}
}

static void help_text(const struct option_row *row, char *out, size_t room)
{
	const char *hole = strstr(row->help, "%s");
	char words[256];

	sentence(hole ? completions_of(row) : NULL, words, sizeof(words));
	if (hole)
		snprintf(out, room, "%.*s%s%s", (int)(hole - row->help), row->help, words,
			 hole + 2);
	else
		snprintf(out, room, "%s", row->help);
}

/* Prints text from that column on, and breaks lines at blanks. */
static void wrap(FILE *out, const char *text, size_t column)
{
	for (size_t at = column; *text;) {
		size_t n = strcspn(text, " ");

		if (at > column && at + 1 + n > WIDTH) {
			fprintf(out, "\n%*s", (int)column, "");
			at = column;
		}
		at += (size_t)fprintf(out, "%s%.*s", at > column ? " " : "", (int)n, text);
		text += n + (text[n] == ' ');
	}
	putc('\n', out);
}

static void list_row(FILE *out, const struct option_row *row)
{
	char text[1024];
	size_t at = 2;

	fputs("  ", out);
	for (int i = 0; i < 3 && row->names[i]; i++)
		at += (size_t)fprintf(out, "%s%s", i ? ", " : "", row->names[i]);
	if (row->argument)
		at += (size_t)fprintf(out, "%s%s", row->argument[0] == '[' ? "" : " ",
				      row->argument);
	if (at + 1 > COLUMN)
		fprintf(out, "\n%*s", COLUMN, "");
	else
		fprintf(out, "%*s", (int)(COLUMN - at), "");
	help_text(row, text, sizeof(text));
	wrap(out, text, COLUMN);
}

void options_list(FILE *out, const struct option_table *t)
{
	for (const struct option_part *p = t->parts; p->rows; p++)
		for (const struct option_row *row = p->rows; row->names[0]; row++)
			list_row(out, row);
}

void options_help(FILE *out, const struct option_table *t)
{
	struct fit lines;

	out = fit_begin(&lines, out);
	if (t->usage)
		fprintf(out, "%s\n", t->usage);
	options_list(out, t);
	if (t->notes)
		fprintf(out, "\n%s\n", t->notes);
	fit_end(&lines);
}

/* ---- completions ----------------------------------------------------------------------------- */

static void put(FILE *out, const char *field)
{
	fprintf(out, "%s\t", field && *field ? field : ".");
}

static bool applies(const struct option_row *row, unsigned int command)
{
	return !command || !row->commands || row->commands & command;
}

/* Prints the names that an option excludes, separated by blanks; "- *" for all others. */
static void put_excluded(FILE *out, const struct option_table *t, const struct option_row *of,
			 unsigned int command)
{
	bool any = false;

	if (of->store == option_help || of->store == option_version) {
		put(out, "- *");
		return;
	}
	for (const struct option_part *p = t->parts; of->group && p->rows; p++)
		for (const struct option_row *row = p->rows; row->names[0]; row++)
			for (int i = 0; i < 3 && row->names[i] && row != of; i++)
				if (row->group == of->group && applies(row, command))
					any |= fprintf(out, "%s%s", any ? " " : "", row->names[i]) >
					       0;
	fputs(any ? "\t" : ".\t", out);
}

void options_complete(FILE *out, const struct option_table *t, unsigned int command)
{
	char text[1024];

	for (const struct option_part *p = t->parts; p->rows; p++)
		for (const struct option_row *row = p->rows; row->names[0]; row++) {
			bool general = row->store == option_help || row->store == option_version;

			if (!applies(row, command) || (command && general))
				continue;
			help_text(row, text, sizeof(text));
			for (int i = 0; i < 3 && row->names[i]; i++) {
				put(out, row->names[i]);
				put(out, row->argument);
				put(out, completions_of(row));
				put_excluded(out, t, row, command);
				put(out, row->repeats ? "*" : NULL);
				fprintf(out, "%s\n", text);
			}
		}
	if (t->operands || t->completions)
		fprintf(out, ".\t.\t%s\t.\t.\t.\n",
			t->completions ? t->completions() : t->operands);
}

void options_complete_command(FILE *out, const char *name, const char *help)
{
	fprintf(out, "%s\t.\t.\t.\t.\t%s\n", name, help);
}

void options_complete_help(FILE *out)
{
	static const struct option_part parts[] = { { option_help_rows, 0 }, { NULL, 0 } };
	static const struct option_table table = { .parts = parts };

	options_complete(out, &table, 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options as a table: a row has an option's names, its argument, its help text and the function
 * that stores its value (option_store.h). Command lines are parsed, --help is printed and shells
 * complete from the same rows: a new option is a new row.
 */
#ifndef COMMON_OPTION_TABLE_H
#define COMMON_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct option_row;

/* An option as given: its name as its row has it, and its argument (NULL: none). */
struct option_given {
	const struct option_row *row;
	const char *name;
	char *text;
};
/* False: the argument was refused, after a message. */
typedef bool option_store(const struct option_given *given, void *to);

struct option_row {
	const char *names[3]; /* "-h", "--help"; a row without a name ends the table */
	const char *argument; /* as help shows it; "[=HOW]" may be missing; NULL: none */
	const char *help;     /* %s in it becomes the words of `complete`: "driver or perf" */
	option_store *store;
	size_t offset, size;  /* where the value goes: OPTION_TO */
	uint64_t value;       /* what `store` needs besides: a flag, an enumerator, a unit */
	uint64_t least, most; /* of numbers, both included; most 0: as large as it gets */
	/* Completions of the argument: "one two", "several,with,commas", or one of @file, @process,
	 * @cpus, @events, @metrics. */
	const char *complete;
	const char *(*completions)(void); /* instead of it, where another table lists them */
	unsigned int group;               /* options of one group, 1 to 7, exclude one another */
	unsigned int commands;            /* bits of the sub-commands that have it; 0: all */
	bool repeats;                     /* may be given several times */
};

#define OPTION_TO(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* Rows of a table, and the offset of their values in the program's structure. */
struct option_part {
	const struct option_row *rows; /* NULL ends the parts */
	size_t base;
};

struct option_table {
	const char *program;
	const struct option_part *parts;
	const char *usage, *notes; /* above and below the options in --help; or NULL */
	unsigned int strict;       /* bits of groups of which two options are an error */
	/* Completions of words that are no options: as option_row's `complete`, or @command: the
	 * options end where it begins, what follows belongs to it. NULL: no such words. */
	const char *operands;
	const char *(*completions)(void); /* instead of `operands` */
	bool letters; /* an option of one letter may have its argument attached */
	bool ends;    /* options end at the first word that is none */
};

/* The rest of a command line. */
struct option_rest {
	char **words; /* operands, ends with NULL */
	int count;
	unsigned int given; /* number of options */
};

enum option_outcome {
	OPTIONS_TAKEN,
	OPTIONS_DONE,    /* --help, --version or --complete: it was printed */
	OPTIONS_REFUSED, /* a value was wrong, after a message */
	OPTIONS_UNKNOWN, /* no such option, or no argument, after a message */
};

/* Stores the options of argv[1]... in `base`. `command` is the sub-command's bit (0: none), whose
 * name is argv[0]. */
enum option_outcome options_parse(const struct option_table *t, unsigned int command, void *base,
				  int argc, char **argv, struct option_rest *rest);
/* Usage, options, notes. */
void options_help(FILE *out, const struct option_table *t);
/* Only the options. */
void options_list(FILE *out, const struct option_table *t);
/* Completions for shells, a line for each option: name, argument, how to complete it, options that
 * it excludes, "*" if it repeats, help; with tabs between them, "." for nothing. The line named "."
 * is for the operands. */
void options_complete(FILE *out, const struct option_table *t, unsigned int command);
/* The same for a sub-command. */
void options_complete_command(FILE *out, const char *name, const char *help);
/* The same for --help and --version of a program with sub-commands. */
void options_complete_help(FILE *out);

/* Rows that every program has. */
option_store option_help, option_version;
#define OPTION_HELP_ROWS                                                                  \
	{ { "-h", "--help" }, NULL, "print this text", .store = option_help },            \
	{                                                                                 \
		{ "-V", "--version" }, NULL, "print the version", .store = option_version \
	}
extern const struct option_row option_help_rows[];
#define OPTION_ROWS_END           \
	{                         \
		.names = { NULL } \
	}

#endif

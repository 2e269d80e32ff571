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

/* An option as given: its name as written in its row, and its argument (NULL: none). */
struct option_given {
	const struct option_row *row;
	const char *name;
	char *text;
};
/* Stores the value. Returns false after a message if the argument is refused. */
typedef bool option_store(const struct option_given *given, void *to);

struct option_row {
	const char *names[3]; /* "-h", "--help"; a row without a name ends the table */
	const char *argument; /* as help shows it; "[=HOW]" may be missing; NULL: none */
	const char *help;     /* %s is replaced by the words of `complete`: "driver or perf" */
	option_store *store;
	size_t offset, size;  /* of the value in the structure: OPTION_TO */
	uint64_t value;       /* a parameter of `store`: a flag, an enumerator, a unit */
	uint64_t least, most; /* of numbers, inclusive; most 0: no limit but the type's */
	/* Completions of the argument: "one two", "several,with,commas", or one of @file, @process,
	 * @cpus, @events, @metrics. */
	const char *complete;
	const char *(*completions)(void); /* replaces `complete` if another table lists them */
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
	unsigned int strict;       /* bits of groups; two options of such a group are an error */
	/* Completions of operands: as option_row's `complete`, or @command: the options end where
	 * the command begins, and all that follows belongs to it. NULL: no operands. */
	const char *operands;
	const char *(*completions)(void); /* instead of `operands` */
	bool letters; /* an option of one letter may have its argument attached */
	bool ends;    /* options end at the first operand */
};

/* The part of a command line after its options. */
struct option_rest {
	char **words; /* the operands; ends with NULL */
	int count;
	unsigned int given; /* number of options */
};

enum option_outcome {
	OPTIONS_TAKEN,
	OPTIONS_DONE,    /* --help, --version or --complete: the text was printed */
	OPTIONS_REFUSED, /* invalid value, after a message */
	OPTIONS_UNKNOWN, /* unknown option or missing argument, after a message */
};

/* Stores the options of argv[1]... in `base`. `command` is the sub-command's bit (0: none), whose
 * name is argv[0]. */
enum option_outcome options_parse(const struct option_table *t, unsigned int command, void *base,
				  int argc, char **argv, struct option_rest *rest);
/* Prints usage, options and notes. */
void options_help(FILE *out, const struct option_table *t);
/* Prints only the options. */
void options_list(FILE *out, const struct option_table *t);
/* Prints completions for shells, one line per option: name, argument, how to complete it, options
 * that it excludes, "*" if it repeats, help. Fields are separated by tabs, an empty one is ".". The
 * line named "." is for the operands. */
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

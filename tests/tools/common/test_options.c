/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options as tables: what is stored, refused, shown and completed. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "unit.h"
#include "option_store.h"

struct inner {
	uint64_t bytes, ns;
};
struct values {
	struct inner inner;
	bool flag, again;
	uint32_t number, flags;
	int which;
	const char *file;
};

enum { SORTS = 1 };
enum { FIRST = 1, SECOND = 2 };

static const char *colours(void)
{
	return "red green blue";
}

static const struct option_row inner_rows[] = {
	{ { "-s" }, "MB", "a size", option_size, OPTION_TO(struct inner, bytes), .value = 1 << 20 },
	{ { "-r" },
	  "TIME",
	  "a time",
	  option_duration,
	  OPTION_TO(struct inner, ns),
	  .least = 1000000,
	  .most = 86400000000000 },
	OPTION_ROWS_END
};
static const struct option_row rows[] = {
	{ { "-a", "--all" }, NULL, "a flag", option_set, OPTION_TO(struct values, flag) },
	{ { "-n" },
	  "N",
	  "a number",
	  option_number,
	  OPTION_TO(struct values, number),
	  .least = 1,
	  .most = 20000 },
	{ { "--x" }, NULL, "bits", option_flags, OPTION_TO(struct values, flags), .value = 4 },
	{ { "--y" },
	  NULL,
	  "bits",
	  option_flags,
	  OPTION_TO(struct values, flags),
	  .value = 8,
	  .commands = SECOND },
	{ { "-sp" },
	  NULL,
	  "one order",
	  option_assign,
	  OPTION_TO(struct values, which),
	  .value = 5,
	  .group = SORTS },
	{ { "-st" },
	  NULL,
	  "another",
	  option_assign,
	  OPTION_TO(struct values, which),
	  .value = 6,
	  .group = SORTS },
	{ { "-o" },
	  "FILE",
	  "take %s for it, whichever there is, in a text that is so long that no line has room "
	  "for it all",
	  option_text,
	  OPTION_TO(struct values, file),
	  .completions = colours,
	  .repeats = true },
	OPTION_HELP_ROWS,
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { inner_rows, offsetof(struct values, inner) },
					    { rows, 0 },
					    { NULL, 0 } };
static const struct option_table table = {
	.program = "tested",
	.parts = parts,
	.usage = "usage: tested",
	.notes = "That is all.",
	.strict = 1 << SORTS,
	.operands = "@command",
	.ends = true,
};

static enum option_outcome parse(struct values *v, struct option_rest *rest, unsigned int command,
				 const char *line)
{
	static char text[256];
	static char *words[32];
	int n = 1;

	*v = (struct values){ .which = -1 };
	snprintf(text, sizeof(text), "%s", line);
	words[0] = "tested";
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		words[n++] = word;
	words[n] = NULL;
	return options_parse(&table, command, v, n, words, rest);
}

static void stored(void)
{
	struct option_rest rest;
	struct values v;

	CU_ASSERT_EQUAL(parse(&v, &rest, 0, "-a -n 20k --x --y -sp -s 2 -r 1.5ms -o x y -a"), 0);
	CU_ASSERT_TRUE(v.flag);
	CU_ASSERT_FALSE(v.again);
	CU_ASSERT_EQUAL(v.number, 20000);
	CU_ASSERT_EQUAL(v.flags, 12);
	CU_ASSERT_EQUAL(v.which, 5);
	CU_ASSERT_EQUAL(v.inner.bytes, 2 << 20);
	CU_ASSERT_EQUAL(v.inner.ns, 1500000);
	CU_ASSERT_STRING_EQUAL(v.file, "x");
	CU_ASSERT_EQUAL(rest.given, 8);
	CU_ASSERT_EQUAL(rest.count, 2);
	CU_ASSERT_STRING_EQUAL(rest.words[0], "y");
	CU_ASSERT_STRING_EQUAL(rest.words[1], "-a");
	CU_ASSERT_PTR_NULL(rest.words[2]);
	CU_ASSERT_EQUAL(parse(&v, &rest, 0, "--al -s 512k -- -n"), OPTIONS_TAKEN);
	CU_ASSERT_TRUE(v.flag);
	CU_ASSERT_EQUAL(v.inner.bytes, 512 << 10);
	CU_ASSERT_EQUAL(rest.count, 1);
}

/* Returns the message of the parser on stderr, and its result. */
static const char *complaint(const char *line, unsigned int command, enum option_outcome *outcome)
{
	static char text[1024];
	char name[] = "/tmp/test-options-XXXXXX";
	int file = mkstemp(name), err = dup(STDERR_FILENO);
	struct option_rest rest;
	struct values v;
	ssize_t n;

	unlink(name);
	dup2(file, STDERR_FILENO);
	*outcome = parse(&v, &rest, command, line);
	dup2(err, STDERR_FILENO);
	close(err);
	n = pread(file, text, sizeof(text) - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
	close(file);
	return text;
}

#define COMPLAINS(line, command, wanted, words)                                            \
	do {                                                                               \
		enum option_outcome outcome;                                               \
		CU_ASSERT_PTR_NOT_NULL(strstr(complaint(line, command, &outcome), words)); \
		CU_ASSERT_EQUAL(outcome, wanted);                                          \
	} while (0)

static void refused(void)
{
	COMPLAINS("-n 0", 0, OPTIONS_REFUSED,
		  "-n: invalid number '0': expected a whole number from 1 to 20000");
	COMPLAINS("-n 20001", 0, OPTIONS_REFUSED, "-n: invalid number");
	COMPLAINS("-r 0.9ms", 0, OPTIONS_REFUSED,
		  "-r: invalid duration '0.9ms': expected 1ms to 24h");
	COMPLAINS("-r 25h", 0, OPTIONS_REFUSED, "-r: invalid duration");
	COMPLAINS("-s 0", 0, OPTIONS_REFUSED, "-s: invalid size '0'");
	COMPLAINS("-sp -st", 0, OPTIONS_REFUSED, "only one of -sp and -st can be given");
	COMPLAINS("-sp -sp", 0, OPTIONS_TAKEN, "");
	COMPLAINS("--y", FIRST, OPTIONS_REFUSED,
		  "option --y does not apply to 'tested'; see tested --help");
	COMPLAINS("--y", SECOND, OPTIONS_TAKEN, "");
	COMPLAINS("--nothing", 0, OPTIONS_UNKNOWN, "unrecognized option '--nothing'");
	COMPLAINS("-n", 0, OPTIONS_UNKNOWN, "option '-n' requires an argument");
}

static char *printed(void (*print)(FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print(out);
	fclose(out);
	return text;
}

static void print_help(FILE *out)
{
	options_help(out, &table);
}

static void help(void)
{
	char *text = printed(print_help);

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "usage: tested\n  -s MB        a size\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n  -a, --all    a flag\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text,
		       "\n  -o FILE      take red, green or blue for it, whichever there is, in a text\n"
		       "               that is so long that no line has room for it all\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n\nThat is all.\n"));
	free(text);
}

static void print_completions(FILE *out)
{
	options_complete(out, &table, FIRST);
}

static void completions(void)
{
	char *text = printed(print_completions);

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "-s\tMB\t.\t.\t.\ta size\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\n-a\t.\t.\t.\t.\ta flag\n--all\t.\t.\t.\t.\ta flag\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n-st\t.\t.\t-sp\t.\tanother\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\n-o\tFILE\tred green blue\t.\t*\ttake red, green or blue"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n.\t.\t@command\t.\t.\t.\n"));
	CU_ASSERT_PTR_NULL(strstr(text, "\n--y"));
	CU_ASSERT_PTR_NULL(strstr(text, "--help"));
	free(text);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "stored", stored },           { "refused", refused }, { "help", help },
		{ "completions", completions }, { NULL, NULL },
	};

	return unit_run("options", tests);
}

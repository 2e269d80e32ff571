/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines on a terminal: what is left out of names, where a sentence is folded, what is not torn. */
#include "fit.h"

#include <locale.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

static char *fitted(const char *line, unsigned int columns)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fit_line(out, line, strlen(line), columns);
	fclose(out);
	return text;
}

static void check(const char *line, unsigned int columns, const char *wanted)
{
	char *text = fitted(line, columns);

	if (strcmp(text, wanted) != 0)
		fprintf(stderr, "%u columns of '%s':\n  '%s', not\n  '%s'\n", columns, line, text,
			wanted);
	CU_ASSERT_STRING_EQUAL(text, wanted);
	free(text);
}

static void widths(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	CU_ASSERT_EQUAL(fit_width("", 0), 0);
	CU_ASSERT_EQUAL(fit_width("abc", 3), 3);
	CU_ASSERT_EQUAL(fit_width("abcdef", 3), 3);
	CU_ASSERT_EQUAL(fit_width("\303\251t\303\251", 5), 3);        /* été */
	CU_ASSERT_EQUAL(fit_width("e\314\201", 3), 1);                /* an accent by itself */
	CU_ASSERT_EQUAL(fit_width("\346\227\245\346\234\254", 6), 4); /* two wide ones */
	CU_ASSERT_EQUAL(fit_width("\033[31m12\033[0m", 11), 2);
	CU_ASSERT_EQUAL(fit_width("\033[31", 4), 0);
	CU_ASSERT_EQUAL(fit_width("\346\227", 2), 2); /* cut: two bytes */
}

static void names(void)
{
	/* A line that fits is not changed. */
	check("  1 f(int)", 10, "  1 f(int)\n");
	check("  1 f(int)", 0, "  1 f(int)\n");
	check("  1 function(int, long)", 20, "  1 function(…)\n");
	check("  1 function()", 13, "  1 function…\n");
	/* Templates in templates go before templates. */
	check("  1 a<b<c, d>, e>::f(g)", 22, "  1 a<b<…>, e>::f(…)\n");
	check("  1 a<b<cccccccc>, e>::f(g)", 20, "  1 a<b<…>, e>::f(…)\n");
	check("  1 a<b<cccccccc>, eeeeeee>::f(g)", 18, "  1 a<…>::f(…)\n");
	check("  1 a<bbbbbbbbbbbbb>::ffffffff(g)", 12, "  1 a<…>::f…\n");
	/* Text after parameters stays, and a call's brackets are recognized. */
	check("  1 f(int, int, int) const  [m]", 22, "  1 f(…) const  [m]\n");
	check("  1 f(int, int)::{lambda(int)#1}::operator()(int) const", 48,
	      "  1 f(…)::{lambda(…)#1}::operator()(…) const\n");
	check("  1 main.(*Tttttttt).Method", 20, "  1 main.(*Tttttttt…\n");
	check("  1 (anonymous namespace)::f(int, int, int)", 36,
	      "  1 (anonymous namespace)::f(…)\n");
	/* Brackets that are operators. */
	check("  1 a::operator<(b const&, c const&)", 24, "  1 a::operator<(…)\n");
	check("  1 a::operator<< <b>(c const&, d const&)", 28, "  1 a::operator<< <b>(…)\n");
	check("  1 a::operator->() const (long tail)", 30, "  1 a::operator->() const (…)\n");
	check("  1 x<&a::operator> >::f(iiiiiiiiiii)", 27, "  1 x<&a::operator> >::f(…)\n");
	check("  1 my_operator<aaaaaaaaaaa>(b)", 22, "  1 my_operator<…>(…)\n");
	/* An arrow within brackets closes none. */
	check("  1 f<decltype(a->b), (c)1>(ddddddd)", 31, "  1 f<decltype(a->b), (c)1>(…)\n");
	/* Those that do not fit together, or are too many: the end is cut. */
	check("  1 a<b(c>d)eeeeeeeeee", 12, "  1 a<b(c>d…\n");
	check("  1 a<<<<<<<<<<<<<<<<<", 12, "  1 a<<<<<<…\n");
	/* Colours take no columns, and are kept. */
	check("\033[31m  1\033[0m f(int, int)", 10, "\033[31m  1\033[0m f(…)\n");
	/* An escape is not cut in two. */
	check("  1 aaa\\x1bbbbbbbbbb", 10, "  1 aaa…\n");
	check("  1 aaaa\\\\bbbbbbbbbb", 10, "  1 aaaa…\n");
	check("  1 aaaa\\\\bbbbbbbbbb", 11, "  1 aaaa\\\\…\n");
	/* Wide characters, of which half of one would be left. */
	check("  1 \346\227\245\346\234\254\346\227\245", 8, "  1 \346\227\245…\n");
}

static void sentences(void)
{
	check("one two three", 13, "one two three\n");
	check("one two three", 12, "one two\n  three\n");
	check("one two three four five", 9, "one two\n  three\n  four\n  five\n");
	check("    in  two three", 14, "    in  two\n      three\n");
	/* Rows have a number, after blanks; %%% is the header of a column of numbers. */
	check("12 apples and pears", 12, "12 apples\n  and pears\n");
	check("  12 apples and pears", 12, "  12 apples…\n");
	check("  %%% apples and pears", 12, "  %%% apple…\n");
	/* A word is never torn, and nothing is lost. */
	check("a /very/long/path/that/does/not/fit b", 12,
	      "a\n  /very/long/path/that/does/not/fit\n  b\n");
	check("/very/long/path/that/does/not/fit", 12, "/very/long/path/that/does/not/fit\n");
	check("", 12, "\n");
}

/* Random names of brackets, blanks and letters: never wider, never without end. */
static void never_wider(void)
{
	static const char letters[] = "ab<>()[]{} :-\\x";
	char line[64] = "  1 ";

	srand(1);
	for (int i = 0; i < 20000; i++) {
		size_t n = (size_t)rand() % 50;
		unsigned int columns = 5 + (unsigned int)rand() % 40;
		char *text;

		for (size_t k = 0; k < n; k++)
			line[4 + k] = letters[(size_t)rand() % (sizeof(letters) - 1)];
		line[4 + n] = '\0';
		text = fitted(line, columns);
		CU_ASSERT(fit_width(text, strlen(text) - 1) <= columns);
		CU_ASSERT_PTR_EQUAL(strchr(text, '\n'), text + strlen(text) - 1);
		free(text);
	}
}

static void terminals(void)
{
	struct winsize size = { .ws_row = 24, .ws_col = 73 };
	int master, slave, pipes[2];
	char text[256] = "";
	size_t got;
	ssize_t n;
	FILE *out;

	CU_ASSERT_EQUAL_FATAL(openpty(&master, &slave, NULL, NULL, &size), 0);
	unsetenv("COLUMNS");
	CU_ASSERT_EQUAL(fit_columns(slave), 73);
	size.ws_col = 7;
	ioctl(slave, TIOCSWINSZ, &size);
	CU_ASSERT_EQUAL(fit_columns(slave), 40);
	size.ws_col = 0;
	ioctl(slave, TIOCSWINSZ, &size);
	CU_ASSERT_EQUAL(fit_columns(slave), 80);
	setenv("COLUMNS", "50", 1);
	CU_ASSERT_EQUAL(fit_columns(slave), 50);
	out = fdopen(slave, "w");
	fit_printf(out, "%s and what follows it, of %d columns at most: \033 %s\n", "a word", 50,
		   "b\nc");
	fflush(out);
	/* The terminal hands over what was written bit by bit. */
	for (got = 0; got < sizeof(text) - 1 && !(got && strstr(text, "x0ac\r\n"));
	     got += (size_t)n) {
		n = read(master, text + got, sizeof(text) - 1 - got);
		if (n <= 0)
			break;
		text[got + (size_t)n] = '\0';
	}
	CU_ASSERT_STRING_EQUAL(text, "a word and what follows it, of 50 columns at most:\r\n"
				     "  \\x1b b\\x0ac\r\n");
	/* No terminal: nothing is folded. */
	CU_ASSERT_EQUAL_FATAL(pipe(pipes), 0);
	CU_ASSERT_EQUAL(fit_columns(pipes[1]), 0);
	unsetenv("COLUMNS");
	fclose(out);
	out = fdopen(pipes[1], "w");
	fit_printf(out, "%s and what follows it, of %d columns at most\n", "a word", 50);
	fclose(out);
	n = read(pipes[0], text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	CU_ASSERT_STRING_EQUAL(text, "a word and what follows it, of 50 columns at most\n");
	close(pipes[0]);
	close(master);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "widths", widths },       { "names", names },
		{ "sentences", sentences }, { "never_wider", never_wider },
		{ "terminals", terminals }, { NULL, NULL },
	};

	return unit_run("fit", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pitrace: one front end for all programs. The first word names a sub-command; pitrace executes the
 * program that implements it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"
#include "commands.h"
#include "complain.h"
#include "fit.h"
#include "here.h"
#include "option_table.h"
#include "pager.h"

#define EXIT_FRONT 125

static const char *const headings[GROUPS] = { "Record", "Report", "Look around" };

static void list_commands(const struct here *h, FILE *out)
{
	for (int group = 0; group < GROUPS; group++) {
		fprintf(out, "%s\n", headings[group]);
		for (const struct front_command *c = front_commands; c->name; c++) {
			const char *lacks = here_lacks(h, c);
			char names[32];

			if (c->group != (enum front_group)group)
				continue;
			snprintf(names, sizeof(names), "%s%s%s", c->name, c->alias ? ", " : "",
				 c->alias ? c->alias : "");
			fprintf(out, "  %-13s %s\n", names, c->what);
			if (lacks)
				fprintf(out, "  %-13s (%s)\n", "", lacks);
		}
		putc('\n', out);
	}
}

static int help(void)
{
	struct here h;
	struct fit lines;
	FILE *out = fit_begin(&lines, stdout);

	here_look(&h);
	fputs("usage: pitrace [--no-pager] COMMAND [OPTION]...\n\n", out);
	list_commands(&h, out);
	here_print(&h, out);
	fputs("Begin with: pitrace run -g -- COMMAND; pitrace report\n"
	      "pitrace COMMAND --help lists a command's options; see also pitrace(1).\n",
	      out);
	fit_end(&lines);
	return 0;
}

/* Prints completions for shells (option_table.h). */
static int complete(void)
{
	for (const struct front_command *c = front_commands; c->name; c++) {
		options_complete_command(stdout, c->name, c->what);
		if (c->alias)
			options_complete_command(stdout, c->alias, c->what);
	}
	options_complete_command(stdout, "help", "list the commands, or show a command's options");
	options_complete_command(stdout, "--no-pager", "long output is not read in a pager");
	options_complete_help(stdout);
	return 0;
}

static bool gives_output(char **args)
{
	for (; *args; args++)
		if (!strcmp(*args, "-o") || !strcmp(*args, "-out") || !strcmp(*args, "--out") ||
		    !strcmp(*args, "-json") || !strcmp(*args, "--json"))
			return true;
	return false;
}

/* The program's arguments, beginning with its name: those that precede the user's own. */
struct words {
	const char *word[16];
	size_t n;
};

static void put(struct words *w, const char *word)
{
	w->word[w->n++] = word;
}

static bool is_help(const char *word)
{
	return word && (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "-help"));
}

/* Puts the words that precede the user's own. */
static void put_own(struct words *w, const struct front_command *c, char **args)
{
	bool helps = is_help(*args);

	for (size_t i = 0; i < sizeof(c->words) / sizeof(*c->words) && c->words[i]; i++)
		if (!helps || i < c->helped)
			put(w, c->words[i]);
	if (c->without && (!*args || (**args == '-' && !helps)))
		put(w, c->without);
	if (c->output && !helps && !gives_output(args)) {
		put(w, "-o");
		put(w, c->output);
	}
	if (helps) {
		fit_printf(stdout, "usage: pitrace %s %s\n", c->name, c->usage);
		putchar('\n');
		fit_printf(stdout, "%s\n", c->what);
		printf("\nBy %s:\n", c->program);
		fflush(stdout);
	}
}

/* Accepts -g, perf report's option for call trees. */
static char *as_post_has_it(const struct front_command *c, char *arg)
{
	static char calltree[] = "-calltree";

	return !strcmp(c->program, "post") && !strcmp(arg, "-g") ? calltree : arg;
}

static bool is_read(const struct front_command *c, char **args)
{
	return c->paged && !is_help(*args) && !gives_output(args);
}

/* Executes the program of this sub-command. Returns the exit code if that fails or if a pager is
 * used. */
static int become(const struct front_command *c, char **args, bool pages)
{
	const char *pager = pages && is_read(c, args) ? pager_command() : NULL;
	struct words w = { .n = 0 };
	char path[4096], name[64];
	size_t given = 0;
	char **argv;
	int rc;

	if (!program_beside(c->program, path, sizeof(path))) {
		complain("the program %s, which does that, is not beside pitrace", c->program);
		return EXIT_FRONT;
	}
	/* The program uses this name in its messages. */
	snprintf(name, sizeof(name), "pitrace %s", c->name);
	put(&w, name);
	put_own(&w, c, args);
	while (args[given])
		given++;
	argv = calloc(w.n + given + 1, sizeof(*argv));
	if (!argv) {
		complain("no memory");
		return EXIT_FRONT;
	}
	memcpy(argv, w.word, w.n * sizeof(*argv));
	for (size_t i = 0; i < given; i++)
		argv[w.n + i] = as_post_has_it(c, args[i]);
	rc = pager ? pager_run(pager, path, argv) : -ENOEXEC;
	if (rc < 0) {
		execv(path, argv);
		complain("%s cannot be started: %s", path, strerror(errno));
		rc = EXIT_FRONT;
	}
	free(argv);
	return rc;
}

static int unknown(const char *typed)
{
	const struct front_command *near = front_command_near(typed);

	if (near)
		complain("no command '%s': did you mean %s?", typed, near->name);
	else
		complain("no command '%s'; pitrace lists them", typed);
	return EXIT_FRONT;
}

int main(int argc, char **argv)
{
	const struct front_command *c;
	char *help_words[] = { "--help", NULL }, **args;
	bool pages = argc < 2 || strcmp(argv[1], "--no-pager"), of_one;

	if (!pages) {
		argv++;
		argc--;
	}
	of_one = argc > 2 && !strcmp(argv[1], "help");
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    (argc == 2 && !strcmp(argv[1], "help")))
		return help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("pitrace %s\n", PITRACE_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "--complete"))
		return complete();
	c = front_command_find(argv[of_one ? 2 : 1]);
	if (!c)
		return unknown(argv[of_one ? 2 : 1]);
	args = of_one ? help_words : argv + 2;
	return become(front_command_for(c, args), args, pages);
}

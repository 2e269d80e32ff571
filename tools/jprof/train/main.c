/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jprof-train: minima for the agent libjprof, by a Java program that makes each sequence. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "option_store.h"
#include "option_table.h"
#include "train.h"

#define EXIT_UNSETTLED 1 /* the last passes still changed minima */
#define EXIT_TRAIN     125

static const struct option_row rows[] = {
	{ { "-m" },
	  "METRIC[,...]",
	  "what is measured, as the agent's METRICS= has it (default: wall)",
	  option_text,
	  OPTION_TO(struct train, metrics),
	  .complete = "@metrics" },
	{ { "-c" },
	  "FILE",
	  "where the minima are kept (default: in the user's cache)",
	  option_text,
	  OPTION_TO(struct train, file),
	  .complete = "@file" },
	{ { "-j" },
	  "JAVA",
	  "the VM's program (default: $JAVA_HOME/bin/java, else java)",
	  option_text,
	  OPTION_TO(struct train, java),
	  .complete = "@file" },
	{ { "-n" },
	  "PASSES",
	  "so many passes at most (default: 30)",
	  option_number,
	  OPTION_TO(struct train, passes),
	  .least = 1,
	  .most = 10000 },
	{ { "-p" },
	  NULL,
	  "by the VM's own probes, as the agent's MODE=probes, not by changed classes",
	  option_set,
	  OPTION_TO(struct train, probes) },
	{ { "-f" },
	  NULL,
	  "floors, too: trace the instructions of the trainer without the agent",
	  option_set,
	  OPTION_TO(struct train, floors) },
	{ { "-l" },
	  NULL,
	  "list each sequence that there can be, with its minima",
	  option_set,
	  OPTION_TO(struct train, list) },
	OPTION_HELP_ROWS,
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
static const struct option_table table = {
	.program = "jprof-train",
	.parts = parts,
	.ends = true,
	.usage =
		"usage: jprof-train [-m METRIC[,...]] [-c FILE] [-j JAVA] [-n PASSES] [-p] [-f] [-l] [-- VMOPTION...]\n",
	.notes =
		"It runs a trainer until two passes one after the other change no minimum, then shows which\n"
		"sequences of events and types of methods were seen, of those that there can be.\n\n"
		"Exit code: 0; 1: minima still changed in the last passes; 125: it failed.",
};

static int train(const struct train *how)
{
	uint32_t quiet = 0, changed;
	struct trainer t;
	uint64_t pass;
	bool good = trainer_begin(&t, how);

	for (pass = 1; good && quiet < 2 && pass <= how->passes; pass++) {
		good = trainer_run(&t, &changed);
		if (!good)
			break;
		quiet = changed ? 0 : quiet + 1;
		printf("pass %llu: minima that are new or less: %u\n", (unsigned long long)pass,
		       changed);
		fflush(stdout);
	}
	if (good && how->floors)
		good = trainer_floors(&t, stdout);
	good = good && reached_show(stdout, t.file, how->list);
	trainer_end(&t);
	if (good && quiet < 2)
		complain("minima still changed in the last two passes (-n is how many there are)");
	return good ? quiet < 2 ? EXIT_UNSETTLED : 0 : EXIT_TRAIN;
}

int main(int argc, char **argv)
{
	struct train how = { .passes = 30 };
	struct option_rest rest;
	int code;

	switch (options_parse(&table, 0, &how, argc, argv, &rest)) {
	case OPTIONS_TAKEN:
		break;
	case OPTIONS_DONE:
		return 0;
	default:
		return EXIT_TRAIN;
	}
	how.words = rest.words;
	signal(SIGPIPE, SIG_IGN);
	code = train(&how);
	if (fflush(stdout) || ferror(stdout)) {
		complain("standard output cannot be written: %s", strerror(errno));
		return EXIT_TRAIN;
	}
	return code;
}

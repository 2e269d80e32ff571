/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jprof-train: measures minima for the agent libjprof by a Java program that runs each sequence. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "option_store.h"
#include "option_table.h"
#include "children.h"
#include "train.h"

#define EXIT_UNSETTLED 1 /* the last passes still changed minima */
#define EXIT_TRAIN     125
#define QUIET          2u  /* consecutive quiet passes that end the training: */
#define FEW            200 /* a quiet pass changes at most one of so many values */

static const struct option_row rows[] = {
	{ { "-m" },
	  "METRIC[,...]",
	  "the metrics, as in the agent's METRICS= (default: wall)",
	  option_text,
	  OPTION_TO(struct train, metrics),
	  .complete = "@metrics" },
	{ { "-c" },
	  "FILE",
	  "the file of the minima (default: in the user's cache)",
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
	  "maximum number of passes (default: 30)",
	  option_number,
	  OPTION_TO(struct train, passes),
	  .least = 1,
	  .most = 10000 },
	{ { "-p" },
	  NULL,
	  "use the VM's probes, as the agent's MODE=probes, not changed classes",
	  option_set,
	  OPTION_TO(struct train, probes) },
	{ { "-f" },
	  NULL,
	  "also measure floors: trace the trainer's instructions without the agent",
	  option_set,
	  OPTION_TO(struct train, floors) },
	{ { "-l" },
	  NULL,
	  "list each possible sequence with its minima",
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
		"It runs a trainer until, in two consecutive passes, at most one of 200 minima changes by more\n"
		"than a step of the metric or 2 %. Then it prints how many of the possible sequences of events\n"
		"and types of methods were seen, and why other sequences are impossible.\n\n"
		"Exit code: 0; 1: minima still changed in the last passes; 125: it failed.",
};

static void print_pass(uint64_t pass, const struct pass_changes *c)
{
	printf("pass %" PRIu64 ": minima %" PRIu32 ", of them new %" PRIu32 ", other %" PRIu32
	       ", the same but for a step of the metric or 2 %% %" PRIu32 "\n",
	       pass, c->seen, c->fresh, c->moved, c->near);
	fflush(stdout);
}

static bool is_quiet(const struct pass_changes *c)
{
	return c->fresh + c->moved <= c->seen / FEW;
}

/* The results of earlier passes are kept, however the last pass ends. */
static int train(const struct train *how)
{
	struct pass_changes changed = { 0 };
	uint32_t quiet = 0;
	struct trainer t;
	uint64_t pass;
	bool good = trainer_begin(&t, how);

	for (pass = 1; good && !run_interrupted && quiet < QUIET && pass <= how->passes; pass++) {
		good = trainer_run(&t, &changed);
		if (good && !run_interrupted) {
			quiet = is_quiet(&changed) ? quiet + 1 : 0;
			print_pass(pass, &changed);
		}
	}
	good &= trainer_keep(&t);
	if (good && how->floors && !run_interrupted)
		good = trainer_floors(&t, stdout);
	if (good && t.passes.n)
		good = reached_show(stdout, t.file, how->list);
	trainer_end(&t);
	if (run_interrupted)
		return EXIT_UNSETTLED;
	if (good && quiet < QUIET)
		complain("not settled: one of the last %u of %" PRIu64
			 " passes changed more than one of %d minima (in the last: new %" PRIu32
			 ", other %" PRIu32 "); all are kept: more passes (-n) continue from them",
			 QUIET, how->passes, FEW, changed.fresh, changed.moved);
	return good ? quiet < QUIET ? EXIT_UNSETTLED : 0 : EXIT_TRAIN;
}

/* Ends by the default action of the signal. */
static void end_by(int number)
{
	fflush(stdout);
	complain("ended by signal %d (%s): the measurements so far are kept", number,
		 strsignal(number));
	signal(number, SIG_DFL);
	raise(number);
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
	run_catch();
	code = train(&how);
	if (run_interrupted)
		end_by(run_interrupted);
	if (fflush(stdout) || ferror(stdout)) {
		complain("standard output cannot be written: %s", strerror(errno));
		return EXIT_TRAIN;
	}
	return code;
}

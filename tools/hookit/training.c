/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "training.h"

#include <pthread.h>
#include <signal.h>

#include "hook_thread.h"
#include "metrics.h"
#include "minima.h"

#define TURNS 400 /* at least CALIBRATION_TRAINED */

void training_throw(void)
{
	hook_self.thrown = hook_self.tree->depth;
}

/* By a tree that nobody sees. */
static void run(struct call_thread *t, training_turn *turn)
{
	struct call_thread *had = hook_self.tree;
	sigset_t all, mask;
	bool was = hook_on;

	/* Handlers may be the program's functions. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);

	hook_thread_stack(t);
	hook_self.tree = t;
	hook_on = true;
	hook_read_late(t);
	for (int i = 0; i < TURNS; i++) {
		hook_self.thrown = 0;
		turn();
	}
	hook_on = was;
	hook_self.thrown = 0;
	hook_self.tree = had;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static bool is_trained(const struct calibration *c)
{
	uint16_t s = sequence(TYPE_FUNCTION, EVENT_UNWIND, TYPE_FUNCTION, EVENT_UNWIND,
			      TYPE_FUNCTION);

	/* Some more each time, until nothing is learnt that matters: of one that is seldom else. */
	return c->times[s] >= 20 * TURNS;
}

void training_run(struct log_rt *log, bool entry)
{
	struct calibration learnt;
	struct call_thread *t;

	if (!log->trained || !log->file || is_trained(log->trained))
		return;
	if (calibration_init(&learnt, metrics_count()))
		return;
	t = hook_tree_new();
	if (t) {
		run(t, entry ? training_entry : training_instrumented);
		calibration_add(&learnt, t);
		for (uint32_t s = 0; s < SEQUENCES; s++)
			learnt.times[s] = t->spread[(size_t)s * t->metrics].times;
		minima_learn(log, &learnt);
		call_thread_free(t);
	}
	calibration_free(&learnt);
}

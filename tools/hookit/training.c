/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "training.h"

#include <pthread.h>
#include <signal.h>

#include "hook_events.h"
#include "hook_thread.h"
#include "metrics.h"
#include "minima.h"

#define TURNS 400 /* at least CALIBRATION_TRAINED */

void training_throw(void)
{
	hook_self.thrown = hook_self.tree->depth;
}

#if defined(__x86_64__)
/*
 * What a sequence takes beside the events, in instructions, by what came and what went: a return
 * counts with its caller, where the end is told before it, or with what returns, where that is told
 * behind it.
 */
static const struct exact {
	training_turns *turns;
	uint8_t own[2][2];
} exact[] = {
	[TRAINING_ENTRY] = { training_entry,
			     { [EVENT_ENTER] = { [EVENT_ENTER] = 2, [EVENT_LEAVE] = 0 },
			       [EVENT_LEAVE] = { [EVENT_ENTER] = 2, [EVENT_LEAVE] = 2 } } },
	[TRAINING_SITES] = { training_sites,
			     { [EVENT_ENTER] = { [EVENT_ENTER] = 2, [EVENT_LEAVE] = 1 },
			       [EVENT_LEAVE] = { [EVENT_ENTER] = 1, [EVENT_LEAVE] = 2 } } },
};

#define PLAIN_TURNS        250
#define PLAIN_INSTRUCTIONS 40 /* of a turn */
#define TRIES              20

/* What an instruction of these functions takes of each metric, as they are. */
static void plain_costs(uint32_t metrics, double *each)
{
	uint64_t before[CALL_METRICS], after[CALL_METRICS];

	for (uint32_t i = 0; i < metrics; i++)
		each[i] = 0;
	for (int try = 0; try < TRIES; try++) {
		hook_early(before);
		training_plain(PLAIN_TURNS);
		hook_early(after);
		for (uint32_t i = 0; i < metrics; i++) {
			double took = (double)(after[i] - before[i]) /
				      (PLAIN_TURNS * PLAIN_INSTRUCTIONS);

			if (!try || took < each[i])
				each[i] = took;
		}
	}
}

static void set_floors(struct calibration *c, const struct exact *e)
{
	double each[CALL_METRICS];

	plain_costs(c->metrics, each);
	for (uint32_t came = 0; came < 2; came++) {
		for (uint32_t went = 0; went < 2; went++) {
			for (uint32_t top = TYPE_OTHER; top <= TYPE_FUNCTION; top++) {
				uint16_t s = sequence(TYPE_FUNCTION, came, TYPE_FUNCTION, went,
						      top);

				for (uint32_t i = 0; i < c->metrics; i++)
					c->floor[(size_t)sequence_floor(s) * c->metrics + i] =
						(uint64_t)(e->own[came][went] * each[i] + 0.5);
			}
		}
	}
}

static void run_exact(struct calibration *learnt, enum training_way way)
{
	if (way == TRAINING_INSTRUMENTED)
		return;
	exact[way].turns(TURNS);
	set_floors(learnt, &exact[way]);
}
#else
static void run_exact(struct calibration *learnt, enum training_way way)
{
	(void)learnt, (void)way;
}
#endif

/* Whose functions are compiled as programs are: nothing of theirs is known but by being run. */
static training_turn *const compiled[] = {
	[TRAINING_INSTRUMENTED] = training_instrumented,
	[TRAINING_ENTRY] = training_fentry,
	[TRAINING_SITES] = NULL,
};

/* By a tree that nobody sees. */
static void run(struct call_thread *t, struct calibration *learnt, enum training_way way)
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
	for (int i = 0; i < TURNS && compiled[way]; i++) {
		hook_self.thrown = 0;
		compiled[way]();
	}
	hook_self.thrown = 0;
	run_exact(learnt, way);
	hook_on = was;
	hook_self.tree = had;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static bool is_trained(const struct calibration *c, enum training_way way)
{
	enum call_event seldom = compiled[way] ? EVENT_UNWIND : EVENT_LEAVE;
	uint16_t s = sequence(TYPE_FUNCTION, seldom, TYPE_FUNCTION, seldom, TYPE_FUNCTION);

	/* Some more each time, until nothing is learnt that matters: of one that is seldom else. */
	return c->times[s] >= 20 * TURNS;
}

void training_run(struct log_rt *log, enum training_way way)
{
	struct calibration learnt;
	uint64_t step[CALL_METRICS];
	struct call_thread *t;

	if (!log->trained || is_trained(log->trained, way))
		return;
	if (calibration_init(&learnt, metrics_count()))
		return;
	t = hook_tree_new();
	if (t) {
		run(t, &learnt, way);
		calibration_add(&learnt, t);
		for (uint32_t i = 0; i < metrics_count(); i++)
			step[i] = metrics_get(i)->step;
		calibration_even(&learnt, t->spread, step);
		for (uint32_t s = 0; s < SEQUENCES; s++)
			learnt.times[s] = t->spread[(size_t)s * t->metrics].times;
		minima_learn(log, &learnt);
		call_thread_free(t);
	}
	calibration_free(&learnt);
}

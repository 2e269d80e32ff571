/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "training.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

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
 * Instructions of a sequence besides the events, by the event that begins it and the event that
 * ends it: a return counts with its caller if the exit is reported before it, or with the returning
 * function if the exit is reported after it.
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
#define PLAIN_INSTRUCTIONS 40 /* in a turn */
#define TRIES              20

/* Measures what an instruction of the uninstrumented functions takes of each metric. */
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

/* ---- events that cost more than a return ----------------------------------------------------- */

_Static_assert(offsetof(struct training_jump, left) == 200, "as training_exact.S has it");
_Static_assert(offsetof(struct training_jump, jump) == 208, "as training_exact.S has it");

/* Own instructions of the parts of a turn, as in training_exact.S: a leaf that returns (its return,
 * if the end is reported after it), from there to the next call, a follower, a jumper, from a jump
 * to the next call, and all of a plain turn of jumps but the jump itself. */
static const struct own {
	training_turns *leaves, *follows;
	training_jumps *jumps;
	uint8_t leaf, next;
} own[] = {
	[TRAINING_ENTRY] = { training_entry_leaves, NULL, training_entry_jumps, 0, 4 },
	[TRAINING_SITES] = { training_sites_leaves, training_sites_follows, training_sites_jumps, 1,
			     3 },
};
#define OWN_FOLLOWER   1
#define OWN_JUMPER     3
#define OWN_AFTER_JUMP 4
#define OWN_PLAIN_JUMP (OWN_AFTER_JUMP + OWN_JUMPER)

/* Cycles of a turn, in the function that is called first and in its caller. */
struct turn_cost {
	double called, between;
};

typedef void one_run(const struct own *o, hook_jump *jump);

static void run_leaves(const struct own *o, hook_jump *jump)
{
	(void)jump;
	o->leaves(PLAIN_TURNS);
}

static void run_follows(const struct own *o, hook_jump *jump)
{
	(void)jump;
	o->follows(PLAIN_TURNS);
}

static void run_jumps(const struct own *o, hook_jump *jump)
{
	struct training_jump j = { .left = PLAIN_TURNS, .jump = jump };

	o->jumps(&j);
}

/* Returns the minimum of several tries, measured in a separate tree. */
static struct turn_cost cost_of(one_run *run, const struct own *o, hook_jump *jump)
{
	struct turn_cost least = { 0, 0 };
	struct call_thread *had = hook_self.tree, *t = hook_tree_new();

	if (!t)
		return least;
	hook_thread_stack(t);
	hook_self.tree = t;
	hook_read_late(t);
	for (int try = 0; try < TRIES; try++) {
		uint64_t before[] = { t->raw[0], t->raw[1] };
		double called, between;

		run(o, jump);
		between = (double)(t->raw[0] - before[0]) / PLAIN_TURNS;
		called = (double)(t->raw[1] - before[1]) / PLAIN_TURNS;
		if (!try || called < least.called)
			least.called = called;
		if (!try || between < least.between)
			least.between = between;
	}
	hook_self.tree = had;
	call_thread_free(t);
	return least;
}

/* Measures the C library's jump, including the instructions around it. */
static double plain_jump(hook_jump *real)
{
	uint64_t before[CALL_METRICS], after[CALL_METRICS];
	double least = 0;

	for (int try = 0; try < TRIES; try++) {
		struct training_jump j = { .left = PLAIN_TURNS, .jump = real };
		double took;

		hook_early(before);
		training_plain_jumps(&j);
		hook_early(after);
		took = (double)(after[0] - before[0]) / PLAIN_TURNS;
		if (!try || took < least)
			least = took;
	}
	return least;
}

static double at_least_0(double value)
{
	return value > 0 ? value : 0;
}

static int64_t rounded(double value)
{
	return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* Learns how much more the events without minima (jumps) cost than the return of a leaf, which is
 * trained. Requires cycles as the only metric, and known floors. */
static void find_extras(enum training_way way)
{
	const struct own *o = &own[way];
	hook_jump *ours, *real;
	struct turn_cost leaf, jump;
	double each[CALL_METRICS], itself;

	hook_extra = (struct hook_extra){ 0 };
	if (way == TRAINING_INSTRUMENTED || hook_reading != HOOK_CYCLES || !hook_plain)
		return;
	plain_costs(1, each);
	leaf = cost_of(run_leaves, o, NULL);
	leaf.called -= o->leaf * each[0];
	leaf.between -= o->next * each[0];
	if (o->follows)
		hook_extra.follow =
			(uint64_t)rounded(at_least_0(cost_of(run_follows, o, NULL).called -
						     OWN_FOLLOWER * each[0] - leaf.called));
	interpose_jumps(&ours, &real);
	if (!real)
		return;
	itself = at_least_0(plain_jump(real) - OWN_PLAIN_JUMP * each[0]);
	jump = cost_of(run_jumps, o, ours);
	hook_extra.jump_before =
		rounded(itself + leaf.called - (jump.called - OWN_JUMPER * each[0]));
	hook_extra.jump_behind = rounded(jump.between - OWN_AFTER_JUMP * each[0] - leaf.between);
	hook_extra.jumps = true;
}
#else
static void run_exact(struct calibration *learnt, enum training_way way)
{
	(void)learnt, (void)way;
}

static void find_extras(enum training_way way)
{
	(void)way;
}
#endif

/* Functions that are compiled as programs are: their costs are known only by running them. */
static training_turn *const compiled[] = {
	[TRAINING_INSTRUMENTED] = training_instrumented,
	[TRAINING_ENTRY] = training_fentry,
	[TRAINING_SITES] = NULL,
};

/* Runs the training in a tree that is in no log. */
static void run(struct call_thread *t, struct calibration *learnt, enum training_way way)
{
	struct call_thread *had = hook_self.tree;

	hook_thread_stack(t);
	hook_self.tree = t;
	hook_read_late(t);
	for (int i = 0; i < TURNS && compiled[way]; i++) {
		hook_self.thrown = 0;
		compiled[way]();
	}
	hook_self.thrown = 0;
	run_exact(learnt, way);
	hook_self.tree = had;
}

static bool is_trained(const struct calibration *c, enum training_way way)
{
	enum call_event seldom = compiled[way] ? EVENT_UNWIND : EVENT_LEAVE;
	uint16_t s = sequence(TYPE_FUNCTION, seldom, TYPE_FUNCTION, seldom, TYPE_FUNCTION);

	/* Trains again in each run until the rarest sequence has been seen often enough. */
	return c->times[s] >= 20 * TURNS;
}

static void learn(struct log_rt *log, enum training_way way)
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

void training_run(struct log_rt *log, enum training_way way)
{
	sigset_t all, mask;
	bool was = hook_on;

	/* Blocks all signals: their handlers may call functions of the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	hook_on = true;
	learn(log, way);
	find_extras(way);
	hook_on = was;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

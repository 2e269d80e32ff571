/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Distinct stacks, kept with their addresses until there are too many: then all are dropped and
 * resolved again. The counts are in the call tree, so none is lost.
 */
#include "model/stacks.h"

#include <string.h>

#include "model/stack_hash.h"

#define MAX_RAW   (1u << 20)
#define MAX_WORDS (1u << 23) /* 64 MB */

struct raw_stack {
	uint64_t hash;
	uint64_t epoch; /* of the names in its process's memory */
	uint32_t process;
	uint32_t kernel, user; /* number of addresses of each part */
	bool in_kernel;        /* of the sampled address */
	bool callers;          /* without the sampled address: for all samples in the function */
	bool judged;           /* its frame pointers were checked */
	bool ends;             /* at the trace's depth, which judging must know */
	uint32_t at;           /* index in words: the sampled address or 0, then the addresses */

	/* Results: */
	uint16_t flags;
	uint32_t call;
};

/* The key of a look-up, with the stack's addresses still in the record. */
struct probe {
	const struct stacks *stacks;
	struct raw_stack raw;
	uint64_t address;
	const stack_word *words;
};

/* Flags beyond the record's: the results of walking a stack's copy, or of checking its
 * addresses. */
#define WRONG      0x0800
#define PARTIAL    0x1000
#define COPY_SHORT 0x2000
#define NO_TABLE   0x4000
#define GUESSED    0x8000
#define MADE       (WRONG | PARTIAL | COPY_SHORT | NO_TABLE | GUESSED)

static bool is_same(const struct probe *p, const struct raw_stack *a)
{
	const uint64_t *words = p->stacks->word + a->at;

	return a->hash == p->raw.hash && a->epoch == p->raw.epoch && a->process == p->raw.process &&
	       a->in_kernel == p->raw.in_kernel && a->callers == p->raw.callers &&
	       a->judged == p->raw.judged && a->ends == p->raw.ends && a->kernel == p->raw.kernel &&
	       a->user == p->raw.user && words[0] == p->address &&
	       !memcmp(words + 1, p->words, 8ull * (a->kernel + a->user));
}

static void forget(struct stacks *st)
{
	keys_free(&st->by_raw);
	st->nraw = 0;
	st->nword = 0;
}

static int remember(struct stacks *st, const struct probe *p)
{
	uint32_t n = p->raw.kernel + p->raw.user;
	struct raw_stack *raw;

	if (st->nraw == MAX_RAW || st->nword + n + 1 > MAX_WORDS)
		forget(st);
	if (array_room(st->word, st->room_word, st->nword + n + 1) ||
	    keys_next(&st->by_raw, p->raw.hash, st->raw, st->nraw, st->room_raw))
		return -ENOMEM;
	raw = &st->raw[st->nraw++];
	*raw = p->raw;
	raw->at = st->nword;
	st->word[st->nword] = p->address;
	memcpy(st->word + st->nword + 1, p->words, 8ull * n);
	st->nword += n + 1;
	return 0;
}

/* Adds a part's calls, outermost first, up to the address at index `to`. All addresses but the
 * first are return addresses, which may belong to the next function or line: the call is before
 * them. */
static int add_part(struct stacks *st, struct names *n, const struct stacks_hit *hit,
		    const stack_word *address, uint32_t count, uint32_t to, bool kernel,
		    uint32_t *call)
{
	uint32_t i, symbol;
	int rc;

	for (i = count; i-- > to;) {
		rc = names_address(n, hit->pid, address[i] - (i ? 1 : 0), hit->time, kernel,
				   &symbol);
		if (rc)
			return rc;
		*call = calls_get(&st->calls, *call, symbol, kernel);
		if (*call == NO_KEY)
			return -ENOMEM;
	}
	return 0;
}

/* Returns whether a stack's first address is the sampled one, whose symbol is already known. */
static bool begins_with_hit(const struct stacks_hit *hit, const struct stack *s)
{
	if (!hit->address)
		return false;
	if (hit->kernel)
		return s->head->kernel && s->kernel[0] == hit->address;
	return !s->head->kernel && s->head->user && s->user[0] == hit->address;
}

/* Resolves a stack with the first `user` addresses of its user part. */
static int resolve(struct stacks *st, struct names *n, const struct stacks_hit *hit,
		   const struct stack *s, uint32_t user, bool callers, uint32_t *call)
{
	uint32_t count = hit->kernel ? s->head->kernel : user;
	const stack_word *part = hit->kernel ? s->kernel : s->user;
	int rc;

	*call = calls_get(&st->calls, NO_KEY, hit->process, false);
	if (*call == NO_KEY)
		return -ENOMEM;
	rc = add_part(st, n, hit, s->user, user, callers && !hit->kernel, false, call);
	if (!rc && hit->kernel)
		rc = add_part(st, n, hit, s->kernel, s->head->kernel, callers, true, call);
	/* The sampled address is the innermost call, even if its part of the stack is missing. */
	if (!rc && !callers && !(count && part[0] == hit->address)) {
		*call = calls_get(&st->calls, *call, hit->leaf, hit->kernel);
		rc = *call == NO_KEY ? -ENOMEM : 0;
	}
	return rc;
}

static void count_ends(struct stacks *st, uint16_t ended, uint64_t ticks)
{
	static const uint16_t flags[STACKS_ENDS] = {
		[STACKS_CUT_KERNEL] = PITRACE_STACK_CUT_K,
		[STACKS_CUT_USER] = PITRACE_STACK_CUT_U,
		[STACKS_FAULT] = PITRACE_STACK_FAULT,
		[STACKS_NONE_KERNEL] = PITRACE_STACK_NONE_K,
		[STACKS_NONE_USER] = PITRACE_STACK_NONE_U,
		[STACKS_COPY_SHORT] = COPY_SHORT,
		[STACKS_NO_TABLE] = NO_TABLE,
		[STACKS_GUESSED] = GUESSED,
		[STACKS_WRONG] = WRONG,
		[STACKS_PARTIAL] = PARTIAL,
	};
	unsigned int i;

	for (i = 0; i < STACKS_ENDS; i++) {
		if (ended & flags[i])
			st->ended[i] += ticks;
	}
}

const char *stacks_end_words(enum stacks_end end)
{
	static const char *const words[STACKS_ENDS] = {
		[STACKS_CUT_KERNEL] = "kernel part deeper than the trace's depth",
		[STACKS_CUT_USER] = "user part deeper than the trace's depth",
		[STACKS_FAULT] = "user memory was not accessible",
		[STACKS_NONE_KERNEL] = "this kernel provides no stack there",
		[STACKS_NONE_USER] = "no user code, or none that can be walked",
		[STACKS_COPY_SHORT] = "the copy of the user stack was too short",
		[STACKS_NO_TABLE] = "no unwind table for the code there",
		[STACKS_GUESSED] = "continued by frame pointers, without unwind table",
		[STACKS_WRONG] =
			"cut: the code there has no frame pointers, its callers would be wrong",
		[STACKS_PARTIAL] = "callers are missing: some of the code has no frame pointers",
	};

	return words[end];
}

/* Returns the index of a process's trace. */
static uint32_t number_of(const struct stacks *st, uint32_t pid)
{
	uint32_t i = st->nfrom > 1 ? origin_of(pid) : 0;

	return i < st->nfrom ? i : 0;
}

static const struct stacks_from *from_of(const struct stacks *st, uint32_t pid)
{
	return &st->from[number_of(st, pid)];
}

int stacks_unwind(struct stacks *st, struct names *n, uint32_t pid, uint64_t time,
		  const struct stack *s, struct unwound *out)
{
	return unwind_stack(st->unwind, from_of(st, pid)->machine, pid, time, names_epoch(n, pid),
			    s, out);
}

/* Returns whether a user part was found by frame pointers and can be checked. */
static bool can_judge(const struct stacks *st, uint32_t pid, const struct stack *s)
{
	return from_of(st, pid)->judged && s->head->user && !(s->head->flags & STACK_BY_AGENT);
}

static uint16_t flags_of(const struct frames_judged *is)
{
	return is->wrong ? WRONG : is->partial ? PARTIAL : 0;
}

static void make(struct stacks *st, const struct stack *s, const struct pitrace_stack *head,
		 const void *user, struct stack *made)
{
	struct pitrace_stack *h = st->made;

	*h = *head;
	made->head = h;
	made->kernel = (stack_word *)(h + 1);
	made->user = made->kernel + h->kernel;
	memcpy(h + 1, s->kernel, 8ull * h->kernel);
	memcpy((uint8_t *)(h + 1) + 8ull * h->kernel, user, 8ull * h->user);
}

/* Replaces the copy of a stack by the calls found in it. */
static int walk_copy(struct stacks *st, struct names *n, const struct stacks_hit *hit,
		     const struct stack *s, struct stack *made)
{
	struct unwound *u = st->unwound;
	uint16_t flags = s->head->flags & (uint16_t)~MADE;
	struct frames_judged is = { .right = s->head->user };
	int rc = stacks_unwind(st, n, hit->pid, hit->time, s, u);

	if (rc)
		return rc;
	/* Frame pointers may have found more calls where unwind tables are missing. */
	if (u->end != UNWIND_WHOLE && can_judge(st, hit->pid, s))
		is = frame_pointers_judge(st->frame_pointers, hit->pid, hit->time,
					  names_epoch(n, hit->pid), s);
	if (u->end != UNWIND_WHOLE && u->count < is.right) {
		memcpy(u->address, s->user, 8ull * is.right);
		u->count = is.right;
		u->guessed = true;
		flags |= flags_of(&is);
	} else {
		flags &= (uint16_t) ~(PITRACE_STACK_CUT_U | PITRACE_STACK_FAULT);
		flags |= u->end == UNWIND_CUT   ? PITRACE_STACK_CUT_U :
			 u->end == UNWIND_SHORT ? COPY_SHORT :
			 u->end == UNWIND_LOST  ? NO_TABLE :
						  0;
	}
	make(st, s,
	     &(struct pitrace_stack){
		     .kernel = s->head->kernel,
		     .user = (uint16_t)u->count,
		     .flags = flags | (u->guessed ? GUESSED : 0),
	     },
	     u->address, made);
	return 0;
}

int stacks_leaf(struct stacks *st, uint32_t process, uint32_t symbol, bool kernel, uint64_t ticks)
{
	uint32_t i = calls_get(&st->calls, NO_KEY, process, false);

	if (i != NO_KEY)
		i = calls_get(&st->calls, i, symbol, kernel);
	if (i == NO_KEY)
		return -ENOMEM;
	st->calls.call[i].self += ticks;
	st->last = i;
	return 0;
}

int stacks_call(struct stacks *st, struct names *n, const struct stacks_hit *hit,
		const struct stack *s, uint32_t *call)
{
	if (s)
		return stacks_find(st, n, hit, s, call);
	*call = calls_get(&st->calls, NO_KEY, hit->process, false);
	if (*call != NO_KEY)
		*call = calls_get(&st->calls, *call, hit->leaf, hit->kernel);
	return *call == NO_KEY ? -ENOMEM : 0;
}

/* Finds the call of a place. Its innermost call is named by the sampled address, as in other
 * stacks. */
static int find_place(struct stacks *st, struct names *n, const struct stacks_hit *hit,
		      const struct stack *s, uint32_t *call)
{
	struct place_wanted want = {
		.origin = number_of(st, hit->pid),
		.process = hit->process,
		.pid = hit->pid,
		.time = hit->time,
	};
	struct stack_place place = { .caller = NO_KEY };
	int rc;

	stack_place(st->places.in, want.origin, stack_place_of(s), &place);
	want.number = place.caller;
	rc = stack_places_call(&st->places, &st->calls, n, &want, call);
	if (rc)
		return rc;
	*call = calls_get(&st->calls, *call, hit->leaf, hit->kernel);
	return *call == NO_KEY ? -ENOMEM : 0;
}

/* Resolves a stack that was not found, without callers that cannot be correct, and keeps it.
 * Judging sees the whole stack, unless its first address, which is not part of it, was judged. */
static int add_stack(struct stacks *st, struct names *n, const struct stacks_hit *hit,
		     const struct stack *s, uint32_t user, struct probe *p)
{
	struct frame_pointers *f = st->frame_pointers;
	struct frames_judged is = { .right = (uint16_t)user };
	int rc;

	if (p->raw.judged && p->raw.callers && !hit->kernel)
		is = frame_pointers_callers(f, hit->pid, hit->time, p->raw.epoch, s);
	else if (p->raw.judged)
		is = frame_pointers_judge(f, hit->pid, hit->time, p->raw.epoch, s);
	p->raw.flags = flags_of(&is);
	rc = resolve(st, n, hit, s, is.right, p->raw.callers, &p->raw.call);
	return rc ? rc : remember(st, p);
}

int stacks_find(struct stacks *st, struct names *n, const struct stacks_hit *hit,
		const struct stack *s, uint32_t *call)
{
	struct probe p = { .stacks = st };
	bool callers, judged;
	uint64_t epoch;
	uint16_t flags;
	struct stack made;
	uint32_t i, user;
	int rc;

	if (s->head->flags & STACK_PLACE)
		return find_place(st, n, hit, s, call);
	flags = s->head->flags & (uint16_t)~MADE;
	judged = can_judge(st, hit->pid, s);
	if (s->head->flags & PITRACE_STACK_COPY) {
		rc = walk_copy(st, n, hit, s, &made);
		if (rc)
			return rc;
		s = &made;
		flags = s->head->flags;
		judged = false;
	}
	epoch = names_epoch(n, hit->pid);
	user = s->head->user;
	/* Samples hit many addresses of one function, which has few callers: these share their
	 * stacks. */
	callers = begins_with_hit(hit, s);
	if (judged && callers && !hit->kernel) {
		struct frames_judged is = frame_pointers_leaf(st->frame_pointers, hit->pid,
							      hit->time, epoch, s);

		flags |= flags_of(&is);
		if (is.wrong) {
			user = 1;
			judged = false;
		}
	}
	p.address = callers ? 0 : hit->address;
	p.words = s->kernel + callers;
	p.raw = (struct raw_stack){
		.epoch = epoch,
		.process = hit->process,
		.kernel = s->head->kernel - (callers && hit->kernel),
		.user = user - (callers && !hit->kernel),
		.in_kernel = hit->kernel,
		.callers = callers,
		.judged = judged,
		.ends = judged && s->head->flags & PITRACE_STACK_CUT_U,
	};
	p.raw.hash = hash_words(p.words, p.raw.kernel + p.raw.user,
				hash_mix(p.address, p.raw.process ^ p.raw.epoch << 20));
	i = keys_find(&st->by_raw, p.raw.hash, st->raw, e, is_same(&p, e));
	if (i == NO_KEY) {
		rc = add_stack(st, n, hit, s, user, &p);
		if (rc)
			return rc;
		i = st->nraw - 1;
	}
	flags |= st->raw[i].flags;
	if (flags & WRONG)
		flags &= (uint16_t)~PARTIAL;
	if (flags)
		count_ends(st, flags, hit->ticks);
	*call = st->raw[i].call;
	if (!callers)
		return 0;
	*call = calls_get(&st->calls, *call, hit->leaf, hit->kernel);
	return *call == NO_KEY ? -ENOMEM : 0;
}

int stacks_add(struct stacks *st, struct names *n, const struct stacks_hit *hit,
	       const struct stack *s)
{
	uint32_t call;
	int rc;

	if (!s) {
		st->without += hit->ticks;
		return stacks_leaf(st, hit->process, hit->leaf, hit->kernel, hit->ticks);
	}
	st->with += hit->ticks;
	rc = stacks_find(st, n, hit, s, &call);
	if (rc)
		return rc;
	st->calls.call[call].self += hit->ticks;
	st->last = call;
	return 0;
}

static void note_from(struct stacks_from *f, const char *machine, bool frames)
{
	f->machine = unwind_machine(machine);
	f->judged = frames && (!strcmp(machine, "x86_64") || !strcmp(machine, "i686"));
}

/* Several traces may have different machines and formats. */
static bool note_all(struct stacks *st, const struct input *in)
{
	char machine[sizeof(in->header.machine) + 1];
	bool judged = false;

	if (!in->origins) {
		snprintf(machine, sizeof(machine), "%.*s", (int)sizeof(in->header.machine),
			 in->header.machine);
		note_from(&st->from[0], machine, in->reader->frames);
	}
	for (uint32_t i = 0; i < in->origins; i++)
		note_from(&st->from[i], in->origin[i].machine, in->origin[i].frames);
	for (uint32_t i = 0; i < st->nfrom; i++)
		judged |= st->from[i].judged;
	return judged;
}

int stacks_open(struct stacks *st, struct names *n, const struct input *in)
{
	calls_begin(&st->calls, in->size);
	st->nfrom = in->origins ? in->origins : 1;
	st->from = calloc(st->nfrom, sizeof(*st->from));
	st->unwind = unwind_open(n->a2n);
	st->unwound = malloc(sizeof(*st->unwound));
	st->made = malloc(sizeof(*st->made) + 2 * 8 * PITRACE_STACK_MAX);
	st->wanted = true;
	if (!st->from || !st->unwind || !st->unwound || !st->made ||
	    stack_places_open(&st->places, in))
		return -ENOMEM;
	if (note_all(st, in)) {
		st->frame_pointers = frame_pointers_open(n->a2n);
		return st->frame_pointers ? 0 : -ENOMEM;
	}
	return 0;
}

int stacks_finish(struct stacks *st, const struct names *n)
{
	forget(st);
	free(st->raw);
	free(st->word);
	st->raw = NULL;
	st->word = NULL;
	st->room_raw = st->room_word = 0;
	return calls_finish(&st->calls, n);
}

void stacks_free(struct stacks *st)
{
	unwind_close(st->unwind);
	stack_places_free(&st->places);
	frame_pointers_close(st->frame_pointers);
	free(st->from);
	free(st->unwound);
	free(st->made);
	free(st->raw);
	free(st->word);
	keys_free(&st->by_raw);
	calls_free(&st->calls);
	*st = (struct stacks){ 0 };
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks each link of a stack, from a function to its return address, against the known facts about
 * both. Unknown code (generated code, missing files, machines other than x86) counts as correct.
 */
#include "model/frame_pointers.h"

#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "model/code_rules.h"
#include "model/stack_hash.h"

#define STACKS    (1u << 18) /* judged stacks that are kept: most stacks repeat */
#define ADDRESSES (1u << 14) /* places of both caches below, which are direct-mapped */
#define LINKS     (1u << 14)

struct judgement {
	uint64_t hash;
	uint32_t user; /* addresses: a result of another length must never be taken */
	struct frames_judged is;
};

/* In both, epoch 0: unused. */
struct known_address {
	uint64_t address, epoch;
	uint32_t pid;
	struct a2n_answer answer;
};

struct known_link {
	uint64_t address, to, epoch;
	uint32_t pid;
	bool exact, right, partial;
};

struct frame_pointers {
	struct a2n *a2n;
	struct code_rules *rules;
	struct judgement *stack;
	uint32_t stacks, room;
	struct keys by_hash;
	struct known_address address[ADDRESSES];
	struct known_link link[LINKS];

	/* The stack being checked: */
	uint32_t pid;
	uint64_t time, epoch;
};

/* The result is valid until the next call. */
static const struct a2n_answer *at(struct frame_pointers *f, uint64_t address)
{
	struct known_address *k = &f->address[hash_mix(f->pid, address) % ADDRESSES];

	if (k->address != address || k->pid != f->pid || k->epoch != f->epoch) {
		a2n_resolve(f->a2n, f->pid, f->time, address, false, &k->answer);
		k->address = address;
		k->pid = f->pid;
		k->epoch = f->epoch;
	}
	return &k->answer;
}

/* Returns whether the call before `address` is to a function without a frame: its frame pointer
 * walk cannot have led there. */
static bool owns_no_frame(struct frame_pointers *f, uint64_t address)
{
	const struct a2n_module *module = at(f, address)->module;
	uint64_t offset = at(f, address)->module_offset;
	const struct a2n_answer *callee;
	int64_t reach;

	if (!code_calls_direct(f->rules, module, offset, &reach))
		return false;
	callee = at(f, address + (uint64_t)reach);
	return callee->module == module && callee->result == A2N_OK && !callee->symbol_offset &&
	       code_has_frame(f->rules, callee->symbol) == CODE_WITHOUT_FRAME &&
	       !code_jumps(f->rules, callee->module, callee->module_offset);
}

static bool judge_link(struct frame_pointers *f, uint64_t address, bool exact, uint64_t to,
		       bool *partial)
{
	const struct a2n_answer *here = at(f, address - !exact);

	if (here->unsure || here->result != A2N_OK ||
	    code_has_frame(f->rules, here->symbol) != CODE_WITHOUT_FRAME)
		return true;
	switch (code_rule(f->rules, here->module, here->module_offset + !exact)) {
	case CODE_FRAME_USED:
		return false;
	case CODE_FRAME_KEPT:
		*partial = true;
		return !owns_no_frame(f, to);
	default:
		return true;
	}
}

/* Returns whether the address that the frame pointer yields in a function can be its caller. This
 * may read code from the file, so results are kept. */
static bool link_is_right(struct frame_pointers *f, uint64_t address, bool exact, uint64_t to,
			  bool *partial)
{
	struct known_link *k = &f->link[hash_mix(hash_mix(address, f->pid), to) % LINKS];

	if (k->address != address || k->to != to || k->epoch != f->epoch || k->pid != f->pid ||
	    k->exact != exact) {
		*k = (struct known_link){ address, to, f->epoch, f->pid, .exact = exact };
		k->right = judge_link(f, address, exact, to, &k->partial);
	}
	*partial |= k->partial;
	return k->right;
}

/* Returns whether the address can be a return address. */
static bool can_return(struct frame_pointers *f, uint64_t address)
{
	const struct a2n_answer *to = at(f, address - 1);

	if (to->unsure)
		return true;
	if (to->result == A2N_RESULT_NO_MODULE)
		return false;
	to = at(f, address);
	return code_follows_call(f->rules, to->module, to->module_offset) != CODE_NO;
}

/* Returns whether the function starts threads: nothing calls it, or it is the C library's caller of
 * a thread's first function. */
static bool begins_thread(struct frame_pointers *f, uint64_t address)
{
	static const char *const names[] = {
		"_start",
		"_dl_start_user",
		"__libc_start_main",
		"__libc_start_call_main",
		"clone",
		"clone3",
		"start_thread",
		"_start_c",
		"start",
		"__clone",
		"libc_start_main_stage2",
		"runtime.goexit",
		"__libc_start_main_impl",
	};
	const struct a2n_answer *here = at(f, address - 1);
	const char *name = here->symbol->raw_name, *at = strchr(name, '@');
	size_t n = at ? (size_t)(at - name) : strlen(name), i;

	if (here->result != A2N_OK)
		return true; /* unknown */
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return true;
	}
	/* In a stripped C library these functions have no names. */
	return !strncmp(name, "libc+0x", 7) || !strncmp(name, "libpthread+0x", 13) ||
	       code_ends_stack(f->rules, here->module, here->module_offset + 1);
}

/* Checks all but the innermost call. */
static struct frames_judged judge(struct frame_pointers *f, const struct stack *s)
{
	struct frames_judged is = { .right = 1 };

	for (; is.right < s->head->user; is.right++) {
		uint64_t to = s->user[is.right];

		is.wrong = !can_return(f, to) ||
			   (is.right > 1 &&
			    !link_is_right(f, s->user[is.right - 1], false, to, &is.partial));
		if (is.wrong)
			return is;
	}
	/* A stack that was truncated at the trace's depth has its own flag. */
	is.partial |= !(s->head->flags & PITRACE_STACK_CUT_U) &&
		      !begins_thread(f, s->user[s->head->user - 1]);
	return is;
}

/* Judges a stack, of which most repeat. Without memory the result is not kept. */
static struct frames_judged judged(struct frame_pointers *f, const struct stack *s)
{
	bool cut = s->head->flags & PITRACE_STACK_CUT_U;
	uint64_t seed = hash_mix(f->pid, f->epoch << 1 | !cut);
	uint32_t n = s->head->user, i;
	uint64_t hash = hash_words(s->user + 1, n - 1, seed);
	struct frames_judged is;

	i = keys_find(&f->by_hash, hash, f->stack, e, e->hash == hash && e->user == n);
	if (i != NO_KEY)
		return f->stack[i].is;
	is = judge(f, s);
	if (f->stacks == STACKS) {
		keys_free(&f->by_hash);
		f->stacks = 0;
	}
	if (!keys_next(&f->by_hash, hash, f->stack, f->stacks, f->room))
		f->stack[f->stacks++] = (struct judgement){ hash, n, is };
	return is;
}

static void note(struct frame_pointers *f, uint32_t pid, uint64_t time, uint64_t epoch)
{
	f->pid = pid;
	f->time = time;
	f->epoch = epoch;
}

struct frames_judged frame_pointers_leaf(struct frame_pointers *f, uint32_t pid, uint64_t time,
					 uint64_t epoch, const struct stack *s)
{
	struct frames_judged is = { .right = s->head->user };

	note(f, pid, time, epoch);
	if (s->head->user == 1) {
		/* The first instructions of a thread have no caller. */
		is.partial = at(f, s->user[0])->result == A2N_OK &&
			     !begins_thread(f, s->user[0] + 1);
	} else if (!link_is_right(f, s->user[0], true, s->user[1], &is.partial)) {
		is = (struct frames_judged){ .right = 1, .wrong = true };
	}
	return is;
}

struct frames_judged frame_pointers_callers(struct frame_pointers *f, uint32_t pid, uint64_t time,
					    uint64_t epoch, const struct stack *s)
{
	note(f, pid, time, epoch);
	return s->head->user > 1 ? judge(f, s) : (struct frames_judged){ .right = 1 };
}

struct frames_judged frame_pointers_judge(struct frame_pointers *f, uint32_t pid, uint64_t time,
					  uint64_t epoch, const struct stack *s)
{
	struct frames_judged is = frame_pointers_leaf(f, pid, time, epoch, s), others;

	if (is.wrong || s->head->user == 1)
		return is;
	others = judged(f, s);
	others.partial |= is.partial;
	return others;
}

struct frame_pointers *frame_pointers_open(struct a2n *a)
{
	struct frame_pointers *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->a2n = a;
	f->rules = code_rules_open(a);
	if (f->rules)
		return f;
	free(f);
	return NULL;
}

void frame_pointers_close(struct frame_pointers *f)
{
	if (!f)
		return;
	code_rules_close(f->rules);
	free(f->stack);
	keys_free(&f->by_hash);
	free(f);
}

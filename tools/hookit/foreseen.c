/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "foreseen.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "hookit_text.h"
#include "hook_values.h"
#include "patched.h"

#define PROCESS_TIME 2  /* time of look-ups: after everything that A2N was given */
#define FIRST_BYTES  16 /* longer than a first instruction and an endbr64 before it */

struct foreseen {
	struct foreseen *_Atomic next;
	uintptr_t start, end;
	struct foreseen_function *list; /* by address */
	uint32_t n, room;
};

static struct foreseen *_Atomic all;
static struct foreseen *retired; /* readers may still use them */
static atomic_uint readers;

bool foreseen_find(uintptr_t address, struct foreseen_function *found)
{
	struct foreseen *f;
	bool is_there = false;

	readers++;
	for (f = all; f && address - f->start >= f->end - f->start; f = f->next)
		;
	if (f) {
		uint32_t i = search_sorted(k, 0, f->n, f->list[k].address <= address);

		/* -mfentry reports the return address of its call. */
		is_there = i && address - f->list[i - 1].address <= FIRST_BYTES;
		if (is_there)
			*found = f->list[i - 1];
	}
	readers--;
	return is_there;
}

/* ---- the functions of a file ----------------------------------------------------------------- */

struct foreseeing {
	struct a2n *names;
	uint32_t process;
	uintptr_t base;
	struct foreseen *f;
	/* Functions with requested values: index in the list, offset in the file. */
	uint32_t *which;
	uint64_t *offsets;
	uint32_t n, room_which, room_offsets;
	const struct a2n_module *module;
	bool full; /* no memory */
};

static void take_start(void *arg, uint64_t offset)
{
	struct foreseeing *s = arg;
	struct foreseen *f = s->f;
	uintptr_t address = s->base + (uintptr_t)offset;

	if (address - f->start >= f->end - f->start)
		return;
	if (array_next(f->list, f->n, f->room)) {
		s->full = true;
		return;
	}
	f->list[f->n++] = (struct foreseen_function){ .address = address };
}

static int by_address(const void *pa, const void *pb)
{
	const struct foreseen_function *a = pa, *b = pb;

	return a->address < b->address ? -1 : a->address > b->address;
}

static const char *find_name(const struct foreseeing *s, uintptr_t address, const char **raw)
{
	struct a2n_answer answer;

	a2n_resolve(s->names, s->process, PROCESS_TIME, address, false, &answer);
	if (answer.result != A2N_OK || answer.symbol_offset)
		return NULL;
	*raw = answer.symbol->raw_name;
	return answer.symbol->name;
}

static const struct call_values *kept_values(const char *name, const char *raw,
					     const struct signature *signature)
{
	struct call_values v, *kept;

	if (!values_of(name, raw, signature, &v))
		return NULL;
	kept = hook_keep(sizeof(v));
	if (kept)
		*kept = v;
	return kept;
}

static void set_values(const struct foreseeing *s, struct foreseen_function *f,
		       const struct signature *signature)
{
	const char *raw = NULL, *name = find_name(s, f->address, &raw);

	f->values = name ? kept_values(name, raw, signature) : NULL;
	f->kind = f->values && f->values->n ? FUNCTION_BY_ARGUMENT : FUNCTION_TAKEN;
}

static void take_signature(void *arg, size_t i, const struct signature *signature)
{
	struct foreseeing *s = arg;
	struct foreseen_function *f = &s->f->list[s->which[i]];

	if (f->kind != FUNCTION_BY_ARGUMENT)
		return; /* of two entries for one function, the first counts */
	set_values(s, f, signature);
	s->offsets[i] = 0;
}

/* Decides by the name, and lists functions whose values also depend on their DWARF. */
static void decide_all(struct foreseeing *s)
{
	struct foreseen *f = s->f;
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		struct foreseen_function *one = &f->list[n];
		const char *raw, *name;

		if (n && f->list[n - 1].address == f->list[i].address)
			continue;
		name = find_name(s, f->list[i].address, &raw);
		if (!name)
			continue;
		*one = (struct foreseen_function){ .address = f->list[i].address };
		if (!hookit_takes(name)) {
			one->kind = FUNCTION_LEFT_OUT;
		} else if (values_ask(name)) {
			if (array_next(s->which, s->n, s->room_which) ||
			    array_next(s->offsets, s->n, s->room_offsets)) {
				s->full = true;
				return;
			}
			one->kind = FUNCTION_BY_ARGUMENT;
			s->which[s->n] = n;
			s->offsets[s->n++] = one->address - s->base;
		}
		n++;
	}
	f->n = n;
}

/* If DWARF does not describe a function, the options determine where its values are. */
static void decide_values(struct foreseeing *s)
{
	uint64_t *asked = s->n ? malloc(s->n * sizeof(*asked)) : NULL;

	if (!asked) {
		s->full |= s->n != 0;
		return;
	}
	memcpy(asked, s->offsets, s->n * sizeof(*asked));
	(void)inner_signatures(s->names, s->module, asked, s->n, take_signature, s);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->offsets[i])
			set_values(s, &s->f->list[s->which[i]], NULL);
	free(asked);
}

static void free_one(struct foreseen *f)
{
	free(f->list);
	free(f);
}

struct foreseen *foreseen_make(struct a2n *names, uint32_t process, uintptr_t base, uintptr_t start,
			       uintptr_t end)
{
	struct foreseeing s = { .names = names, .process = process, .base = base };
	struct a2n_answer answer;

	s.f = calloc(1, sizeof(*s.f));
	if (!s.f)
		return NULL;
	s.f->start = start;
	s.f->end = end;
	a2n_resolve(names, process, PROCESS_TIME, start, false, &answer);
	s.module = answer.module;
	inner_starts(s.module, take_start, &s);
	if (s.f->n)
		qsort(s.f->list, s.f->n, sizeof(*s.f->list), by_address);
	if (!s.full)
		decide_all(&s);
	if (!s.full)
		decide_values(&s);
	free(s.which);
	free(s.offsets);
	if (s.full || !s.f->n) {
		free_one(s.f);
		return NULL;
	}
	s.f->next = all;
	all = s.f;
	return s.f;
}

void foreseen_drop(struct foreseen *f)
{
	struct foreseen *_Atomic *at = &all;
	struct foreseen *next;

	if (!f)
		return;
	while (*at && *at != f)
		at = &(*at)->next;
	if (*at)
		*at = f->next;
	f->next = retired;
	retired = f;
	/* New readers do not find them. */
	if (readers)
		return;
	for (; retired; retired = next) {
		next = retired->next;
		free_one(retired);
	}
}

struct one_function {
	const char *name, *raw;
	const struct call_values *values;
	bool given;
};

static void take_one(void *arg, size_t i, const struct signature *signature)
{
	struct one_function *f = arg;

	(void)i;
	if (!f->given)
		f->values = kept_values(f->name, f->raw, signature);
	f->given = true;
}

const struct call_values *foreseen_values(struct a2n *names, uint32_t process, uintptr_t address)
{
	struct one_function f = { NULL, NULL, NULL, false };
	struct a2n_answer answer;
	uint64_t start;

	a2n_resolve(names, process, PROCESS_TIME, address, false, &answer);
	if (answer.result != A2N_OK || !values_ask(answer.symbol->name))
		return NULL;
	start = answer.module_offset - answer.symbol_offset;
	f.name = answer.symbol->name;
	f.raw = answer.symbol->raw_name;
	(void)inner_signatures(names, answer.module, &start, 1, take_one, &f);
	return f.given ? f.values : kept_values(f.name, f.raw, NULL);
}

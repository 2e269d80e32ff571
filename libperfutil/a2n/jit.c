/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Announced code: its names, one symbol each, and where each piece lies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jit.h"

/* A hostile file could announce more than memory holds (40 bytes each). */
#define MAX_CODES (1u << 25)

void jits_open(struct jits *js, struct modules *ms, struct strings *strings)
{
	js->strings = strings;
	js->module = ms->anon;
	js->freed = (struct a2n_symbol){
		.name = A2N_JIT_FREED, .raw_name = A2N_JIT_FREED, .module = &js->module->pub,
	};
	js->ambiguous = (struct a2n_symbol){
		.name = A2N_JIT_AMBIGUOUS, .raw_name = A2N_JIT_AMBIGUOUS,
		.module = &js->module->pub,
	};
}

void jits_close(struct jits *js)
{
	table_free(&js->symbols);
	arena_free(&js->arena);
	free(js->codes);
}

static bool match_name(const void *item, const void *key)
{
	return ((const struct a2n_symbol *)item)->raw_name == key;
}

/* Interned names are one pointer each. */
static struct a2n_symbol *symbol_of(struct jits *js, const char *name, size_t length,
				    uint64_t address, uint64_t size)
{
	const char *one = strings_intern(js->strings, name, length);
	uint64_t hash = hash_u64((uintptr_t)one);
	struct a2n_symbol *s = one ? table_find(&js->symbols, hash, match_name, one) : NULL;

	if (s || !one)
		return s;
	s = arena_alloc(&js->arena, sizeof(*s));
	if (!s)
		return NULL;
	s->name = s->raw_name = one;
	s->value = address;
	s->size = size;
	s->module = &js->module->pub;
	return table_add(&js->symbols, hash, s) ? NULL : s;
}

static struct mapping add(struct jits *js, struct a2n_symbol *symbol, uint64_t address,
			  uint64_t size, const void *method)
{
	if (!symbol || js->n >= MAX_CODES || !pool_grow(js->codes, js->n, js->room))
		return (struct mapping){ NULL, 0 };
	js->codes[js->n] = (struct jit_code){ address, size, UINT64_MAX, symbol, method };
	return (struct mapping){ js->module, js->n++ };
}

struct mapping jit_add(struct jits *js, const char *name, size_t length, uint64_t address,
		       uint64_t size, const void *method)
{
	return add(js, symbol_of(js, name, length, address, size), address, size, method);
}

bool jit_same(const struct jits *js, const struct mapping *code, const char *name, size_t length,
	      uint64_t address, uint64_t size)
{
	const struct jit_code *c = jit_of(js, code);

	return c->address == address && c->size == size && strlen(c->symbol->name) == length &&
	       !memcmp(c->symbol->name, name, length);
}

struct mapping jit_again(struct jits *js, const struct mapping *code, uint64_t address,
			 uint64_t size)
{
	const struct jit_code *old = jit_of(js, code);

	return add(js, old->symbol, address, size && size < old->size ? size : old->size,
		   old->method);
}

void jit_answer(struct jits *js, const struct mapping *mapping, uint64_t address,
		struct a2n_answer *answer)
{
	const struct jit_code *code = jit_of(js, mapping);

	answer->result = A2N_OK;
	answer->module = &js->module->pub;
	answer->symbol = code->symbol;
	answer->module_offset = address;
	answer->symbol_offset = address - code->address;
	answer->range_start = code->address;
	answer->range_length = code->size;
	answer->method = code->method;
}

void jit_late(struct jits *js, const struct mapping *code, uint64_t earliest, uint64_t time)
{
	if (earliest >= time)
		return;
	js->codes[code->delta].earliest = earliest;
	if (js->latest < time - earliest)
		js->latest = time - earliest;
}

static void answer_none(struct jits *js, struct a2n_symbol *symbol, enum a2n_result result,
			uint64_t address, struct a2n_answer *answer)
{
	answer->result = result;
	answer->module = &js->module->pub;
	answer->symbol = symbol;
	answer->module_offset = answer->symbol_offset = address;
}

void jit_answer_freed(struct jits *js, uint64_t address, struct a2n_answer *answer)
{
	answer_none(js, &js->freed, A2N_RESULT_JIT_FREED, address, answer);
}

void jit_answer_ambiguous(struct jits *js, uint64_t address, struct a2n_answer *answer)
{
	answer_none(js, &js->ambiguous, A2N_RESULT_JIT_AMBIGUOUS, address, answer);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Announced code: one symbol per name, and the address of each piece. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/jit/a2n_jit.h"
#include "base/search.h"

/* Limit: a malicious file could announce more than memory holds (56 bytes each). */
#define MAX_CODES (1u << 25)

void jits_open(struct jits *js, struct modules *ms, struct strings *strings)
{
	js->strings = strings;
	js->module = ms->anon;
	js->last = NO_CODE;
	js->freed = (struct a2n_symbol){
		.name = A2N_JIT_FREED,
		.raw_name = A2N_JIT_FREED,
		.module = &js->module->pub,
	};
	js->ambiguous = (struct a2n_symbol){
		.name = A2N_JIT_AMBIGUOUS,
		.raw_name = A2N_JIT_AMBIGUOUS,
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

/* Interned names can be compared as pointers. */
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
			  uint64_t size, const void *bytes)
{
	if (!symbol || js->n >= MAX_CODES || array_next(js->codes, js->n, js->room))
		return (struct mapping){ NULL, 0 };
	js->codes[js->n] = (struct jit_code){
		.address = address,
		.size = size,
		.earliest = UINT64_MAX,
		.symbol = symbol,
		.bytes = bytes,
	};
	return (struct mapping){ js->module, js->n++ };
}

struct mapping jit_add(struct jits *js, const char *name, size_t length, uint64_t address,
		       uint64_t size, const void *bytes)
{
	return add(js, symbol_of(js, name, length, address, size), address, size, bytes);
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
	struct mapping new = add(js, old->symbol, address,
				 size && size < old->size ? size : old->size, old->bytes);

	if (new.module) {
		struct jit_code *c = &js->codes[new.delta];

		/* The array may have moved meanwhile. */
		old = jit_of(js, code);
		c->lines = old->lines;
		c->n_lines = old->n_lines;
	}
	return new;
}

struct mapping jit_repeat(struct jits *js, const struct mapping *code, uint64_t address,
			  uint64_t size)
{
	uint32_t before = (uint32_t)code->delta;
	struct mapping new = jit_again(js, code, address, size);
	struct jit_code *old = &js->codes[before];

	if (new.module) {
		js->repeats = before;
		js->codes[new.delta].paired = old->own && !old->paired;
		old->paired |= js->codes[new.delta].paired;
	}
	return new;
}

/* The newest code's report has more than the name. Returns the code of an earlier report of the
 * same code, which had only the name; NULL: there is none. */
static struct jit_code *own_report(struct jits *js)
{
	struct jit_code *code = &js->codes[js->last];
	struct jit_code *old = js->repeats == NO_CODE ? NULL : &js->codes[js->repeats];

	/* A report taken for the second one of the old code was one of new code. */
	if (old && !code->own && code->paired)
		code->paired = old->paired = false;
	else if (old && !code->own && !old->own && !old->paired)
		code->paired = old->paired = true;
	code->own = true;
	return code->paired ? old : NULL;
}

void jit_answer(struct jits *js, const struct mapping *mapping, uint64_t address,
		struct a2n_answer *answer)
{
	const struct jit_code *code = jit_of(js, mapping);

	answer->result = A2N_OK;
	answer->module = &js->module->pub;
	answer->symbol = code->symbol;
	answer->symbol_offset = address - code->address;
	answer->module_offset = A2N_CODE | (uint64_t)(code - js->codes) << 32 |
				(answer->symbol_offset < UINT32_MAX ? answer->symbol_offset :
								      UINT32_MAX);
	answer->range_start = code->address;
	answer->range_length = code->size;
	answer->code = code->bytes;
}

void jit_late(struct jits *js, const struct mapping *code, uint64_t earliest, uint64_t time)
{
	if (earliest >= time)
		return;
	js->codes[code->delta].earliest = earliest;
	if (js->latest < time - earliest)
		js->latest = time - earliest;
}

void jit_bytes(struct jits *js, const void *bytes)
{
	struct jit_code *old;

	if (js->last == NO_CODE)
		return;
	js->codes[js->last].bytes = bytes;
	old = own_report(js);
	if (old)
		old->bytes = bytes;
}

const struct jit_code *jit_at(const struct jits *js, uint64_t module_offset)
{
	uint64_t number = (module_offset & ~A2N_CODE) >> 32;

	return module_offset & A2N_CODE && number < js->n ? &js->codes[number] : NULL;
}

/* ---- perf maps ------------------------------------------------------------------------------- */

#define RUN_MAX 4096 /* codes searched before the enclosing one */

static uint64_t last_byte(const struct jit_code *c)
{
	return c->size - 1 > UINT64_MAX - c->address ? UINT64_MAX : c->address + (c->size - 1);
}

static bool is_inside(const struct jit_code *inner, const struct jit_code *outer)
{
	return inner->address >= outer->address && last_byte(inner) <= last_byte(outer);
}

void jit_map_scanned(struct jits *js, uint64_t since, uint64_t time, uint32_t pid, uint32_t code)
{
	struct jit_map_scan *l = &js->scan;

	if (l->since != since || l->time != time || l->pid != pid)
		*l = (struct jit_map_scan){ .since = since,
					    .time = time,
					    .pid = pid,
					    .first = code,
					    .around = code };
	if (!is_inside(&js->codes[code], &js->codes[l->around]))
		l->around = code;
	/* Once per code, not once per piece that it covers. */
	l->run = code;
	while (l->run > l->first && code - l->run < RUN_MAX &&
	       is_inside(&js->codes[l->run - 1], &js->codes[code]))
		l->run--;
}

/*
 * If a map lists a blob and its parts together, in either order, the part has the more exact name.
 * Otherwise one of two overlapping codes was there first, and the map does not show which. Within
 * one scan the inner one keeps its place if it is inside the other; the later one gets it if it
 * begins at the same address (recompiled code) or crosses an end; both are unsure. Code of a later
 * scan replaces that of an earlier one.
 */
struct mapping jit_map_judge(const struct jits *js, uint32_t code, const struct mapping *there)
{
	const struct jit_code *new = &js->codes[code], *old = jit_of(js, there);
	struct mapping own = { js->module, code }, unsure = { js->module, code | JIT_UNSURE };
	struct mapping kept = { there->module, there->delta | JIT_UNSURE };
	uint32_t number = (uint32_t)there->delta;

	if (number < js->scan.first)
		return unsure;
	if (is_inside(new, old))
		return number == js->scan.around && new->address != old->address ? own : unsure;
	if (!is_inside(old, new))
		return unsure;
	if (number >= js->scan.run && (code - js->scan.run > 1 || new->address != old->address))
		return *there;
	return new->address != old->address ? kept : unsure;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int by_offset(const void *pa, const void *pb)
{
	const struct a2n_jit_line *const *a = pa, *const *b = pb;

	if ((*a)->address != (*b)->address)
		return (*a)->address < (*b)->address ? -1 : 1;
	return *a < *b ? -1 : *a > *b; /* the last of several at one address is valid */
}

int jit_lines(struct jits *js, const struct a2n_jit_line *lines, size_t n)
{
	struct jit_code *code = js->last == NO_CODE ? NULL : &js->codes[js->last], *old;
	const struct a2n_jit_line **sorted;
	struct jit_line *kept;
	size_t i;

	if (!code || !n || n >= UINT32_MAX)
		return 0;
	/* A table with one error may be wrong everywhere: no line is better than a wrong one. */
	for (i = 0; i < n; i++)
		if (lines[i].address - code->address > code->size ||
		    lines[i].address - code->address > UINT32_MAX)
			return 0;
	sorted = malloc(n * sizeof(*sorted));
	kept = sorted ? arena_alloc(&js->arena, n * sizeof(*kept)) : NULL;
	if (!kept) {
		free(sorted);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		sorted[i] = &lines[i];
	qsort(sorted, n, sizeof(*sorted), by_offset);
	for (i = 0; i < n; i++) {
		const char *file = sorted[i]->file ? sorted[i]->file : "";

		kept[i] = (struct jit_line){
			.offset = (uint32_t)(sorted[i]->address - code->address),
			.line = sorted[i]->line,
			.file = *file ? strings_intern(js->strings, file, strlen(file)) : NULL,
		};
		if (*file && !kept[i].file) {
			free(sorted);
			return -ENOMEM;
		}
	}
	free(sorted);
	code->lines = kept;
	code->n_lines = (uint32_t)n;
	old = own_report(js);
	if (old) {
		old->lines = kept;
		old->n_lines = code->n_lines;
	}
	js->has_lines = true;
	return 0;
}

static const struct jit_line *line_of(const struct jit_code *code, uint32_t offset)
{
	uint32_t low = search_sorted(i, 0, code->n_lines, code->lines[i].offset <= offset);

	return low ? &code->lines[low - 1] : NULL;
}

int jit_find_lines(const struct jits *js, const uint64_t *offsets, size_t n, a2n_take_frames take,
		   void *arg)
{
	size_t i;

	if (!js->has_lines)
		return -ENOENT;
	for (i = 0; i < n; i++) {
		const struct jit_code *code = jit_at(js, offsets[i]);
		const struct jit_line *line = code ? line_of(code, (uint32_t)offsets[i]) : NULL;
		struct a2n_frame frame;

		if (!line)
			continue;
		frame = (struct a2n_frame){
			.function = code->symbol->name,
			.file = line->file,
			.line = line->line,
		};
		take(arg, i, &frame, 1);
	}
	return 0;
}

/* ---- freed and ambiguous code --------------------------------------------------------------- */

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

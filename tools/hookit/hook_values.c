/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hook_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked_value.h"
#include "base/name_forms.h"
#include "base/pattern.h"
#include "escape.h"
#include "hookit_text.h"

#define REGISTERS 6 /* for arguments */
#define WORD      8

_Static_assert(ASKED_NUMBER == SIGNATURE_MOST, "all that signatures have");

static struct asked_value asked[ASKED_MOST];
static uint32_t count;

/* ---- requested values ------------------------------------------------------------------------ */

const char *values_set(const char *text, size_t n)
{
	const char *copy = strndup(text, n);

	count = 0;
	return copy ? asked_values(copy, asked, &count) : "no memory";
}

bool values_have_results(void)
{
	for (uint32_t i = 0; i < count; i++)
		if (asked[i].what == ASKED_RESULT)
			return true;
	return false;
}

/* As in FUNCTIONS=: a pattern without parameters is compared with the name only. */
static bool fits(const struct asked_value *a, const char *name)
{
	char one[1024], other[1024];

	snprintf(one, sizeof(one), "%.*s", (int)a->length, a->name);
	if (one[name_without_parameters(one)])
		return pattern_fits(a->name, a->length, name);
	snprintf(one, sizeof(one), "%.*s", (int)name_without_parameters(name), name);
	snprintf(other, sizeof(other), "%.*s", (int)name_bare(name), name);
	return pattern_fits(a->name, a->length, one) || pattern_fits(a->name, a->length, other);
}

bool values_ask(const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (fits(&asked[i], name))
			return true;
	return false;
}

/* ---- where values are ------------------------------------------------------------------------ */

/* Registers, and bytes of the stack, that the preceding arguments occupy. */
struct taken {
	uint32_t general, vectors, stack;
	bool lost; /* the place of a preceding one is not known */
};

static struct given_value place_next(struct taken *t, const struct passed_type *v)
{
	struct given_value g = { 0 };
	uint32_t general = t->general + v->general, vectors = t->vectors + v->vector;

	t->lost |= v->unknown;
	if (t->lost)
		return g;
	if (!v->memory && (v->general || v->vector) && general <= REGISTERS && vectors <= VECTORS) {
		g.place = v->general ? GIVEN_GENERAL : GIVEN_VECTOR;
		g.number = (uint16_t)(v->general ? t->general : t->vectors);
		t->general = general;
		t->vectors = vectors;
	} else if (v->memory || v->general || v->vector) {
		if (v->size > WORD && v->kind == VALUE_FLOAT)
			t->stack = (t->stack + 15) & ~15u;
		g.place = t->stack > UINT16_MAX ? GIVEN_NOWHERE : GIVEN_STACK;
		g.number = (uint16_t)t->stack;
		t->stack += (v->size + WORD - 1) & ~(uint32_t)(WORD - 1);
		t->lost = t->stack > UINT16_MAX;
	}
	return g;
}

static struct given_value place_argument(const struct signature *s, uint32_t number)
{
	struct taken t = { .general = s->result.memory && s->result.kind == VALUE_OTHER };
	struct given_value g = { 0 };

	for (uint32_t i = 0; i < number && number <= s->n; i++)
		g = place_next(&t, &s->parameter[i]);
	return g;
}

static struct given_value place_result(const struct signature *s)
{
	struct given_value g = { 0 };

	if (s->result.kind == VALUE_NONE || s->result.unknown || s->result.memory)
		return g;
	g.place = s->result.general ? GIVEN_RESULT : GIVEN_VECTOR;
	return g;
}

/* Sets the format by the type. */
static void set_format(struct given_value *g, const struct passed_type *v)
{
	static const char formats[] = {
		[VALUE_NONE] = 'v', [VALUE_SIGNED] = 'i', [VALUE_UNSIGNED] = 'u',
		[VALUE_CHAR] = 'c', [VALUE_FLOAT] = 'f',  [VALUE_POINTER] = 'x',
		[VALUE_TEXT] = 's', [VALUE_OTHER] = 'v'
	};

	g->format = formats[v->kind];
	g->bits = v->size < WORD ? (uint8_t)(v->size * 8) : 64;
	if (v->kind == VALUE_FLOAT && v->size > WORD)
		g->bits = g->place == GIVEN_STACK && v->size == 2 * WORD ? 80 : 0;
	/* In registers, only float and double are supported. */
	if (v->kind == VALUE_FLOAT && g->bits != 32 && g->bits != 64 && g->bits != 80)
		g->place = GIVEN_NOWHERE;
}

/* Places a value by the option only. */
static struct given_value place_blindly(const struct asked_value *a)
{
	uint8_t place = a->format == 'f' ? GIVEN_VECTOR : GIVEN_GENERAL;
	uint32_t stack = a->number > REGISTERS ? (uint32_t)(a->number - REGISTERS - 1) * WORD : 0;

	if (a->what == ASKED_RESULT)
		return (struct given_value){ .place = place == GIVEN_VECTOR ? place :
									      GIVEN_RESULT };
	if (place == GIVEN_GENERAL && a->number > REGISTERS)
		return (struct given_value){ .place = GIVEN_STACK, .number = (uint16_t)stack };
	if (a->number > VECTORS)
		return (struct given_value){ 0 };
	return (struct given_value){ .place = place, .number = (uint16_t)(a->number - 1) };
}

static struct given_value place(const struct asked_value *a, const struct signature *s)
{
	static const struct passed_type number = { .kind = VALUE_SIGNED, .size = 4 };
	const struct passed_type *type = &number;
	struct given_value g;

	if (!s || a->what == ASKED_FLOAT) {
		g = place_blindly(a);
	} else if (a->what == ASKED_RESULT) {
		g = place_result(s);
		type = &s->result;
	} else {
		g = place_argument(s, a->number);
		type = a->number <= s->n ? &s->parameter[a->number - 1] : type;
	}
	set_format(&g, type);
	if (a->format) {
		g.format = a->format;
		g.bits = a->bits;
	}
	return g;
}

/* Whether the function is a copy that the compiler adapted to its callers. */
static bool is_copy(const char *raw)
{
	return strstr(raw, ".isra.") || strstr(raw, ".constprop.") || strstr(raw, ".part.");
}

bool values_of(const char *name, const char *raw, const struct signature *s,
	       struct call_values *values)
{
	*values = (struct call_values){ 0 };
	if (!values_ask(name))
		return false;
	if (is_copy(raw) || (s && s->changed)) {
		escape_printf(stderr,
			      "hookit: ARGUMENTS: %s: the compiler has changed its parameters: "
			      "its values are not recorded\n",
			      raw);
		return false;
	}
	values->name = hook_text(name, name_without_parameters(name));
	for (uint32_t i = 0; i < count; i++) {
		const struct asked_value *a = &asked[i];

		if (!fits(a, name))
			continue;
		if (a->what == ASKED_RESULT) {
			values->result = place(a, s);
			values->has_result = !s || s->result.kind != VALUE_NONE;
		} else if (values->n < GIVEN_MOST) {
			values->argument[values->n++] = place(a, s);
		}
	}
	return values->name && (values->n || values->has_result);
}

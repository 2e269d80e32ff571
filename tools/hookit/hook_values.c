/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hook_values.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "escape.h"
#include "hook_text.h"

#if defined(__x86_64__)
#define KNOWN true
#else
#define KNOWN false
#endif
#define REGISTERS  6 /* that have arguments */
#define VECTORS    8
#define WORD       8
#define ASKED_MOST 32
#define FORMATS    "iuxcsf"

enum asked_word { ASKED_ARGUMENT, ASKED_FLOAT, ASKED_RESULT };

struct asked_value {
	const char *name; /* a pattern */
	size_t length;
	enum asked_word what;
	uint8_t number, bits; /* from 1 on; 8 to 80 */
	char format;          /* 0: as it is */
};

static struct asked_value asked[ASKED_MOST];
static uint32_t count;

/* ---- what is asked for ----------------------------------------------------------------------- */

static const char *take_format(struct asked_value *a, const char *text, const char *end)
{
	unsigned long bits;
	char *rest;

	if (text == end)
		return NULL;
	if (*text++ != '/' || text == end || !strchr(FORMATS, *text))
		return "behind the number there may be /i, /u, /x, /c, /s or /f";
	a->format = *text++;
	a->bits = a->format == 'c' ? 8 : a->format == 's' || a->format == 'f' ? 64 : 32;
	if (text == end)
		return NULL;
	bits = isdigit((unsigned char)*text) && !strchr("cs", a->format) ?
		       strtoul(text, &rest, 10) :
		       0;
	if (!bits || rest != end)
		bits = 0;
	if (a->format == 'f' && bits != 32 && bits != 64)
		return "a floating-point number has 32 or 64 bits";
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return "a number has 8, 16, 32 or 64 bits";
	a->bits = (uint8_t)bits;
	return NULL;
}

/* The number behind a word; *rest: what follows. 0: there is none. */
static uint8_t take_which(const char *text, const char *end, const char **rest)
{
	unsigned int n = 0;

	for (; text < end && isdigit((unsigned char)*text) && n <= SIGNATURE_MOST; text++)
		n = n * 10 + (unsigned int)(*text - '0');
	*rest = text;
	return n <= SIGNATURE_MOST ? (uint8_t)n : 0;
}

static const char *take(struct asked_value *a, const char *text, const char *end)
{
	const char *at = memrchr(text, '@', (size_t)(end - text)), *word = at ? at + 1 : NULL;

	*a = (struct asked_value){ .name = text };
	if (!at || at == text)
		return "NAME@argN[/FORMAT] or NAME@retval[/FORMAT] is needed";
	a->length = (size_t)(at - text);
	if (end - word >= 6 && !memcmp(word, "retval", 6)) {
		a->what = ASKED_RESULT;
		return take_format(a, word + 6, end);
	}
	if (end - word > 2 && !memcmp(word, "fp", 2)) {
		a->what = ASKED_FLOAT;
		a->format = 'f';
		a->bits = 64;
		word += 2;
	}
	if (end - word < 4 || memcmp(word, "arg", 3) != 0)
		return "NAME@argN[/FORMAT] or NAME@retval[/FORMAT] is needed";
	a->number = take_which(word + 3, end, &word);
	if (!a->number)
		return "arguments are arg1 to arg32";
	if (a->what == ASKED_FLOAT && a->number > VECTORS)
		return "arguments in vector registers are fparg1 to fparg8";
	return take_format(a, word, end);
}

const char *values_set(const char *text, size_t n)
{
	const char *copy = KNOWN ? strndup(text, n) : NULL, *end;
	const char *why = copy ? NULL : KNOWN ? "no memory" : "it is for x86-64 alone";

	count = 0;
	for (const char *p = copy; p && !why; p = *end ? end + 1 : NULL) {
		end = strchrnul(p, '+');
		why = count == ASKED_MOST ? "at most 32 values" : take(&asked[count], p, end);
		count += !why;
	}
	return why;
}

bool values_have_results(void)
{
	for (uint32_t i = 0; i < count; i++)
		if (asked[i].what == ASKED_RESULT)
			return true;
	return false;
}

/* As FUNCTIONS= has it: a pattern without a parenthesis is of the name alone. */
static bool fits(const struct asked_value *a, const char *name)
{
	char alone[1024];

	if (!memchr(a->name, '(', a->length)) {
		snprintf(alone, sizeof(alone), "%.*s", (int)strcspn(name, "("), name);
		name = alone;
	}
	return pattern_fits(a->name, a->length, name);
}

bool values_ask(const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (fits(&asked[i], name))
			return true;
	return false;
}

/* ---- where values are ------------------------------------------------------------------------ */

/* Registers and bytes of the stack that the arguments before have taken. */
struct taken {
	uint32_t general, vectors, stack;
	bool lost; /* one before is nobody knows where */
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

/* What it is of itself. */
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
	/* Of those in registers none is known but floats and doubles. */
	if (v->kind == VALUE_FLOAT && g->bits != 32 && g->bits != 64 && g->bits != 80)
		g->place = GIVEN_NOWHERE;
}

/* By the option alone. */
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

/* Of copies that a compiler has made of a function to suit their callers. */
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
			      "hookit: ARGUMENTS: %s: the compiler has changed how it is called: "
			      "its values are not told\n",
			      raw);
		return false;
	}
	values->name = hook_text(name, strcspn(name, "("));
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

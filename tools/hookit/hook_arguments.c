/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hook_arguments.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hookit_text.h"
#include "hook_values.h"

#define TEXT_MOST  64 /* bytes of a string that are read */
#define PAGE       4096
#define VALUE      (TEXT_MOST + 8)
#define ALL_VALUES 400
#define NAME_MOST  2048
#define XMM_AT     160 /* offset in the area of xsave and of fxsave */
#define XMM_SIZE   16
#define OTHERS     "others"

/* ---- values ---------------------------------------------------------------------------------- */

/* Reads a string at any pointer, as far as it is readable. false: nothing is. */
static bool read_text(uint64_t from, char *to, size_t *length)
{
	size_t have = 0;

	while (have < TEXT_MOST) {
		size_t n = PAGE - ((from + have) & (PAGE - 1));
		struct iovec here = { to + have, n < TEXT_MOST - have ? n : TEXT_MOST - have };
		struct iovec there = { (void *)(uintptr_t)(from + have), here.iov_len };
		long got = syscall(SYS_process_vm_readv, getpid(), &here, 1, &there, 1, 0);

		if (got <= 0)
			break;
		have += (size_t)got;
		if (memchr(here.iov_base, 0, (size_t)got))
			break;
	}
	*length = strnlen(to, have);
	return have;
}

static void put_text(char out[VALUE], uint64_t value)
{
	char text[TEXT_MOST];
	size_t n;

	if (!value) {
		strcpy(out, "NULL");
	} else if (!read_text(value, text, &n)) {
		snprintf(out, VALUE, "0x%" PRIx64, value);
	} else {
		for (size_t i = 0; i < n; i++)
			if (iscntrl((unsigned char)text[i]))
				text[i] = '?';
		snprintf(out, VALUE, "\"%.*s\"%s", (int)n, text, n == TEXT_MOST ? "..." : "");
	}
}

/* A float is passed as its bits; a long double stays in memory. */
static void put_float(char out[VALUE], const struct given_value *g, const uint64_t *at)
{
	long double longest = 0;
	double number;
	float small;

	if (g->bits == 80) {
		memcpy(&longest, at, 10);
	} else if (g->bits == 32) {
		memcpy(&small, at, sizeof(small));
		longest = small;
	} else {
		memcpy(&number, at, sizeof(number));
		longest = number;
	}
	snprintf(out, VALUE, "%.10Lg", longest);
}

static void put_number(char out[VALUE], const struct given_value *g, uint64_t value)
{
	uint64_t bits = g->bits < 64 ? value & ((UINT64_C(1) << g->bits) - 1) : value;
	int64_t with_sign = (int64_t)(bits << (64 - g->bits)) >> (64 - g->bits);

	switch (g->format) {
	case 's':
		put_text(out, value);
		break;
	case 'c':
		snprintf(out, VALUE, isprint((int)bits) ? "'%c'" : "%d",
			 isprint((int)bits) ? (int)bits : (int)with_sign);
		break;
	case 'x':
		snprintf(out, VALUE, "0x%" PRIx64, bits);
		break;
	case 'u':
		snprintf(out, VALUE, "%" PRIu64, bits);
		break;
	default:
		snprintf(out, VALUE, "%" PRId64, with_sign);
		break;
	}
}

/* Finds a value among the saved registers and on the stack, as keep.inc saves them: general
 * registers below the event's return address, %rax first, then those of arguments. */
static const uint64_t *find_value(const struct given_value *g, const struct call_state *at)
{
	const uint64_t *frame = (const uint64_t *)at->sp;

	switch (g->place) {
	case GIVEN_GENERAL:
		return &frame[-3 - (int)g->number];
	case GIVEN_VECTOR:
		return (const uint64_t *)((const char *)at->vectors + XMM_AT +
					  (size_t)XMM_SIZE * g->number);
	case GIVEN_STACK:
		return &frame[1 + g->number / sizeof(*frame)];
	case GIVEN_RESULT:
		return &frame[-2];
	}
	return NULL;
}

static void put_value(char out[VALUE], const struct given_value *g, const struct call_state *at)
{
	const uint64_t *value = find_value(g, at);

	if (g->format == 'v')
		strcpy(out, "{...}");
	else if (!value)
		strcpy(out, "?");
	else if (g->format == 'f')
		put_float(out, g, value);
	else
		put_number(out, g, *value);
}

static void put_arguments(char out[ALL_VALUES], const struct call_values *v,
			  const struct call_state *at)
{
	char value[VALUE];
	size_t n = 0;

	for (uint32_t i = 0; i < v->n; i++) {
		put_value(value, &v->argument[i], at);
		if (n < ALL_VALUES)
			n += (size_t)snprintf(out + n, ALL_VALUES - n, "%s%s", i ? ", " : "",
					      value);
	}
}

/* ---- functions ------------------------------------------------------------------------------- */

/* A key that is no address of a program: the top bits differ from those at both ends of the address
 * space. */
static uintptr_t key_of(const struct hook_function *f, char kind, const char *value)
{
	uint64_t hash = (UINT64_C(0xcbf29ce484222325) ^ f->was) * UINT64_C(0x100000001b3);

	hash = (hash ^ (uint8_t)kind) * UINT64_C(0x100000001b3);
	for (; *value; value++)
		hash = (hash ^ (uint8_t)*value) * UINT64_C(0x100000001b3);
	hash ^= hash >> 29;
	hash *= UINT64_C(0xbf58476d1ce4e5b9);
	return (uintptr_t)((hash >> 2) | UINT64_C(1) << 62);
}

static const char *name_of(const struct hook_function *f, char kind, const char *value)
{
	char text[NAME_MOST];
	int n = snprintf(text, sizeof(text), kind == '=' ? "%s = %s" : "%s(%s)", f->values->name,
			 value);

	return hook_text(text, n < NAME_MOST ? (size_t)n : NAME_MOST - 1);
}

static struct hook_function *add(struct hook_function *f, uintptr_t key, char kind,
				 const char *value)
{
	bool mine;
	struct hook_function *found = functions_add(key, &mine);

	if (!found || !mine)
		return found;
	found->was = f->was;
	found->module = f->module;
	found->values = f->values;
	found->name = name_of(f, kind, value);
	functions_number(found);
	return found;
}

/* The function for this value; "others" if it has too many values already. */
static struct hook_function *find(struct hook_function *f, char kind, const char *value, bool known)
{
	uintptr_t key = key_of(f, kind, value);
	struct hook_function *found = functions_find(key);

	if (!found && known &&
	    __atomic_fetch_add(&f->apart, 1, __ATOMIC_RELAXED) >= ARGUMENT_VALUES) {
		value = OTHERS;
		key = key_of(f, kind, value);
		found = functions_find(key);
	}
	if (!found)
		found = add(f, key, kind, value);
	while (found && !found->number)
		sched_yield();
	return found;
}

struct hook_function *arguments_find(struct hook_function *f, const struct call_state *at)
{
	char value[ALL_VALUES] = "?";
	struct hook_function *found;
	int error = errno;

	if (at)
		put_arguments(value, f->values, at);
	found = find(f, '(', value, at);
	errno = error;
	return found;
}

struct hook_function *arguments_result(struct hook_function *f, const struct call_state *at)
{
	struct hook_function *found;
	char value[VALUE];
	int error = errno;

	put_value(value, &f->values->result, at);
	found = find(f, '=', value, true);
	errno = error;
	return found;
}

/* Recognizes ret, also with a prefix that has no effect here. */
bool arguments_returns(uintptr_t sp)
{
	const uint8_t *code = (const uint8_t *)((const uintptr_t *)sp)[-1];

	return code[0] == 0xc3 || ((code[0] == 0xf3 || code[0] == 0xf2) && code[1] == 0xc3);
}

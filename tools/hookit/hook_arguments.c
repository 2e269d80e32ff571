/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hook_arguments.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/pattern.h"
#include "modules.h"

#if defined(__x86_64__)
#define KNOWN true
#else
#define KNOWN false
#endif
#define REGISTERS  6 /* that have arguments */
#define ASKED_MOST 32
#define TEXT_MOST  64 /* bytes of a string that are looked at */
#define PAGE       4096
#define VALUE      (TEXT_MOST + 8)

struct asked_argument {
	const char *name; /* a pattern */
	size_t length;
	uint8_t number, bits; /* from 1 on; 8 to 64 */
	char format;
};

static struct asked_argument asked[ASKED_MOST];
static uint32_t count;

/* ---- what is asked for ----------------------------------------------------------------------- */

static const char *take_format(struct asked_argument *a, const char *text, const char *end)
{
	unsigned long bits;
	char *rest;

	a->format = 'i';
	a->bits = 32;
	if (text == end)
		return NULL;
	if (*text++ != '/' || text == end || !strchr("iuxcs", *text))
		return "behind the number there may be /i, /u, /x, /c or /s";
	a->format = *text++;
	a->bits = a->format == 'c' ? 8 : a->format == 's' ? 64 : 32;
	if (text == end)
		return NULL;
	bits = isdigit((unsigned char)*text) && !strchr("cs", a->format) ?
		       strtoul(text, &rest, 10) :
		       0;
	if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || rest != end)
		return "a number has 8, 16, 32 or 64 bits";
	a->bits = (uint8_t)bits;
	return NULL;
}

static const char *take(struct asked_argument *a, const char *text, const char *end)
{
	const char *at = memrchr(text, '@', (size_t)(end - text));

	if (!at || at == text || end - at < 5 || memcmp(at, "@arg", 4) != 0)
		return "NAME@argN[/FORMAT] is needed";
	a->name = text;
	a->length = (size_t)(at - text);
	if (at[4] < '1' || at[4] > '0' + REGISTERS)
		return "arguments are arg1 to arg6";
	a->number = (uint8_t)(at[4] - '0');
	return take_format(a, at + 5, end);
}

const char *arguments_set(const char *text, size_t n)
{
	const char *copy = KNOWN ? strndup(text, n) : NULL, *end;
	const char *why = copy ? NULL : KNOWN ? "no memory" : "it is for x86-64 alone";

	count = 0;
	for (const char *p = copy; p && !why; p = *end ? end + 1 : NULL) {
		end = strchrnul(p, '+');
		why = count == ASKED_MOST ? "at most 32 functions" : take(&asked[count], p, end);
		count += !why;
	}
	return why;
}

/* As FUNCTIONS= has it: a pattern without a parenthesis is of the name alone. */
static bool fits(const struct asked_argument *a, const char *name, const char *alone)
{
	return pattern_fits(a->name, a->length, memchr(a->name, '(', a->length) ? name : alone);
}

void arguments_ask(struct hook_function *f, const char *name)
{
	char alone[1024];

	snprintf(alone, sizeof(alone), "%.*s", (int)strcspn(name, "("), name);
	for (uint32_t i = 0; i < count; i++) {
		if (fits(&asked[i], name, alone)) {
			f->kind = FUNCTION_BY_ARGUMENT;
			f->asked = (uint8_t)i;
			return;
		}
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

/* What is there, whatever the pointer is: as far as it can be read. false: nothing can. */
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

static void put_value(char out[VALUE], const struct asked_argument *a, uint64_t value)
{
	uint64_t bits = a->bits < 64 ? value & ((UINT64_C(1) << a->bits) - 1) : value;
	int64_t with_sign = (int64_t)(bits << (64 - a->bits)) >> (64 - a->bits);

	switch (a->format) {
	case 's':
		put_text(out, value);
		break;
	case 'c':
		snprintf(out, VALUE, isprint((int)bits) ? "'%c'" : "%d", (int)bits);
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

/* ---- functions ------------------------------------------------------------------------------- */

/* No address of a program's: those of both ends of the address space have other top bits. */
static uintptr_t key_of(const struct hook_function *f, const char *value)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ f->was;

	for (; *value; value++)
		hash = (hash ^ (uint8_t)*value) * UINT64_C(0x100000001b3);
	hash ^= hash >> 29;
	hash *= UINT64_C(0xbf58476d1ce4e5b9);
	return (uintptr_t)((hash >> 2) | UINT64_C(1) << 62);
}

static char *name_of(struct hook_function *f, const char *value)
{
	const char *name = modules_name(f);
	char *text;

	return asprintf(&text, "%.*s(%s)", (int)strcspn(name, "("), name, value) < 0 ? NULL : text;
}

static struct hook_function *add(struct hook_function *f, uintptr_t key, const char *value)
{
	bool mine;
	struct hook_function *found = functions_add(key, &mine);

	if (!found || !mine)
		return found;
	found->was = f->was;
	found->module = f->module;
	found->name = name_of(f, value);
	functions_number(found);
	return found;
}

struct hook_function *arguments_find(struct hook_function *f, uintptr_t sp)
{
	const struct asked_argument *a = &asked[f->asked];
	struct hook_function *found;
	char value[VALUE] = "?";
	int error = errno;
	uintptr_t key;

	/* keep.inc: %rax first, below where the event returns to, then those of arguments. */
	if (sp)
		put_value(value, a, ((const uint64_t *)sp)[-2 - a->number]);
	key = key_of(f, value);
	found = functions_find(key);
	if (!found && strcmp(value, "?") &&
	    __atomic_fetch_add(&f->values, 1, __ATOMIC_RELAXED) >= ARGUMENT_VALUES) {
		strcpy(value, "others");
		key = key_of(f, value);
		found = functions_find(key);
	}
	if (!found)
		found = add(f, key, value);
	while (found && !found->number)
		sched_yield();
	errno = error;
	return found;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace mark: writes a record into the trace, for scripts. */
#include <errno.h>
#include <span.h>
#include <stdlib.h>
#include "complain.h"
#include "option_store.h"
#include "swtrace.h"

#define INTS 64

struct mark {
	int major, minor, n;
	uint64_t ints[1 + INTS]; /* the first is a span's id */
	bool begins, ends;       /* it is of a span */
};

/* A whole number of 64 bits, also negative. */
static bool take_integer(const struct option_given *given, const char *option, uint64_t *value)
{
	const char *text = given->text;
	char *end;

	errno = 0;
	*value = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	if (!errno && end != text && !*end)
		return true;
	complain("%s: invalid number '%s': expected a whole number of 64 bits", option, text);
	return false;
}

static bool store_integer(const struct option_given *given, void *to)
{
	struct mark *m = to;

	if (m->n == INTS) {
		complain("-i: more than %d numbers", INTS);
		return false;
	}
	return take_integer(given, "-i", &m->ints[1 + m->n++]);
}

/* Each mark is a process of its own, so the id is one of all processes. */
static bool store_begin(const struct option_given *given, void *to)
{
	struct mark *m = to;

	m->begins = true;
	return take_integer(given, "-b", m->ints);
}

static bool store_end(const struct option_given *given, void *to)
{
	struct mark *m = to;

	m->ends = true;
	return take_integer(given, "-e", m->ints);
}

static const struct option_row rows[] = {
	{ { "-M" },
	  "MAJOR",
	  "the record's major",
	  option_number,
	  OPTION_TO(struct mark, major),
	  .most = PITRACE_MAJORS - 1 },
	{ { "-m" },
	  "MINOR",
	  "the record's minor",
	  option_number,
	  OPTION_TO(struct mark, minor),
	  .most = 0x7FFFFFFF },
	{ { "-i" },
	  "N",
	  "a number in the record, up to 64 of them",
	  .store = store_integer,
	  .repeats = true },
	{ { "-b" }, "ID", "a span of this id begins, whose name is TEXT", .store = store_begin },
	{ { "-e" }, "ID", "the span of this id and of the name TEXT ends", .store = store_end },
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
const struct option_table cmd_mark_table = { .parts = parts, .letters = true, .ends = true };

int cmd_mark(int argc, char **argv)
{
	struct mark m = { .major = PITRACE_HOOKIT };
	struct option_rest rest;
	int code, rc;
	bool span;

	if (!take_options(&cmd_mark_table, &m, argc, argv, &rest, &code))
		return code;
	span = m.begins || m.ends;
	if (span && (m.begins == m.ends || m.major != PITRACE_HOOKIT))
		return fail("mark: one of -b and -e, and neither with another major than 0xb0");
	if (span && !rest.count)
		return fail("mark: a span needs a name");
	if (span)
		m.minor = (m.ends ? TRACE_SPAN_END : TRACE_SPAN_BEGIN) | TRACE_SPAN_SHARED;
	rc = TraceHook(0, m.major, m.minor, m.n + span, rest.count, m.ints + !span, NULL,
		       (const char *const *)rest.words);
	if (rc == TRACE_NOBODY)
		return 1;
	if (rc == PI_BUFFER_FULL)
		return fail("the buffer is full: the record is lost, and counted as lost");
	return rc ? fail_rc(rc) : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace mark: writes a record into the trace, for scripts. */
#include <errno.h>
#include <span.h>
#include <stdlib.h>
#include <unistd.h>

#include "complain.h"
#include "option_store.h"
#include "swtrace.h"

#define INTS 64

struct mark {
	int major, n;
	uint32_t minor;
	uint64_t ints[1 + INTS]; /* the first is a span's id */
	bool begins, ends;       /* of a span */
};

/* Parses a 64-bit integer, which may be negative. */
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

/* Each mark is written by a process of its own, so the id is valid across processes. */
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
	{ { "-m" }, "MINOR", "the record's minor", option_number, OPTION_TO(struct mark, minor) },
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

/* Writes the record; first: 0 with the span's id, 1 without. */
static int write_mark(const struct mark *m, unsigned int first, int strs, const char *const *str)
{
	int rc = TraceHook(0, m->major, m->minor, m->n + !first, strs, m->ints + first, NULL, str);

	if (rc == TRACE_NOBODY)
		return 1;
	if (rc == PI_BUFFER_FULL)
		return fail("the buffer is full: the record is lost, and counted as lost");
	return rc ? fail_rc(rc) : 0;
}

/*
 * Elsewhere, a begin and an end without an id match within one thread, and with a number within one
 * process. Here each mark is written by a process of its own, so the span is matched across all
 * processes: by the number, else by the terminal's session, which all commands of a script share.
 */
static int write_pair(struct mark *m, const struct option_rest *rest)
{
	static const char *const no_name[] = { "" };
	unsigned int first = m->n ? 1 : 0;

	m->minor |= TRACE_SPAN_SHARED;
	m->ints[0] = (uint64_t)getsid(0);
	if (!rest->count)
		return write_mark(m, first, 1, no_name);
	return write_mark(m, first, rest->count, (const char *const *)rest->words);
}

int cmd_mark(int argc, char **argv)
{
	struct mark m = { .major = PITRACE_HOOKIT };
	struct option_rest rest;
	int code;
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
	else if (m.major == PITRACE_HOOKIT &&
		 (m.minor == TRACE_SPAN_BEGIN || m.minor == TRACE_SPAN_END))
		return write_pair(&m, &rest);
	return write_mark(&m, !span, rest.count, (const char *const *)rest.words);
}

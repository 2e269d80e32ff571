/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace mark: writes a record into the trace, for scripts. */
#include <errno.h>
#include <stdlib.h>
#include "complain.h"
#include "option_store.h"
#include "swtrace.h"

#define INTS 64

struct mark {
	int major, minor, n;
	uint64_t ints[INTS];
};

/* A whole number of 64 bits, also negative, is added. */
static bool store_integer(const struct option_given *given, void *to)
{
	struct mark *m = to;
	const char *text = given->text;
	uint64_t value;
	char *end;

	if (m->n == INTS) {
		complain("-i: more than %d numbers", INTS);
		return false;
	}
	errno = 0;
	value = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	if (errno || end == text || *end) {
		complain("-i: invalid number '%s': expected a whole number of 64 bits", text);
		return false;
	}
	m->ints[m->n++] = value;
	return true;
}

static const struct option_row rows[] = { { { "-M" },
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
					  OPTION_ROWS_END };
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
const struct option_table cmd_mark_table = { .parts = parts, .letters = true, .ends = true };

int cmd_mark(int argc, char **argv)
{
	struct mark m = { .major = PITRACE_HOOKIT };
	struct option_rest rest;
	int code, rc;

	if (!take_options(&cmd_mark_table, &m, argc, argv, &rest, &code))
		return code;
	rc = TraceHook(0, m.major, m.minor, m.n, rest.count, m.ints, NULL,
		       (const char *const *)rest.words);
	if (rc == TRACE_NOBODY)
		return 1;
	if (rc == PI_BUFFER_FULL)
		return fail("the buffer is full: the record is lost, and counted as lost");
	return rc ? fail_rc(rc) : 0;
}

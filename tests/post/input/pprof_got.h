/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of reading a pprof profile that a test has built: its records, names, faults. */
#ifndef PPROF_GOT_H
#define PPROF_GOT_H

#include <sys/mman.h>

#include "input/pprof/pprof_state.h"
#include "input/readers.h"
#include "pprof_image.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SAMPLE       (PITRACE_TPROF_USER | PITRACE_TPROF_STACK)

struct got {
	int opened;
	bool complete;
	struct pifile_header header;
	size_t faults;
	uint64_t fault;
	char what[200], last[200]; /* the first and the last one */
	char symbols[8192];
	struct pirecord r[100];
	union {
		struct pitrace_mte_task task;
		struct pprof_stack stack;
		struct pitrace_mte_buildid id;
		struct pitrace_event_rec event;
		struct pitrace_interval interval;
		struct {
			struct pitrace_mte_map map;
			char path[200];
		};
	} data[100];
	size_t n;
	uint64_t samples;
};

static struct got *got;

static inline void take_all(struct input *in)
{
	struct pirecord r;
	int rc;

	while ((rc = in->reader->next(in, &r)) > 0) {
		got->samples += r.major == PITRACE_TPROF ? r.repeats + 1 : 0;
		if (got->n == COUNT(got->r))
			continue;
		got->r[got->n] = r;
		memcpy(&got->data[got->n], r.data,
		       r.size < sizeof(got->data[0]) ? r.size : sizeof(got->data[0]));
		got->n++;
	}
	CU_ASSERT_EQUAL(rc, 0);
}

static inline void read_profile(const struct message *m, unsigned int what)
{
	const struct pifile_fault *list = NULL;
	struct pifile_fault fault = { 0 };
	struct input in = { .reader = &reader_pprof };
	struct input_section s;
	char path[64];
	int fd = memfd_create("pprof", MFD_CLOEXEC);

	CU_ASSERT_FATAL(fd >= 0 && write(fd, m->data, m->n) == (ssize_t)m->n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in.path = in.name = path;
	if (!got)
		got = malloc(sizeof(*got));
	memset(got, 0, sizeof(*got));
	got->opened = in.reader->open(&in, &fault);
	if (got->opened) {
		got->fault = fault.offset;
		strcpy(got->what, fault.what);
		close(fd);
		return;
	}
	CU_ASSERT_EQUAL(in.reader->section(&in, 0, &s), 1);
	CU_ASSERT_EQUAL(s.type, INPUT_SEC_SYMBOLS);
	snprintf(got->symbols, sizeof(got->symbols), "%.*s", (int)s.size, (const char *)s.data);
	CU_ASSERT_EQUAL(in.reader->section(&in, 1, &s), 0);
	CU_ASSERT_EQUAL(in.reader->begin(&in, what), 0);
	take_all(&in);
	got->faults = in.reader->faults(&in, &list);
	got->complete = in.complete;
	got->header = in.header;
	if (got->faults) {
		got->fault = list[0].offset;
		strcpy(got->what, list[0].what);
		strcpy(got->last, list[got->faults - 1].what);
	}
	in.reader->close(&in);
	close(fd);
}

/* The nth record of a kind, its number among all; fails where there are fewer. */
static inline size_t nth(uint16_t major, uint32_t minor, unsigned int n)
{
	for (size_t i = 0; i < got->n; i++)
		if (got->r[i].major == major && got->r[i].minor == minor && !n--)
			return i;
	CU_FAIL_FATAL("fewer records");
	return 0;
}

static inline unsigned int count_of(uint16_t major, uint32_t minor)
{
	unsigned int n = 0;

	for (size_t i = 0; i < got->n; i++)
		n += got->r[i].major == major && got->r[i].minor == minor;
	return n;
}

/* Two kinds of values, and the strings for them. */
static const char *const kinds[] = { "", "samples", "count", "time", "bytes", NULL };
static inline void head(struct message *m)
{
	numbers(m, PROFILE_SAMPLE_TYPE, 1, 2);
	numbers(m, PROFILE_SAMPLE_TYPE, 3, 4);
	strings(m, kinds);
}

#endif

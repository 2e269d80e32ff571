/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Large traces from a real one. The same program mix is recorded by pitrace and by perf at the same
 * time, and both recordings are repeated in the same way up to the same number of samples:
 *
 * - the samples between two other records (a process begins, maps, changes its name, ends) are
 *   repeated under new times, as if everything had run that much longer: names stay right;
 * - all that is done COPIES times one after the other under new pids and, for what is not loaded at
 *   fixed addresses, new addresses, as if the mix had been started again.
 */
#ifndef BENCH_REPEAT_H
#define BENCH_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COPIES 7

struct repeat {
	uint64_t left;        /* samples still wanted */
	uint64_t shift;       /* of the times of what is written now */
	uint32_t copy;        /* the one that is made: the first is 0 */
	uint64_t first, last; /* times in the recording */
	uint32_t highest;     /* pid in it */
	size_t samples;       /* in it */
};

/* A recording in memory: records in the order of time. */
struct recording {
	size_t n;
	bool (*is_sample)(size_t i);
	uint64_t (*time)(size_t i); /* 0: before the recording began */
	uint32_t (*pid)(size_t i);
	void (*write)(size_t i);
};

static inline void repeat_look(struct repeat *r, const struct recording *in)
{
	r->first = UINT64_MAX;
	for (size_t i = 0; i < in->n; i++) {
		uint64_t time = in->time(i);
		uint32_t pid = in->pid(i);

		r->samples += in->is_sample(i);
		if (time && time < r->first)
			r->first = time;
		if (time > r->last)
			r->last = time;
		if (pid > r->highest && pid <= INT32_MAX)
			r->highest = pid;
	}
}

static inline void repeat_run(struct repeat *r, const struct recording *in)
{
	uint64_t each = (uint64_t)COPIES * r->samples, rounds = (r->left + each - 1) / each;

	for (; r->left; r->copy++, r->shift += r->last - r->first + 1000000)
		for (size_t i = 0, end; i < in->n && r->left; i = end) {
			uint64_t length;

			for (end = i; end < in->n && in->is_sample(end); end++)
				;
			length = (end < in->n ? in->time(end) : r->last) - in->time(i) + 1;
			for (uint64_t k = 0; k < rounds && end > i; k++) {
				r->shift += k ? length : 0;
				for (size_t s = i; s < end && r->left; s++, r->left--)
					in->write(s);
			}
			if (end == i)
				in->write(end++);
		}
	r->copy--;
}

/* 0 and -1 stay: they are nobody's. */
static inline uint32_t repeat_pid(const struct repeat *r, uint32_t pid)
{
	return pid && pid <= INT32_MAX ? pid + r->copy * r->highest : pid;
}

/* Elsewhere by pages, as address space randomisation does; the kernel and programs that are not
 * position independent stay. */
static inline uint64_t repeat_address(const struct repeat *r, uint64_t address)
{
	return address >> 40 && !(address >> 47) ? address - ((uint64_t)r->copy << 24) : address;
}

#endif

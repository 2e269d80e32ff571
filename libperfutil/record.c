/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The walk through a segment's records: its beginning, its rare endings, and the names of majors
 * and minors. The common path is inline in record.h.
 */
#include "record.h"

int record_walk_begin(struct record_walk *w, const void *base, size_t size,
		      struct pitrace_segment *segment)
{
	*w = (struct record_walk){ .b = bytes_of(base, size) };

	if (!bytes_copy(&w->b, segment, sizeof(*segment)))
		w->why = "shorter than a segment's header";
	else if (segment->magic != PITRACE_SEGMENT_MAGIC)
		w->why = "no segment: its magic is wrong";
	else if (segment->size < sizeof(*segment) || segment->size % 4 || segment->size > size)
		w->why = "the size of the segment's header is wrong";
	else if (segment->ring >= PITRACE_RINGS)
		w->why = "the segment's ring is unknown";
	else
		w->b.at = segment->size;
	w->high = segment->stamp & ~(uint64_t)UINT32_MAX;
	w->last = 0;
	return w->why ? -EBADMSG : 0;
}

void record_walk_bare(struct record_walk *w, const void *base, size_t size, uint64_t stamp)
{
	*w = (struct record_walk){ .b = bytes_of(base, size),
				   .high = stamp & ~(uint64_t)UINT32_MAX };
}

bool record_walk_odd(struct record_walk *w)
{
	size_t left = w->b.size - w->b.at;
	struct pitrace_rec h = { 0 };

	if (!left)
		return false;
	memcpy(&h, w->b.base + w->b.at, left < sizeof(h) ? left : sizeof(h));
	if (left == 4 || left == 8) {		/* the first word or two of a PAD */
		if (h.major == PITRACE_PAD)
			return false;
		w->why = "the bytes behind the last record are neither a record nor padding";
	} else if (left < sizeof(h)) {
		w->why = "bytes that are no record behind the last record";
	} else if (!(h.type_len & PITRACE_LEN_MASK)) {
		w->why = "a record of no length";
	} else if ((h.type_len & PITRACE_LEN_MASK) < (int)sizeof(h)) {
		w->why = "a record shorter than its header";
	} else {
		w->why = "a record longer than the segment";
	}
	return true;
}

static const struct {
	uint16_t major;
	const char *name;
} majors[] = {
	{ PITRACE_HIGH, "high" },   { PITRACE_TPROF, "tprof" }, { PITRACE_SYSINFO, "sysinfo" },
	{ PITRACE_MTE, "mte" },	    { PITRACE_PAD, "pad" },	{ PITRACE_SYNC, "sync" },
	{ PITRACE_LOST, "lost" },
};

static const struct {
	uint16_t major;
	uint32_t minor;
	const char *name;
} minors[] = {
	{ PITRACE_TPROF, PITRACE_TPROF_KERNEL, "kernel sample" },
	{ PITRACE_TPROF, PITRACE_TPROF_USER, "user sample" },
	{ PITRACE_TPROF, PITRACE_TPROF_IDLE, "idle ticks" },
	{ PITRACE_TPROF, PITRACE_TPROF_KERNEL | PITRACE_TPROF_LATE, "late kernel sample" },
	{ PITRACE_TPROF, PITRACE_TPROF_USER | PITRACE_TPROF_LATE, "late user sample" },
	{ PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, "interval" },
	{ PITRACE_MTE, PITRACE_MTE_MODULE, "module" },
	{ PITRACE_MTE, PITRACE_MTE_BUILDID, "build id" },
	{ PITRACE_MTE, PITRACE_MTE_NAME, "name" },
	{ PITRACE_MTE, PITRACE_MTE_CLONE, "clone" },
	{ PITRACE_MTE, PITRACE_MTE_PROCESS, "process" },
	{ PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT, "process exit" },
	{ PITRACE_MTE, PITRACE_MTE_THREAD, "thread" },
	{ PITRACE_MTE, PITRACE_MTE_THREAD_EXIT, "thread exit" },
	{ PITRACE_MTE, PITRACE_MTE_UNMAP, "unmap" },
	{ PITRACE_MTE, PITRACE_MTE_UNLOAD, "unload" },
	{ PITRACE_MTE, PITRACE_MTE_FORK, "fork" },
	{ PITRACE_SYNC, PITRACE_SYNC_ON, "on" },
	{ PITRACE_SYNC, PITRACE_SYNC_OFF, "off" },
	{ PITRACE_SYNC, PITRACE_SYNC_SECOND, "second" },
	{ PITRACE_SYNC, PITRACE_SYNC_SUSPEND, "suspend" },
	{ PITRACE_SYNC, PITRACE_SYNC_RESUME, "resume" },
	{ PITRACE_SYNC, PITRACE_SYNC_CPU_ONLINE, "cpu online" },
	{ PITRACE_SYNC, PITRACE_SYNC_CPU_OFFLINE, "cpu offline" },
	{ PITRACE_SYNC, PITRACE_SYNC_UNSTABLE, "clock unstable" },
	{ PITRACE_LOST, PITRACE_LOST_MTE, "mte records" },
	{ PITRACE_LOST, PITRACE_LOST_TPROF, "samples" },
	{ PITRACE_LOST, PITRACE_LOST_OVERRUN, "ticks" },
	{ PITRACE_LOST, PITRACE_LOST_OTHER, "other records" },
};

const char *record_major_name(unsigned int major)
{
	for (size_t i = 0; i < sizeof(majors) / sizeof(majors[0]); i++)
		if (majors[i].major == major)
			return majors[i].name;
	return NULL;
}

const char *record_minor_name(unsigned int major, uint32_t minor)
{
	for (size_t i = 0; i < sizeof(minors) / sizeof(minors[0]); i++)
		if (minors[i].major == major && minors[i].minor == minor)
			return minors[i].name;
	return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bounds for the time of day of a perf.data, if it is not recorded. The file was created before its
 * first record and last written after its last one. The clock of the times, if this machine has not
 * been rebooted since, yields the same independently. Each of the two can be wrong (a copy of a
 * file is created later, another boot has another clock), so the earlier one is the lower bound,
 * and one that contradicts the other is ignored.
 */
#include "input/perf/perf_wall.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/file_same.h"
#include "input/perf/perf_bytes.h"

#define SECOND 1000000000ull
#define APART  (60 * SECOND) /* tolerance: clocks not adjusted for weeks, perf's work at its end */

bool perf_recorded_here(struct perf *p)
{
	struct perf_view v = perf_feature(p, PERF_HOSTNAME);
	struct bytes b = perf_view_bytes(p, &v);
	const char *host = v.data ? perf_text(&b) : NULL;
	struct utsname u;
	bool here = !uname(&u) && !strcmp(u.release, p->in->header.release) &&
		    (!host || !strcmp(u.nodename, host));

	perf_view_free(&v);
	return here;
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) ? 0 : (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* Returns the offset from this machine's clock of that kind to the time of day; 0: a different
 * clock counted the times. perf's own clock keeps pace with CLOCK_MONOTONIC. */
static uint64_t behind(const struct perf *p)
{
	clockid_t clock = CLOCK_MONOTONIC;
	uint64_t time, wall = now(CLOCK_REALTIME);

	for (uint32_t i = 0; i < p->nattrs; i++)
		if (p->attr[i].use_clock)
			clock = p->attr[i].clock;
	time = now(clock);
	return time && p->last <= time + APART && wall > time ? wall - time : 0;
}

/* Returns the creation time of the file; 0: not supported by its file system, or it is the copy of
 * a pipe's data. */
static uint64_t file_begun(const struct perf *p)
{
	struct statx s;

	if (p->in->spool >= 0 || statx(p->file[0].fd, "", AT_EMPTY_PATH, STATX_BTIME, &s) ||
	    !(s.stx_mask & STATX_BTIME))
		return 0;
	return (uint64_t)s.stx_btime.tv_sec * SECOND + s.stx_btime.tv_nsec;
}

static uint64_t written_last(const struct perf *p)
{
	uint64_t last = 0, at;
	struct stat st;

	for (uint32_t i = 0; i < p->nfiles; i++) {
		at = fstat(p->file[i].fd, &st) || !S_ISREG(st.st_mode) ? 0 : file_written(&st);
		last = at > last ? at : last;
	}
	return last;
}

void perf_wall(struct input *in, uint32_t origin, struct input_wall *w)
{
	struct perf *p = in->state;
	uint64_t begun = file_begun(p), clock;

	(void)origin;
	*w = (struct input_wall){ .here = perf_recorded_here(p), .ended = written_last(p) };
	if (!p->first || w->ended <= p->last)
		return;
	w->most = w->ended - p->last;
	begun = begun > p->first ? begun - p->first : 0;
	if (begun > w->most)
		begun = 0;
	clock = w->here ? behind(p) : 0;
	if (clock > w->most + APART)
		clock = 0;
	if (begun)
		w->least = clock && clock < begun ? clock : begun;
	else if (clock && clock + APART > w->most)
		w->least = (clock < w->most ? clock : w->most) - APART;
	w->begun = w->least ? w->least + p->first : 0;
}

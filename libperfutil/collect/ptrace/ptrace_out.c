/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records of the collector ptrace. All trace records are in one ring, that of CPU 0, so that
 * readers get them in the order in which they were written.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/now.h"
#include "base/proc_lines.h"
#include "base/proc_text.h"
#include "collect/ptrace/ptrace_session.h"

uint64_t ptrace_stamp(struct ptrace_session *s)
{
	uint64_t now = now_ns();

	s->last = now > s->last ? now : s->last + 1;
	return s->last;
}

static void put(struct ptrace_session *s, uint16_t major, uint32_t minor, const void *data,
		size_t bytes)
{
	user_rings_trace(&s->out, 0, major, minor, data, bytes, NULL, 0, ptrace_stamp(s));
}

static uint32_t gap(struct ptrace_thread *t)
{
	uint32_t flag = t->flow_gap ? PITRACE_BRANCH_GAP : 0;

	t->flow_gap = false;
	return flag;
}

void ptrace_out_branch(struct ptrace_session *s, struct ptrace_thread *t, uint32_t minor,
		       uint64_t from, uint64_t to)
{
	struct pitrace_branch b = {
		.pid = (uint32_t)t->p->pid,
		.tid = (uint32_t)t->tid,
		.count = t->count,
		.from = from,
		.to = to,
	};

	t->count = 0;
	if (!t->begun)
		return;
	put(s, PITRACE_BRANCH_USER, minor | gap(t), &b, sizeof(b));
	if (!(minor & PITRACE_BRANCH_STEP))
		s->branches++;
}

void ptrace_out_break(struct ptrace_session *s, struct ptrace_thread *t, enum pitrace_break why,
		      uint32_t number, uint64_t at, uint64_t to)
{
	struct pitrace_break_rec b = {
		.pid = (uint32_t)t->p->pid,
		.tid = (uint32_t)t->tid,
		.count = t->count,
		.number = number,
		.at = at,
		.to = to,
	};

	t->count = 0;
	if (t->begun)
		put(s, PITRACE_BREAK_USER, (uint32_t)why | gap(t), &b, sizeof(b));
}

void ptrace_out_mark(struct ptrace_session *s, struct ptrace_thread *t, bool start,
		     enum pitrace_itrace_why why)
{
	struct pitrace_itrace_mark m = {
		.pid = (uint32_t)t->p->pid,
		.tid = (uint32_t)t->tid,
		.count = start ? 0 : t->count,
		.address = t->pc,
	};

	t->count = 0;
	put(s, start ? PITRACE_ITRACE_START : PITRACE_ITRACE_STOP, (uint32_t)why | gap(t), &m,
	    sizeof(m));
}

void ptrace_out_code(struct ptrace_session *s, const struct ptrace_process *p, uint64_t address,
		     const uint8_t *code, uint32_t bytes)
{
	struct pitrace_code c = { .pid = (uint32_t)p->pid, .bytes = bytes, .address = address };

	user_rings_trace(&s->out, 0, PITRACE_CODE, 0, &c, sizeof(c), code, bytes, ptrace_stamp(s));
}

/* ---- names ----------------------------------------------------------------------------------- */

struct maps_seen {
	struct timer_process *image;
	bool whole;
};

static bool see(void *arg, const char *text, size_t length)
{
	struct maps_seen *s = arg;
	struct proc_map parsed;
	struct timer_map map;

	length -= length && text[length - 1] == '\n';
	if (!proc_map_parse(text, length, &parsed) || parsed.path_len > PATH_MAX)
		return true;
	s->whole = timer_map_parse(text, length, &map) && timer_process_scan_map(s->image, &map);
	free(map.path);
	return s->whole;
}

void ptrace_out_maps(struct ptrace_session *s, struct ptrace_process *p)
{
	struct maps_seen seen = { p->image, true };
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/maps", p->pid);
	err = proc_lines(path, see, &seen);
	if (!err && seen.whole) {
		timer_process_scan_done(p->image, &s->out, ptrace_stamp(s));
		return;
	}
	/* From an incomplete list it does not follow that a mapping was removed. */
	timer_process_scan_abort(p->image);
	if (err == -ENOMEM || !seen.whole)
		user_rings_lost(&s->out, 0, PITRACE_LOST_MTE, 1, ptrace_stamp(s));
}

bool ptrace_out_image(struct ptrace_session *s, struct ptrace_process *p,
		      const struct ptrace_process *parent)
{
	uint64_t stamp = ptrace_stamp(s);
	char path[64], text[1024];
	ssize_t n;
	int fd;

	if (p->image)
		timer_process_free(&s->images, p->image);
	p->image = timer_process_get(&s->images, (uint32_t)p->pid, stamp);
	if (!p->image) {
		user_rings_lost(&s->out, 0, PITRACE_LOST_MTE, 1, stamp);
		return false;
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", p->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text)) : 0;
	if (fd >= 0)
		close(fd);
	timer_process_begin(p->image, &s->out, parent ? parent->image : NULL, text,
			    n > 0 ? (size_t)n : 0, stamp);
	return true;
}

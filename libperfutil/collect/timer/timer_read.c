/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the records of traced programs from their rings into items. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/now.h"
#include "collect/timer/timer_session.h"

#define READ_MAX       (1u << 18)   /* records per drain: the rest stays in the rings */
#define FILES_MAX      (1u << 16)   /* folder entries per drain */
#define ITEMS_MAX      (1u << 20)   /* items waiting until they are old enough … */
#define ITEM_BYTES_MAX (128u << 20) /* … and their data: anything beyond is lost */

/* No memory for the item. */
static void lose(struct timer_session *s, uint32_t kind)
{
	user_rings_lost(&s->out, 0, kind == TIMER_SAMPLE ? PITRACE_LOST_TPROF : PITRACE_LOST_MTE, 1,
			s->floor);
}

void timer_items_free(struct timer_session *s)
{
	for (size_t i = 0; i < s->nitem; i++)
		free(s->item[i].data);
	free(s->item);
}

void timer_add_item(struct timer_session *s, struct timer_process *p, uint32_t kind, uint32_t tid,
		    uint64_t stamp, const void *data, uint32_t bytes)
{
	struct timer_item *i;

	if (kind != TIMER_EXITED && (s->nitem >= ITEMS_MAX || s->item_bytes > ITEM_BYTES_MAX)) {
		lose(s, kind);
		return;
	}
	if (array_next(s->item, s->nitem, s->item_room)) {
		lose(s, kind);
		return;
	}
	i = &s->item[s->nitem];
	*i = (struct timer_item){
		.stamp = stamp,
		.order = s->order++,
		.p = p,
		.kind = kind,
		.tid = tid,
		.bytes = bytes,
		.data = bytes ? malloc(bytes) : NULL,
	};
	if (bytes && !i->data) {
		lose(s, kind);
		return;
	}
	if (bytes)
		memcpy(i->data, data, bytes);
	s->item_bytes += bytes;
	if (p && p->last < stamp)
		p->last = stamp;
	s->nitem++;
}

/* The traced program sets the stamp: clamps it between the last record written and now. */
static void take_record(void *arg, const struct timer_record *r, const void *data, uint32_t bytes)
{
	struct timer_session *s = arg;
	uint64_t now = now_ns(), stamp = r->stamp;

	s->nread++;
	stamp = stamp < s->floor ? s->floor : stamp > now ? now : stamp;
	if (r->kind > TIMER_PAD && r->kind <= TIMER_BUILD_ID)
		timer_add_item(s, s->reading, r->kind, r->tid, stamp, data, bytes);
}

static uint32_t bounded(uint64_t now, uint64_t before)
{
	return now > before ? now - before < UINT32_MAX ? (uint32_t)(now - before) : UINT32_MAX : 0;
}

/* The number of samples of an unsampled thread is unknown: counts one. */
static void write_unsampled(struct timer_session *s, uint32_t threads)
{
	if (threads)
		user_rings_lost(&s->out, 0, PITRACE_LOST_TPROF, threads, s->floor);
	s->unsampled_threads += threads;
}

static void read_file(struct timer_session *s, const struct timer_name *name)
{
	struct timer_process *p = timer_process_get(&s->all, name->pid, name->image);
	struct timer_source *from = p ? timer_process_source(p, name->number) : NULL;
	struct timer_read got = { 0 };
	int rc;

	if (!from || from->broken)
		return;
	s->reading = p;
	rc = timer_file_read(&s->folder, name, &got, take_record, s);
	from = &p->source[name->number];
	if (rc == -EBADMSG) {
		/* The ring is corrupt: keeps what was read so far. */
		from->broken = true;
		user_rings_lost(&s->out, 0, PITRACE_LOST_TPROF, 1, s->floor);
	}
	if (rc < 0)
		return;
	if (!name->number) {
		p->parent = got.parent;
		write_unsampled(s, bounded(got.unsampled, p->unsampled));
		p->unsampled = got.unsampled;
		if (got.lost_events > p->lost_events)
			user_rings_lost(&s->out, 0, PITRACE_LOST_MTE,
					bounded(got.lost_events, p->lost_events), s->floor);
		p->lost_events = got.lost_events;
	}
	if (got.lost_samples > from->lost_samples)
		user_rings_lost(&s->out, 0, PITRACE_LOST_TPROF,
				bounded(got.lost_samples, from->lost_samples), s->floor);
	from->lost_samples = got.lost_samples;
}

void timer_each_process(struct timer_session *s,
			void (*fn)(struct timer_session *s, struct timer_process *p))
{
	struct timer_process *next;

	for (size_t i = 0; s->all.n && i < sizeof(s->all.by_pid) / sizeof(*s->all.by_pid); i++)
		for (struct timer_process *p = s->all.by_pid[i]; p; p = next) {
			next = p->next;
			fn(s, p);
		}
}

/* Marks it before its rings are read for the last time. */
static void mark_exited(struct timer_session *s, struct timer_process *p)
{
	if (p->gone)
		return;
	p->exited = kill((pid_t)p->pid, 0) && errno == ESRCH;
	p->gone = p->exited || timer_process_newest(&s->all, p->pid, UINT64_MAX) != p;
}

static void reap_exited(struct timer_session *s, struct timer_process *p)
{
	struct timer_name name = { .pid = p->pid, .image = p->image };

	if (!p->gone || p->buried)
		return;
	for (name.number = 0; name.number < p->nsource; name.number++)
		if (p->source[name.number].known)
			timer_file_remove(&s->folder, &name);
	p->buried = true;
	/* It found no space for a ring, or exited before it had one. */
	if (!p->last)
		s->unsampled_processes++;
	timer_add_item(s, p, TIMER_EXITED, p->pid, p->last > s->floor ? p->last + 1 : s->floor,
		       NULL, 0);
}

/* Continues where the last drain stopped. A ring is read completely: its size is fixed. */
static void read_files(struct timer_session *s, DIR *d)
{
	struct timer_name name;
	struct dirent *e;
	uint32_t n = 0;

	s->nread = 0;
	while (n < FILES_MAX && s->nread < READ_MAX && (e = readdir(d)))
		if (n++ >= s->rest && timer_name_parse(e->d_name, &name))
			read_file(s, &name);
	s->rest = s->nread < READ_MAX ? 0 : n;
}

void timer_read_all(struct timer_session *s)
{
	int fd = dup(s->folder.fd);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	bool whole = !s->rest;

	/* Only processes that exited before the folder was read completely are reaped. */
	if (whole)
		timer_each_process(s, mark_exited);
	if (d) {
		rewinddir(d);
		read_files(s, d);
		closedir(d);
	} else if (fd >= 0) {
		close(fd);
	}
	if (whole && !s->rest)
		timer_each_process(s, reap_exited);
}

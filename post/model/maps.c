/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assigns perf maps to processes: by file name, by owner, and by whether the file was written
 * during the lifetime of the process. */
#include "model/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <perfmap.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/code_memory.h"
#include "base/file_same.h"
#include "record/record_as.h"
#include "base/regular.h"
#include "sandbox/opener.h"

#define NEVER    UINT64_MAX
#define NS       1000000000ull
#define SLACK_NS NS /* file system clocks are coarse */

struct maps_process {
	uint32_t pid;
	bool makes_code;   /* has memory for generated code */
	bool has;          /* the trace contains its map */
	uint64_t start;    /* CLOCK_BOOTTIME; 0: unknown */
	uint64_t from, to; /* its lifetime in trace time; from 0: before the trace */
	bool seen;         /* its start is known even if `from` is 0 */
	/* The fault of its map in the trace: */
	const char *what;
	char *path;
	uint64_t offset, lines;
};

void maps_begin(struct maps *m, struct jit *jit)
{
	*m = (struct maps){ .jit = jit };
}

void maps_free(struct maps *m)
{
	uint32_t i;

	for (i = 0; i < m->nprocess; i++)
		free(m->process[i].path);
	free(m->process);
	keys_free(&m->by_pid);
	*m = (struct maps){ 0 };
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

/* Returns the newest process with this pid; `other` adds a new one. NULL: no memory. */
static struct maps_process *process_of(struct maps *m, uint32_t pid, bool other)
{
	uint32_t i = keys_find(&m->by_pid, hash_mix(pid, 3), m->process, e, e->pid == pid);
	struct maps_process old;

	if (i != NO_KEY && !other)
		return &m->process[i];
	if (array_next(m->process, m->nprocess, m->room))
		return NULL;
	/* The index by pid refers to the newest process, so the previous one moves to the end. */
	old = (struct maps_process){ .pid = pid, .to = NEVER };
	if (i == NO_KEY) {
		if (keys_add(&m->by_pid, hash_mix(pid, 3), m->nprocess))
			return NULL;
		m->process[m->nprocess] = old;
		return &m->process[m->nprocess++];
	}
	m->process[m->nprocess++] = m->process[i];
	m->process[i] = old;
	return &m->process[i];
}

static int task_record(struct maps *m, const struct pirecord *r)
{
	const struct pitrace_mte_task *task = RECORD_AS(r, struct pitrace_mte_task);
	struct maps_process *p = task ? process_of(m, task->pid, false) : NULL;

	if (!task)
		return 0;
	if (!p)
		return -ENOMEM;
	if (r->minor == PITRACE_MTE_PROCESS_EXIT) {
		p->to = r->time;
		return 0;
	}
	if (p->to != NEVER || (p->start && task->start && p->start != task->start)) {
		p = process_of(m, task->pid, true);
		if (!p)
			return -ENOMEM;
	}
	/* After exec a process has new memory. */
	if (!(task->flags & PITRACE_TASK_WALK) &&
	    (r->minor == PITRACE_MTE_PROCESS || (!p->from && !p->start))) {
		p->from = r->time;
		p->seen = true;
	}
	if (task->start)
		p->start = task->start;
	return 0;
}

static int map_record(struct maps *m, struct input *in, const struct pirecord *r)
{
	const struct pitrace_mte_map *map = record_map(r);
	struct maps_process *p;

	if (!map || map->flags & (PITRACE_MAP_KERNEL | PITRACE_MAP_VDSO) ||
	    (!(map->flags & PITRACE_MAP_ANON) && !code_memory(map->path, strlen(map->path))))
		return 0;
	p = process_of(m, map->pid, false);
	if (!p)
		return -ENOMEM;
	p->makes_code = true;
	if (!m->real) {
		uint64_t real = in->reader->realtime(in, r->stamp);

		m->real = real ? real - r->time : 0;
	}
	return 0;
}

int maps_record(struct maps *m, struct input *in, const struct pirecord *r)
{
	if (r->major == PITRACE_SYNC) {
		const struct pitrace_sync *sync = RECORD_AS(r, struct pitrace_sync);

		if (sync && sync->realtime && sync->boottime)
			m->boot = sync->realtime - sync->boottime;
	}
	if (r->major != PITRACE_MTE)
		return 0;
	switch (r->minor) {
	case PITRACE_MTE_PROCESS:
	case PITRACE_MTE_FORK:
	case PITRACE_MTE_CLONE:
	case PITRACE_MTE_PROCESS_EXIT:
		return task_record(m, r);
	case PITRACE_MTE_MODULE:
		return map_record(m, in, r);
	default:
		return 0;
	}
}

/* ---- contents of maps ------------------------------------------------------------------------ */

/* Feeds a map whose text starts at this offset of the file `path`. */
static int add_section(struct maps *m, struct perfmap *map, const char *path, uint64_t offset,
		       uint32_t pid, uint64_t since, uint64_t until)
{
	struct explain *x = &m->jit->explain;
	struct perfmap_entry e;
	uint32_t before;
	int r, rc = 0;

	while (!rc && (r = perfmap_next(map, &e)) > 0) {
		before = a2n_told(m->jit->a2n);
		rc = a2n_jit_map(m->jit->a2n, since, until, pid, e.address, e.size, e.name,
				 e.name_length);
		if (!rc && explain_concerns(x, e.address, e.size))
			rc = explain_file(x, m->jit->a2n, before, "perf map", path,
					  offset + e.offset);
	}
	if (rc)
		return rc;
	if (since)
		rc = jit_changed(m->jit, since, pid);
	if (!rc && until != NEVER)
		rc = jit_changed(m->jit, until, pid);
	return rc ? rc : r;
}

/* Feeds a part of a map in the trace. */
static int add_part(struct maps *m, const struct input_section *s)
{
	struct perfmap_fault fault;
	struct perfmap_part part;
	struct maps_process *p;
	struct perfmap *map;
	int rc = perfmap_open_part(&map, s->data, s->size, &part);

	if (rc)
		return rc == -EBADMSG ? 0 : rc;
	p = process_of(m, part.pid, false);
	if (!p) {
		perfmap_close(map);
		return -ENOMEM;
	}
	p->has = true;
	rc = add_section(m, map, part.path, part.offset, part.pid, part.since, part.until);
	perfmap_fault(map, &fault);
	perfmap_close(map);
	if (fault.what && !p->what) {
		p->what = fault.what;
		p->offset = part.offset + fault.offset;
		p->path = strdup(part.path);
		if (!p->path)
			return -ENOMEM;
	}
	p->lines += fault.lines;
	return rc;
}

/* Reads a process's start in clock ticks since boot; false: no such process. */
static bool start_ticks(uint32_t pid, uint64_t *ticks)
{
	char path[64], line[1024], *word;
	bool known = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f) && (word = strrchr(line, ')')))
		known = sscanf(word,
			       ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
			       "%*d %*d %*d %*d %*d %" SCNu64,
			       ticks) == 1;
	if (f)
		fclose(f);
	return known;
}

/* Returns the start of the process that has this pid now, CLOCK_REALTIME; 0: no process. */
static uint64_t lives_since(uint32_t pid)
{
	uint64_t tick = NS / (uint64_t)sysconf(_SC_CLK_TCK), ticks;
	struct timespec wall, boot;

	if (!start_ticks(pid, &ticks) || clock_gettime(CLOCK_REALTIME, &wall) ||
	    clock_gettime(CLOCK_BOOTTIME, &boot))
		return 0;
	return (uint64_t)(wall.tv_sec - boot.tv_sec) * NS +
	       (uint64_t)(wall.tv_nsec - boot.tv_nsec) + ticks * tick;
}

/* Returns a lower bound for the start of the process, CLOCK_REALTIME; 0: unknown. */
static uint64_t began(const struct maps *m, const struct maps_process *p)
{
	uint64_t since;

	if (p->from)
		return m->wall.least ? p->from + m->wall.least : 0;
	if (p->seen)
		return m->wall.begun;
	if (p->start && m->boot)
		return p->start + m->boot;
	if (p->to != NEVER || !m->wall.here || !m->wall.ended)
		return 0;
	/* It was alive when the recording ended, and still is. */
	since = lives_since(input_pid(m->jit->trace, p->pid));
	return since <= m->wall.ended ? since : 0;
}

/* Returns why this file cannot be the map of the process, or NULL. The trace has no uid of the
 * process, so the file may belong to root, the recording user or the current user. */
static const char *stranger(const struct maps *m, const struct maps_process *p, int fd,
			    uid_t tracer)
{
	const struct input_wall *w = &m->wall;
	struct stat st;
	uint64_t written, now;

	if (fstat(fd, &st))
		return "cannot be read";
	if (st.st_uid && st.st_uid != geteuid() && st.st_uid != tracer)
		return "it is another user's file: if you trust it, copy it to a folder and name "
		       "that with -jdir";
	written = file_written(&st);
	if (written + SLACK_NS < began(m, p))
		return "it is older than the process";
	if (p->to == NEVER) {
		now = lives_since(input_pid(m->jit->trace, p->pid));
		return w->ended && now > w->ended + SLACK_NS && written > now ?
			       "it belongs to a newer process with that pid" :
			       NULL;
	}
	if (!m->real && w->ended && written > w->ended + SLACK_NS)
		return "it was written after the recording had ended";
	if (w->most && written > p->to + w->most + SLACK_NS)
		return "it was written after the process had ended";
	return NULL;
}

/* Finds the pid of a process in its own pid namespace, if it still is the traced process. */
static bool inner_number(const struct maps_process *p, uint32_t pid, uint32_t *inner)
{
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK), ticks;
	char path[64], line[1024], *word;
	bool same = false;
	FILE *f;

	if (!start_ticks(pid, &ticks) || ticks != p->start / (NS / hz))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	while (f && !same && fgets(line, sizeof(line), f))
		if (!strncmp(line, "NSpid:", 6) && (word = strrchr(line, '\t')))
			same = sscanf(word, "%" SCNu32, inner) == 1;
	if (f)
		fclose(f);
	return same;
}

/* Tries one possible place of a map. Returns 1 if it was used, 0 if the file is missing; notes an
 * unusable file. */
static int try_file(struct maps *m, const struct maps_process *p, int fd, const char *path,
		    bool named, uid_t tracer)
{
	int rc;
	struct perfmap_fault fault;
	struct perfmap *map;
	const char *why;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ENOSYS ?
			       0 :
			       jit_note(m->jit, path, NO_OFFSET,
					errno == EACCES ? "no permission to read it" :
					errno == ELOOP  ? "it is a link" :
					errno == EINVAL ? "not a regular file" :
							  "cannot be opened",
					0);
	why = named ? NULL : stranger(m, p, fd, tracer);
	if (why) {
		close(fd);
		return jit_note(m->jit, path, NO_OFFSET, why, 0);
	}
	rc = perfmap_open_fd(&map, fd, &why);
	if (rc)
		return why ? jit_note(m->jit, path, NO_OFFSET, why, 0) : rc;
	rc = add_section(m, map, path, 0, p->pid, 0, p->to);
	perfmap_fault(map, &fault);
	perfmap_close(map);
	/* Noted once for all maps. */
	if (!rc && !named && !began(m, p) && !m->unchecked) {
		m->unchecked = true;
		rc = jit_note(m->jit, path, NO_OFFSET,
			      m->wall.least ?
				      "it is used, but may belong to an older process with that pid: the trace does not have the start of this one" :
				      "it is used, but may belong to an older process with that pid: the trace does not have the time of day: record with perf record -k mono",
			      0);
	}
	if (rc && rc != -ENOMEM)
		rc = jit_note(m->jit, path, NO_OFFSET, "cannot be read", 0);
	if (!rc && fault.what)
		rc = jit_note(m->jit, path, fault.offset, fault.what, fault.lines);
	return rc ? rc : 1;
}

static int add_file(struct maps *m, const struct maps_process *p, uid_t tracer)
{
	const char *folder = m->jit->folders, *end;
	uint32_t pid = input_pid(m->jit->trace, p->pid), inner;
	char path[PATH_MAX];
	int r = 0;

	for (; !r && folder && *folder; folder = *end ? end + 1 : end) {
		end = strchrnul(folder, ':');
		if (snprintf(path, sizeof(path), "%.*s/perf-%u.map", (int)(end - folder), folder,
			     pid) < (int)sizeof(path))
			r = try_file(m, p, regular_open(path, O_NOFOLLOW, NULL), path, true,
				     tracer);
	}
	if (!r) {
		snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
		r = try_file(m, p, regular_open(path, O_NOFOLLOW, NULL), path, false, tracer);
	}
	/* It still runs, perhaps in a container. */
	if (!r && p->to == NEVER && inner_number(p, pid, &inner)) {
		int fd;

		snprintf(path, sizeof(path), "/tmp/perf-%u.map", inner);
		fd = opener_inside(pid, path);
		errno = fd < 0 ? -fd : 0;
		r = try_file(m, p, fd, path, false, tracer);
	}
	return r < 0 ? r : 0;
}

static void look_at_clock(struct maps *m, struct input *in, uint32_t origin)
{
	struct input_wall *w = &m->wall;
	struct stat st;

	if (m->wall_of == origin)
		return;
	m->wall_of = origin;
	*w = (struct input_wall){ 0 };
	if (in->reader->wall)
		in->reader->wall(in, origin, w);
	if (!w->ended && !stat(in->path, &st) && S_ISREG(st.st_mode))
		w->ended = file_written(&st);
	if (m->real)
		w->least = w->most = m->real;
}

int maps_finish(struct maps *m, struct input *in)
{
	struct input_section s;
	struct stat st;
	uid_t tracer = stat(in->path, &st) ? geteuid() : st.st_uid;
	int rc = 0;
	uint32_t i;

	m->wall_of = UINT32_MAX;
	for (i = 0; !rc && in->reader->section(in, i, &s) > 0; i++)
		if (s.type == PIFILE_SEC_PERFMAP && s.data)
			rc = add_part(m, &s);
	for (i = 0; !rc && i < m->nprocess; i++) {
		const struct maps_process *p = &m->process[i];

		if (p->what)
			rc = jit_note(m->jit, p->path, p->offset, p->what, p->lines);
		if (p->what || !p->makes_code || p->has)
			continue;
		look_at_clock(m, in, origin_of(p->pid));
		rc = add_file(m, p, tracer);
	}
	return rc;
}

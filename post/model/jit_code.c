/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds jitdumps and logs, merges their events, notes their faults. */
#include "model/jit_code.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jitdump.h>
#include <jitlog.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/elf_machine.h"
#include "model/wanted.h"
#include "record/input.h"
#include "base/keys.h"
#include "base/regular.h"
#include "sandbox/opener.h"

#define NEVER       UINT64_MAX
#define LOGS_MAX    512         /* each takes a descriptor */
#define CODE_MAX    (64u << 20) /* maximum bytes of code to keep */
#define TABLE_MAX   (64u << 20) /* maximum bytes of unwind tables to keep */
#define TABLE_ALIGN 8           /* alignment of tables after the code, see jitdump_create(3) */

struct jit_event {
	enum kind { LOAD, MOVE, UNLOAD, THREAD, NOTHING } kind;
	uint32_t pid, tid;
	uint64_t time, earliest, address, size, from;
	uint64_t offset; /* in the file */
	const char *name;
	size_t name_length;
	uint64_t table_size, table_at; /* of .eh_frame; offset from the code's start */
};

struct jit_source {
	struct jitdump *dump; /* one of both; NULL: at its end or unavailable */
	struct jitlog *log;
	uint32_t pid; /* its process, as in the trace */
	uint64_t inode;
	char *path;             /* path of the mapping */
	struct jit_event event; /* the next event */
	struct stat st;
	uint32_t machine;
	bool swapped;
	bool raw; /* times are stamps of the trace's clock */
};

struct jit_change {
	uint64_t time;
	uint32_t pid, tid; /* tid: the thread to name; 0: code */
};

static bool is_open(const struct jit_source *s)
{
	return s->dump || s->log;
}

void jit_begin(struct jit *j, struct a2n *a, const char *folders, bool lines, const char *wanted)
{
	*j = (struct jit){ .a2n = a,
			   .folders = folders,
			   .lines = lines || wanted,
			   .wanted = wanted,
			   .next = NEVER,
			   .change_next = NEVER };
}

int jit_note(struct jit *j, const char *path, uint64_t offset, const char *what, uint64_t records)
{
	struct jit_note *n;

	if (array_next(j->note, j->nnote, j->room_note))
		return -ENOMEM;
	n = &j->note[j->nnote];
	*n = (struct jit_note){ strdup(path), offset, what, records };
	if (!n->path)
		return -ENOMEM;
	j->nnote++;
	return 0;
}

/* …/jit-NUMBER.dump */
static bool is_jitdump(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t digits;

	name = name ? name + 1 : path;
	if (strncmp(name, "jit-", 4))
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && (!strcmp(name + 4 + digits, ".dump") ||
			  !strcmp(name + 4 + digits, ".dump (deleted)"));
}

/* The file of this name may belong to another process by now: compares the inode. */
static int tried(int fd, int err, const struct pitrace_mte_map *map, const char **why)
{
	struct stat st;

	if (fd < 0) {
		if (err != ENOENT && err != ENOTDIR && err != ENOSYS)
			*why = err == EACCES ? "no permission to read it" : "cannot be opened";
		return -1;
	}
	if (!map || !map->inode || (!fstat(fd, &st) && st.st_ino == map->inode))
		return fd;
	close(fd);
	*why = "the file of this name is not the one that was mapped";
	return -1;
}

static int try_open(const char *path, const struct pitrace_mte_map *map, const char **why)
{
	int fd = regular_open(path, O_NOFOLLOW, NULL);

	return tried(fd, errno, map, why);
}

static int open_dump(const struct jit *j, const struct pitrace_mte_map *map, const char **why)
{
	const char *p = j->folders, *end, *name = strrchr(map->path, '/');
	char path[PATH_MAX];
	int fd;

	*why = "it no longer exists";
	name = name ? name + 1 : map->path;
	/* Files in a folder chosen by the user are copies: their inodes differ. */
	for (; p && *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, ':');
		if (snprintf(path, sizeof(path), "%.*s/%s", (int)(end - p), p, name) >=
		    (int)sizeof(path))
			continue;
		fd = try_open(path, NULL, why);
		if (fd >= 0)
			return fd;
	}
	fd = try_open(map->path, map, why);
	if (fd >= 0)
		return fd;
	/* The process may run in a container. */
	fd = opener_inside(input_pid(j->trace, map->pid), map->path);
	return tried(fd, -fd, map, why);
}

static void look_ahead(struct jit *j)
{
	uint32_t i;

	j->next = NEVER;
	for (i = 0; i < j->nsource; i++) {
		const struct jit_source *s = &j->source[i];

		if (is_open(s) && s->event.time < j->next)
			j->next = s->event.time;
	}
}

static uint32_t origin_at(const struct jit *j, uint32_t pid)
{
	return j->trace->origins ? origin_of(pid) : 0;
}

static uint64_t time_of(struct input *trace, const struct jit_source *s, uint64_t time)
{
	if (trace->origins)
		return origin_time(&trace->origin[origin_of(s->pid)], time);
	return s->raw ? trace->reader->monotonic(trace, time) : time;
}

static int next_of_dump(struct input *trace, struct jit_source *s)
{
	static const enum kind kinds[] = {
		[JITDUMP_LOAD] = LOAD,
		[JITDUMP_MOVE] = MOVE,
		[JITDUMP_UNLOAD] = UNLOAD,
	};
	struct jitdump_event d;
	int r = jitdump_next(s->dump, &d);

	if (r > 0) {
		s->event = (struct jit_event){
			.kind = kinds[d.kind],
			.time = time_of(trace, s, d.time),
			.earliest = time_of(trace, s, d.earliest),
			/* The dump's pid is from the process's namespace; another pid is a
			 * child's. */
			.pid = d.pid == jitdump_info(s->dump)->pid ? s->pid :
			       trace->origins ? origin_pid(origin_of(s->pid), d.pid) :
						d.pid,
			.address = d.address,
			.size = d.size,
			.from = d.from,
			.offset = d.offset,
			.name = d.name,
			.name_length = d.name_length,
			.table_size = d.eh_frame_size,
		};
		/* An .eh_frame_hdr before .eh_frame in the file also precedes it in memory. */
		s->event.table_at =
			(d.size + TABLE_ALIGN - 1) / TABLE_ALIGN * TABLE_ALIGN +
			(d.eh_frame_hdr_offset < d.eh_frame_offset ? d.eh_frame_hdr_size : 0);
	}
	return r;
}

static int next_of_log(struct input *trace, struct jit_source *s)
{
	static const enum kind kinds[] = {
		[JITLOG_LOAD] = LOAD,    [JITLOG_MOVE] = MOVE,   [JITLOG_UNLOAD] = UNLOAD,
		[JITLOG_START] = THREAD, [JITLOG_END] = NOTHING,
	};
	struct jitlog_event l;
	int r = jitlog_next(s->log, &l);

	if (r > 0)
		s->event = (struct jit_event){
			.kind = kinds[l.kind],
			.time = time_of(trace, s, l.time),
			.earliest = time_of(trace, s, l.time),
			.pid = s->pid,
			.tid = trace->origins && l.tid ? origin_pid(origin_of(s->pid), l.tid) :
							 l.tid,
			.address = l.address,
			.size = l.size,
			.from = l.from,
			.offset = l.offset,
			.name = l.name,
			.name_length = l.name_length,
		};
	return r;
}

static int end_of_dump(struct jit *j, struct jit_source *s)
{
	struct jitdump_fault fault;
	int rc = 0;

	jitdump_fault(s->dump, &fault);
	if (fault.what)
		rc = jit_note(j, s->path, fault.offset, fault.what, fault.records);
	if (!rc && fault.unfinished)
		rc = jit_note(j, s->path, fault.unfinished, "the file ends inside a record", 0);
	jitdump_close(s->dump);
	s->dump = NULL;
	return rc;
}

static int end_of_log(struct jit *j, struct jit_source *s)
{
	struct jitlog_fault fault;
	int rc = 0;

	jitlog_fault(s->log, &fault);
	if (fault.what)
		rc = jit_note(j, s->path, fault.offset, fault.what, fault.lines);
	if (!rc && fault.unfinished)
		rc = jit_note(j, s->path, NO_OFFSET, "its last line has no end", 0);
	jitlog_close(s->log);
	s->log = NULL;
	return rc;
}

/* Reads the source's next event, or handles its end. */
static int advance(struct jit *j, struct jit_source *s)
{
	int r = s->dump ? next_of_dump(j->trace, s) : next_of_log(j->trace, s), rc = 0;

	if (r > 0)
		return 0;
	if (r < 0)
		rc = jit_note(j, s->path, NO_OFFSET, "cannot be read", 0);
	if (rc)
		return rc;
	return s->dump ? end_of_dump(j, s) : end_of_log(j, s);
}

static struct jit_source *new_source(struct jit *j, uint32_t pid, uint64_t inode, const char *path)
{
	struct jit_source *s;

	if (array_next(j->source, j->nsource, j->room_source))
		return NULL;
	s = &j->source[j->nsource];
	*s = (struct jit_source){ .pid = pid, .inode = inode, .path = strdup(path) };
	if (!s->path)
		return NULL;
	j->nsource++;
	return s;
}

int jit_mapping(struct jit *j, uint64_t time, const struct pitrace_mte_map *map)
{
	struct jit_source *s;
	const char *why;
	uint32_t i;
	int fd, rc;

	if (!is_jitdump(map->path))
		return 0;
	/* A forked child inherits its parent's mapping and code. */
	for (i = 0; i < j->nsource; i++)
		if (!strcmp(j->source[i].path, map->path) && j->source[i].inode == map->inode &&
		    origin_at(j, j->source[i].pid) == origin_at(j, map->pid))
			return 0;
	s = new_source(j, map->pid, map->inode, map->path);
	if (!s)
		return -ENOMEM;
	fd = open_dump(j, map, &why);
	if (fd < 0)
		return jit_note(j, s->path, NO_OFFSET, why, 0);
	if (fstat(fd, &s->st))
		s->st = (struct stat){ 0 };
	rc = jitdump_open(&s->dump, fd, &why);
	if (rc == -EBADMSG)
		return jit_note(j, s->path, 0, why, 0);
	if (rc)
		return rc;
	s->machine = jitdump_info(s->dump)->machine;
	s->swapped = jitdump_info(s->dump)->swapped;
	s->raw = jitdump_info(s->dump)->raw_time;
	if (s->raw && j->trace->header.clock != PITRACE_CLOCK_TSC && !j->trace->cycles) {
		jitdump_close(s->dump);
		s->dump = NULL;
		return jit_note(j, s->path, 0,
				"its times use the processor's clock, the trace's do not: trace with the driver and --clock tsc",
				0);
	}
	rc = j->trace->own_clock && !s->raw ?
		     jit_note(j, s->path, NO_OFFSET,
			      "its times use CLOCK_MONOTONIC, the trace's perf's own clock: they cannot be matched, and names of code may be wrong: record with perf record -k mono",
			      0) :
		     0;
	if (!rc)
		rc = advance(j, s);
	look_ahead(j);
	return rc ? rc : jit_until(j, time);
}

/* ---- logs ------------------------------------------------------------------------------------ */

/* Returns the pid in log-jita2n_PID or log-jtnm_PID; 0: another name. */
static uint32_t log_of(const char *name, bool *threads)
{
	unsigned long pid;
	char *end;

	*threads = !strncmp(name, "log-jtnm_", 9);
	if (!*threads && strncmp(name, "log-jita2n_", 11))
		return 0;
	name += *threads ? 9 : 11;
	if (*name < '1' || *name > '9')
		return 0;
	pid = strtoul(name, &end, 10);
	return *end || pid > INT32_MAX ? 0 : (uint32_t)pid;
}

static bool is_known(const struct jit *j, const char *name, uint32_t pid)
{
	uint32_t i;

	for (i = 0; i < j->nsource; i++) {
		const char *slash = strrchr(j->source[i].path, '/');

		if (!strcmp(slash ? slash + 1 : j->source[i].path, name) &&
		    origin_at(j, j->source[i].pid) == origin_at(j, pid))
			return true;
	}
	return false;
}

static int open_log(struct jit *j, uint32_t origin, const char *folder, const char *name,
		    uid_t owner)
{
	struct jit_source *s;
	const char *why;
	char path[PATH_MAX];
	struct stat st;
	bool threads;
	uint32_t pid = log_of(name, &threads);
	int fd, rc;

	if (pid && j->trace->origins)
		pid = origin_pid(origin, pid);
	if (!pid || j->nsource >= LOGS_MAX || is_known(j, name, pid) ||
	    snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return 0;
	s = new_source(j, pid, 0, path);
	if (!s)
		return -ENOMEM;
	fd = regular_open(path, O_NOFOLLOW, &st);
	if (fd < 0)
		return jit_note(j, path, NO_OFFSET,
				errno == EACCES ? "no permission to read it" :
				errno == ELOOP  ? "it is a link" :
				errno == EINVAL ? "not a regular file" :
						  "cannot be opened",
				0);
	if (owner != (uid_t)-1 && st.st_uid && st.st_uid != owner && st.st_uid != geteuid()) {
		close(fd);
		return jit_note(j, path, NO_OFFSET, "it is another user's file", 0);
	}
	s->st = st;
	s->machine = elf_machine(&j->trace->header);
	rc = jitlog_open(&s->log, fd, threads, &why);
	if (rc == -EBADMSG)
		return jit_note(j, path, NO_OFFSET, why, 0);
	return rc ? rc : advance(j, s);
}

static int open_logs(struct jit *j, uint32_t origin, const char *folder, uid_t owner)
{
	DIR *d = opendir(folder);
	const struct dirent *entry;
	int rc = 0;

	while (!rc && d && (entry = readdir(d)))
		rc = open_log(j, origin, folder, entry->d_name, owner);
	if (d)
		closedir(d);
	return rc;
}

static int logs_beside(struct jit *j, uint32_t origin, const char *path)
{
	const char *end = strrchr(path, '/');
	char folder[PATH_MAX];
	struct stat st;

	if (stat(path, &st) ||
	    snprintf(folder, sizeof(folder), "%.*s", end ? (int)(end - path) + !(end - path) : 1,
		     end ? path : ".") >= (int)sizeof(folder))
		return 0;
	return open_logs(j, origin, folder, st.st_uid);
}

int jit_logs(struct jit *j, struct input *trace)
{
	const char *p = trace->origins ? NULL : j->folders, *end;
	char folder[PATH_MAX];
	uint32_t i;
	int rc = 0;

	j->trace = trace;
	/* If several traces are read, a log in such a folder cannot be assigned to one of them. */
	for (; !rc && p && *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, ':');
		if (snprintf(folder, sizeof(folder), "%.*s", (int)(end - p), p) <
		    (int)sizeof(folder))
			rc = open_logs(j, 0, folder, (uid_t)-1);
	}
	if (!rc && !trace->origins)
		rc = logs_beside(j, 0, trace->path);
	for (i = 0; !rc && i < trace->origins; i++)
		rc = logs_beside(j, i, trace->origin[i].path);
	look_ahead(j);
	return rc;
}

/* ---- feeding liba2n -------------------------------------------------------------------------- */

static int add_change(struct jit *j, uint64_t time, uint32_t pid, uint32_t tid)
{
	const struct jit_change *last = j->nchange ? &j->change[j->nchange - 1] : NULL;

	/* One change stands for all events of the same time. */
	if (last && last->time == time && last->pid == pid && last->tid == tid)
		return 0;
	if (array_next(j->change, j->nchange, j->room_change))
		return -ENOMEM;
	j->change[j->nchange++] = (struct jit_change){ time, pid, tid };
	return 0;
}

int jit_changed(struct jit *j, uint64_t time, uint32_t pid)
{
	return add_change(j, time, pid, 0);
}

/* Passes the lines of the last event to liba2n. */
static int emit_lines(struct jit *j, struct jitdump *dump)
{
	struct jitdump_line line;
	uint32_t n = 0;

	while (jitdump_line(dump, &line)) {
		if (array_next(j->line, n, j->room_line))
			return -ENOMEM;
		j->line[n++] = (struct a2n_jit_line){ line.address, line.line, line.file };
	}
	return a2n_jit_lines(j->a2n, j->line, n);
}

/* Most logs contain no code. */
static bool has_bytes(const struct jit_source *s)
{
	uint8_t first;

	return s->dump || jitlog_code(s->log, &first, sizeof(first));
}

/* Reads the code of the last event; a log has no unwind tables. */
static void read_bytes(const struct jit_source *s, struct jit_bytes *b)
{
	if (s->log) {
		b->size = jitlog_code(s->log, b->bytes, b->table_from);
		return;
	}
	b->size = jitdump_code(s->dump, b->bytes, b->table_from);
	b->table_size = jitdump_eh_frame(s->dump, b->bytes + b->table_from, b->table_size);
}

/* Passes the code and the unwind table of the last event to liba2n. */
static int emit_bytes(struct jit *j, const struct jit_source *s, bool code)
{
	const struct jit_event *e = &s->event;
	size_t bytes = code && e->size <= CODE_MAX - j->code_size && has_bytes(s) ? e->size : 0;
	/* Stacks of machines with the other byte order cannot be walked here. */
	size_t table = j->tables && !s->swapped ? e->table_size : 0;
	struct jit_bytes *b;
	int rc = 0;

	if (table && (table > TABLE_MAX || table + sizeof(*b) > TABLE_MAX - j->table_size)) {
		table = 0;
		if (!j->many_tables)
			rc = jit_note(j, s->path, NO_OFFSET,
				      "too many unwind tables: stacks end early in code announced later",
				      0);
		j->many_tables = true;
	}
	if (rc || (!bytes && !table))
		return rc;
	b = malloc(sizeof(*b) + bytes + table);
	if (!b)
		return -ENOMEM;
	b->next = j->bytes;
	b->source = (uint32_t)(s - j->source);
	b->size = 0;
	b->table_from = bytes;
	b->table_size = table;
	b->table_at = e->table_at;
	read_bytes(s, b);
	j->bytes = b;
	j->code_size += bytes;
	j->table_size += table ? table + sizeof(*b) : 0;
	a2n_jit_bytes(j->a2n, b->bytes);
	return 0;
}

static const struct jit_bytes *kept_of(const void *bytes)
{
	return (const void *)((const char *)bytes - offsetof(struct jit_bytes, bytes));
}

struct jit_table jit_table(const void *bytes)
{
	const struct jit_bytes *b = kept_of(bytes);

	return (struct jit_table){ b->bytes + b->table_from, b->table_size, b->table_at };
}

const char jit_no_machine[] = "neither the file with its bytes nor the trace names its machine";

struct jit_from jit_from(const struct jit *j, const void *bytes)
{
	const struct jit_bytes *b = kept_of(bytes);
	const struct jit_source *s = &j->source[b->source];
	const uint16_t one = 1;

	return (struct jit_from){
		.path = s->path,
		.st = &s->st,
		.size = b->size,
		.machine = s->machine,
		.big_endian = s->swapped == *(const uint8_t *)&one,
	};
}

static int emit_load(struct jit *j, const struct jit_source *s)
{
	const struct jit_event *e = &s->event;
	int rc;

	if (e->earliest < e->time && add_change(j, e->earliest, e->pid, 0))
		return -ENOMEM;
	rc = a2n_jit_load_late(j->a2n, e->earliest, e->time, e->pid, e->address, e->size, e->name,
			       e->name_length);
	if (!rc && j->lines && s->dump)
		rc = emit_lines(j, s->dump);
	if (!rc)
		rc = emit_bytes(j, s,
				j->all_bytes ||
					(j->wanted && wanted_is(j->wanted, e->name, e->name_length,
								A2N_JITCODE)));
	return rc;
}

static int emit_event(struct jit *j, const struct jit_source *s)
{
	const struct jit_event *e = &s->event;

	/* A main thread's name is its process's name, which the kernel records. */
	if (e->kind == NOTHING || (e->kind == THREAD && e->tid == e->pid))
		return 0;
	if (add_change(j, e->time, e->pid, e->kind == THREAD ? e->tid : 0))
		return -ENOMEM;
	switch (e->kind) {
	case MOVE:
		return a2n_jit_move(j->a2n, e->time, e->pid, e->from, e->address, e->size);
	case UNLOAD:
		return a2n_jit_unload(j->a2n, e->time, e->pid, e->address, e->size);
	case THREAD:
		return a2n_name(j->a2n, e->time, e->pid, e->tid, e->name);
	default:
		return emit_load(j, s);
	}
}

static int emit(struct jit *j, const struct jit_source *s)
{
	const struct jit_event *e = &s->event;
	uint32_t before = a2n_told(j->a2n);
	int rc = emit_event(j, s);

	if (rc || (!explain_concerns(&j->explain, e->address, e->size) &&
		   !explain_concerns(&j->explain, e->from, e->size)))
		return rc;
	return explain_file(&j->explain, j->a2n, before, s->dump ? "jitdump" : "log", s->path,
			    e->offset);
}

int jit_emit(struct jit *j, uint64_t time)
{
	int rc = 0;

	while (!rc && j->next < time) {
		struct jit_source *first = NULL;
		uint64_t second = time;
		uint32_t i;

		for (i = 0; i < j->nsource; i++) {
			struct jit_source *s = &j->source[i];

			if (!is_open(s))
				continue;
			if (!first || s->event.time < first->event.time) {
				if (first && first->event.time < second)
					second = first->event.time;
				first = s;
			} else if (s->event.time < second) {
				second = s->event.time;
			}
		}
		/* Feeds events of this source until another source has an older one. */
		while (!rc && first && is_open(first) &&
		       (first->event.time < second || first->event.time == j->next)) {
			rc = emit(j, first);
			if (!rc)
				rc = advance(j, first);
		}
		look_ahead(j);
	}
	return rc;
}

static int by_time(const void *pa, const void *pb)
{
	const struct jit_change *a = pa, *b = pb;

	return a->time < b->time ? -1 : a->time > b->time;
}

void jit_finish(struct jit *j)
{
	/* A jitdump that was found late adds changes that are older than those of other sources. */
	if (j->nchange) {
		qsort(j->change, j->nchange, sizeof(*j->change), by_time);
		j->change_next = j->change[0].time;
	}
}

bool jit_change(struct jit *j, uint64_t time, uint32_t *pid, uint32_t *tid)
{
	if (j->change_next > time || j->seen_change == j->nchange)
		return false;
	*pid = j->change[j->seen_change].pid;
	*tid = j->change[j->seen_change++].tid;
	j->change_next = j->seen_change < j->nchange ? j->change[j->seen_change].time : NEVER;
	return true;
}

void jit_rewind(struct jit *j)
{
	j->seen_change = 0;
	j->change_next = j->nchange ? j->change[0].time : NEVER;
}

const struct jit_note *jit_damage(const struct jit *j, uint32_t *i)
{
	while (*i < j->nnote && j->note[*i].offset == NO_OFFSET)
		++*i;
	return *i < j->nnote ? &j->note[(*i)++] : NULL;
}

void jit_free(struct jit *j)
{
	uint32_t i;

	for (i = 0; i < j->nsource; i++) {
		jitdump_close(j->source[i].dump);
		jitlog_close(j->source[i].log);
		free(j->source[i].path);
	}
	for (i = 0; i < j->nnote; i++)
		free(j->note[i].path);
	while (j->bytes) {
		struct jit_bytes *b = j->bytes;

		j->bytes = b->next;
		free(b);
	}
	explain_free(&j->explain);
	free(j->source);
	free(j->line);
	free(j->change);
	free(j->note);
	*j = (struct jit){ 0 };
}

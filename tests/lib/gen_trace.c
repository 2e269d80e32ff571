/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine that never was: some processes with threads and libraries that live all the time,
 * others that come and go, a tick on each CPU in turn.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen_trace.h"
#include "xorshift.h"

const struct gen_options gen_defaults = {
	.cpus = 2,
	.processes = 8,
	.threads = 3,
	.samples = 100000,
	.rate = 997,
	.churn = 500,
	.clock = PITRACE_CLOCK_TSC,
	.clock_hz = 2500000000,
	.start = 12ull << 32,
	.seed = 1,
	.segment_bytes = 65536,
	.bulk = 2000,
	.depth = 20,
};

/* ---- a ring ---------------------------------------------------------------------------------- */

int gen_ring_open(struct gen_ring *r, struct pifile_writer *w, uint32_t cpu, uint32_t ring,
		  uint32_t segment_bytes)
{
	*r = (struct gen_ring){ .w = w,
				.size = segment_bytes,
				.cpu = cpu,
				.ring = ring,
				.session = 1,
				.interval = 1 };
	r->segment = aligned_alloc(64, segment_bytes);
	return r->segment ? 0 : -ENOMEM;
}

void gen_ring_close(struct gen_ring *r)
{
	free(r->segment);
}

static void *header(struct gen_ring *r, uint16_t major, uint32_t minor, uint32_t type_len,
		    uint64_t stamp)
{
	struct pitrace_rec rec = { (uint16_t)type_len, major, minor, (uint32_t)stamp };
	uint8_t *p = r->segment + r->at;

	memcpy(p, &rec, sizeof(rec));
	return p + sizeof(rec);
}

const void *gen_ring_segment(struct gen_ring *r)
{
	uint32_t left = r->size - r->at;
	uint32_t stated = left < PITRACE_LEN_MASK ? left : PITRACE_LEN_MASK;
	uint32_t words[3] = { stated | PITRACE_PAD << 16, 0, (uint32_t)r->last };

	memset(r->segment + r->at, 0xA5, left); /* a PAD's inside is nobody's */
	memcpy(r->segment + r->at, words, left < sizeof(words) ? left : sizeof(words));
	r->at = 0;
	return r->segment;
}

int gen_ring_flush(struct gen_ring *r)
{
	int err;

	if (!r->at)
		return r->error;
	err = pifile_write_segment(r->w, gen_ring_segment(r), r->size, r->interval);
	if (err && !r->error)
		r->error = err;
	return r->error;
}

static void open_segment(struct gen_ring *r, uint64_t stamp)
{
	struct pitrace_segment h = {
		.magic = PITRACE_SEGMENT_MAGIC,
		.size = sizeof(h),
		.ring = (uint16_t)r->ring,
		.session = r->session,
		.cpu = r->cpu,
		.sequence = r->sequence++,
		.stamp = stamp,
		.lost = r->lost,
	};

	memcpy(r->segment, &h, sizeof(h));
	r->at = sizeof(h);
}

void *gen_record(struct gen_ring *r, uint16_t major, uint32_t minor, uint16_t type, uint32_t size,
		 uint64_t stamp)
{
	uint32_t bytes = sizeof(struct pitrace_rec) + ((size + 3) & ~3u);
	bool high = r->at && (stamp ^ r->last) >> 32;
	uint8_t *data;

	if (r->at && r->at + bytes + (high ? sizeof(struct pitrace_rec) : 0) > r->size)
		gen_ring_flush(r);
	if (!r->at) {
		open_segment(r, stamp);
	} else if (high) {
		header(r, PITRACE_HIGH, (uint32_t)(stamp >> 32), sizeof(struct pitrace_rec), stamp);
		r->at += sizeof(struct pitrace_rec);
	}
	data = header(r, major, minor, bytes | type, stamp);
	r->at += bytes;
	r->last = stamp;
	r->records++;
	return data;
}

/* ---- the machine ----------------------------------------------------------------------------- */

#define LIBS 3
static const char *const lib_paths[LIBS] = {
	"/usr/lib/x86_64-linux-gnu/libc.so.6",
	"/usr/lib/x86_64-linux-gnu/libm.so.6",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
};
#define EXE_BYTES    0x40000ull
#define LIB_BYTES    0x180000ull
#define KERNEL_TEXT  0xffffffff81000000ull
#define KERNEL_BYTES 0x1000000ull

struct machine {
	const struct gen_options *o;
	struct gen_ring *mte, *trace; /* one each a CPU */
	uint64_t random;
	uint64_t realtime; /* at stamp 0 */
	uint32_t next_pid;
	uint32_t guest; /* pid of the process that comes and goes, 0: none now */
	uint32_t guest_cpu;
	uint64_t lost;
};

static uint64_t draw(struct machine *m)
{
	return xorshift(&m->random);
}

static uint64_t ns_of(const struct machine *m, uint64_t stamp)
{
	if (m->o->clock != PITRACE_CLOCK_TSC)
		return stamp;
	return (uint64_t)((unsigned __int128)stamp * 1000000000 / m->o->clock_hz);
}

static void sync_record(struct machine *m, uint32_t cpu, uint32_t why, uint64_t stamp)
{
	uint64_t ns = ns_of(m, stamp);
	struct pitrace_sync s = { cpu, stamp, ns, ns + 5000000000, ns + m->realtime };

	memcpy(gen_record(&m->mte[cpu], PITRACE_SYNC, why, PITRACE_TYPE_STRUCT, sizeof(s), stamp),
	       &s, sizeof(s));
}

static void task_record(struct machine *m, uint32_t cpu, uint32_t minor, uint32_t pid, uint32_t tid,
			uint32_t flags, const char *comm, uint64_t stamp)
{
	struct pitrace_mte_task t = { .pid = pid,
				      .tid = tid,
				      .ppid = 1,
				      .flags = flags,
				      .start = ns_of(m, stamp),
				      .cgroup = 42,
				      .pidns = 4026531836u };

	snprintf(t.comm, sizeof(t.comm), "%s", comm);
	memcpy(gen_record(&m->mte[cpu], PITRACE_MTE, minor, PITRACE_TYPE_STRUCT, sizeof(t), stamp),
	       &t, sizeof(t));
}

static void map_record(struct machine *m, uint32_t cpu, uint32_t pid, uint64_t start,
		       uint64_t length, uint64_t inode, uint32_t flags, const char *path,
		       uint64_t stamp)
{
	uint32_t n = (uint32_t)strlen(path);
	uint32_t room = (n + 4) & ~3u;
	struct pitrace_mte_map map = { .pid = pid,
				       .start = start,
				       .length = length,
				       .flags = PITRACE_MAP_READ | PITRACE_MAP_EXEC | flags,
				       .offset = inode ? 0x1000 : 0,
				       .inode = inode,
				       .dev_major = inode ? 8 : 0,
				       .dev_minor = inode ? 1 : 0,
				       .path_len = n };
	uint8_t *p = gen_record(&m->mte[cpu], PITRACE_MTE, PITRACE_MTE_MODULE, PITRACE_TYPE_STRUCT,
				(uint32_t)sizeof(map) + room, stamp);

	memcpy(p, &map, sizeof(map));
	memset(p + sizeof(map), 0, room);
	memcpy(p + sizeof(map), path, n);
}

static uint64_t exe_start(uint32_t pid)
{
	return 0x555500000000ull + ((uint64_t)pid << 24);
}

static uint64_t lib_start(uint32_t pid, unsigned int lib)
{
	return 0x7f0000000000ull + ((uint64_t)(pid & 0xFFFF) << 26) + lib * 0x400000ull;
}

static void exec_process(struct machine *m, uint32_t cpu, uint32_t pid, uint32_t program, bool walk,
			 uint64_t stamp)
{
	uint32_t flags = walk ? PITRACE_MAP_WALK : 0;
	char name[64];

	snprintf(name, sizeof(name), "prog%u", program);
	task_record(m, cpu, PITRACE_MTE_PROCESS, pid, pid, walk ? PITRACE_TASK_WALK : 0, name,
		    stamp);
	snprintf(name, sizeof(name), "/usr/bin/prog%u", program);
	map_record(m, cpu, pid, exe_start(pid), EXE_BYTES, 1000 + program, flags, name, stamp);
	for (unsigned int i = 0; i < LIBS; i++)
		map_record(m, cpu, pid, lib_start(pid, i), LIB_BYTES, 500 + i, flags, lib_paths[i],
			   stamp);
	map_record(m, cpu, pid, 0x7ffff7fc1000, 0x2000, 0, flags | PITRACE_MAP_VDSO, "[vdso]",
		   stamp);
}

static void begin_machine(struct machine *m, uint64_t stamp)
{
	const struct gen_options *o = m->o;
	struct pitrace_interval on = { .interval = 1,
				       .rate = o->rate,
				       .dither = 100,
				       .seed = o->seed,
				       .cpus_present = o->cpus,
				       .cpus_online = o->cpus };

	sync_record(m, 0, PITRACE_SYNC_ON, stamp);
	memcpy(gen_record(&m->trace[0], PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL,
			  PITRACE_TYPE_STRUCT, sizeof(on), stamp),
	       &on, sizeof(on));
	for (uint32_t i = 0; i < o->processes; i++) {
		uint32_t pid = 1000 + i * (o->threads + 1);

		exec_process(m, 0, pid, i, true, stamp);
		for (uint32_t k = 1; k < o->threads; k++)
			task_record(m, 0, PITRACE_MTE_THREAD, pid, pid + k, PITRACE_TASK_WALK,
				    "worker", stamp);
	}
	m->next_pid = 1000 + o->processes * (o->threads + 1);
}

/* A guest appears, works on one CPU and disappears. */
static void change_guest(struct machine *m, uint32_t cpu, uint64_t stamp)
{
	if (!m->guest) {
		m->guest = m->next_pid++;
		m->guest_cpu = cpu;
		task_record(m, cpu, PITRACE_MTE_FORK, m->guest, m->guest, 0, "sh", stamp);
		exec_process(m, cpu, m->guest, 100 + (uint32_t)(draw(m) % 20), false, stamp);
		task_record(m, cpu, PITRACE_MTE_NAME, m->guest, m->guest, 0, "guest", stamp);
	} else {
		struct pitrace_mte_unmap u = { .pid = m->guest,
					       .start = lib_start(m->guest, 1),
					       .length = LIB_BYTES };

		cpu = m->guest_cpu;
		memcpy(gen_record(&m->mte[cpu], PITRACE_MTE, PITRACE_MTE_UNMAP, PITRACE_TYPE_STRUCT,
				  sizeof(u), stamp),
		       &u, sizeof(u));
		task_record(m, cpu, PITRACE_MTE_THREAD_EXIT, m->guest, m->guest, 0, "guest", stamp);
		task_record(m, cpu, PITRACE_MTE_PROCESS_EXIT, m->guest, m->guest, 0, "guest",
			    stamp);
		m->guest = 0;
	}
}

/* One of so many user stacks: from the outermost call on, they branch like a binary tree. A call
 * cannot return to a module's first byte. */
static void tick_with_stack(struct machine *m, uint32_t cpu, uint64_t stamp, uint32_t period,
			    uint64_t d)
{
	const struct gen_options *o = m->o;
	uint32_t number = (uint32_t)((d >> 24) % o->stacks), i;
	uint32_t pid = 1000 + number % o->processes * (o->threads + 1);
	struct pitrace_sample s = { .pid = pid,
				    .tid = pid + number % o->threads,
				    .period = period };
	struct pitrace_stack h = { .user = (uint16_t)o->depth };
	uint32_t size = (uint32_t)(sizeof(s) + sizeof(h) + 8 * o->depth);
	uint64_t words[PITRACE_STACK_MAX];
	uint8_t *p;

	for (i = 0; i < o->depth; i++) {
		uint32_t outer = o->depth - 1 - i;
		uint64_t x = number & ((1u << (outer < 20 ? outer : 20)) - 1);

		x = (x << 8 | outer) * 0x9E3779B97F4A7C15ull >> 20;
		words[i] = (x & 3 ? lib_start(pid, (unsigned int)(x % LIBS)) : exe_start(pid)) +
			   (x >> 8) % (EXE_BYTES - 1) + 1;
	}
	s.address = words[0];
	p = gen_record(&m->trace[cpu], PITRACE_TPROF, PITRACE_TPROF_USER | PITRACE_TPROF_STACK,
		       PITRACE_TYPE_STRUCT, size, stamp);
	memcpy(p, &s, sizeof(s));
	memcpy(p + sizeof(s), &h, sizeof(h));
	memcpy(p + sizeof(s) + sizeof(h), words, 8 * o->depth);
}

static void tick(struct machine *m, uint32_t cpu, uint64_t stamp, uint32_t period)
{
	const struct gen_options *o = m->o;
	uint64_t d = draw(m);
	struct pitrace_sample s = { .period = period };
	uint32_t kind = PITRACE_TPROF_USER;

	if ((d & 0x3F) == 0) {
		struct pitrace_idle idle = { .ticks = 1 + (uint32_t)(d >> 60),
					     .since = m->trace[cpu].last };

		memcpy(gen_record(&m->trace[cpu], PITRACE_TPROF, PITRACE_TPROF_IDLE,
				  PITRACE_TYPE_STRUCT, sizeof(idle), stamp),
		       &idle, sizeof(idle));
		return;
	}
	if (o->stacks) {
		tick_with_stack(m, cpu, stamp, period, d);
		return;
	}
	if (m->guest && m->guest_cpu == cpu && (d & 0x40)) {
		s.pid = s.tid = m->guest;
	} else {
		s.pid = 1000 + (uint32_t)((d >> 8) % o->processes) * (o->threads + 1);
		s.tid = s.pid + (uint32_t)((d >> 16) & 0xFF) % o->threads;
	}
	if ((d & 0x380) == 0) {
		kind = PITRACE_TPROF_KERNEL;
		s.address = KERNEL_TEXT + (d >> 24) % KERNEL_BYTES;
	} else if (d & 0x100) {
		s.address = exe_start(s.pid) + (d >> 24) % EXE_BYTES;
	} else {
		s.address = lib_start(s.pid, (unsigned int)((d >> 10) % LIBS)) +
			    (d >> 24) % LIB_BYTES;
	}
	memcpy(gen_record(&m->trace[cpu], PITRACE_TPROF, kind, PITRACE_TYPE_STRUCT, sizeof(s),
			  stamp),
	       &s, sizeof(s));
}

static void lose(struct machine *m, uint32_t cpu, uint64_t stamp)
{
	struct gen_ring *r = &m->trace[cpu];
	struct pitrace_lost_rec l = { .count = 3, .total = r->lost + 3 };

	r->lost += 3;
	memcpy(gen_record(r, PITRACE_LOST, PITRACE_LOST_TPROF, PITRACE_TYPE_STRUCT, sizeof(l),
			  stamp),
	       &l, sizeof(l));
}

static uint64_t run(struct machine *m)
{
	const struct gen_options *o = m->o;
	uint64_t hz = o->clock == PITRACE_CLOCK_TSC ? o->clock_hz : 1000000000;
	uint64_t period = hz / o->rate, ticks = o->samples / o->cpus, stamp = o->start;
	uint64_t second = o->start + hz, last = o->start;
	uint32_t ns = 1000000000 / o->rate;

	for (uint64_t t = 0; t < ticks; t++, stamp += period)
		for (uint32_t c = 0; c < o->cpus; c++) {
			last = stamp + c * (period / o->cpus) + draw(m) % (period / o->cpus);
			if (last >= second) {
				sync_record(m, c, PITRACE_SYNC_SECOND, last);
				second += hz;
			}
			if (o->churn && c == t % o->cpus && t % o->churn == o->churn / 2)
				change_guest(m, c, last);
			if (o->lost && t % o->lost == o->lost - 1)
				lose(m, c, last);
			tick(m, c, last, ns);
		}
	return last;
}

/* ---- what else a trace holds ----------------------------------------------------------------- */

static int write_texts(struct pifile_writer *w, const struct gen_options *o)
{
	char system[256], *text;
	size_t n = 0, room = (size_t)o->bulk * 48 + 1;
	int err;

	snprintf(system, sizeof(system),
		 "os: none\nkernel: 6.1.0-gen\ncpu model: imagined\n"
		 "cpus: %u\ncommand: gen_trace\n",
		 o->cpus);
	err = pifile_write_section(w, PIFILE_SEC_SYSTEM, system, strlen(system));
	text = malloc(room);
	if (!text)
		return -ENOMEM;
	for (uint32_t i = 0; i < o->bulk; i++)
		n += (size_t)snprintf(text + n, room - n, "%016llx %c kernel_function_%u\n",
				      (unsigned long long)KERNEL_TEXT +
					      i * (KERNEL_BYTES / o->bulk),
				      i % 3 ? 't' : 'T', i);
	if (!err)
		err = pifile_write_section(w, PIFILE_SEC_KALLSYMS, text, n);
	free(text);
	if (!err)
		err = pifile_write_section(w, PIFILE_SEC_MODULES, "", 0);
	return err;
}

static int write_build_ids(struct pifile_writer *w, uint64_t stamp)
{
	struct {
		struct pitrace_rec rec;
		struct pitrace_mte_buildid id;
	} ids[LIBS] = { 0 };

	for (unsigned int i = 0; i < LIBS; i++) {
		ids[i].rec = (struct pitrace_rec){ sizeof(ids[i]) | PITRACE_TYPE_STRUCT,
						   PITRACE_MTE, PITRACE_MTE_BUILDID,
						   (uint32_t)stamp };
		ids[i].id = (struct pitrace_mte_buildid){ .dev_major = 8,
							  .dev_minor = 1,
							  .inode = 500 + i,
							  .length = 20 };
		memset(ids[i].id.id, (int)(0x11 * (i + 1)), 20);
	}
	return pifile_write_snapshot(w, ids, sizeof(ids), stamp);
}

static int write_stats(struct pifile_writer *w, const struct machine *m)
{
	struct pifile_stats *s = calloc(m->o->cpus, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	for (uint32_t c = 0; c < m->o->cpus; c++) {
		s[c].cpu = c;
		s[c].online = 1;
		s[c].lost[PITRACE_LOST_TPROF] = m->trace[c].lost;
		s[c].ticks = m->trace[c].records + m->trace[c].lost;
		s[c].mte_bytes = m->mte[c].sequence * m->o->segment_bytes;
		s[c].trace_bytes = m->trace[c].sequence * m->o->segment_bytes;
	}
	err = pifile_write_section(w, PIFILE_SEC_STATS, s, m->o->cpus * sizeof(*s));
	free(s);
	return err;
}

static int write_all(struct pifile_writer *w, struct machine *m)
{
	const struct gen_options *o = m->o;
	uint64_t last;
	int err = write_texts(w, o);

	for (uint32_t c = 0; c < o->cpus && !err; c++) {
		err = gen_ring_open(&m->mte[c], w, c, PITRACE_RING_MTE, o->segment_bytes);
		if (!err)
			err = gen_ring_open(&m->trace[c], w, c, PITRACE_RING_TRACE,
					    o->segment_bytes);
	}
	if (err)
		return err;
	begin_machine(m, o->start);
	last = run(m);
	if (o->events)
		last = gen_events(m->trace, o, last + 1000);
	sync_record(m, o->cpus - 1, PITRACE_SYNC_OFF, last);
	for (uint32_t c = 0; c < o->cpus && !err; c++) {
		err = gen_ring_flush(&m->mte[c]);
		if (!err)
			err = gen_ring_flush(&m->trace[c]);
	}
	if (!err)
		err = write_build_ids(w, o->start);
	return err ? err : write_stats(w, m);
}

int gen_trace(const char *path, const struct gen_options *o, struct gen_result *result)
{
	struct pifile_header h = {
		.clock = o->clock,
		.clock_hz = o->clock_hz,
		.mode = PITRACE_MODE_CONTINUOUS,
		.scope = PITRACE_SCOPE_SYSTEM,
		.ncpus = o->cpus,
		.collector = "generator",
		.machine = "x86_64",
		.release = "6.1.0-gen",
		.rate = o->rate,
		.dither = 100,
		.page_size = 4096,
	};
	struct machine m = { .o = o,
			     .random = o->seed * 0x9E3779B97F4A7C15ull | 1,
			     .realtime = 1700000000ull * 1000000000 };
	struct pifile_writer *w;
	int err;

	if (!o->cpus || !o->processes || !o->threads || !o->rate || !o->clock_hz ||
	    o->depth > PITRACE_STACK_MAX || (o->stacks && !o->depth))
		return -EINVAL;
	h.start_realtime = ns_of(&m, o->start) + m.realtime;
	w = pifile_create(path, &h);
	if (!w)
		return -errno;
	pifile_set_compression(w, o->level);
	m.mte = calloc(o->cpus, sizeof(*m.mte));
	m.trace = calloc(o->cpus, sizeof(*m.trace));
	err = m.mte && m.trace ? write_all(w, &m) : -ENOMEM;
	for (uint32_t c = 0; c < o->cpus && m.mte && m.trace; c++) {
		gen_ring_close(&m.mte[c]);
		gen_ring_close(&m.trace[c]);
	}
	free(m.mte);
	free(m.trace);
	result->bytes = pifile_written(w, &result->records);
	if (err) {
		pifile_abandon(w);
		return err;
	}
	return pifile_finish(w);
}

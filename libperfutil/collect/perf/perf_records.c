/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts perf's records to trace records. */
#include <string.h>
#include <sys/mman.h>
#include "collect/perf/perf_records.h"

#define PATH_ROOM   4096
#define SYMBOL_ROOM 512  /* the kernel's KSYM_NAME_LEN */
#define NO_REGISTER 0xFF /* the end of a list */

/* ---- names ----------------------------------------------------------------------------------- */

static int put_task(const struct perf_item *p, uint32_t minor, uint32_t ppid, perf_put put,
		    void *arg)
{
	struct pitrace_mte_task t = { .pid = p->of_pid, .tid = p->of_tid, .ppid = ppid };

	if (p->text)
		memcpy(t.comm, p->text, p->text_len < 15 ? p->text_len : 15);
	return put(arg, PITRACE_MTE, minor, &t, sizeof(t), p->time);
}

static int put_exit(const struct perf_item *p, perf_put put, void *arg)
{
	int err = put_task(p, PITRACE_MTE_THREAD_EXIT, p->parent_pid, put, arg);

	/* perf does not report which threads are left: the process ends with its first thread. */
	if (!err && p->of_pid == p->of_tid)
		err = put_task(p, PITRACE_MTE_PROCESS_EXIT, p->parent_pid, put, arg);
	return err;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length > n && !memcmp(text + length - n, end, n);
}

static int put_map(const struct perf_item *p, perf_put put, void *arg)
{
	static const char deleted[] = " (deleted)";
	union {
		struct pitrace_mte_map map;
		uint8_t room[sizeof(struct pitrace_mte_map) + PATH_ROOM + 4];
	} u;
	size_t n = p->text_len < PATH_ROOM ? p->text_len : PATH_ROOM;

	u.map = (struct pitrace_mte_map){
		.pid = p->of_pid,
		.start = p->start,
		.length = p->length,
		.offset = p->offset,
		.inode = p->inode,
		.dev_major = p->dev_major,
		.dev_minor = p->dev_minor,
		.generation = p->generation,
		.flags = PITRACE_MAP_EXEC,
	};
	if (p->type == PERF_RECORD_MMAP2)
		u.map.flags |= (p->prot & PROT_READ ? PITRACE_MAP_READ : 0) |
			       (p->prot & PROT_WRITE ? PITRACE_MAP_WRITE : 0) |
			       (p->flags & MAP_SHARED ? PITRACE_MAP_SHARED : 0);
	if (p->text[0] == '[' || !strncmp(p->text, "//", 2)) {
		u.map.flags |= PITRACE_MAP_ANON;
		u.map.offset = u.map.inode = 0;
		if (!strcmp(p->text, "[vdso]"))
			u.map.flags |= PITRACE_MAP_VDSO;
	} else if (ends_with(p->text, n, deleted)) {
		u.map.flags |= PITRACE_MAP_DELETED;
		n -= sizeof(deleted) - 1;
	}
	u.map.path_len = (uint32_t)n;
	memset(u.map.path + (n & ~(size_t)3), 0, 4);
	memcpy(u.map.path, p->text, n);
	return put(arg, PITRACE_MTE, PITRACE_MTE_MODULE, &u.map,
		   sizeof(u.map) + (n & ~(size_t)3) + 4, p->time);
}

/* Writes a build id and the mapping. Where the file's inode is not recorded the id stands for it.
 * */
static int put_mapping(const struct perf_item *p, perf_put put, void *arg)
{
	struct pitrace_mte_buildid id = { .length = p->build_id_size };
	struct perf_item file = *p;
	int err;

	if (!p->build_id || !p->build_id_size)
		return put_map(p, put, arg);
	memcpy(id.id, p->build_id, p->build_id_size);
	memcpy(&file.inode, id.id, sizeof(file.inode));
	file.inode |= 1; /* 0: no thread */
	id.inode = file.inode;
	err = put_map(&file, put, arg);
	return err ? err : put(arg, PITRACE_MTE, PITRACE_MTE_BUILDID, &id, sizeof(id), p->time);
}

/* Code made by the kernel is named by its symbol. */
static int put_kernel_code(const struct perf_item *p, perf_put put, void *arg)
{
	union {
		struct pitrace_mte_map map;
		uint8_t room[sizeof(struct pitrace_mte_map) + SYMBOL_ROOM + 4];
	} u;
	size_t n = p->text_len < SYMBOL_ROOM ? p->text_len : SYMBOL_ROOM;

	if (!n || !p->length)
		return 0;
	u.map = (struct pitrace_mte_map){
		.flags = PITRACE_MAP_KERNEL | PITRACE_MAP_EXEC | PITRACE_MAP_SYMBOL,
		.start = p->start,
		.length = p->length,
		.path_len = (uint32_t)n,
	};
	memset(u.map.path + (n & ~(size_t)3), 0, 4);
	memcpy(u.map.path, p->text, n);
	return put(arg, PITRACE_MTE, p->gone ? PITRACE_MTE_UNLOAD : PITRACE_MTE_MODULE, &u.map,
		   sizeof(u.map) + (n & ~(size_t)3) + 4, p->time);
}

int perf_put_name(const struct perf_item *p, perf_put put, void *arg)
{
	switch (p->type) {
	case PERF_RECORD_FORK:
		/* perf's own walk: a live process has its own memory, which is reported next. */
		return put_task(p,
				p->of_pid == p->parent_pid           ? PITRACE_MTE_THREAD :
				p->misc & PERF_RECORD_MISC_FORK_EXEC ? PITRACE_MTE_PROCESS :
								       PITRACE_MTE_FORK,
				p->parent_pid, put, arg);
	case PERF_RECORD_EXIT:
		return put_exit(p, put, arg);
	case PERF_RECORD_COMM:
		return put_task(p,
				p->misc & PERF_RECORD_MISC_COMM_EXEC ? PITRACE_MTE_PROCESS :
								       PITRACE_MTE_NAME,
				0, put, arg);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		/* MMAP reports data mappings too if attr.mmap_data was set. */
		if (p->type == PERF_RECORD_MMAP ? p->misc & PERF_RECORD_MISC_MMAP_DATA :
						  !(p->prot & PROT_EXEC))
			return 0;
		return put_mapping(p, put, arg);
	case PERF_RECORD_KSYMBOL:
		return put_kernel_code(p, put, arg);
	}
	return 0;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* perf's numbers of the registers (asm/perf_regs.h of each machine), in DWARF order, the program
 * counter last; for 64-bit and 32-bit programs. */
struct perf_registers {
	const char *machine;
	uint8_t sp; /* a copy is useless without it */
	uint8_t wide[PERF_REGISTERS_MAX], narrow[PERF_REGISTERS_MAX];
};

static const struct perf_registers registers[] = {
	{ "x86_64",
	  7,
	  { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8, NO_REGISTER },
	  { 0, 2, 3, 1, 7, 6, 4, 5, 8, NO_REGISTER } },
	{ "aarch64",
	  31,
	  { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, NO_REGISTER },
	  { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 32, NO_REGISTER } },
	{ "ppc64le",
	  1,
	  { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,         17,
	    18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 36, 32, NO_REGISTER },
	  { NO_REGISTER } },
	{ "s390x",
	  15,
	  { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 33, NO_REGISTER },
	  { NO_REGISTER } },
};

const struct perf_registers *perf_registers_of(const char *machine)
{
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		if (!strcmp(machine, registers[i].machine))
			return &registers[i];
	}
	return NULL;
}

const struct perf_registers *perf_registers_here(void)
{
#if defined(__x86_64__)
	return perf_registers_of("x86_64");
#elif defined(__aarch64__)
	return perf_registers_of("aarch64");
#else
	return NULL;
#endif
}

uint64_t perf_user_registers(void)
{
	const struct perf_registers *here = perf_registers_here();
	uint64_t mask = 0;

	for (size_t i = 0; here && here->wide[i] != NO_REGISTER; i++)
		mask |= 1ull << here->wide[i];
	return mask;
}

/* The callchain: parts, each preceded by a word that says user or kernel. */
static void put_chain(const struct perf_item *p, const struct perf_stacks *s, struct perf_stack *r,
		      uint32_t *n)
{
	bool user = false, kernel = false;

	for (uint64_t i = 0; i < p->nchain; i++) {
		uint64_t word = perf_word(p, p->chain, i);

		if (word >= PERF_CONTEXT_MAX) {
			user = word == PERF_CONTEXT_USER;
			kernel = word == PERF_CONTEXT_KERNEL;
		} else if (kernel && !r->head.user && s->want & PITRACE_WANT_KERNEL) {
			if (r->head.kernel < s->depth) {
				r->words[(*n)++] = word;
				r->head.kernel++;
			} else {
				r->head.flags |= PITRACE_STACK_CUT_K;
			}
		} else if (user && s->want & PITRACE_WANT_USER) {
			if (r->head.user < s->depth) {
				r->words[(*n)++] = word;
				r->head.user++;
			} else {
				r->head.flags |= PITRACE_STACK_CUT_U;
			}
		}
	}
	/* The kernel's limit applies to both parts together; the last one is cut. */
	if (s->most && r->head.kernel + r->head.user >= s->most)
		r->head.flags |= r->head.user ? PITRACE_STACK_CUT_U : PITRACE_STACK_CUT_K;
	if (s->want & PITRACE_WANT_USER && !r->head.user)
		r->head.flags |= PITRACE_STACK_NONE_U;
}

static void put_copy(const struct perf_item *p, const struct perf_stacks *s, struct perf_stack *r,
		     uint32_t *n)
{
	bool is_narrow = p->abi == PERF_SAMPLE_REGS_ABI_32;
	const uint8_t *order = !s->registers ? NULL :
			       is_narrow     ? s->registers->narrow :
					       s->registers->wide;
	size_t count = 0, bytes = s->copy < PERF_COPY_MAX ? s->copy : PERF_COPY_MAX;
	bool pc = false;

	/* Registers that were not requested are 0. */
	if (order && p->nregs && p->abi != PERF_SAMPLE_REGS_ABI_NONE &&
	    s->regs >> s->registers->sp & 1) {
		for (; order[count] != NO_REGISTER; count++) {
			uint64_t below = s->regs & ((1ull << order[count]) - 1);

			pc = s->regs >> order[count] & 1;
			r->words[*n + count] =
				pc ? perf_word(p, p->regs, (uint64_t)__builtin_popcountll(below)) :
				     0;
		}
	}
	if (!pc) {
		r->head.flags |= PITRACE_STACK_NONE_U;
		return;
	}
	*n += (uint32_t)count;
	if (bytes > p->nstack)
		bytes = p->nstack;
	bytes &= ~(size_t)7;
	if (bytes)
		memcpy(r->words + *n, p->stack, bytes);
	*n += (uint32_t)(bytes / 8);
	r->head.regs = (uint16_t)count;
	r->head.bytes = (uint32_t)bytes;
	r->head.flags |= PITRACE_STACK_COPY | (is_narrow ? PITRACE_STACK_32BIT : 0);
}

size_t perf_take_stack(const struct perf_item *p, const struct perf_stacks *s, struct perf_stack *r)
{
	uint32_t n = 0;

	r->head = (struct pitrace_stack){ 0 };
	put_chain(p, s, r, &n);
	if (s->want & PITRACE_WANT_COPY)
		put_copy(p, s, r, &n);
	return sizeof(r->head) + n * sizeof(uint64_t);
}

int perf_put_sample(const struct perf_item *p, const struct perf_stacks *s, uint32_t event,
		    perf_put put, void *arg)
{
	uint32_t mode = p->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	uint32_t minor = mode == PERF_RECORD_MISC_USER ? PITRACE_TPROF_USER : PITRACE_TPROF_KERNEL;
	struct {
		struct pitrace_sample sample;
		struct perf_stack stack;
	} __attribute__((packed, aligned(4))) r;

	r.sample = (struct pitrace_sample){
		.pid = p->pid,
		.tid = p->tid,
		.address = p->ip,
		.period = p->period < UINT32_MAX ? (uint32_t)p->period : UINT32_MAX,
	};
	minor |= (event + 1) << PITRACE_TPROF_EVENT_SHIFT;
	if (!(s->want & (PITRACE_WANT_KERNEL | PITRACE_WANT_USER | PITRACE_WANT_COPY)))
		return put(arg, PITRACE_TPROF, minor, &r.sample, sizeof(r.sample), p->time);
	return put(arg, PITRACE_TPROF, minor | PITRACE_TPROF_STACK, &r,
		   sizeof(r.sample) + perf_take_stack(p, s, &r.stack), p->time);
}

/* ---- dispatches ------------------------------------------------------------------------------ */

int perf_put_dispatch(const struct perf_item *p, struct perf_running *running, perf_put put,
		      void *arg)
{
	struct pitrace_dispatch d = {
		.old_pid = p->pid,
		.old_tid = p->tid,
		.new_pid = p->of_pid,
		.new_tid = p->of_tid,
		.old_priority = PITRACE_PRIORITY_UNKNOWN,
		.new_priority = PITRACE_PRIORITY_UNKNOWN,
	};
	uint32_t left = PITRACE_LEFT_OTHER;
	bool out = p->misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (p->type != PERF_RECORD_SWITCH_CPU_WIDE && p->type != PERF_RECORD_SWITCH)
		return 0;
	if (!out) {
		if (running->known && running->pid == p->pid && running->tid == p->tid)
			return 0;
		d.old_pid = p->of_pid;
		d.old_tid = p->of_tid;
		d.new_pid = p->pid;
		d.new_tid = p->tid;
	}
	/* Runnable, or waiting for a reason that perf does not report. */
	if ((out && p->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) || !d.old_tid)
		left = PITRACE_LEFT_RUNNING;
	/* An exiting thread has no id any more: it is the one that was dispatched last. */
	if (d.old_tid == UINT32_MAX) {
		left = PITRACE_LEFT_DEAD;
		if (running->known) {
			d.old_pid = running->pid;
			d.old_tid = running->tid;
		}
	}
	*running = (struct perf_running){ d.new_pid, d.new_tid, true };
	return put(arg, PITRACE_DISPATCH, left, &d, sizeof(d), p->time);
}

/* ---- tracepoints of dispatches --------------------------------------------------------------- */

uint32_t perf_why_left(uint64_t state)
{
	if (!(state & 0xFF))
		return state ? PITRACE_LEFT_PREEMPTED : PITRACE_LEFT_RUNNING;
	return state & 0x01 ? PITRACE_LEFT_SLEEP :
	       state & 0x02 ? PITRACE_LEFT_BLOCKED :
	       state & 0x04 ? PITRACE_LEFT_STOPPED :
	       state & 0x08 ? PITRACE_LEFT_TRACED :
	       state & 0x30 ? PITRACE_LEFT_DEAD :
	       state & 0x80 ? PITRACE_LEFT_IDLE :
			      PITRACE_LEFT_OTHER;
}

void perf_left_take(struct perf_left *l, const struct perf_item *item, uint64_t state,
		    int16_t old_priority, int16_t new_priority, const struct perf_stacks *stacks)
{
	l->valid = true;
	l->tid = item->tid;
	/* What runs on an idle CPU could always go on. */
	l->why = item->tid ? perf_why_left(state) : PITRACE_LEFT_RUNNING;
	l->old_priority = old_priority;
	l->new_priority = new_priority;
	l->stack_bytes = 0;
	if (item->tid &&
	    stacks->want & (PITRACE_WANT_KERNEL | PITRACE_WANT_USER | PITRACE_WANT_COPY))
		l->stack_bytes = perf_take_stack(item, stacks, &l->stack);
}

int perf_left_put(struct perf_left *l, uint32_t minor, const struct pitrace_dispatch *d,
		  uint64_t time, perf_put put, void *arg)
{
	struct {
		struct pitrace_dispatch dispatch;
		struct perf_stack stack;
	} __attribute__((packed, aligned(4))) r;
	bool same = l->valid && (l->tid == d->old_tid || l->tid == UINT32_MAX);

	l->valid = false;
	r.dispatch = *d;
	if (!same)
		return put(arg, PITRACE_DISPATCH, minor, d, sizeof(*d), time);
	r.dispatch.old_priority = l->old_priority;
	r.dispatch.new_priority = l->new_priority;
	if (!l->stack_bytes)
		return put(arg, PITRACE_DISPATCH, l->why, &r, sizeof(r.dispatch), time);
	memcpy(&r.stack, &l->stack, l->stack_bytes);
	return put(arg, PITRACE_DISPATCH, l->why | PITRACE_DISPATCH_STACK, &r,
		   sizeof(r.dispatch) + l->stack_bytes, time);
}

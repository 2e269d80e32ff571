/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resolves samples to numbers. Samples repeat addresses, so liba2n's answers are kept in a small
 * direct-mapped cache. An answer is valid for an address in a process's memory until a record
 * changes that memory: the second pass sees the MTE records again, at their positions between the
 * samples, and increments an epoch for each process. Answers of older epochs are resolved again.
 */
#include "model/trace_names.h"

#include <stdio.h>
#include <string.h>

#include "a2n/no_memory.h"
#include "file/record_kinds.h"
#include "record/record_as.h"

static const char idle_name[] = "Idle";

#define CACHE_BITS 14
#define KERNEL_PID UINT32_MAX /* kernel memory has no process: one key for the whole machine */

/* The current owner of a tid. */
struct names_runner {
	uint32_t tid;
	uint32_t process; /* of its pid's owner; if that differs, it is unknown */
	uint32_t thread;
	bool known;
};

/* A process's name with its origin's label as a prefix. */
struct names_label {
	uint32_t origin;
	const char *name; /* owned by liba2n */
	char *text;
};

struct names_cached {
	uint64_t address;
	uint32_t pid;
	uint32_t epoch;
	uint32_t symbol;
	uint32_t unsure;
	uint64_t offset;
};

struct names_warning {
	char *module, *message;
	bool of_lines;
};

static void keep_warning(void *arg, const char *module, const char *message)
{
	struct names *n = arg;
	struct names_warning *w;

	if (array_next(n->warning, n->nwarning, n->room_warning))
		return; /* drops the message; ticks are still counted */
	w = &n->warning[n->nwarning];
	w->module = strdup(module);
	w->message = strdup(message);
	/* Users who requested debuginfod servers, or passed a kernel image, need these results even
	 * for modules with few ticks. */
	w->of_lines = n->lines.begun || !strncmp(message, "debuginfod:", 11) ||
		      (!strcmp(module, A2N_KERNEL) && strstr(message, "its image"));
	if (w->module && w->message) {
		n->nwarning++;
		return;
	}
	free(w->module);
	free(w->message);
}

int names_open(struct names *n, const struct names_options *o)
{
	struct a2n_options options = {
		.sympath = o->sympath,
		.demangle = true,
		.warn = keep_warning,
		.warn_arg = n,
		.debuginfod_seconds = o->debuginfod,
	};

	*n = (struct names){ .kernel_epoch = 1, .epoch = 1 }; /* 0 marks unused cache entries */
	n->a2n = a2n_open(&options);
	n->cache = calloc(1u << CACHE_BITS, sizeof(*n->cache));
	lines_begin(&n->lines, &n->symbols, n->a2n);
	n->lines.by_line = o->by_line;
	n->lines.inlined = o->inlined;
	n->lines.places = o->places;
	n->by_code = o->annotate;
	jit_begin(&n->jit, n->a2n, o->jitdumps, o->by_line, o->annotate);
	n->jit.all_bytes = o->all_code;
	n->jit.explain.what = o->explain;
	maps_begin(&n->maps, &n->jit);
	return cgroups_begin(&n->cgroups) || !n->a2n || !n->cache ? -ENOMEM : 0;
}

int names_origins(struct names *n, const struct origin *origin, uint32_t count)
{
	n->origin = origin;
	n->origins = count;
	return count ? a2n_machines(n->a2n, count) : 0;
}

void names_close(struct names *n)
{
	uint32_t i;

	for (i = 0; i < n->nwarning; i++) {
		free(n->warning[i].module);
		free(n->warning[i].message);
	}
	free(n->warning);
	for (i = 0; i < n->nlabel; i++)
		free(n->label[i].text);
	free(n->label);
	keys_free(&n->by_label);
	for (i = 0; i < n->nnumber; i++)
		free(n->number[i]);
	free(n->number);
	free(n->process);
	free(n->thread);
	free(n->module);
	symbols_free(&n->symbols);
	free(n->owner);
	free(n->runner);
	free(n->cache);
	keys_free(&n->by_serial);
	keys_free(&n->by_tid);
	keys_free(&n->by_pid);
	keys_free(&n->by_runner);
	maps_free(&n->maps);
	lines_free(&n->lines);
	cgroups_free(&n->cgroups);
	jit_free(&n->jit);
	runtimes_free(&n->runtimes);
	if (n->a2n)
		a2n_close(n->a2n);
	*n = (struct names){ 0 };
}

/* ---- owners of pids -------------------------------------------------------------------------- */

static struct names_owner *find_owner(struct names *n, uint32_t pid)
{
	uint32_t i = keys_find(&n->by_pid, hash_mix(pid, 1), n->owner, e, e->pid == pid);

	return i == NO_KEY ? NULL : &n->owner[i];
}

static struct names_owner *get_owner(struct names *n, uint32_t pid)
{
	struct names_owner *o = find_owner(n, pid);

	if (o)
		return o;
	if (keys_next(&n->by_pid, hash_mix(pid, 1), n->owner, n->nowner, n->room_owner))
		return NULL;
	o = &n->owner[n->nowner++];
	*o = (struct names_owner){ .pid = pid };
	return o;
}

static struct names_runner *find_runner(struct names *n, uint32_t tid)
{
	uint32_t i = keys_find(&n->by_runner, hash_mix(tid, 2), n->runner, e, e->tid == tid);

	return i == NO_KEY ? NULL : &n->runner[i];
}

static struct names_runner *get_runner(struct names *n, uint32_t tid)
{
	struct names_runner *r = find_runner(n, tid);

	if (r)
		return r;
	if (keys_next(&n->by_runner, hash_mix(tid, 2), n->runner, n->nrunner, n->room_runner))
		return NULL;
	r = &n->runner[n->nrunner++];
	*r = (struct names_runner){ .tid = tid };
	return r;
}

/* ---- invalidation ---------------------------------------------------------------------------- */

static void memory_changed(struct names *n, uint32_t pid)
{
	struct names_owner *o = find_owner(n, pid);

	if (!o)
		return; /* no sample yet: nothing is cached */
	if (o->shares) {
		n->epoch++;
	} else {
		o->epoch++;
		o->version++;
	}
}

static void thread_changed(struct names *n, uint32_t pid, uint32_t tid)
{
	struct names_runner *runner = find_runner(n, tid);
	struct names_owner *o = find_owner(n, pid);

	if (runner)
		runner->known = false;
	if (o)
		o->version++;
}

static void cgroup_changed(struct names *n, uint32_t pid)
{
	struct names_owner *o = find_owner(n, pid);

	if (!o)
		return;
	o->known = false;
	o->version++;
}

static int task_event(struct names *n, const struct pirecord *r,
		      const struct pitrace_mte_task *task)
{
	struct names_owner *o = find_owner(n, task->pid);

	thread_changed(n, task->pid, task->tid);
	switch (r->minor) {
	case PITRACE_MTE_NAME:
	case PITRACE_MTE_THREAD:
		/* A main thread's name is its process's name. */
		if (o && task->tid == task->pid)
			o->known = false;
		return 0;
	case PITRACE_MTE_CLONE:
		o = get_owner(n, task->ppid);
		if (!o)
			return -ENOMEM;
		o->shares = true;
		o = get_owner(n, task->pid);
		if (!o)
			return -ENOMEM;
		o->shares = true;
		break;
	case PITRACE_MTE_PROCESS:
	case PITRACE_MTE_FORK:
	case PITRACE_MTE_PROCESS_EXIT:
		if (!o)
			return 0;
		if (r->minor != PITRACE_MTE_PROCESS_EXIT)
			o->shares = false;
		break;
	default:
		return 0;
	}
	o->known = false;
	o->epoch++;
	return 0;
}

void names_code_changed(struct names *n, uint64_t time)
{
	uint32_t pid, tid;

	while (jit_change(&n->jit, time, &pid, &tid)) {
		if (tid)
			thread_changed(n, pid, tid);
		else
			memory_changed(n, pid);
	}
}

int names_event(struct names *n, const struct pirecord *r)
{
	const struct pitrace_mte_task *task;
	const struct pitrace_mte_map *map;
	const struct pitrace_mte_unmap *unmap;
	const struct mte_cgroup *in;
	struct pifile_user x;

	if (r->major == PITRACE_LOST) {
		n->epoch++;
		n->kernel_epoch++;
		return 0;
	}
	if (r->major != PITRACE_MTE)
		return 0;
	switch (r->minor) {
	case PITRACE_MTE_MODULE:
	case PITRACE_MTE_UNLOAD:
		map = record_map(r);
		if (!map)
			return 0;
		if (r->minor == PITRACE_MTE_UNLOAD || map->flags & PITRACE_MAP_KERNEL)
			n->kernel_epoch++;
		else
			memory_changed(n, map->pid);
		return 0;
	case PITRACE_MTE_UNMAP:
		unmap = RECORD_AS(r, struct pitrace_mte_unmap);
		if (unmap)
			memory_changed(n, unmap->pid);
		return 0;
	case PITRACE_MTE_JIT:
		if (!pifile_user_record(r, &x))
			memory_changed(n, x.pid);
		return 0;
	case PITRACE_MTE_JAVA_THREAD:
		if (!pifile_user_record(r, &x))
			thread_changed(n, x.pid, x.tid);
		return 0;
	case MTE_CGROUP:
		in = RECORD_AS(r, struct mte_cgroup);
		if (in)
			cgroup_changed(n, in->pid);
		return 0;
	case PITRACE_MTE_BUILDID:
	case PITRACE_MTE_DECLARE:
		return 0; /* valid for all times */
	default:
		task = RECORD_AS(r, struct pitrace_mte_task);
		return task ? task_event(n, r, task) : 0;
	}
}

void names_rewind(struct names *n)
{
	uint32_t i;

	n->epoch++;
	n->kernel_epoch++;
	for (i = 0; i < n->nowner; i++)
		n->owner[i].known = false;
	for (i = 0; i < n->nrunner; i++)
		n->runner[i].known = false;
	jit_rewind(&n->jit);
}

/* ---- processes and threads ------------------------------------------------------------------- */

/* Returns NULL without memory. */
static const char *labelled(struct names *n, uint32_t origin, const char *name)
{
	struct names_label l = { .origin = origin, .name = name };
	uint64_t hash = hash_mix(origin, (uintptr_t)name);
	uint32_t i = keys_find(&n->by_label, hash, n->label, e,
			       e->origin == l.origin && e->name == l.name);

	if (i != NO_KEY)
		return n->label[i].text;
	if (array_next(n->label, n->nlabel, n->room_label) ||
	    asprintf(&l.text, "%s:%s", n->origin[origin].label, name) < 0)
		return NULL;
	if (keys_add(&n->by_label, hash, n->nlabel)) {
		free(l.text);
		return NULL;
	}
	n->label[n->nlabel++] = l;
	return l.text;
}

static uint32_t get_process(struct names *n, uint32_t pid, uint64_t serial, const char *name,
			    uint32_t cgroup)
{
	struct trace_process p = {
		.serial = serial,
		.pid = pid,
		.group = n->nprocess,
		.cgroup = cgroup,
		.name = name,
	};
	uint64_t hash;
	uint32_t i;

	if (n->origins) {
		p.origin = origin_of(pid) < n->origins ? origin_of(pid) : 0;
		p.pid = origin_own(pid);
		p.name = labelled(n, p.origin, name);
		if (!p.name)
			return NO_KEY;
	}
	hash = hash_mix(hash_mix(serial, pid), (uintptr_t)p.name);
	i = keys_find(&n->by_serial, hash, n->process, e,
		      e->pid == p.pid && e->serial == p.serial && e->name == p.name &&
			      e->origin == p.origin && e->cgroup == p.cgroup);
	if (i != NO_KEY)
		return i;
	if (keys_next(&n->by_serial, hash, n->process, n->nprocess, n->room_process))
		return NO_KEY;
	n->process[n->nprocess] = p;
	return n->nprocess++;
}

static uint32_t get_thread(struct names *n, uint32_t process, uint32_t tid, const char *name)
{
	struct trace_thread t = {
		.process = process,
		.tid = n->origins ? origin_own(tid) : tid,
		.group = n->nthread,
		.name = name,
	};
	uint64_t hash = hash_mix(hash_mix(process, tid), (uintptr_t)name);
	uint32_t i = keys_find(&n->by_tid, hash, n->thread, e,
			       e->tid == t.tid && e->process == t.process && e->name == t.name);

	if (i != NO_KEY)
		return i;
	if (keys_next(&n->by_tid, hash, n->thread, n->nthread, n->room_thread))
		return NO_KEY;
	n->thread[n->nthread] = t;
	return n->nthread++;
}

/* Pid 0 is each CPU's idle task: one process, whatever task walks record about it. */
static bool is_idle(const struct names *n, uint32_t pid)
{
	return !(n->origins ? origin_own(pid) : pid);
}

static int know_owner(struct names *n, struct names_owner *o, uint64_t time)
{
	bool idle = is_idle(n, o->pid);
	uint64_t serial = idle ? 0 : a2n_process_serial(n->a2n, o->pid, time);
	const char *name = idle ? idle_name : a2n_process_name(n->a2n, o->pid, time);

	o->process = get_process(n, o->pid, serial, name,
				 idle ? CGROUP_UNKNOWN : cgroups_at(&n->cgroups, o->pid, time));
	o->known = o->process != NO_KEY;
	return o->known ? 0 : -ENOMEM;
}

static int know_runner(struct names *n, struct names_runner *r, const struct names_owner *o,
		       uint64_t time)
{
	const char *name = is_idle(n, o->pid) ? idle_name :
						a2n_thread_name(n->a2n, o->pid, r->tid, time);

	r->process = o->process;
	r->thread = get_thread(n, o->process, r->tid, name);
	r->known = r->thread != NO_KEY;
	return r->known ? 0 : -ENOMEM;
}

/* ---- modules and symbols --------------------------------------------------------------------- */

/* liba2n has a user pointer in each module and symbol: it holds index + 1. */
static uint32_t add_module(struct names *n, const char *name, const char *symbols_from)
{
	if (array_next(n->module, n->nmodule, n->room_module))
		return NO_KEY;
	n->module[n->nmodule] = (struct trace_module){ .name = name, .symbols_from = symbols_from };
	return n->nmodule++;
}

static uint32_t new_symbol(struct names *n, const struct a2n_answer *a)
{
	struct symbol s = {
		.name = a->symbol->name,
		.value = a->symbol->value,
		.result = a->result,
		.a2n = a->symbol,
		.base = NO_KEY,
	};
	uint32_t i;

	if (!a->module->user) {
		i = add_module(n, a->module->name, a->module->symbols_from);
		if (i == NO_KEY)
			return i;
		a->module->user = (void *)((uintptr_t)i + 1);
	}
	s.module = (uint32_t)((uintptr_t)a->module->user - 1);
	i = symbols_add(&n->symbols, &s);
	if (i != NO_KEY)
		a->symbol->user = (void *)((uintptr_t)i + 1);
	return i;
}

static inline uint32_t get_symbol(struct names *n, const struct a2n_answer *a)
{
	return a->symbol->user ? (uint32_t)((uintptr_t)a->symbol->user - 1) : new_symbol(n, a);
}

/* Asks liba2n; stores the answer in *c, a cache entry or a local one. */
static int ask(struct names *n, const struct names_owner *o, uint64_t time, bool kernel,
	       struct names_cached *c)
{
	struct a2n_answer answer;

	a2n_resolve(n->a2n, o->pid, time, c->address, kernel, &answer);
	c->symbol = get_symbol(n, &answer);
	c->unsure = answer.unsure;
	c->offset = n->by_code && answer.module_offset & A2N_CODE && !kernel ?
			    answer.module_offset :
			    answer.symbol_offset;
	/* A place in the kernel is the address itself. */
	if (kernel)
		answer.module_offset = c->address;
	if (n->lines.places || (lines_wanted(&n->lines) && !kernel))
		c->symbol = lines_spot(&n->lines, c->symbol, &answer, kernel);
	return c->symbol == NO_KEY || lacks_memory(n->a2n) ? -ENOMEM : 0;
}

static inline void set_place(struct sample_place *place, const struct names_cached *c)
{
	place->symbol = c->symbol;
	place->offset = c->offset;
	place->unsure = c->unsure;
}

static inline __attribute__((always_inline)) int resolve(struct names *n,
							 const struct names_owner *o,
							 uint64_t address, uint64_t time,
							 bool kernel, struct sample_place *place)
{
	uint32_t pid = !kernel ? o->pid : n->origins ? KERNEL_PID - origin_of(o->pid) : KERNEL_PID;
	/* Both counters only grow, so their sum changes with either. */
	uint32_t epoch = kernel ? n->kernel_epoch : n->epoch + o->epoch;
	struct names_cached *c;

	c = &n->cache[hash_mix(address, pid) >> 8 & ((1u << CACHE_BITS) - 1)];
	if (c->address != address || c->pid != pid || c->epoch != epoch) {
		*c = (struct names_cached){ .address = address, .pid = pid, .epoch = epoch };
		if (ask(n, o, time, kernel, c)) {
			c->epoch = 0;
			return -ENOMEM;
		}
	}
	set_place(place, c);
	return 0;
}

/* Handles a sample in the kernel whose address was hidden from the user. */
static int names_hidden(struct names *n, struct sample_place *place)
{
	static const char name[] = "kernel (hidden)";
	struct symbol s = { .name = name, .result = A2N_OK, .base = NO_KEY };

	if (!n->has_hidden) {
		s.module = add_module(n, name, "not shown to the user who traced");
		n->hidden = symbols_add(&n->symbols, &s);
		if (n->hidden == NO_KEY)
			return -ENOMEM;
		n->has_hidden = true;
	}
	place->symbol = n->hidden;
	place->offset = 0;
	place->unsure = false;
	return 0;
}

static inline __attribute__((always_inline)) int find_thread(struct names *n, uint32_t pid,
							     uint32_t tid, uint64_t time,
							     struct names_owner **owner,
							     uint32_t *thread)
{
	struct names_owner *o = get_owner(n, pid);
	struct names_runner *r = get_runner(n, tid);
	int rc;

	if (!o || !r)
		return -ENOMEM;
	if (!o->known) {
		rc = know_owner(n, o, time);
		if (rc)
			return rc;
	}
	if (!r->known || r->process != o->process) {
		rc = know_runner(n, r, o, time);
		if (rc)
			return rc;
	}
	*owner = o;
	*thread = r->thread;
	return 0;
}

int names_thread(struct names *n, uint32_t pid, uint32_t tid, uint64_t time, uint32_t *thread)
{
	struct names_owner *o;

	return find_thread(n, pid, tid, time, &o, thread);
}

int names_sample(struct names *n, const struct pitrace_sample *s, uint64_t time, bool kernel,
		 struct sample_place *place)
{
	struct names_owner *o;
	int rc = find_thread(n, s->pid, s->tid, time, &o, &place->thread);

	if (rc)
		return rc;
	place->owner = (uint32_t)(o - n->owner);
	if (!s->address && kernel)
		return names_hidden(n, place);
	return resolve(n, o, s->address, time, kernel, place);
}

int names_new_sample(struct names *n, const struct pitrace_sample *s, uint64_t time, bool kernel,
		     struct sample_place *place)
{
	struct names_cached c = { .address = s->address };
	struct names_owner *o;
	int rc;

	if (kernel)
		return names_sample(n, s, time, kernel, place);
	rc = find_thread(n, s->pid, s->tid, time, &o, &place->thread);
	if (!rc)
		rc = ask(n, o, time, kernel, &c);
	if (rc)
		return rc;
	place->owner = (uint32_t)(o - n->owner);
	set_place(place, &c);
	return 0;
}

int names_same_thread(struct names *n, const struct sample_place *had, uint64_t address,
		      uint64_t time, bool kernel, struct sample_place *place)
{
	place->thread = had->thread;
	place->owner = had->owner;
	if (!address && kernel)
		return names_hidden(n, place);
	return resolve(n, &n->owner[had->owner], address, time, kernel, place);
}

int names_address(struct names *n, uint32_t pid, uint64_t address, uint64_t time, bool kernel,
		  uint32_t *symbol)
{
	struct names_owner *o = get_owner(n, pid);
	struct sample_place place = { 0 };
	int rc = o ? resolve(n, o, address, time, kernel, &place) : -ENOMEM;

	*symbol = place.symbol;
	return rc;
}

uint64_t names_epoch(struct names *n, uint32_t pid)
{
	const struct names_owner *o = find_owner(n, pid);

	return (uint64_t)n->kernel_epoch << 32 | (n->epoch + (o ? o->epoch : 0));
}

int names_number(struct names *n, uint32_t function, uint32_t *symbol)
{
	struct symbol s = { .result = A2N_OK, .base = NO_KEY };
	char *name;

	if (!n->numbered) {
		n->numbered =
			add_module(n, "xray", "function numbers: -program names the program") + 1;
		if (!n->numbered)
			return -ENOMEM;
	}
	if (array_next(n->number, n->nnumber, n->room_number) ||
	    asprintf(&name, "function %u", function) < 0)
		return -ENOMEM;
	n->number[n->nnumber++] = name;
	s.name = name;
	s.module = n->numbered - 1;
	s.value = function;
	*symbol = symbols_add(&n->symbols, &s);
	return *symbol == NO_KEY ? -ENOMEM : 0;
}

int names_idle(struct names *n, uint32_t origin, struct sample_place *place)
{
	struct symbol s = { .name = "idle", .result = A2N_OK, .base = NO_KEY };
	uint32_t process;

	if (!n->has_idle) {
		s.module = add_module(n, "idle", "computed from the CPUs' idle time");
		n->idle.symbol = symbols_add(&n->symbols, &s);
		if (n->idle.symbol == NO_KEY)
			return -ENOMEM;
	}
	if (!n->has_idle || origin != n->idle_origin) {
		process = get_process(n, origin_pid(origin, 0), 0, idle_name, CGROUP_UNKNOWN);
		if (process == NO_KEY)
			return -ENOMEM;
		n->idle.thread = get_thread(n, process, 0, idle_name);
		if (n->idle.thread == NO_KEY)
			return -ENOMEM;
		n->idle_origin = origin;
		n->has_idle = true;
	}
	*place = n->idle;
	return 0;
}

/* ---- end of the names ------------------------------------------------------------------------ */

static void attach_warnings(struct names *n)
{
	uint32_t i, k;

	for (i = 0; i < n->nwarning; i++) {
		if (n->warning[i].of_lines)
			continue;
		for (k = 0; k < n->nmodule; k++) {
			struct trace_module *m = &n->module[k];

			if (!m->warning && !strcmp(m->name, n->warning[i].module)) {
				m->warning = n->warning[i].message;
				break;
			}
		}
	}
}

bool names_line_warning(const struct names *n, uint32_t i, const char **module,
			const char **message)
{
	const struct names_warning *w = i < n->nwarning ? &n->warning[i] : NULL;

	if (!w)
		return false;
	*module = w->of_lines ? w->module : NULL;
	*message = w->message;
	return true;
}

int names_finish(struct names *n, const struct names_options *o)
{
	int rc = names_group(n, o);

	if (!rc)
		rc = symbols_order(&n->symbols);
	if (!rc)
		attach_warnings(n);
	n->lines.begun = true; /* later messages concern lines */
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The public interface. Events are passed to the timelines of processes or of the kernel, queries
 * to the module that was mapped at the time.
 */
#include <errno.h>
#include <pitrace.h>
#include <stdlib.h>
#include <string.h>

#include "a2n.h"
#include "a2n/process/history.h"
#include "a2n/module_functions.h"
#include "a2n/inner.h"
#include "a2n/no_memory.h"
#include "a2n/jit/a2n_jit.h"
#include "a2n/kernel/kernel.h"
#include "a2n/module/addr_lines.h"
#include "a2n/module/module_file.h"
#include "a2n/module/module_symbols.h"
#include "a2n/module/msi.h"
#include "a2n/process/live.h"
#include "a2n/process/process.h"

struct a2n {
	struct strings strings;
	struct modules modules;
	struct processes processes;
	struct kernel kernel, *extra; /* of machine 0; of machines 1 and up */
	struct jits jits;
	struct live live;
	uint64_t realtime; /* CLOCK_REALTIME minus the time of records; 0: unknown */
	bool timed;        /* a2n_time_of_day is called for each mapping */
};

/* No pointer that a program passes may be NULL, except where the header allows it. */
static bool missing(const void *array, uint64_t entries)
{
	return !array && entries;
}

struct a2n *a2n_open(const struct a2n_options *options)
{
	struct a2n *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->processes.strings = &a->strings;
	if (modules_open(&a->modules, &a->strings, options) ||
	    kernel_open(&a->kernel, &a->modules, 0)) {
		a2n_close(a);
		return NULL;
	}
	jits_open(&a->jits, &a->modules, &a->strings);
	return a;
}

void a2n_close(struct a2n *a)
{
	uint32_t i;

	if (!a)
		return;
	live_free(&a->live);
	jits_close(&a->jits);
	kernel_close(&a->kernel);
	for (i = 1; a->extra && i < a->modules.machines; i++)
		kernel_close(&a->extra[i - 1]);
	free(a->extra);
	processes_free(&a->processes);
	modules_close(&a->modules);
	strings_free(&a->strings);
	free(a);
}

/* ---- machines -------------------------------------------------------------------------------- */

int a2n_machines(struct a2n *a, uint32_t count)
{
	uint32_t i;
	int rc;

	if (!count || count > A2N_MACHINES || a->modules.machines)
		return -EINVAL;
	a->extra = calloc(count, sizeof(*a->extra));
	rc = a->extra ? modules_machines(&a->modules, count) : -ENOMEM;
	if (!rc)
		rc = processes_machines(&a->processes, count);
	for (i = 1; !rc && i < count; i++)
		rc = kernel_open(&a->extra[i - 1], &a->modules, i);
	return rc;
}

void a2n_machine(struct a2n *a, uint32_t machine)
{
	a->modules.machine = machine < a->modules.machines ? machine : 0;
}

static struct kernel *kernel_of(struct a2n *a, uint32_t machine)
{
	return machine && machine < a->modules.machines ? &a->extra[machine - 1] : &a->kernel;
}

/* Returns the kernel of the machine whose events are being added. */
static struct kernel *current_kernel(struct a2n *a)
{
	return kernel_of(a, a->modules.machine);
}

/* events */

int a2n_process(struct a2n *a, uint64_t time, uint32_t pid, uint64_t start_time)
{
	return process_image(&a->processes, time, pid, start_time, false);
}

int a2n_seen(struct a2n *a, uint64_t time, uint32_t pid, uint64_t start_time)
{
	return process_image(&a->processes, time, pid, start_time, true);
}

int a2n_fork(struct a2n *a, uint64_t time, uint32_t parent, uint32_t child, uint64_t start_time)
{
	return process_child(&a->processes, time, parent, child, start_time, false);
}

int a2n_clone(struct a2n *a, uint64_t time, uint32_t parent, uint32_t child, uint64_t start_time)
{
	return process_child(&a->processes, time, parent, child, start_time, true);
}

int a2n_thread(struct a2n *a, uint64_t time, uint32_t pid, uint32_t tid)
{
	return process_thread(&a->processes, time, pid, tid);
}

int a2n_name(struct a2n *a, uint64_t time, uint32_t pid, uint32_t tid, const char *name)
{
	return process_named(&a->processes, time, pid, tid, name);
}

int a2n_exit(struct a2n *a, uint64_t time, uint32_t pid, uint32_t tid)
{
	return process_exit(&a->processes, time, pid, tid);
}

static uint64_t last_of(uint64_t start, uint64_t length)
{
	return length - 1 > UINT64_MAX - start ? UINT64_MAX : start + (length - 1);
}

void a2n_time_of_day(struct a2n *a, uint64_t realtime)
{
	a->timed = true;
	a->modules.time_of_day = realtime;
}

void inner_realtime(struct a2n *a, uint64_t offset)
{
	a->realtime = offset;
}

void inner_mapped_at(struct a2n *a, uint64_t time)
{
	if (!a->timed)
		a->modules.time_of_day = a->realtime ? time + a->realtime : 0;
}

void inner_mapped_now(struct a2n *a, uint64_t realtime)
{
	a->modules.time_of_day = realtime;
}

struct live *inner_live(struct a2n *a)
{
	return &a->live;
}

uint32_t inner_map_flags(uint32_t flags)
{
	return (flags & PITRACE_MAP_ANON ? A2N_MAP_ANON : 0) |
	       (flags & PITRACE_MAP_VDSO ? A2N_MAP_VDSO : 0) |
	       (flags & PITRACE_MAP_DELETED ? A2N_MAP_DELETED : 0) |
	       (flags & PITRACE_MAP_WALK ? A2N_MAP_WALK : 0);
}

int a2n_add_map(struct a2n *a, uint64_t time, uint32_t pid, const struct a2n_map *map)
{
	struct mapping mapping;
	struct module *m;

	if (!map || missing(map->build_id, map->build_id_size))
		return -EINVAL;
	if (!map->length)
		return 0;
	m = module_of_map(&a->modules, map);
	if (!m)
		return -ENOMEM;
	mapping.module = m;
	/* Anonymous memory has no offsets: use addresses. */
	mapping.delta = m->kind == MODULE_ANON ? 0 : map->offset - map->start;
	return process_map(&a->processes, time, pid, map->start, last_of(map->start, map->length),
			   &mapping, map->flags & A2N_MAP_WALK, m->kind == MODULE_ANON);
}

int a2n_unmap(struct a2n *a, uint64_t time, uint32_t pid, uint64_t start, uint64_t length)
{
	if (!length)
		return 0;
	return process_unmap(&a->processes, time, pid, start, last_of(start, length));
}

static int load_code(struct a2n *a, uint64_t earliest, uint64_t time, uint32_t pid,
		     uint64_t address, uint64_t size, const char *name, size_t name_length,
		     const void *bytes)
{
	struct mapping code, now;

	a->jits.last = a->jits.repeats = NO_CODE;
	if (missing(name, name_length))
		return -EINVAL;
	if (!size)
		return 0;
	/* Both a log and the trace's records may report it, one of them without lines and bytes. */
	now = process_jit_now(&a->processes, pid, address);
	if (!bytes && now.module && jit_same(&a->jits, &now, name, name_length, address, size))
		code = jit_repeat(&a->jits, &now, address, size);
	else
		code = jit_add(&a->jits, name, name_length, address, size, bytes);
	if (!code.module)
		return -ENOMEM;
	a->jits.last = (uint32_t)code.delta;
	jit_late(&a->jits, &code, earliest, time);
	return process_jit(&a->processes, time, pid, address, last_of(address, size), &code);
}

int a2n_jit_load(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size,
		 const char *name, size_t name_length)
{
	return load_code(a, time, time, pid, address, size, name, name_length, NULL);
}

int a2n_jit_load_late(struct a2n *a, uint64_t earliest, uint64_t time, uint32_t pid,
		      uint64_t address, uint64_t size, const char *name, size_t name_length)
{
	return load_code(a, earliest, time, pid, address, size, name, name_length, NULL);
}

int a2n_jit_lines(struct a2n *a, const struct a2n_jit_line *lines, size_t n)
{
	return missing(lines, n) ? -EINVAL : jit_lines(&a->jits, lines, n);
}

void a2n_jit_bytes(struct a2n *a, const void *bytes)
{
	jit_bytes(&a->jits, bytes);
}

bool a2n_code(const struct a2n *a, uint64_t module_offset, struct a2n_code *code)
{
	const struct jit_code *c = jit_at(&a->jits, module_offset);

	if (c && code)
		*code = (struct a2n_code){ c->address, c->size, c->bytes };
	return c;
}

int inner_jit_load(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size,
		   const char *name, const void *bytes)
{
	return load_code(a, time, time, pid, address, size, name, strlen(name), bytes);
}

struct modules *inner_modules(struct a2n *a)
{
	return &a->modules;
}

struct judged {
	const struct jits *jits;
	uint32_t code;
};

static struct mapping judge(void *arg, const struct mapping *there)
{
	const struct judged *j = arg;

	return jit_map_judge(j->jits, j->code, there);
}

int a2n_jit_map(struct a2n *a, uint64_t since, uint64_t time, uint32_t pid, uint64_t address,
		uint64_t size, const char *name, size_t name_length)
{
	struct mapping now, code, unsure;
	struct judged judged;

	if (missing(name, name_length))
		return -EINVAL;
	if (!size)
		return 0;
	/* A rewritten map repeats its entries. */
	now = process_map_at(&a->processes, pid, time, address);
	if (now.module && jit_same(&a->jits, &now, name, name_length, address, size))
		return 0;
	code = jit_add(&a->jits, name, name_length, address, size, NULL);
	if (!code.module)
		return -ENOMEM;
	unsure = (struct mapping){ code.module, code.delta | JIT_UNSURE };
	judged = (struct judged){ &a->jits, (uint32_t)code.delta };
	jit_map_scanned(&a->jits, since, time, pid, judged.code);
	return process_jit_map(&a->processes, since, time, pid, address, last_of(address, size),
			       &code, &unsure, judge, &judged);
}

int a2n_jit_move(struct a2n *a, uint64_t time, uint32_t pid, uint64_t from, uint64_t to,
		 uint64_t size)
{
	const struct mapping old = process_jit_now(&a->processes, pid, from), unknown = { NULL, 0 };
	struct mapping code = unknown;
	int err;

	if (!size || from == to)
		return 0;
	if (old.module) {
		code = jit_again(&a->jits, &old, to, size);
		if (!code.module)
			return -ENOMEM;
	}
	err = process_jit(&a->processes, time, pid, from, last_of(from, size), &unknown);
	/* Unknown code moved, or code beyond the known one: what is there now is unknown. */
	if (!err && (!code.module || jit_of(&a->jits, &code)->size < size))
		err = process_jit(&a->processes, time, pid, to, last_of(to, size), &unknown);
	if (!err && code.module)
		err = process_jit(&a->processes, time, pid, to,
				  last_of(to, jit_of(&a->jits, &code)->size), &code);
	return err;
}

int a2n_jit_unload(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size)
{
	const struct mapping nobody = { NULL, MAPPING_GIVEN_UP };

	if (!size)
		return 0;
	return process_jit(&a->processes, time, pid, address, last_of(address, size), &nobody);
}

int a2n_build_id(struct a2n *a, uint32_t dev_major, uint32_t dev_minor, uint64_t inode,
		 uint32_t generation, const uint8_t *id, size_t length)
{
	const struct file_key key = {
		inode, dev_major, dev_minor, generation, a->modules.machine,
	};

	return missing(id, length) ? -EINVAL : module_build_id(&a->modules, &key, id, length);
}

int a2n_content(struct a2n *a, uint32_t dev_major, uint32_t dev_minor, uint64_t inode,
		uint32_t generation, uint64_t size, uint64_t changed, uint32_t sum)
{
	const struct file_key key = {
		inode, dev_major, dev_minor, generation, a->modules.machine,
	};
	const struct file_content content = { size, changed, sum };

	return module_content(&a->modules, &key, &content);
}

int a2n_unsure(struct a2n *a, uint64_t time, uint32_t pid)
{
	return process_unsure(&a->processes, time, pid);
}

bool a2n_full(const struct a2n *a, uint64_t *since)
{
	uint64_t unwanted = 0;
	uint32_t i;
	bool full;

	since = since ? since : &unwanted;
	full = spaces_full(&a->processes.spaces, since) || spaces_full(&a->kernel.spaces, since);
	for (i = 1; !full && i < a->modules.machines; i++)
		full = spaces_full(&a->extra[i - 1].spaces, since);
	return full;
}

int a2n_kallsyms(struct a2n *a, const char *text, size_t size)
{
	return missing(text, size) ? -EINVAL : kernel_kallsyms(current_kernel(a), text, size);
}

int a2n_kernel_image(struct a2n *a, int fd)
{
	return kernel_vmlinux(current_kernel(a), fd);
}

int a2n_modules(struct a2n *a, const char *text, size_t size)
{
	return missing(text, size) ? -EINVAL : kernel_modules(current_kernel(a), text, size);
}

int a2n_symbols(struct a2n *a, const char *text, size_t size)
{
	char *copy;

	if (missing(text, size))
		return -EINVAL;
	copy = malloc(size + 1);
	if (!copy)
		return -ENOMEM;
	if (size)
		memcpy(copy, text, size);
	return msi_load(&a->modules, copy, size);
}

int a2n_kernel_load(struct a2n *a, uint64_t time, const char *name, uint64_t start, uint64_t length)
{
	if (!name)
		return -EINVAL;
	return length ? kernel_event(current_kernel(a), time, name, start, length) : 0;
}

int a2n_kernel_code(struct a2n *a, uint64_t time, const char *name, uint64_t start, uint64_t length)
{
	if (!name)
		return -EINVAL;
	return length ? kernel_code(current_kernel(a), time, name, start, length, false) : 0;
}

int a2n_kernel_code_gone(struct a2n *a, uint64_t time, const char *name, uint64_t start,
			 uint64_t length)
{
	if (!name)
		return -EINVAL;
	return length ? kernel_code(current_kernel(a), time, name, start, length, true) : 0;
}

int a2n_kernel_unload(struct a2n *a, uint64_t time, const char *name)
{
	return name ? kernel_event(current_kernel(a), time, name, 0, 0) : -EINVAL;
}

int a2n_vdso(struct a2n *a, const void *image, size_t size)
{
	return missing(image, size) ? -EINVAL : module_vdso(&a->modules, image, size);
}

/* Code reported late may have run there already. *code is the code that was there; false: it may
 * have been other code. */
static bool claim(struct a2n *a, uint32_t pid, uint64_t time, uint64_t address,
		  struct mapping *code)
{
	struct moment at = MOMENT_AT(time);
	struct mapping next;

	while (process_jit_next(&a->processes, pid, time, address, &at, &next) &&
	       at.time - time <= a->jits.latest) {
		const struct jit_code *late = next.module ? jit_of(&a->jits, &next) : NULL;

		if (!late || late->earliest > time)
			continue;
		if (!code->module)
			*code = next;
		else if (jit_of(&a->jits, code)->symbol != late->symbol)
			return false;
	}
	return true;
}

void a2n_resolve(struct a2n *a, uint32_t pid, uint64_t time, uint64_t address, bool kernel,
		 struct a2n_answer *answer)
{
	struct found found;
	bool known;

	answer->range_start = answer->range_length = 0;
	answer->code = NULL;
	if (kernel || address >> 63) {
		answer->unsure = false;
		answer->why = A2N_WHY_KERNEL;
		kernel_resolve(kernel_of(a, pid >> A2N_PID_BITS), time, address, answer);
		return;
	}
	found = process_find(&a->processes, pid, time, address);
	answer->unsure = found.unsure;
	if (found.last) {
		answer->range_start = found.first;
		answer->range_length = found.mapping.module ? found.last - found.first + 1 : 0;
	}
	known = found.jit.module;
	if (a->jits.latest && !claim(a, pid, time, address, &found.jit)) {
		answer->why = A2N_WHY_AMBIGUOUS;
		jit_answer_ambiguous(&a->jits, address, answer);
	} else if (found.jit.module) {
		answer->why = known ? A2N_WHY_CODE : A2N_WHY_CODE_LATE;
		jit_answer(&a->jits, &found.jit, address, answer);
	} else if (found.mapping.module == a->modules.anon && found.jit.delta == MAPPING_GIVEN_UP) {
		answer->why = A2N_WHY_CODE_FREED;
		jit_answer_freed(&a->jits, address, answer);
	} else if (found.map.module && module_holds_code(found.mapping.module)) {
		answer->why = A2N_WHY_PERF_MAP;
		answer->unsure |= (found.map.delta & JIT_UNSURE) != 0;
		jit_answer(&a->jits, &found.map, address, answer);
	} else if (found.mapping.module) {
		answer->why = A2N_WHY_MAPPED;
		module_resolve(&a->modules, found.mapping.module, address + found.mapping.delta, 0,
			       answer);
	} else {
		answer->why = A2N_WHY_NOTHING;
		module_resolve(&a->modules, a->modules.none, address, 0, answer);
	}
}

const struct a2n_symbol *a2n_variable(struct a2n *a, uint32_t pid, uint64_t time, uint64_t address,
				      uint64_t *offset)
{
	const struct a2n_symbol *s;
	struct a2n_answer code;
	struct mapping m;
	uint64_t at;

	if (address >> 63)
		return NULL;
	m = process_below(&a->processes, pid, time, address, &at);
	if (!m.module || m.module->kind != MODULE_FILE)
		return NULL;
	module_resolve(&a->modules, m.module, at + m.delta, 0, &code);
	address += code.module_offset - at;
	s = module_variable(&a->modules, m.module, address);
	if (s && offset)
		*offset = address - s->value;
	return s;
}

bool lacks_memory(const struct a2n *a)
{
	return a->modules.no_memory;
}

uint32_t a2n_told(const struct a2n *a)
{
	return a->processes.order;
}

void a2n_history(struct a2n *a, uint32_t pid, uint64_t address, a2n_take_span take, void *arg)
{
	if (!take)
		return;
	if (address >> 63)
		history_kernel(kernel_space(kernel_of(a, pid >> A2N_PID_BITS)), address, take, arg);
	else
		history_process(&a->processes, &a->jits, pid, address, take, arg);
}

int a2n_module_open(struct a2n *a, const struct a2n_module *module, enum a2n_file which, char *path,
		    size_t size)
{
	if (!module || missing(path, size))
		return -EINVAL;
	/* The public part is the first member. */
	return module_file_open(&a->modules, (const struct module *)module, which, path, size);
}

size_t a2n_module_build_id(const struct a2n *a, const struct a2n_module *module, const uint8_t **id)
{
	const struct build_id *known =
		module ? module_known_build_id(&a->modules, (const struct module *)module) : NULL;

	if (id)
		*id = known ? known->id : NULL;
	return known ? known->size : 0;
}

int a2n_lines(struct a2n *a, const struct a2n_module *module, const uint64_t *offsets, size_t n,
	      bool inlined, a2n_take_frames take, void *arg)
{
	const struct module *m = (const struct module *)module;

	if (!m || !take || missing(offsets, n))
		return -EINVAL;
	return m == a->modules.anon ? jit_find_lines(&a->jits, offsets, n, take, arg) :
				      module_lines(&a->modules, m, offsets, n, inlined, take, arg);
}

void inner_starts(const struct a2n_module *module, void (*take)(void *arg, uint64_t module_offset),
		  void *arg)
{
	const struct symtab *t = &((const struct module *)module)->tab;

	for (uint32_t i = 0; i < t->n; i++)
		take(arg, t->symbols[i].value);
}

int inner_signatures(struct a2n *a, const struct a2n_module *module, const uint64_t *offsets,
		     size_t n, inner_take_signature take, void *arg)
{
	return module_signatures(&a->modules, (const struct module *)module, offsets, n, take, arg);
}

int inner_inlined(struct a2n *a, const struct a2n_module *module, const uint64_t *offsets, size_t n,
		  a2n_take_frames take, void *arg)
{
	return module_inlined(&a->modules, (const struct module *)module, offsets, n, take, arg);
}

static const char *or_unknown(const char *name)
{
	return name ? name : A2N_UNKNOWN;
}

const char *a2n_process_name(struct a2n *a, uint32_t pid, uint64_t time)
{
	return or_unknown(process_name(&a->processes, pid, time));
}

const char *a2n_thread_name(struct a2n *a, uint32_t pid, uint32_t tid, uint64_t time)
{
	return or_unknown(process_thread_name(&a->processes, pid, tid, time));
}

uint64_t a2n_process_serial(struct a2n *a, uint32_t pid, uint64_t time)
{
	return process_serial(&a->processes, pid, time);
}

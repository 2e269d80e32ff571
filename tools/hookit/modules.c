/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "modules.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "a2n.h"
#include "base/array.h"
#include "escape.h"
#include "foreseen.h"
#include "hook_functions.h"
#include "log_rt.h"
#include "source_places.h"

/* A segment with code. Each is a separate process for A2N, so that a file that is loaded later at
 * the same address does not matter. */
struct hook_module {
	uintptr_t base, start, end; /* base: load address of the file's address 0 */
	uint64_t offset;            /* in its file */
	char *path;
	struct foreseen *foreseen; /* NULL: none, or not possible */
	bool gone, seen, announced, looked;
};

pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hook_module *modules;
static uint32_t count, room;
static struct a2n *names;

/* ---- loaded files ---------------------------------------------------------------------------- */

static char *path_of(const struct dl_phdr_info *info)
{
	char path[PATH_MAX];
	ssize_t n;

	if (*info->dlpi_name)
		return realpath(info->dlpi_name, path) ? strdup(path) : strdup(info->dlpi_name);
	n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (n <= 0)
		return strdup("program");
	path[n] = 0;
	return strdup(path);
}

static int see_one(struct dl_phdr_info *info, size_t size, void *arg)
{
	uint32_t i;

	(void)size, (void)arg;
	for (int p = 0; p < info->dlpi_phnum; p++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[p];
		uintptr_t start = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X) || !h->p_memsz)
			continue;
		for (i = 0; i < count; i++)
			if (!modules[i].gone && modules[i].start == start &&
			    modules[i].end == start + h->p_memsz)
				break;
		if (i == count) {
			if (array_next(modules, count, room))
				return 0;
			modules[count++] = (struct hook_module){
				.base = info->dlpi_addr,
				.start = start,
				.end = start + h->p_memsz,
				.offset = h->p_offset,
				.path = path_of(info),
			};
		}
		modules[i].seen = true;
	}
	return 0;
}

static void find_loaded(void)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		modules[i].seen = false;
	dl_iterate_phdr(see_one, NULL);
}

static uint32_t module_of(uintptr_t address)
{
	for (uint32_t i = 0; i < count; i++)
		if (!modules[i].gone &&
		    address - modules[i].start < modules[i].end - modules[i].start)
			return i + 1;
	return 0;
}

static void place_functions(void)
{
	uint32_t n = functions_count();

	for (uint32_t i = 0; i < n; i++) {
		struct hook_function *f = functions_get(i);

		if (!f->module)
			f->module = module_of(f->was);
	}
}

void modules_see(void)
{
	pthread_mutex_lock(&modules_lock);
	find_loaded();
	place_functions();
	pthread_mutex_unlock(&modules_lock);
}

void modules_closed(void)
{
	uint32_t n = functions_count(), i;

	pthread_mutex_lock(&modules_lock);
	find_loaded();
	for (i = 0; i < count; i++)
		if (!modules[i].gone && !modules[i].seen) {
			modules[i].gone = true;
			foreseen_drop(modules[i].foreseen);
			modules[i].foreseen = NULL;
		}
	for (i = 0; i < n; i++) {
		struct hook_function *f = functions_get(i);

		if (f->module && modules[f->module - 1].gone)
			f->address = FUNCTION_GONE;
	}
	pthread_mutex_unlock(&modules_lock);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Adds a segment's mapping to A2N, with its inode, so that A2N opens this very file. */
static void announce(uint32_t number)
{
	struct hook_module *m = &modules[number - 1];
	struct a2n_map map = { .start = m->start & ~(uintptr_t)4095, .path = m->path };
	struct stat st;

	map.length = m->end - map.start;
	map.offset = m->offset - (m->start - map.start);
	if (!stat(m->path, &st)) {
		map.inode = st.st_ino;
		map.dev_major = (uint32_t)(st.st_dev >> 8 & 0xfff);
		map.dev_minor = (uint32_t)((st.st_dev & 0xff) | (st.st_dev >> 12 & 0xfff00));
	}
	m->announced = !a2n_process(names, 1, number, 0) && !a2n_add_map(names, 1, number, &map);
}

static char *plain(const struct hook_function *f)
{
	const char *path = f->module ? modules[f->module - 1].path : NULL, *slash;
	char *text;

	slash = path ? strrchr(path, '/') : NULL;
	if (!path)
		path = "unknown";
	return asprintf(&text, "%s+0x%" PRIxPTR, slash ? slash + 1 : path,
			f->module ? f->was - modules[f->module - 1].start +
					    (uintptr_t)modules[f->module - 1].offset :
				    f->was) < 0 ?
		       NULL :
		       text;
}

/* false: no memory. */
static bool have_names(void)
{
	static const struct a2n_options options = { .demangle = true };

	if (!names)
		names = a2n_open(&options);
	return names;
}

static bool is_announced(uint32_t number)
{
	if (!modules[number - 1].announced)
		announce(number);
	return modules[number - 1].announced;
}

void modules_load(void)
{
	struct a2n_answer answer;

	pthread_mutex_lock(&modules_lock);
	find_loaded();
	for (uint32_t i = 0; i < count && have_names(); i++)
		if (!modules[i].gone && is_announced(i + 1))
			a2n_resolve(names, i + 1, 2, modules[i].start, false, &answer);
	pthread_mutex_unlock(&modules_lock);
}

static char *find_name(const struct hook_function *f)
{
	struct a2n_answer answer;

	if (!have_names() || !f->module)
		return plain(f);
	(void)is_announced(f->module);
	a2n_resolve(names, f->module, 2, f->was, false, &answer);
	return answer.result == A2N_OK ? strdup(answer.symbol->name) : plain(f);
}

const char *modules_name(struct hook_function *f)
{
	const char *name = f->name;

	if (name)
		return name;
	pthread_mutex_lock(&modules_lock);
	if (!f->name && !f->module) {
		find_loaded();
		f->module = module_of(f->was);
	}
	if (!f->name) {
		name = find_name(f);
		f->name = name ? name : "function";
	}
	name = f->name;
	pthread_mutex_unlock(&modules_lock);
	return name;
}

const struct call_values *modules_values(const struct hook_function *f)
{
	const struct call_values *values = NULL;

	pthread_mutex_lock(&modules_lock);
	if (f->module && have_names() && is_announced(f->module))
		values = foreseen_values(names, f->module, f->was);
	pthread_mutex_unlock(&modules_lock);
	return values;
}

void modules_foresee(void)
{
	pthread_mutex_lock(&modules_lock);
	find_loaded();
	for (uint32_t i = 0; i < count && have_names(); i++) {
		struct hook_module *m = &modules[i];

		if (m->gone || m->looked)
			continue;
		m->looked = true;
		if (is_announced(i + 1))
			m->foreseen = foreseen_make(names, i + 1, m->base, m->start, m->end);
	}
	pthread_mutex_unlock(&modules_lock);
}

/* ---- places in the source -------------------------------------------------------------------- */

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* false: A2N has no symbol for it. */
static bool answer_of(const struct hook_function *f, struct a2n_answer *answer)
{
	if (!f->module || !names || !is_announced(f->module))
		return false;
	a2n_resolve(names, f->module, 2, f->was, false, answer);
	return answer->result == A2N_OK;
}

const char *modules_name_placed(struct hook_function *f)
{
	struct a2n_answer answer;
	const char *file;
	uint32_t line;
	char *text;

	if (f->placed)
		return f->name;
	(void)modules_name(f);
	pthread_mutex_lock(&modules_lock);
	file = !f->placed && answer_of(f, &answer) ? source_place(names, &answer, &line) : NULL;
	if (file && asprintf(&text, "%s [%s:%" PRIu32 "]", f->name, file_name(file), line) >= 0)
		f->name = text;
	f->placed = true;
	pthread_mutex_unlock(&modules_lock);
	return f->name;
}

static void print_inlined(FILE *out, struct hook_function **list, const struct inlined_list *found,
			  bool *begun)
{
	for (uint32_t i = 0; i < found->n; i++) {
		const struct inlined *one = &found->list[i];

		if (!*begun)
			fputs("\n" LOG_RT_INLINED "\n", out);
		*begun = true;
		if (!i || found->list[i - 1].function != one->function) {
			escape_print(out, list[one->function]->name);
			fputc('\n', out);
		}
		fputc('\t', out);
		escape_print(out, one->name);
		if (one->file && one->line) {
			fputs(" at ", out);
			escape_print(out, file_name(one->file));
			fprintf(out, ":%" PRIu32, one->line);
		}
		fputc('\n', out);
	}
}

/* Prints what is inlined in those of the first n functions that belong to one module. */
static int inlined_of(FILE *out, uint32_t module, uint32_t n, struct hook_function **list,
		      uint64_t *offsets, bool *begun)
{
	const struct a2n_module *of = NULL;
	struct inlined_list found;
	struct a2n_answer answer;
	uint32_t have = 0;
	int err;

	for (uint32_t i = 0; i < n; i++) {
		struct hook_function *f = functions_get(i);

		if (f->module != module || !f->name || !answer_of(f, &answer) ||
		    (of && answer.module != of))
			continue;
		of = answer.module;
		list[have] = f;
		offsets[have++] = answer.module_offset - answer.symbol_offset;
	}
	if (!have)
		return 0;
	err = source_inlined(names, of, offsets, have, &found);
	if (!err)
		print_inlined(out, list, &found, begun);
	free(found.list);
	return err;
}

int modules_print_inlined(FILE *out)
{
	uint32_t n = functions_count();
	struct hook_function **list = malloc(((size_t)n + 1) * sizeof(*list));
	uint64_t *offsets = malloc(((size_t)n + 1) * sizeof(*offsets));
	int err = list && offsets ? 0 : -ENOMEM;
	bool begun = false;

	pthread_mutex_lock(&modules_lock);
	for (uint32_t i = 0; !err && i < count; i++)
		if (modules[i].announced)
			err = inlined_of(out, i + 1, n, list, offsets, &begun);
	pthread_mutex_unlock(&modules_lock);
	free(list);
	free(offsets);
	return err;
}

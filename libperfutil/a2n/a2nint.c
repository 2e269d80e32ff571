/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The calls of the original interface, each implemented by one or two of a2n.h, under one lock:
 * look-ups load and cache symbols. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "a2nint.h"
#include "a2n/inner.h"
#include "a2n/module/module_symbols.h"
#include "a2n/module/msi.h"
#include "base/newfile.h"
#include "base/read_all.h"
#include "perfmap.h"
#include "base/regular.h"
#include "base/rights.h"
#include "base/text.h"

#define MAX_TEXT (256u << 20)

static struct {
	pthread_mutex_t lock;
	struct a2n *a;
	char *sympath;
	uint64_t last; /* the newest time of all events */
	struct arena arena;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Locks; returns 0 or an error. */
static int begin(void)
{
	pthread_mutex_lock(&all.lock);
	if (all.a)
		return 0;
	pthread_mutex_unlock(&all.lock);
	return -EINVAL;
}

static int end(int rc)
{
	pthread_mutex_unlock(&all.lock);
	return rc;
}

static uint64_t time_of(uint64_t time)
{
	if (time == A2N_NEXT)
		time = all.last + 1;
	if (time > all.last)
		all.last = time;
	return time;
}

static void drop(void)
{
	a2n_close(all.a);
	arena_free(&all.arena);
	all.arena = (struct arena){ 0 };
	all.a = NULL;
	all.last = 0;
}

int A2nInit(void)
{
	struct a2n_options options = { .demangle = true };

	pthread_mutex_lock(&all.lock);
	drop();
	options.sympath = all.sympath;
	all.a = a2n_open(&options);
	return end(all.a ? 0 : -ENOMEM);
}

void A2nTerminate(void)
{
	pthread_mutex_lock(&all.lock);
	drop();
	free(all.sympath);
	all.sympath = NULL;
	end(0);
}

uint32_t A2nGetVersion(void)
{
	return A2N_VERSION;
}

int A2nSetSymbolSearchPath(const char *path)
{
	char *copy = path ? strdup(path) : NULL;

	if (path && !copy)
		return -ENOMEM;
	pthread_mutex_lock(&all.lock);
	if (all.a) {
		free(copy);
		return end(-EBUSY);
	}
	free(all.sympath);
	all.sympath = copy;
	return end(0);
}

/* Reads a whole file and adds a NUL. */
static int read_text(const char *path, char **text, size_t *size)
{
	int fd, err;

	*text = NULL;
	*size = 0;
	if (!path)
		return -EINVAL;
	fd = regular_or_pipe_open(path, NULL);
	if (fd < 0)
		return -errno;
	err = read_all(fd, MAX_TEXT, text, size);
	close(fd);
	return err;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

int A2nSetKernelMapName(const char *path)
{
	char *text;
	size_t size;
	int rc = read_text(path, &text, &size);

	if (rc)
		return rc;
	rc = begin();
	if (!rc)
		rc = end(a2n_kallsyms(all.a, text, size));
	free(text);
	return rc;
}

int A2nSetKernelImageName(const char *path)
{
	int fd, rc;

	if (!path)
		return -EINVAL;
	fd = regular_open(path, 0, NULL);
	if (fd < 0)
		return -errno;
	rc = begin();
	if (rc) {
		close(fd);
		return rc;
	}
	return end(a2n_kernel_image(all.a, fd));
}

/* ---- events ---------------------------------------------------------------------------------- */

int A2nCreateProcess(uint32_t pid, uint64_t time)
{
	int rc = begin();

	return rc ? rc : end(a2n_process(all.a, time_of(time), pid, 0));
}

int A2nForkProcess(uint32_t parent, uint32_t child, uint64_t time)
{
	int rc = begin();

	return rc ? rc : end(a2n_fork(all.a, time_of(time), parent, child, 0));
}

int A2nCloneProcess(uint32_t parent, uint32_t child, uint64_t time)
{
	int rc = begin();

	return rc ? rc : end(a2n_clone(all.a, time_of(time), parent, child, 0));
}

int A2nSetProcessName(uint32_t pid, const char *name, uint64_t time)
{
	int rc = name ? begin() : -EINVAL;

	return rc ? rc : end(a2n_name(all.a, time_of(time), pid, pid, name));
}

int A2nAddModule(uint32_t pid, uint64_t base, uint64_t length, const char *name, uint64_t time,
		 uint32_t checksum)
{
	const struct a2n_map map = { .start = base, .length = length, .path = name };
	int rc = name ? begin() : -EINVAL;

	(void)checksum;
	return rc ? rc : end(a2n_add_map(all.a, time_of(time), pid, &map));
}

int A2nAddJittedMethod(uint32_t pid, const char *name, uint64_t address, uint64_t length,
		       const void *code, uint64_t time)
{
	return A2nAddJittedMethodLines(pid, name, address, length, code, NULL, NULL, 0, time);
}

static int add_lines(uint64_t address, const char *file, const A2N_LINE *lines, uint32_t count)
{
	struct a2n_jit_line *list = malloc(count * sizeof(*list));
	uint32_t i;
	int rc;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		list[i] = (struct a2n_jit_line){ address + lines[i].offset, lines[i].line, file };
	rc = a2n_jit_lines(all.a, list, count);
	free(list);
	return rc;
}

int A2nAddJittedMethodLines(uint32_t pid, const char *name, uint64_t address, uint64_t length,
			    const void *code, const char *file, const A2N_LINE *lines,
			    uint32_t count, uint64_t time)
{
	void *bytes = NULL;
	int rc;

	if (!name || (!lines && count))
		return -EINVAL;
	rc = length > UINT32_MAX ? -EMSGSIZE : begin();
	if (rc)
		return rc;
	if (code) {
		bytes = arena_alloc(&all.arena, length);
		if (!bytes)
			return end(-ENOMEM);
		memcpy(bytes, code, length);
	}
	rc = inner_jit_load(all.a, time_of(time), pid, address, length, name, bytes);
	if (!rc && lines && count)
		rc = add_lines(address, file, lines, count);
	return end(rc);
}

int A2nRemoveJittedMethod(uint32_t pid, uint64_t address, uint64_t length, uint64_t time)
{
	int rc = begin();

	return rc ? rc : end(a2n_jit_unload(all.a, time_of(time), pid, address, length));
}

/* a live process */

/* "start-end perms offset major:minor inode   path"; all but the inode are hexadecimal. */
static bool read_map(const char *line, size_t length, struct a2n_map *m, char path[4200])
{
	struct bytes b = bytes_of(line, length);
	uint64_t stop, major, minor;
	const char *perms;
	size_t n;

	*m = (struct a2n_map){ .path = path };
	if (!text_number(&b, 16, &m->start) || !text_char(&b, '-') || !text_number(&b, 16, &stop) ||
	    stop <= m->start || !text_word(&b, &perms, &n) || n < 4 || perms[2] != 'x')
		return false;
	text_skip_blanks(&b);
	if (!text_number(&b, 16, &m->offset) || !text_char(&b, ' ') ||
	    !text_number(&b, 16, &major) || !text_char(&b, ':') || !text_number(&b, 16, &minor) ||
	    !text_char(&b, ' ') || !text_number(&b, 10, &m->inode))
		return false;
	text_skip_blanks(&b);
	m->length = stop - m->start;
	m->dev_major = (uint32_t)major;
	m->dev_minor = (uint32_t)minor;
	n = bytes_left(&b) < 4096 ? bytes_left(&b) : 4096;
	memcpy(path, b.base + b.at, n);
	path[n] = 0;
	if (n > 10 && !strcmp(path + n - 10, " (deleted)")) {
		path[n - 10] = 0;
		m->flags = A2N_MAP_DELETED;
	}
	if (!*path)
		m->flags = A2N_MAP_ANON;
	else if (!strcmp(path, "[vdso]"))
		m->flags = A2N_MAP_VDSO;
	return true;
}

static int add_maps(uint32_t pid, uint64_t time, const char *text, size_t size)
{
	struct bytes b = bytes_of(text, size);
	char path[4200];
	const char *line;
	struct a2n_map m;
	size_t length;
	int rc = 0;

	while (!rc && bytes_line(&b, &line, &length))
		if (read_map(line, length, &m, path))
			rc = a2n_add_map(all.a, time, pid, &m);
	return rc;
}

static int add_perfmap(uint32_t pid, uint64_t time)
{
	struct perfmap_entry e;
	struct perfmap *map;
	struct rights rights;
	const char *why;
	struct stat st;
	char path[64];
	int rc = 0, fd;

	if (rights_of_process((pid_t)pid, &rights))
		return 0;
	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", pid);
	fd = rights_open_below(&rights, -1, path, &st);
	if (fd >= 0 && st.st_uid && st.st_uid != rights.uid) {
		close(fd);
		fd = -1;
	}
	if (fd < 0 || perfmap_open_fd(&map, fd, &why))
		return 0;
	while (!rc && perfmap_next(map, &e) > 0)
		rc = a2n_jit_map(all.a, 0, time, pid, e.address, e.size, e.name, e.name_length);
	perfmap_close(map);
	return rc;
}

int A2nLoadMap(uint32_t pid)
{
	char path[64], *maps, *comm;
	size_t size, length;
	uint64_t time;
	int rc;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	rc = read_text(path, &maps, &size);
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pid);
	rc = read_text(path, &comm, &length);
	if (!rc)
		rc = begin();
	if (!rc) {
		time = time_of(A2N_NEXT);
		comm[strcspn(comm, "\n")] = 0;
		rc = a2n_seen(all.a, time, pid, 0);
		if (!rc)
			rc = a2n_name(all.a, time, pid, pid, comm);
		if (!rc)
			rc = add_maps(pid, time, maps, size);
		if (!rc)
			rc = add_perfmap(pid, time);
		end(0);
	}
	free(maps);
	free(comm);
	return rc;
}

/* queries */

static void take_line(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	SYMDATA *d = arg;

	(void)i, (void)n;
	if (!frames->line)
		return;
	d->src_file = frames->file ? frames->file : "";
	d->src_lineno = frames->line;
}

static int results[] = {
	[A2N_OK] = A2N_SUCCESS,
	[A2N_RESULT_NO_SYMBOL] = A2N_NO_SYMBOL_HERE,
	[A2N_RESULT_NO_SYMBOLS] = A2N_MODULE_NO_SYMBOLS,
	[A2N_RESULT_NO_MODULE] = A2N_NOTHING_MAPPED,
	[A2N_RESULT_JIT_UNKNOWN] = A2N_CODE_UNKNOWN,
	[A2N_RESULT_JIT_FREED] = A2N_CODE_FREED,
};

/* lines: also the source lines of files, which reads their DWARF. */
static int query(uint32_t pid, uint64_t address, uint64_t time, bool lines, SYMDATA *d)
{
	struct a2n_answer r;
	int rc = d ? begin() : -EINVAL;

	if (rc)
		return rc;
	if (time == A2N_NEXT)
		time = all.last;
	a2n_resolve(all.a, pid, time, address, false, &r);
	*d = (SYMDATA){
		.owning_pid = pid,
		.owning_pid_name = a2n_process_name(all.a, pid, time),
		.mod_name = r.module->name,
		.mod_addr = r.range_start,
		.mod_length = r.range_length,
		.sym_name = r.symbol->name,
		.src_file = "",
		.flags = (r.unsure ? A2N_FLAG_UNSURE : 0) | (address >> 63 ? A2N_FLAG_KERNEL : 0) |
			 (!strcmp(r.module->name, A2N_JITCODE) ? A2N_FLAG_JITTED : 0),
	};
	if (r.result == A2N_OK) {
		bool jitted = d->flags & A2N_FLAG_JITTED;

		/* In a damaged table a symbol may begin below address 0. */
		d->sym_addr = r.symbol_offset < address ? address - r.symbol_offset : 0;
		/* The code of one name may have had several addresses. */
		d->sym_length = jitted ? r.range_length : r.symbol->size;
	}
	d->code = r.code;
	if ((lines || d->flags & A2N_FLAG_JITTED) &&
	    a2n_lines(all.a, r.module, &r.module_offset, 1, false, take_line, d) == -ENOMEM)
		return end(-ENOMEM);
	return end(results[r.result]);
}

int A2nGetSymbolAt(uint32_t pid, uint64_t address, uint64_t time, SYMDATA *d)
{
	return query(pid, address, time, false, d);
}

int A2nGetSymbol(uint32_t pid, uint64_t address, SYMDATA *d)
{
	return A2nGetSymbolAt(pid, address, A2N_NEXT, d);
}

int A2nGetLineNumberAt(uint32_t pid, uint64_t address, uint64_t time, const char **file,
		       uint32_t *line)
{
	SYMDATA d = { .src_file = "" };
	int rc;

	if (!file || !line)
		return -EINVAL;
	rc = query(pid, address, time, true, &d);
	*file = d.src_file;
	*line = d.src_lineno;
	/* A line may be known where there is no symbol. */
	return rc < 0 ? rc : d.src_lineno ? A2N_SUCCESS : rc ? rc : A2N_NO_LINE;
}

int A2nGetLineNumber(uint32_t pid, uint64_t address, const char **file, uint32_t *line)
{
	return A2nGetLineNumberAt(pid, address, A2N_NEXT, file, line);
}

/* ---- whole modules --------------------------------------------------------------------------- */

int A2nGetAllFunctions(const char *name, int (*each)(void *arg, const SYMDATA *data), void *arg)
{
	struct module *m;
	uint32_t i = 0;
	int rc = name && each ? begin() : -EINVAL;

	if (rc)
		return rc;
	m = module_find(inner_modules(all.a), name);
	if (!m)
		return end(-ENOENT);
	for (i = 0; !rc && i < m->tab.n; i++) {
		const struct a2n_symbol *s = module_symbol(inner_modules(all.a), m, i);
		SYMDATA d = { .owning_pid_name = "", .mod_name = m->pub.name, .src_file = "" };

		if (!s)
			return end(-ENOMEM);
		d.sym_name = s->name;
		d.sym_addr = s->value;
		d.sym_length = s->size;
		/* The callback may call these functions too. */
		end(0);
		rc = each(arg, &d);
		if (begin())
			return rc ? rc : -EINVAL;
	}
	return end(rc);
}

static void save(void *arg, struct modules *ms, struct module *m)
{
	msi_write(arg, m, module_known_build_id(ms, m));
}

int A2nCreateMsiFile(const char *path)
{
	struct newfile made;
	int rc = path ? begin() : -EINVAL, err;
	FILE *f;

	if (rc)
		return rc;
	rc = newfile_open(&made, path, NEWFILE_REPLACE, 0600);
	if (rc)
		return end(rc);
	f = fdopen(made.fd, "w");
	if (!f) {
		rc = -errno;
		newfile_undo(&made);
		return end(rc);
	}
	newfile_keep(&made);
	fputs(MSI_FIRST, f);
	modules_each(inner_modules(all.a), save, f);
	err = ferror(f) ? -EIO : 0;
	if (fclose(f) && !err)
		err = -errno;
	return end(err);
}

int A2nLoadMsiFile(const char *path)
{
	char *text;
	size_t size;
	int rc = read_text(path, &text, &size);

	if (rc)
		return rc;
	rc = begin();
	if (rc) {
		free(text);
		return rc;
	}
	return end(msi_load(inner_modules(all.a), text, size));
}

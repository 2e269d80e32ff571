/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A perf.data does not contain the kernel's symbols. If the running kernel is that of the file, its
 * kallsyms is used (relocated, if it was rebooted since); else the copy that perf keeps by the
 * kernel's build id. Otherwise the user has to provide the symbols (-kmap).
 */
#include "input/perf/perf_kernel.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/array.h"
#include "base/build_note.h"
#include "base/read_all.h"

#define TEXT_MAX    (256u << 20)
#define MODULE_NAME 256

/* The size excludes the NUL at the end. */
static struct blob read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = NULL;
	size_t size = 0;

	if (fd < 0)
		return blob_of(NULL, 0);
	(void)read_all(fd, TEXT_MAX, &text, &size);
	close(fd);
	if (!size) {
		free(text);
		text = NULL;
	}
	return blob_of(text, size);
}

/* Reads the build id in a notes file of this machine; 0: none. */
static uint32_t id_of_notes(const char *path, uint8_t id[20])
{
	struct blob notes = read_text(path);
	uint32_t size = 0;
	const uint8_t *note = build_note(blob_bytes(&notes), 4, 20, &size);

	if (note)
		memcpy(id, note, size);
	blob_free(&notes);
	return note ? size : 0;
}

static const struct perf_build_id *kernel_id(const struct perf *p)
{
	for (uint32_t i = 0; i < p->nbuild_ids; i++) {
		const struct perf_build_id *id = &p->build_id[i];

		if ((id->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL &&
		    (!strncmp(id->path, "[kernel", 7) || strstr(id->path, "vmlinux")))
			return id;
	}
	return NULL;
}

struct blob perf_kernel_ids(const struct perf *p)
{
	struct blob table = { 0 };
	uint8_t *entries = NULL;
	size_t room = 0;

	for (uint32_t i = 0; i < p->nbuild_ids; i++) {
		const struct perf_build_id *id = &p->build_id[i];

		if ((id->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL ||
		    !id->size)
			continue;
		if (array_room(entries, room,
			       table.size + PERF_BUILD_ID_ENTRY(strlen(id->path) + 1)))
			break;
		table = blob_of(entries, table.size + perf_build_id_entry(entries + table.size,
									  id->misc, id->pid, id->id,
									  id->size, id->path));
	}
	return table;
}

/* Returns whether the running kernel is the file's. */
static bool runs_here(const struct perf *p)
{
	const struct perf_build_id *id = kernel_id(p);
	uint8_t here[20] = { 0 };
	struct utsname u;

	if (!id)
		return !uname(&u) && !strcmp(u.release, p->in->header.release);
	return id_of_notes("/sys/kernel/notes", here) && !memcmp(here, id->id, 20);
}

/* Shifts all addresses of the kernel itself; drops modules, which were elsewhere then. */
static struct blob move_text(struct blob text, uint64_t by)
{
	char *out = malloc(text.size + 1), *to = out, *line, *next;

	for (line = text.data; out && *line; line = next) {
		char *end = strchr(line, '\n'), *rest;
		uint64_t address = strtoull(line, &rest, 16);

		next = end ? end + 1 : line + strlen(line);
		if (rest != line + 16 || memchr(line, '[', (size_t)(next - line)))
			continue;
		to += sprintf(to, "%016" PRIx64, address + by);
		memcpy(to, rest, (size_t)(next - rest));
		to += next - rest;
	}
	if (out)
		*to = '\0';
	blob_free(&text);
	return blob_of(out, (size_t)(to - out));
}

/* Returns whether the addresses are hidden from this user: all are 0. */
static bool is_hidden(const struct blob *text)
{
	struct bytes b = blob_bytes(text);
	const char *line;
	size_t length;

	while (bytes_line(&b, &line, &length)) {
		if (length < 17 || memcmp(line, "0000000000000000 ", 17))
			return false;
	}
	return true;
}

/* Adjusts the text to the recording, as far as its addresses are known. */
static struct blob place_text(const struct perf *p, struct blob text)
{
	uint64_t here;

	if (!text.data || !p->kernel_symbol[0] || is_hidden(&text))
		return text;
	here = perf_kernel_address(text.data, text.size, p->kernel_symbol);
	if (here == p->kernel_reference)
		return text;
	if (here)
		return move_text(text, p->kernel_reference - here);
	blob_free(&text); /* the kernel's address at that time is unknown */
	return text;
}

/* Returns whether the loaded module has another build id than the recorded one. */
static bool is_another(const struct perf *p, const char *module)
{
	char path[sizeof("/sys/module//notes/.note.gnu.build-id") + MODULE_NAME], name[MODULE_NAME];
	uint8_t here[20] = { 0 };

	for (uint32_t i = 0; i < p->nbuild_ids; i++) {
		const struct perf_build_id *id = &p->build_id[i];

		if ((id->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL ||
		    !perf_kernel_module(id->path, name, sizeof(name)) || strcmp(name, module))
			continue;
		snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
		return id_of_notes(path, here) != id->size || memcmp(here, id->id, id->size);
	}
	return false;
}

/* Removes symbols of the running kernel that did not exist then: modules that were replaced by
 * other builds, and BPF programs if perf recorded their names. */
static struct blob drop_others(const struct perf *p, struct blob text)
{
	char *line, *next, *to = text.data, last[MODULE_NAME] = "", name[MODULE_NAME];
	bool drop = false;

	for (line = text.data; line && *line; line = next) {
		char *end = strchr(line, '\n'), *tag;

		next = end ? end + 1 : line + strlen(line);
		tag = memchr(line, '[', (size_t)(next - line));
		if (tag && perf_kernel_module(tag, name, sizeof(name)) && strcmp(name, last)) {
			snprintf(last, sizeof(last), "%s", name);
			drop = !strcmp(name, "bpf") ? p->count[PERF_RECORD_KSYMBOL] != 0 :
						      is_another(p, name);
		}
		if (tag && drop)
			continue;
		memmove(to, line, (size_t)(next - line));
		to += next - line;
	}
	if (text.data)
		*to = '\0';
	return blob_of(text.data, (size_t)(to - (char *)text.data));
}

static struct blob running_text(struct perf *p)
{
	struct blob text = { 0 };

	if (p->same_kernel)
		text = place_text(p, read_text("/proc/kallsyms"));
	return text.data ? drop_others(p, text) : text;
}

static struct blob kept_text(const struct perf *p)
{
	const struct perf_build_id *id = kernel_id(p);
	const char *home = getenv("HOME");
	char path[512], hex[41];

	if (!id || !home)
		return blob_of(NULL, 0);
	for (uint32_t i = 0; i < 20; i++)
		snprintf(hex + 2 * i, 3, "%02x", id->id[i]);
	hex[2 * id->size] = '\0';
	snprintf(path, sizeof(path), "%s/.debug/[kernel.kallsyms]/%s/kallsyms", home, hex);
	return place_text(p, read_text(path));
}

static void look(struct perf *p)
{
	struct blob kept;

	p->kernel_looked = true;
	p->same_kernel = runs_here(p);
	p->kallsyms = running_text(p);
	if (!is_hidden(&p->kallsyms))
		return;
	kept = kept_text(p);
	if (!kept.data)
		return; /* the hidden text explains why there are no names */
	blob_free(&p->kallsyms);
	p->kallsyms = kept;
}

struct blob perf_kernel_symbols(struct perf *p)
{
	if (!p->kernel_looked)
		look(p);
	return p->kallsyms;
}

struct blob perf_kernel_place(struct perf *p)
{
	struct blob names = perf_kernel_symbols(p);
	int n;

	if ((names.data && !is_hidden(&names)) || !p->kernel_reference || !p->kernel_symbol[0])
		return blob_of(NULL, 0);
	n = snprintf(p->kernel_place, sizeof(p->kernel_place), "%016" PRIx64 " a %s\n",
		     p->kernel_reference, p->kernel_symbol);
	return blob_of(p->kernel_place, (size_t)n);
}

const void *perf_kernel_vdso(struct perf *p, size_t *size)
{
	const Elf64_Ehdr *image = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (!p->kernel_looked)
		look(p);
	*size = 0;
	if (!p->same_kernel || !image || image->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	*size = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	return image;
}

bool perf_kernel_module(const char *path, char *name, size_t size)
{
	const char *base = strrchr(path, '/'), *end;
	size_t n, i;

	base = base ? base + 1 : path;
	if (path[0] == '[') {
		end = strchr(++base, ']');
	} else {
		end = strstr(base, ".ko");
	}
	if (!end || end == base)
		return false;
	n = (size_t)(end - base) < size - 1 ? (size_t)(end - base) : size - 1;
	memcpy(name, base, n);
	name[n] = '\0';
	for (i = 0; i < n; i++) {
		if (name[i] == '-')
			name[i] = '_';
	}
	return true;
}

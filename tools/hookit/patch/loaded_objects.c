/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects of the loader's list, with the sections of their files, which must be the files that are
 * loaded. */
#include "loaded_objects.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular.h"
#include "unwinding.h"

#define SEGMENTS 64

static struct object *find(const struct objects *list, const struct dl_phdr_info *info)
{
	for (struct object *o = list->first; o; o = o->next) {
		if (o->headers == info->dlpi_phdr && o->bias == info->dlpi_addr && !o->gone &&
		    !strcmp(o->path, info->dlpi_name))
			return o;
	}
	return NULL;
}

static size_t segments_of(const struct dl_phdr_info *info, struct image_segment *list)
{
	size_t n = 0;

	for (int i = 0; i < info->dlpi_phnum && n < SEGMENTS; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_R))
			continue;
		list[n++] = (struct image_segment){
			.address = at,
			.size = p->p_memsz,
			.code = p->p_flags & PF_X,
			.at = (const uint8_t *)(uintptr_t)at,
		};
	}
	return n;
}

/* A file was replaced if its program headers or build id differ from the loaded ones. */
static bool same_notes(const struct dl_phdr_info *info, const struct object_file *f)
{
	for (unsigned int i = 0; i < f->header.e_phnum; i++) {
		const Elf64_Phdr *p = &f->segments[i];
		uint8_t own[256];
		size_t n = p->p_filesz < sizeof(own) ? p->p_filesz : sizeof(own);

		if (p->p_type != PT_NOTE)
			continue;
		if (pread(f->fd, own, n, (off_t)p->p_offset) != (ssize_t)n ||
		    memcmp(own, (const void *)(uintptr_t)(info->dlpi_addr + p->p_vaddr), n) != 0)
			return false;
	}
	return true;
}

static bool same_file(const struct dl_phdr_info *info, const struct object_file *f)
{
	return f->header.e_phnum == info->dlpi_phnum &&
	       !memcmp(f->segments, info->dlpi_phdr, info->dlpi_phnum * sizeof(*info->dlpi_phdr)) &&
	       same_notes(info, f);
}

struct dynamic {
	const ElfW(Dyn) * first;
	const char *strings;
	size_t size;
};

static struct dynamic dynamic_of(const struct dl_phdr_info *info)
{
	struct dynamic dynamic = { NULL, NULL, 0 };

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_DYNAMIC)
			dynamic.first =
				(const ElfW(Dyn) *)(uintptr_t)(info->dlpi_addr + p->p_vaddr);
	}
	for (const ElfW(Dyn) *d = dynamic.first; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_STRTAB)
			dynamic.strings = (const char *)(uintptr_t)d->d_un.d_ptr;
		if (d->d_tag == DT_STRSZ)
			dynamic.size = d->d_un.d_val;
	}
	return dynamic;
}

static bool needs_libgcc(const struct dynamic *dynamic)
{
	const char *strings = dynamic->strings;

	for (const ElfW(Dyn) *d = dynamic->first; strings && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_NEEDED && !strncmp(strings + d->d_un.d_val, "libgcc_s.", 9))
			return true;
	}
	return false;
}

static bool is_named(const struct dynamic *dynamic, const char *name)
{
	return memmem(dynamic->strings, dynamic->size, name, strlen(name) + 1);
}

static int program_names(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct dynamic dynamic = dynamic_of(info);

	(void)size;
	/* The program is the first of the list. */
	return dynamic.strings && is_named(&dynamic, arg) ? 1 : -1;
}

bool objects_program_names(const char *function)
{
	return dl_iterate_phdr(program_names, (void *)(uintptr_t)function) > 0;
}

/* Every unwinder asks the loader for loaded objects by one of these functions. A program that
 * throws and catches nothing itself has no unwinder and does not need libgcc. */
static bool may_unwind(const struct dynamic *dynamic)
{
	return !dynamic->strings || is_named(dynamic, "dl_iterate_phdr") ||
	       is_named(dynamic, "_dl_find_object");
}

/* If the object contains an unwinder, adds it, so that exceptions pass through the stubs; or marks
 * the object as blind if its symbols are stripped. */
static void find_unwinder(struct object *o, const struct dl_phdr_info *info, struct patch_fault *f)
{
	struct dynamic dynamic = dynamic_of(info);
	Elf64_Shdr sh;

	if (!object_file_section(&o->file, ".gcc_except_table", &sh) || needs_libgcc(&dynamic) ||
	    !may_unwind(&dynamic))
		return;
	for (size_t i = 0; i < o->file.n_functions; i++) {
		if (!strcmp(o->file.functions[i].name, "__register_frame")) {
			unwinding_also(o->bias + o->file.functions[i].address);
			return;
		}
	}
	o->blind = true;
	patch_fault(f, sh.sh_offset,
		    "it has exceptions, and an unwinder of its own whose symbols are stripped");
}

static void read_object(struct object *o, const struct dl_phdr_info *info)
{
	const char *path = *o->path ? o->path : "/proc/self/exe";
	struct image_segment segments[SEGMENTS];
	struct patch_image im = { o->bias, segments, segments_of(info, segments) };
	struct patch_fault f = { 0 };
	int fd = regular_open(path, 0, NULL);

	o->file.fd = -1;
	if (fd < 0) {
		/* The vDSO has no file. */
		if (errno != ENOENT || strchr(path, '/'))
			snprintf(o->fault, sizeof(o->fault), "%s", strerror(errno));
		return;
	}
	if (object_file_open(&o->file, fd, &f)) {
		if (!same_file(info, &o->file)) {
			patch_fault(&f, 0, "the file was replaced since it was loaded");
		} else if (sites_sections(&o->file)) {
			object_file_functions(&o->file, &f);
			sites_read(&o->sites, &im, &o->file, &f);
			find_unwinder(o, info, &f);
		}
	}
	if (o->blind)
		sites_free(&o->sites);
	if (f.what[0])
		snprintf(o->fault, sizeof(o->fault), "byte %llu: %s; %zu sites were read",
			 (unsigned long long)f.offset, f.what, o->sites.n);
	o->file.fd = -1;
	close(fd);
}

/* An object that was closed and loaded again at the same address: its code is that of its file
 * again. The stubs still exist. */
static void see_again(struct object *o)
{
	for (size_t i = 0; i < o->sites.n; i++) {
		struct patch_site *s = &o->sites.list[i];
		const struct site_bytes *b = &s->code.switched;

		if (s->on && !memcmp((const void *)(uintptr_t)(s->at + b->at), b->off, b->n)) {
			s->on = false;
			o->switched = false;
		}
	}
}

struct looking {
	struct objects *list;
	bool failed;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct looking *l = arg;
	struct object *o;

	(void)size;
	l->list->looked_at++;
	o = find(l->list, info);
	if (o) {
		see_again(o);
		return 0;
	}
	o = calloc(1, sizeof(*o));
	if (o)
		o->path = strdup(info->dlpi_name);
	if (!o || !o->path) {
		free(o);
		l->failed = true;
		return 1;
	}
	o->bias = info->dlpi_addr;
	o->headers = info->dlpi_phdr;
	read_object(o, info);
	o->next = l->list->first;
	l->list->first = o;
	return 0;
}

bool objects_look(struct objects *list)
{
	struct looking l = { list, false };

	list->looked_at = 0;
	dl_iterate_phdr(look_at, &l);
	return !l.failed;
}

struct holding {
	struct objects *list;
	void (*act)(struct objects *list, void *arg);
	void *arg;
};

struct seen_object {
	struct objects *list;
	const struct object *object;
};

static int is_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct seen_object *s = arg;

	(void)size;
	return find(s->list, info) == s->object;
}

/* The loader's lock is recursive. */
static int holding(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct holding *h = arg;

	(void)info;
	(void)size;
	for (struct object *o = h->list->first; o; o = o->next) {
		struct seen_object s = { h->list, o };

		if (!o->gone && !dl_iterate_phdr(is_loaded, &s))
			o->gone = true;
	}
	h->act(h->list, h->arg);
	return 1;
}

void objects_hold(struct objects *list, void (*act)(struct objects *list, void *arg), void *arg)
{
	struct holding h = { list, act, arg };

	dl_iterate_phdr(holding, &h);
}

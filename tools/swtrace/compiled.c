/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compiled.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"

#define NAMES_MOST (256u << 20) /* bytes of a string table; a larger one is not read */

struct compiled_reading {
	int fd;
	uint64_t size; /* of the file */
	bool wide;     /* 64 bits */
	struct compiled *c;
	char *why;
	size_t why_size;
};

struct compiled_section {
	uint32_t name, type, link;
	uint64_t offset, size;
};

static bool damaged(struct compiled_reading *r, uint64_t at, const char *what)
{
	snprintf(r->why, r->why_size, "at byte %" PRIu64 ": %s", at, what);
	return false;
}

/* Reads a part of the file. Returns NULL if the file is shorter, or without memory; the caller
 * frees it. */
static uint8_t *part(const struct compiled_reading *r, uint64_t at, uint64_t size)
{
	uint8_t *p;
	size_t have = 0;

	if (at > r->size || size > r->size - at || size > NAMES_MOST || !size)
		return NULL;
	p = malloc(size);
	while (p && have < size) {
		ssize_t n = pread(r->fd, p + have, size - have, (off_t)(at + have));

		if (n <= 0) {
			free(p);
			return NULL;
		}
		have += (size_t)n;
	}
	return p;
}

static struct compiled_section take_section(const struct compiled_reading *r, struct bytes *b)
{
	struct compiled_section s;

	s.name = bytes_u32(b);
	s.type = bytes_u32(b);
	if (r->wide) {
		bytes_skip(b, 16);
		s.offset = bytes_u64(b);
		s.size = bytes_u64(b);
	} else {
		bytes_skip(b, 8);
		s.offset = bytes_u32(b);
		s.size = bytes_u32(b);
	}
	s.link = bytes_u32(b);
	return s;
}

/* Checks each name of a string table: a program that calls a function has its name there. */
static void look_at_names(struct compiled_reading *r, const struct compiled_section *s)
{
	static const char hookit[] = "libhookit.so";
	uint8_t *text = part(r, s->offset, s->size);
	struct compiled *c = r->c;
	uint64_t at, n;

	for (at = 0; text && at < s->size; at += n + 1) {
		const char *name = (const char *)text + at;

		n = strnlen(name, s->size - at);
		if (n == s->size - at)
			break;
		if (!strcmp(name, "__cyg_profile_func_enter"))
			c->instrumented = true;
		else if (!strcmp(name, "__fentry__"))
			c->fentry = true;
		else if (!strcmp(name, "__return__"))
			c->returns = true;
		else if (!strcmp(name, "HookitFlush") || !strncmp(name, hookit, strlen(hookit)))
			c->linked = true;
	}
	free(text);
}

/* Reads the section that has the path of the loader. */
static void look_at_loader(struct compiled_reading *r, const struct compiled_section *s)
{
	uint8_t *path = part(r, s->offset, s->size);
	static const char musl[] = "/ld-musl-";

	r->c->loader = path && memmem(path, s->size, musl, sizeof(musl) - 1) ? LOADER_MUSL :
									       LOADER_OURS;
	free(path);
}

static void look_at_section(struct compiled_reading *r, const struct compiled_section *s,
			    const char *name)
{
	if (!strcmp(name, ".interp"))
		look_at_loader(r, s);
	else if (!strcmp(name, "__patchable_function_entries"))
		r->c->patchable = true;
	else if (!strcmp(name, "xray_instr_map"))
		r->c->xray = true;
}

static bool look_at_sections(struct compiled_reading *r, const struct bytes *table, uint32_t count,
			     uint32_t size, uint32_t names)
{
	struct compiled_section *all = calloc(count, sizeof(*all));
	uint8_t *text = NULL;
	bool good = all != NULL;
	uint32_t i, tables = 8;

	for (i = 0; good && i < count; i++) {
		struct bytes b = bytes_of(table->base + (size_t)i * size, size);

		all[i] = take_section(r, &b);
		good = !b.bad;
	}
	if (good && names < count)
		text = part(r, all[names].offset, all[names].size);
	if (text)
		r->c->loader = LOADER_NONE;
	for (i = 0; text && i < count; i++) {
		uint64_t at = all[i].name, most = all[names].size;

		if (at < most && strnlen((char *)text + at, most - at) < most - at)
			look_at_section(r, &all[i], (char *)text + at);
	}
	/* A program has two string tables. */
	for (i = 0; good && tables && i < count; i++) {
		const struct compiled_section *s = &all[i];

		if ((s->type != SHT_DYNSYM && s->type != SHT_SYMTAB) || s->link >= count ||
		    all[s->link].type != SHT_STRTAB)
			continue;
		look_at_names(r, &all[s->link]);
		tables--;
	}
	free(text);
	free(all);
	return good;
}

static bool read_program(struct compiled_reading *r)
{
	uint8_t head[64];
	ssize_t n = pread(r->fd, head, sizeof(head), 0);
	struct bytes b = bytes_of(head, n > 0 ? (size_t)n : 0), table;
	uint32_t size, count, names;
	uint64_t at;
	uint8_t *p;
	bool good;

	if (n < 52 || memcmp(head, ELFMAG, SELFMAG))
		return false;
	if (head[EI_DATA] != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB))
		return false;
	r->wide = head[EI_CLASS] == ELFCLASS64;
	bytes_skip(&b, r->wide ? 40 : 32);
	at = r->wide ? bytes_u64(&b) : bytes_u32(&b);
	bytes_skip(&b, 10);
	size = bytes_u16(&b);
	count = bytes_u16(&b);
	names = bytes_u16(&b);
	if (b.bad)
		return damaged(r, (uint64_t)n, "the head of the program ends");
	if (!at || !count)
		return true; /* without sections, nothing is known of it */
	if (size < (r->wide ? 64 : 40))
		return damaged(r, r->wide ? 58 : 46, "the size of a section's head is too small");
	p = part(r, at, (uint64_t)size * count);
	if (!p)
		return damaged(r, at, "the heads of the sections are beyond the file's end");
	table = bytes_of(p, (size_t)size * count);
	good = look_at_sections(r, &table, count, size, names);
	free(p);
	return good ? true : damaged(r, at, "the heads of the sections cannot be read");
}

bool compiled_read(const char *path, struct compiled *c, char *why, size_t size)
{
	struct compiled_reading r = { .c = c, .why = why, .why_size = size };
	struct stat st;
	bool good;

	*c = (struct compiled){ 0 };
	*why = 0;
	r.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r.fd < 0)
		return false;
	good = !fstat(r.fd, &st) && S_ISREG(st.st_mode);
	r.size = good ? (uint64_t)st.st_size : 0;
	good = good && read_program(&r);
	close(r.fd);
	return good;
}

const char *compiled_cannot(const struct compiled *c)
{
	switch (c->loader) {
	case LOADER_NONE:
		return "it is linked statically: link it dynamically, for nothing can be loaded into it";
	case LOADER_MUSL:
		return "it is linked with musl: libhookit needs glibc";
	default:
		return NULL;
	}
}

const char *compiled_words(const struct compiled *c)
{
	return c->instrumented         ? "-finstrument-functions" :
	       c->fentry && c->returns ? "-pg -mfentry -minstrument-return=call" :
	       c->fentry               ? "-pg -mfentry, which tells no ends of calls" :
	       c->patchable            ? "-fpatchable-function-entry" :
	       c->xray                 ? "-fxray-instrument" :
					 NULL;
}

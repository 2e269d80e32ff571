/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares two texts of /proc/modules ("name size refs deps state address") and writes records of
 * the differences. */
#include "base/array.h"
#include "base/memstream.h"
#include "image/kernel_modules.h"

#include <errno.h>
#include <pitrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/record_walk.h"
#include "base/text.h"

#define MODULES_MAX    65536
#define NAME_MAX_BYTES 256
#define MARK           '#' /* begins a word that /proc/modules never has */

struct kernel_module {
	const char *name;
	size_t length;
	uint64_t start, size; /* start 0: hidden from this user */
	uint64_t mark;        /* identifies the load; 0: unknown */
	bool doubtful;        /* another may have had its name or address between reads */
};

struct list {
	struct kernel_module *item;
	size_t n;
};

static bool read_line(struct bytes line, struct kernel_module *m)
{
	struct bytes address;
	const char *word;
	size_t length;
	int skip;

	*m = (struct kernel_module){ NULL };
	if (!text_word(&line, &m->name, &m->length) || m->length >= NAME_MAX_BYTES)
		return false;
	text_skip_blanks(&line);
	if (!text_number(&line, 10, &m->size) || !m->size)
		return false;
	for (skip = 0; skip < 4; skip++) /* skip refs, deps, state; then the address */
		if (!text_word(&line, &word, &length))
			return false;
	if (length < 3 || memcmp(word, "0x", 2))
		return false;
	address = bytes_of(word + 2, length - 2);
	while (text_word(&line, &word, &length))
		if (*word == MARK) {
			struct bytes mark = bytes_of(word + 1, length - 1);

			text_number(&mark, 10, &m->mark);
		}
	return text_number(&address, 16, &m->start);
}

/* Each load creates a new folder in sysfs. */
static unsigned long long mark_of(const char *name, size_t length)
{
	char path[sizeof("/sys/module/") + NAME_MAX_BYTES];
	struct stat st;

	if (length >= NAME_MAX_BYTES || memchr(name, '/', length) || name[0] == '.')
		return 0;
	snprintf(path, sizeof(path), "/sys/module/%.*s", (int)length, name);
	return stat(path, &st) ? 0 : (unsigned long long)st.st_ino;
}

char *kernel_modules_mark(const char *text)
{
	struct bytes b = bytes_of(text, strlen(text));
	const char *line, *name;
	char *marked = NULL;
	size_t length, size;
	FILE *f = open_memstream(&marked, &size);

	if (!f)
		return NULL;
	while (bytes_line(&b, &line, &length)) {
		struct bytes l = bytes_of(line, length);
		size_t n;

		fprintf(f, "%.*s", (int)length, line);
		if (text_word(&l, &name, &n))
			fprintf(f, " %c%llu", MARK, mark_of(name, n));
		fputc('\n', f);
	}
	memstream_close(f, &marked);
	return marked;
}

static int by_start(const void *pa, const void *pb)
{
	const struct kernel_module *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Sorted by address. Newer kernels add up a module's areas, so the size may reach into the next
 * one. */
static int read_list(struct list *l, const char *text)
{
	struct bytes b = bytes_of(text, text ? strlen(text) : 0);
	const char *line;
	size_t length, room = 0, i;

	*l = (struct list){ NULL, 0 };
	while (bytes_line(&b, &line, &length) && l->n < MODULES_MAX) {
		if (array_next(l->item, l->n, room)) {
			free(l->item);
			return -ENOMEM;
		}
		l->n += read_line(bytes_of(line, length), &l->item[l->n]);
	}
	if (l->n)
		qsort(l->item, l->n, sizeof(*l->item), by_start);
	for (i = 0; i + 1 < l->n; i++)
		if (l->item[i].start && l->item[i].start < l->item[i + 1].start &&
		    l->item[i].size > l->item[i + 1].start - l->item[i].start)
			l->item[i].size = l->item[i + 1].start - l->item[i].start;
	return 0;
}

static bool same_name(const struct kernel_module *a, const struct kernel_module *b)
{
	return a->length == b->length && !memcmp(a->name, b->name, a->length);
}

/* Sizes may have been clipped at different neighbours: compare addresses only. */
static bool has(const struct list *l, const struct kernel_module *m)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (same_name(&l->item[i], m) && l->item[i].start == m->start &&
		    (m->start || l->item[i].size == m->size) &&
		    (!l->item[i].mark || !m->mark || l->item[i].mark == m->mark))
			return true;
	return false;
}

static bool all_in(const struct list *a, const struct list *b)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		if (!has(b, &a->item[i]))
			return false;
	return true;
}

bool kernel_modules_same(const char *a, const char *b)
{
	struct list x, y;
	bool same;

	if (!a || !b)
		return a == b;
	if (read_list(&x, a))
		return false;
	if (read_list(&y, b)) {
		free(x.item);
		return false;
	}
	same = all_in(&x, &y) && all_in(&y, &x);
	free(x.item);
	free(y.item);
	return same;
}

static void find_doubts(struct list *unloaded, struct list *loaded)
{
	size_t i, k;

	for (i = 0; i < unloaded->n; i++) {
		struct kernel_module *a = &unloaded->item[i];

		for (k = 0; k < loaded->n; k++) {
			struct kernel_module *b = &loaded->item[k];

			if (same_name(a, b) ||
			    (a->start - b->start < b->size || b->start - a->start < a->size))
				a->doubtful = b->doubtful = true;
		}
	}
}

static int write_module(struct pifile_writer *w, const struct kernel_module *m, uint32_t minor,
			uint64_t stamp)
{
	struct {
		struct pitrace_rec rec;
		struct pitrace_mte_map map;
		char name[NAME_MAX_BYTES];
	} r = {
		.map = {
			.flags = PITRACE_MAP_KERNEL | PITRACE_MAP_READ | PITRACE_MAP_EXEC,
			.start = m->start, .length = minor == PITRACE_MTE_MODULE ? m->size : 0,
			.path_len = (uint32_t)m->length,
		},
	};
	size_t size = (sizeof(r.rec) + sizeof(r.map) + m->length + 1 + 3) & ~3ul;

	r.rec = (struct pitrace_rec){
		(uint32_t)size | PITRACE_TYPE_STRUCT,
		PITRACE_MTE,
		minor,
		(uint32_t)stamp,
	};
	memcpy(r.name, m->name, m->length);
	return pifile_write_snapshot(w, &r, size, stamp);
}

/* Keeps the modules of one list that are not in the other. */
static void remove_common(struct list *l, const struct list *other)
{
	size_t i, n = 0;

	for (i = 0; i < l->n; i++)
		if (l->item[i].start && !has(other, &l->item[i]))
			l->item[n++] = l->item[i];
	l->n = n;
}

static int write_list(struct pifile_writer *w, const struct list *l, bool doubtful, uint32_t minor,
		      uint64_t stamp)
{
	int err = 0;
	size_t i;

	for (i = 0; i < l->n && !err; i++)
		if (l->item[i].doubtful == doubtful)
			err = write_module(w, &l->item[i], minor, stamp);
	return err;
}

int kernel_modules_write(struct pifile_writer *w, const char *before, const char *after,
			 uint64_t then, uint64_t now)
{
	struct list unloaded, loaded, there;
	int err = read_list(&unloaded, before);

	if (err)
		return err;
	err = read_list(&loaded, after);
	if (err) {
		free(unloaded.item);
		return err;
	}
	err = read_list(&there, after);
	if (!err) {
		remove_common(&loaded, &unloaded);
		remove_common(&unloaded, &there);
		find_doubts(&unloaded, &loaded);
		err = write_list(w, &unloaded, true, PITRACE_MTE_UNLOAD, then);
		if (!err)
			err = write_list(w, &loaded, false, PITRACE_MTE_MODULE, then);
		if (!err)
			err = write_list(w, &unloaded, false, PITRACE_MTE_UNLOAD, now);
		if (!err)
			err = write_list(w, &loaded, true, PITRACE_MTE_MODULE, now);
		free(there.item);
	}
	free(unloaded.item);
	free(loaded.item);
	return err;
}

bool kernel_modules_loaded(const void *segment, size_t size)
{
	struct pitrace_mte_map m;
	struct pitrace_segment s;
	struct record_walk w;
	struct record r;

	if (record_walk_begin(&w, segment, size, &s) || s.ring != PITRACE_RING_MTE)
		return false;
	while (record_next(&w, &r) == 1) {
		if (r.major != PITRACE_MTE || r.minor != PITRACE_MTE_MODULE || r.size < sizeof(m))
			continue;
		memcpy(&m, r.data, sizeof(m));
		if (m.flags & PITRACE_MAP_KERNEL && !(m.flags & PITRACE_MAP_WALK))
			return true;
	}
	return false;
}

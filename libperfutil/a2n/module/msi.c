/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Saved symbols stay text until their module is looked up; the index of the modules is sorted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/module/msi.h"
#include "base/search.h"
#include "base/text.h"

#define MAX_SEGMENTS 64

struct msi_module {
	size_t path, length, lines; /* in the text */
};

struct msi_file {
	struct msi_file *next;
	size_t size;
	char *text;
	struct msi_module *module; /* by path, then in the order of the text */
	uint32_t n_modules, room;
	uint32_t machine;
};

static bool begins(const char *line, size_t length, const char *word, struct bytes *rest)
{
	size_t n = strlen(word);

	if (length < n || memcmp(line, word, n))
		return false;
	*rest = bytes_of(line + n, length - n);
	return true;
}

static int compare_paths(const char *text, const struct msi_module *m, const char *path,
			 size_t length)
{
	int c = memcmp(text + m->path, path, m->length < length ? m->length : length);

	return c ? c : m->length < length ? -1 : m->length > length;
}

static int by_path(const void *a, const void *b, void *text)
{
	const struct msi_module *x = a, *y = b;
	int c = compare_paths(text, x, (char *)text + y->path, y->length);

	return c ? c : x->path < y->path ? -1 : x->path > y->path;
}

static int find_modules(struct msi_file *f)
{
	struct bytes b = bytes_of(f->text, f->size), rest;
	const char *line;
	size_t length;

	while (bytes_line(&b, &line, &length)) {
		if (!begins(line, length, "MODULE ", &rest))
			continue;
		if (array_next(f->module, f->n_modules, f->room))
			return -ENOMEM;
		f->module[f->n_modules++] = (struct msi_module){
			(size_t)((const char *)rest.base - f->text),
			rest.size,
			b.at,
		};
	}
	if (f->n_modules)
		qsort_r(f->module, f->n_modules, sizeof(*f->module), by_path, f->text);
	return 0;
}

int msi_load(struct modules *ms, char *text, size_t size)
{
	const size_t first = sizeof(MSI_FIRST) - 1;
	struct msi_file *f = calloc(1, sizeof(*f));
	bool ours = size >= first && !memcmp(text, MSI_FIRST, first);

	if (!f || !ours) {
		free(f);
		free(text);
		return ours ? -ENOMEM : -EBADMSG;
	}
	*f = (struct msi_file){
		.next = ms->msi,
		.size = size,
		.text = text,
		.machine = ms->machine,
	};
	ms->msi = f;
	return find_modules(f);
}

void msi_free(struct modules *ms)
{
	while (ms->msi) {
		struct msi_file *f = ms->msi;

		ms->msi = f->next;
		free(f->module);
		free(f->text);
		free(f);
	}
}

static bool hex(struct bytes *b, uint64_t *value)
{
	text_skip_blanks(b);
	return text_number(b, 16, value);
}

static bool same_id(struct bytes digits, const struct build_id *build_id)
{
	size_t i;

	text_skip_blanks(&digits);
	for (i = 0; i < build_id->size && bytes_left(&digits) >= 2; i++) {
		struct bytes two = bytes_of(bytes_take(&digits, 2), 2);
		uint64_t value;

		if (!text_number(&two, 16, &value) || bytes_left(&two) || value != build_id->id[i])
			return false;
	}
	return i == build_id->size && !bytes_left(&digits);
}

static void drop_segments(struct module *m)
{
	free(m->segments);
	m->segments = NULL;
	m->n_segments = 0;
}

static void add_segment(struct module *m, struct bytes b)
{
	uint32_t room = m->n_segments;
	uint64_t offset, address, size;

	if (m->n_segments >= MAX_SEGMENTS || !hex(&b, &offset) || !hex(&b, &address) ||
	    !hex(&b, &size))
		return;
	if (array_next(m->segments, m->n_segments, room))
		return;
	m->segments[m->n_segments++] = (struct elf_segment){
		.offset = offset,
		.address = address,
		.size = size,
	};
}

static uint32_t add_symbol(struct module *m, struct bytes b)
{
	uint64_t value, end, rank, sized;
	const char *name;

	if (!hex(&b, &value) || !hex(&b, &end) || !hex(&b, &rank) || !hex(&b, &sized) ||
	    end <= value || rank > RANK(RANK_GLOBAL, 1) || !text_char(&b, ' ') || !bytes_left(&b))
		return 0;
	name = (const char *)b.base + b.at;
	if (memchr(name, 0, bytes_left(&b)))
		return 0; /* no text */
	symtab_add(&m->tab, value, sized ? end - value : 0, end, (uint8_t)rank, name,
		   bytes_left(&b));
	return 1;
}

static uint32_t read_module(const struct msi_file *f, const struct msi_module *at, struct module *m,
			    const struct build_id *build_id)
{
	struct bytes b = bytes_of(f->text + at->lines, f->size - at->lines), rest;
	const char *line;
	size_t length;
	uint32_t n = 0;

	drop_segments(m);
	while (bytes_line(&b, &line, &length) && !begins(line, length, "MODULE ", &rest)) {
		if (begins(line, length, "BUILDID ", &rest)) {
			if (build_id && !same_id(rest, build_id))
				break;
		} else if (begins(line, length, "SEGMENT ", &rest)) {
			add_segment(m, rest);
		} else if (begins(line, length, "SYMBOL ", &rest)) {
			n += add_symbol(m, rest);
		}
	}
	/* Useless without symbols: the module's own file may have others. */
	if (!n)
		drop_segments(m);
	return n;
}

static uint32_t symbols_in(const struct msi_file *f, struct module *m,
			   const struct build_id *build_id)
{
	size_t length = strlen(m->path);
	uint32_t low, n = 0;

	low = search_sorted(i, 0, f->n_modules,
			    compare_paths(f->text, &f->module[i], m->path, length) < 0);
	for (; !n && low < f->n_modules; low++) {
		if (compare_paths(f->text, &f->module[low], m->path, length))
			break;
		n = read_module(f, &f->module[low], m, build_id);
	}
	return n;
}

bool msi_of(const struct modules *ms, uint32_t machine)
{
	const struct msi_file *f;

	for (f = ms->msi; f && f->machine != machine; f = f->next)
		;
	return f;
}

uint32_t msi_symbols(const struct modules *ms, struct module *m, const struct build_id *build_id)
{
	const struct msi_file *f;
	uint32_t n = 0;

	for (f = ms->msi; f && !n; f = f->next)
		n = f->machine == m->key.machine ? symbols_in(f, m, build_id) : 0;
	return n;
}

void msi_write(FILE *f, const struct module *m, const struct build_id *id)
{
	uint32_t i;
	size_t k;

	/* A path or name with a newline cannot be written. */
	if (!m->tab.n || strchr(m->path, '\n'))
		return;
	fprintf(f, "MODULE %s\n", m->path);
	if (id && id->size) {
		fputs("BUILDID ", f);
		for (k = 0; k < id->size; k++)
			fprintf(f, "%02x", id->id[k]);
		putc('\n', f);
	}
	for (i = 0; i < m->n_segments; i++)
		fprintf(f, "SEGMENT %llx %llx %llx\n", (unsigned long long)m->segments[i].offset,
			(unsigned long long)m->segments[i].address,
			(unsigned long long)m->segments[i].size);
	for (i = 0; i < m->tab.n; i++) {
		const struct symtab_symbol *s = &m->tab.symbols[i];

		if (!strchr(symtab_name(&m->tab, i), '\n'))
			fprintf(f, "SYMBOL %llx %llx %x %d %s\n", (unsigned long long)s->value,
				(unsigned long long)s->end, s->rank, s->sized,
				symtab_name(&m->tab, i));
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/jprof/jprof_methods.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memstream.h"
#include "java_name.h"

/* Replaces bytes that no name contains by '?': a line of saved symbols ends at a newline. */
static void copy_name(char *to, const char *from, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = !from[i] || from[i] == '\n' ? '?' : from[i];
	to[length] = '\0';
}

/* Converts to the language's form, "package.Class.method(int, java.lang.String[])", if possible. */
static int spell(struct jprof_methods *m, const char *name, size_t length, size_t *shown)
{
	/* The VM's name, the parts passed to java_name(), and its result: the longest word for a
	 * letter, with its separator, has nine bytes. */
	size_t need = 2 * (length + 4) + 9 * length + 1;
	char *whole, *open, *dot, *class;

	if (array_room(m->shown, m->shown_room, need))
		return -ENOMEM;
	whole = m->shown + 9 * length + 1;
	class = whole + length + 4;
	copy_name(whole, name, length);
	open = m->descriptors ? NULL : strrchr(whole, '(');
	dot = open ? memrchr(whole, '.', (size_t)(open - whole)) : NULL;
	if (!dot || dot == whole || dot + 1 == open) {
		memcpy(m->shown, whole, length + 1);
		*shown = length;
		return 0;
	}
	/* java_name() expects the method's name to be NUL-terminated, where its signature
	 * begins. */
	class[0] = 'L';
	memcpy(class + 1, whole, (size_t)(dot - whole));
	memcpy(class + 1 + (dot - whole), ";", 2);
	memmove(whole, dot + 1, (size_t)(open - dot - 1));
	whole[open - dot - 1] = '\0';
	java_name(m->shown, 9 * length + 1, class, whole, open);
	*shown = strlen(m->shown);
	return 0;
}

static uint64_t hash_name(const char *name, size_t length)
{
	uint64_t h = 0xcbf29ce484222325ull;

	while (length--)
		h = (h ^ (unsigned char)*name++) * 0x100000001b3ull;
	return hash_mix(h, 0);
}

uint32_t jprof_method(struct jprof_methods *m, const char *name, size_t length)
{
	size_t shown = 0;
	uint64_t hash;
	uint32_t i;

	if (spell(m, name, length, &shown))
		return NO_KEY;
	hash = hash_name(m->shown, shown);
	i = keys_find(&m->by_name, hash, m->text, e,
		      e->length == shown && !memcmp(m->pool + e->at, m->shown, shown));
	if (i != NO_KEY)
		return i;
	if (m->count == JPROF_METHODS || array_room(m->pool, m->pool_room, m->used + shown) ||
	    keys_next(&m->by_name, hash, m->text, m->count, m->room))
		return NO_KEY;
	if (shown)
		memcpy(m->pool + m->used, m->shown, shown);
	m->text[m->count] = (struct jprof_text){ .at = m->used, .length = shown };
	m->used += shown;
	return m->count++;
}

int jprof_method_note(struct jprof_methods *m, uint32_t method, const char *note, size_t length)
{
	if (array_room(m->pool, m->pool_room, m->used + length + 1))
		return -ENOMEM;
	copy_name(m->pool + m->used, note, length);
	m->text[method].note = m->used;
	m->text[method].note_length = length;
	m->used += length + 1;
	return 0;
}

const char *jprof_module(unsigned int module)
{
	static const char *const names[JPROF_MODULES] = { "java", "compiled" };

	return names[module];
}

static void print_symbols(const struct jprof_methods *m, unsigned int module, FILE *out)
{
	fprintf(out, "MODULE %s\nSEGMENT 0 0 %" PRIx64 "\n", jprof_module(module), jprof_size(m));
	for (uint32_t i = 0; i < m->count; i++) {
		const struct jprof_text *t = &m->text[i];

		if (t->compiled == module)
			fprintf(out, "SYMBOL %x %x 0 1 %.*s%.*s\n", JPROF_STEP * i,
				JPROF_STEP * (i + 1), t->length ? (int)t->length : 1,
				t->length ? m->pool + t->at : "?", (int)t->note_length,
				t->note_length ? m->pool + t->note : "");
	}
}

int jprof_symbols(const struct jprof_methods *m, struct blob *symbols)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	fprintf(out, "pitrace-msi 1\n");
	for (unsigned int module = 0; module < JPROF_MODULES; module++)
		print_symbols(m, module, out);
	if (memstream_close(out, &text))
		return -ENOMEM;
	*symbols = blob_of(text, size);
	return 0;
}

void jprof_methods_free(struct jprof_methods *m)
{
	free(m->text);
	free(m->pool);
	free(m->shown);
	keys_free(&m->by_name);
	*m = (struct jprof_methods){ .descriptors = m->descriptors };
}

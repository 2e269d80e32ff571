/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes and strings by their ids. */
#include "classes.h"
#include "java_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MOST (1u << 20) /* of an instance; the VMs' limit is lower */

static uint64_t hash_of(uint64_t id)
{
	return hash_mix(id, 1);
}

int classes_add_string(struct classes *c, uint64_t id, const uint8_t *text, size_t n)
{
	if (n > UINT32_MAX - c->text_size ||
	    array_room(c->texts, c->text_room, (uint64_t)c->text_size + n) ||
	    array_next(c->strings, c->string_count, c->string_room) ||
	    keys_add(&c->by_string, hash_of(id), c->string_count))
		return -ENOMEM;
	if (n)
		memcpy(c->texts + c->text_size, text, n);
	n = java_text_bytes(c->texts + c->text_size, n);
	c->strings[c->string_count++] =
		(struct string_at){ .id = id, .at = c->text_size, .n = (uint32_t)n };
	c->text_size += (uint32_t)n;
	return 0;
}

const char *classes_text(const struct classes *c, uint64_t id, uint32_t *n)
{
	uint32_t i = keys_find(&c->by_string, hash_of(id), c->strings, s, s->id == id);

	*n = i == NO_KEY ? 0 : c->strings[i].n;
	return *n ? c->texts + c->strings[i].at : "";
}

uint32_t classes_find(const struct classes *c, uint64_t id)
{
	return keys_find(&c->by_id, hash_of(id), c->list, k, k->id == id);
}

int classes_add(struct classes *c, uint64_t id, uint32_t *index)
{
	*index = classes_find(c, id);
	if (*index != NO_KEY)
		return 0;
	if (array_next(c->list, c->count, c->room) || keys_add(&c->by_id, hash_of(id), c->count))
		return -ENOMEM;
	*index = c->count++;
	c->list[*index] = (struct heap_class){ .id = id, .super = NO_CLASS };
	return 0;
}

/* HotSpot lists other references of a class after its statics: they are not in its class object. */
static bool is_own_static(const struct classes *c, uint64_t name)
{
	static const char *const others[] = { "<resolved_references>", "<init_lock>" };
	uint32_t length;
	const char *text = classes_text(c, name, &length);

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (length == strlen(others[i]) && !memcmp(text, others[i], length))
			return false;
	return true;
}

int classes_define(struct classes *c, const struct hprof *h, const struct hprof_class *d)
{
	const struct hprof_field *f = d->list + d->constants;
	struct heap_class *k;
	uint32_t index;

	if (classes_add(c, d->id, &index))
		return -ENOMEM;
	k = &c->list[index];
	if (k->dumped)
		return 0;
	k->super_id = d->super;
	k->loader = d->loader;
	for (uint32_t i = 0; i < d->statics; i++) {
		uint32_t size = hprof_size(h, f[i].type);

		if (f[i].type == HPROF_REF) {
			k->static_refs += is_own_static(c, f[i].name);
			continue;
		}
		k->statics += size;
		k->static_longs |= size == 8;
	}
	f += d->statics;
	k->fields = calloc(d->fields ? d->fields : 1, sizeof(*k->fields));
	if (!k->fields)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->fields; i++)
		k->fields[i] = (struct class_field){ f[i].name, f[i].type };
	k->field_count = d->fields;
	k->dumped = true;
	return 0;
}

static unsigned int size_of(const struct classes *c, uint8_t type)
{
	const struct hprof h = { .id_size = c->id_size };

	return hprof_size(&h, type);
}

static bool put_refs(struct classes *c, struct heap_class *k, const struct heap_class *super)
{
	uint32_t n = super ? super->ref_count : 0, at = 0;

	for (uint32_t i = 0; i < k->field_count; i++)
		n += k->fields[i].type == HPROF_REF;
	k->refs = malloc((n ? n : 1) * sizeof(*k->refs));
	if (!k->refs)
		return false;
	n = 0;
	for (uint32_t i = 0; i < k->field_count; i++) {
		if (k->fields[i].type == HPROF_REF)
			k->refs[n++] = at;
		at += size_of(c, k->fields[i].type);
	}
	for (uint32_t i = 0; super && i < super->ref_count; i++)
		k->refs[n++] = at + super->refs[i];
	k->ref_count = n;
	k->bytes = at + (super ? super->bytes : 0);
	return true;
}

/* Resolves superclasses first. A cyclic chain is never resolved. */
bool classes_resolve(struct classes *c, uint32_t index)
{
	struct heap_class *k = &c->list[index], *super = NULL;

	if (k->resolved || !k->dumped || k->resolving)
		return k->resolved;
	if (k->super_id) {
		uint32_t s = index, depth = 0;

		/* Limits the depth of the recursion, because the file determines it. */
		while (!c->list[s].resolved && c->list[s].super_id) {
			s = classes_find(c, c->list[s].super_id);
			if (s == NO_KEY || !c->list[s].dumped || ++depth > 1000)
				return false;
		}
		k->resolving = true;
		k->super = classes_find(c, k->super_id);
		super = classes_resolve(c, k->super) ? &c->list[k->super] : NULL;
		k->resolving = false;
		if (!super || super->bytes > BYTES_MOST)
			return false;
	}
	k->resolved = put_refs(c, k, super);
	return k->resolved;
}

/* Converts "[[Ljava/lang/String;" to java.lang.String[][], "[B" to byte[]. */
static char *java_of(const char *text, uint32_t n)
{
	static const char letters[] = "BCDFIJSZ";
	static const char *const words[] = { "byte", "char", "double", "float",
					     "int",  "long", "short",  "boolean" };
	uint32_t depth = 0, at;
	const char *letter;
	char *name = malloc((size_t)n * 2 + 16);

	if (!name)
		return NULL;
	while (depth < n && text[depth] == '[')
		depth++;
	text += depth;
	n -= depth;
	letter = depth && n == 1 && *text ? strchr(letters, *text) : NULL;
	if (depth && n > 1 && *text == 'L' && text[n - 1] == ';') {
		text++;
		n -= 2;
	}
	if (letter) {
		at = (uint32_t)sprintf(name, "%s", words[letter - letters]);
	} else {
		for (at = 0; at < n; at++)
			name[at] = text[at] == '/' ? '.' : text[at] ? text[at] : '?';
	}
	for (; depth; depth--, at += 2)
		memcpy(name + at, "[]", 2);
	name[at] = 0;
	return name;
}

int classes_finish(struct classes *c)
{
	static const struct {
		uint8_t type;
		const char *name;
	} types[] = { { HPROF_BOOLEAN, "boolean[]" }, { HPROF_CHAR, "char[]" },
		      { HPROF_FLOAT, "float[]" },     { HPROF_DOUBLE, "double[]" },
		      { HPROF_BYTE, "byte[]" },       { HPROF_SHORT, "short[]" },
		      { HPROF_INT, "int[]" },         { HPROF_LONG, "long[]" } };
	const size_t n = sizeof(types) / sizeof(*types);
	struct heap_class *k;
	uint32_t length;
	const char *text;

	c->of_class = c->of_string = NO_CLASS;
	memset(c->of_type, 0xff, sizeof(c->of_type));
	for (uint32_t i = 0; i < c->count; i++) {
		k = &c->list[i];
		text = classes_text(c, k->name_id, &length);
		if (k->name_id && length)
			k->name = java_of(text, length);
		else if (asprintf(&k->name, "class 0x%llx", (unsigned long long)k->id) < 0)
			k->name = NULL;
		if (!k->name)
			return -ENOMEM;
		classes_resolve(c, i);
		if (k->loader)
			continue;
		if (c->of_class == NO_CLASS && !strcmp(k->name, "java.lang.Class"))
			c->of_class = i;
		if (c->of_string == NO_CLASS && !strcmp(k->name, "java.lang.String"))
			c->of_string = i;
		for (size_t t = 0; t < n; t++)
			if (c->of_type[types[t].type] == NO_CLASS &&
			    !strcmp(k->name, types[t].name)) {
				c->of_type[types[t].type] = i;
				k->element = types[t].type;
			}
	}
	/* Adds classes that the dump does not name, without an id. */
	for (size_t t = 0; t <= n; t++) {
		uint32_t *of = t < n ? &c->of_type[types[t].type] : &c->of_class;

		if (*of != NO_CLASS)
			continue;
		if (array_next(c->list, c->count, c->room))
			return -ENOMEM;
		k = &c->list[c->count];
		*k = (struct heap_class){ .super = NO_CLASS,
					  .element = t < n ? types[t].type : 0,
					  .name = strdup(t < n ? types[t].name :
								 "java.lang.Class") };
		if (!k->name)
			return -ENOMEM;
		*of = c->count++;
	}
	return 0;
}

void classes_forget_texts(struct classes *c)
{
	free(c->strings);
	free(c->texts);
	keys_free(&c->by_string);
	c->strings = NULL;
	c->texts = NULL;
	c->string_count = c->string_room = c->text_size = c->text_room = 0;
}

void classes_free(struct classes *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		free(c->list[i].name);
		free(c->list[i].fields);
		free(c->list[i].refs);
	}
	classes_forget_texts(c);
	free(c->list);
	keys_free(&c->by_id);
	*c = (struct classes){ 0 };
}

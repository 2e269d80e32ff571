/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the tree of classes as a pprof profile, for go tool pprof, `post -html` and arcf. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "class_tree.h"
#include "complain.h"
#include "escape.h"
#include "export/gzip.h"
#include "export/protobuf.h"
#include "export/texts.h"
#include "format/pprof_fields.h"
#include "hdump.h"

#define FIRST_ADDRESS 0x1000ull /* of classes, in a mapping of the writer's own */

struct pprof_file {
	const struct heap *heap;
	const struct class_tree *tree;
	struct gzip gzip;
	struct protobuf p;
	struct texts texts;
	uint32_t *function; /* keys that have a place, in the order of their ids */
	uint32_t functions, function_room;
	struct keys by_key;
	bool no_memory;
};

static void flush(struct pprof_file *w)
{
	gzip_write(&w->gzip, w->p.data, w->p.used);
	w->p.used = 0;
}

static uint64_t text(struct pprof_file *w, const char *words)
{
	const uint32_t i = texts_add(&w->texts, words);

	w->no_memory |= i == NO_KEY;
	return i;
}

/* A name from the dump. */
static uint64_t name_text(struct pprof_file *w, const char *name)
{
	char *escaped = escape_text(name);
	const uint64_t i = escaped ? text(w, escaped) : 0;

	w->no_memory |= !escaped;
	free(escaped);
	return i;
}

static void value_type(struct pprof_file *w, const char *type, const char *unit)
{
	const size_t at = protobuf_begin(&w->p, PROFILE_SAMPLE_TYPE);

	protobuf_uint(&w->p, VALUE_TYPE, text(w, type));
	protobuf_uint(&w->p, VALUE_UNIT, text(w, unit));
	protobuf_end(&w->p, at);
}

/* Returns the id of a key's function and location. */
static uint64_t function(struct pprof_file *w, uint32_t key)
{
	uint32_t i = keys_find(&w->by_key, hash_mix(key, 1), w->function, e, *e == key);

	if (i == NO_KEY) {
		if (keys_next(&w->by_key, hash_mix(key, 1), w->function, w->functions,
			      w->function_room)) {
			w->no_memory = true;
			return 0;
		}
		i = w->functions++;
		w->function[i] = key;
	}
	return i + 1ull;
}

static void write_sample(struct pprof_file *w, const struct class_place *place)
{
	const size_t at = protobuf_begin(&w->p, PROFILE_SAMPLE);
	const struct class_place *up = place;
	size_t list = protobuf_begin(&w->p, SAMPLE_LOCATION);

	for (;; up = &w->tree->place[up->parent]) {
		protobuf_varint(&w->p, function(w, up->key));
		if (up->parent == NO_KEY)
			break;
	}
	protobuf_end(&w->p, list);
	list = protobuf_begin(&w->p, SAMPLE_VALUE);
	protobuf_varint(&w->p, place->objects);
	protobuf_varint(&w->p, place->bytes);
	protobuf_end(&w->p, list);
	protobuf_end(&w->p, at);
	flush(w);
}

static void write_function(struct pprof_file *w, uint32_t index)
{
	const uint32_t key = w->function[index], class = key & ~CLASS_TREE_SELF;
	const char *name = class == CLASS_TREE_UNKNOWN ? "(unknown class)" :
							 w->heap->classes.list[class].name;
	char *of_class = NULL;
	size_t at, line;

	if (key & CLASS_TREE_SELF && asprintf(&of_class, "class %s", name) < 0) {
		w->no_memory = true;
		return;
	}
	at = protobuf_begin(&w->p, PROFILE_FUNCTION);
	protobuf_uint(&w->p, FUNCTION_ID, index + 1ull);
	protobuf_uint(&w->p, FUNCTION_NAME, name_text(w, of_class ? of_class : name));
	free(of_class);
	protobuf_end(&w->p, at);
	at = protobuf_begin(&w->p, PROFILE_LOCATION);
	protobuf_uint(&w->p, LOCATION_ID, index + 1ull);
	protobuf_uint(&w->p, LOCATION_MAPPING, 1);
	protobuf_uint(&w->p, LOCATION_ADDRESS, FIRST_ADDRESS + index);
	line = protobuf_begin(&w->p, LOCATION_LINE);
	protobuf_uint(&w->p, LINE_FUNCTION, index + 1ull);
	protobuf_end(&w->p, line);
	protobuf_end(&w->p, at);
	flush(w);
}

/* The dump is the module and the process that all classes are of. */
static void write_mapping(struct pprof_file *w, const char *path)
{
	const char *slash = strrchr(path, '/');
	const uint64_t file = name_text(w, slash ? slash + 1 : path);
	const size_t at = protobuf_begin(&w->p, PROFILE_MAPPING);

	protobuf_uint(&w->p, MAPPING_ID, 1);
	protobuf_uint(&w->p, MAPPING_START, FIRST_ADDRESS);
	protobuf_uint(&w->p, MAPPING_LIMIT, FIRST_ADDRESS + w->functions);
	protobuf_uint(&w->p, MAPPING_FILE, file);
	protobuf_uint(&w->p, MAPPING_HAS_FUNCTIONS, 1);
	protobuf_end(&w->p, at);
}

static void write_profile(struct pprof_file *w, const char *path)
{
	/* The names that Go's heap profiles have: tools know them. */
	value_type(w, "inuse_objects", "count");
	value_type(w, "inuse_space", "bytes");
	protobuf_uint(&w->p, PROFILE_TIME, w->heap->h.time * 1000000);
	protobuf_uint(&w->p, PROFILE_DEFAULT_TYPE, text(w, "inuse_space"));
	for (uint32_t i = 0; i < w->tree->count; i++)
		if (w->tree->place[i].objects)
			write_sample(w, &w->tree->place[i]);
	write_mapping(w, path);
	for (uint32_t i = 0; i < w->functions && !w->no_memory; i++)
		write_function(w, i);
	for (uint32_t i = 0; i < w->texts.count; i++)
		protobuf_string(&w->p, PROFILE_STRING, w->texts.string[i]);
	flush(w);
}

static int write_dump(struct hdump *o, const struct heap *h, struct class_tree *t)
{
	static struct pprof_file w;
	int rc = class_tree_make(t, h);

	w = (struct pprof_file){ .heap = h, .tree = t };
	if (!rc)
		rc = texts_open(&w.texts);
	if (!rc)
		rc = gzip_open(&w.gzip, o->out);
	if (!rc) {
		write_profile(&w, o->paths[0]);
		gzip_close(&w.gzip);
		rc = w.no_memory || w.p.no_memory ? -ENOMEM : 0;
	}
	protobuf_free(&w.p);
	texts_free(&w.texts);
	keys_free(&w.by_key);
	free(w.function);
	return rc ? hdump_failed(h, o->paths[0], rc) : 0;
}

static int refuse_terminal(void)
{
	complain("a profile is not text: use -o FILE");
	return EXIT_HDUMP;
}

int show_pprof(struct hdump *o)
{
	struct class_tree tree = { 0 };
	struct heap h;
	int code;

	if (!o->file && isatty(STDOUT_FILENO))
		return refuse_terminal();
	code = hdump_read(o, &h, o->paths[0], READ_DOMINATORS, 0);
	if (!code)
		code = hdump_begin(o);
	if (!code && isatty(fileno(o->out)))
		code = refuse_terminal();
	if (!code)
		code = write_dump(o, &h, &tree);
	if (!code && tree.unreachable && !o->quiet)
		complain("%s: left out: %" PRIu64 " unreachable objects of %" PRIu64 " bytes",
			 o->paths[0], tree.unreachable, tree.unreachable_bytes);
	class_tree_free(&tree);
	heap_close(&h);
	return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a line table from the VM's tables: address to bytecode, bytecode to line, file of a class.
 * With inlining an address has a stack of methods; a line table holds only the innermost.
 */
#include <stdlib.h>
#include <string.h>

#include <jvmti.h>
#include <jvmticmlr.h>

#include "java_text.h"
#include "pijit.h"

#define MAX_LINES 65536
#define KEPT      16 /* methods of one compilation whose tables are cached */

struct java_method {
	jmethodID id;
	jint n;
	jvmtiLineNumberEntry *table; /* in the VM's order; the VM's memory */
	char *file;                  /* "" if the VM has none; allocated */
};

struct maker {
	jvmtiEnv *vm;
	struct java_method kept[KEPT];
	unsigned int next;
	struct jitdump_line *lines;
	uint32_t n, room;
};

/* Returns com/example/File.java: the VM's file name lacks the package, which the class has. */
static char *file_of(jvmtiEnv *vm, jmethodID id)
{
	char *signature = NULL, *name = NULL, *file = NULL;
	const char *slash;
	jclass class;

	if ((*vm)->GetMethodDeclaringClass(vm, id, &class) ||
	    (*vm)->GetSourceFileName(vm, class, &name))
		return strdup("");
	if (!(*vm)->GetClassSignature(vm, class, &signature, NULL) && signature[0] == 'L') {
		size_t package, length = strlen(name) + 1;

		slash = strrchr(signature, '/');
		package = slash ? (size_t)(slash - signature) : 0;
		file = malloc(package + length);
		if (file) {
			memcpy(file, signature + 1, package);
			memcpy(file + package, name, length);
			java_text(file);
		}
	}
	(*vm)->Deallocate(vm, (unsigned char *)signature);
	(*vm)->Deallocate(vm, (unsigned char *)name);
	return file ? file : strdup("");
}

static void forget(struct maker *m, struct java_method *of)
{
	(*m->vm)->Deallocate(m->vm, (unsigned char *)of->table);
	free(of->file);
	*of = (struct java_method){ 0 };
}

static const struct java_method *look_up(struct maker *m, jmethodID id)
{
	struct java_method *of;

	for (unsigned int i = 0; i < KEPT; i++)
		if (m->kept[i].id == id)
			return &m->kept[i];
	of = &m->kept[m->next++ % KEPT];
	forget(m, of);
	of->id = id;
	if ((*m->vm)->GetLineNumberTable(m->vm, id, &of->n, &of->table)) {
		of->n = 0; /* native, or compiled without line numbers */
		of->table = NULL;
	}
	of->file = of->n ? file_of(m->vm, id) : NULL;
	return of;
}

/* Returns the line of a bytecode: that of the last entry that starts at or before it. */
static jint line_of(const struct java_method *of, jlocation bytecode)
{
	jlocation best = -1;
	jint line = 0;

	for (jint i = 0; i < of->n; i++) {
		jlocation start = of->table[i].start_location;

		if (start <= bytecode && start > best) {
			best = start;
			line = of->table[i].line_number;
		}
	}
	return line;
}

static void add(struct maker *m, const void *pc, jmethodID id, jlocation bytecode)
{
	const struct java_method *of = look_up(m, id);
	jint line = of->file ? line_of(of, bytecode) : 0;
	struct jitdump_line *last = m->n ? &m->lines[m->n - 1] : NULL;

	if (line <= 0 || m->n == MAX_LINES ||
	    (last && last->line == (uint32_t)line && !strcmp(last->file, of->file)))
		return;
	if (m->n == m->room) {
		uint32_t room = m->room ? 2 * m->room : 64;
		struct jitdump_line *more = realloc(m->lines, room * sizeof(*more));

		if (!more)
			return;
		m->lines = more;
		m->room = room;
	}
	m->lines[m->n] = (struct jitdump_line){
		.address = (uintptr_t)pc,
		.line = (uint32_t)line,
		.file = strdup(of->file),
	};
	if (m->lines[m->n].file)
		m->n++;
}

static const jvmtiCompiledMethodLoadInlineRecord *inlined(const void *compile_info)
{
	const jvmtiCompiledMethodLoadRecordHeader *h;

	for (h = compile_info; h; h = h->next)
		if (h->kind == JVMTI_CMLR_INLINE_INFO &&
		    h->majorinfoversion == JVMTI_CMLR_MAJOR_VERSION)
			return (const jvmtiCompiledMethodLoadInlineRecord *)h;
	return NULL;
}

uint32_t lines_make(jvmtiEnv *vm, jmethodID method, jint map_length,
		    const jvmtiAddrLocationMap *map, const void *compile_info,
		    struct jitdump_line **lines)
{
	const jvmtiCompiledMethodLoadInlineRecord *record = inlined(compile_info);
	struct maker m = { .vm = vm };

	if (record && record->numpcs > 0) {
		for (jint i = 0; i < record->numpcs; i++) {
			const PCStackInfo *p = &record->pcinfo[i];

			if (p->numstackframes > 0 && p->bcis[0] >= 0)
				add(&m, p->pc, p->methods[0], p->bcis[0]);
		}
	} else {
		for (jint i = 0; i < map_length; i++)
			add(&m, map[i].start_address, method, map[i].location);
	}
	for (unsigned int i = 0; i < KEPT; i++)
		forget(&m, &m.kept[i]);
	*lines = m.lines;
	return m.n;
}

void lines_free(struct jitdump_line *lines, uint32_t n)
{
	while (n)
		free((char *)lines[--n].file);
	free(lines);
}

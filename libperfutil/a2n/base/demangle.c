/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Demangles C++, Rust and D names by libiberty. Names come from untrusted files: a short one can
 * expand without bounds, so the output is cut off by leaving the demangler from its callback.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "a2n.h"
#include "a2n/base/demangle.h"
#include "base/array.h"

#define MAX_MANGLED  8192
#define MAX_READABLE 65536

struct demangle_out {
	char *text;
	size_t length, room;
	jmp_buf stop;
};

static void take(const char *text, size_t length, void *arg)
{
	struct demangle_out *o = arg;

	if (!length) /* then text may be NULL */
		return;
	if (length >= MAX_READABLE - o->length)
		longjmp(o->stop, 1);
	if (array_room(o->text, o->room, o->length + length + 1))
		longjmp(o->stop, 1);
	memcpy(o->text + o->length, text, length);
	o->length += length;
	o->text[o->length] = 0;
}

typedef int (*demangler)(const char *, int, demangle_callbackref, void *);

static char *demangled(demangler demangle, const char *name)
{
	/* Thread-local: each thread may use an a2n of its own. */
	struct demangle_out *o = calloc(1, sizeof(*o));
	char *text = NULL;

	if (!o)
		return NULL;
	if (!setjmp(o->stop) && demangle(name, DMGL_PARAMS | DMGL_ANSI, take, o) && o->length) {
		text = o->text;
		o->text = NULL;
	}
	free(o->text);
	free(o);
	return text;
}

char *a2n_demangle(const char *name)
{
	size_t length = name ? strnlen(name, MAX_MANGLED) : 0;
	char *text;

	if (length < 3 || length == MAX_MANGLED)
		return NULL;
	/* On some targets C names have an additional underscore: __Z… */
	if (name[0] == '_' && name[1] == '_' && (name[2] == 'Z' || name[2] == 'R'))
		name++;
	if (name[0] != '_')
		return NULL;
	switch (name[1]) {
	case 'R':
		return demangled(rust_demangle_callback, name);
	case 'Z':
		/* Rust's legacy mangling is C++ mangling with a hash at the end. */
		text = demangled(rust_demangle_callback, name);
		return text ? text : demangled(cplus_demangle_v3_callback, name);
	case 'D':
		text = dlang_demangle(name, 0);
		if (text && !strcmp(text, name)) {
			free(text);
			text = NULL;
		}
		return text;
	}
	return NULL;
}

char *demangle_symbol(const char *name)
{
	const char *at = strchr(name, '@');
	char *plain, *text, *whole = NULL;

	if (!at || at == name)
		return a2n_demangle(name);
	plain = strndup(name, (size_t)(at - name));
	text = plain ? a2n_demangle(plain) : NULL;
	if (text) {
		whole = malloc(strlen(text) + strlen(at) + 1);
		if (whole)
			strcat(strcpy(whole, text), at);
	}
	free(text);
	free(plain);
	return whole;
}

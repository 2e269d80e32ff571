/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call_options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "escape.h"
#include "metrics.h"

const char *call_set_nothing(void *o, const char *text, size_t n)
{
	(void)o, (void)text, (void)n;
	return NULL;
}

const char *call_set_tree(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct call_options *)o)->tree = true;
	return NULL;
}

const char *call_set_flow(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct call_options *)o)->tree = false;
	return NULL;
}

const char *call_set_trace(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct call_options *)o)->trace = true;
	return NULL;
}

const char *call_set_types(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct call_options *)o)->types = true;
	return NULL;
}

const char *call_set_metrics(void *o, const char *text, size_t n)
{
	((struct call_options *)o)->metrics = true;
	return metrics_set(text, n);
}

const char *call_set_minima(void *options, const char *text, size_t n)
{
	struct call_options *o = options;

	o->no_minima = n == 4 && !memcmp(text, "none", n);
	return o->no_minima ? NULL : call_take_name(o->minima, sizeof(o->minima), text, n);
}

const char *call_set_path(void *options, const char *text, size_t n)
{
	struct call_options *o = options;

	return call_take_name(o->path, sizeof(o->path), text, n);
}

const char *call_set_prefix(void *options, const char *text, size_t n)
{
	struct call_options *o = options;

	return memchr(text, '/', n) ? "a name cannot contain a slash: LOGPATH= sets the folder" :
				      call_take_name(o->prefix, sizeof(o->prefix), text, n);
}

const char *call_take_filter(struct method_filter *f, const char *text, size_t n)
{
	return filter_set(f, text, n) ? "patterns separated by + are needed" : NULL;
}

const char *call_take_name(char *to, size_t size, const char *text, size_t n)
{
	if (!n || n >= size)
		return n ? "it is too long" : "a name is needed";
	memcpy(to, text, n);
	to[n] = 0;
	return NULL;
}

static void usage(const struct call_option_list *l)
{
	l->usage();
	for (const struct call_option *a = l->rows; a->name; a++)
		printf("  %s%-*s  %s\n", a->name, (int)(24 - strlen(a->name)), a->argument,
		       a->help);
	fflush(stdout);
}

const struct call_option *call_option_find(const struct call_option_list *l, const char *text,
					   size_t n)
{
	for (const struct call_option *a = l->rows; a->name; a++) {
		size_t length = strlen(a->name);

		if (n >= length && !strncmp(text, a->name, length) &&
		    (n == length || a->name[length - 1] == '='))
			return a;
	}
	return NULL;
}

/* Explains why call_option_find() finds nothing: another option may be nearly the same. */
static const char *why_unknown(const struct call_option_list *l, const char *text, size_t n)
{
	const char *equals = memchr(text, '=', n);
	size_t own = equals ? (size_t)(equals - text) : n;

	for (const struct call_option *a = l->rows; a->name; a++) {
		size_t length = strcspn(a->name, "=");

		if (length != own || strncasecmp(text, a->name, own))
			continue;
		if (strncmp(text, a->name, own))
			return "unknown option: upper and lower case differ";
		return equals ? "it takes no value" : "it needs a value";
	}
	return "unknown option";
}

int call_options_wrong(const struct call_option_list *l, const char *from, const char *text,
		       size_t n, const char *why)
{
	escape_printf(stderr, "%s: %s%.*s: %s (HELP lists the options)%s\n", l->program, from,
		      (int)n, text, why, l->after);
	return -1;
}

int call_options_take(const struct call_option_list *l, struct call_options *o, const char *from,
		      const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, ","), length;
		const struct call_option *a = call_option_find(l, text, n);
		const char *why = a ? NULL : why_unknown(l, text, n);

		if (a && !a->set) {
			usage(l);
			return 0;
		}
		length = a ? strlen(a->name) : 0;
		if (a)
			why = a->set(o, text + length, n - length);
		if (n && why)
			return call_options_wrong(l, from, text, n, why);
		if (a)
			o->parts |= a->parts;
		text += n + (text[n] == ',');
	}
	return 1;
}

void call_absolute_path(struct call_options *o)
{
	char path[sizeof(o->path)];
	size_t n;

	if (*o->path == '/' || !getcwd(path, sizeof(path)))
		return;
	n = strlen(path);
	if (snprintf(path + n, sizeof(path) - n, "%s%s", *o->path ? "/" : "", o->path) <
	    (int)(sizeof(path) - n))
		memcpy(o->path, path, sizeof(path));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Switches all sites of an object together, in steps, with all CPUs synchronized after each. */
#include "patch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "area.h"
#include "patch_events.h"
#include "patch_machine.h"
#include "loaded_objects.h"
#include "sites_add.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct objects objects;

/* Prevents fork() while code is half changed: no thread of the child would complete it. */
static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

bool patch_needless(void)
{
	return objects_program_names("__cyg_profile_func_enter") ||
	       objects_program_names("__fentry__");
}

const char *patch_begin(const struct patch_events *events)
{
	static bool begun;
	const char *why = machine_begin();

	if (why)
		return why;
	patch_events = *events;
	if (!begun && pthread_atfork(before_fork, after_fork, after_fork))
		return "no memory";
	begun = true;
	return NULL;
}

static size_t count_sites(bool all)
{
	size_t n = 0;

	for (const struct object *o = objects.first; o; o = o->next)
		for (size_t i = 0; i < o->sites.n && !o->gone && (all || !o->switched); i++)
			n += !o->sites.list[i].own;
	return n;
}

/* Reports the fault of an object that has sites; false: none. */
static bool say_fault(char *why, size_t room)
{
	for (const struct object *o = objects.first; o; o = o->next) {
		const char *path = *o->path ? o->path : "the program";

		if (o->sites.refused[0].n) {
			snprintf(why, room, "%s: at 0x%llx: %s", path,
				 (unsigned long long)o->sites.refused[0].at,
				 o->sites.refused[0].what);
			return true;
		}
		if (o->fault[0] && !*o->path) {
			snprintf(why, room, "%s: %s", path, o->fault);
			return true;
		}
	}
	return false;
}

static void say_nothing(char *why, size_t room)
{
	snprintf(why, room,
		 "no patch sites in %zu objects that are loaded: compile with "
		 "-fpatchable-function-entry=5 (gcc, clang) or -fxray-instrument (clang)",
		 objects.looked_at);
}

static long find(bool all, char *why, size_t room)
{
	long n = -1;

	pthread_mutex_lock(&lock);
	if (objects_look(&objects)) {
		n = (long)count_sites(all);
		if (!n && !say_fault(why, room) && all)
			say_nothing(why, room);
	} else {
		snprintf(why, room, "no memory");
	}
	pthread_mutex_unlock(&lock);
	return n;
}

long patch_find(char *why, size_t room)
{
	return find(true, why, room);
}

long patch_find_new(char *why, size_t room)
{
	return find(false, why, room);
}

struct change {
	bool (*wanted)(void *arg, const char *name, uintptr_t function);
	void *arg;
	char *why;
	size_t room;
	long functions; /* that are on; -1: error */
};

/* All sites of a function get the same answer, found by its entry. */
static void choose(struct object *o, const struct change *c)
{
	uint64_t function = 0;
	bool wanted = false;

	for (size_t i = 0; i < o->sites.n; i++) {
		struct patch_site *s = &o->sites.list[i];
		const struct object_function *f;

		if (!c->wanted) {
			s->wanted = false;
			continue;
		}
		if (!i || s->function != function) {
			function = s->function;
			f = object_file_function(&o->file, function - o->bias);
			wanted = c->wanted(c->arg, f ? f->name : NULL, function);
		}
		s->wanted = wanted;
	}
}

/* Whether the expected bytes are there; otherwise another tool has changed them, and they stay. */
static bool as_expected(const struct patch_site *s)
{
	const struct site_bytes *b = &s->code.switched;

	return !memcmp((const void *)(uintptr_t)(s->at + b->at), s->on ? b->on : b->off, b->n);
}

static void write_bytes(struct patch_text *t, const struct patch_site *s,
			const struct site_bytes *b, bool on)
{
	if (b->n)
		text_write(t, s->at + b->at, on ? b->on : b->off, b->n);
}

/* Switches the sites that are to change, including the bytes that must be written before or can be
 * restored after. */
static void switch_sites(struct object *o, struct patch_text *t)
{
	struct sites *sites = &o->sites;
	bool undo = false;
	size_t i;

	for (i = 0; i < sites->n; i++) {
		if (sites->list[i].wanted && !sites->list[i].on)
			write_bytes(t, &sites->list[i], &sites->list[i].code.before, true);
	}
	if (!text_flush(t))
		return;
	for (i = 0; i < sites->n; i++) {
		struct patch_site *s = &sites->list[i];

		if (s->wanted == s->on)
			continue;
		if (!as_expected(s)) {
			site_refused(sites, s->at, "another tool has changed it since");
			s->wanted = s->on;
			continue;
		}
		undo |= s->on && s->code.before.n && !s->code.keeps;
		write_bytes(t, s, &s->code.switched, s->wanted);
	}
	if (!text_flush(t))
		return;
	for (i = 0; i < sites->n && undo; i++) {
		struct patch_site *s = &sites->list[i];

		if (!s->wanted && s->on && !s->code.keeps)
			write_bytes(t, s, &s->code.before, false);
	}
	if (undo && !text_flush(t))
		return;
	for (i = 0; i < sites->n; i++)
		sites->list[i].on = sites->list[i].wanted;
}

static long count_functions(const struct object *o)
{
	long n = 0;

	for (size_t i = 0; i < o->sites.n; i++) {
		const struct patch_site *s = &o->sites.list[i];

		n += s->on && (s->kind == SITE_ENTRY || s->kind == SITE_BEGIN);
	}
	return n;
}

static void change(struct objects *list, void *arg)
{
	struct change *c = arg;
	struct patch_text t;

	c->functions = 0;
	if (!text_open(&t)) {
		c->functions = -1;
		text_why(&t, c->why, c->room);
		return;
	}
	for (struct object *o = list->first; o && c->functions >= 0; o = o->next) {
		if (o->gone || !o->sites.n)
			continue;
		choose(o, c);
		o->switched = true;
		if (!area_make(o, &t, c->why, c->room)) {
			c->functions = -1;
			break;
		}
		switch_sites(o, &t);
		if (t.error) {
			text_why(&t, c->why, c->room);
			c->functions = -1;
			break;
		}
		c->functions += count_functions(o);
	}
	text_close(&t);
}

long patch_on(bool (*wanted)(void *arg, const char *name, uintptr_t function), void *arg, char *why,
	      size_t room)
{
	struct change c = { wanted, arg, why, room, -1 };

	pthread_mutex_lock(&lock);
	objects_hold(&objects, change, &c);
	pthread_mutex_unlock(&lock);
	return c.functions;
}

int patch_off(char *why, size_t room)
{
	return patch_on(NULL, NULL, why, room) < 0 ? -1 : 0;
}

void patch_report(void (*report)(void *arg, const char *line), void *arg)
{
	char line[512];

	pthread_mutex_lock(&lock);
	for (const struct object *o = objects.first; o; o = o->next) {
		const char *path = *o->path ? o->path : "the program";
		size_t i, most = sizeof(o->sites.refused) / sizeof(o->sites.refused[0]);

		if (o->fault[0]) {
			snprintf(line, sizeof(line), "%s: %s", path, o->fault);
			report(arg, line);
		}
		if (o->sites.entries) {
			snprintf(line, sizeof(line), "%s: %zu entries, %zu sites", path,
				 o->sites.entries, o->sites.n);
			report(arg, line);
		}
		for (i = 0; i < most && o->sites.refused[i].n; i++) {
			snprintf(line, sizeof(line),
				 "%s: %zu sites cannot be patched, first at 0x%llx: %s", path,
				 o->sites.refused[i].n, (unsigned long long)o->sites.refused[i].at,
				 o->sites.refused[i].what);
			report(arg, line);
		}
	}
	pthread_mutex_unlock(&lock);
}

uint64_t patch_missed(void)
{
	return __atomic_load_n(&patch_unkept, __ATOMIC_RELAXED);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Named events of this process: a table of declared events, by number. A number is derived from the
 * name and the fields, so that it is the same in each process and in each copy of this library; if
 * another event has it already, the next free one is used. Events are only ever added, by
 * compare-and- exchange: there is no lock, nothing but this table is allocated, and all of it may
 * run in a signal handler that interrupted any of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <trace_event.h>
#include "base/named.h"
#include "base/rc.h"
#include "base/sized.h"
#include "hook/hookfile.h"
#include "session/hook_event.h"

#define SLOTS      4096u
#define EVENTS_MAX (SLOTS / 2)
#define TEXTS      (1u << 20) /* bytes of names and fields */
#define WANTED_ENV "PITRACE_EVENTS"

struct declared {
	struct hook_event hook;
	char text[]; /* the name and the fields, each with a NUL */
};

static struct item_table {
	struct declared *slot[SLOTS]; /* hash table; the search starts at the number's index */
	uint32_t count, used;
	_Alignas(8) uint8_t room[TEXTS];
} * table;

/* Beside the table, wiped at fork: a child inherits the events but has declared none. */
struct announced {
	struct hook_said slot[SLOTS];
};
#define WHOLE (sizeof(struct announced) + sizeof(struct item_table))

static struct announced *announced_of(struct item_table *t)
{
	return (struct announced *)t - 1;
}

/* Memory that is used only as far as it is written. */
static struct item_table *get_table(void)
{
	struct item_table *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE), *none = NULL;
	void *p;

	if (t)
		return t;
	p = mmap(NULL, WHOLE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (madvise(p, sizeof(struct announced), MADV_WIPEONFORK)) {
		munmap(p, WHOLE);
		return NULL;
	}
	t = (struct item_table *)((struct announced *)p + 1);
	if (__atomic_compare_exchange_n(&table, &none, t, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return t;
	munmap(p, WHOLE);
	return none;
}
_Static_assert(sizeof(struct announced) % 65536 == 0, "wiped by whole pages");

/* ---- declaring ------------------------------------------------------------------------------- */

struct event_text {
	char name[PITRACE_NAMED_NAME + 1], fields[PITRACE_NAMED_TEXT + 1];
	size_t name_length, fields_length;
	uint32_t ints, strs;
};

static void add(struct event_text *e, const char *word, size_t length)
{
	memcpy(e->fields + e->fields_length, word, length);
	e->fields_length += length;
	e->fields[e->fields_length] = 0;
}

/* Copies the fields without blanks and empty units: equivalent declarations become equal. */
static int take_text(struct event_text *e, const char *name, const char *fields)
{
	struct named_fields f;
	const char *why = name && fields ? NULL : "an event without a name or fields";
	size_t at = 0;

	if (!why)
		why = named_name_wrong(name, e->name_length = strnlen(name, sizeof(e->name)));
	if (!why)
		why = named_fields_wrong(fields, strnlen(fields, sizeof(e->fields)), &f, &at);
	if (why)
		return rc_say(PI_INVALID_ARGUMENT, why);
	memcpy(e->name, name, e->name_length);
	e->name[e->name_length] = 0;
	e->fields_length = 0;
	e->fields[0] = 0;
	for (uint32_t i = 0; i < f.count; i++) {
		const struct named_field *n = &f.field[i];

		add(e, ",", i != 0);
		add(e, n->name, n->name_length);
		add(e, ":", 1);
		add(e, n->type, n->type_length);
		add(e, ":", n->unit_length != 0);
		add(e, n->unit, n->unit_length);
	}
	e->ints = f.ints;
	e->strs = f.strs;
	return PI_OK;
}

static uint32_t hash(uint32_t h, const char *text)
{
	do
		h = (h ^ (uint8_t)*text) * 16777619u;
	while (*text++);
	return h;
}

static struct declared *make(struct item_table *t, const struct event_text *e)
{
	size_t bytes = sizeof(struct declared) + e->name_length + e->fields_length + 2;
	const char *wanted = secure_getenv(WANTED_ENV);
	struct declared *d;
	uint32_t at;

	bytes = (bytes + 7) & ~7ul;
	at = __atomic_load_n(&t->used, __ATOMIC_RELAXED);
	do {
		if (bytes > TEXTS - at)
			return NULL;
	} while (!__atomic_compare_exchange_n(&t->used, &at, at + (uint32_t)bytes, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	d = (struct declared *)(t->room + at);
	memcpy(d->text, e->name, e->name_length + 1);
	memcpy(d->text + e->name_length + 1, e->fields, e->fields_length + 1);
	d->hook.name = d->text;
	d->hook.fields = d->text + e->name_length + 1;
	d->hook.ints = e->ints;
	d->hook.strs = e->strs;
	d->hook.head = hookfile_head(PITRACE_NAMED, HOOKFILE_RECORD_UNITS + e->ints, e->ints);
	d->hook.wanted = !wanted || !*wanted || named_wanted(wanted, e->name);
	return d;
}

static int no_room(void)
{
	return rc_say(PI_NO_MEMORY, "a process has at most 2048 named events");
}
_Static_assert(EVENTS_MAX == 2048, "the message");

/* Threads that declare the same event search the same slots in the same order. */
static int find_or_add(struct item_table *t, const struct event_text *e)
{
	uint32_t number = hash(hash(2166136261u, e->name), e->fields), i = number % SLOTS;
	struct declared *new = NULL, *d;

	for (;;) {
		d = __atomic_load_n(&t->slot[i], __ATOMIC_ACQUIRE);
		if (d && !strcmp(d->hook.name, e->name) && !strcmp(d->hook.fields, e->fields))
			return (int)i + 1;
		if (d && d->hook.number == number) {
			number++;
			i = number % SLOTS;
			continue;
		}
		if (d) {
			i = (i + 1) % SLOTS;
			continue;
		}
		if (!new) {
			if (__atomic_load_n(&t->count, __ATOMIC_RELAXED) >= EVENTS_MAX)
				return no_room();
			new = make(t, e);
			if (!new)
				return no_room();
		}
		new->hook.number = number;
		new->hook.said = &announced_of(t)->slot[i];
		if (__atomic_compare_exchange_n(&t->slot[i], &d, new, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			__atomic_fetch_add(&t->count, 1, __ATOMIC_RELAXED);
			return (int)i + 1;
		}
	}
}

static int declare(const char *name, const char *fields)
{
	struct event_text text;
	struct item_table *t;
	int rc = take_text(&text, name, fields);

	if (rc)
		return rc;
	t = get_table();
	return t ? find_or_add(t, &text) :
		   rc_say(PI_NO_MEMORY, "no memory for the table of named events");
}

int TraceEventNew(const char *name, const char *fields)
{
	int saved = errno, rc = declare(name, fields);

	errno = saved;
	return rc;
}

/* ---- writing --------------------------------------------------------------------------------- */

static inline const struct declared *find(int event)
{
	struct item_table *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);

	if (!t || (uint32_t)event - 1 >= SLOTS)
		return NULL;
	return __atomic_load_n(&t->slot[event - 1], __ATOMIC_ACQUIRE);
}

/* The lens of a missing string would be wrong. */
static int write_event(const struct hook_event *e, const uint64_t values[], const int lens[],
		       const char *const strs[])
{
	const char *string[PITRACE_NAMED_FIELDS];
	int length[PITRACE_NAMED_FIELDS];

	for (uint32_t i = 0; i < e->strs; i++) {
		string[i] = strs[i] ? strs[i] : "(null)";
		length[i] = strs[i] && lens ? lens[i] : (int)strnlen(string[i], PITRACE_USER_MAX);
	}
	return hook_write_event(e, values, length, string);
}

int TraceEventWrite(int event, const uint64_t values[], const int lens[], const char *const strs[])
{
	const struct declared *d = find(event);

	if (!d || (d->hook.ints && !values) || (d->hook.strs && !strs))
		return rc_say(PI_INVALID_ARGUMENT,
			      d ? "a named event without its values" :
				  "no such event: TraceEventNew gives their ids");
	if (!d->hook.strs)
		return hook_write_ints(&d->hook, values);
	if (!d->hook.wanted || !TraceEventsEnabled())
		return TRACE_NOBODY;
	return write_event(&d->hook, values, lens, strs);
}

static __attribute__((noinline)) int put(struct trace_event *event, const uint64_t values[],
					 const char *const strs[], size_t size)
{
	int id = __atomic_load_n(&event->id, __ATOMIC_RELAXED);

	if (!id) {
		id = sized_is_known(event, size, sizeof(*event)) ?
			     TraceEventNew(event->name, event->fields + (*event->fields == ',')) :
			     rc_say(PI_NOT_SUPPORTED, SIZED_UNKNOWN(struct trace_event));
		__atomic_store_n(&event->id, id, __ATOMIC_RELAXED);
	}
	return id < 0 ? id : TraceEventWrite(id, values + 1, NULL, strs + 1);
}

/* The usual case, a declared event with only numbers, takes few instructions. */
__attribute__((optimize("omit-frame-pointer"))) int TraceEventPut_sized(struct trace_event *event,
									const uint64_t values[],
									const char *const strs[],
									size_t size)
{
	const struct declared *d = find(__atomic_load_n(&event->id, __ATOMIC_RELAXED));

	if (!d || d->hook.strs)
		return put(event, values, strs, size);
	return hook_write_ints(&d->hook, values + 1);
}

int TraceEventPut(struct trace_event *event, const uint64_t values[], const char *const strs[])
{
	return TraceEventPut_sized(event, values, strs, UP_TO(struct trace_event, id));
}

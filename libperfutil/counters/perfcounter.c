/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Single counters by number, on top of counters_*; and the numbered list of events. */
#include <counters.h>
#include <perfcounter.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/proc_lines.h"
#include "base/rc.h"

#define CPUS 8192u /* the maximum that Linux supports */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- counters -------------------------------------------------------------------------------- */

static struct one {
	struct counters *counters;  /* NULL: free */
	struct counter_value *list; /* one per CPU */
	uint32_t ncpus;
	bool stopped;
} counters[PERF_COUNTERS];

static int begin(struct one *c, const struct pitrace_event_args *event)
{
	unsigned int *cpus = calloc(CPUS, sizeof(*cpus));
	struct counters_options o = {
		.scope = COUNTERS_CPUS,
		.cpus = cpus,
		.nevents = 1,
		.events = event,
	};
	int rc = PI_OK, n = cpus ? proc_online(cpus, CPUS) : 0;

	if (n > 0)
		c->list = calloc((size_t)n, sizeof(*c->list));
	if (!cpus || (n > 0 && !c->list)) {
		rc = rc_fail(PI_NO_MEMORY, "no memory for a counter");
	} else if (n <= 0) {
		rc = rc_errno(n, "/proc/stat");
	} else {
		o.ncpus = c->ncpus = (uint32_t)n;
		c->counters = counters_open(&o, &rc);
		if (c->counters)
			rc = counters_on(c->counters);
	}
	free(cpus);
	return rc;
}

static void end(struct one *c)
{
	counters_close(c->counters);
	free(c->list);
	memset(c, 0, sizeof(*c));
}

static int init(const char *name, int priv)
{
	struct pitrace_event_args event[PITRACE_EVENTS];
	struct one *c = counters;
	int rc;

	if (!name)
		return rc_fail(PI_INVALID_ARGUMENT, "no event name given");
	rc = TraceFindEvents(name, 0, 1, priv, event);
	if (rc != 1)
		return rc < 0 ? rc :
				rc_fail(PI_INVALID_ARGUMENT,
					"'%s' names %d events, not one: a counter each", name, rc);
	while (c < counters + PERF_COUNTERS && c->counters)
		c++;
	if (c == counters + PERF_COUNTERS)
		return rc_fail(PI_TOO_MANY_METRICS, "at most %d counters at a time", PERF_COUNTERS);
	rc = begin(c, event);
	if (!rc)
		return (int)(c - counters);
	end(c);
	return rc;
}

/* Returns NULL after setting the message. */
static struct one *find(int number)
{
	if (number >= 0 && number < PERF_COUNTERS && counters[number].counters)
		return &counters[number];
	rc_fail(PI_NOT_INITIALIZED, "invalid counter %d: InitPerfCounterEvent creates one", number);
	return NULL;
}

static int set(struct one *c, bool stopped)
{
	int rc = PI_OK;

	if (c->stopped != stopped)
		rc = stopped ? counters_off(c->counters) : counters_on(c->counters);
	if (!rc)
		c->stopped = stopped;
	return rc;
}

static int read_one(struct one *c, int cpu, uint64_t *value)
{
	int n = counters_read(c->counters, c->list, c->ncpus);
	bool found = false;
	uint64_t sum = 0;

	if (n < 0)
		return n;
	for (uint32_t i = 0; i < c->ncpus; i++) {
		const struct counter_value *v = &c->list[i];

		if (cpu != -1 && v->cpu != cpu)
			continue;
		if (v->state != COUNTER_COUNTED)
			return rc_fail(PI_NOT_SUPPORTED,
				       "event %s: CPU %d did not count it all the time: it was off line, or others took its counter",
				       v->name, v->cpu);
		sum += v->value;
		found = true;
	}
	if (!found)
		return rc_fail(PI_INVALID_ARGUMENT, "CPU %d is not counted", cpu);
	*value = sum;
	return PI_OK;
}

int InitPerfCounterEvent(const char *event, int priv)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = init(event, priv);
	pthread_mutex_unlock(&lock);
	return rc;
}

int TerminatePerfCounterEvent(int counter)
{
	struct one *c;

	pthread_mutex_lock(&lock);
	c = find(counter);
	if (c)
		end(c);
	pthread_mutex_unlock(&lock);
	return c ? PI_OK : PI_NOT_INITIALIZED;
}

static int stop(int counter, bool stopped)
{
	struct one *c;
	int rc = PI_NOT_INITIALIZED;

	pthread_mutex_lock(&lock);
	c = find(counter);
	if (c)
		rc = set(c, stopped);
	pthread_mutex_unlock(&lock);
	return rc;
}

int StopPerfCounterEvent(int counter)
{
	return stop(counter, true);
}

int ResumePerfCounterEvent(int counter)
{
	return stop(counter, false);
}

int ResetPerfCounterEvent(int counter)
{
	struct one *c;
	int rc = PI_NOT_INITIALIZED;

	pthread_mutex_lock(&lock);
	c = find(counter);
	if (c)
		rc = counters_reset(c->counters);
	pthread_mutex_unlock(&lock);
	return rc;
}

int ReadPerfCounterEvent(int counter, int cpu, uint64_t *value)
{
	struct one *c;
	int rc = PI_NOT_INITIALIZED;

	if (!value)
		return rc_null("memory for a value");
	pthread_mutex_lock(&lock);
	c = find(counter);
	if (c)
		rc = read_one(c, cpu, value);
	pthread_mutex_unlock(&lock);
	return rc;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Allocated in blocks that never move, because callers keep pointers into them. */
static struct perf_counter_event *events;
static uint32_t events_room; /* 0: not listed yet */
static int nevents;

static bool keep(const char *source, const char *name, const char *description)
{
	struct perf_counter_event e = {
		.name = strdup(name),
		.description = strdup(description),
		.source = strdup(source),
	};

	if (e.name && e.description && e.source && !array_next(events, nevents, events_room)) {
		events[nevents++] = e;
		return true;
	}
	free((char *)e.name);
	free((char *)e.description);
	free((char *)e.source);
	return false;
}

static int id_of(const char *name)
{
	for (int i = 0; i < nevents; i++)
		if (!strcmp(events[i].name, name))
			return i;
	return -1;
}

static void list_one(void *arg, const char *source, const char *name, const char *description)
{
	bool *whole = arg;

	/* A malformed file adds no names; a duplicate name belongs to the first source. */
	if (strcmp(source, "bad") && id_of(name) < 0)
		*whole &= keep(source, name, description);
}

static int list(void)
{
	bool whole = true;

	if (events_room)
		return PI_OK;
	TraceListEvents(list_one, &whole);
	return whole ? PI_OK : rc_fail(PI_NO_MEMORY, "no memory for the list of events");
}

static int look_up(const char *name)
{
	struct pitrace_event_args event[PITRACE_EVENTS];
	int rc = list(), id = rc ? rc : id_of(name);

	if (rc || id >= 0)
		return id;
	rc = TraceFindEvents(name, 0, 1, TRACE_PRIV_ANY, event);
	if (rc < 0)
		return rc;
	if (rc != 1)
		return rc_fail(PI_INVALID_ARGUMENT, "'%s' names %d events, not one", name, rc);
	return keep("", name, "") ? nevents - 1 :
				    rc_fail(PI_NO_MEMORY, "no memory for the list of events");
}

int GetPerfCounterEventCount(void)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = list();
	if (!rc)
		rc = nevents;
	pthread_mutex_unlock(&lock);
	return rc;
}

int GetPerfCounterEventId(const char *name)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = name ? look_up(name) : rc_fail(PI_INVALID_ARGUMENT, "no event name given");
	pthread_mutex_unlock(&lock);
	return rc;
}

int GetPerfCounterEvent(int id, struct perf_counter_event *event)
{
	int rc;

	if (!event)
		return rc_null("memory for an event");
	pthread_mutex_lock(&lock);
	rc = list();
	if (!rc && (id < 0 || id >= nevents))
		rc = rc_fail(PI_INVALID_ARGUMENT, "invalid event number %d: 0 to %d", id,
			     nevents - 1);
	if (!rc)
		*event = events[id];
	pthread_mutex_unlock(&lock);
	return rc;
}

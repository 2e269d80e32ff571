/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AboveIdle: one collector at a time, and the account of each CPU. */
#include <ai.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "ai/ai_source.h"
#include "base/rc.h"

static const struct ai_source *const sources[] = { &ai_driver, &ai_proc };
#define SOURCES (sizeof(sources) / sizeof(sources[0]))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct ai_source *wanted, *source; /* source NULL: not initialized */
static struct ai_info about;
static struct ai_raw *raw; /* AI_CPUS entries */
static struct ai_book *books;

/* ---- accounts ------------------------------------------------------------------------------- */

static uint64_t since(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

static uint64_t take(uint64_t *due, uint64_t room)
{
	uint64_t some = *due < room ? *due : room;

	*due -= some;
	return some;
}

void ai_book(struct ai_book *b, const struct ai_raw *now)
{
	struct ai_counters *g = &b->given;
	uint64_t wall, idle, interrupt;

	g->cpu = now->cpu;
	g->online = now->online;
	if (now->whole && b->begun) {
		wall = since(now->wall, b->last.wall);
		b->idle_due += since(now->idle, b->last.idle);
		b->interrupt_due += since(now->interrupt, b->last.interrupt);
		idle = take(&b->idle_due, wall);
		interrupt = take(&b->interrupt_due, wall - idle);
		g->idle += idle;
		g->interrupt += interrupt;
		g->busy += wall - idle - interrupt;
		g->current += wall;
		g->steal += since(now->steal, b->last.steal);
		g->interrupts += since(now->interrupts, b->last.interrupts);
		if (now->dispatches == AI_UNKNOWN || b->last.dispatches == AI_UNKNOWN)
			g->dispatches = AI_UNKNOWN;
		if (g->dispatches != AI_UNKNOWN)
			g->dispatches += since(now->dispatches, b->last.dispatches);
	} else if (now->dispatches == AI_UNKNOWN) {
		g->dispatches = AI_UNKNOWN;
	}
	b->begun = now->whole;
	b->last = *now;
}

/* Returns the number of CPUs, or a code. A CPU that is not reported keeps its values. */
static int read_all(void)
{
	int n = source->read(raw, AI_CPUS), at = 0, cpus = 0;

	if (n < 0)
		return n;
	for (uint32_t cpu = 0; cpu < AI_CPUS; cpu++) {
		struct ai_book *b = &books[cpu];

		if (at < n && raw[at].cpu == cpu) {
			ai_book(b, &raw[at++]);
		} else {
			b->begun = false;
			b->given.online = 0;
		}
		cpus += b->begun || b->given.current;
	}
	return cpus;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int set_collector(const char *name)
{
	if (source)
		return rc_fail(PI_INCORRECT_STATE,
			       "AboveIdle is initialized: call AiTerminate first");
	for (size_t i = 0; name && i < SOURCES; i++)
		if (!strcmp(sources[i]->name, name)) {
			wanted = sources[i];
			return PI_OK;
		}
	if (name)
		return rc_fail(PI_INVALID_ARGUMENT,
			       "unknown collector '%s' for AboveIdle: use driver or proc", name);
	wanted = NULL;
	return PI_OK;
}

static void end(void)
{
	if (source)
		source->close();
	source = NULL;
	free(raw);
	free(books);
	raw = NULL;
	books = NULL;
}

static int begin_with(const struct ai_source *with)
{
	int rc;

	memset(&about, 0, sizeof(about));
	about.size = sizeof(about);
	about.version = 1;
	about.dispatches = 1;
	strcpy(about.collector, with->name);
	rc = with->open(&about);
	if (!rc)
		source = with;
	return rc;
}

static int begin(void)
{
	int rc = PI_OK;

	if (source)
		return rc_fail(PI_INCORRECT_STATE, "AboveIdle is already initialized");
	raw = calloc(AI_CPUS, sizeof(*raw));
	books = calloc(AI_CPUS, sizeof(*books));
	if (!raw || !books)
		rc = rc_fail(PI_NO_MEMORY, "no memory for AboveIdle");
	if (wanted && !rc)
		rc = begin_with(wanted);
	for (size_t i = 0; !rc && !source && i < SOURCES; i++) {
		rc = begin_with(sources[i]);
		/* Keeps the message of the last one. */
		if (rc && i + 1 < SOURCES)
			rc = PI_OK;
	}
	if (!rc)
		rc = read_all();
	if (rc < 0)
		end();
	return rc < 0 ? rc : PI_OK;
}

static int not_begun(void)
{
	return rc_fail(PI_NOT_INITIALIZED, "AboveIdle is not initialized: call AiInit first");
}

static int counters(struct ai_counters *list, int room)
{
	int cpus, n = 0;

	if (!source)
		return not_begun();
	cpus = read_all();
	for (uint32_t cpu = 0; cpus > 0 && cpu < AI_CPUS && n < room; cpu++)
		if (books[cpu].begun || books[cpu].given.current)
			list[n++] = books[cpu].given;
	return cpus;
}

int AiSetCollector(const char *name)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = set_collector(name);
	pthread_mutex_unlock(&lock);
	return rc;
}

int AiInit(void)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = begin();
	pthread_mutex_unlock(&lock);
	return rc;
}

int AiTerminate(void)
{
	int rc = PI_OK;

	pthread_mutex_lock(&lock);
	if (source)
		end();
	else
		rc = not_begun();
	pthread_mutex_unlock(&lock);
	return rc;
}

int AiGetCounters(struct ai_counters *list, int room)
{
	int rc;

	if (!list && room > 0)
		return rc_null("memory for counters");
	pthread_mutex_lock(&lock);
	rc = counters(list, room);
	pthread_mutex_unlock(&lock);
	return rc;
}

int AiGetInfo(struct ai_info *info)
{
	int rc = PI_OK;

	if (!info)
		return rc_null("memory for information");
	pthread_mutex_lock(&lock);
	if (source)
		*info = about;
	else
		rc = not_begun();
	pthread_mutex_unlock(&lock);
	return rc;
}

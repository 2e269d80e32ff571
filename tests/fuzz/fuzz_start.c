/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: what the holder program is started with. The first byte chooses what it is to hold.
 * Whatever is accepted has names that end and lists that are there.
 */
#include <unistd.h>

#include "counters/counters_held.h"
#include "fuzz.h"
#include "ptt/ptt_held.h"
#include "session/holder.h"

static void ends(const char *text, size_t room)
{
	if (text && strnlen(text, room) == room)
		abort();
}

static void session(const uint8_t *data, size_t size)
{
	static struct holder_begin b;
	const struct tracer_options *o = &b.options;

	if (holder_begin_read(&b, data, size))
		return;
	ends(o->file, sizeof(b.file));
	ends(o->command, sizeof(b.command));
	ends(o->collector, sizeof(b.collector));
	if (o->hooks || o->program || o->nevents > PITRACE_EVENTS ||
	    (o->events && o->events != b.events) || (o->itrace && o->itrace != &b.itrace))
		abort();
	for (uint32_t i = 0; i < o->nevents; i++)
		ends(o->events[i].name, sizeof(o->events[i].name));
}

static void counters(const uint8_t *data, size_t size)
{
	struct counters_options o;
	unsigned int sum = 0;

	if (held_counters_read(data, size, &o))
		return;
	for (uint32_t i = 0; o.cpus && i < o.ncpus; i++)
		sum += o.cpus[i];
	for (uint32_t i = 0; i < o.nevents; i++)
		ends(o.events[i].name, sizeof(o.events[i].name));
	if (o.nevents > PITRACE_EVENTS || (sum && !o.ncpus))
		abort();
}

static void ptt(const uint8_t *data, size_t size)
{
	static struct pttview_start s;

	if (held_ptt_read(data, size, &s))
		return;
	if (s.count > PTT_METRICS || s.head.pids > PTTVIEW_HELD_PIDS)
		abort();
	for (int i = 0; i < s.count; i++)
		ends(s.metric[i], sizeof(s.metric[i]));
}

/* The packet has a head of its own, which says who sent it and where to answer. */
static void head(const uint8_t *data, size_t size)
{
	struct service_started s = { 0 };
	const struct service_start *start = service_start_read(&held_session, data, size, &s);

	if (!start != !!s.rc || (s.rc && !s.why[0]))
		abort();
	if (start)
		ends(start->address, sizeof(start->address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const read[])(const uint8_t *data, size_t size) = { session, counters, ptt,
									  head };
	/* Aligned, as it is received; without zeros at its end a session's is long. */
	static uint64_t room[SERVICE_START_MAX / sizeof(uint64_t)];
	size_t most = sizeof(room), kind;

	if (!size)
		return 0;
	kind = data[0] & 3;
	data++;
	size--;
	if (size > most)
		return 0;
	memset(room, 0, sizeof(room));
	memcpy(room, data, size);
	if (!kind && size > 8 && size < sizeof(struct holder_begin))
		size = sizeof(struct holder_begin);
	read[kind]((const uint8_t *)room, size);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "log_gen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/newfile.h"
#include "call_ring.h"
#include "escape.h"
#include "log_gen_format.h"

#define SHORT_NS 500000     /* interval between reads of the rings after one was not empty; */
#define LONG_NS  10000000   /* … the longest, if all are empty */
#define NAMES_NS 1000000000 /* interval between updates of threads' names */
#define LONGEST  (20 + 20 * RING_METRICS) /* bytes of an event: at least twice the maximum */

struct gen_text {
	uint8_t *data;
	size_t used, room;
};

static struct {
	const struct call_source *source;
	int fd;
	char *path;
	struct log_gen_head head;
	uint64_t size; /* of complete chunks */
	uint64_t events;
	struct gen_text methods, events_text;
	uint32_t declared; /* methods */
	uint32_t places;   /* threads */
	pthread_t thread;
	atomic_bool stop;
	bool busy;      /* a ring was not empty */
	bool unnamed;   /* a thread has appeared whose name is not known */
	uint64_t named; /* time when names were updated */
} gen = { .fd = -1 };
pthread_mutex_t log_gen_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Returns room for n more bytes; NULL: no memory. */
static uint8_t *room_for(struct gen_text *t, size_t n)
{
	if (t->room - t->used < n) {
		size_t room = t->room ? 2 * t->room : 2 * LOG_GEN_CHUNK;
		uint8_t *data;

		room = room > t->used + n ? room : t->used + n;
		data = realloc(t->data, room);
		if (!data)
			return NULL;
		t->data = data;
		t->room = room;
	}
	return t->data + t->used;
}

static uint8_t *put(uint8_t *p, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		*p++ = (uint8_t)(value | 0x80);
	*p++ = (uint8_t)value;
	return p;
}

static uint8_t *put_text(uint8_t *p, const char *text, size_t n)
{
	return mempcpy(put(p, n), text, n);
}

static void put_chunk(uint8_t *at, char kind, size_t length)
{
	struct log_gen_chunk c = {
		.kind = htole32((uint32_t)kind),
		.length = htole32((uint32_t)length),
	};

	memcpy(at, &c, sizeof(c));
}

/* ---- the file -------------------------------------------------------------------------------- */

static void put_head(void)
{
	struct log_gen_head h = gen.head;

	h.version = htole32(h.version);
	h.pid = htole32(h.pid);
	h.metrics = htole32(h.metrics);
	h.state = htole32(h.state);
	h.error = htole32(h.error);
	h.lost = htole64(h.lost);
	h.unwritten = htole64(h.unwritten);
	h.realtime = htole64(h.realtime);
	if (pwrite(gen.fd, &h, sizeof(h), 0) != sizeof(h) && !gen.head.error)
		gen.head.error = (uint32_t)errno;
}

/* Stops writing; removes incomplete chunks. */
static void fail(int error)
{
	gen.head.error = (uint32_t)error;
	gen.head.state = LOG_GEN_FAILED;
	if (ftruncate(gen.fd, (off_t)gen.size))
		gen.head.state = LOG_GEN_FAILED;
	put_head();
}

static void write_all(struct gen_text *t)
{
	size_t at = 0;

	while (at < t->used && !gen.head.error) {
		ssize_t n = write(gen.fd, t->data + at, t->used - at);

		if (n >= 0)
			at += (size_t)n;
		else if (errno != EINTR)
			fail(errno);
	}
	if (!gen.head.error)
		gen.size += t->used;
	t->used = 0;
}

/* Waits until the thread that has assigned this number has also set the name. */
static const char *name_of(uint32_t number)
{
	const char *name;

	while (!(name = gen.source->name(number)))
		sched_yield();
	return name;
}

/* Writes the methods that are not declared yet. A method has its number before its first event:
 * since the events have already been read, all of their methods are declared before them. */
static void write_methods(void)
{
	uint32_t count = gen.source->methods();

	while (gen.declared < count && !gen.head.error) {
		struct gen_text *t = &gen.methods;
		size_t begin = t->used, longest = sizeof(struct log_gen_chunk) + 20, n = longest;
		uint8_t *p = room_for(t, longest);

		if (!p)
			break;
		p = put(p + sizeof(struct log_gen_chunk), gen.declared);
		t->used = (size_t)(p - t->data);
		for (; gen.declared < count && t->used - begin < LOG_GEN_CHUNK / 2;
		     gen.declared++) {
			const char *name = name_of(gen.declared);

			n = strlen(name);
			n = n < LOG_GEN_CHUNK / 4 ? n : LOG_GEN_CHUNK / 4;
			p = room_for(t, n + 20);
			if (!p)
				break;
			p = put_text(p, name, n);
			t->used = (size_t)(p - t->data);
		}
		put_chunk(t->data + begin, 'M', t->used - begin - sizeof(struct log_gen_chunk));
	}
	write_all(&gen.methods);
}

static void flush(void)
{
	uint64_t events = gen.events;

	write_methods();
	write_all(&gen.events_text);
	gen.head.unwritten += gen.head.error ? events : 0;
	gen.events = 0;
}

/* ---- rings ----------------------------------------------------------------------------------- */

static void put_thread(const struct call_thread *t, const char *name)
{
	size_t n = name ? strlen(name) : 0, begin = gen.events_text.used;
	uint8_t *p;

	n = n < 4096 ? n : 4096;
	p = room_for(&gen.events_text, sizeof(struct log_gen_chunk) + n + 40);
	if (!p)
		return;
	p = put(p + sizeof(struct log_gen_chunk), t->ring->place);
	p = put(p, (uint64_t)t->tid);
	p = put_text(p, name ? name : "", n);
	gen.events_text.used = (size_t)(p - gen.events_text.data);
	put_chunk(gen.events_text.data + begin, 'T',
		  gen.events_text.used - begin - sizeof(struct log_gen_chunk));
}

/* Converts the event at `at`; returns the position of the next one. */
static uint64_t put_event(struct call_ring *r, uint64_t at, uint32_t *before, uint8_t **to)
{
	uint64_t first = *ring_at(r, at++), rest = first >> RING_METHOD;
	uint32_t event = first & RING_EVENT, method = (uint32_t)rest;
	uint64_t value, cost, shift;
	int64_t step;
	uint8_t *p = *to;

	if (event == RING_LOST) {
		*to = put(p, rest << 3 | LOG_GEN_LOST);
		return at;
	}
	step = (int64_t)method - *before;
	*before = method;
	shift = step < 0 ? ~((uint64_t)step << 1) : (uint64_t)step << 1;
	if (event == EVENT_ENTER && (first >> RING_TYPE & 0xff) == TYPE_FUNCTION)
		p = put(p, shift << 3 | LOG_GEN_CALL);
	else if (event == EVENT_ENTER)
		p = put(p, shift << 6 | (first >> RING_TYPE & 7) << 3 | LOG_GEN_ENTER);
	else
		p = put(p, shift << 3 | (event == EVENT_LEAVE  ? LOG_GEN_LEAVE :
					 event == EVENT_UNWIND ? LOG_GEN_UNWIND :
					 event == EVENT_POPPED ? LOG_GEN_POPPED :
								 LOG_GEN_CAUGHT));
	for (uint32_t i = 0; i < r->metrics; i++) {
		value = *ring_at(r, at++);
		cost = *ring_at(r, at++);
		p = put(put(p, value - cost), cost);
	}
	gen.events++;
	*to = p;
	return at;
}

/* Converts the current content of the ring into chunks. */
static void drain(const struct call_thread *t)
{
	struct call_ring *r = t->ring;
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
	uint64_t at = atomic_load_explicit(&r->tail, memory_order_relaxed);
	struct gen_text *out = &gen.events_text;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	while (at != head) {
		size_t begin = out->used;
		uint8_t *p = room_for(out, LOG_GEN_CHUNK);
		uint32_t before = 0;

		if (!p) {
			fail(ENOMEM);
			break;
		}
		p = put(p + sizeof(struct log_gen_chunk), r->place);
		p = put(p, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
		while (at != head && (size_t)(p - out->data) - begin < LOG_GEN_CHUNK - LONGEST)
			at = put_event(r, at, &before, &p);
		out->used = (size_t)(p - out->data);
		put_chunk(out->data + begin, 'E', out->used - begin - sizeof(struct log_gen_chunk));
		atomic_store_explicit(&r->tail, at, memory_order_release);
		gen.busy = true;
	}
}

/* Writes the thread's name if it is new. */
static void name_thread(const struct call_thread *t)
{
	const char *name = __atomic_load_n(&t->name, __ATOMIC_ACQUIRE);
	struct call_ring *r = t->ring;

	if (r->place && (!name || (r->named && !strcmp(r->named, name))))
		return;
	if (!r->place) {
		r->place = ++gen.places;
		gen.unnamed |= !name;
	}
	free(r->named);
	r->named = name ? strdup(name) : NULL;
	put_thread(t, name);
}

static void each_thread(void *arg, const struct call_thread *t)
{
	struct call_ring *r = t->ring;
	bool ended;

	(void)arg;
	if (!r || r->emptied)
		return;
	name_thread(t);
	ended = atomic_load_explicit(&r->ended, memory_order_acquire);
	drain(t);
	if (ended) {
		call_ring_empty(r);
		r->emptied = true;
		free(r->named);
		r->named = NULL;
	}
	if (gen.events_text.used >= LOG_GEN_CHUNK)
		flush();
}

static void add_lost(void *arg, const struct call_thread *t)
{
	(void)arg;
	if (t->ring)
		gen.head.lost += atomic_load_explicit(&t->ring->lost, memory_order_relaxed);
}

/* A thread may be renamed at any time, without an event. */
static void update_names(bool last)
{
	struct timespec t;
	uint64_t now;

	if (!gen.source->rename)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (!last && !gen.unnamed && now - gen.named < NAMES_NS)
		return;
	gen.unnamed = false;
	gen.named = now;
	gen.source->rename();
}

static void *run(void *arg)
{
	uint64_t wait = SHORT_NS;
	bool stop;

	(void)arg;
	do {
		struct timespec pause = { .tv_nsec = (long)wait };

		nanosleep(&pause, NULL);
		stop = atomic_load_explicit(&gen.stop, memory_order_acquire);
		gen.busy = false;
		pthread_mutex_lock(&log_gen_lock);
		update_names(stop);
		gen.source->each(each_thread, NULL);
		flush();
		pthread_mutex_unlock(&log_gen_lock);
		wait = gen.busy ? SHORT_NS : 2 * wait < LONG_NS ? 2 * wait : LONG_NS;
	} while (!stop);
	return NULL;
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void put_names(uint32_t metrics, const char *const *names)
{
	struct gen_text *t = &gen.events_text;
	uint8_t *p = room_for(t, LOG_GEN_CHUNK);

	if (!p)
		return;
	p += sizeof(struct log_gen_chunk);
	for (uint32_t i = 0; i < metrics; i++)
		p = put_text(p, names[i], strnlen(names[i], 4096));
	t->used = (size_t)(p - t->data);
	put_chunk(t->data, 'N', t->used - sizeof(struct log_gen_chunk));
	flush();
}

static bool cannot(const char *path, int error)
{
	escape_printf(stderr, "%s: %s: %s: no log-gen is written\n", gen.source->program, path,
		      strerror(error));
	if (gen.fd >= 0)
		close(gen.fd);
	gen.fd = -1;
	return false;
}

bool log_gen_begin(const struct call_source *source, const char *path, uint32_t metrics,
		   const char *const *names)
{
	struct timespec now;
	struct newfile f;
	sigset_t all, had;
	int rc;

	gen.source = source;
	rc = newfile_open(&f, path, NEWFILE_REPLACE, 0666);
	if (rc)
		return cannot(path, -rc);
	gen.fd = f.fd;
	newfile_keep(&f);
	gen.path = strdup(path);
	clock_gettime(CLOCK_REALTIME, &now);
	memcpy(gen.head.magic, LOG_GEN_MAGIC, sizeof(gen.head.magic));
	gen.head.version = LOG_GEN_VERSION;
	gen.head.pid = (uint32_t)getpid();
	gen.head.metrics = metrics;
	gen.head.realtime = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	gen.size = sizeof(gen.head);
	put_head();
	if (gen.head.error)
		return cannot(path, (int)gen.head.error);
	lseek(gen.fd, sizeof(gen.head), SEEK_SET);
	put_names(metrics, names);
	/* Signals for the VM must not be delivered to this thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &had);
	rc = gen.path ? pthread_create(&gen.thread, NULL, run, NULL) : ENOMEM;
	pthread_sigmask(SIG_SETMASK, &had, NULL);
	return rc ? cannot(path, rc) : true;
}

void log_gen_end(void)
{
	if (gen.fd < 0)
		return;
	atomic_store_explicit(&gen.stop, true, memory_order_release);
	pthread_join(gen.thread, NULL);
	gen.source->each(add_lost, NULL);
	if (!gen.head.error)
		gen.head.state = LOG_GEN_WHOLE;
	put_head();
	if (close(gen.fd) && !gen.head.error)
		gen.head.error = (uint32_t)errno;
	if (gen.head.error)
		escape_printf(stderr,
			      "%s: %s: %s: incomplete: the last %" PRIu64 " events are not in it\n",
			      gen.source->program, gen.path, strerror((int)gen.head.error),
			      gen.head.unwritten);
	if (gen.head.lost)
		escape_printf(stderr,
			      "%s: %s: %" PRIu64
			      " events are missing: threads were faster than the file\n",
			      gen.source->program, gen.path, gen.head.lost);
	gen.fd = -1;
}

void log_gen_forked(void)
{
	if (gen.fd >= 0)
		close(gen.fd);
	free(gen.path);
	free(gen.methods.data);
	free(gen.events_text.data);
	memset(&gen, 0, sizeof(gen));
	gen.fd = -1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gperftools' CPU profiles: slots of 4 or 8 bytes in the byte order of the machine that wrote them.
 * A profile has a header, call stacks with their numbers of samples, a trailer, and text with the
 * mappings. Samples have no time: those of a stack are spaced by the period, so that the trace is
 * as long as the sampled CPU time.
 */
#include "input/gperftools/gperftools.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/search.h"
#include "input/faults.h"
#include "input/window.h"
#include "record/stack_record.h"

#define WINDOW       (1u << 20)
#define HEADER_SLOTS 5 /* the first one is 0, the second 3 */
#define HEADER_MOST  1024
#define LINE_MOST    8192 /* maximum bytes of a line of the text */
#define MAPPINGS     65536
#define PATHS_START  (1u << 20) /* limit on bytes of all paths, plus the file's size */
/* No process has this pid, so nothing about it is looked up on this machine. */
#define NOBODY 0x400001u

struct gperftools_sample {
	struct pitrace_sample sample;
	struct pitrace_stack stack;
	uint64_t address[STACK_ADDRESSES];
} __attribute__((packed, aligned(4)));

struct upper { /* a mapped range in the upper half of the address space */
	uint64_t start, last;
};

struct gperftools {
	struct window w;
	struct fault_list faults;
	unsigned int slot; /* bytes */
	bool swap;
	uint64_t first;  /* offset of the first record */
	uint64_t text;   /* its offset */
	uint64_t period; /* ns */
	uint64_t version;
	struct java java; /* symbols of version 1 */
	struct pitrace_mte_task task;
	struct pitrace_mte_map **mapped; /* mappings */
	uint32_t nmapped, room;
	uint64_t paths;      /* bytes */
	bool full;           /* the limit was reached */
	struct upper *upper; /* sorted and disjoint */
	uint32_t nupper;
	struct pitrace_interval interval;
	/* State of a pass: */
	unsigned int what;
	uint32_t given; /* records returned before samples */
	uint64_t at;
	bool ended;
	uint64_t samples; /* before this one */
	struct gperftools_sample *sample;
};

/* ---- slots ----------------------------------------------------------------------------------- */

static uint64_t slot_value(const uint8_t *p, unsigned int size, bool swap)
{
	return size == 4 ? bytes_load32(p, swap) : bytes_load64(p, swap);
}

/* Finds a slot layout in which the header is valid: 0, the number of slots that follow. */
static bool find_layout(const uint8_t *p, size_t size, unsigned int *slot, bool *swap)
{
	unsigned int i;
	uint64_t words;

	for (i = 0; i < 4; i++) {
		*slot = i < 2 ? 8 : 4;
		*swap = i & 1;
		if (size < 2 * *slot || slot_value(p, *slot, *swap))
			continue;
		words = slot_value(p + *slot, *slot, *swap);
		if (words >= 2 && words <= HEADER_MOST)
			return true;
	}
	return false;
}

static bool gperftools_probe(const void *head, size_t size)
{
	unsigned int slot;
	bool swap;

	return find_layout(head, size, &slot, &swap);
}

static uint64_t get(const struct gperftools *g, const uint8_t *p, uint64_t i)
{
	return slot_value(p + i * g->slot, g->slot, g->swap);
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool hex(const char **p, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)**p))
		return false;
	errno = 0;
	*value = strtoull(*p, &end, 16);
	*p = end;
	return !errno;
}

static bool blanks(const char **p)
{
	const char *from = *p;

	while (**p == ' ' || **p == '\t')
		++*p;
	return *p > from;
}

/* Parses "start-end rwxp offset major:minor inode path", or "start-end: path", which is older. */
static const char *parse_mapping(const char *line, struct pitrace_mte_map *m)
{
	const char *p = line;
	uint64_t end, number;
	char *stop;

	*m = (struct pitrace_mte_map){
		.pid = NOBODY,
		.flags = PITRACE_MAP_READ | PITRACE_MAP_EXEC,
	};
	if (!hex(&p, &number) || *p++ != '-' || !hex(&p, &end) || end <= number)
		return NULL;
	m->start = number;
	m->length = end - number;
	if (*p == ':') {
		p++;
		return blanks(&p) && *p ? p : NULL;
	}
	if (!blanks(&p) || strnlen(p, 4) < 4 || p[2] != 'x')
		return NULL;
	if (p[1] == 'w')
		m->flags |= PITRACE_MAP_WRITE;
	p += 4;
	if (!blanks(&p) || !hex(&p, &number) || !blanks(&p))
		return NULL;
	m->offset = number;
	if (!hex(&p, &number) || *p++ != ':')
		return NULL;
	m->dev_major = (uint32_t)number;
	if (!hex(&p, &number) || !blanks(&p))
		return NULL;
	m->dev_minor = (uint32_t)number;
	m->inode = strtoull(p, &stop, 10);
	if (stop == p)
		return NULL;
	p = stop;
	blanks(&p);
	return p;
}

/* Replaces each "$build" that is a whole word by the value of the build= line. */
static void put_build(char *room, size_t size, const char *path, const char *build)
{
	size_t n = 0;
	const char *from = path;

	while (*from && n + 1 < size) {
		char after = strncmp(from, "$build", 6) ? '_' : from[6];

		if (after == '_' || isalnum((unsigned char)after)) {
			room[n++] = *from++;
			continue;
		}
		n += (size_t)snprintf(room + n, size - n, "%s", build);
		n = n < size ? n : size - 1;
		from += 6;
	}
	room[n] = '\0';
}

static int emit_mapping(struct gperftools *g, uint64_t at, const struct pitrace_mte_map *map,
			const char *path, const char *build)
{
	char whole[LINE_MOST];
	struct pitrace_mte_map *t;
	uint32_t length;

	if (g->full)
		return 0;
	put_build(whole, sizeof(whole), path, build);
	g->paths += strlen(whole);
	if (g->nmapped == MAPPINGS || g->paths > PATHS_START + g->w.size) {
		g->full = true;
		faults_report(&g->faults, at,
			      "%u mappings with paths of %" PRIu64 " bytes: the rest is left out",
			      g->nmapped, g->paths);
		return 0;
	}
	if (array_next(g->mapped, g->nmapped, g->room))
		return -ENOMEM;
	if (!*whole)
		strcpy(whole, "//anon");
	length = (uint32_t)strlen(whole);
	t = calloc(1, sizeof(*t) + length + 4);
	if (!t)
		return -ENOMEM;
	*t = *map;
	t->path_len = length;
	if (!strcmp(whole, "//anon") || (*whole == '[' && strcmp(whole, "[vdso]") != 0))
		t->flags |= PITRACE_MAP_ANON;
	if (!strcmp(whole, "[vdso]"))
		t->flags |= PITRACE_MAP_VDSO;
	if (length > 10 && !strcmp(whole + length - 10, " (deleted)")) {
		t->flags |= PITRACE_MAP_DELETED;
		length -= 10;
		t->path_len = length;
		whole[length] = '\0';
	}
	memcpy(t->path, whole, length);
	g->mapped[g->nmapped++] = t;
	return 0;
}

static int read_text(struct gperftools *g)
{
	char line[LINE_MOST], build[LINE_MOST] = "";
	struct pitrace_mte_map map;
	uint64_t at = g->text, line_at;
	const char *end, *path;
	const uint8_t *p;
	size_t have, n;
	int rc = 0;

	while (!rc && (p = window_look(&g->w, at, LINE_MOST, &have))) {
		for (n = 0; n < have && !p[n]; n++)
			;
		if (n) {
			faults_report(&g->faults, at,
				      "%zu bytes that are not text, between the trailer and what was mapped: passed over",
				      n);
			at += n;
			continue;
		}
		end = memchr(p, '\n', have < LINE_MOST ? have : LINE_MOST);
		n = end ? (size_t)(end - (const char *)p) : have < LINE_MOST ? have : LINE_MOST - 1;
		memcpy(line, p, n);
		line[n] = '\0';
		line_at = at;
		at += n + (end != NULL);
		path = line;
		blanks(&path);
		if (g->version == 1 && (rc = java_line(&g->java, path)))
			rc = rc < 0 ? rc : 0;
		else if (!strncmp(path, "build=", 6))
			strcpy(build, path + 6);
		else if ((path = parse_mapping(line, &map)))
			rc = emit_mapping(g, line_at, &map, path, build);
	}
	return rc;
}

/* Adds the symbols of a Java program as a module. */
static int emit_java(struct gperftools *g)
{
	struct pitrace_mte_map m = {
		.pid = NOBODY,
		.flags = PITRACE_MAP_READ | PITRACE_MAP_EXEC,
		.start = JAVA_BASE,
		.length = java_size(&g->java),
	};
	int rc = java_lay_out(&g->java);

	if (!g->java.n && g->version == 1)
		faults_report(&g->faults, 2 * g->slot,
			      "version 1, a Java program's, but without its symbols");
	return rc || !g->java.n ? rc : emit_mapping(g, g->text, &m, JAVA_MODULE, "");
}

static int by_start(const void *a, const void *b)
{
	const struct upper *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Finds the mappings in the upper half of the address space; overlapping ones are merged. */
static int find_upper(struct gperftools *g)
{
	uint32_t i, n = 0, kept = 0;

	g->upper = calloc((size_t)g->nmapped + 1, sizeof(*g->upper));
	if (!g->upper)
		return -ENOMEM;
	for (i = 0; i < g->nmapped; i++) {
		const struct pitrace_mte_map *m = g->mapped[i];

		if ((m->start + (m->length - 1)) >> 63)
			g->upper[n++] = (struct upper){ m->start, m->start + (m->length - 1) };
	}
	qsort(g->upper, n, sizeof(*g->upper), by_start);
	for (i = 0; i < n; i++) {
		if (!kept || g->upper[i].start > g->upper[kept - 1].last)
			g->upper[kept++] = g->upper[i];
		else if (g->upper[i].last > g->upper[kept - 1].last)
			g->upper[kept - 1].last = g->upper[i].last;
	}
	g->nupper = kept;
	return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

struct stack_at {
	const uint8_t *pc; /* at least the addresses that are kept */
	uint64_t count, depth;
	uint64_t next;
};

/* Returns whether the text starts here: with a mapping or a build= line. */
static bool is_text(struct gperftools *g, uint64_t at)
{
	const char *word;
	const uint8_t *p;
	uint64_t number;
	char line[64];
	size_t have;

	p = window_look(&g->w, at, sizeof(line) - 1, &have);
	if (!p)
		return false;
	have = have < sizeof(line) ? have : sizeof(line) - 1;
	memcpy(line, p, have);
	line[have] = '\0';
	word = line;
	blanks(&word);
	if (!strncmp(word, "build=", 6))
		return true;
	word = line;
	return hex(&word, &number) && *word++ == '-' && hex(&word, &number) &&
	       (*word == ' ' || *word == ':');
}

/* Reads the stack at g->at. Returns 1; 0: the trailer, or the text after it; -1: unreadable. */
static int read_stack(struct gperftools *g, struct stack_at *s)
{
	uint64_t left = g->w.size > g->at ? (g->w.size - g->at) / g->slot : 0, want;
	const uint8_t *p;
	size_t have;

	if (left < 2) {
		faults_report(&g->faults, g->at,
			      g->w.size > g->at ? "the file ends within a stack" :
						  "the file ends without a trailer");
		return -1;
	}
	p = window_look(&g->w, g->at, 2 * g->slot, &have);
	if (!p || have < 2 * g->slot)
		return -1;
	s->count = get(g, p, 0);
	s->depth = get(g, p, 1);
	/* Text would be read as a very large count. */
	if (s->count >= 0x20000000 && is_text(g, g->at)) {
		faults_report(&g->faults, g->at,
			      "the trailer is missing: what was mapped begins here");
		s->next = g->at;
		return 0;
	}
	if (s->depth > left - 2) {
		faults_report(&g->faults, g->at,
			      "a stack of %" PRIu64 " calls, where the file has room for %" PRIu64,
			      s->depth, left - 2);
		return -1;
	}
	want = 2 + (s->depth < STACK_ADDRESSES ? s->depth : STACK_ADDRESSES);
	p = window_look(&g->w, g->at, want * g->slot, &have);
	if (!p || have < want * g->slot) {
		faults_report(&g->faults, g->at, "the file ends within a stack");
		return -1;
	}
	s->pc = p + 2 * g->slot;
	s->next = g->at + (2 + s->depth) * g->slot;
	if (s->depth == 1 && !get(g, s->pc, 0)) {
		if (!s->count)
			return 0;
		if (is_text(g, s->next)) {
			faults_report(&g->faults, g->at,
				      "the trailer counts %" PRIu64 " samples: none are there",
				      s->count);
			return 0;
		}
	}
	return 1;
}

/* Reads the next stack with samples; returns as read_stack(). */
static int next_stack(struct gperftools *g, struct stack_at *s)
{
	int got;

	for (; (got = read_stack(g, s)) > 0; g->at = s->next) {
		if (!s->depth)
			faults_report(&g->faults, g->at,
				      "%" PRIu64 " samples without an address: left out", s->count);
		else if (!s->count)
			faults_report(&g->faults, g->at, "a stack without samples");
		else if (s->count > INT64_MAX - g->samples)
			faults_report(&g->faults, g->at,
				      "%" PRIu64 " samples, more than can be counted: left out",
				      s->count);
		else
			return 1;
	}
	return got;
}

/* Finds the text after the samples. Errors before it are noted, once. */
static void find_text(struct gperftools *g, bool *complete)
{
	struct stack_at s;
	int got;

	g->at = g->first;
	while ((got = next_stack(g, &s)) > 0) {
		g->samples += s.count;
		g->at = s.next;
	}
	*complete = !got;
	g->text = got ? g->w.size : s.next;
}

static int read_header(struct gperftools *g, struct pifile_fault *fault)
{
	const uint8_t *p;
	uint64_t words;
	size_t have;

	p = window_look(&g->w, 0, WINDOW, &have);
	if (!p || !find_layout(p, have, &g->slot, &g->swap))
		return -EINVAL;
	words = get(g, p, 1);
	g->first = (2 + words) * g->slot;
	if (have < g->first) {
		fault->offset = have;
		snprintf(fault->what, sizeof(fault->what),
			 "the file ends within the header of a profile by gperftools");
		return -EINVAL;
	}
	g->version = get(g, p, 2);
	g->period = get(g, p, 3);
	if (words < HEADER_SLOTS - 2)
		faults_report(&g->faults, g->slot,
			      "a header of %" PRIu64 " slots, which should have %d", words + 2,
			      HEADER_SLOTS);
	if (g->version > 1)
		faults_report(&g->faults, 2 * g->slot,
			      "version %" PRIu64 " is not known: read as version 0", g->version);
	if (!g->period)
		faults_report(&g->faults, 3 * g->slot,
			      "the header has no sampling period: samples have no time");
	if (g->period > UINT32_MAX / 1000) {
		faults_report(&g->faults, 3 * g->slot,
			      "a sampling period of %" PRIu64 " us: taken as unknown", g->period);
		g->period = 0;
	}
	g->period *= 1000;
	return 0;
}

static void name_process(struct gperftools *g)
{
	const char *name = "profile", *slash;
	uint32_t i;

	for (i = 0; i < g->nmapped; i++) {
		if (g->mapped[i]->flags & (PITRACE_MAP_ANON | PITRACE_MAP_VDSO))
			continue;
		name = g->mapped[i]->path;
		slash = strrchr(name, '/');
		name = slash && slash[1] ? slash + 1 : name;
		break;
	}
	g->task = (struct pitrace_mte_task){ .pid = NOBODY, .tid = NOBODY };
	memcpy(g->task.comm, name, strnlen(name, sizeof(g->task.comm) - 1));
}

static void gperftools_close(struct input *in)
{
	struct gperftools *g = in->state;
	uint32_t i;

	for (i = 0; i < g->nmapped; i++)
		free(g->mapped[i]);
	free(g->mapped);
	free(g->upper);
	java_free(&g->java);
	free(g->sample);
	free(g->faults.list);
	window_close(&g->w);
	free(g);
	in->state = NULL;
}

static int gperftools_open(struct input *in, struct pifile_fault *fault)
{
	struct gperftools *g = calloc(1, sizeof(*g));
	int rc;

	if (!g)
		return -ENOMEM;
	in->state = g;
	g->sample = calloc(1, sizeof(*g->sample));
	rc = window_open(&g->w, in->path, WINDOW);
	if (!rc && !g->sample)
		rc = -ENOMEM;
	if (!rc)
		rc = read_header(g, fault);
	if (!rc) {
		find_text(g, &in->complete);
		rc = read_text(g);
		if (!rc)
			rc = emit_java(g);
		if (!rc)
			rc = find_upper(g);
	}
	if (rc) {
		if (!fault->what[0])
			snprintf(fault->what, sizeof(fault->what), "%s", strerror(-rc));
		gperftools_close(in);
		return rc;
	}
	g->faults.all = true;
	name_process(g);
	in->size = g->w.size;
	in->header = (struct pifile_header){
		.clock = PITRACE_CLOCK_MONOTONIC,
		.clock_hz = 1000000000,
		.scope = PITRACE_SCOPE_PROCESS,
		.pid = NOBODY,
		.collector = "gperftools",
		.rate = g->period ? (uint32_t)(1000000000 / g->period) : 0,
	};
	g->interval = (struct pitrace_interval){ .interval = 1, .rate = in->header.rate };
	return 0;
}

/* ---- a pass ---------------------------------------------------------------------------------- */

static int gperftools_begin(struct input *in, unsigned int what)
{
	struct gperftools *g = in->state;

	g->what = what;
	g->given = 0;
	g->at = g->first;
	g->samples = 0;
	g->ended = !(what & PIMERGE_TRACE);
	return 0;
}

static void fill(struct pirecord *r, uint32_t ring, uint16_t major, uint32_t minor,
		 const void *data, size_t size)
{
	*r = (struct pirecord){
		.ring = ring,
		.major = major,
		.minor = minor,
		.type = PITRACE_TYPE_STRUCT,
		.data = data,
		.size = (uint32_t)size,
	};
}

/* Returns the process, its mappings, and the start of sampling. */
static bool give_first(struct gperftools *g, struct pirecord *r)
{
	struct pitrace_mte_map *t;

	for (;; g->given++) {
		if (g->given == g->nmapped + 2)
			return false;
		if (g->what & (g->given > g->nmapped ? PIMERGE_TRACE : PIMERGE_MTE))
			break;
	}
	if (!g->given) {
		fill(r, PITRACE_RING_MTE, PITRACE_MTE, PITRACE_MTE_PROCESS, &g->task,
		     sizeof(g->task));
	} else if (g->given <= g->nmapped) {
		t = g->mapped[g->given - 1];
		fill(r, PITRACE_RING_MTE, PITRACE_MTE, PITRACE_MTE_MODULE, t,
		     (sizeof(*t) + t->path_len + 4) & ~3ul);
		r->offset = g->text;
	} else {
		fill(r, PITRACE_RING_TRACE, PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, &g->interval,
		     sizeof(g->interval));
	}
	g->given++;
	return true;
}

/* Upper addresses belong to the kernel, except for the process's own mappings. */
static bool in_kernel(const struct gperftools *g, uint64_t pc)
{
	uint32_t low;

	if (!(pc >> 63))
		return false;
	low = search_sorted(i, 0, g->nupper, g->upper[i].start <= pc);
	return !low || g->upper[low - 1].last < pc;
}

static void give_sample(struct gperftools *g, const struct stack_at *s, struct pirecord *r)
{
	uint32_t depth = s->depth < STACK_ADDRESSES ? (uint32_t)s->depth : STACK_ADDRESSES, i;
	struct gperftools_sample *to = g->sample;
	uint32_t kernel = 0;
	__uint128_t time;

	for (i = 0; i < depth; i++)
		to->address[i] = java_address(&g->java, get(g, s->pc, i));
	while (kernel < depth && in_kernel(g, to->address[kernel]))
		kernel++;
	to->sample = (struct pitrace_sample){
		.pid = NOBODY,
		.tid = NOBODY,
		.address = to->address[0],
		.period = (uint32_t)g->period,
	};
	to->stack = (struct pitrace_stack){
		.kernel = (uint16_t)kernel,
		.user = (uint16_t)(depth - kernel),
		.flags = depth < s->depth ? PITRACE_STACK_CUT_U : 0,
	};
	fill(r, PITRACE_RING_TRACE, PITRACE_TPROF,
	     (kernel ? PITRACE_TPROF_KERNEL : PITRACE_TPROF_USER) | PITRACE_TPROF_STACK, to,
	     sizeof(to->sample) + sizeof(to->stack) + 8ul * depth);
	time = (__uint128_t)(g->samples + s->count) * g->period;
	r->time = r->stamp = time > INT64_MAX ? INT64_MAX : (uint64_t)time;
	r->repeats = s->count - 1;
	r->offset = g->at;
}

static int gperftools_next(struct input *in, struct pirecord *r)
{
	struct gperftools *g = in->state;
	struct stack_at s;

	if (give_first(g, r))
		return 1;
	if (g->ended || next_stack(g, &s) <= 0) {
		g->ended = true;
		return 0;
	}
	give_sample(g, &s, r);
	g->samples += s.count;
	g->at = s.next;
	return 1;
}

static void gperftools_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
	const struct gperftools *g = in->state;

	*done = g->at;
	*total = g->text;
}

static int gperftools_section(struct input *in, size_t i, struct input_section *section)
{
	struct gperftools *g = in->state;

	if (i || !g->java.n)
		return 0;
	*section = (struct input_section){ .type = INPUT_SEC_SYMBOLS };
	input_section_is(section, g->java.symbols.data, g->java.symbols.size);
	return 1;
}

static uint64_t gperftools_monotonic(struct input *in, uint64_t stamp)
{
	(void)in;
	return stamp;
}

/* The time of day is not recorded. */
static uint64_t gperftools_realtime(struct input *in, uint64_t stamp)
{
	(void)in;
	(void)stamp;
	return 0;
}

static size_t gperftools_faults(const struct input *in, const struct pifile_fault **list)
{
	const struct gperftools *g = in->state;

	*list = g->faults.list;
	return g->faults.count;
}

const struct reader reader_gperftools = {
	.name = "gperftools",
	.what = "a CPU profile as libprofiler writes it: google-pprof, go tool pprof",
	.probe = gperftools_probe,
	.open = gperftools_open,
	.begin = gperftools_begin,
	.next = gperftools_next,
	.progress = gperftools_progress,
	.section = gperftools_section,
	.monotonic = gperftools_monotonic,
	.realtime = gperftools_realtime,
	.faults = gperftools_faults,
	.close = gperftools_close,
};

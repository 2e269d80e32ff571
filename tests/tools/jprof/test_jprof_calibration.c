/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calibration with figures: the paper's figure 6 and table 1, floors, how far minima can be
 * trusted; minima as text, damaged and with another key; their file, which others may have planted,
 * and which many processes write at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "calibration_file.h"
#include "calibration_text.h"
#include "unit.h"

#define KEY "vm: A\ncpu: B\n"

/* ---- memory ---------------------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);

static int left = -1; /* allocations until one fails; -1: none does */

void *__wrap_malloc(size_t size)
{
	return left >= 0 && !left-- ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return left >= 0 && !left-- ? NULL : __real_calloc(n, size);
}

/* Whichever allocation fails, it is said, and nothing stays allocated. */
static void no_memory(void)
{
	struct value_spread *seen = calloc(SEQUENCES, sizeof(*seen));
	struct calibration c;

	CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
	for (int i = 0; i < 3; i++) {
		left = i;
		CU_ASSERT_EQUAL(calibration_init(&c, 1), -ENOMEM);
		CU_ASSERT(!c.minimum && !c.times && !c.floor && !c.most);
		left = -1;
	}
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	for (int i = 0; i < 2; i++) {
		left = i;
		CU_ASSERT_EQUAL(calibration_settle(&c, seen), -ENOMEM);
		CU_ASSERT_PTR_NULL(c.most);
		left = -1;
	}
	calibration_free(&c);
	free(seen);
}

/* ---- sequences ------------------------------------------------------------------------------- */

static void sequences(void)
{
	uint32_t paper = 0, java = 0, s;
	char name[SEQUENCE_NAME];

	for (s = 0; s < SEQUENCES; s++) {
		struct sequence_parts p = sequence_parts((uint16_t)s);

		CU_ASSERT_EQUAL_FATAL(sequence(p.before, p.came, p.ran, p.went, p.top), s);
		paper += sequence_of_paper((uint16_t)s);
		java += p.came <= EVENT_UNWIND && p.went <= EVENT_UNWIND &&
			p.before < TYPE_FUNCTION && p.ran < TYPE_FUNCTION && p.top < TYPE_FUNCTION;
	}
	CU_ASSERT_EQUAL(java, 4608);
	CU_ASSERT_EQUAL(paper, 1584);
	/* A native that a jitted method has called returns to that one. */
	CU_ASSERT_FALSE(sequence_of_paper(
		sequence(TYPE_JITTED, EVENT_ENTER, TYPE_NATIVE, EVENT_LEAVE, TYPE_NATIVE)));
	CU_ASSERT(sequence_of_paper(
		sequence(TYPE_JITTED, EVENT_ENTER, TYPE_NATIVE, EVENT_LEAVE, TYPE_JITTED)));
	sequence_name(sequence(TYPE_JITTED + 1, EVENT_UNWIND, TYPE_NATIVE, EVENT_CAUGHT,
			       TYPE_OTHER),
		      name);
	CU_ASSERT_STRING_EQUAL(name, "j-Xx-N-Ca-O");
	/* A native method calls a function. */
	s = sequence(TYPE_NATIVE, EVENT_ENTER, TYPE_FUNCTION, EVENT_LEAVE, TYPE_NATIVE);
	sequence_name((uint16_t)s, name);
	CU_ASSERT_STRING_EQUAL(name, "N-En-F-Ex-N");
	CU_ASSERT(sequence_learns((uint16_t)s));
	CU_ASSERT_EQUAL(sequence_next(s, EVENT_ENTER, TYPE_FUNCTION),
			sequence(TYPE_FUNCTION, EVENT_LEAVE, TYPE_NATIVE, EVENT_ENTER,
				 TYPE_FUNCTION));
	CU_ASSERT_EQUAL(sequence_instead(s, EVENT_POPPED, TYPE_OTHER),
			sequence(TYPE_NATIVE, EVENT_ENTER, TYPE_FUNCTION, EVENT_POPPED,
				 TYPE_OTHER));
}

/* ---- the paper ------------------------------------------------------------------------------- */

/* Table 1: of two transitions, one after the other, what runs without instrumentation, too. */
static const char table1[] = "pitrace calibration 1\n" KEY "\n"
			     "floor En-j-En-j 3\nfloor En-j-En-J 6\nfloor En-j-En-n 28\n"
			     "floor En-j-En-N 35\nfloor En-j-Ex-j 3\nfloor En-j-Ex-J 3\n"
			     "floor En-J-En-j 3\nfloor En-J-En-J 4\nfloor En-J-En-n 28\n"
			     "floor En-J-En-N 29\nfloor En-J-Ex-j 3\nfloor En-J-Ex-J 3\n"
			     "floor En-n-Ex-j 4\nfloor En-n-Ex-J 4\nfloor En-N-Ex-j 23\n"
			     "floor En-N-Ex-J 4\nfloor Ex-j-En-j 1\nfloor Ex-j-En-J 4\n"
			     "floor Ex-j-En-n 38\nfloor Ex-j-En-N 29\nfloor Ex-j-Ex-j 1\n"
			     "floor Ex-j-Ex-J 1\nfloor Ex-J-En-j 1\nfloor Ex-J-En-J 2\n"
			     "floor Ex-J-En-n 38\nfloor Ex-J-En-N 39\nfloor Ex-J-Ex-j 1\n"
			     "floor Ex-J-Ex-J 1\nend 28\n";

static void read_text(struct calibration *c, uint32_t metrics, const char *text)
{
	struct calibration_fault fault;

	CU_ASSERT_EQUAL_FATAL(calibration_init(c, metrics), 0);
	CU_ASSERT_EQUAL_FATAL(calibration_read(c, KEY, text, strlen(text), &fault), 0);
}

static uint64_t over(struct calibration *c, uint32_t before, uint32_t came, uint32_t ran,
		     uint32_t went, uint32_t top, uint64_t least)
{
	uint16_t s = sequence(before, came, ran, went, top);

	c->minimum[s] = least;
	return calibration_over(c, s, 0);
}

static void floors(void)
{
	const uint32_t j = TYPE_JITTED + 1, J = TYPE_JITTED, N = TYPE_NATIVE;
	struct calibration c;

	read_text(&c, 1, table1);
	/* Whatever ran before these four. */
	CU_ASSERT_EQUAL(over(&c, j, EVENT_ENTER, J, EVENT_ENTER, N, 100), 71);
	CU_ASSERT_EQUAL(over(&c, N, EVENT_ENTER, J, EVENT_ENTER, N, 129), 100);
	CU_ASSERT_EQUAL(over(&c, J, EVENT_LEAVE, j, EVENT_ENTER, N + 1, 40), 2);
	/* Less than the floor is no overhead at all; without one all is. What took nothing is 1. */
	CU_ASSERT_EQUAL(over(&c, J, EVENT_LEAVE, j, EVENT_ENTER, N + 1, 38), 0);
	CU_ASSERT_EQUAL(over(&c, J, EVENT_LEAVE, j, EVENT_ENTER, N + 1, 5), 0);
	CU_ASSERT_EQUAL(over(&c, J, EVENT_LEAVE, TYPE_INTERPRETED, EVENT_ENTER, J, 100), 100);
	CU_ASSERT_EQUAL(over(&c, J, EVENT_LEAVE, TYPE_INTERPRETED, EVENT_ENTER, J, 1), 0);
	calibration_free(&c);
}

/* Figure 6 in small, in its own numbers: what each node took, by events of which each comes so
 * long after the one before. */
static struct call_thread *t;
static uint64_t now;

static void enter(uint32_t method, uint32_t type, uint64_t time)
{
	now += time;
	call_enter(t, method, type, &now);
	now += 5000;
	t->last[0] = now;
}

static void leave(uint32_t method, uint64_t time)
{
	now += time;
	call_leave(t, method, &now);
	now += 5000;
	t->last[0] = now;
}

static void row(const struct calibration *c, uint32_t node, uint64_t calls, uint64_t made,
		uint64_t base, uint64_t want)
{
	const struct call_node *n = &t->nodes[node];
	bool clamped;
	uint64_t d = calibration_delta(c, t, node, 0, &clamped);

	CU_ASSERT(n->calls == calls && n->calls_made == made && !clamped);
	CU_ASSERT_EQUAL(d, want);
	CU_ASSERT_EQUAL(t->raw[node] - d, base);
}

static void figure6(void)
{
	enum { MY_A = 1, MY_C, INIT, OBJECT_INIT };
	const uint32_t j = TYPE_JITTED + 1, J = TYPE_JITTED;
	struct calibration c;
	uint32_t i;

	read_text(&c, 1, table1);
	t = call_thread_new(1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	t->last[0] = now = 1000;
	for (i = 0; i < 1000; i++) {
		/* A static leaf costs 1,225 a call; its work is its own. */
		enter(MY_A, J, 2000);
		enter(MY_C, j, 1192 + (i ? 5 : 0));    /* En-J-En-j: floor 3, so 1,189 */
		leave(MY_C, 1228 + (i ? 7004 : 4923)); /* En-j-Ex-J: floor 3, so 1,225 */
		leave(MY_A, 1190 + 2 + (i < 893));     /* Ex-j-Ex-O: no floor, so 1,189 */
		/* One that is not, 1,221: it works next to nothing. */
		enter(INIT, J, 1500);
		enter(OBJECT_INIT, J, 1195);
		leave(OBJECT_INIT, 1224 + (i % 25 < 22 ? 1 : 0));
		leave(INIT, 1195);
	}
	/* The least ones of other runs. */
	c.minimum[sequence(J, EVENT_ENTER, j, EVENT_LEAVE, J)] = 1228;
	c.minimum[sequence(TYPE_OTHER, EVENT_ENTER, J, EVENT_ENTER, j)] = 1192;
	c.minimum[sequence(j, EVENT_LEAVE, J, EVENT_LEAVE, TYPE_OTHER)] = 1189;
	calibration_add(&c, t);
	row(&c, 2, 1000, 0, 7004919, 1225000);
	row(&c, 4, 1000, 0, 3880, 1221000);
	/* A multiple in each sequence: of what it was entered, and returned into. */
	row(&c, 1, 1000, 1000, 11888, 2378000);
	for (i = 0; i < t->used; i++) {
		bool clamped;

		CU_ASSERT(calibration_delta(&c, t, i, 0, &clamped) <= t->raw[i] && !clamped);
	}
	call_thread_free(t);
	calibration_free(&c);
}

/* Minima that are more than what was seen leave nothing, and that is counted: never less. */
static void clamped(void)
{
	struct calibration c;
	bool clamped;

	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	t = call_thread_new(1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	t->last[0] = now = 1000;
	enter(1, TYPE_JITTED, 50);
	leave(1, 20);
	c.minimum[sequence(TYPE_OTHER, EVENT_ENTER, TYPE_JITTED, EVENT_LEAVE, TYPE_OTHER)] = 20;
	CU_ASSERT(calibration_delta(&c, t, 1, 0, &clamped) == 20 && !clamped);
	c.minimum[sequence(TYPE_OTHER, EVENT_ENTER, TYPE_JITTED, EVENT_LEAVE, TYPE_OTHER)] = 21;
	CU_ASSERT(calibration_delta(&c, t, 1, 0, &clamped) == 20 && clamped);
	/* A counter that goes back has measured nothing. */
	now -= 5000;
	enter(1, TYPE_JITTED, 10);
	CU_ASSERT(t->backwards == 1 && t->raw[0] == 50);
	call_thread_free(t);
	calibration_free(&c);
}

/* ---- how far it is to be trusted ------------------------------------------------------------- */

static void spreads(void)
{
	struct value_spread a = { 0 }, b = { 0 };
	uint32_t place;
	uint64_t v;

	for (place = 0; place + 1 < SPREAD_PLACES; place++) {
		CU_ASSERT_EQUAL_FATAL(spread_place(spread_from(place)), place);
		CU_ASSERT_EQUAL_FATAL(spread_place(spread_from(place + 1) - 1), place);
	}
	CU_ASSERT_EQUAL(spread_place(UINT64_MAX), SPREAD_PLACES - 1);
	CU_ASSERT_EQUAL(spread_tenth(&a, 7), 7);
	/* A tenth of 1,000 to 1,999 is less than 1,100. */
	for (v = 1000; v < 2000; v++)
		spread_add(v % 2 ? &a : &b, v);
	spread_merge(&a, &b);
	CU_ASSERT(a.times == 1000 && a.sum == 1499500);
	v = spread_tenth(&a, 1000);
	CU_ASSERT(v >= 1090 && v <= 1110);
	CU_ASSERT_EQUAL(spread_tenth(&a, 1500), 1500);
	/* All the same. */
	a = (struct value_spread){ 0 };
	for (v = 0; v < 100; v++)
		spread_add(&a, 64);
	CU_ASSERT(spread_tenth(&a, 64) >= 64 && spread_tenth(&a, 64) <= 66);
	a.place[24] = UINT32_MAX - 1;
	b = a;
	spread_add(&a, 96);
	spread_merge(&a, &b);
	CU_ASSERT_EQUAL(a.place[24], UINT32_MAX);
}

static void quality(void)
{
	uint16_t s = sequence(TYPE_JITTED, EVENT_ENTER, TYPE_JITTED, EVENT_LEAVE, TYPE_JITTED),
		 u = sequence(TYPE_JITTED, EVENT_LEAVE, TYPE_JITTED, EVENT_LEAVE, TYPE_JITTED),
		 never = sequence(TYPE_JITTED, EVENT_POPPED, TYPE_JITTED, EVENT_LEAVE, TYPE_JITTED);
	struct value_spread *seen = calloc(SEQUENCES, sizeof(*seen));
	struct calibration_quality q;
	struct calibration c;
	uint32_t i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	for (i = 0; i < 1000; i++) {
		spread_add(&seen[s], i < 10 ? 101 : 3000); /* the least ones are few */
		spread_add(&seen[u], 11);
	}
	spread_add(&seen[never], 500);
	c.minimum[s] = 100;
	c.times[s] = CALIBRATION_TRAINED;
	c.minimum[u] = 10;
	c.times[u] = CALIBRATION_TRAINED - 1;
	c.minimum[never] = 500;
	q = calibration_judge(&c, seen, 0);
	CU_ASSERT(q.trained == 1 && q.untrained == 1);
	CU_ASSERT_EQUAL(q.base, 10 * 1 + 990 * 2900 + 1000 * 1 + 500);
	CU_ASSERT_EQUAL(q.untrained_base, 1000);
	CU_ASSERT(q.uncertain > 1000 * 2400 && q.uncertain < 1000 * 3000);
	free(seen);
	calibration_free(&c);
}

/* ---- as text --------------------------------------------------------------------------------- */

static const char two[] = "pitrace calibration 1\n" KEY "\n"
			  "floor En-J-Ex-I 3 -\n"
			  "sequence I-En-J-Ex-I 5000 61 40\n"
			  "sequence J-Ca-J-Ca-J 18446744073709551615 - 7\n"
			  "end 3\n";

static void round_trip(void)
{
	struct calibration c;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint16_t s = sequence(TYPE_INTERPRETED, EVENT_ENTER, TYPE_JITTED, EVENT_LEAVE,
			      TYPE_INTERPRETED);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	read_text(&c, 2, two);
	CU_ASSERT(c.times[s] == 5000 && c.minimum[2 * s] == 61 && c.minimum[2 * s + 1] == 40);
	CU_ASSERT(calibration_over(&c, s, 0) == 58 && calibration_over(&c, s, 1) == 40);
	CU_ASSERT_EQUAL(calibration_write(out, &c, KEY), 0);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, two);
	free(text);
	calibration_free(&c);
}

static const char *fault_of(const char *text, size_t size, int want)
{
	static struct calibration_fault fault;
	struct calibration c;
	char *own = malloc(size + 1);
	int rc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(own);
	memcpy(own, text, size);
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 2), 0);
	rc = calibration_read(&c, KEY, own, size, &fault);
	CU_ASSERT_EQUAL(rc, want);
	CU_ASSERT(fault.offset <= size);
	calibration_free(&c);
	free(own);
	return fault.what;
}

static void damaged(void)
{
	size_t i;

	for (i = 0; i < sizeof(two) - 1; i++)
		CU_ASSERT_STRING_NOT_EQUAL(fault_of(two, i, -EINVAL), "");
	/* Each line separately. */
	static const struct {
		const char *line, *why;
	} bad[] = {
		{ "floor En-J-Ex-J 3\nend 1\n", "neither" },
		{ "floor En-J-Ex-J 3 4 5\nend 1\n", "neither" },
		{ "floor En-X-Ex-J 3 4\nend 1\n", "neither" },
		{ "floor En-J-Ex-J 0 4\nend 1\n", "neither" },
		{ "floor En-J-Ex-J 99999999999999999999 4\nend 1\n", "neither" },
		{ "sequence I-En-J-Po-I 5 61 40\nend 1\n", "neither" },
		{ "sequence I-En-J-Ex-I 61 40\nend 1\n", "neither" },
		{ "sequence I-En-J-Ex-I -5 61 40\nend 1\n", "neither" },
		{ "sequence\nend 1\n", "neither a floor nor a sequence, after 0 entries" },
		{ "floor En-J-Ex-J 3 4\n\nend 1\n", "neither a floor nor a sequence, after 1" },
		{ "end 1\n", "0 entries, but" },
		{ "end 0\nend 0\n", "data follows" },
	};
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[256];
		int n = snprintf(text, sizeof(text), "pitrace calibration 1\n" KEY "\n%s",
				 bad[i].line);

		CU_ASSERT_PTR_NOT_NULL(strstr(fault_of(text, (size_t)n, -EINVAL), bad[i].why));
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(fault_of("", 0, -EINVAL), "not a calibration file"));
}

static const char two_metrics[] =
	"pitrace calibration 1\nmetric: wall\nmetric: task-clock (ns)\nevents: x\n\nend 0\n";

static const char *fault_for(const char *key, const char *text)
{
	static struct calibration_fault fault;
	struct calibration c;

	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	CU_ASSERT_EQUAL(calibration_read(&c, key, text, strlen(text), &fault), -EKEYREJECTED);
	calibration_free(&c);
	return fault.what;
}

static void foreign(void)
{
#define OF(key) "pitrace calibration 1\n" key "\nend 0\n"
	static const char other[] = OF("vm: A\ncpu: C\n"), more[] = OF("vm: A\ncpu: B\nx: y\n"),
			  less[] = OF("vm: A\n"), none[] = OF("");

	CU_ASSERT_STRING_EQUAL(fault_of(other, sizeof(other) - 1, -EKEYREJECTED),
			       "it was recorded with another cpu: C; here it is B");
	CU_ASSERT_STRING_EQUAL(fault_of(more, sizeof(more) - 1, -EKEYREJECTED),
			       "it has an unexpected line in its key: 'x: y'");
	CU_ASSERT_STRING_EQUAL(fault_of(less, sizeof(less) - 1, -EKEYREJECTED),
			       "its key does not have cpu, which is B here");
	CU_ASSERT_STRING_EQUAL(fault_of(none, sizeof(none) - 1, -EKEYREJECTED),
			       "its key does not have vm, which is A here");

	/* More metrics, and fewer. */
	CU_ASSERT_STRING_EQUAL(fault_for("metric: wall\nevents: x\n", two_metrics),
			       "it was recorded with one more metric: task-clock (ns)");
	CU_ASSERT_STRING_EQUAL(fault_for("metric: wall\n", two_metrics),
			       "it was recorded with one more metric: task-clock (ns)");
	CU_ASSERT_STRING_EQUAL(fault_for("metric: wall\nmetric: task-clock (ns)\nmetric: tsc\nevents: x\n",
					 two_metrics),
			       "it was recorded without the metric tsc");
}

/* ---- the file -------------------------------------------------------------------------------- */

static char folder[] = "/tmp/test_jprof_calibration.XXXXXX";
static char path[64];

static const char *file_of(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static bool merge(const char *to, uint16_t s, uint64_t least, uint32_t *changed,
		  struct calibration_file *f)
{
	struct calibration c;
	bool good;

	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	c.minimum[s] = least;
	c.times[s] = 10;
	good = calibration_file_open(f, to, KEY) && calibration_file_merge(f, &c, KEY, changed);
	calibration_file_close(f);
	calibration_free(&c);
	return good;
}

static uint64_t least_of(const char *of, uint16_t s, uint64_t *times)
{
	struct calibration_file f;
	struct calibration c;
	uint64_t least;

	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	CU_ASSERT(calibration_file_open(&f, of, KEY) && calibration_file_load(&f, &c, KEY));
	least = c.minimum[s];
	*times = c.times[s];
	calibration_file_close(&f);
	calibration_free(&c);
	return least;
}

/* A sequence that was seen seldom costs what those cost that are like it, at most. */
static void seldom(void)
{
	uint16_t often = sequence(TYPE_JITTED, EVENT_ENTER, TYPE_JITTED, EVENT_LEAVE, TYPE_JITTED);
	uint16_t like = sequence(TYPE_INTERPRETED, EVENT_ENTER, TYPE_JITTED, EVENT_LEAVE,
				 TYPE_JITTED);
	uint16_t same = sequence(TYPE_NATIVE, EVENT_ENTER, TYPE_NATIVE, EVENT_LEAVE, TYPE_NATIVE);
	uint16_t other = sequence(TYPE_JITTED, EVENT_LEAVE, TYPE_JITTED, EVENT_ENTER, TYPE_JITTED);
	struct value_spread *seen = calloc(SEQUENCES, sizeof(*seen));
	struct calibration c;

	CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	c.minimum[often] = 31;
	c.times[often] = CALIBRATION_TRAINED - 1;
	seen[often].times = 1;
	c.minimum[like] = 1000000;
	seen[like].times = CALIBRATION_TRAINED - 1;
	c.minimum[same] = 20;
	seen[same].times = 1;
	c.minimum[other] = 1000;
	seen[other].times = 1;
	CU_ASSERT_EQUAL(calibration_over(&c, like, 0), 1000000);
	CU_ASSERT_EQUAL_FATAL(calibration_settle(&c, seen), 0);
	CU_ASSERT_EQUAL(calibration_over(&c, often, 0), 31);
	CU_ASSERT_EQUAL(calibration_over(&c, like, 0), 31);
	CU_ASSERT_EQUAL(calibration_over(&c, same, 0), 20); /* it cannot be more than that */
	CU_ASSERT_EQUAL(calibration_over(&c, other, 0), 31);
	calibration_free(&c);
	/* A value that was not seen often enough is unknown. */
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	c.minimum[like] = 1000000;
	CU_ASSERT_EQUAL_FATAL(calibration_settle(&c, seen), 0);
	CU_ASSERT_EQUAL(calibration_over(&c, like, 0), 0);
	calibration_free(&c);
	free(seen);
}

/* A minimum that has a floor stays as it is: what is less is of other code. */
static void together(void)
{
	uint16_t s = sequence(TYPE_JITTED, EVENT_LEAVE, TYPE_JITTED, EVENT_ENTER, TYPE_JITTED);
	uint16_t next = sequence(TYPE_NATIVE, EVENT_LEAVE, TYPE_JITTED, EVENT_ENTER, TYPE_JITTED);
	struct calibration trained, run;

	CU_ASSERT_EQUAL_FATAL(calibration_init(&trained, 1), 0);
	CU_ASSERT_EQUAL_FATAL(calibration_init(&run, 1), 0);
	trained.minimum[s] = 35;
	trained.floor[sequence_floor(s)] = 4;
	run.minimum[s] = 33;
	run.minimum[next] = 60;
	CU_ASSERT_EQUAL(calibration_merge(&trained, &run), 1);
	CU_ASSERT(trained.minimum[s] == 35 && trained.minimum[next] == 60);
	/* The other way round, too. */
	trained.minimum[next] = 0;
	CU_ASSERT_EQUAL(calibration_merge(&run, &trained), 1);
	CU_ASSERT(run.minimum[s] == 35 && run.minimum[next] == 60);
	CU_ASSERT_EQUAL(calibration_over(&run, s, 0), 31);
	/* Both have one. */
	trained.minimum[s] = 34;
	CU_ASSERT_EQUAL(calibration_merge(&run, &trained), 1);
	CU_ASSERT_EQUAL(run.minimum[s], 34);
	calibration_free(&trained);
	calibration_free(&run);
}

/* For its hooks it does not matter whether a method is static, or native: the least one of such
 * sequences is used. One that is not above its floor is not used for the others. */
static void hooked(void)
{
	const uint32_t j = TYPE_JITTED + 1, J = TYPE_JITTED;
	uint16_t pure = sequence(J, EVENT_LEAVE, J, EVENT_ENTER, J);
	uint16_t work = sequence(j, EVENT_LEAVE, j, EVENT_ENTER, J);
	uint16_t none = sequence(j, EVENT_LEAVE, J, EVENT_ENTER, j);
	uint16_t native = sequence(J, EVENT_LEAVE, TYPE_NATIVE, EVENT_ENTER, J);
	uint16_t other = sequence(J, EVENT_LEAVE, TYPE_INTERPRETED, EVENT_ENTER, J);
	struct value_spread *seen = calloc(SEQUENCES, sizeof(*seen));
	struct calibration c;

	CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	c.minimum[pure] = 50;
	c.minimum[native] = 160;
	c.times[native] = CALIBRATION_TRAINED;
	c.minimum[work] = 61;
	c.minimum[other] = 70;
	c.minimum[none] = 5;
	c.floor[sequence_floor(none)] = 6;
	c.times[pure] = c.times[work] = c.times[none] = c.times[other] = CALIBRATION_TRAINED;
	CU_ASSERT_EQUAL_FATAL(calibration_settle(&c, seen), 0);
	CU_ASSERT_EQUAL(calibration_over(&c, pure, 0), 50);
	CU_ASSERT_EQUAL(calibration_over(&c, work, 0), 50);
	CU_ASSERT_EQUAL(calibration_over(&c, native, 0), 50);
	CU_ASSERT_EQUAL(calibration_over(&c, none, 0), 0);
	CU_ASSERT_EQUAL(calibration_over(&c, other, 0), 70);
	calibration_free(&c);
	free(seen);
}

static const uint16_t some = TYPE_JITTED << 9; /* a sequence's number */

static void kept(void)
{
	const char *to = file_of("kept");
	struct calibration_file f;
	uint32_t changed;
	uint64_t times;
	struct stat st;

	CU_ASSERT(merge(to, some, 70, &changed, &f) && changed == 1);
	CU_ASSERT(!stat(to, &st) && (st.st_mode & 0777) == 0600);
	CU_ASSERT(merge(to, some, 90, &changed, &f) && changed == 0);
	CU_ASSERT(least_of(to, some, &times) == 70 && times == 20);
	CU_ASSERT(merge(to, some, 60, &changed, &f) && changed == 1);
	CU_ASSERT(merge(to, some + 1, 5, &changed, &f) && changed == 1);
	CU_ASSERT(least_of(to, some, &times) == 60 && times == 30);
}

/* Sixteen processes at once: nothing is lost, and no process reads half a file. */
static void at_once(void)
{
	const char *to = file_of("at_once");
	struct calibration_file f;
	uint32_t changed, i;
	uint64_t times;
	int status;

	for (i = 0; i < 16; i++) {
		if (fork())
			continue;
		for (uint32_t turn = 0; turn < 5; turn++)
			if (!merge(to, some, 1000 - i * 5 - turn, &changed, &f))
				_exit(1);
		_exit(0);
	}
	for (i = 0; i < 16; i++)
		CU_ASSERT(wait(&status) > 0 && status == 0);
	CU_ASSERT(least_of(to, some, &times) == 921 && times == 16 * 5 * 10);
}

/* Others that write in turn keep the lock from us for longer than one that only holds it may. */
static void in_turn(void)
{
	const char *to = file_of("in_turn");
	struct calibration_file f;
	int ready[2], status;
	uint32_t changed;
	char byte;
	pid_t pid;

	CU_ASSERT_FATAL(merge(to, some, 70, &changed, &f) && !pipe(ready));
	pid = fork();
	if (!pid) {
		int dir = open(file_of("."), O_RDONLY | O_DIRECTORY);

		if (dir < 0 || flock(dir, LOCK_EX) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (int i = 0; i < 45; i++) {
			usleep(100000);
			if (utimensat(dir, "in_turn", NULL, 0))
				_exit(1);
		}
		_exit(0);
	}
	CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
	CU_ASSERT(merge(to, some, 60, &changed, &f) && changed == 1);
	CU_ASSERT(waitpid(pid, &status, 0) == pid && !status);
	close(ready[0]);
	close(ready[1]);
}

static void expect(const char *to, const char *why)
{
	struct calibration_file f;
	struct stat before, after;
	uint32_t changed;
	int was = lstat(to, &before);

	CU_ASSERT_FALSE(merge(to, some, 1, &changed, &f));
	CU_ASSERT_PTR_NOT_NULL(strstr(f.why, why));
	if (!strstr(f.why, why))
		printf("# %s, not: %s\n", f.why, why);
	/* The file is unchanged. */
	CU_ASSERT_EQUAL(was, lstat(to, &after));
	CU_ASSERT(was || (before.st_ino == after.st_ino && before.st_size == after.st_size));
}

static void put(const char *to, const char *text)
{
	FILE *out = fopen(to, "we");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs(text, out);
	fclose(out);
}

static void planted(void)
{
	char real[64];
	const char *to;

	strcpy(real, file_of("real"));
	put(real, OF("vm: A\ncpu: B\n"));
	to = file_of("link");
	CU_ASSERT_EQUAL(symlink(real, to), 0);
	expect(to, "it is a link");
	to = file_of("nowhere");
	CU_ASSERT_EQUAL(symlink("/nowhere/at/all", to), 0);
	expect(to, "it is a link");
	to = file_of("pipe");
	CU_ASSERT_EQUAL(mkfifo(to, 0600), 0);
	expect(to, "not a regular file");
	expect("/dev/null", "not a regular file");
	to = file_of("folder");
	CU_ASSERT_EQUAL(mkdir(to, 0700), 0);
	expect(to, "not a regular file");
	expect(file_of("folder/"), "it is a folder");
	expect(file_of("none/x"), "No such file");
	to = file_of("open");
	put(to, OF("vm: A\ncpu: B\n"));
	CU_ASSERT_EQUAL(chmod(to, 0622), 0);
	expect(to, "can be written by other users");
	to = file_of("foreign");
	put(to, OF("vm: A\ncpu: C\n"));
	expect(to, "another cpu: C; here it is B");
	to = file_of("cut");
	put(to, "pitrace calibration 1\n" KEY "\nfloor En-J-");
	expect(to, "line 5, byte 36: the file is truncated after 0 entries");
	to = file_of("large");
	put(to, "");
	CU_ASSERT_EQUAL(truncate(to, (off_t)CALIBRATION_SIZE_MOST + 1), 0);
	expect(to, "File too large");
	to = file_of("folder");
	CU_ASSERT_EQUAL(chmod(to, 0777), 0);
	expect(file_of("folder/x"), "its folder can be written by other users");
	CU_ASSERT_EQUAL(chmod(file_of("folder"), 01777), 0);
	if (geteuid())
		return;
	to = file_of("other");
	put(to, OF("vm: A\ncpu: B\n"));
	CU_ASSERT_EQUAL(chown(to, 12345, 12345), 0);
	expect(to, "it belongs to another user");
	CU_ASSERT_EQUAL(chown(file_of("folder"), 12345, 12345), 0);
	expect(file_of("folder/x"), "its folder belongs to another user");
}

/* A lock that somebody holds for ever. */
static void held(void)
{
	const char *to = file_of("folder2/x");
	struct calibration_file f;
	uint32_t changed;
	int fd;

	CU_ASSERT_EQUAL(mkdir(file_of("folder2"), 0700), 0);
	fd = open(file_of("folder2"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CU_ASSERT(fd >= 0 && !flock(fd, LOCK_EX));
	to = file_of("folder2/x");
	CU_ASSERT_FALSE(merge(to, some, 1, &changed, &f));
	CU_ASSERT_PTR_NOT_NULL(strstr(f.why, "cannot be locked"));
	close(fd);
	CU_ASSERT(merge(to, some, 1, &changed, &f));
}

/* The user's cache: a file of each key. */
static void cache(void)
{
	struct calibration_file a, b;

	setenv("XDG_CACHE_HOME", file_of("cache"), 1);
	CU_ASSERT(calibration_file_open(&a, NULL, KEY));
	CU_ASSERT(calibration_file_open(&b, NULL, KEY "metric: x\n"));
	CU_ASSERT(!strncmp(a.path, file_of("cache/pitrace/jprof-"), strlen(path)));
	CU_ASSERT_STRING_NOT_EQUAL(a.path, b.path);
	calibration_file_close(&a);
	calibration_file_close(&b);
	setenv("XDG_CACHE_HOME", "/dev/null/x", 1);
	CU_ASSERT_FALSE(calibration_file_open(&a, NULL, KEY));
	CU_ASSERT_PTR_NOT_NULL(strstr(a.why, "Not a directory"));
	unsetenv("XDG_CACHE_HOME");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "no_memory", no_memory }, { "sequences", sequences },
		{ "floors", floors },       { "figure6", figure6 },
		{ "clamped", clamped },     { "spreads", spreads },
		{ "quality", quality },     { "round_trip", round_trip },
		{ "damaged", damaged },     { "foreign", foreign },
		{ "kept", kept },           { "at_once", at_once },
		{ "in_turn", in_turn },     { "planted", planted },
		{ "held", held },           { "cache", cache },
		{ "seldom", seldom },       { "together", together },
		{ "hooked", hooked },       { NULL, NULL },
	};
	char command[128];
	int code;

	if (!mkdtemp(folder))
		return 1;
	code = unit_run("jprof_calibration", tests);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || code;
}

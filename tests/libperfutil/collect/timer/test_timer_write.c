/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The timer collector's processing of programs' reports: which stacks are valid, how long a time a
 * sample stands for, which reading has the mapping that a sample needs, and the value of a reading
 * with a line missing; and which programs it can enter, through scripts.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/own_machine.h"
#include "file/record_walk.h"
#include "collect/timer/timer_program.h"
#include "collect/timer/timer_session.h"
#include "unit.h"

#define PID      50000000u /* no kernel has such processes */
#define INTERVAL 1000000u

static struct timer_session s;
static struct timer_process *p;

struct told {
	uint16_t major;
	uint32_t minor, size;
	uint64_t stamp, start, length; /* of a mapping; of a sample its address, its period */
	char path[64];
	uint8_t id[20];
};
static struct told told[64];
static unsigned int n;

static int take(void *arg, const void *segment, size_t size)
{
	struct pitrace_segment h;
	struct record_walk w;
	struct record r;

	(void)arg;
	CU_ASSERT_EQUAL_FATAL(record_walk_begin(&w, segment, size, &h), 0);
	while (record_next(&w, &r) > 0) {
		struct told *t = &told[n];
		struct pitrace_mte_map map;
		struct pitrace_mte_unmap unmap;
		struct pitrace_sample sample;
		struct pitrace_mte_buildid id;

		CU_ASSERT_FATAL(n++ < 64);
		*t = (struct told){ .major = r.major,
				    .minor = r.minor,
				    .size = (uint32_t)r.size,
				    .stamp = r.stamp };
		if (r.major == PITRACE_MTE && r.minor == PITRACE_MTE_MODULE) {
			memcpy(&map, r.data, sizeof(map));
			t->start = map.start;
			t->length = map.length;
			snprintf(t->path, sizeof(t->path), "%s",
				 (const char *)r.data + sizeof(map));
		} else if (r.major == PITRACE_MTE && r.minor == PITRACE_MTE_UNMAP) {
			memcpy(&unmap, r.data, sizeof(unmap));
			t->start = unmap.start;
			t->length = unmap.length;
		} else if (r.major == PITRACE_MTE && r.minor == PITRACE_MTE_BUILDID) {
			memcpy(&id, r.data, sizeof(id));
			memcpy(t->id, id.id, sizeof(t->id));
		} else if (r.major == PITRACE_TPROF) {
			memcpy(&sample, r.data, sizeof(sample));
			t->start = sample.address;
			t->length = sample.period;
		} else if (r.major == PITRACE_LOST) {
			t->length = ((const struct pitrace_lost_rec *)r.data)->count;
		}
	}
	return 0;
}

static void begin(void)
{
	s = (struct timer_session){ .second = UINT64_MAX };
	CU_ASSERT_EQUAL_FATAL(user_rings_open(&s.out, 65536), 0);
	s.out.sink = take;
	s.out.steps = TIMER_STEPS;
	s.folder.control.interval = INTERVAL;
	p = timer_process_get(&s.all, PID, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	/* Its new mappings need not be read any more. */
	p->gone = true;
	timer_add_item(&s, p, TIMER_START, PID, 10, "1 (a) R 1", 9);
	n = 0;
}

static void finish(void)
{
	n = 0;
	timer_write_until(&s, UINT64_MAX);
	user_rings_flush(&s.out);
	CU_ASSERT_EQUAL(s.out.err, 0);
	CU_ASSERT_EQUAL(s.nitem, 0);
	CU_ASSERT_EQUAL(s.item_bytes, 0);
	timer_items_free(&s);
	timer_processes_free(&s.all);
	user_rings_close(&s.out);
}

static const struct told *find(uint16_t major, uint32_t minor, uint64_t stamp)
{
	for (unsigned int i = 0; i < n; i++)
		if (told[i].major == major && told[i].minor == minor && told[i].stamp == stamp)
			return &told[i];
	return NULL;
}

static unsigned int count(uint16_t major, uint32_t minor)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < n; i++)
		found += told[i].major == major && told[i].minor == minor;
	return found;
}

/* ---- samples --------------------------------------------------------------------------------- */

#define USER PITRACE_TPROF_USER
#define COPY PITRACE_STACK_COPY
#define MOST PITRACE_STACK_COPY_MAX

static void sample(uint64_t stamp, uint64_t address, uint32_t overruns)
{
	struct timer_sample t = { .address = address, .overruns = overruns };

	timer_add_item(&s, p, TIMER_SAMPLE, PID, stamp, &t, sizeof(t));
}

static void overruns(void)
{
	struct timer_sample whole = { .address = 1 };

	begin();
	sample(100, 0x1000, 0);
	sample(200, 0x1000, 1);
	sample(300, 0x1000, 5000);
	sample(400, 0x1000, 2000000);
	timer_add_item(&s, p, TIMER_SAMPLE, PID, 500, &whole, sizeof(whole) - 1);
	finish();
	CU_ASSERT_EQUAL(count(PITRACE_TPROF, USER), 4);
	CU_ASSERT_EQUAL_FATAL(find(PITRACE_TPROF, USER, 100)->length, INTERVAL);
	CU_ASSERT_EQUAL(find(PITRACE_TPROF, USER, 200)->length, 2 * INTERVAL);
	/* A value that does not fit is replaced by the maximum. */
	CU_ASSERT_EQUAL(find(PITRACE_TPROF, USER, 300)->length, UINT32_MAX);
	CU_ASSERT_EQUAL(find(PITRACE_TPROF, USER, 400)->length, UINT32_MAX);
	CU_ASSERT_PTR_NULL(find(PITRACE_LOST, PITRACE_LOST_OVERRUN, 100));
	CU_ASSERT_EQUAL_FATAL(find(PITRACE_LOST, PITRACE_LOST_OVERRUN, 200)->length, 1);
	CU_ASSERT_EQUAL(find(PITRACE_LOST, PITRACE_LOST_OVERRUN, 300)->length, 5000);
	CU_ASSERT_EQUAL(find(PITRACE_LOST, PITRACE_LOST_OVERRUN, 400)->length, 1000000);
	CU_ASSERT_EQUAL_FATAL(find(PITRACE_LOST, PITRACE_LOST_TPROF, 500)->length, 1);
}

/* Samples of a program that has not announced itself. */
static void before_its_start(void)
{
	begin();
	sample(5, 0x1000, 0);
	sample(20, 0x1000, 0);
	finish();
	CU_ASSERT_EQUAL(count(PITRACE_TPROF, USER), 1);
	CU_ASSERT_PTR_NOT_NULL(find(PITRACE_LOST, PITRACE_LOST_TPROF, 5));
	CU_ASSERT_PTR_NOT_NULL(find(PITRACE_TPROF, USER, 20));
}

struct stack_told {
	struct timer_sample sample;
	struct pitrace_stack stack;
	uint64_t words[PITRACE_STACK_MAX + 1 + PITRACE_STACK_COPY_MAX / 8 + 8];
};

static void stacks(void)
{
	static const struct {
		struct pitrace_stack stack;
		int less; /* bytes that the record has too few of */
		bool is;
	} tries[] = {
		{ { .user = 2 }, 0, true },
		{ { .user = PITRACE_STACK_MAX, .flags = PITRACE_STACK_CUT_U }, 0, true },
		{ { .user = 1, .flags = PITRACE_STACK_NONE_U }, 0, true },
		{ { .user = 1, .flags = COPY, .regs = 4, .bytes = 64 }, 0, true },
		{ { .user = 1, .flags = COPY, .bytes = MOST }, 0, true },
		{ { .user = 0 }, 0, false },
		{ { .user = PITRACE_STACK_MAX + 1 }, 0, false },
		{ { .user = 2, .kernel = 1 }, 0, false },
		{ { .user = 2, .reserved = 1 }, 0, false },
		{ { .user = 2, .flags = PITRACE_STACK_CUT_K }, 0, false },
		{ { .user = 2, .flags = PITRACE_STACK_32BIT }, 0, false },
		{ { .user = 1, .regs = 1 }, 0, false },
		{ { .user = 1, .bytes = 8 }, 0, false },
		{ { .user = 1, .flags = COPY, .bytes = 12 }, 0, false },
		{ { .user = 1, .flags = COPY, .bytes = MOST + 8 }, 0, false },
		{ { .user = 2 }, 1, false },
		{ { .user = 1, .flags = COPY, .regs = 4, .bytes = 64 }, 1, false },
		{ { .user = 1 }, 9, false },
	};
	static struct stack_told t;

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		const struct pitrace_stack *k = &tries[i].stack;
		uint32_t bytes = sizeof(*k) + 8u * (k->user + k->regs) + k->bytes;
		const struct told *got;

		begin();
		t.sample = (struct timer_sample){ .address = 0x1000, .flags = TIMER_STACK };
		t.stack = *k;
		timer_add_item(&s, p, TIMER_SAMPLE, PID, 100, &t,
			       (uint32_t)sizeof(t.sample) + bytes - (uint32_t)tries[i].less);
		finish();
		got = find(PITRACE_TPROF, USER | PITRACE_TPROF_STACK, 100);
		if ((got != NULL) != tries[i].is)
			printf("# stack %zu\n", i);
		CU_ASSERT_EQUAL(got != NULL, tries[i].is);
		CU_ASSERT(!got || got->size == sizeof(struct pitrace_sample) + bytes);
		/* The sample is one in any case. */
		CU_ASSERT(got || find(PITRACE_TPROF, USER, 100));
	}
	/* Not said to have one: what follows is nothing. */
	begin();
	t.sample.flags = 0;
	t.stack = tries[0].stack;
	timer_add_item(&s, p, TIMER_SAMPLE, PID, 100, &t, sizeof(t.sample) + sizeof(t.stack) + 16);
	finish();
	CU_ASSERT_PTR_NOT_NULL(find(PITRACE_TPROF, USER, 100));
}

/* ---- looks ----------------------------------------------------------------------------------- */

#define A_MAP "1000-3000 r-xp 00000000 fe:01 0 /lib/a.so"
#define B_MAP "1000-3000 r-xp 00000000 fe:01 0 /lib/b.so"
#define C_MAP "5000-6000 r-xp 00000000 fe:01 0 /lib/c.so"

static void line(struct timer_process *of, uint64_t stamp, const char *text)
{
	timer_add_item(&s, of, TIMER_MAP, of->pid, stamp, text, (uint32_t)strlen(text));
}

static void look(struct timer_process *of, uint64_t stamp, uint32_t lines)
{
	timer_add_item(&s, of, TIMER_SCAN, of->pid, stamp, &lines, sizeof(lines));
}

static void is_map(const struct told *t, const char *path, uint64_t start, uint64_t length)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	CU_ASSERT_STRING_EQUAL(t->path, path);
	CU_ASSERT(t->start == start && t->length == length);
}

/* The next look that shows it: the mapping begins with the sample. */
static void next_look(void)
{
	struct timer_process *other;

	begin();
	other = timer_process_get(&s.all, PID + 1, 1);
	other->gone = true;
	look(p, 20, 0);
	sample(30, 0x2fff, 0);
	sample(31, 0x3000, 0); /* one beyond it */
	line(other, 40, B_MAP);
	line(p, 50, C_MAP);
	line(p, 50, A_MAP);
	look(p, 50, 2);
	finish();
	CU_ASSERT_EQUAL(count(PITRACE_MTE, PITRACE_MTE_MODULE), 2);
	is_map(find(PITRACE_MTE, PITRACE_MTE_MODULE, 30), "/lib/a.so", 0x1000, 0x2000);
	is_map(find(PITRACE_MTE, PITRACE_MTE_MODULE, 50), "/lib/c.so", 0x5000, 0x1000);
	CU_ASSERT_EQUAL(count(PITRACE_MTE, PITRACE_MTE_UNMAP), 0);
}

/* A look between that does not show it: whatever came there later was not there. */
static void look_between(void)
{
	begin();
	look(p, 20, 0);
	sample(30, 0x1000, 0);
	line(p, 40, C_MAP);
	look(p, 40, 1);
	line(p, 50, A_MAP);
	line(p, 50, C_MAP);
	look(p, 50, 2);
	finish();
	CU_ASSERT_PTR_NULL(find(PITRACE_MTE, PITRACE_MTE_MODULE, 30));
	is_map(find(PITRACE_MTE, PITRACE_MTE_MODULE, 40), "/lib/c.so", 0x5000, 0x1000);
	is_map(find(PITRACE_MTE, PITRACE_MTE_MODULE, 50), "/lib/a.so", 0x1000, 0x2000);
}

/* One library after the other at the same place. */
static void replaced(void)
{
	begin();
	line(p, 20, A_MAP);
	look(p, 20, 1);
	sample(30, 0x1000, 0);
	look(p, 40, 0);
	sample(45, 0x1000, 0);
	line(p, 50, B_MAP);
	look(p, 50, 1);
	sample(60, 0x1000, 0);
	look(p, 70, 0);
	finish();
	is_map(find(PITRACE_MTE, PITRACE_MTE_MODULE, 20), "/lib/a.so", 0x1000, 0x2000);
	is_map(find(PITRACE_MTE, PITRACE_MTE_MODULE, 45), "/lib/b.so", 0x1000, 0x2000);
	CU_ASSERT_EQUAL(count(PITRACE_MTE, PITRACE_MTE_MODULE), 2);
	CU_ASSERT_PTR_NOT_NULL(find(PITRACE_MTE, PITRACE_MTE_UNMAP, 40));
	CU_ASSERT_PTR_NOT_NULL(find(PITRACE_MTE, PITRACE_MTE_UNMAP, 70));
	CU_ASSERT_EQUAL(count(PITRACE_MTE, PITRACE_MTE_UNMAP), 2);
}

/* A line of it was lost: nothing is said to be gone, and nothing is there by it. */
static void look_incomplete(void)
{
	begin();
	line(p, 20, A_MAP);
	look(p, 20, 1);
	line(p, 40, C_MAP);
	look(p, 40, 2);
	look(p, 50, 1);
	line(p, 60, A_MAP);
	look(p, 60, 1);
	finish();
	CU_ASSERT_EQUAL(count(PITRACE_MTE, PITRACE_MTE_MODULE), 1);
	CU_ASSERT_EQUAL(count(PITRACE_MTE, PITRACE_MTE_UNMAP), 0);
}

/* Adds a build id of the reading that shows the mapping, for the file there. */
static void build_id(uint64_t stamp, uint64_t address, uint8_t byte)
{
	struct timer_build_id id = { .address = address, .size = 20 };

	memset(id.id, byte, sizeof(id.id));
	timer_add_item(&s, p, TIMER_BUILD_ID, PID, stamp, &id, sizeof(id));
}

static void ids(void)
{
	static const char file[] = "1000-3000 r-xp 00000000 fe:01 77 /nowhere/a.so";
	const struct told *t;

	begin();
	look(p, 20, 0);
	sample(30, 0x1000, 0);
	build_id(40, 0x3000, 3); /* beyond it */
	build_id(40, 0x2fff, 1);
	build_id(40, 0xfff, 4);
	line(p, 40, file);
	look(p, 40, 1);
	finish();
	is_map(find(PITRACE_MTE, PITRACE_MTE_MODULE, 30), "/nowhere/a.so", 0x1000, 0x2000);
	t = find(PITRACE_MTE, PITRACE_MTE_BUILDID, 30);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	CU_ASSERT(t->id[0] == 1 && t->id[19] == 1);
	CU_ASSERT_EQUAL(count(PITRACE_MTE, PITRACE_MTE_BUILDID), 1);
}

/* The callers of a sample need their mappings too. */
static void callers(void)
{
	static struct stack_told t;

	begin();
	look(p, 20, 0);
	t.sample = (struct timer_sample){ .address = 0x1000, .flags = TIMER_STACK };
	t.stack = (struct pitrace_stack){ .user = 2 };
	t.words[0] = 0x1000;
	t.words[1] = 0x5fff;
	timer_add_item(&s, p, TIMER_SAMPLE, PID, 30, &t, sizeof(t.sample) + sizeof(t.stack) + 16);
	line(p, 40, A_MAP);
	line(p, 40, C_MAP);
	look(p, 40, 2);
	finish();
	CU_ASSERT_EQUAL(count(PITRACE_MTE, PITRACE_MTE_MODULE), 2);
	CU_ASSERT_PTR_NULL(find(PITRACE_MTE, PITRACE_MTE_MODULE, 40));
}

/* ---- programs -------------------------------------------------------------------------------- */

static char folder[] = "/tmp/timer_write.XXXXXX";

static const char *in(const char *name)
{
	static char path[4][200];
	static unsigned int turn;
	char *to = path[turn++ % 4];

	snprintf(to, sizeof(path[0]), "%s/%s", folder, name);
	return to;
}

static void file(const char *name, mode_t mode, const void *data, size_t size)
{
	int fd = open(in(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	CU_ASSERT_FATAL(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	CU_ASSERT_EQUAL(fchmod(fd, mode), 0);
	close(fd);
}

/* A program of that loader ("": it has none). */
static void program(const char *name, mode_t mode, int class, unsigned int machine,
		    const char *loader)
{
	struct {
		Elf64_Ehdr h;
		Elf64_Phdr p[2];
		char loader[64];
	} f = {
		.h = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, (unsigned char)class },
			.e_machine = (Elf64_Half)machine,
			.e_phoff = sizeof(Elf64_Ehdr), .e_phnum = 2,
		},
		.p = {
			{ .p_type = PT_LOAD },
			{ .p_type = *loader ? PT_INTERP : PT_NOTE,
			  .p_offset = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr),
			  .p_filesz = strlen(loader) + 1 },
		},
	};

	snprintf(f.loader, sizeof(f.loader), "%s", loader);
	file(name, mode, &f, sizeof(f));
}

static void script(const char *name, const char *line)
{
	file(name, 0755, line, strlen(line));
}

/* Can it? If not, these words are said. */
static void enters(const char *name, const char *words)
{
	char why[400] = "", cure[200] = "";
	bool can = timer_can_enter(in(name), why, sizeof(why), cure, sizeof(cure));

	if (can != !words || (words && !strstr(why, words)))
		printf("# %s: %d %s\n", name, can, why);
	CU_ASSERT_EQUAL(can, !words);
	CU_ASSERT(!words || strstr(why, words));
}

static void programs(void)
{
	static const char glibc[] = "/lib64/ld-linux.so.2";
	char line[300], name[8], last[8];

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	program("good", 0755, ELFCLASS64, OWN_MACHINE, glibc);
	program("static", 0755, ELFCLASS64, OWN_MACHINE, "");
	program("narrow", 0755, ELFCLASS32, OWN_MACHINE, glibc);
	program("foreign", 0755, ELFCLASS64, OWN_MACHINE + 1, glibc);
	program("musl", 0755, ELFCLASS64, OWN_MACHINE, "/lib/ld-musl-x.so.1");
	program("cut", 0755, ELFCLASS64, OWN_MACHINE, glibc);
	CU_ASSERT_EQUAL(truncate(in("cut"), sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) + 4), 0);
	enters("good", NULL);
	enters("static", "is a static program");
	enters("narrow", "32-bit program or another machine's");
	enters("foreign", "32-bit program or another machine's");
	enters("musl", "is a musl program (/lib/ld-musl-x.so.1)");
	enters("cut", NULL); /* the system will say what is wrong with it */
	enters("none", NULL);

	/* For a script, its interpreter counts: blanks before it, an option after it. */
	snprintf(line, sizeof(line), "#!%s\nanything", in("static"));
	script("s1", line);
	enters("s1", "static is a static program");
	snprintf(line, sizeof(line), "#! \t %s -x\n", in("static"));
	script("s2", line);
	enters("s2", "static is a static program");
	snprintf(line, sizeof(line), "#!%s\t-x\n", in("musl"));
	script("s3", line);
	enters("s3", "is a musl program");
	snprintf(line, sizeof(line), "#!%s\n", in("good"));
	script("s4", line);
	enters("s4", NULL);
	snprintf(line, sizeof(line), "# %s\n", in("static"));
	script("s5", line);
	enters("s5", NULL);
	script("s6", "#!\n");
	enters("s6", NULL);

	/* A script of a script, as deep as the system allows, and one deeper. */
	strcpy(last, "static");
	for (int depth = 1; depth <= 5; depth++) {
		snprintf(name, sizeof(name), "d%d", depth);
		snprintf(line, sizeof(line), "#!%s\n", in(last));
		script(name, line);
		enters(name, depth <= 4 ? "is a static program" : NULL);
		strcpy(last, name);
	}

	/* A program that gains rights is not entered; a script does not gain any. */
	snprintf(line, sizeof(line), "#!%s\n", in("good"));
	script("s7", line);
	CU_ASSERT_EQUAL(chmod(in("s7"), 06755), 0);
	enters("s7", NULL);
	if (!geteuid()) {
		CU_ASSERT_EQUAL(chown(in("good"), 61301, 61301), 0);
		enters("good", NULL);
		CU_ASSERT_EQUAL(chmod(in("good"), 04755), 0);
		enters("good", "set-user-id");
		enters("s4", "set-user-id");
		CU_ASSERT_EQUAL(chmod(in("good"), 02755), 0);
		enters("good", "set-group-id");
		CU_ASSERT_EQUAL(chmod(in("good"), 02745), 0);
		enters("good", NULL); /* no group's: a lock's sign */
		CU_ASSERT_EQUAL(chown(in("good"), 0, 0), 0);
		CU_ASSERT_EQUAL(chmod(in("good"), 06755), 0);
		enters("good", NULL); /* one has these rights */
	}
	snprintf(line, sizeof(line), "rm -rf %s", folder);
	CU_ASSERT_EQUAL(system(line), 0);
}

int main(void)
{
	static const struct unit_test tests[] = { { "overruns", overruns },
						  { "before_its_start", before_its_start },
						  { "stacks", stacks },
						  { "next_look", next_look },
						  { "look_between", look_between },
						  { "replaced", replaced },
						  { "look_incomplete", look_incomplete },
						  { "ids", ids },
						  { "callers", callers },
						  { "programs", programs },
						  { NULL, NULL } };

	return unit_run("timer_write", tests);
}

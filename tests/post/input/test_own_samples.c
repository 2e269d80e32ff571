/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples that programs took themselves: their conversion, which of the timer's they replace, until
 * when, and that malformed ones are ignored. */
#include <string.h>

#include "input/own_samples.h"
#include "record/input.h"
#include "record/stack_record.h"
#include "unit.h"

static struct {
	uint8_t data[PITRACE_USER_MAX] __attribute__((aligned(8)));
} made;

/* A program's record of these integers. */
static struct pirecord user(uint32_t minor, uint32_t tid, uint16_t n, const uint64_t *ints)
{
	struct pitrace_user u = { .pid = 7, .tid = tid, .ints = n };
	struct pirecord r = {
		.major = PITRACE_HOOKIT,
		.minor = minor,
		.type = PITRACE_TYPE_MIXED,
		.data = made.data,
		.size = (uint32_t)(sizeof(u) + n * sizeof(*ints)),
		.time = 1234,
	};

	memcpy(made.data, &u, sizeof(u));
	memcpy(made.data + sizeof(u), ints, n * sizeof(*ints));
	return r;
}

static struct pirecord timer(uint32_t pid, uint32_t tid, uint32_t event)
{
	static struct pitrace_sample s;

	s = (struct pitrace_sample){ .pid = pid, .tid = tid, .address = 0x1000, .period = 1 };
	return (struct pirecord){
		.major = PITRACE_TPROF,
		.minor = PITRACE_TPROF_USER | event << PITRACE_TPROF_EVENT_SHIFT,
		.type = PITRACE_TYPE_STRUCT,
		.data = &s,
		.size = sizeof(s),
	};
}

#define CPU                         (PITRACE_HOOKIT_SAMPLE | PITRACE_SAMPLED_CPU)
#define COUNTS(ticks, user, kernel) ((ticks) | (uint64_t)(user) << 32 | (uint64_t)(kernel) << 48)

static const uint64_t in_user[] = { 1000, COUNTS(3, 2, 0), 0x11, 0x22 };
static const uint64_t in_kernel[] = { 1000, COUNTS(1, 2, 1), 0x11, 0x22, 0xffffffff80000000 };

static void test_becomes(void)
{
	struct own_samples o = { 0 };
	struct pirecord r = user(CPU, 8, 4, in_user);
	const struct pitrace_sample *s;
	struct stack stack = { 0 };

	own_samples_begin(&o);
	CU_ASSERT_EQUAL_FATAL(own_samples_record(&o, &r), 1);
	CU_ASSERT_EQUAL(r.major, PITRACE_TPROF);
	CU_ASSERT_EQUAL(r.minor, PITRACE_TPROF_USER | PITRACE_TPROF_STACK);
	CU_ASSERT_EQUAL(r.repeats, 2);
	CU_ASSERT_EQUAL(r.time, 1234);
	s = r.data;
	CU_ASSERT_TRUE(s->pid == 7 && s->tid == 8 && s->address == 0x11 && s->period == 1000);
	CU_ASSERT_TRUE_FATAL(stack_read(&r, sizeof(*s), &stack));
	CU_ASSERT_TRUE(stack.head->user == 2 && !stack.head->kernel && stack.user[1] == 0x22);
	r = user(CPU, 8, 5, in_kernel);
	CU_ASSERT_EQUAL_FATAL(own_samples_record(&o, &r), 1);
	CU_ASSERT_EQUAL(r.minor, PITRACE_TPROF_KERNEL | PITRACE_TPROF_STACK);
	s = r.data;
	CU_ASSERT_EQUAL(s->address, 0xffffffff80000000);
	CU_ASSERT_TRUE_FATAL(stack_read(&r, sizeof(*s), &stack));
	CU_ASSERT_TRUE(stack.head->kernel == 1 && stack.kernel[0] == 0xffffffff80000000 &&
		       stack.user[0] == 0x11);
	own_samples_free(&o);
}

static int passes(struct own_samples *o, uint32_t pid, uint32_t tid, uint32_t event)
{
	struct pirecord r = timer(pid, tid, event);

	return own_samples_record(o, &r);
}

static void test_stands_for(void)
{
	static const uint64_t none[1];
	struct pitrace_mte_task task = { .pid = 9, .tid = 8 };
	struct own_samples o = { 0 };
	struct pirecord r;

	own_samples_begin(&o);
	CU_ASSERT_EQUAL(passes(&o, 7, 8, 0), 1);
	r = user(CPU, 8, 4, in_user);
	own_samples_record(&o, &r);
	CU_ASSERT_EQUAL(passes(&o, 7, 8, 0), 0);
	/* Another thread's, another event's, another process's. */
	CU_ASSERT_EQUAL(passes(&o, 7, 9, 0), 1);
	CU_ASSERT_EQUAL(passes(&o, 7, 8, 1), 1);
	CU_ASSERT_EQUAL(passes(&o, 6, 8, 0), 1);
	r = user(PITRACE_HOOKIT_SAMPLES_END, 1, 0, none);
	CU_ASSERT_EQUAL(own_samples_record(&o, &r), 0);
	CU_ASSERT_EQUAL(passes(&o, 7, 8, 0), 1);
	/* Another thread with this id; another pass. */
	r = user(CPU, 8, 4, in_user);
	own_samples_record(&o, &r);
	r = (struct pirecord){ .major = PITRACE_MTE,
			       .minor = PITRACE_MTE_THREAD,
			       .type = PITRACE_TYPE_STRUCT,
			       .data = &task,
			       .size = sizeof(task) };
	CU_ASSERT_EQUAL(own_samples_record(&o, &r), 1);
	CU_ASSERT_EQUAL(passes(&o, 7, 8, 0), 1);
	r = user(CPU, 8, 4, in_user);
	own_samples_record(&o, &r);
	own_samples_begin(&o);
	CU_ASSERT_EQUAL(passes(&o, 7, 8, 0), 1);
	own_samples_free(&o);
}

/* Its name first, then the sample; once a pass. */
static void test_events(void)
{
	const struct pitrace_event_rec *e;
	struct own_samples o = { 0 };
	struct pirecord r = user(PITRACE_HOOKIT_SAMPLE | PITRACE_SAMPLED_LOCK, 8, 4, in_user);
	uint32_t number;

	own_samples_begin(&o);
	CU_ASSERT_FALSE(own_samples_kept(&o, &r));
	CU_ASSERT_EQUAL_FATAL(own_samples_record(&o, &r), 1);
	CU_ASSERT_TRUE_FATAL(r.major == PITRACE_SYSINFO && r.minor == PITRACE_SYSINFO_EVENT);
	e = r.data;
	CU_ASSERT_STRING_EQUAL(e->name, "lock");
	number = e->event;
	CU_ASSERT_TRUE(number < EVENT_NUMBERS);
	CU_ASSERT_TRUE_FATAL(own_samples_kept(&o, &r));
	CU_ASSERT_EQUAL(r.major, PITRACE_TPROF);
	CU_ASSERT_EQUAL(r.minor >> PITRACE_TPROF_EVENT_SHIFT, number + 1);
	CU_ASSERT_EQUAL(r.repeats, 2);
	CU_ASSERT_FALSE(own_samples_kept(&o, &r));
	/* It is no CPU time: the timer's stay. */
	CU_ASSERT_EQUAL(passes(&o, 7, 8, 0), 1);
	r = user(PITRACE_HOOKIT_SAMPLE | PITRACE_SAMPLED_LOCK, 8, 4, in_user);
	CU_ASSERT_EQUAL(own_samples_record(&o, &r), 1);
	CU_ASSERT_EQUAL(r.major, PITRACE_TPROF);
	own_samples_free(&o);
}

/* Counts that are not those of the record. */
static void test_malformed(void)
{
	static const uint64_t wrong[][4] = {
		{ 1000, COUNTS(1, 3, 0), 0x11, 0x22 },
		{ 1000, COUNTS(1, 1, 0), 0x11, 0x22 },
		{ 1000, COUNTS(1, 2, 1), 0x11, 0x22 },
		{ 1000, COUNTS(1, 0xffff, 0xffff), 0x11, 0x22 },
		{ 1000, COUNTS(0, 2, 0), 0x11, 0x22 },
		{ 1000, COUNTS(1, 0, 0), 0x11, 0x22 },
	};
	struct own_samples o = { 0 };
	struct pirecord r;

	own_samples_begin(&o);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		r = user(CPU, 8, 4, wrong[i]);
		CU_ASSERT_EQUAL(own_samples_record(&o, &r), 0);
	}
	for (uint16_t n = 0; n < 4; n++) {
		r = user(CPU, 8, n, in_user);
		CU_ASSERT_EQUAL(own_samples_record(&o, &r), 0);
	}
	r = user(CPU, 8, 2, (const uint64_t[]){ 1000, COUNTS(1, 0, 0) });
	CU_ASSERT_EQUAL(own_samples_record(&o, &r), 0);
	/* They replace none of the timer's. */
	CU_ASSERT_EQUAL(passes(&o, 7, 8, 0), 1);
	/* Other records of the major are the users' own. */
	r = user(PITRACE_HOOKIT_SAMPLE + PITRACE_SAMPLED_KINDS, 8, 4, in_user);
	CU_ASSERT_EQUAL(own_samples_record(&o, &r), 1);
	CU_ASSERT_EQUAL(r.major, PITRACE_HOOKIT);
	own_samples_free(&o);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "becomes", test_becomes },
		{ "stands_for", test_stands_for },
		{ "events", test_events },
		{ "malformed", test_malformed },
		{ NULL, NULL },
	};

	return unit_run("own_samples", tests);
}

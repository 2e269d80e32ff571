/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cpi's results for counters, also on machines without them: the test replaces the library's.
 * Values by CPU and in total, events that were not counted for the whole time, and the CPUs' shares
 * of the time.
 */
#include <counters.h>
#include <perfutil.h>
#include <stdlib.h>
#include <string.h>

#include "cpi.h"
#include "cpus.h"
#include "unit.h"

#define CPUS 2u

static char counters[1]; /* stands for those that are open */
static struct counter_value value[2 * CPUS];
static struct counters_options asked;
static int find_rc, open_rc, on_rc, read_rc, span_rc, info_rc;
static unsigned int readings, opened, closed, turned_on, turned_off;

int __wrap_TraceFindEvents(const char *names, uint64_t count_, uint32_t rate, int priv,
			   struct pitrace_event_args *events);
struct counters *__wrap_counters_open_sized(const struct counters_options *options, int *rc,
					    size_t size);
int __wrap_counters_on(struct counters *c);
int __wrap_counters_off(struct counters *c);
int __wrap_counters_read_sized(struct counters *c, struct counter_value *list, unsigned int room,
			       size_t size);
void __wrap_counters_close(struct counters *c);
int __wrap_AiInit(void);
int __wrap_AiGetInfo_sized(struct ai_info *info, size_t size);
int __wrap_AiTerminate(void);
int __wrap_span_read(struct span *s);
bool __wrap_cpus_online(const char *root, struct cpus *set);
const char *__wrap_TraceLastError(void);

int __wrap_TraceFindEvents(const char *names, uint64_t count_, uint32_t rate, int priv,
			   struct pitrace_event_args *events)
{
	CU_ASSERT_STRING_EQUAL(names, "cycles,instructions");
	CU_ASSERT(!count_ && rate == 1 && priv == TRACE_PRIV_USER);
	memset(events, 0, 2 * sizeof(*events));
	return find_rc;
}

struct counters *__wrap_counters_open_sized(const struct counters_options *options, int *rc,
					    size_t size)
{
	(void)size;
	asked = *options;
	*rc = open_rc;
	opened += !open_rc;
	return open_rc ? NULL : (struct counters *)counters;
}

int __wrap_counters_on(struct counters *c)
{
	CU_ASSERT_PTR_EQUAL(c, counters);
	turned_on++;
	return on_rc;
}

int __wrap_counters_off(struct counters *c)
{
	CU_ASSERT_PTR_EQUAL(c, counters);
	turned_off++;
	return PI_OK;
}

int __wrap_counters_read_sized(struct counters *c, struct counter_value *list, unsigned int room,
			       size_t size)
{
	CU_ASSERT(c == (struct counters *)counters && size == sizeof(*list) && room <= 2 * CPUS);
	memcpy(list, value, room * sizeof(*list));
	return read_rc ? read_rc : (int)room;
}

void __wrap_counters_close(struct counters *c)
{
	closed += c != NULL;
}

int __wrap_AiInit(void)
{
	return PI_OK;
}

int __wrap_AiGetInfo_sized(struct ai_info *info, size_t size)
{
	memset(info, 0, size);
	strcpy(info->collector, "test");
	return info_rc;
}

bool __wrap_cpus_online(const char *root, struct cpus *set)
{
	(void)root;
	return !cpus_of("0-1", set);
}

int __wrap_AiTerminate(void)
{
	return PI_OK;
}

const char *__wrap_TraceLastError(void)
{
	return "the test's words";
}

/* CPU 0 was idle for a quarter of the time between two readings, CPU 1 for half of it. */
int __wrap_span_read(struct span *s)
{
	uint64_t now = 1000 * ++readings;

	memset(s, 0, sizeof(*s));
	if (readings > 1 && span_rc)
		return span_rc;
	s->cpu = calloc(CPUS, sizeof(*s->cpu));
	CU_ASSERT_FATAL(s->cpu != NULL);
	for (s->cpus = 0; s->cpus < (int)CPUS; s->cpus++)
		s->cpu[s->cpus] = (struct ai_counters){
			.cpu = (uint32_t)s->cpus,
			.online = 1,
			.current = now,
			.idle = s->cpus ? now / 2 : now / 4,
			.busy = s->cpus ? now / 2 : now / 2,
			.interrupt = s->cpus ? 0 : now / 4,
		};
	return PI_OK;
}

static void reset(void)
{
	static const uint64_t values[] = { 3000, 500, 1000, 1000 }; /* cycles, then instructions */

	memset(value, 0, sizeof(value));
	for (unsigned int i = 0; i < 2 * CPUS; i++) {
		value[i].cpu = (int32_t)(i % CPUS);
		value[i].value = values[i];
	}
	find_rc = 2;
	open_rc = on_rc = read_rc = span_rc = info_rc = 0;
	readings = opened = closed = turned_on = turned_off = 0;
}

static char *shown(enum form form, const struct cpi_result *r, bool whole)
{
	const struct cpi o = { .form = form, .priv = TRACE_PRIV_USER };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_FATAL(out != NULL);
	CU_ASSERT_EQUAL(show(out, &o, r), whole);
	fclose(out);
	return text;
}

/* The text has these words, or not. */
static void has(enum form form, const struct cpi_result *r, bool whole, const char *words,
		bool wanted)
{
	char *text = shown(form, r, whole);

	CU_ASSERT_EQUAL(strstr(text, words) != NULL, wanted);
	if (!strstr(text, words) == wanted)
		printf("    '%s' %s in: %s\n", words, wanted ? "is not" : "is", text);
	free(text);
}

static int counted(struct cpi_result *r, bool command)
{
	static char *words[] = { "true", NULL };
	const struct cpi o = {
		.command = command,
		.priv = TRACE_PRIV_USER,
		.run = 1000000,
		.words = words,
	};
	int status = -1, code = count(&o, r, &status);

	CU_ASSERT_EQUAL(closed, opened);
	if (command && !code)
		CU_ASSERT(WIFEXITED(status) && !WEXITSTATUS(status));
	return code;
}

static void cpus(void)
{
	struct cpi_result r;
	char *text;

	reset();
	CU_ASSERT_EQUAL_FATAL(counted(&r, false), 0);
	CU_ASSERT(asked.scope == COUNTERS_CPUS && asked.nevents == 2 && asked.ncpus == CPUS);
	CU_ASSERT(turned_on == 1 && turned_off == 1 && readings == 2);
	CU_ASSERT(r.of_cpus && r.pairs == (int)CPUS && !*r.no_span && r.elapsed >= 1000000);
	CU_ASSERT(r.pair[1].cpu == 1 && r.pair[1].cycles == 500 && r.pair[1].instructions == 1000);
	CU_ASSERT(r.all.cpu == -1 && r.all.cycles == 3500 && r.all.instructions == 2000);
	r.elapsed = 1234567890;
	has(FORM_WORDS, &r, true,
	    "   0                 3000                 1000    3.00   25.00   50.00   25.00\n",
	    true);
	has(FORM_WORDS, &r, true,
	    "   1                  500                 1000    0.50   50.00   50.00    0.00\n",
	    true);
	has(FORM_WORDS, &r, true,
	    " all                 3500                 2000    1.75   37.50   50.00   12.50\n",
	    true);
	has(FORM_WORDS, &r, true, "in 1.234 s, user code only\n", true);
	has(FORM_WORDS, &r, true, "counted all the time", false);
	has(FORM_WORDS, &r, true, "no counter was free", false);
	has(FORM_WORDS, &r, true, "unknown", false);
	has(FORM_WORDS, &r, true, "may not count", false);
	text = shown(FORM_CSV, &r, true);
	CU_ASSERT_STRING_EQUAL(strchr(text, '\n') + 1,
			       "0,3000,1000,3.0000,counted,25.00,50.00,25.00,1234567890\n"
			       "1,500,1000,0.5000,counted,50.00,50.00,0.00,1234567890\n"
			       "all,3500,2000,1.7500,counted,37.50,50.00,12.50,1234567890\n");
	free(text);
	has(FORM_JSON, &r, true, "\"scope\": \"cpus\"", true);
	has(FORM_JSON, &r, true, "\"idle_by\": \"test\"", true);
	has(FORM_JSON, &r, true, "\"idle_percent\": 37.50", true);
	has(FORM_JSON, &r, true, "\"cpi\": 0.5", true);
	/* A single CPU needs no line for all. */
	r.pairs = 1;
	has(FORM_WORDS, &r, true, " all ", false);
	strcpy(r.info.note, "a note");
	has(FORM_WORDS, &r, true, "idle, busy: a note\n", true);
	result_free(&r);
}

static void of_command(void)
{
	struct cpi_result r;

	reset();
	value[1] = value[CPUS];
	CU_ASSERT_EQUAL_FATAL(counted(&r, true), 0);
	CU_ASSERT(asked.scope == COUNTERS_COMMAND && asked.pid > 0 && !turned_on && !turned_off);
	CU_ASSERT(!r.of_cpus && r.pairs == 1 && r.all.cycles == 3000 && r.all.instructions == 1000);
	has(FORM_WORDS, &r, true, "                 3000                 1000    3.00\n", true);
	has(FORM_WORDS, &r, true, "the CPUs were 37.50 % idle, 50.00 % busy, 12.50 % serving",
	    true);
	has(FORM_JSON, &r, true, "\"scope\": \"command\"", true);
	has(FORM_CSV, &r, true, "\ncommand,3000,1000,3.0000,counted,37.50,50.00,12.50,", true);
	result_free(&r);
}

/* Missing values are reported, and no number is printed instead. */
static void missing(void)
{
	struct cpi_result r;

	reset();
	value[CPUS].state = COUNTER_PARTLY; /* instructions of CPU 0 */
	value[1].user_only = 1;
	CU_ASSERT_EQUAL_FATAL(counted(&r, false), 0);
	CU_ASSERT(r.pair[0].state == COUNTER_PARTLY && r.pair[1].state == COUNTER_COUNTED);
	has(FORM_WORDS, &r, false, "                3000                 1000       -", true);
	has(FORM_WORDS, &r, false, "25.00  not counted all the time\n", true);
	has(FORM_WORDS, &r, false, "no counter was free", false);
	has(FORM_WORDS, &r, false, "user code only (this user may not count the kernel's)", true);
	has(FORM_CSV, &r, false, "0,3000,1000,,partly,", true);
	result_free(&r);

	reset();
	value[1].state = COUNTER_NO_ROOM;
	CU_ASSERT_EQUAL_FATAL(counted(&r, false), 0);
	CU_ASSERT(r.all.state == COUNTER_NO_ROOM);
	has(FORM_WORDS, &r, false, "   1                    -                    -       -", true);
	has(FORM_WORDS, &r, false, "0.00  no counter was free\n", true);
	has(FORM_WORDS, &r, false, "counted all the time", false);
	has(FORM_CSV, &r, false, "\n1,,,,no counter,50.00,", true);
	has(FORM_JSON, &r, false, "\"cycles\": null", true);
	result_free(&r);

	/* No times of the CPUs. */
	for (int how = 0; how < 2; how++) {
		reset();
		*(how ? &info_rc : &span_rc) = PI_NO_MEMORY;
		CU_ASSERT_EQUAL_FATAL(counted(&r, false), 0);
		CU_ASSERT_STRING_EQUAL(r.no_span, how ? "the test's words" : "not enough memory");
		has(FORM_WORDS, &r, true, "idle and busy times are unknown: ", true);
		has(FORM_WORDS, &r, true, "3.00       -       -       -\n", true);
		has(FORM_CSV, &r, true, "all,3500,2000,1.7500,counted,,,,", true);
		has(FORM_JSON, &r, true, "\"idle_percent\": null", true);
		result_free(&r);
	}
}

static void refused(void)
{
	struct cpi_result r;
	double cpi = -1;
	struct pair none = { .cycles = 7 };

	CU_ASSERT_FALSE(cpi_of(&none, &cpi));
	for (int how = 0; how < 6; how++) {
		reset();
		if (how == 0)
			find_rc = PI_EVENT_UNSUPPORTED;
		else if (how == 1)
			open_rc = PI_NO_MEMORY;
		else if (how == 2)
			on_rc = PI_NO_MEMORY;
		else if (how == 3)
			read_rc = PI_NO_MEMORY;
		else if (how == 4)
			value[0].value = value[1].value = 0; /* they do not count */
		else
			value[2].value = value[3].value = 0;
		CU_ASSERT_EQUAL(counted(&r, false), EXIT_CPI);
		CU_ASSERT_EQUAL(opened, how > 1);
		CU_ASSERT_EQUAL(turned_off, how > 2);
		result_free(&r);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "cpus", cpus },       { "of_command", of_command },
		{ "missing", missing }, { "refused", refused },
		{ NULL, NULL },
	};

	return unit_run("cpi_count", tests);
}

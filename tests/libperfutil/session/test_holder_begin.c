/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The holder of a session starts with exactly the requested settings. (Linked with
 * --wrap=service_begin.)
 */
#include "base/service.h"
#include "session/holder.h"
#include "unit.h"

static uint8_t sent[sizeof(struct holder_begin)];
static size_t nsent;

int __wrap_service_begin(const struct service *s, const void *packet, size_t size);
int __wrap_service_begin(const struct service *s, const void *packet, size_t size)
{
	(void)s;
	CU_ASSERT_FATAL(size == sizeof(sent));
	memcpy(sent, packet, size);
	nsent++;
	return PI_OK;
}

static struct tracer_options options(void)
{
	return (struct tracer_options){
		.file = "a.nrm2",
		.mode = TRACE_NORMAL,
		.scope = TRACE_PROCESS,
		.pid = 77,
	};
}

/* Whether each of these is asked for is seen apart from the others. */
static void passed_on(void)
{
	static struct holder_begin b;
	const struct pitrace_event_args events[2] = { { .config = 5, .period = 1 },
						      { .config = 6, .period = 1 } };
	const struct tracer_itrace itrace = { .limit = 99 };

	for (int how = 0; how < 16; how++) {
		struct tracer_options o = options();

		o.command = how & 1 ? "make all" : NULL;
		o.collector = how & 2 ? "timer" : NULL;
		o.itrace = how & 4 ? &itrace : NULL;
		o.events = how & 8 ? events : NULL;
		o.nevents = how & 8 ? 2 : 0;
		nsent = 0;
		CU_ASSERT_EQUAL(holder_start(&o), PI_OK);
		CU_ASSERT_EQUAL_FATAL(nsent, 1);
		memset(&b, 0x55, sizeof(b));
		CU_ASSERT_EQUAL_FATAL(holder_begin_read(&b, sent, sizeof(sent)), PI_OK);
		CU_ASSERT_STRING_EQUAL(b.options.file, "a.nrm2");
		CU_ASSERT(b.options.mode == TRACE_NORMAL && b.options.scope == TRACE_PROCESS);
		CU_ASSERT_EQUAL(b.options.pid, 77);
		CU_ASSERT(how & 1 ? b.options.command && !strcmp(b.options.command, "make all") :
				    !b.options.command);
		CU_ASSERT(how & 2 ? b.options.collector && !strcmp(b.options.collector, "timer") :
				    !b.options.collector);
		CU_ASSERT(how & 4 ? b.options.itrace && b.options.itrace->limit == 99 :
				    !b.options.itrace);
		CU_ASSERT(how & 8 ? b.options.events && b.options.events[1].config == 6 :
				    !b.options.events);
		CU_ASSERT_EQUAL(b.options.nevents, how & 8 ? 2 : 0);
	}
}

/* A name that does not fit is refused, not cut; so is a packet that is not one. */
static void refused(void)
{
	static char longest[8192];
	static struct holder_begin b;
	struct tracer_options o = options();

	memset(longest, 'x', sizeof(longest) - 1);
	for (int i = 0; i < 3; i++) {
		const char **name[] = { &o.file, &o.command, &o.collector };

		o = options();
		*name[i] = longest;
		nsent = 0;
		CU_ASSERT_EQUAL(holder_start(&o), PI_INVALID_ARGUMENT);
		CU_ASSERT_EQUAL(nsent, 0);
	}
	o = options();
	CU_ASSERT_EQUAL(holder_start(&o), PI_OK);
	CU_ASSERT_EQUAL(holder_begin_read(&b, sent, sizeof(sent) - 1), PI_NOT_SUPPORTED);
	CU_ASSERT_EQUAL(holder_begin_read(&b, sent, 0), PI_NOT_SUPPORTED);
	o.pid = -1;
	CU_ASSERT_EQUAL(holder_start(&o), PI_OK);
	CU_ASSERT_EQUAL(holder_begin_read(&b, sent, sizeof(sent)), PI_INVALID_ARGUMENT);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "passed_on", passed_on },
		{ "refused", refused },
		{},
	};

	return unit_run("holder_begin", tests);
}

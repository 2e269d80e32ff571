/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace info: shows the session and the driver's capabilities. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "escape.h"
#include "swtrace.h"

static const struct {
	unsigned int bit;
	const char *name;
} events[] = {
	{ PITRACE_HAVE_FORK, "fork" },   { PITRACE_HAVE_EXEC, "exec" },
	{ PITRACE_HAVE_MAP, "map" },     { PITRACE_HAVE_UNMAP, "unmap" },
	{ PITRACE_HAVE_REMAP, "remap" }, { PITRACE_HAVE_NAME, "name" },
	{ PITRACE_HAVE_EXIT, "exit" },   { PITRACE_HAVE_BUILDID, "build-id" },
};

static void print_events(const char *label, unsigned int mask)
{
	printf("%s", label);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (mask & events[i].bit)
			printf(" %s", events[i].name);
	puts(mask ? "" : " -");
}

/* Prints why the driver does not work, as swtrace check does. */
static void driver_absent(void)
{
	struct trace_check list[8];
	int n = TraceCheck(TRACE_SYSTEM, 0, list, 8);

	for (int i = 0; i < n && i < 8; i++)
		if (TraceCollectorUse(list[i].name) & TRACE_BY_MODULE)
			escape_printf(stdout, "driver:      %s%s%s\n", list[i].why,
				      *list[i].cure ? ": " : "", list[i].cure);
}

static int driver_info(void)
{
	struct pitrace_info d = { .size = sizeof(d) };
	int fd = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		driver_absent();
		return EXIT_SWTRACE;
	}
	if (ioctl(fd, PITRACE_IOC_INFO, &d)) {
		int err = errno;

		close(fd);
		return fail("%s: %s", PITRACE_DEVICE, strerror(err));
	}
	close(fd);
	printf("driver:      loaded, interface %u, %u session%s\n", d.version, d.sessions,
	       d.sessions == 1 ? "" : "s");
	printf("clock:       %s, %.3f MHz\n", d.clock == PITRACE_CLOCK_TSC ? "tsc" : "monotonic",
	       (double)d.clock_hz / 1e6);
	print_events("events seen:", d.have);
	print_events("missing:    ", d.missing);
	return 0;
}

static const char *state_name(unsigned int state)
{
	static const char *const names[] = { "off", "starting", "on", "suspended", "stopped" };

	return state < sizeof(names) / sizeof(*names) ? names[state] : "?";
}

/* Prints the actual rate: a collector may support neither the requested rate nor the dither. */
static void print_rate(const struct trace_info *i)
{
	if (!i->rate)
		puts("rate:        none");
	else if (i->dither)
		printf("rate:        %u ticks a second, dithered by %.1f %%\n", i->rate,
		       i->dither / 10.0);
	else
		printf("rate:        %u ticks a second, at equal distances\n", i->rate);
}

int cmd_info(int argc, char **argv)
{
	struct trace_info i;
	char why[128];
	int rc, driver;

	(void)argv;
	if (argc > 1)
		return USAGE;
	driver = driver_info();
	rc = TraceGetInfo(&i);
	if (rc == PI_NOT_INITIALIZED) {
		puts("session:     none");
		return driver;
	}
	if (rc)
		return fail_rc(rc);
	printf("session:     %s, collector %s, holder %d, interval %llu\n", state_name(i.state),
	       i.collector, i.holder, (unsigned long long)i.interval);
	if (*i.note)
		escape_printf(stdout, "collector:   %s\n", i.note);
	stop_reason(&i, why, sizeof(why));
	if (i.stopped)
		escape_printf(stdout, "stopped:     %s\n", why);
	if (i.scope == TRACE_PROCESS)
		printf("scope:       process %d and its children\n", i.pid);
	else
		puts("scope:       the whole system");
	printf("mode:        %s\n", mode_name((int)i.mode));
	escape_printf(stdout, "samples by:  %s\n", i.sampler);
	print_rate(&i);
	printf("buffers:     ");
	if (i.trace_bytes)
		printf("%u CPUs, trace %.1f MB, MTE %.1f MB, ", i.ncpus,
		       (double)i.trace_bytes / 1048576, (double)i.mte_bytes / 1048576);
	printf("section %llu KB\n", (unsigned long long)i.segment_bytes >> 10);
	escape_printf(stdout, "file:        %s\n", i.file);
	if (i.files)
		escape_printf(stdout, "older files: %s.%u and before\n", i.file, i.files);
	if (i.file_error)
		printf("file error:  %s\n", strerror((int)i.file_error));
	printf("written:     %.1f MB, %llu records\n", (double)i.written / 1e6,
	       (unsigned long long)i.records);
	printf("ticks:       %llu, idle %llu, late %llu\n", (unsigned long long)i.ticks,
	       (unsigned long long)i.idle_ticks, (unsigned long long)i.late);
	if (i.instructions)
		printf("itrace:      %llu instructions, %llu taken branches; threads waited %llu times, %.1f ms\n",
		       (unsigned long long)i.instructions, (unsigned long long)i.branches,
		       (unsigned long long)i.waits, (double)i.waited / 1e6);
	if (i.taken)
		printf("left out:    %llu thread%s that another session traces\n",
		       (unsigned long long)i.taken, i.taken == 1 ? "" : "s");
	fputs("lost:        ", stdout);
	puts(print_lost(stdout, &i) ? "" : "nothing");
	print_refused(stdout, "refused:     ", &i);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: events by the names that a user gives, with what a PMU's folder says of them. The input is
 * lines: the names, the PMU's type, three terms' formats, two events; the rest is an event file.
 * All of it is a tracepoint's format, too, and then its data.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "events/event_names.h"
#include "events/tracepoint_format.h"
#include "fuzz.h"

static const char *const files[] = { "pmu/type",        "pmu/format/event", "pmu/format/umask",
				     "pmu/format/edge", "pmu/events/loads", "pmu/events/stores",
				     "arch/all.json" };
#define FILES (sizeof(files) / sizeof(files[0]))

static char folder[64];
static int fds[FILES];

/* Returns the folder of event files for this architecture. */
static const char *machine(void)
{
	static struct utsname u;

	uname(&u);
	return strcmp(u.machine, "aarch64") ? u.machine : "arm64";
}

static void leave(void)
{
	char path[200];

	for (size_t i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/%s", folder, machine());
	unlink(path);
	for (size_t i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder,
			 (const char *[]){ "arch", "pmu/format", "pmu/events", "pmu", "" }[i]);
		rmdir(path);
	}
}

static void make_folder(void)
{
	char path[200];

	strcpy(folder, "/dev/shm/pitrace-fuzz-XXXXXX");
	if (!mkdtemp(folder)) {
		strcpy(folder, "/tmp/pitrace-fuzz-XXXXXX");
		if (!mkdtemp(folder))
			abort();
	}
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder,
			 (const char *[]){ "arch", "pmu", "pmu/format", "pmu/events" }[i]);
		if (mkdir(path, 0700))
			abort();
	}
	snprintf(path, sizeof(path), "%s/%s", folder, machine());
	if (symlink("arch", path))
		abort();
	for (size_t i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		fds[i] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fds[i] < 0)
			abort();
	}
	events_devices = events_folder = folder;
	atexit(leave);
}

static void each(void *arg, const char *source, const char *name, const char *what)
{
	(void)arg;
	fuzz_touch(source, strlen(source));
	fuzz_touch(name, strlen(name));
	fuzz_touch(what, strlen(what));
}

static void tracepoint(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "common_flags", "pid", "args" };
	struct tracepoint_place places[3];
	int64_t value;
	uint64_t id;
	int err = tracepoint_parse((const char *)data, size, names, 3, &id, places);

	if (err && err != -EBADMSG)
		abort();
	for (size_t i = 0; i < 3; i++)
		for (uint32_t k = 0; k < 8; k++)
			if (tracepoint_value(&places[i], k, data, size, &value) &&
			    k >= places[i].count)
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pitrace_event_args list[PITRACE_EVENTS];
	const char *at = (const char *)data, *end = at + size;
	char why[256] = "", *names = NULL;
	int n;

	tracepoint(data, size);
	if (!folder[0])
		make_folder();
	for (size_t i = 0; i <= FILES; i++) {
		const char *nl = i < FILES ? memchr(at, '\n', (size_t)(end - at)) : NULL;
		size_t length = (size_t)((nl ? nl : end) - at);

		if (!i) {
			names = strndup(at, length);
			if (!names)
				abort();
		} else if (ftruncate(fds[i - 1], 0) ||
			   pwrite(fds[i - 1], at, length, 0) != (ssize_t)length) {
			abort();
		}
		at += length + (nl != NULL);
	}
	/* Files are of one CPU, or of this very machine's. */
	events_cpu = size % 4 ? "Maker-6-8F" : NULL;
	n = events_find(names, list, why, sizeof(why));
	if (n > PITRACE_EVENTS || !n || (n < 0) != (why[0] != 0))
		abort();
	for (int i = 0; i < n; i++)
		if (!memchr(list[i].name, 0, sizeof(list[i].name)))
			abort();
	events_list(each, NULL);
	free(names);
	return 0;
}

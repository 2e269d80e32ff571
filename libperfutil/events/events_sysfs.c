/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events described by the running kernel: a folder per PMU with its type, its events as
 * "term=value,…" and the position of each term's bits ("config:0-7,32-35"); and tracepoints by
 * their id.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "events/event_names.h"

const char *events_devices = "/sys/bus/event_source/devices";

const char *events_tracing[2] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/* Reads a short file's first line; false when it cannot be read. */
static bool read_line(const char *path, char *line, size_t room)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(line, (int)room, f);

	if (f)
		fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = 0;
	return ok;
}

/* Names become parts of paths. */
static bool is_word(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/');
}

/* Distributes a value's bits as the format says. */
static int place(const char *format, uint64_t value, struct pitrace_event_args *e)
{
	__u64 *word;
	const char *p;
	char *end;

	if (!strncmp(format, "config:", 7))
		word = &e->config;
	else if (!strncmp(format, "config1:", 8))
		word = &e->config1;
	else if (!strncmp(format, "config2:", 8))
		word = &e->config2;
	else
		return -EINVAL;
	for (p = strchr(format, ':') + 1; *p; p = *end == ',' ? end + 1 : end) {
		unsigned long low = strtoul(p, &end, 10), high = low;
		unsigned int width;

		if (end == p)
			return -EINVAL;
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (high < low || high > 63 || (*end && *end != ','))
			return -EINVAL;
		width = (unsigned int)(high - low + 1);
		*word |= (width == 64 ? value : value & ((1ull << width) - 1)) << low;
		value = width == 64 ? 0 : value >> width;
	}
	/* The value is too large for its bits. */
	return value ? -ERANGE : 0;
}

/* Handles term, term=value, or the PMU's name for several terms. */
static int put_terms(const char *pmu, const char *terms, struct pitrace_event_args *e, int depth);

static int put_term(const char *pmu, char *term, struct pitrace_event_args *e, int depth)
{
	char *equals = strchr(term, '='), path[512], line[512], *end;
	uint64_t value = 1;

	if (equals) {
		*equals = 0;
		value = strtoull(equals + 1, &end, 0);
		/* "?": the user must give a value. */
		if (end == equals + 1 || *end)
			return -EINVAL;
	}
	if (!is_word(term))
		return -EINVAL;
	if (!strcmp(term, "config") || !strcmp(term, "config1") || !strcmp(term, "config2")) {
		*(term[6] == '1' ? &e->config1 : term[6] == '2' ? &e->config2 : &e->config) = value;
		return 0;
	}
	snprintf(path, sizeof(path), "%s/%s/format/%s", events_devices, pmu, term);
	if (read_line(path, line, sizeof(line)))
		return place(line, value, e);
	snprintf(path, sizeof(path), "%s/%s/events/%s", events_devices, pmu, term);
	if (!equals && !depth && read_line(path, line, sizeof(line)))
		return put_terms(pmu, line, e, depth + 1);
	return -ENOENT;
}

static int put_terms(const char *pmu, const char *terms, struct pitrace_event_args *e, int depth)
{
	char *copy = strdup(terms), *rest = copy, *term;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (term = strsep(&rest, ",")))
		err = put_term(pmu, term, e, depth);
	free(copy);
	return err;
}

static int of_pmu(const char *pmu, const char *terms, struct pitrace_event_args *e)
{
	char path[512], line[64];

	snprintf(path, sizeof(path), "%s/%s/type", events_devices, pmu);
	if (!is_word(pmu) || !read_line(path, line, sizeof(line)))
		return -ENOENT;
	e->type = (uint32_t)strtoul(line, NULL, 10);
	e->config = e->config1 = e->config2 = 0;
	return put_terms(pmu, terms, e, 0);
}

static int of_tracepoint(const char *name, struct pitrace_event_args *e)
{
	const char *colon = strchr(name, ':');
	char path[512], line[64], system[128];
	bool denied = false;

	if (!colon || (size_t)(colon - name) >= sizeof(system) || !is_word(colon + 1))
		return -ENOENT;
	snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
	for (int i = 0; is_word(system) && i < 2; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", events_tracing[i], system,
			 colon + 1);
		if (read_line(path, line, sizeof(line))) {
			e->type = PERF_TYPE_TRACEPOINT;
			e->config = strtoull(line, NULL, 10);
			return 0;
		}
		denied |= errno == EACCES;
		/* Only events in this folder exist. */
		snprintf(path, sizeof(path), "%s/events", events_tracing[i]);
		if (errno == ENOENT && !access(path, F_OK))
			return -ENOENT;
	}
	return denied ? -EACCES : -ENOENT;
}

/* A file with a description beside the value is not an event. */
static bool is_event(const char *name)
{
	const char *dot = strrchr(name, '.');

	return name[0] != '.' && !(dot && (!strcmp(dot, ".scale") || !strcmp(dot, ".unit") ||
					   !strcmp(dot, ".snapshot")));
}

/* Calls each(arg, pmu, event) for all of them until it returns non-zero. */
static int walk(int (*each)(void *arg, const char *pmu, const char *event), void *arg)
{
	DIR *devices = opendir(events_devices), *events;
	struct dirent *d, *e;
	char path[512];
	int r = 0;

	while (devices && !r && (d = readdir(devices))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/events", events_devices, d->d_name);
		events = opendir(path);
		while (events && !r && (e = readdir(events)))
			if (is_event(e->d_name))
				r = each(arg, d->d_name, e->d_name);
		if (events)
			closedir(events);
	}
	if (devices)
		closedir(devices);
	return r;
}

struct pmu_search {
	const char *name;
	struct pitrace_event_args *e;
};

static int found(void *arg, const char *pmu, const char *event)
{
	struct pmu_search *s = arg;
	int err;

	if (strcmp(event, s->name))
		return 0;
	err = of_pmu(pmu, event, s->e);
	return err ? err : 1;
}

int event_of_kernel(const char *name, struct pitrace_event_args *e)
{
	const char *slash = strchr(name, '/'), *end = strrchr(name, '/');
	struct pmu_search s = { name, e };
	char pmu[128], terms[256];
	int err;

	if (slash) {
		if (end == slash || end[1] || (size_t)(slash - name) >= sizeof(pmu))
			return -EINVAL;
		snprintf(pmu, sizeof(pmu), "%.*s", (int)(slash - name), name);
		snprintf(terms, sizeof(terms), "%.*s", (int)(end - slash - 1), slash + 1);
		return of_pmu(pmu, terms, e);
	}
	err = walk(found, &s);
	if (err)
		return err > 0 ? 0 : err;
	return of_tracepoint(name, e);
}

struct pmu_visit_state {
	event_each each;
	void *arg;
};

static int visit_event(void *arg, const char *pmu, const char *event)
{
	struct pmu_visit_state *t = arg;
	char path[600], line[256], name[600];

	snprintf(path, sizeof(path), "%s/%s/events/%s", events_devices, pmu, event);
	if (!read_line(path, line, sizeof(line)))
		line[0] = 0;
	snprintf(name, sizeof(name), "%s/%s/", pmu, event);
	t->each(t->arg, "pmu", name, line);
	return 0;
}

void events_of_kernel(event_each each, void *arg)
{
	struct pmu_visit_state t = { each, arg };

	walk(visit_event, &t);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fetches files by libdebuginfod, which queries the servers of DEBUGINFOD_URLS and caches the
 * files. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "a2n/module/debuginfod.h"

#define LIBRARY "libdebuginfod.so.1"

struct client;
typedef int (*progress)(struct client *client, long done, long all);

struct debuginfod {
	uint32_t seconds;
	bool tried, late;
	const char *why, *reported;
	void *library;
	struct client *client;
	int (*find)(struct client *client, const unsigned char *id, int size, char **path);
	void (*end)(struct client *client);
	struct timespec until;
};

/* Thread-local because the progress callback has no argument of its own. */
static __thread struct debuginfod *current;

static debuginfod_fetch_fn other;

void debuginfod_set_fetch(debuginfod_fetch_fn fetch)
{
	other = fetch;
}

struct debuginfod *debuginfod_open(uint32_t seconds)
{
	struct debuginfod *d = calloc(1, sizeof(*d));

	if (d)
		d->seconds = seconds;
	return d;
}

static int too_late(struct client *client, long done, long all)
{
	struct timespec now;

	(void)client;
	(void)done;
	(void)all;
	clock_gettime(CLOCK_MONOTONIC, &now);
	current->late = now.tv_sec > current->until.tv_sec ||
			(now.tv_sec == current->until.tv_sec &&
			 now.tv_nsec >= current->until.tv_nsec);
	return current->late;
}

static void load(struct debuginfod *d)
{
	struct client *(*begin)(void);
	void (*set_progress)(struct client * client, progress function);
	const char *urls = getenv("DEBUGINFOD_URLS");

	d->tried = true;
	d->why = "debuginfod: DEBUGINFOD_URLS names no server";
	if (!urls || !*urls)
		return;
	d->why = "debuginfod: no " LIBRARY " here: install libdebuginfod1";
	d->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!d->library)
		return;
	*(void **)&begin = dlsym(d->library, "debuginfod_begin");
	*(void **)&set_progress = dlsym(d->library, "debuginfod_set_progressfn");
	*(void **)&d->find = dlsym(d->library, "debuginfod_find_debuginfo");
	*(void **)&d->end = dlsym(d->library, "debuginfod_end");
	if (!begin || !set_progress || !d->find || !d->end)
		return;
	d->client = begin();
	if (d->client)
		set_progress(d->client, too_late);
	d->why = d->client ? NULL : "debuginfod: initialization failed";
}

int debuginfod_get(struct debuginfod *d, const struct build_id *id, char *path, size_t size)
{
	char *name = NULL;
	int fd;

	if (other) {
		/* The fetching process reports each message once. */
		d->reported = NULL;
		return id->size ? other(id, path, size, &d->why) : -1;
	}
	if (!d->tried)
		load(d);
	if (!d->client || d->late || !id->size)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &d->until);
	d->until.tv_sec += d->seconds;
	current = d;
	fd = d->find(d->client, id->id, id->size, &name);
	current = NULL;
	d->why = d->late ? "debuginfod: a server timed out and none is queried any more: "
			   "-debuginfod=SECONDS gives it longer" :
		 fd < 0 && fd != -ENOENT ? "debuginfod: the servers are unreachable" :
					   NULL;
	snprintf(path, size, "%s", name ? name : "?");
	free(name);
	return fd < 0 ? -1 : fd;
}

const char *debuginfod_why(struct debuginfod *d)
{
	const char *why = d->why == d->reported ? NULL : d->why;

	if (why)
		d->reported = why;
	return why;
}

void debuginfod_close(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->end(d->client);
	/* Never unloaded: its web client may leave threads running. */
	free(d);
}

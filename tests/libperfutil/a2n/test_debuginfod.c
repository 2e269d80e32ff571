/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files from servers: the library that fetches them is the test's own (--wrap=dlopen, dlsym). */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <a2n.h>
#include "a2n/module/debuginfod.h"
#include "unit.h"

struct client;
typedef int (*progress)(struct client *client, long done, long all);

static bool have_library, have_client;
static const char *without; /* a function that the library lacks */
static int loads, ends, finds, answer;
static bool waits; /* until the time is up */
static progress told;

static struct client *client_begin(void)
{
	return have_client ? (struct client *)&have_client : NULL;
}

static void set_progress(struct client *client, progress function)
{
	CU_ASSERT_PTR_EQUAL(client, &have_client);
	told = function;
}

static int find(struct client *client, const unsigned char *id, int size, char **path)
{
	CU_ASSERT_PTR_EQUAL(client, &have_client);
	CU_ASSERT_EQUAL(size, 3);
	CU_ASSERT_EQUAL(id[2], 0xcc);
	finds++;
	CU_ASSERT_EQUAL(told(client, 0, 0), 0);
	while (waits && !told(client, 1, 2))
		usleep(1000);
	if (answer < 0)
		return answer;
	*path = strdup("/cache/aabbcc/debuginfo");
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void client_end(struct client *client)
{
	CU_ASSERT_PTR_EQUAL(client, &have_client);
	ends++;
}

void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags)
{
	CU_ASSERT_STRING_EQUAL(name, "libdebuginfod.so.1");
	CU_ASSERT_EQUAL(flags & RTLD_NOW, RTLD_NOW);
	loads++;
	return have_library ? &have_library : NULL;
}

void *__wrap_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} all[] = {
		{ "debuginfod_begin", (void (*)(void))client_begin },
		{ "debuginfod_set_progressfn", (void (*)(void))set_progress },
		{ "debuginfod_find_debuginfo", (void (*)(void))find },
		{ "debuginfod_end", (void (*)(void))client_end },
	};

	CU_ASSERT_PTR_EQUAL(library, &have_library);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(name, all[i].name) && !(without && !strcmp(name, without)))
			return *(void *const *)&all[i].function;
	return NULL;
}

static const struct build_id id = { .size = 3, .id = { 0xaa, 0xbb, 0xcc } };
static char path[64];

static struct debuginfod *begin(const char *urls, bool library, bool client)
{
	if (urls)
		setenv("DEBUGINFOD_URLS", urls, 1);
	else
		unsetenv("DEBUGINFOD_URLS");
	have_library = library;
	have_client = client;
	without = NULL;
	loads = ends = finds = answer = 0;
	waits = false;
	return debuginfod_open(1);
}

/* It says so once, and asks no more. */
static void refused(struct debuginfod *d, const char *why)
{
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(debuginfod_get(d, &id, path, sizeof(path)), -1);
		if (!i)
			CU_ASSERT_STRING_EQUAL(debuginfod_why(d), why);
		CU_ASSERT_PTR_NULL(debuginfod_why(d));
	}
	CU_ASSERT_EQUAL(finds, 0);
	debuginfod_close(d);
	CU_ASSERT_EQUAL(ends, 0);
}

static void not_there(void)
{
	static const char *const functions[] = { "debuginfod_begin", "debuginfod_set_progressfn",
						 "debuginfod_find_debuginfo", "debuginfod_end" };
	static const char none[] = "debuginfod: DEBUGINFOD_URLS names no server";
	static const char no_library[] = "debuginfod: no libdebuginfod.so.1 here: install "
					 "libdebuginfod1";

	refused(begin(NULL, true, true), none);
	refused(begin("", true, true), none);
	CU_ASSERT_EQUAL(loads, 0);
	refused(begin("http://a", false, true), no_library);
	CU_ASSERT_EQUAL(loads, 1);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		struct debuginfod *d = begin("http://a", true, true);

		without = functions[i];
		refused(d, no_library);
	}
	refused(begin("http://a", true, false), "debuginfod: initialization failed");
}

static void fetched(void)
{
	static const struct build_id no_id = { 0 };
	struct debuginfod *d = begin("http://a", true, true);
	int fd;

	for (int i = 0; i < 2; i++) {
		fd = debuginfod_get(d, &id, path, sizeof(path));
		CU_ASSERT_FATAL(fd >= 0);
		CU_ASSERT_EQUAL(close(fd), 0);
		CU_ASSERT_STRING_EQUAL(path, "/cache/aabbcc/debuginfo");
		CU_ASSERT_PTR_NULL(debuginfod_why(d));
	}
	CU_ASSERT_EQUAL(loads, 1);
	CU_ASSERT_EQUAL(debuginfod_get(d, &no_id, path, sizeof(path)), -1);
	CU_ASSERT_EQUAL(finds, 2);
	/* A server that has not got it is not a fault; one that does not answer is. */
	answer = -ENOENT;
	CU_ASSERT_EQUAL(debuginfod_get(d, &id, path, sizeof(path)), -1);
	CU_ASSERT_PTR_NULL(debuginfod_why(d));
	CU_ASSERT_STRING_EQUAL(path, "?");
	answer = -EHOSTUNREACH;
	CU_ASSERT_EQUAL(debuginfod_get(d, &id, path, sizeof(path)), -1);
	CU_ASSERT_STRING_EQUAL(debuginfod_why(d), "debuginfod: the servers are unreachable");
	CU_ASSERT_EQUAL(finds, 4);
	debuginfod_close(d);
	CU_ASSERT_EQUAL(ends, 1);
	debuginfod_close(NULL);
}

/* A second, and none is asked again. */
static void times_out(void)
{
	struct debuginfod *d = begin("http://a", true, true);

	waits = true;
	answer = -ETIME;
	CU_ASSERT_EQUAL(debuginfod_get(d, &id, path, sizeof(path)), -1);
	CU_ASSERT_STRING_EQUAL(debuginfod_why(d),
			       "debuginfod: a server timed out and none is queried any more: "
			       "-debuginfod=SECONDS gives it longer");
	CU_ASSERT_EQUAL(debuginfod_get(d, &id, path, sizeof(path)), -1);
	CU_ASSERT_EQUAL(finds, 1);
	debuginfod_close(d);
	CU_ASSERT_EQUAL(ends, 1);
}

static int elsewhere(const struct build_id *wanted, char *to, size_t size, const char **why)
{
	CU_ASSERT_EQUAL(wanted->size, 3);
	snprintf(to, size, "elsewhere");
	*why = "it said so";
	return -1;
}

static void by_another(void)
{
	static const struct build_id no_id = { 0 };
	struct debuginfod *d = begin("http://a", true, true);

	debuginfod_set_fetch(elsewhere);
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(debuginfod_get(d, &id, path, sizeof(path)), -1);
		CU_ASSERT_STRING_EQUAL(path, "elsewhere");
		CU_ASSERT_STRING_EQUAL(debuginfod_why(d), "it said so");
	}
	CU_ASSERT_EQUAL(debuginfod_get(d, &no_id, path, sizeof(path)), -1);
	CU_ASSERT_EQUAL(loads, 0);
	debuginfod_set_fetch(NULL);
	debuginfod_close(d);
}

/* A client that liba2n begins it ends, too. */
static void of_liba2n(void)
{
	for (unsigned int seconds = 0; seconds < 3; seconds++) {
		const struct a2n_options options = { .debuginfod_seconds = seconds };
		struct a2n *a;

		debuginfod_close(begin("http://a", true, true));
		a = a2n_open(&options);
		CU_ASSERT_PTR_NOT_NULL(a);
		a2n_close(a);
		CU_ASSERT(!loads && !ends);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "not_there", not_there }, { "fetched", fetched },
		{ "times_out", times_out }, { "by_another", by_another },
		{ "of_liba2n", of_liba2n }, { NULL, NULL },
	};

	return unit_run("debuginfod", tests);
}

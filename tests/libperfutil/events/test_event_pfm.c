/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events that libpfm4 names: the library, which is here or not, whole or not, is the test's own.
 * (Linked with --wrap=dlopen,--wrap=dlsym.) It is loaded once a process, so each kind of library
 * has a process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pitrace.h>
#include <sys/wait.h>

int event_of_pfm(const char *name, struct pitrace_event_args *e);
typedef void (*event_each)(void *arg, const char *source, const char *name, const char *what);
void events_of_pfm(event_each each, void *arg);

#include "unit.h"

/* ---- the library ----------------------------------------------------------------------------- */

enum { ENCODE, PMU_INFO, NEXT, EVENT_INFO, INITIALIZE, FUNCTIONS };
static const char *const function_names[FUNCTIONS] = {
	"pfm_get_os_event_encoding", "pfm_get_pmu_info", "pfm_get_event_next",
	"pfm_get_event_info",        "pfm_initialize",
};
static bool there, initializes;
static int lacks; /* one of the functions, -1: none */
static int opened, initialized, encoded;

static pfm_err_t encode(const char *name, int privilege, pfm_os_t os, void *arg)
{
	pfm_perf_encode_arg_t *args = arg;

	encoded++;
	CU_ASSERT(privilege == (PFM_PLM0 | PFM_PLM3) && os == PFM_OS_PERF_EVENT);
	CU_ASSERT(args->size == sizeof(*args) && args->attr->size == sizeof(*args->attr));
	if (strcmp(name, "one"))
		return PFM_ERR_NOTFOUND;
	args->attr->type = 4;
	args->attr->config = 0x1c2;
	args->attr->config1 = 11;
	args->attr->config2 = 22;
	return PFM_SUCCESS;
}

/* Three PMUs are available, the middle one is perf's own: the first and the last are listed. */
static pfm_err_t pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	CU_ASSERT(info->size == sizeof(*info) && pmu > PFM_PMU_NONE && pmu < PFM_PMU_MAX);
	if (pmu == PFM_PMU_NONE + 3)
		return PFM_ERR_NOTSUPP;
	info->name = pmu == PFM_PMU_NONE + 1 ? "first" : pmu == PFM_PMU_MAX - 1 ? "last" : "none";
	info->is_present = pmu == PFM_PMU_NONE + 1 || pmu == PFM_PMU_MAX - 1 ||
			   pmu == PFM_PMU_PERF_EVENT || pmu == PFM_PMU_PERF_EVENT_RAW;
	info->first_event = pmu == PFM_PMU_MAX - 1 ? 10 : 0;
	return PFM_SUCCESS;
}

static int next(int index)
{
	return index == 2 || index == 10 ? -1 : index + 1;
}

static pfm_err_t event_info(int index, pfm_os_t os, pfm_event_info_t *info)
{
	static const char *const name[] = { "a", "b", "c" };

	CU_ASSERT(info->size == sizeof(*info) && os == PFM_OS_PERF_EVENT);
	if (index == 1)
		return PFM_ERR_NOTFOUND;
	info->name = index == 10 ? "z" : name[index];
	info->desc = index == 2 ? NULL : "words";
	return PFM_SUCCESS;
}

static pfm_err_t initialize(void)
{
	initialized++;
	return initializes ? PFM_SUCCESS : PFM_ERR_NOTSUPP;
}

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags)
{
	if (strcmp(name, "libpfm.so.4"))
		return __real_dlopen(name, flags);
	opened++;
	return there ? &there : NULL;
}

void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name)
{
	void *const function[FUNCTIONS] = {
		(void *)encode,     (void *)pmu_info,   (void *)next,
		(void *)event_info, (void *)initialize,
	};

	if (library != &there)
		return __real_dlsym(library, name);
	for (int i = 0; i < FUNCTIONS; i++)
		if (!strcmp(name, function_names[i]))
			return i == lacks ? NULL : function[i];
	return NULL;
}

/* ---- in a process of its own ----------------------------------------------------------------- */

static char said[256];

static void say(void *arg, const char *source, const char *name, const char *what)
{
	size_t n = strlen(said);
	struct pitrace_event_args e = { 0 };

	CU_ASSERT_PTR_EQUAL(arg, &opened);
	/* Names may be looked up meanwhile. */
	CU_ASSERT_EQUAL(event_of_pfm("one", &e), 0);
	snprintf(said + n, sizeof(said) - n, "%s %s %s|", source, name, what);
}

static bool finds(void)
{
	struct pitrace_event_args e = { .type = 99, .config = 98, .config1 = 97, .config2 = 96 };
	int rc = event_of_pfm("one", &e);

	if (rc == -ENOENT) {
		CU_ASSERT(e.type == 99 && e.config == 98 && e.config1 == 97 && e.config2 == 96);
		return false;
	}
	CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT(e.type == 4 && e.config == 0x1c2 && e.config1 == 11 && e.config2 == 22);
	e = (struct pitrace_event_args){ .config = 7 };
	CU_ASSERT_EQUAL(event_of_pfm("two", &e), -ENOENT);
	CU_ASSERT_EQUAL(e.config, 7);
	return true;
}

static bool alone(void (*check)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		check();
		_exit(CU_get_number_of_failures() != 0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static void found(void)
{
	CU_ASSERT(finds() && finds());
	said[0] = 0;
	events_of_pfm(say, &opened);
	CU_ASSERT_STRING_EQUAL(said,
			       "libpfm4 first::a words|libpfm4 first::c |libpfm4 last::z words|");
	/* Once, and not before a name is looked up. */
	CU_ASSERT(opened == 1 && initialized == 1);
}

static void missing(void)
{
	CU_ASSERT(!finds() && !finds() && !encoded);
	said[0] = 0;
	events_of_pfm(say, &opened);
	CU_ASSERT(!said[0] && opened == 1 && initialized <= 1);
}

static void listed_first(void)
{
	said[0] = 0;
	events_of_pfm(say, &opened);
	CU_ASSERT(said[0] && opened == 1 && initialized == 1);
}

static void begin(bool is, bool begins, int without)
{
	there = is;
	initializes = begins;
	lacks = without;
	opened = initialized = encoded = 0;
}

static void test_whole(void)
{
	begin(true, true, -1);
	CU_ASSERT(alone(found));
	CU_ASSERT(alone(listed_first));
}

static void test_missing(void)
{
	begin(false, true, -1);
	CU_ASSERT(alone(missing));
	begin(true, false, -1);
	CU_ASSERT(alone(missing));
	for (int i = 0; i < FUNCTIONS; i++) {
		begin(true, true, i);
		CU_ASSERT(alone(missing));
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "whole", test_whole },
		{ "missing", test_missing },
		{},
	};

	return unit_run("event_pfm", tests);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of hardware events by libpfm4, which has the names from the vendors' manuals. It is loaded
 * when a name is looked up: machines without it still have the kernel's names, and programs run
 * wherever they are copied. Its headers contain their own perf_event.h: include no other here.
 */
#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "events/event_names.h"

#define LIBRARY "libpfm.so.4"

static struct {
	bool tried, there;
	pfm_err_t (*encode)(const char *name, int privilege, pfm_os_t os, void *args);
	pfm_err_t (*pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *info);
	int (*next)(int index);
	pfm_err_t (*event_info)(int index, pfm_os_t os, pfm_event_info_t *info);
} pfm;

/* libpfm4 is not thread-safe. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static bool load(void)
{
	pfm_err_t (*initialize)(void);
	void *library;

	if (pfm.tried)
		return pfm.there;
	pfm.tried = true;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	initialize = (pfm_err_t(*)(void))dlsym(library, "pfm_initialize");
	*(void **)&pfm.encode = dlsym(library, "pfm_get_os_event_encoding");
	*(void **)&pfm.pmu_info = dlsym(library, "pfm_get_pmu_info");
	*(void **)&pfm.next = dlsym(library, "pfm_get_event_next");
	*(void **)&pfm.event_info = dlsym(library, "pfm_get_event_info");
	pfm.there = initialize && pfm.encode && pfm.pmu_info && pfm.next && pfm.event_info &&
		    initialize() == PFM_SUCCESS;
	return pfm.there;
}

int event_of_pfm(const char *name, struct pitrace_event_args *e)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t args = { .attr = &attr, .size = sizeof(args) };
	bool found;

	pthread_mutex_lock(&lock);
	found = load() &&
		pfm.encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &args) == PFM_SUCCESS;
	pthread_mutex_unlock(&lock);
	if (!found)
		return -ENOENT;
	e->type = attr.type;
	e->config = attr.config;
	e->config1 = attr.config1;
	e->config2 = attr.config2;
	return 0;
}

/* Only PMUs of this machine; perf's generic names come from event_names.c. */
static void list(event_each each, void *arg)
{
	char name[256];

	for (int p = PFM_PMU_NONE + 1; p < PFM_PMU_MAX; p++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (pfm.pmu_info((pfm_pmu_t)p, &pmu) != PFM_SUCCESS || !pmu.is_present ||
		    p == PFM_PMU_PERF_EVENT || p == PFM_PMU_PERF_EVENT_RAW)
			continue;
		for (int i = pmu.first_event; i != -1; i = pfm.next(i)) {
			pfm_event_info_t event = { .size = sizeof(event) };

			if (pfm.event_info(i, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
				continue;
			snprintf(name, sizeof(name), "%s::%s", pmu.name, event.name);
			each(arg, "libpfm4", name, event.desc ? event.desc : "");
		}
	}
}

/* The callback may look up names in turn, in this thread. */
void events_of_pfm(event_each each, void *arg)
{
	pthread_mutex_lock(&lock);
	if (load())
		list(each, arg);
	pthread_mutex_unlock(&lock);
}

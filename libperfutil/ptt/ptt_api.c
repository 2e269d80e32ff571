// SPDX-License-Identifier: LGPL-2.1-or-later
/* PTT's public functions: one PTT per program, by the first collector that works. */
#include <pthread.h>
#include <pttread.h>
#include <stdio.h>
#include <unistd.h>
#include "ptt/ptt_inner.h"
#include "base/rc.h"

#define THREADS 256

static int no_values(void)
{
	return rc_null("memory for values");
}

static int nobody(uint64_t *values)
{
	if (!values)
		return no_values();
	return rc_fail(PI_NOT_INITIALIZED, "PTT is not initialized: call PttInit first");
}

int (*PttGetMetricData)(uint64_t *values) = nobody;
uint32_t ptt_session;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct ptt_collector *serves; /* NULL: none */
static struct ptt_config config = { .threads = THREADS };

static void begin(void)
{
	pthread_mutex_lock(&lock);
}

static int end(int rc)
{
	pthread_mutex_unlock(&lock);
	return rc;
}

/* ---- forks ----------------------------------------------------------------------------------- */

static void unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* A child does not inherit the parent's pages. */
static void forked(void)
{
	if (serves)
		serves->forked();
	serves = NULL;
	PttGetMetricData = nobody;
	ptt_session++;
	unlock();
}

static void watch_forks(void)
{
	pthread_atfork(begin, unlock, forked);
}

/* ---- init ------------------------------------------------------------------------------------ */

int PttSetThreads(int most)
{
	if (most < 1 || most > PITRACE_PTT_SLOTS)
		return rc_fail(PI_INVALID_ARGUMENT, "%d threads: 1 to %d", most, PITRACE_PTT_SLOTS);
	begin();
	if (serves)
		return end(
			rc_fail(PI_INCORRECT_STATE, "PTT is initialized: call PttTerminate first"));
	config.threads = most;
	return end(PI_OK);
}

int PttSetCharge(int charged)
{
	int rc = PI_OK;

	begin();
	config.charged = charged;
	if (serves)
		rc = serves->charge(charged);
	return end(rc);
}

int PttInit(int count, const char *const metrics[], int priv)
{
	static const struct ptt_collector *const collectors[] = { &ptt_by_driver, &ptt_by_perf };
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int rc;

	pthread_once(&once, watch_forks);
	begin();
	if (serves)
		return end(
			rc_fail(PI_INCORRECT_STATE, "PTT is initialized: call PttTerminate first"));
	rc = ptt_find_metrics(&config, count, metrics, priv);
	for (size_t i = 0; !rc && i < sizeof(collectors) / sizeof(collectors[0]); i++) {
		rc = collectors[i]->init(&config);
		if (!rc) {
			serves = collectors[i];
			break;
		}
		/* If the driver does not work, perf may: then perf's error is returned. */
		if (rc == PI_DRIVER_NOT_LOADED || rc == PI_NO_PERMISSION || rc == PI_NOT_SUPPORTED)
			rc = PI_OK;
	}
	if (rc || !serves)
		return end(rc ? rc : rc_fail(PI_NOT_SUPPORTED, "%s", TraceLastError()));
	ptt_session++;
	ptt_span_metrics(&config);
	__atomic_store_n(&PttGetMetricData, serves->reader(&config), __ATOMIC_RELEASE);
	return end(PI_OK);
}

/* The following calls need an initialized PTT. */
static int begin_with(void)
{
	uint64_t none;

	begin();
	return serves ? PI_OK : end(nobody(&none));
}

int PttTerminate(void)
{
	int rc = begin_with();

	if (rc)
		return rc;
	__atomic_store_n(&PttGetMetricData, nobody, __ATOMIC_RELEASE);
	ptt_session++;
	serves->term();
	serves = NULL;
	return end(PI_OK);
}

/* ---- threads --------------------------------------------------------------------------------- */

int PttInitThread(int tid)
{
	int rc = begin_with();

	return rc ? rc : end(serves->add(tid ? tid : gettid()));
}

int PttUninitThread(int tid)
{
	int rc = begin_with();

	return rc ? rc : end(serves->remove(tid ? tid : gettid()));
}

int PttGetThreadData(int tid, struct ptt_thread_data *data)
{
	int rc = data ? begin_with() : no_values();

	if (rc)
		return rc;
	*data = (struct ptt_thread_data){
		.size = sizeof(*data),
		.version = 1,
		.metrics = (uint32_t)config.metrics,
	};
	return end(serves->read(tid ? tid : gettid(), data));
}

int PttReadByCall(uint64_t *value)
{
	uint64_t values[PTT_METRICS];
	int rc = value ? PttGetMetricData(values) : no_values();

	if (!rc)
		*value = values[0];
	return rc;
}

int PttGetInfo(struct ptt_info *info)
{
	int rc = info ? begin_with() : rc_null("memory for information");

	if (rc)
		return rc;
	ptt_name_metrics(&config, info);
	snprintf(info->collector, sizeof(info->collector), "%s", serves->name);
	serves->info(&config, info);
	return end(PI_OK);
}

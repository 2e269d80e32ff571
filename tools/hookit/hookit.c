/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hookit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/name_forms.h"
#include "calibration_key.h"
#include "fatal_signals.h"
#include "foreseen.h"
#include "hook_functions.h"
#include "hook_thread.h"
#include "hook_values.h"
#include "hookit_begin.h"
#include "hookit_options.h"
#include "joined.h"
#include "log_file.h"
#include "log_gen.h"
#include "log_rt.h"
#include "metrics.h"
#include "minima.h"
#include "modules.h"
#include "patched.h"
#include "training.h"

#define SHOWN __attribute__((visibility("default")))

enum begun { NOT_YET, BEGINNING, RUNS, NOT_WANTED };

static struct {
	_Atomic enum begun begun;
	const struct hookit_options *o;
	struct log_rt log;
	struct log_file file;
	char key[4096];
	pid_t pid;
	bool ended;
	bool inlined;         /* inlined functions have no calls, and are listed */
	bool joined;          /* a Java VM's agent has the calls and the log */
	pthread_mutex_t lock; /* serializes writing */
} hookit = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the source of the logs ------------------------------------------------------------------ */

const char *hookit_name(uint32_t number)
{
	struct hook_function *f = functions_get(number);

	return hookit.o->lines ? modules_name_placed(f) : modules_name(f);
}

static const struct call_source source = {
	.program = "hookit",
	.name = hookit_name,
	.methods = functions_count,
	.each = hook_threads_each,
	.refused = hook_threads_refused,
	.rename = hook_threads_name,
};

/* ---- functions ------------------------------------------------------------------------------- */

/* A pattern without parameters is compared with the name only. A copy that the compiler made of a
 * function is also matched by that function's name. */
bool hookit_takes(const char *name)
{
	const struct method_filter *f = &hookit.o->functions;
	char one[1024], other[1024];
	const char *copy = strstr(name, " [clone ");

	if (!f->patterns)
		return true;
	for (const char *p = f->patterns; *p; p += strlen(p) + 1) {
		if (!p[name_without_parameters(p)])
			continue;
		snprintf(other, sizeof(other), "%.*s", copy ? (int)(copy - name) : 0, name);
		return filter_takes_either(f, name, copy ? other : NULL);
	}
	snprintf(one, sizeof(one), "%.*s", (int)name_without_parameters(name), name);
	snprintf(other, sizeof(other), "%.*s", (int)name_bare(name), name);
	return filter_takes_either(f, one, other);
}

static void join(struct hook_function *f)
{
	int32_t number = joined_number(modules_name(f));

	f->kind = number < 0 ? FUNCTION_LEFT_OUT : FUNCTION_TAKEN;
	f->joined = (uint32_t)number;
}

/* Decides about a function that is called before its file was examined, as by a library's
 * constructor. */
static struct foreseen_function look_at(struct hook_function *f)
{
	const char *name = modules_name(f);
	struct foreseen_function known = { .kind = FUNCTION_TAKEN };

	if (!hookit_takes(name)) {
		known.kind = FUNCTION_LEFT_OUT;
	} else if (hookit.o->arguments) {
		known.values = modules_values(f);
		if (known.values && known.values->n)
			known.kind = FUNCTION_BY_ARGUMENT;
	}
	return known;
}

static bool names_decide(void)
{
	return hookit.o->functions.patterns || (hookit.o->arguments && !hookit.joined);
}

static void decide(struct hook_function *f)
{
	struct foreseen_function known = { .kind = FUNCTION_TAKEN };

	if (names_decide() && !foreseen_find(f->was, &known))
		known = look_at(f);
	f->kind = (uint8_t)known.kind;
	if (hookit.joined && f->kind != FUNCTION_LEFT_OUT)
		join(f);
	else
		f->values = known.values;
}

struct hook_function *hookit_new_function(uintptr_t address)
{
	bool mine;
	struct hook_function *f = functions_add(address, &mine);

	if (!f)
		return NULL;
	if (mine) {
		decide(f);
		functions_number(f);
	}
	while (!f->number)
		sched_yield();
	return f;
}

/* ---- begin ----------------------------------------------------------------------------------- */

/* The time when this process began, to a tick; execve() does not change it. */
static double begun_at(void)
{
	char text[4096], *p;
	struct timespec now, up;
	FILE *in = fopen("/proc/self/stat", "re");
	size_t n = in ? fread(text, 1, sizeof(text) - 1, in) : 0;
	unsigned long long ticks = 0;

	if (in)
		fclose(in);
	text[n] = 0;
	p = strrchr(text, ')');
	/* Skips to the 22nd field; the second one ends at p. */
	for (int i = 2; p && i < 22; i++)
		p = strchr(p + 1, ' ');
	if (!p || sscanf(p, "%llu", &ticks) != 1)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	return (double)(now.tv_sec - up.tv_sec) + (double)(now.tv_nsec - up.tv_nsec) / 1e9 +
	       (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* Skips the numbers of logs that this process wrote before it executed this program. */
static uint32_t next_number(void)
{
	double begun = begun_at();
	char path[LOG_FILE_PATH];
	struct stat st;
	uint32_t n;

	for (n = 1; n < 100000; n++) {
		log_file_path(path, hookit.o->calls.path, hookit.o->calls.prefix, hookit.file.kind,
			      n);
		if (lstat(path, &st) || !begun ||
		    (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec / 1e9 < begun - 0.02)
			break;
	}
	return n;
}

/* A limit of file sizes makes writing a log fail, but must not end the program. */
static bool hold_limit(sigset_t *had)
{
	sigset_t one;

	sigpending(&one);
	if (sigismember(&one, SIGXFSZ))
		return false;
	sigemptyset(&one);
	sigaddset(&one, SIGXFSZ);
	return !pthread_sigmask(SIG_BLOCK, &one, had);
}

static void release_limit(const sigset_t *had)
{
	static const struct timespec now;
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGXFSZ);
	while (sigtimedwait(&one, NULL, &now) > 0)
		;
	pthread_sigmask(SIG_SETMASK, had, NULL);
}

static bool make_log(void)
{
	sigset_t had;
	bool held = hold_limit(&had), made;

	hookit.pid = getpid();
	hookit.file.number = next_number();
	made = log_file_make(&hookit.file, hookit.o->calls.path, hookit.o->calls.prefix, "program");
	if (held)
		release_limit(&had);
	return made;
}

static void begin_trace(void)
{
	const char *names[CALL_METRICS];
	char path[LOG_FILE_PATH];

	for (uint32_t i = 0; i < metrics_count(); i++)
		names[i] = metrics_get(i)->name;
	log_file_path(path, hookit.o->calls.path, hookit.o->calls.prefix, "log-gen",
		      hookit.file.number);
	if (log_gen_begin(&source, path, metrics_count(), names))
		hook_threads_trace();
}

const char *hookit_sites;

/* The key of minima: this library, how it was compiled, the CPU, the metrics. */
static void make_key(bool entry)
{
	key_add(hookit.key, sizeof(hookit.key), "hookit", "%s", PITRACE_VERSION);
	key_add_build(hookit.key, sizeof(hookit.key), "hookit build id", (uintptr_t)make_key);
	key_add_machine(hookit.key, sizeof(hookit.key));
	key_add(hookit.key, sizeof(hookit.key), "events", "%s%s",
		hookit_sites ? hookit_sites :
		entry        ? "-mfentry" :
			       "-finstrument-functions",
		hookit.o->calls.trace ? ", each written" :
		hook_results          ? ", with results" :
					"");
}

static const char *minima_path(void)
{
	return hookit.o->calls.no_minima ? NULL : hookit.o->calls.minima;
}

/* Trains before any event of the program is noted: `busy` is cleared, so that events count. */
static void train(bool entry)
{
	enum training_way way = hookit_sites ? TRAINING_SITES :
				entry        ? TRAINING_ENTRY :
					       TRAINING_INSTRUMENTED;

#if !defined(__x86_64__)
	if (way == TRAINING_SITES)
		return;
#endif
	if (!hookit.log.file || (hook_reading == HOOK_METRICS && metrics_thread_begin()))
		return;
	hook_self.busy = 0;
	training_run(&hookit.log, way);
	if (hook_reading == HOOK_METRICS)
		metrics_thread_end();
}

/* Converts MINTIME to the first metric; false after a message. */
static bool set_least(void)
{
	const struct metric *m = metrics_get(0);
	bool cycles = !strcmp(m->unit, "cycles") && CyclesPerSecond() > 0;

	hookit.log.least = hookit.o->least;
	if (!hookit.o->least || !hookit.o->least_is_ns)
		return true;
	if (cycles) {
		hookit.log.least = (uint64_t)((double)hookit.o->least * CyclesPerSecond() / 1e9);
	} else if (strcmp(m->unit, "ns")) {
		fprintf(stderr, "hookit: HOOKITOPTS: MINTIME: metric %s is not a time\n", m->name);
		return false;
	}
	return true;
}

static void before_fork(void), after_fork(void), watch_signals(void);

static bool begin(bool entry)
{
	hookit.o = hookit_options();
	if (!hookit.o || !functions_begin())
		return false;
	hookit.joined = joined_begin();
	if (names_decide())
		modules_foresee();
	if (hookit.joined) {
		hook_reading = HOOK_NOTHING;
		hookit.pid = getpid();
		hook_on = !hookit.o->waits;
		return true;
	}
	hookit.log = (struct log_rt){
		.source = &source,
		.values = !hookit.o->calls.tree,
		.types = hookit.o->calls.types,
		.static_types = true,
	};
	if (!set_least())
		return false;
	if (hookit.o->arguments && !entry)
		fprintf(stderr, "hookit: HOOKITOPTS: ARGUMENTS: functions compiled with "
				"-finstrument-functions do not report them\n");
	hookit.inlined = hookit.o->lines && (entry || hookit_sites);
	hookit.file.program = "hookit";
	hookit.file.kind = "log-rt";
	hookit.file.keeps = true;
	if (!make_log())
		return false;
	hook_events_on = hookit.o->events;
	hook_reading = hook_events_on       ? HOOK_METRICS :
		       hookit.o->calls.tree ? HOOK_NOTHING :
		       metrics_wall_alone   ? HOOK_CYCLES :
					      HOOK_METRICS;
	hook_results = hookit.o->arguments && values_have_results();
	hook_plain = !hook_events_on && !hookit.o->calls.trace && !hook_results;
	hook_threads_depth(hookit.o->depth);
	make_key(entry);
	minima_begin(&hookit.log, hookit.key, minima_path());
	train(entry);
	if (hookit.o->calls.trace)
		begin_trace();
	pthread_atfork(before_fork, after_fork, hookit_forked);
	if (!hookit.o->no_signals)
		watch_signals();
	hook_on = !hookit.o->waits;
	return true;
}

bool hookit_begin(bool entry)
{
	enum begun was = NOT_YET;

	if (hookit.begun == RUNS)
		return true;
	if (atomic_compare_exchange_strong(&hookit.begun, &was, BEGINNING)) {
		hookit.begun = begin(entry) ? RUNS : NOT_WANTED;
		if (hookit.begun != RUNS)
			hook_self.tree = &hook_left_out;
	}
	while (hookit.begun == BEGINNING)
		sched_yield();
	if (hookit.begun == NOT_WANTED)
		hook_self.tree = &hook_left_out;
	return hookit.begun == RUNS;
}

bool hookit_foresees(void)
{
	return hookit_runs() && names_decide();
}

SHOWN void HookitOn(void)
{
	if (hookit_begin(false))
		hook_on = true;
}

SHOWN void HookitOff(void)
{
	hook_on = false;
}

/* ---- end ------------------------------------------------------------------------------------- */

bool hookit_runs(void)
{
	return hookit.begun == RUNS;
}

bool hookit_is_borrowed(void)
{
	return hookit.begun == RUNS && hookit.pid != getpid();
}

static int write_log(void)
{
	sigset_t had;
	bool held = hold_limit(&had);
	FILE *out;
	int err;

	modules_see();
	hook_threads_name();
	hook_threads_settle();
	out = log_file_open(&hookit.file);
	err = out ? log_rt_write(out, &hookit.log) : -errno;
	if (!err && hookit.inlined)
		err = modules_print_inlined(out);
	if (out && !err && hook_missed)
		fprintf(out,
			"\nevents that came while others were noted, and found no room: %" PRIu64
			"\n",
			(uint64_t)hook_missed);
	log_file_close(&hookit.file, out, err);
	if (out && !err)
		minima_report(&hookit.log, minima_path());
	if (held)
		release_limit(&had);
	return err;
}

void hookit_write(void)
{
	if (hookit.begun != RUNS || hookit.ended || hookit_is_borrowed())
		return;
	HookitFlush();
}

SHOWN int HookitFlush(void)
{
	bool was;
	int err;

	if (hookit.begun != RUNS || hookit.joined || hookit_is_borrowed())
		return -1;
	pthread_mutex_lock(&hookit.lock);
	was = hook_on;
	hook_on = false;
	err = write_log();
	hook_on = was;
	pthread_mutex_unlock(&hookit.lock);
	return err ? -1 : 0;
}

int hookit_rest(void)
{
	int rc;

	hook_on = false;
	rc = hookit.joined ? 0 : HookitFlush();
	hookit.ended = true;
	fatal_signals_restore();
	return rc;
}

bool hookit_again(void)
{
	if (!hookit.ended)
		return true;
	if (!hookit.joined && (!set_least() || !make_log()))
		return false;
	hookit.ended = false;
	if (!hookit.joined && !hookit.o->no_signals)
		watch_signals();
	hook_threads_anew();
	hook_on = true;
	return true;
}

const char *hookit_log(void)
{
	return hookit.file.path;
}

static void finish(void)
{
	if (hookit.begun != RUNS || hookit.joined || hookit.ended || hookit_is_borrowed())
		return;
	hook_on = false;
	hookit.ended = true;
	log_gen_end();
	write_log();
}

/* Runs after all other destructors of the program. */
static __attribute__((destructor(101))) void at_exit(void)
{
	finish();
}

static void on_signal(void)
{
	pthread_mutex_lock(&hookit.lock);
	finish();
	pthread_mutex_unlock(&hookit.lock);
}

static void gave_up(void)
{
	log_file_lost(&hookit.file, "the program is damaged: writing what it had counted failed");
}

static bool is_busy(void)
{
	return hook_self.busy;
}

static void watch_signals(void)
{
	static const struct fatal_writer writer = { on_signal, gave_up, is_busy };

	fatal_signals_watch(&writer);
}

/* ---- fork ------------------------------------------------------------------------------------ */

/*
 * The child has one thread: locks that other threads hold must be taken before fork(). Most
 * important for names: dl_iterate_phdr() takes a lock of the loader, which the child could never
 * get if another thread held it. The locks are in the order in which they are taken.
 */
static pthread_mutex_t *const locks[] = {
#ifdef HOOKIT_PATCHES
	&patched_lock,
#endif
	&hookit.lock,  &log_gen_lock, &hook_threads_lock, &modules_lock,
};
#define LOCKS   (sizeof(locks) / sizeof(locks[0]))
#define FORK_MS 2000 /* a handler may fork while its thread holds one of them */

static void before_fork(void)
{
	struct timespec until;
	uint32_t n = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += FORK_MS / 1000;
	while (!hook_self.busy && n < LOCKS &&
	       !pthread_mutex_clocklock(locks[n], CLOCK_MONOTONIC, &until))
		n++;
	hook_self.held = n;
}

static void after_fork(void)
{
	while (hook_self.held)
		pthread_mutex_unlock(locks[--hook_self.held]);
}

/* No thread of the child completes what another thread had begun. */
static void not_begun(void)
{
	if (hookit.begun == BEGINNING)
		hookit.begun = NOT_WANTED;
}

static __attribute__((constructor)) void watch_forks(void)
{
	pthread_atfork(NULL, NULL, not_begun);
}

void hookit_forked(void)
{
	bool was = hook_on;

	for (size_t i = 0; i < LOCKS; i++)
		pthread_mutex_init(locks[i], NULL);
	hook_self.held = 0;
	if (hookit.begun != RUNS)
		return;
	hook_on = false;
	fatal_signals_forked();
	functions_forked();
	log_gen_forked();
	hook_threads_forked();
	/* Measuring has ended: attaching to the child makes a new log. */
	if (hookit.ended)
		return;
	hookit.ended = !make_log();
	if (!hookit.ended && hookit.o->calls.trace) {
		hook_threads_trace();
		begin_trace();
	}
	hook_on = was && !hookit.ended;
}

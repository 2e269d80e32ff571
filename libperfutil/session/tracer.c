/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The states of a session in this process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "events/event_names.h"
#include "hook/hookfile.h"
#include "base/rc.h"
#include "session/tracer_inner.h"

void tracer_defaults(struct tracer_options *o)
{
	*o = (struct tracer_options){
		.mode = TRACE_CONTINUOUS,
		.scope = TRACE_SYSTEM,
		.rate = TRACE_DEFAULT_RATE,
		.dither = 100,
		.owner = (uid_t)-1,
		.group = (gid_t)-1,
	};
}

static uint64_t random_seed(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec ^ (uint64_t)getpid() << 16;
}

/* Returns whether requested features are missing in the collector. */
static bool lacks(const struct tracer *t, bool seed, char *why, size_t room)
{
	const struct collector *c = t->collector;

	if (t->config.mode == PITRACE_MODE_WRAP && !c->window)
		snprintf(why, room, "the collector %s has no wrap mode; use -t cont", c->name);
	else if ((t->rotate_bytes || t->rotate_ns) && !c->rescan)
		snprintf(why, room, "with the collector %s files cannot rotate", c->name);
	else if (seed && !c->repeats)
		snprintf(why, room, "the collector %s has no dither that a seed would repeat",
			 c->name);
	else
		return false;
	return true;
}

/* No sampler was chosen: uses cycles, if the chosen collector has them. */
static void prefer_cycles(struct tracer *t)
{
	struct trace_config with = t->config;
	struct collector_check check;
	char why[200];

	if (events_find("cycles", with.events, why, sizeof(why)) != 1 ||
	    !event_counts(&with.events[0]))
		return;
	with.nevents = 1;
	with.events[0].flags |= PITRACE_EVENT_RATE;
	with.events[0].period = with.rate;
	t->collector->check(&with, &check);
	if (check.state == COLLECTOR_WORKS)
		t->config = with;
}

int session_check_sizes(uint64_t mte, uint64_t trace, uint64_t section)
{
	uint64_t large = mte > trace ? mte : trace;

	if (large > TRACER_MOST_BYTES)
		return rc_fail(PI_INVALID_ARGUMENT,
			       "invalid size: buffers of %llu bytes a CPU, at most %u (1 GB)",
			       (unsigned long long)large, TRACER_MOST_BYTES);
	if (section && (section & (section - 1) || section < TRACER_LEAST_SECTION ||
			section > TRACER_MOST_SECTION))
		return rc_fail(PI_INVALID_ARGUMENT,
			       "invalid size: sections of %llu bytes, not a power of two from %u to %u",
			       (unsigned long long)section, TRACER_LEAST_SECTION,
			       TRACER_MOST_SECTION);
	return PI_OK;
}

/* Without hook files only the programs' own records are missing, or cost a call each. A named
 * folder is for all programs of this user, a new one only for the command. */
static int make_hooks(struct tracer *t, const struct tracer_options *o)
{
	uint32_t serial = session_by_driver(t) ? t->collector->serial(t->backend) : 0;
	struct trace_info info = { .trace_bytes = t->config.trace_bytes };
	struct hooks_driver driver = {
		.serial = serial,
		.files = t->config.mode != PITRACE_MODE_WRAP,
		.has = t->collector->has,
		.backend = t->backend,
	};

	if (!serial && !t->collector->hook_files)
		return PI_OK;
	/* The driver adjusts the sizes. */
	if (serial)
		t->collector->info(t->backend, &info);
	driver.clock = info.clock;
	t->hooks = hooks_new(o->hooks, o->hooks ? (uid_t)-1 : o->owner, info.trace_bytes, 1);
	if (!t->hooks)
		return errno == ERANGE ? PI_INVALID_ARGUMENT :
		       errno == ENOMEM ? PI_NO_MEMORY :
					 PI_OK;
	if (serial && hooks_beside(t->hooks, &driver)) {
		hooks_free(t->hooks);
		t->hooks = NULL;
	}
	if (t->hooks && t->config.mode == PITRACE_MODE_NORMAL)
		hooks_keep(t->hooks);
	return PI_OK;
}

bool session_by_driver(const struct tracer *t)
{
	return t->collector->serial != NULL;
}

struct tracer *tracer_open(const struct tracer_options *o, int *rc)
{
	struct tracer *t = calloc(1, sizeof(*t));
	char why[1000] = "";

	if (!t) {
		*rc = rc_fail(PI_NO_MEMORY, "no memory");
		return NULL;
	}
	t->wake = t->stop_fd = t->folder.fd = -1;
	pthread_mutex_init(&t->lock, NULL);
	*rc = session_check_sizes(o->mte_bytes, o->trace_bytes, o->section_bytes);
	if (*rc)
		goto fail;
	if (o->owner != (uid_t)-1) {
		t->user = malloc(sizeof(*t->user));
		if (!t->user) {
			*rc = rc_fail(PI_NO_MEMORY, "no memory");
			goto fail;
		}
		rights_of_user(o->owner, o->group, t->user);
	}
	t->compression = o->compression;
	t->path = strdup(o->file ? o->file : TRACE_DEFAULT_NAME);
	t->command = strdup(o->command ? o->command : "");
	t->config = (struct trace_config){
		.mode = (uint32_t)o->mode,
		.scope = (uint32_t)o->scope,
		.pid = o->pid,
		.flags = o->stop_on_crash && o->scope == TRACE_PROCESS ?
				 PITRACE_SESSION_STOP_ON_CRASH :
				 0,
		.clock = o->clock,
		.rate = o->rate ? o->rate : TRACE_DEFAULT_RATE,
		.dither = o->dither,
		.seed = o->seed ? o->seed : random_seed(),
		.mte_bytes = o->mte_bytes ? o->mte_bytes : TRACER_MTE_BYTES,
		.trace_bytes = o->trace_bytes ? o->trace_bytes : TRACER_TRACE_BYTES,
		.segment_bytes = o->section_bytes ? o->section_bytes : 64 << 10,
		.stacks = o->stacks,
		.depth = o->depth,
		.copy = o->copy,
		.program = o->program,
		.user = o->owner != (uid_t)-1 ? o->owner : geteuid(),
	};
	memcpy(t->config.majors, o->majors, sizeof(o->majors));
	if (o->itrace)
		t->config.itrace = *o->itrace;
	t->config.nevents = o->nevents < PITRACE_EVENTS ? o->nevents : PITRACE_EVENTS;
	if (t->config.nevents)
		memcpy(t->config.events, o->events, t->config.nevents * sizeof(*o->events));
	t->rotate_bytes = o->rotate_bytes;
	t->rotate_ns = o->rotate_ns;
	t->rotate_keep = o->rotate_keep;
	if ((t->rotate_bytes || t->rotate_ns) && o->mode != TRACE_CONTINUOUS) {
		*rc = rc_fail(PI_INVALID_ARGUMENT, "files can only rotate in continuous mode");
		goto fail;
	}
	t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!t->path || !t->command || t->wake < 0 || t->stop_fd < 0) {
		*rc = rc_errno(errno, "setting up a session");
		goto fail;
	}
	t->collector = collector_choose(o->collector, &t->config, rc, why, sizeof(why));
	if (t->collector && o->prefer_cycles && !t->config.nevents)
		prefer_cycles(t);
	/* The recorded value is the effective one, not the requested one. */
	if (t->collector && t->config.dither > t->collector->dither)
		t->config.dither = t->collector->dither;
	if (t->collector && !t->collector->repeats)
		t->config.seed = 0;
	if (t->collector && lacks(t, o->seed, why, sizeof(why)))
		*rc = PI_NOT_SUPPORTED;
	else if (t->collector)
		t->backend = t->collector->open(&t->config, rc, why, sizeof(why));
	if (!t->backend) {
		rc_fail(*rc, "%s", *why ? why : RcToString(*rc));
		goto fail;
	}
	/* A named folder is for all programs of this user, a new one only for the command. */
	t->own_folder = !o->hooks;
	*rc = make_hooks(t, o);
	if (*rc)
		goto fail;
	return t;
fail:
	tracer_close(t);
	return NULL;
}

void tracer_close(struct tracer *t)
{
	if (!t)
		return;
	if (t->on)
		tracer_off(t);
	hooks_free(t->hooks);
	if (t->backend)
		t->collector->close(t->backend);
	if (t->wake >= 0)
		close(t->wake);
	if (t->stop_fd >= 0)
		close(t->stop_fd);
	pthread_mutex_destroy(&t->lock);
	kernel_code_free(t->code);
	folder_close(&t->folder);
	free(t->path);
	free(t->command);
	free(t->user);
	free(t);
}

int tracer_enable(struct tracer *t, int major, bool on)
{
	struct trace_config with = t->config;
	struct trace_info info = { 0 };
	struct collector_check check;
	char why[200];
	uint64_t bit;

	if (major < 0 || major >= PITRACE_MAJORS)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid major: majors are 0 to %d",
			       PITRACE_MAJORS - 1);
	if (t->on)
		return rc_fail(PI_INCORRECT_STATE,
			       "majors can only be changed while tracing is off");
	t->collector->info(t->backend, &info);
	bit = 1ull << (major & 63);
	if (on && !(info.available[major / 64] & bit)) {
		collector_lacks(t->collector, (unsigned int)major, why, sizeof(why));
		return rc_fail(PI_NOT_SUPPORTED, "%s", why);
	}
	if (on && t->collector->checks_majors) {
		with.majors[major / 64] |= bit;
		t->collector->check(&with, &check);
		if (check.state != COLLECTOR_WORKS)
			return rc_fail(check.state == COLLECTOR_REFUSED ? PI_NO_PERMISSION :
									  PI_NOT_SUPPORTED,
				       "%s%s%s", check.why, *check.cure ? ": " : "", check.cure);
	}
	if (on)
		t->config.majors[major / 64] |= bit;
	else
		t->config.majors[major / 64] &= ~bit;
	return PI_OK;
}

int tracer_events(struct tracer *t, const struct pitrace_event_args *events, unsigned int n)
{
	struct trace_config with = t->config;
	struct collector_check check;

	if (n > PITRACE_EVENTS)
		return rc_fail(PI_TOO_MANY_METRICS, "at most %d events at a time", PITRACE_EVENTS);
	if (t->on)
		return rc_fail(PI_INCORRECT_STATE, "events can only be set while tracing is off");
	with.nevents = n;
	if (n)
		memcpy(with.events, events, n * sizeof(*events));
	t->collector->check(&with, &check);
	if (check.state != COLLECTOR_WORKS)
		return rc_fail(check.state == COLLECTOR_REFUSED ? PI_NO_PERMISSION :
								  PI_EVENT_UNSUPPORTED,
			       "%s%s%s", check.why, *check.cure ? ": " : "", check.cure);
	t->config = with;
	return PI_OK;
}

int tracer_itrace(struct tracer *t, const struct tracer_itrace *itrace)
{
	struct trace_config with = t->config;
	struct collector_check check;

	if (t->on)
		return rc_fail(PI_INCORRECT_STATE,
			       "what ITrace traces can only be set while tracing is off");
	if (itrace->scope == PITRACE_ITRACE_NONE) {
		t->config.itrace = *itrace;
		return PI_OK;
	}
	if (!(collector_majors(t->collector->name)[0] >> PITRACE_BRANCH_USER & 1)) {
		collector_lacks(t->collector, PITRACE_BRANCH_USER, check.why, sizeof(check.why));
		return rc_fail(PI_NOT_SUPPORTED, "%s", check.why);
	}
	/* The major may be enabled later. */
	with.majors[0] |= 1ull << PITRACE_BRANCH_USER;
	with.itrace = *itrace;
	t->collector->check(&with, &check);
	if (check.state != COLLECTOR_WORKS)
		return rc_fail(check.state == COLLECTOR_REFUSED ? PI_NO_PERMISSION :
								  PI_NOT_SUPPORTED,
			       "%s%s%s", check.why, *check.cure ? ": " : "", check.cure);
	t->config.itrace = *itrace;
	return PI_OK;
}

int tracer_rate(struct tracer *t, int rate)
{
	if (rate < 1 || rate > TRACE_MAX_RATE)
		return rc_fail(PI_INVALID_ARGUMENT,
			       "invalid rate: rates are 1 to %d ticks a second", TRACE_MAX_RATE);
	if (t->on)
		return rc_fail(PI_INCORRECT_STATE, "the rate can only be set while tracing is off");
	t->config.rate = (uint32_t)rate;
	for (uint32_t i = 0; i < t->config.nevents; i++)
		if (t->config.events[i].flags & PITRACE_EVENT_RATE)
			t->config.events[i].period = (uint64_t)rate;
	return PI_OK;
}

/* ---- on and off ------------------------------------------------------------------------------ */

/* The programs' records come through the hook files; the driver also records the other
 * programs'. */
static int collector_on(struct tracer *t)
{
	struct trace_config config = t->config;
	int err;

	if (t->hooks && !session_by_driver(t)) {
		config.majors[PITRACE_HOOKIT / 64] &= ~(1ull << PITRACE_HOOKIT % 64);
		config.majors[3] &= ~(~0ull << PITRACE_USER_FIRST % 64 |
				      1ull << PITRACE_NAMED % 64);
	}
	err = t->collector->on(t->backend, &config);
	return err || !t->hooks ? err : hooks_listen(t->hooks, t->config.majors);
}

/* Explains a missing permission, and how to fix it. */
static int refused_on(struct tracer *t, int err)
{
	struct collector_check check = { .state = COLLECTOR_WORKS };

	if (err == -EDQUOT)
		return rc_fail(PI_BUSY,
			       "busy: without CAP_PERFMON your trace sessions may take %d samples a second together; ask for fewer (-F), or end one (swtrace free)",
			       TRACE_MAX_RATE);
	if (err == -EACCES || err == -EPERM)
		t->collector->check(&t->config, &check);
	if (check.state == COLLECTOR_WORKS)
		return rc_errno(err, "turning tracing on");
	return rc_fail(PI_NO_PERMISSION, "%s%s%s", check.why, *check.cure ? ": " : "", check.cure);
}

/* Refuses an unwritable path before anything is traced. */
static int open_folder(struct tracer *t)
{
	const char *leaf = folder_leaf(t->path);
	struct stat st;
	int err;

	folder_close(&t->folder);
	err = folder_open(&t->folder, t->path, t->user);
	if (err) {
		rc_errno(err, "%s: cannot be written: %.*s", t->path,
			 leaf == t->path ? 1 : (int)(leaf - t->path),
			 leaf == t->path ? "." : t->path);
		return PI_FILE_ERROR;
	}
	if (!folder_stat(&t->folder, leaf, &st) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return rc_fail(PI_FILE_ERROR, "%s: is not a regular file", t->path);
	return PI_OK;
}

int tracer_on(struct tracer *t)
{
	uint64_t any = 0;
	int err = 0;

	if (t->on)
		return rc_fail(PI_INCORRECT_STATE, "tracing is on already");
	for (unsigned int i = 0; i < PITRACE_MAJORS / 64; i++)
		any |= t->config.majors[i];
	if (!any)
		t->config.majors[PITRACE_TPROF / 64] |= 1ull << (PITRACE_TPROF & 63);
	/* A session that records user majors also records named events. */
	if (t->config.majors[PITRACE_HOOKIT / 64] >> PITRACE_HOOKIT % 64 & 1 ||
	    t->config.majors[3] >> PITRACE_USER_FIRST % 64)
		t->config.majors[3] |= 1ull << PITRACE_NAMED % 64;
	t->stopped = false;
	t->error = 0;
	kernel_code_free(t->code);
	t->code = NULL;
	t->written = t->records = t->unwritten = 0;
	t->before_bytes = t->before_records = 0;
	err = open_folder(t);
	if (err)
		return err;
	if (t->config.mode != PITRACE_MODE_NORMAL) {
		err = drain_number_last(t);
		if (!err)
			err = out_begin(t, &t->file, &t->folder, folder_leaf(t->path));
	}
	if (err) {
		out_undo(&t->file);
		drain_number_undo(t);
		return rc_errno(err, "%s", t->path) == PI_NO_MEMORY ? PI_NO_MEMORY : PI_FILE_ERROR;
	}
	/* Drains while live tasks are written: they may exceed the buffer. */
	err = drain_start(t);
	if (!err) {
		err = collector_on(t);
		if (err)
			drain_end(t);
	}
	if (err) {
		out_undo(&t->file);
		drain_number_undo(t);
		if (err == -ENOBUFS)
			return rc_fail(PI_BUFFER_FULL,
				       "the MTE buffer is too small for the processes of this machine: make it larger (-sm), or trace in continuous mode");
		return refused_on(t, err);
	}
	t->on = true;
	t->numbered = false;
	drain_forget_oldest(t);
	return PI_OK;
}

/* Drains the rest of the buffers. */
static int take_rest(struct tracer *t)
{
	bool wrap = t->config.mode == PITRACE_MODE_WRAP;
	int err = wrap ? t->collector->mark(t->backend) : 0, window = 0;

	/* Also for a failed file: then it is counted. */
	if (!err)
		err = out_drain(t, true);
	if (wrap && (!err || err == t->error))
		window = out_window(t, &t->file);
	return err ? err : window;
}

int tracer_off(struct tracer *t)
{
	struct trace_info info = { 0 };
	uint64_t n;
	int err, code;

	if (!t->on)
		return rc_fail(PI_INCORRECT_STATE, "tracing is not on");
	drain_end(t);
	t->collector->info(t->backend, &info);
	if (info.state == PITRACE_STATE_STOPPED)
		t->stopped = true;
	if (t->hooks)
		hooks_listen(t->hooks, NULL);
	code = out_code(t);
	err = t->collector->off(t->backend);
	if (err == -EALREADY)
		err = 0;
	if (!t->error)
		t->error = code;
	if (t->file.writer) {
		int rest = err ? err : take_rest(t);

		if (!t->error)
			t->error = rest;
		err = out_end(t, &t->file, NULL);
		if (!t->error)
			t->error = err;
		t->complete = true;
	}
	t->on = false;
	memset(t->config.majors, 0, sizeof(t->config.majors));
	if (read(t->stop_fd, &n, sizeof(n)) < 0)
		n = 0;
	if (t->error) {
		rc_errno(t->error, "%s (what was written before stays readable)", t->path);
		return PI_FILE_ERROR;
	}
	return err ? rc_errno(err, "turning tracing off") : PI_OK;
}

int tracer_suspend(struct tracer *t, bool suspend)
{
	int err;

	if (!t->on)
		return rc_fail(PI_INCORRECT_STATE, "tracing is not on");
	err = t->collector->suspend(t->backend, suspend);
	if (!err && t->hooks)
		err = hooks_pause(t->hooks, suspend);
	return err ? rc_errno(err, suspend ? "suspending" : "resuming") : PI_OK;
}

int tracer_discard(struct tracer *t)
{
	int err;

	if (!t->collector->discard)
		return rc_fail(PI_NOT_SUPPORTED, "the collector %s cannot discard",
			       t->collector->name);
	pthread_mutex_lock(&t->lock);
	err = t->collector->discard(t->backend);
	if (!err && t->hooks)
		hooks_discard(t->hooks);
	pthread_mutex_unlock(&t->lock);
	return err ? rc_errno(err, "discarding") : PI_OK;
}

int tracer_write(struct tracer *t, const char *path)
{
	struct trace_info info;

	session_info(t, &info);
	if (!info.interval)
		return rc_fail(PI_INCORRECT_STATE, "nothing has been traced yet");
	return out_write(t, path);
}

static void describe_sampler(const struct tracer *t, char *to, size_t room)
{
	size_t n = 0;

	snprintf(to, room, "the timer");
	for (uint32_t i = 0; i < t->config.nevents && n < room; i++)
		n += (size_t)snprintf(to + n, room - n, "%s%s", i ? "," : "",
				      t->config.events[i].name);
}

/* Programs of other users belong to a process session only if its command started them: it passed
 * its folder only to them. */
static void notify_programs(struct tracer *t, struct trace_info *info)
{
	const char *names;

	pthread_mutex_lock(&t->lock);
	info->lost[PITRACE_LOST_USER] += hooks_lost(t->hooks);
	if (t->config.scope == PITRACE_SCOPE_SYSTEM || t->own_folder) {
		info->refused = hooks_refused(t->hooks, &names);
		snprintf(info->refused_names, sizeof(info->refused_names), "%s", names);
	}
	pthread_mutex_unlock(&t->lock);
}

void tracer_info(struct tracer *t, struct trace_info *info)
{
	session_info(t, info);
	info->size = sizeof(*info);
	info->version = 1;
	if (t->hooks)
		notify_programs(t, info);
	info->mode = t->config.mode;
	info->scope = t->config.scope;
	info->pid = t->config.pid;
	info->stopped = t->stopped;
	info->holder = getpid();
	info->file_error = (uint32_t)-t->error;
	info->written = t->written;
	info->records = t->records;
	info->unwritten = t->unwritten;
	info->files = t->files;
	info->got = t->got;
	info->got_records = t->got_records;
	snprintf(info->got_file, sizeof(info->got_file), "%s", t->got_file);
	memcpy(info->majors, t->config.majors, sizeof(info->majors));
	snprintf(info->collector, sizeof(info->collector), "%s", t->collector->name);
	snprintf(info->file, sizeof(info->file), "%s", t->path);
	describe_sampler(t, info->sampler, sizeof(info->sampler));
}

const char *tracer_hooks(struct tracer *t)
{
	return t->hooks ? hooks_folder(t->hooks) : NULL;
}

int tracer_environment(struct tracer *t, char ***variables)
{
	int err;

	*variables = NULL;
	if (!t->collector->environment)
		return PI_OK;
	err = t->collector->environment(t->backend, variables);
	return err ? rc_errno(err, "the command's environment") : PI_OK;
}

int tracer_ended(struct tracer *t, pid_t child, int *status)
{
	if (t && t->collector->ended)
		return t->collector->ended(t->backend, child, status);
	return waitpid(child, status, WNOHANG) == child;
}

int tracer_fd(struct tracer *t)
{
	return t->stop_fd;
}

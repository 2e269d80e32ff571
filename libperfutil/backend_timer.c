/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The collector `timer`, for users to whom the kernel gives neither the module nor perf events: a
 * library preloaded into the command (libperfutil/timer) samples its threads by timers on their own
 * CPU time, user code only. Here their rings are read, what they tell is sorted by time (held back
 * a little: rings are read one after the other), and made into the same records as any collector's.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "backend.h"
#include "rc.h"
#include "timer_files.h"
#include "timer_process.h"
#include "timer_program.h"

#define LIBRARY		"libpitrace-timer.so"
#define DRAIN_NS	50000000	/* between two readings of the rings */
#define HOLD_NS		100000000ull	/* what is younger waits for what is still to come */
#define LOOK_NS		100000000ull	/* no more often do we look at a process's mappings */
#define SECOND_NS	1000000000ull
#define OVERRUNS_MAX	1000000u	/* of one sample, to believe */
#define EVENT_BYTES	(128u << 10)
#define SAMPLE_BYTES	(64u << 10)
#define STACK_BYTES	(512u << 10)	/* sample rings with stacks … */
#define COPY_BYTES	(2u << 20)	/* … and with copies of them */
#define ITEM_GONE	0x100		/* beside enum timer_kind: the process is no more */

/* What a process told, until it is old enough. */
struct item {
	uint64_t stamp, order;
	struct timer_process *p;
	uint8_t *data;
	uint32_t tid, bytes;
	uint32_t kind;			/* enum timer_kind, or ITEM_GONE */
};

struct backend {
	struct timer_folder folder;
	struct timer_out out;
	struct timer_processes all;
	struct trace_config config;
	struct item *item;
	size_t nitem, item_room;
	uint64_t order, floor;		/* no stamp is before */
	uint64_t second;		/* the next */
	uint64_t on_stamp, off_stamp;
	uint32_t state;			/* enum pitrace_state, atomic */
	uint32_t rate;
	bool began, over;
	int clock;			/* timerfd */
	uint32_t unsampled_processes;
	/* Of the record that is being read. */
	struct timer_process *reading;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

/* ---- can it serve? --------------------------------------------------------------------------- */

/* Beside the program that we are in, or where it was installed; the user may say where. */
static bool find_library(char path[PATH_MAX])
{
	const char *told = secure_getenv("PITRACE_TIMER_LIBRARY");
	char exe[PATH_MAX], beside[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *slash;

	if (told)
		return realpath(told, path) != NULL;
	exe[n > 0 ? n : 0] = 0;
	slash = strrchr(exe, '/');
	if (slash) {
		snprintf(beside, sizeof(beside), "%.*s/../lib/pitrace/" LIBRARY, (int)(slash - exe), exe);
		if (realpath(beside, path))
			return true;
	}
	return realpath(PITRACE_LIBDIR "/" LIBRARY, path) != NULL;
}

static int refuse(struct collector_check *c, enum collector_state state, const char *why,
		  const char *cure)
{
	c->state = state;
	snprintf(c->why, sizeof(c->why), "%s", why);
	snprintf(c->cure, sizeof(c->cure), "%s", cure);
	return -1;
}

static bool timers_work(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_NONE };
	int id;

	if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &e, &id))
		return false;
	syscall(SYS_timer_delete, id);
	return true;
}

static void timer_check(const struct trace_config *config, struct collector_check *c)
{
	char library[PATH_MAX];

	*c = (struct collector_check){ .state = COLLECTOR_WORKS };
	if (!find_library(library))
		refuse(c, COLLECTOR_ABSENT, "its library " LIBRARY " is not installed",
		       "make install, or name it in PITRACE_TIMER_LIBRARY");
	else if (strpbrk(library, ": \t\n"))
		refuse(c, COLLECTOR_REFUSED, "the path of its library has a blank or a colon, which LD_PRELOAD cannot hold",
		       "install pitrace elsewhere, or name a copy in PITRACE_TIMER_LIBRARY");
	else if (!timers_work())
		refuse(c, COLLECTOR_REFUSED, "timers of a thread's CPU time are not allowed here", "");
	else if (config->scope == PITRACE_SCOPE_SYSTEM)
		refuse(c, COLLECTOR_REFUSED, "the timer collector sees only the command that swtrace run starts and its children, not the whole system",
		       "");
	else if (config->pid && !config->program)
		refuse(c, COLLECTOR_REFUSED, "the timer collector cannot enter a process that runs already",
		       "start the program by swtrace run");
	else if (config->mode != PITRACE_MODE_CONTINUOUS)
		refuse(c, COLLECTOR_REFUSED, "the timer collector writes while it traces: it has neither normal nor wrap mode",
		       "use -t cont");
	else if (config->nevents)
		refuse(c, COLLECTOR_REFUSED, "the timer collector samples CPU time and no other event",
		       "");
	else if (config->program &&
		 !timer_can_enter(config->program, c->why, sizeof(c->why), c->cure,
				  sizeof(c->cure)))
		c->state = COLLECTOR_REFUSED;
}

/* ---- open and close -------------------------------------------------------------------------- */

/* The kernel looks at CPU timers at its ticks. A little more than a tick between two samples, and
 * hardly ever two of them are due at once. */
static void choose_rate(const struct trace_config *config, struct timer_control *c)
{
	struct timespec coarse = { 0, 4000000 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &coarse);
	c->tick = (uint64_t)coarse.tv_nsec;
	c->interval = SECOND_NS / config->rate;
	if (c->interval < c->tick + c->tick / 20)
		c->interval = c->tick + c->tick / 20;
}

static void timer_close(struct backend *b)
{
	if (!b)
		return;
	timer_folder_remove(&b->folder);
	for (size_t i = 0; i < b->nitem; i++)
		free(b->item[i].data);
	free(b->item);
	timer_processes_free(&b->all);
	timer_out_close(&b->out);
	if (b->clock >= 0)
		close(b->clock);
	free(b);
}

static struct backend *timer_open(const struct trace_config *config, int *rc, char *why,
				  size_t room)
{
	struct timer_control control = {
		.magic = TIMER_MAGIC, .version = TIMER_VERSION, .state = TIMER_PAUSED,
		.stacks = config->stacks & (PITRACE_WANT_USER | PITRACE_WANT_COPY),
		.event_bytes = EVENT_BYTES, .sample_bytes = SAMPLE_BYTES,
		.depth = config->depth ? config->depth : PITRACE_STACK_MAX,
	};
	struct itimerspec often = { { 0, DRAIN_NS }, { 0, DRAIN_NS } };
	struct collector_check check;
	struct backend *b;

	timer_check(config, &check);
	if (check.state != COLLECTOR_WORKS) {
		*rc = check.state == COLLECTOR_ABSENT ? PI_FILE_ERROR : PI_NOT_SUPPORTED;
		snprintf(why, room, "%s%s%s; what the other collectors need: swtrace check", check.why,
			 *check.cure ? ": " : "", check.cure);
		return NULL;
	}
	choose_rate(config, &control);
	if (control.stacks) {
		control.sample_bytes = STACK_BYTES;
		if (control.stacks & PITRACE_WANT_COPY) {
			control.sample_bytes = COPY_BYTES;
			control.copy = config->copy ? config->copy : PITRACE_STACK_COPY_MAX;
		}
	}
	b = calloc(1, sizeof(*b));
	*rc = PI_NO_MEMORY;
	if (!b)
		return NULL;
	b->config = *config;
	b->rate = (uint32_t)((SECOND_NS + control.interval / 2) / control.interval);
	b->folder.fd = -1;
	b->clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (b->clock >= 0 && !timerfd_settime(b->clock, 0, &often, NULL) &&
	    !timer_out_open(&b->out, config->segment_bytes)) {
		int err = timer_folder_make(&b->folder, &control, config->user, why, room);

		if (!err)
			return b;
		*rc = rc_of_errno(err);
	}
	timer_close(b);
	return NULL;
}

static int timer_environment(struct backend *b, char ***variables)
{
	const char *old = getenv("LD_PRELOAD");
	char library[PATH_MAX], **v = calloc(3, sizeof(*v));

	*variables = v;
	if (!v || !find_library(library))
		return v ? -ENOENT : -ENOMEM;
	/* Both in one piece each: the caller frees the words and their array. */
	if (asprintf(&v[0], "LD_PRELOAD=%s%s%s", library, old && *old ? ":" : "", old ? old : "") < 0)
		v[0] = NULL;
	if (asprintf(&v[1], TIMER_VARIABLE "=%s", b->folder.path) < 0)
		v[1] = NULL;
	return v[0] && v[1] ? 0 : -ENOMEM;
}

/* ---- on and off ------------------------------------------------------------------------------ */

static void set_state(struct backend *b, uint32_t state, uint32_t to_programs)
{
	__atomic_store_n(&b->state, state, __ATOMIC_RELEASE);
	__atomic_store_n(&b->folder.control->state, to_programs, __ATOMIC_RELAXED);
}

static int timer_on(struct backend *b, const struct trace_config *config)
{
	for (unsigned int i = 0; i < PITRACE_MAJORS; i++) {
		bool wanted = config->majors[i / 64] >> (i % 64) & 1;

		if (wanted && i != PITRACE_TPROF && i != PITRACE_MTE)
			return -EOPNOTSUPP;
	}
	/* The command was told once where its rings belong. */
	if (b->over)
		return -EALREADY;
	b->on_stamp = b->floor = now_ns();
	b->second = b->on_stamp + SECOND_NS;
	set_state(b, PITRACE_STATE_ON, TIMER_ON);
	return 0;
}

static int timer_off(struct backend *b)
{
	if (b->over)
		return -EALREADY;
	b->over = true;
	set_state(b, PITRACE_STATE_OFF, TIMER_OVER);
	b->off_stamp = now_ns();
	return 0;
}

static int timer_suspend(struct backend *b, bool suspend)
{
	set_state(b, suspend ? PITRACE_STATE_SUSPENDED : PITRACE_STATE_ON,
		  suspend ? TIMER_PAUSED : TIMER_ON);
	return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void add_item(struct backend *b, struct timer_process *p, uint32_t kind, uint32_t tid,
		     uint64_t stamp, const void *data, uint32_t bytes)
{
	struct item *i;

	if (b->nitem == b->item_room) {
		size_t room = b->item_room ? 2 * b->item_room : 1024;

		i = realloc(b->item, room * sizeof(*i));
		if (!i)
			return;
		b->item = i;
		b->item_room = room;
	}
	i = &b->item[b->nitem];
	*i = (struct item){
		.stamp = stamp, .order = b->order++, .p = p, .kind = kind, .tid = tid,
		.bytes = bytes, .data = bytes ? malloc(bytes) : NULL,
	};
	if (bytes && !i->data)
		return;
	if (bytes)
		memcpy(i->data, data, bytes);
	if (p && p->last < stamp)
		p->last = stamp;
	b->nitem++;
}

/* A stamp is what a traced program says: no later than now, no earlier than what went out. */
static void take_record(void *arg, const struct timer_record *r, const void *data, uint32_t bytes)
{
	struct backend *b = arg;
	uint64_t now = now_ns(), stamp = r->stamp;

	stamp = stamp < b->floor ? b->floor : stamp > now ? now : stamp;
	if (r->kind > TIMER_PAD && r->kind <= TIMER_EXIT)
		add_item(b, b->reading, r->kind, r->tid, stamp, data, bytes);
}

static uint32_t bounded(uint64_t now, uint64_t before)
{
	return now > before ? now - before < UINT32_MAX ? (uint32_t)(now - before) : UINT32_MAX : 0;
}

static void read_file(struct backend *b, const struct timer_name *name)
{
	struct timer_process *p = timer_process_get(&b->all, name->pid, name->image);
	struct timer_source *s = p ? timer_process_source(p, name->number) : NULL;
	struct timer_read got = { 0 };
	int rc;

	if (!s || s->broken)
		return;
	b->reading = p;
	rc = timer_file_read(&b->folder, name, &got, take_record, b);
	s = &p->source[name->number];
	if (rc == -EBADMSG) {
		/* It wrote where it should not: what it told so far is kept. */
		s->broken = true;
		timer_out_lost(&b->out, 0, PITRACE_LOST_TPROF, 1, b->floor);
	}
	if (rc < 0)
		return;
	if (!name->number) {
		p->parent = got.parent;
		p->unsampled = got.unsampled;
		if (got.lost_events > p->lost_events)
			timer_out_lost(&b->out, 0, PITRACE_LOST_MTE,
				       bounded(got.lost_events, p->lost_events), b->floor);
		p->lost_events = got.lost_events;
	}
	if (got.lost_samples > s->lost_samples)
		timer_out_lost(&b->out, 0, PITRACE_LOST_TPROF,
			       bounded(got.lost_samples, s->lost_samples), b->floor);
	s->lost_samples = got.lost_samples;
}

typedef void (*process_fn)(struct backend *b, struct timer_process *p);

static void each_process(struct backend *b, process_fn fn)
{
	struct timer_process *next;

	for (size_t i = 0; b->all.n && i < sizeof(b->all.by_pid) / sizeof(*b->all.by_pid); i++)
		for (struct timer_process *p = b->all.by_pid[i]; p; p = next) {
			next = p->next;
			fn(b, p);
		}
}

/* Before its rings are read for the last time. */
static void mark_gone(struct backend *b, struct timer_process *p)
{
	if (p->gone)
		return;
	p->exited = kill((pid_t)p->pid, 0) && errno == ESRCH;
	p->gone = p->exited || timer_process_newest(&b->all, p->pid, UINT64_MAX) != p;
}

static void bury_gone(struct backend *b, struct timer_process *p)
{
	struct timer_name name = { .pid = p->pid, .image = p->image };

	if (!p->gone || p->buried)
		return;
	for (name.number = 0; name.number < p->nsource; name.number++)
		if (p->source[name.number].known)
			timer_file_remove(&b->folder, &name);
	p->buried = true;
	/* It came and found no room, or died before it had any. */
	if (!p->last)
		b->unsampled_processes++;
	add_item(b, p, ITEM_GONE, p->pid, p->last > b->floor ? p->last + 1 : b->floor, NULL, 0);
}

static void read_all(struct backend *b)
{
	int fd = dup(b->folder.fd);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct timer_name name;
	struct dirent *e;

	each_process(b, mark_gone);
	if (d) {
		rewinddir(d);
		while ((e = readdir(d)))
			if (timer_name_parse(e->d_name, &name))
				read_file(b, &name);
		closedir(d);
	} else if (fd >= 0) {
		close(fd);
	}
	each_process(b, bury_gone);
}

/* ---- looks ----------------------------------------------------------------------------------- */

/* A look of our own: as if the process had told it now. Only of an image with our library in it:
 * another one may have taken its place. */
static void look_now(struct backend *b, struct timer_process *p)
{
	uint64_t now = now_ns();
	size_t first = b->nitem, room = 0;
	char path[64], *line = NULL;
	bool ours = false;
	uint32_t n = 0;
	ssize_t got;
	FILE *f;

	if (p->gone || now - p->looked < LOOK_NS ||
	    timer_process_newest(&b->all, p->pid, UINT64_MAX) != p)
		return;
	p->looked = now;
	snprintf(path, sizeof(path), "/proc/%u/maps", p->pid);
	f = fopen(path, "re");
	while (f && (got = getline(&line, &room, f)) > 0) {
		struct timer_map map;

		got -= line[got - 1] == '\n';
		if (!timer_map_parse(line, (size_t)got, &map))
			continue;
		ours |= strstr(map.path, LIBRARY) != NULL;
		free(map.path);
		add_item(b, p, TIMER_MAP, p->pid, now, line, (uint32_t)got);
		n++;
	}
	free(line);
	if (f)
		fclose(f);
	if (ours) {
		add_item(b, p, TIMER_LOOK, p->pid, now, &n, sizeof(n));
		return;
	}
	while (b->nitem > first)
		free(b->item[--b->nitem].data);
}

/* A mapping began after the last look that did not show it: the next look that shows what the
 * sample at item `i` needs is asked, or one of ours. */
static void know_address(struct backend *b, size_t i, uint64_t address)
{
	struct timer_process *p = b->item[i].p;

	if (timer_maps_have(&p->maps, address) || (p->missed && p->missed == address >> 12))
		return;
	for (size_t j = i + 1, end = b->nitem; j <= end; j++) {
		struct timer_map map;

		if (j == end) {
			look_now(b, p);
			end = b->nitem;
			if (j == end)
				break;
		}
		if (b->item[j].p != p)
			continue;
		if (b->item[j].kind == TIMER_LOOK)
			break;
		if (b->item[j].kind != TIMER_MAP ||
		    !timer_map_parse((char *)b->item[j].data, b->item[j].bytes, &map))
			continue;
		if (address >= map.start && address < map.end) {
			timer_process_map(p, &b->out, &map, b->item[i].stamp);
			free(map.path);
			return;
		}
		free(map.path);
	}
	p->missed = address >> 12;
}

/* ---- records --------------------------------------------------------------------------------- */

/* The bytes of a stack as the ABI has it, or 0: it is none. */
static uint32_t stack_bytes(const struct pitrace_stack *s, uint32_t room)
{
	const uint16_t flags = PITRACE_STACK_CUT_U | PITRACE_STACK_NONE_U | PITRACE_STACK_COPY;
	uint64_t need;

	if (room < sizeof(*s) || s->kernel || !s->user || s->user > PITRACE_STACK_MAX ||
	    s->flags & ~flags || s->bytes > PITRACE_STACK_COPY_MAX || s->bytes % 8 || s->reserved)
		return 0;
	if (!(s->flags & PITRACE_STACK_COPY) && (s->regs || s->bytes))
		return 0;
	need = sizeof(*s) + 8ull * (s->user + s->regs) + s->bytes;
	return need <= room ? (uint32_t)need : 0;
}

static void write_sample(struct backend *b, size_t i)
{
	struct item it = b->item[i];
	const struct timer_sample *t = (const void *)it.data;
	const struct pitrace_stack *s = (const void *)(t + 1);
	struct pitrace_sample sample = { .pid = it.p->pid, .tid = it.tid };
	uint64_t period = b->folder.control->interval, addresses[PITRACE_STACK_MAX];
	uint32_t overruns, bytes = 0;

	if (it.bytes < sizeof(*t) || !it.p->begun)
		return;
	it.p->sampled = true;
	overruns = t->overruns < OVERRUNS_MAX ? t->overruns : OVERRUNS_MAX;
	period *= 1 + overruns;
	sample.address = t->address;
	sample.period = period < UINT32_MAX ? (uint32_t)period : UINT32_MAX;
	if (t->stack)
		bytes = stack_bytes(s, it.bytes - (uint32_t)sizeof(*t));
	timer_process_thread(it.p, &b->out, it.tid, it.stamp);
	know_address(b, i, t->address);
	if (bytes) {
		memcpy(addresses, s + 1, 8ul * s->user);
		for (uint32_t k = 1; k < s->user; k++)
			know_address(b, i, addresses[k]);
	}
	if (overruns)
		timer_out_lost(&b->out, t->cpu, PITRACE_LOST_OVERRUN, overruns, it.stamp);
	timer_out_sample(&b->out, t->cpu, &sample, s, bytes, it.stamp);
}

static void write_look(struct backend *b, const struct item *it)
{
	uint32_t lines = 0;

	if (it->bytes >= sizeof(lines))
		memcpy(&lines, it->data, sizeof(lines));
	/* Some of it was lost: no ground to say that anything is gone. */
	if (lines == it->p->seen.n)
		timer_process_look(it->p, &b->out, it->stamp);
	else
		timer_process_unseen(it->p);
}

static void write_item(struct backend *b, size_t i)
{
	struct item it = b->item[i];
	struct timer_process *p = it.p, *parent = NULL;
	struct timer_map map;

	switch (it.kind) {
	case TIMER_SAMPLE:
		write_sample(b, i);
		break;
	case TIMER_START:
	case TIMER_FORKED:
		if (it.kind == TIMER_FORKED)
			parent = timer_process_newest(&b->all, p->parent, p->image);
		timer_process_begin(p, &b->out, parent && parent->begun ? parent : NULL,
				    (char *)it.data, it.bytes, it.stamp);
		break;
	case TIMER_MAP:
		if (!timer_map_parse((char *)it.data, strnlen((char *)it.data, it.bytes), &map))
			break;
		timer_process_seen(p, &map);
		free(map.path);
		break;
	case TIMER_LOOK:
		write_look(b, &it);
		break;
	case TIMER_THREAD_EXIT:
		if (it.bytes >= 16)
			timer_process_thread_exit(p, &b->out, it.tid, (char *)it.data, it.stamp);
		break;
	case ITEM_GONE:
		if (p->begun && p->exited)
			timer_process_exit(p, &b->out, it.stamp);
		timer_process_free(&b->all, p);
		break;
	}
}

static int by_time(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	if (a->stamp != b->stamp)
		return a->stamp < b->stamp ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void write_until(struct backend *b, uint64_t horizon)
{
	size_t i;

	if (!b->nitem)
		return;
	qsort(b->item, b->nitem, sizeof(*b->item), by_time);
	for (i = 0; i < b->nitem && b->item[i].stamp <= horizon; i++) {
		if (b->item[i].stamp >= b->second && b->second < b->off_stamp - 1) {
			timer_out_sync(&b->out, PITRACE_SYNC_SECOND, b->second);
			b->second += SECOND_NS;
		}
		write_item(b, i);
	}
	for (size_t k = 0; k < i; k++)
		free(b->item[k].data);
	memmove(b->item, b->item + i, (b->nitem - i) * sizeof(*b->item));
	b->nitem -= i;
}

/* What may have changed without a word: names, mappings that came or went without the loader. */
static void refresh(struct backend *b, struct timer_process *p)
{
	if (!p->sampled || p->gone)
		return;
	p->sampled = false;
	timer_process_names(p, &b->out, b->floor);
	look_now(b, p);
}

static int timer_drain(struct backend *b, bool all, segment_sink sink, void *arg)
{
	uint32_t state = __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);
	uint64_t expirations, now = now_ns();

	if (read(b->clock, &expirations, sizeof(expirations)) < 0)
		expirations = 0;
	if (!b->on_stamp || (state == PITRACE_STATE_OFF && !b->over))
		return 0;
	b->out.sink = sink;
	b->out.arg = arg;
	b->out.err = 0;
	if (!b->began) {
		b->began = true;
		timer_out_sync(&b->out, PITRACE_SYNC_ON, b->on_stamp);
		timer_out_interval(&b->out, &b->config, b->rate, b->on_stamp);
	}
	read_all(b);
	if (b->over) {
		/* Who is gone is known of those who were known before. */
		read_all(b);
		write_until(b, UINT64_MAX);
		timer_out_sync(&b->out, PITRACE_SYNC_OFF, b->off_stamp);
	} else {
		b->floor = now - HOLD_NS > b->floor ? now - HOLD_NS : b->floor;
		write_until(b, b->floor);
		if (all)
			each_process(b, refresh);
	}
	if (all)
		timer_out_flush(&b->out);
	return b->out.err;
}

static int timer_fd(struct backend *b)
{
	return b->clock;
}

static void timer_info(struct backend *b, struct trace_info *info)
{
	info->state = __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);
	info->segment_bytes = b->config.segment_bytes;
	info->mte_bytes = b->config.mte_bytes;
	info->trace_bytes = b->config.trace_bytes;
	info->interval = b->on_stamp ? 1 : 0;
	info->clock = PITRACE_CLOCK_MONOTONIC;
	if (b->rate < b->config.rate)
		snprintf(info->note, sizeof(info->note),
			 "user code only; this kernel's tick allows %u a second", b->rate);
	else
		snprintf(info->note, sizeof(info->note), "user code only");
	info->ncpus = b->out.ncpus;
	info->ticks = info->idle_ticks = info->late = 0;
	memset(info->lost, 0, sizeof(info->lost));
	for (uint32_t i = 0; i < b->out.ncpus; i++) {
		info->ticks += b->out.stats[i].ticks;
		for (int k = 0; k < PITRACE_LOST_KINDS; k++)
			info->lost[k] += b->out.stats[i].lost[k];
	}
}

static uint64_t timer_clock_hz(struct backend *b)
{
	(void)b;
	return SECOND_NS;
}

static int timer_stats(struct backend *b, struct pifile_stats **stats)
{
	*stats = malloc(b->out.ncpus * sizeof(**stats));
	if (!*stats)
		return -ENOMEM;
	memcpy(*stats, b->out.stats, b->out.ncpus * sizeof(**stats));
	return (int)b->out.ncpus;
}

const struct collector collector_timer = {
	.name = "timer",
	.what = "timers of each thread's CPU time in the traced programs: user code only",
	.drain_reads_build_ids = true,
	.check = timer_check,
	.open = timer_open,
	.close = timer_close,
	.environment = timer_environment,
	.on = timer_on,
	.off = timer_off,
	.suspend = timer_suspend,
	.hook_files = true,
	.drain = timer_drain,
	.fd = timer_fd,
	.info = timer_info,
	.clock_hz = timer_clock_hz,
	.stats = timer_stats,
};

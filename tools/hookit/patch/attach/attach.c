/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Selects a thread that waits in a system call, or runs outside of the C library, the loader and
 * the library to be called: it holds none of their locks, which the function needs. A thread inside
 * of them is single-stepped until it is outside. Other threads continue to run.
 */
#include "attach.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <dlfcn.h>

#include "base/proc_lines.h"
#include "frame.h"
#include "stops.h"

#define TRIED    200 /* attempts, with APART ms between them */
#define APART    10
#define RELEASED 20  /* attempts until another tracer, whose parent was killed, has detached */
#define STOP_MS  200 /* a running or waiting thread stops at once */
#define STEPS    4096
#define LOOK_MS  1000
#define IDLE_S   5 /* seconds, in one system call of the function */
#define IDLE     "5 s"
#define LONG_S   120
#define SYSCALL  (SIGTRAP | 0x80)
#define NOT_ASKED                                                                        \
	"it cannot be traced: %s (another user's, or with more rights; another tracer; " \
	"or Yama's ptrace_scope)"

#define ENDED "the process has ended %s", "meanwhile"

static bool fails(char *why, size_t room, const char *format, const char *word)
{
	snprintf(why, room, format, word);
	return false;
}

#if defined(__x86_64__)
struct asking {
	const struct remote *remote;
	const char *library;
	bool late; /* one was requested to stop, and is still in a system call, as in vfork() */
	struct attach_frame frame;
};

static bool is_tracer(void *arg, const char *line, size_t length)
{
	static const char word[] = "TracerPid:";

	if (length > sizeof(word) && !memcmp(line, word, sizeof(word) - 1))
		*(long *)arg = strtol(line + sizeof(word), NULL, 10);
	return true;
}

/* Whether this process traces it already, from an earlier attempt. */
static bool is_asked(const struct asking *a, pid_t tid)
{
	char path[64];
	long tracer = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)a->remote->pid, (int)tid);
	return !proc_lines(path, is_tracer, &tracer) && tracer == getpid();
}

/* Stops a thread. false: it is gone, or cannot be traced (errno). */
static bool stop(struct asking *a, pid_t tid)
{
	enum stop_wait w;
	int status;

	if (!ptrace(PTRACE_SEIZE, tid, NULL, PTRACE_O_TRACESYSGOOD)) {
		w = ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ? STOP_GONE :
								stops_wait(tid, &status, STOP_MS);
	} else if (errno == EPERM && is_asked(a, tid)) {
		w = stops_wait(tid, &status, 0);
	} else {
		return false;
	}
	if (w != STOP_CAME) {
		a->late |= w == STOP_NOT_YET;
		errno = w == STOP_NOT_YET ? EAGAIN : ESRCH;
		return false;
	}
	if (status >> 16 == PTRACE_EVENT_STOP) {
		if (WSTOPSIG(status) == SIGTRAP)
			return true;
		/* The process is in a group stop, and stays so. */
		ptrace(PTRACE_DETACH, tid, NULL, NULL);
		errno = EAGAIN;
		return false;
	}
	/* Delivers a signal that came first. */
	ptrace(PTRACE_CONT, tid, NULL, WSTOPSIG(status));
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	if (stops_wait(tid, &status, STOP_MS) == STOP_CAME)
		ptrace(PTRACE_DETACH, tid, NULL,
		       status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status));
	errno = EAGAIN;
	return false;
}

static bool takes(const struct remote *r, pid_t tid, const char *library)
{
	const struct remote_map *m;
	const char *name;
	uint64_t at;
	bool blocked;

	if (!frame_where(tid, &at, &blocked))
		return false;
	m = remote_at(r, at);
	name = m ? strrchr(m->path, '/') : NULL;
	return blocked || (name && strncmp(name, "/libc", 5) != 0 &&
			   strncmp(name, "/ld-", 4) != 0 && strcmp(m->path, library) != 0);
}

/* Executes one instruction. false: detached, or still in a system call. */
static bool step(struct asking *a, pid_t tid)
{
	siginfo_t why;
	int status;
	enum stop_wait w;

	if (ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL))
		return false;
	w = stops_wait(tid, &status, STOP_MS);
	if (w == STOP_NOT_YET) {
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
		w = stops_wait(tid, &status, STOP_MS);
	}
	a->late |= w == STOP_NOT_YET;
	if (w != STOP_CAME)
		return false;
	/* The kernel's trap, not a signal that a process has sent. */
	if (WSTOPSIG(status) == SIGTRAP &&
	    (status >> 16 == PTRACE_EVENT_STOP ||
	     (!ptrace(PTRACE_GETSIGINFO, tid, NULL, &why) && why.si_code > 0)))
		return true;
	ptrace(PTRACE_DETACH, tid, NULL, status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status));
	return false;
}

/*
 * A program of short measured functions is almost always inside the library: its thread is
 * single-stepped to the next suitable place. false: it is detached.
 */
static bool leads(struct asking *a, pid_t tid)
{
	for (int i = 0; !takes(a->remote, tid, a->library); i++) {
		bool enough = i == STEPS || stops_orphaned();

		if (enough)
			ptrace(PTRACE_DETACH, tid, NULL, NULL);
		if (enough || !step(a, tid)) {
			errno = EAGAIN;
			return false;
		}
	}
	return true;
}

/* Returns a thread that is stopped at a suitable place; the main thread comes first and has the
 * largest stack. 0: errno. */
static pid_t choose(struct asking *a)
{
	char path[64];
	struct dirent *e;
	pid_t found = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)a->remote->pid);
	d = opendir(path);
	while (d && !found && (e = readdir(d))) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		if (stop(a, tid)) {
			if (leads(a, tid))
				found = tid;
		} else if (errno == EPERM) {
			break;
		}
	}
	if (d) {
		int error = errno;

		closedir(d);
		errno = error;
	}
	return found;
}

enum ran { RAN, RAN_ON, RAN_BACK, RAN_GONE, RUNS_STILL };

/* The thread that executes the function, and how often it was seen in the same wait. */
struct running {
	pid_t tid;
	const struct attach_frame *frame;
	struct frame_wait wait;
	int looks, same, signal; /* a signal to be delivered */
};

/* Handles a stop: true at the function's end; otherwise records a signal, to be delivered. */
static bool see_stop(struct running *r, int status)
{
	r->signal = 0;
	if (WSTOPSIG(status) == SYSCALL)
		return frame_ends(r->tid, r->frame);
	if (status >> 16 == 0)
		r->signal = WSTOPSIG(status);
	return false;
}

/* Checks the thread once a second. If it computes, it continues. If it has waited long for a lock,
 * whose owner may wait for it, it is put back; if for something else, it is detached. */
static enum ran look_at(struct running *r)
{
	enum stop_wait w;
	struct frame_wait now;
	int status;

	if (ptrace(PTRACE_INTERRUPT, r->tid, NULL, NULL))
		return RAN_GONE;
	w = stops_wait(r->tid, &status, STOP_MS);
	if (w != STOP_CAME)
		return w == STOP_GONE ? RAN_GONE : RAN_ON;
	if (see_stop(r, status))
		return RAN;
	if (++r->looks == LONG_S)
		return RAN_ON;
	/* At a signal, its wait is not visible: no change. */
	if (r->signal)
		return RUNS_STILL;
	frame_waits(r->tid, &now);
	r->same = now.waits && !memcmp(&now, &r->wait, sizeof(now)) ? r->same + 1 : 0;
	r->wait = now;
	if (r->same < IDLE_S)
		return RUNS_STILL;
	return now.lock && frame_leave(r->tid, r->frame) ? RAN_BACK : RAN_ON;
}

/* Runs the thread until the function has returned. */
static enum ran run(struct running *r)
{
	int64_t look = stops_now() + LOOK_MS;
	int status;

	for (;;) {
		int64_t left;
		enum ran ran;

		if (ptrace(PTRACE_SYSCALL, r->tid, NULL, r->signal))
			return RAN_GONE;
		r->signal = 0;
		left = look - stops_now();
		switch (stops_wait_parent(r->tid, &status, left > 0 ? (int)left : 0)) {
		case STOP_GONE:
			return RAN_GONE;
		case STOP_CAME:
			if (see_stop(r, status))
				return RAN;
			break;
		default:
			ran = look_at(r);
			if (ran != RUNS_STILL || stops_orphaned())
				return ran == RUNS_STILL ? RAN_ON : ran;
			look = stops_now() + LOOK_MS;
		}
	}
}

static bool says_why(enum ran ran, char *why, size_t room)
{
	switch (ran) {
	case RAN:
		return true;
	case RAN_BACK:
		return fails(why, room,
			     "its thread waited for a lock for %s: it was put back, and "
			     "nothing has been changed",
			     IDLE);
	case RAN_ON:
		return fails(why, room,
			     "its thread has not returned from the call for %s: it continues "
			     "with it on its own",
			     IDLE);
	default:
		return fails(why, room, ENDED);
	}
}

static pid_t find_thread(struct asking *a, char *why, size_t room)
{
	static const struct timespec apart = { 0, APART * 1000000 };
	pid_t tid = 0;

	for (int i = 0; i < TRIED && !tid && !stops_orphaned(); i++) {
		if (i)
			nanosleep(&apart, NULL);
		tid = choose(a);
		if (!tid && ((errno == EPERM && i >= RELEASED) || kill(a->remote->pid, 0))) {
			fails(why, room, NOT_ASKED, strerror(errno));
			return 0;
		}
	}
	if (!tid)
		fails(why, room, "no thread of it was where it could call a function%s",
		      a->late ? ", one is in an uninterruptible system call" :
				", or it is stopped");
	return tid;
}

static bool call_by(struct asking *a, char *answer, char *why, size_t room)
{
	struct attach_frame *f = &a->frame;
	pid_t tid = find_thread(a, why, room);
	bool good;

	if (!tid)
		return false;
	good = frame_make(a->remote, tid, f);
	if (good)
		good = says_why(run(&(struct running){ .tid = tid, .frame = f }), why, room);
	else
		fails(why, room, "its thread cannot be changed: %s", strerror(errno));
	if (good && f->answer_room) {
		good = remote_read(a->remote, f->answer, answer, f->answer_room);
		answer[f->answer_room - 1] = 0;
	}
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return good;
}

/*
 * A process of its own traces: a tracer that is killed while its thread executes one instruction
 * leaves the flag for that set, and the next trap would end the program. This process detaches
 * when its parent is killed.
 */
static bool call_in_child(struct asking *a, char *answer, char *why, size_t room)
{
	const size_t size = 1 + room + a->frame.answer_room;
	char *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), child = shared == MAP_FAILED ? -1 : fork();
	bool good = false;

	if (!child) {
		stops_begin(parent);
		setsid();
		*shared = call_by(a, shared + 1 + room, shared + 1, room);
		_exit(0);
	}
	if (child < 0) {
		fails(why, room, "cannot create a process: %s", strerror(errno));
	} else {
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		good = *shared;
		if (a->frame.answer_room)
			memcpy(answer, shared + 1 + room, a->frame.answer_room);
		if (!good)
			snprintf(why, room, "%s",
				 shared[1] ? shared + 1 : "the process that traces it was killed");
	}
	if (shared != MAP_FAILED)
		munmap(shared, size);
	return good;
}

static bool call(const struct remote *r, const char *library, const struct attach_frame *f,
		 char *answer, char *why, size_t room)
{
	const struct remote_map *libc = remote_file(r, NULL, "libc.so");
	struct asking a = { .remote = r, .library = library, .frame = *f };

	if (!libc)
		libc = remote_file(r, NULL, "libc-");
	a.frame.restorer = libc ? remote_code(r, libc, frame_restorer, frame_restorer_size) : 0;
	if (!a.frame.restorer && remote_ended(r))
		return fails(why, room, ENDED);
	if (!a.frame.restorer)
		return fails(why, room, "the program has no %s that is known", "C library");
	return call_in_child(&a, answer, why, room);
}

/* Whether the process has another mount namespace, where the same names may be other files. */
static bool has_own_files(pid_t pid)
{
	char path[64];
	struct stat its, own;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	return !stat(path, &its) && !stat("/proc/self/ns/mnt", &own) && its.st_ino != own.st_ino;
}

/* Finds dlopen: since 2.34 in the C library, before under another name. false: `why`. */
static bool find_loader(const struct remote *r, struct attach_frame *f, char *why, size_t room)
{
	const struct remote_map *libc = remote_file(r, NULL, "libc.so");

	if (!libc)
		libc = remote_file(r, NULL, "libc-");
	if (!libc && remote_ended(r))
		return fails(why, room, ENDED);
	if (!libc)
		return fails(why, room, "it is linked statically: %s", "nothing can be loaded");
	f->function = remote_function(r, libc, "dlopen");
	if (!f->function) {
		f->function = remote_function(r, libc, "__libc_dlopen_mode");
		f->flags |= 0x80000000u;
	}
	if (!f->function && remote_ended(r))
		return fails(why, room, ENDED);
	return f->function || fails(why, room,
				    "%s: its functions cannot be read (another file has its name "
				    "by now, as after an update: start the program again)",
				    libc->path);
}

bool attach_load(pid_t pid, const char *library, char *why, size_t room)
{
	struct attach_frame f = { .text = library, .flags = RTLD_NOW };
	const struct remote_map *other;
	struct remote r;
	bool good, ended;

	if (!remote_open(&r, pid))
		return fails(why, room, NOT_ASKED, strerror(errno));
	if (remote_file(&r, library, NULL)) {
		remote_close(&r);
		return true;
	}
	/* Two copies would patch the same functions and disturb each other. */
	other = remote_file(&r, NULL, strrchr(library, '/') + 1);
	if (other) {
		fails(why, room,
		      "it has another copy already, %s (as after an update): start the program "
		      "again",
		      other->path);
		remote_close(&r);
		return false;
	}
	good = find_loader(&r, &f, why, room) && call(&r, library, &f, NULL, why, room);
	remote_close(&r);
	if (!good)
		return false;
	if (!remote_open(&r, pid))
		return fails(why, room, ENDED);
	good = remote_file(&r, library, NULL) != NULL;
	ended = !good && remote_ended(&r);
	remote_close(&r);
	if (ended)
		return fails(why, room, ENDED);
	return good ||
	       fails(why, room,
		     has_own_files(pid) ? "the loader there refused %s (it is in another mount "
					  "namespace: the library must be there by the same path)" :
					  "the loader there refused %s",
		     library);
}

bool attach_call(pid_t pid, const char *library, const char *function, const char *argument,
		 char *answer, size_t answer_room, char *why, size_t room)
{
	struct attach_frame f = { .text = argument, .answer_room = answer_room };
	const struct remote_map *file;
	struct remote r;
	bool good;

	if (!remote_open(&r, pid))
		return fails(why, room, NOT_ASKED, strerror(errno));
	file = remote_file(&r, library, NULL);
	f.function = file ? remote_function(&r, file, function) : 0;
	good = f.function ?
		       call(&r, library, &f, answer, why, room) :
	       remote_ended(&r) ?
		       fails(why, room, ENDED) :
		       fails(why, room, "%s is not loaded there, or has no such function", library);
	remote_close(&r);
	return good;
}
#else
bool attach_load(pid_t pid, const char *library, char *why, size_t room)
{
	(void)pid;
	(void)library;
	return fails(why, room, "processes %s", "of this machine cannot be attached to");
}

bool attach_call(pid_t pid, const char *library, const char *function, const char *argument,
		 char *answer, size_t answer_room, char *why, size_t room)
{
	(void)pid;
	(void)library;
	(void)function;
	(void)argument;
	(void)answer;
	(void)answer_room;
	return fails(why, room, "processes %s", "of this machine cannot be attached to");
}
#endif

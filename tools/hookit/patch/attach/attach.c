/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which thread is taken: one that waits in a system call, or runs outside of the C library and the
 * loader, and outside of the library that is asked: it has none of their locks, which the function
 * needs. The others run on.
 */
#include "attach.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <dlfcn.h>
#include <signal.h>

#include "frame.h"

#define TRIED   200 /* times, so many ms apart */
#define APART   10
#define SYSCALL (SIGTRAP | 0x80)
#define NOT_ASKED                                                                      \
	"it cannot be traced: %s (another user's, or of more rights; another tracer; " \
	"or Yama's ptrace_scope)"

static bool fails(char *why, size_t room, const char *format, const char *word)
{
	snprintf(why, room, format, word);
	return false;
}

#if defined(__x86_64__)
/* Stops a thread for a moment. false: it is gone, or cannot be asked (errno). */
static bool stop(pid_t tid)
{
	int status;

	if (ptrace(PTRACE_SEIZE, tid, NULL, PTRACE_O_TRACESYSGOOD))
		return false;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || waitpid(tid, &status, __WALL) != tid ||
	    !WIFSTOPPED(status)) {
		errno = ESRCH;
		return false;
	}
	if (status >> 16 == PTRACE_EVENT_STOP) {
		if (WSTOPSIG(status) == SIGTRAP)
			return true;
		/* The process is stopped, and stays so. */
		ptrace(PTRACE_DETACH, tid, NULL, NULL);
		errno = EAGAIN;
		return false;
	}
	/* A signal that came before is its own. */
	ptrace(PTRACE_CONT, tid, NULL, WSTOPSIG(status));
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	if (waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status))
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

/* A thread that is stopped at a good place; the first one has the largest stack. 0: errno. */
static pid_t choose(const struct remote *r, const char *library)
{
	char path[64];
	struct dirent *e;
	pid_t found = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)r->pid);
	d = opendir(path);
	while (d && !found && (e = readdir(d))) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		if (stop(tid)) {
			if (takes(r, tid, library))
				found = tid;
			else
				ptrace(PTRACE_DETACH, tid, NULL, NULL);
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

/* Until the function has returned; signals of the thread are its own. */
static bool run(pid_t tid, const struct attach_frame *f)
{
	int status, signal = 0;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, tid, NULL, signal) ||
		    waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
			return false;
		signal = 0;
		if (WSTOPSIG(status) == SYSCALL && frame_ends(tid, f))
			return true;
		if (WSTOPSIG(status) != SYSCALL && status >> 16 == 0)
			signal = WSTOPSIG(status);
	}
}

static bool call(const struct remote *r, const char *library, struct attach_frame *f, char *answer,
		 char *why, size_t room)
{
	static const struct timespec apart = { 0, APART * 1000000 };
	const struct remote_map *libc = remote_file(r, NULL, "libc.so");
	pid_t tid = 0;
	bool good;

	if (!libc)
		libc = remote_file(r, NULL, "libc-");
	f->restorer = libc ? remote_code(r, libc, frame_restorer, frame_restorer_size) : 0;
	if (!f->restorer)
		return fails(why, room, "the program has no %s that is known", "C library");
	for (int i = 0; i < TRIED && !tid; i++) {
		if (i)
			nanosleep(&apart, NULL);
		tid = choose(r, library);
		if (!tid && (errno == EPERM || kill(r->pid, 0)))
			return fails(why, room, NOT_ASKED, strerror(errno));
	}
	if (!tid)
		return fails(why, room, "no thread of it was where it could call a function%s",
			     ", or it is stopped");
	good = frame_make(r, tid, f);
	if (!good)
		fails(why, room, "its thread cannot be changed: %s", strerror(errno));
	else if (!run(tid, f))
		good = fails(why, room, "the process has ended %s", "meanwhile");
	if (good && f->answer_room) {
		good = remote_read(r, f->answer, answer, f->answer_room);
		answer[f->answer_room - 1] = 0;
	}
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return good;
}

/* Another process may have other files by the same names. */
static bool has_own_files(pid_t pid)
{
	char path[64];
	struct stat its, own;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	return !stat(path, &its) && !stat("/proc/self/ns/mnt", &own) && its.st_ino != own.st_ino;
}

/* Since 2.34 the C library has dlopen itself, before under another name. false: why not. */
static bool find_loader(const struct remote *r, struct attach_frame *f, char *why, size_t room)
{
	const struct remote_map *libc = remote_file(r, NULL, "libc.so");

	if (!libc)
		libc = remote_file(r, NULL, "libc-");
	if (!libc)
		return fails(why, room, "it is linked statically: %s", "nothing can be loaded");
	f->function = remote_function(r, libc, "dlopen");
	if (!f->function) {
		f->function = remote_function(r, libc, "__libc_dlopen_mode");
		f->flags |= 0x80000000u;
	}
	return f->function || fails(why, room,
				    "%s: its functions cannot be read (another file has its name "
				    "by now, as after an update: start the program again)",
				    libc->path);
}

bool attach_load(pid_t pid, const char *library, char *why, size_t room)
{
	struct attach_frame f = { .text = library, .flags = RTLD_NOW };
	struct remote r;
	bool good;

	if (!remote_open(&r, pid))
		return fails(why, room, NOT_ASKED, strerror(errno));
	if (remote_file(&r, library, NULL)) {
		remote_close(&r);
		return true;
	}
	good = find_loader(&r, &f, why, room) && call(&r, library, &f, NULL, why, room);
	remote_close(&r);
	if (!good || !remote_open(&r, pid))
		return false;
	good = remote_file(&r, library, NULL) != NULL;
	remote_close(&r);
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

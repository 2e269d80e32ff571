/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/proc_lines.h"
#include "base/text.h"
#include "complain.h"
#include "process_text.h"

/* ---- /proc ----------------------------------------------------------------------------------- */

static bool status_line(void *arg, const char *text, size_t length)
{
	process_status_line(arg, text, length);
	return true;
}

static bool read_status(pid_t pid, struct process_status *s)
{
	char path[64];

	*s = (struct process_status){ 0 };
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	return !proc_lines(path, status_line, s) && s->has_uid && s->state;
}

static bool map_line(void *arg, const char *text, size_t length)
{
	struct target *t = arg;

	t->java |= process_library(text, length, t->agent, sizeof(t->agent)) == LIBRARY_VM;
	return true;
}

bool target_is_alive(const struct target *t)
{
	return !target_ends(t, 0);
}

bool target_ends(const struct target *t, int ms)
{
	struct pollfd p = { .fd = t->process, .events = POLLIN };

	return poll(&p, 1, ms) != 0;
}

bool target_is_stopped(const struct target *t)
{
	struct process_status s;

	return read_status(t->pid, &s) && (s.state == 'T' || s.state == 't');
}

bool target_takes_quit(const struct target *t)
{
	struct process_status s;

	return read_status(t->pid, &s) && s.caught & 1u << (SIGQUIT - 1);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int open_folder(int root)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, "tmp", &how, sizeof(how));
}

static bool open_root(struct target *t)
{
	struct rights_saved kept;
	int err;

	t->root = rights_root(t->pid);
	if (t->root >= 0 && !rights_take(&t->rights, &kept)) {
		t->folder = open_folder(t->root);
		err = errno;
		rights_restore(&kept);
	} else {
		err = errno;
	}
	if (t->folder >= 0)
		return true;
	/* No root: threads may be left, or whoever started it has not seen the end. */
	if (t->root < 0 && err == ENOENT && target_is_alive(t))
		complain("process %d is ending, or its main thread has ended", (int)t->pid);
	else if (target_is_alive(t))
		complain("process %d: its %s cannot be opened: %s", (int)t->pid,
			 t->root < 0 ? "root (/proc/PID/root)" : "/tmp", strerror(err));
	else
		complain("process %d has ended", (int)t->pid);
	return false;
}

static bool look_at(struct target *t)
{
	struct process_status s;
	char path[64];

	if (!read_status(t->pid, &s) || rights_of_process(t->pid, &t->rights)) {
		complain(target_is_alive(t) ? "process %d: /proc says nothing of it" :
					      "process %d has ended",
			 (int)t->pid);
		return false;
	}
	t->uid = s.uid;
	t->inner = s.inner ? s.inner : t->pid;
	if (geteuid() && geteuid() != t->uid) {
		complain("process %d belongs to another user (uid %u): only that user and root may",
			 (int)t->pid, (unsigned int)t->uid);
		return false;
	}
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)t->pid);
	proc_lines(path, map_line, t);
	return true;
}

/* Kernels differ in what they say of a thread's number. */
static void complain_not_opened(pid_t pid, int err)
{
	struct process_status s;

	if (read_status(pid, &s) && s.process && s.process != pid)
		complain("%d is a thread of process %d: the process's number is expected", (int)pid,
			 (int)s.process);
	else
		complain("process %d: %s", (int)pid, strerror(err));
}

bool target_open(struct target *t, pid_t pid)
{
	*t = (struct target){ .pid = pid, .root = -1, .folder = -1 };
	t->process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (t->process < 0) {
		complain_not_opened(pid, errno);
		return false;
	}
	if (!look_at(t) || !open_root(t)) {
		target_close(t);
		return false;
	}
	/* If the pidfd's process is still alive, all of this was read from it, not from another. */
	if (target_is_alive(t) && t->java)
		return true;
	complain(t->java ? "process %d has ended" : "process %d is no Java VM: it has no libjvm.so",
		 (int)pid);
	target_close(t);
	return false;
}

void target_close(struct target *t)
{
	if (t->process >= 0)
		close(t->process);
	if (t->root >= 0)
		close(t->root);
	if (t->folder >= 0)
		close(t->folder);
	t->process = t->root = t->folder = -1;
}

/* ---- its working folder ---------------------------------------------------------------------- */

static int folder_error(int fd)
{
	struct stat s;

	if (fstat(fd, &s) ||
	    syscall(SYS_faccessat2, fd, "", W_OK | X_OK, AT_EMPTY_PATH | AT_EACCESS))
		return -errno;
	return s.st_nlink ? 0 : -ENOENT;
}

int target_writes(const struct target *t)
{
	struct rights_saved kept;
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)t->pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = rights_take(&t->rights, &kept);
	if (!err) {
		err = folder_error(fd);
		rights_restore(&kept);
	}
	close(fd);
	return err;
}

/* ---- its sockets ----------------------------------------------------------------------------- */

static bool is_itself(const struct target *t, int fd)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) && peer.uid == t->uid &&
	       peer.pid == t->pid;
}

static int connect_to(int socket_file)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (fd < 0)
		return -errno;
	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d", socket_file);
	if (!connect(fd, (struct sockaddr *)&a, sizeof(a)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int target_connect(const struct target *t, const char *name)
{
	struct rights_saved kept;
	struct stat s;
	int file, fd, err = rights_take(&t->rights, &kept);

	if (err)
		return err;
	file = openat(t->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	fd = file < 0 ? -errno : 0;
	if (file >= 0 && (fstat(file, &s) || !S_ISSOCK(s.st_mode) || s.st_uid != t->uid))
		fd = -EPERM;
	if (!fd)
		fd = connect_to(file);
	if (file >= 0)
		close(file);
	rights_restore(&kept);
	if (fd >= 0 && (!is_itself(t, fd) || !target_is_alive(t))) {
		close(fd);
		fd = -EPERM;
	}
	return fd;
}

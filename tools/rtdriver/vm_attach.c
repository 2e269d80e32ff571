/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On SIGQUIT, a VM that does not listen yet checks for .attach_pidN in its /tmp: if the file
 * belongs to its user, it creates the socket .java_pidN there. The file is always removed again.
 */
#include "vm_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach_reply.h"
#include "complain.h"
#include "monotonic.h"
#include "talk.h"

#define ARGUMENT 1024 /* the longest that the VM accepts, with its NUL */
#define SOON     20   /* ms between two attempts */

/* ---- the VM begins to listen ----------------------------------------------------------------- */

/* Returns 0 if the file was created, 1 if it existed, or -errno. */
static int make_file(const struct target *t, const char *name)
{
	struct rights_saved kept;
	int fd, err = rights_take(&t->rights, &kept);

	if (err)
		return err;
	fd = openat(t->folder, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
	err = fd >= 0 ? 0 : errno == EEXIST ? 1 : -errno;
	if (fd >= 0)
		close(fd);
	rights_restore(&kept);
	return err;
}

static void remove_file(const struct target *t, const char *name)
{
	struct rights_saved kept;

	if (rights_take(&t->rights, &kept))
		return;
	unlinkat(t->folder, name, 0);
	rights_restore(&kept);
}

/* Reports that the VM has not answered: it may have ended or been stopped meanwhile. */
static void complain_silent(const struct target *t)
{
	const char *what =
		!target_is_alive(t) ?
			"has ended" :
		target_is_stopped(t) ?
			"has not answered in time: it is stopped (SIGCONT continues it)" :
			"has not answered in time";

	complain("process %d %s", (int)t->pid, what);
}

static bool is_absent(int err)
{
	return err == -ENOENT || err == -ECONNREFUSED;
}

/* Waits for the socket. Returns the descriptor, or -errno if it is still absent. */
static int await(const struct target *t, const char *name, uint64_t until)
{
	int fd;

	while (is_absent(fd = target_connect(t, name)) && target_is_alive(t) && now_ns() < until)
		poll(NULL, 0, SOON);
	return fd;
}

static void not_awake(const struct target *t, int err)
{
	if (!is_absent(err))
		complain("process %d does not accept attaching: %s", (int)t->pid, strerror(-err));
	else if (!target_is_alive(t) || target_is_stopped(t))
		complain_silent(t);
	else
		complain("process %d does not accept attaching: it has not answered in time (-XX:+DisableAttachMechanism? Then load the agent by -agentpath, with CONTROL)",
			 (int)t->pid);
}

static int wake_up(const struct target *t, const char *name, uint64_t until)
{
	char file[64];
	int err, fd;

	/* SIGQUIT would kill a VM that has just started: wait until it handles the signal. */
	while (!target_takes_quit(t) && !target_is_stopped(t) && target_is_alive(t) &&
	       now_ns() < until)
		poll(NULL, 0, SOON);
	if (target_is_stopped(t)) {
		complain("process %d is stopped: SIGCONT continues it", (int)t->pid);
		return -1;
	}
	if (!target_is_alive(t)) {
		complain_silent(t);
		return -1;
	}
	if (!target_takes_quit(t)) {
		complain("process %d does not handle SIGQUIT, by which a Java VM is made to listen: load the agent by -agentpath, with CONTROL",
			 (int)t->pid);
		return -1;
	}
	snprintf(file, sizeof(file), ".attach_pid%d", (int)t->inner);
	err = make_file(t, file);
	if (err < 0) {
		complain("process %d: %s cannot be made in its /tmp: %s", (int)t->pid, file,
			 strerror(-err));
		return -1;
	}
	if (syscall(SYS_pidfd_send_signal, t->process, SIGQUIT, NULL, 0)) {
		fd = -errno;
		complain("process %d: SIGQUIT: %s", (int)t->pid, strerror(errno));
	} else {
		fd = await(t, name, until);
		if (fd < 0)
			not_awake(t, fd);
	}
	if (!err)
		remove_file(t, file);
	return fd;
}

static int attach(const struct target *t, uint64_t until)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), ".java_pid%d", (int)t->inner);
	fd = target_connect(t, name);
	if (fd >= 0)
		return fd;
	if (is_absent(fd))
		return wake_up(t, name, until);
	if (!target_is_alive(t))
		complain_silent(t);
	else
		complain("process %d: %s in its /tmp: %s", (int)t->pid, name,
			 fd == -EPERM ? "it is not this VM's" : strerror(-fd));
	return -1;
}

/* ---- a request ------------------------------------------------------------------------------- */

static size_t add_word(char *to, size_t at, const char *word)
{
	size_t n = strlen(word) + 1;

	memcpy(to + at, word, n);
	return at + n;
}

static bool understand(const struct target *t, const char *library, const char *reply, size_t n)
{
	struct attach_reply r;
	const char *why = attach_reply_read(&r, reply, n);

	if (!why && !r.status && r.has_code && !r.code)
		return true;
	if (why && target_ends(t, TARGET_ENDS))
		complain_silent(t);
	else if (why)
		complain("process %d: %s", (int)t->pid, why);
	else if (r.has_code)
		complain("process %d: %s refused: the VM's own messages say why", (int)t->pid,
			 library);
	else
		complain("process %d: %s was not loaded: %.*s", (int)t->pid, library,
			 (int)(r.length < 500 ? r.length : 500), r.text);
	return false;
}

bool attach_load(const struct target *t, const char *library, const char *options, uint64_t until)
{
	static char reply[ATTACH_REPLY];
	char request[64 + 2 * ARGUMENT];
	size_t n;
	ssize_t got = -1;
	int fd;

	if (strlen(library) >= ARGUMENT || strlen(options) >= ARGUMENT) {
		complain("a Java VM takes no argument of more than %d bytes", ARGUMENT - 1);
		return false;
	}
	fd = attach(t, until);
	if (fd < 0)
		return false;
	n = add_word(request, 0, "1");
	n = add_word(request, n, "load");
	n = add_word(request, n, library);
	n = add_word(request, n, "true");
	n = add_word(request, n, options);
	if (talk_send(fd, request, n, until))
		got = talk_receive(fd, reply, sizeof(reply), 0, until, t);
	close(fd);
	if (got >= 0)
		return understand(t, library, reply, (size_t)got);
	complain_silent(t);
	return false;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starting the holder program. It is executed, not only forked: the caller may be large, and the
 * holder must not inherit its threads, locks and files. It gets one socket, an environment of few
 * names, no other descriptor and no blocked signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/installed.h"
#include "base/rc.h"
#include "base/service.h"

/* ---- finding it ------------------------------------------------------------------------------ */

/* The program is searched beside the library, beside the program that contains the library, and
 * where it was installed; the environment can override this. A program with gained rights uses only
 * the last: its caller could have linked it anywhere. */
static bool find_program(char path[PATH_MAX])
{
	static const char *const near[] = { "pitrace/" SERVICE_PROGRAM,
					    "../lib/pitrace/" SERVICE_PROGRAM, NULL };
	const char *override = secure_getenv("PITRACE_HOLDER");

	if (override && *override)
		return realpath(override, path) != NULL;
	return installed_near(near, path) || realpath(PITRACE_LIBDIR "/" SERVICE_PROGRAM, path);
}

/* ---- starting it ----------------------------------------------------------------------------- */

/* The variables that collectors read: locations of this user's files. All others (LD_PRELOAD above
 * all) apply only to the caller. */
static const char *const passed_on[] = { "HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TMPDIR",
					 "PITRACE_TIMER_LIBRARY" };
#define PASSED_ON (sizeof(passed_on) / sizeof(*passed_on))

static int make_environment(char *variables[PASSED_ON + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < PASSED_ON; i++) {
		const char *value = secure_getenv(passed_on[i]);

		if (!value)
			continue;
		if (asprintf(&variables[n], "%s=%s", passed_on[i], value) < 0) {
			variables[n] = NULL;
			return -ENOMEM;
		}
		n++;
	}
	return 0;
}

/* exec would remove capabilities that the program has from its file, such as CAP_PERFMON. Root
 * keeps its own. Only the calling thread changes. */
struct ambient {
	struct __user_cap_data_struct before[2];
	uint64_t raised;
};

static void raise_capabilities(struct ambient *a)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];
	uint64_t permitted;

	a->raised = 0;
	if (!geteuid() || syscall(SYS_capget, &h, d))
		return;
	memcpy(a->before, d, sizeof(d));
	permitted = d[0].permitted | (uint64_t)d[1].permitted << 32;
	for (int i = 0; i < 2; i++)
		d[i].inheritable |= d[i].permitted;
	if (!permitted || syscall(SYS_capset, &h, d))
		return;
	for (int cap = 0; cap < 64; cap++)
		if (permitted >> cap & 1 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) == 0 &&
		    !prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0))
			a->raised |= 1ull << cap;
	if (!a->raised)
		syscall(SYS_capset, &h, a->before);
}

static void lower_capabilities(const struct ambient *a)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };

	for (int cap = 0; cap < 64; cap++)
		if (a->raised >> cap & 1)
			prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, cap, 0, 0);
	if (a->raised)
		syscall(SYS_capset, &h, a->before);
}

/* The holder closes all other descriptors. The socket comes first: its number may be below 3. */
static int set_files(posix_spawn_file_actions_t *files, int end)
{
	int err = posix_spawn_file_actions_adddup2(files, end, SERVICE_FD);

	for (int fd = 0; fd < 3 && !err; fd++)
		err = posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0);
	return err;
}

static int set_signals(posix_spawnattr_t *how)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(how, &none);
	posix_spawnattr_setsigdefault(how, &all);
	return posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* Returns -errno, or 0 with *pid. */
static int spawn(const char *path, const char *kind, int end, pid_t *pid)
{
	char name[] = SERVICE_PROGRAM, *variables[PASSED_ON + 1] = { 0 };
	char *argv[] = { name, (char *)kind, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	struct ambient ambient;
	int err = posix_spawn_file_actions_init(&files);

	if (err)
		return -err;
	err = posix_spawnattr_init(&how);
	if (!err) {
		err = set_files(&files, end);
		if (!err)
			err = set_signals(&how);
		if (!err)
			err = -make_environment(variables);
		if (!err) {
			raise_capabilities(&ambient);
			err = posix_spawn(pid, path, &files, &how, argv, variables);
			lower_capabilities(&ambient);
		}
		posix_spawnattr_destroy(&how);
	}
	posix_spawn_file_actions_destroy(&files);
	for (size_t i = 0; i < PASSED_ON; i++)
		free(variables[i]);
	return -err;
}

/* Returns -errno, or the size of the report; a smaller size: the program died. */
static ssize_t start(const char *path, const struct service *h, const void *packet, size_t size,
		     struct service_started *report)
{
	int ends[2], err;
	pid_t pid;
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	err = spawn(path, h->kind, ends[1], &pid);
	close(ends[1]);
	if (err) {
		close(ends[0]);
		return err;
	}
	service_send(ends[0], packet, size, -1);
	/* The program forks at once, so that init adopts the daemon and the caller has no child. */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	n = service_receive(ends[0], report, sizeof(*report), NULL);
	close(ends[0]);
	return n < 0 ? 0 : n;
}

static int begun(const struct service *h, const char *path, ssize_t n, struct service_started *r)
{
	if (n == 0)
		return rc_fail(PI_HOLDER_GONE, "%s (%s) died before it began", h->holder, path);
	r->release[SERVICE_RELEASE - 1] = r->why[sizeof(r->why) - 1] = 0;
	if (n != (ssize_t)sizeof(*r) || r->size != sizeof(*r) ||
	    strcmp(r->release, PITRACE_VERSION))
		return rc_fail(PI_NOT_SUPPORTED,
			       "%s is not of this release (" PITRACE_VERSION
			       "): install both together",
			       path);
	return r->rc ? rc_fail(r->rc < 0 ? r->rc : PI_ERROR, "%s", r->why) : PI_OK;
}

int service_begin(const struct service *h, const void *start_with, size_t size)
{
	struct service_started report = { 0 };
	struct service_start *packet;
	char path[PATH_MAX];
	struct sockaddr_un a;
	ssize_t n;
	int fd;

	service_address(&a, h->named, h->leaf, true);
	fd = service_connect(&a, true);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 || fd == -EPERM || fd == -EACCES)
		return rc_fail(PI_BUSY, "%s", h->busy);
	if (!find_program(path))
		return rc_fail(PI_NOT_SUPPORTED,
			       "the program " SERVICE_PROGRAM
			       " is neither beside the library nor in " PITRACE_LIBDIR
			       ": make install, or name it in PITRACE_HOLDER");
	if (size > SERVICE_START_MAX - sizeof(*packet))
		return rc_fail(PI_INVALID_ARGUMENT, "too much for %s: %zu bytes", h->holder, size);
	packet = calloc(1, sizeof(*packet) + size);
	if (!packet)
		return rc_fail(PI_NO_MEMORY, "no memory for starting %s", h->holder);
	packet->size = (uint32_t)(sizeof(*packet) + size);
	packet->version = h->version;
	snprintf(packet->release, sizeof(packet->release), "%s", PITRACE_VERSION);
	memcpy(packet->address, a.sun_path, sizeof(packet->address));
	if (size)
		memcpy(packet + 1, start_with, size);
	n = start(path, h, packet, packet->size, &report);
	free(packet);
	return n < 0 ? rc_errno((int)n, "%s", path) : begun(h, path, n, &report);
}

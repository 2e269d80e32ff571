/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds processes that a command left running, such as a daemon that moved to the background: the
 * run ends with the command. They have the run's socket in their environment, whatever their parent
 * is now.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/read_all.h"
#include "called_as.h"
#include "complain.h"
#include "run.h"

#define SHOWN       4
#define ASKS        20        /* retries in total, 1 ms apart: some processes never have one */
#define ENVIRON_MAX (1 << 20) /* bytes of an environment: a larger one is not read */

static bool has_variable(const char *text, size_t size, const char *variable)
{
	size_t n = strlen(variable) + 1;

	for (size_t at = 0; at < size; at += strlen(text + at) + 1)
		if (size - at >= n && !memcmp(text + at, variable, n))
			return true;
	return false;
}

static char *read_of(int proc, const char *pid, const char *name, size_t most, size_t *size)
{
	char path[64], *text = NULL;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", pid, name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	if (read_all(fd, most, &text, size))
		text = NULL;
	close(fd);
	return text;
}

/* A process in execve has no environment for a moment, while its memory is set up: that is worth a
 * retry. A zombie, a kernel thread or another user's process has none, either, but no readable exe
 * link. */
static bool is_beginning(int proc, const char *pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "%s/exe", pid);
	return !fstatat(proc, path, &st, 0);
}

static bool is_of_run(int proc, const char *pid, const char *variable, int *asks)
{
	static const struct timespec moment = { 0, 1000000 };
	size_t size = 0;
	char *text = NULL;
	bool is;

	for (;; --*asks) {
		text = read_of(proc, pid, "environ", ENVIRON_MAX, &size);
		if (!text || size || !*asks || !is_beginning(proc, pid))
			break;
		free(text);
		nanosleep(&moment, NULL);
	}
	is = text && has_variable(text, size, variable);
	free(text);
	return is;
}

static size_t add_name(char *list, size_t n, size_t room, int proc, const char *pid)
{
	size_t size;
	char *name = read_of(proc, pid, "comm", 64, &size);

	if (name)
		name[strcspn(name, "\n")] = 0;
	if (n < room)
		n += (size_t)snprintf(list + n, room - n, "%s%s %s", n ? ", " : "",
				      name ? name : "?", pid);
	free(name);
	return n;
}

void left_running(const struct trace_run *r)
{
	char variable[sizeof("PITRACE_SOCKET=") + sizeof(r->control_path)], list[256] = "";
	DIR *folder = r->control >= 0 && r->status >= 0 ? opendir("/proc") : NULL;
	const struct dirent *e;
	unsigned int count = 0;
	int asks = ASKS;
	size_t n = 0;

	if (!folder)
		return;
	snprintf(variable, sizeof(variable), "PITRACE_SOCKET=%s", r->control_path);
	while ((e = readdir(folder))) {
		if (!isdigit((unsigned char)e->d_name[0]) || strlen(e->d_name) > 10 ||
		    !is_of_run(dirfd(folder), e->d_name, variable, &asks))
			continue;
		if (count++ < SHOWN)
			n = add_name(list, n, sizeof(list), dirfd(folder), e->d_name);
	}
	closedir(folder);
	if (count)
		complain("the command has ended, and with it the trace; it left running: %s%s. Keep it in the foreground, or trace on with: %s run -p PID",
			 list, count > SHOWN ? ", ..." : "",
			 called_by_front() ? "pitrace" : "swtrace");
}

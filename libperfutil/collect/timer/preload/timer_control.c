/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The collector's folder and its control file: whether and how this program is sampled. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "collect/timer/preload/timer_control.h"

const struct timer_control *timer_control;
char timer_folder[PATH_MAX - 64];
bool timer_sandboxed;

const struct timer_control *control_map(void)
{
	const char *folder = getenv(TIMER_VARIABLE);
	char path[PATH_MAX];
	struct timer_control *c;
	int fd;

	if (!folder || getauxval(AT_SECURE) || strlen(folder) >= sizeof(timer_folder))
		return NULL;
	strcpy(timer_folder, folder);
	stpcpy(stpcpy(path, timer_folder), "/" TIMER_CONTROL);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	c = (void *)syscall(SYS_mmap, NULL, sizeof(*c), PROT_READ, MAP_SHARED, fd, 0);
	syscall(SYS_close, fd);
	if (c == MAP_FAILED)
		return NULL;
	if (c->magic == TIMER_MAGIC && c->version == TIMER_VERSION && c->state != TIMER_OVER)
		return c;
	syscall(SYS_munmap, c, sizeof(*c));
	return NULL;
}

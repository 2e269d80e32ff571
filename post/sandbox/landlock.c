/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Landlock: drops every right that the kernel can drop, except reading. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same numbers on every machine; older headers lack them. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self  446
#endif
#define RULESET_VERSION 1u /* flag: return the kernel's ABI version */

/* struct landlock_ruleset_attr of linux/landlock.h, as of ABI 6. Older kernels accept it while the
 * fields that they do not know are zero. */
struct ruleset {
	uint64_t fs, net, scoped;
};

enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_REMOVE_AND_MAKE = 0x1FF << 4, /* from REMOVE_DIR to MAKE_SYM */
	FS_REFER = 1 << 13,              /* ABI 2 */
	FS_TRUNCATE = 1 << 14,           /* 3 */
	FS_IOCTL_DEV = 1 << 15,          /* 5 */
	NET_BIND_TCP = 1 << 0,
	NET_CONNECT_TCP = 1 << 1, /* 4 */
	SCOPE_ABSTRACT_UNIX = 1 << 0,
	SCOPE_SIGNAL = 1 << 1, /* 6 */
};

const char *sandbox_landlock(void)
{
	struct ruleset r = { .fs = FS_EXECUTE | FS_WRITE_FILE | FS_REMOVE_AND_MAKE };
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION), fd;
	const char *why = NULL;

	if (abi < 1)
		return errno == ENOSYS     ? "this kernel has no Landlock" :
		       errno == EOPNOTSUPP ? "Landlock is turned off" :
					     strerror(errno);
	if (abi >= 2)
		r.fs |= FS_REFER;
	if (abi >= 3)
		r.fs |= FS_TRUNCATE;
	if (abi >= 4)
		r.net = NET_BIND_TCP | NET_CONNECT_TCP;
	if (abi >= 5)
		r.fs |= FS_IOCTL_DEV;
	if (abi >= 6)
		r.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
	fd = syscall(SYS_landlock_create_ruleset, &r, sizeof(r), 0);
	if (fd < 0)
		return strerror(errno);
	if (syscall(SYS_landlock_restrict_self, fd, 0))
		why = strerror(errno);
	close((int)fd);
	return why;
}

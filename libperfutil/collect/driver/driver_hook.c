/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the driver's hook descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <perfutil.h>
#include "collect/driver/driver_hook.h"

int driver_hook_open(void)
{
	int device = open(PITRACE_DEVICE, O_RDWR | O_CLOEXEC), fd, err;

	if (device < 0)
		return -1;
	fd = ioctl(device, PITRACE_IOC_HOOK_OPEN);
	err = errno;
	close(device);
	errno = err;
	return fd;
}

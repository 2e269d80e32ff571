/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "native_way.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vm_image.h"

/* The same check as the VM's: whether the process may use membarrier(). */
static bool has_barriers(void)
{
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

static const char *take(const struct vm_image *i, bool running)
{
	struct vm_flag critical = vm_image_flag(i, "CriticalJNINatives");
	struct vm_flag barriers = vm_image_flag(i, "UseSystemMemoryBarrier");

	if (critical.value && !critical.is_chosen)
		*critical.value = true;
	if (barriers.value && !barriers.is_chosen && !running && has_barriers())
		*barriers.value = true;
	return critical.value && *critical.value ? "as functions" :
	       barriers.value && *barriers.value ? "without barriers" :
						   "with barriers";
}

const char *native_way(JavaVM *java, bool running)
{
	const char *way = "with barriers";
	struct vm_image i;

	if (vm_image_open(&i, (const void *)(*java)->GetEnv))
		return way;
	way = take(&i, running);
	vm_image_close(&i);
	return way;
}

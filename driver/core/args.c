// SPDX-License-Identifier: GPL-2.0
/* Ioctl arguments: extensible structs that begin with their size and version. */
#include <linux/uaccess.h>
#include "core/args.h"
#include "pitrace.h"

#define ARGS_MAX 4096 /* the same for every page size */

int get_args(void *to, size_t size, const void __user *from)
{
	u32 stated, version;

	if (get_user(stated, (const u32 __user *)from) ||
	    get_user(version, (const u32 __user *)from + 1))
		return -EFAULT;
	if (stated < 2 * sizeof(u32) || stated > ARGS_MAX || version != PITRACE_ABI_VERSION)
		return -EINVAL;
	return copy_struct_from_user(to, size, from, stated);
}

bool args_zero(const u64 *p, size_t n)
{
	while (n--)
		if (p[n])
			return false;
	return true;
}

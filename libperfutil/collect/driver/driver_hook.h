/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver's hook descriptor: a process that has it may write its own records, and nothing
 * else. */
#ifndef PITRACE_DRIVER_HOOK_H
#define PITRACE_DRIVER_HOOK_H

/* Opens it through the device, close-on-exec. -1 with errno: EACCES and EPERM if this user may not.
 * */
int driver_hook_open(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Records that programs write: the hook descriptor. */
#ifndef PITRACE_USER_H
#define PITRACE_USER_H

#include <linux/bits.h>
#include "pitrace.h"

/* 0xD0 - 0xFF and named events, in the bitmap's last word; 0xB0 is in the one before. */
#define USER_MAJORS (GENMASK_ULL(63, PITRACE_USER_FIRST % 64) | BIT_ULL(PITRACE_NAMED % 64))

struct session;

int user_init(void);
void user_exit(void);
/* Returns a hook descriptor, or -errno. */
int user_open(void);
/* PITRACE_IOC_HAS. */
long user_has(const struct session *s, const s32 __user *user);
/* active[] changed; sessions_lock is held. */
void user_listen(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The ptt descriptor. */
#ifndef PITRACE_PTT_OPEN_H
#define PITRACE_PTT_OPEN_H

#include <linux/compiler.h>

struct pitrace_ptt_args;

/* Returns a ptt descriptor, whose release frees the ptt, or -errno. */
int ptt_open(struct pitrace_ptt_args __user *user);
unsigned int ptts_alive(void);

#endif

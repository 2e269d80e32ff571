/* SPDX-License-Identifier: GPL-2.0 */
/* Ioctl arguments, checked as they are copied. */
#ifndef PITRACE_ARGS_H
#define PITRACE_ARGS_H

#include <linux/types.h>

/* Copies the caller's struct of the size it states: a shorter one is padded with zeros; excess
 * bytes of a longer one must be zero. */
int get_args(void *to, size_t size, const void __user *from);
/* Are all of these reserved fields zero? */
bool args_zero(const u64 *p, size_t n);

#endif

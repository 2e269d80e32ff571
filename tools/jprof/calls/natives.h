/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Native methods have no code to call hooks from. A class whose natives are traced gets wrappers
 * for them while it is loaded, in any phase of the VM; their hooks are those of all methods, and
 * come by way of the class's other changes. A class that is loaded cannot get methods any more.
 */
#ifndef JPROF_NATIVES_H
#define JPROF_NATIVES_H

#include <jvmti.h>
#include <stdio.h>

#include "method_filter.h"

/* An environment of its own in the VM, which changes classes before the other one, and once. NULL
 * or why not: then no native is traced. */
const char *natives_begin(JavaVM *java, const struct method_filter *methods, bool running);

/* How many are traced, and how many are not, and why. */
void natives_write(FILE *out);

#endif

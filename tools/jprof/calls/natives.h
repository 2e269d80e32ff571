/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Native methods contain no code to call hooks from. A class with traced natives gets wrappers for
 * them while it is loaded, in any phase of the VM; the wrappers' hooks are inserted like those of
 * other methods. A loaded class can no longer get new methods.
 */
#ifndef JPROF_NATIVES_H
#define JPROF_NATIVES_H

#include <jvmti.h>
#include <stdio.h>

#include "method_filter.h"

/* Creates a separate environment in the VM, which changes each class once, before the other one
 * does. Returns NULL, or an error message: then no native is traced. */
const char *natives_begin(JavaVM *java, const struct method_filter *methods, bool running);

/* Writes how many natives are traced, and how many are not, and why. */
void natives_write(FILE *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HotSpot's own probes of method begins and ends (-XX:+DTraceMethodProbes): its code calls two
 * functions of its library at each, as leafs. Their first instructions are replaced by a jump.
 */
#ifndef PROBES_H
#define PROBES_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

#include "vm_image.h"

typedef void (*probe_function)(void *thread, const void *method);

/* Before the VM has made any code. NULL, or why not; nothing is changed then. */
const char *probes_install(const struct vm_image *i, probe_function begin, probe_function end);
/* Where in a VM's thread the exception is that ends a method of the interpreter; 0: not known. */
size_t probes_exception_at(const struct vm_image *i);

#endif

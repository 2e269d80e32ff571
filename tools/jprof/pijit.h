/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libpijit.so: an agent that a Java VM loads (JVMTI). It writes to a jitdump which code the VM's
 * compilers made, and does nothing else. pijit.c is the agent, java_lines.c makes line tables.
 */
#ifndef PIJIT_H
#define PIJIT_H

#include <jvmti.h>

#include <jitdump.h>

/* Lines of a compiled method, those of methods inlined in it too; *lines (free it with
 * lines_free) is NULL where there are none. */
uint32_t lines_make(jvmtiEnv *vm, jmethodID method, jint map_length,
		    const jvmtiAddrLocationMap *map, const void *compile_info,
		    struct jitdump_line **lines);
void lines_free(struct jitdump_line *lines, uint32_t n);

#endif

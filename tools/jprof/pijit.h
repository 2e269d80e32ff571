/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of the code that the VM's compilers make, in a jitdump or in log-jita2n: all that
 * libpijit.so does unless it is asked for more. java_lines.c makes line tables.
 */
#ifndef PIJIT_H
#define PIJIT_H

#include <jvmti.h>

#include <jitdump.h>
#include <jitlog.h>

#include "agent_options.h"

/* `vm` is this part's own. text: where JITA2N has names go. JNI_ERR after a message. */
jint names_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		 struct jitlog_writer *text, bool running);

/* Code of other parts, which has not run before `since`. False: not yet, or no more. */
bool names_put(uint64_t since, const char *name, uint64_t address, uint64_t size,
	       const struct jitdump_line *lines, uint32_t n);

/* Lines of a compiled method, those of methods inlined in it too; *lines (free it with
 * lines_free) is NULL where there are none. */
uint32_t lines_make(jvmtiEnv *vm, jmethodID method, jint map_length,
		    const jvmtiAddrLocationMap *map, const void *compile_info,
		    struct jitdump_line **lines);
void lines_free(struct jitdump_line *lines, uint32_t n);

#endif

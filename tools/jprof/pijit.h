/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of the code that the VM's compilers generate, in a jitdump or in log-jita2n: the only part
 * that libpijit.so runs by default. java_lines.c makes line tables.
 */
#ifndef PIJIT_H
#define PIJIT_H

#include <jvmti.h>

#include <jitdump.h>
#include <jitlog.h>

#include "agent_options.h"

/* This part owns `vm`. With JITA2N, names are written to `text`. Returns JNI_ERR after a message.
 */
jint names_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		 struct jitlog_writer *text, bool running);

/* Writes code of other parts, which has not run before `since`. Returns false before the file is
 * open and after it is closed. */
bool names_put(uint64_t since, const char *name, uint64_t address, uint64_t size,
	       const struct jitdump_line *lines, uint32_t n);

/* Makes the lines of a compiled method, including methods inlined in it. The caller frees *lines
 * with lines_free(); it is NULL if there are none. */
uint32_t lines_make(jvmtiEnv *vm, jmethodID method, jint map_length,
		    const jvmtiAddrLocationMap *map, const void *compile_info,
		    struct jitdump_line **lines);
void lines_free(struct jitdump_line *lines, uint32_t n);

#endif

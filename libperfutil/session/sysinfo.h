/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a trace must know of the machine that made it, to be read on another one. */
#ifndef PITRACE_SYSINFO_H
#define PITRACE_SYSINFO_H

#include <pifile.h>
#include "collect/backend.h"

/* The file's header for a session that begins now: what the collector does, not what was asked. */
void sysinfo_header(struct pifile_header *h, const struct trace_config *config,
		    const char *collector, const struct trace_info *info, uint64_t clock_hz);
/* Sections at the start: system, kallsyms, modules, vdso. The info is the collector's, its note
 * what it does not show. *modules keeps the text of /proc/modules for sysinfo_final. 0 or -errno of
 * the file. */
int sysinfo_write(struct pifile_writer *w, const struct trace_config *config, const char *command,
		  const struct trace_info *info, char **modules);
/* In between: kallsyms of modules, and modules, once more if modules came or went; *modules is the
 * new text then. now not 0: MTE records, too, of what came and went since the last look; stamps are
 * of the looks. 0 or -errno of the file, whose compression is the one given. */
int sysinfo_update(struct pifile_writer *w, int compression, char **modules, uint64_t then,
		 uint64_t now);
/* At the end: kallsyms and modules once more if modules came or went. Frees *modules. */
int sysinfo_final(struct pifile_writer *w, char **modules);

#endif

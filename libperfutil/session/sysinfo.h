/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The facts about its machine that a trace must record, to be read on another one. */
#ifndef PITRACE_SYSINFO_H
#define PITRACE_SYSINFO_H

#include <pifile.h>
#include "collect/backend.h"

/* Fills in the file's header for a session that begins now: what the collector does, not what was
 * requested. */
void sysinfo_header(struct pifile_header *h, const struct trace_config *config,
		    const char *collector, const struct trace_info *info, uint64_t clock_hz);
/* Writes the sections at the start: system, kallsyms, modules, vdso. info is the collector's, its
 * note what it does not record. *modules keeps the text of /proc/modules for sysinfo_update and
 * sysinfo_final. 0 or -errno of the file. */
int sysinfo_write(struct pifile_writer *w, const struct trace_config *config, const char *command,
		  const struct trace_info *info, char **modules);
/* In between: writes kallsyms of modules, and modules, again if modules came or went; *modules is
 * replaced. now not 0: also MTE records of what came and went since the last call; both times are
 * stamps. The given compression is the file's. 0 or -errno of the file. */
int sysinfo_update(struct pifile_writer *w, int compression, char **modules, uint64_t then,
		   uint64_t now);
/* At the end: writes kallsyms and modules again if modules came or went. Frees *modules. */
int sysinfo_final(struct pifile_writer *w, char **modules);

#endif

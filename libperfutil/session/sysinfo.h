/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The facts about this machine that a trace must record, to be read on another one. */
#ifndef PITRACE_SYSINFO_H
#define PITRACE_SYSINFO_H

#include <pifile.h>
#include "collect/backend.h"

/* Fills in the file's header for a session that begins now: the effective settings of the
 * collector, not the requested ones. */
void sysinfo_header(struct pifile_header *h, const struct trace_config *config,
		    const char *collector, const struct trace_info *info, uint64_t clock_hz);
/* Writes the sections at the start: system, kallsyms, modules, vdso. info is the collector's, its
 * note what it does not record. *modules keeps the text of /proc/modules for sysinfo_update and
 * sysinfo_final. 0 or -errno of the file. */
int sysinfo_write(struct pifile_writer *w, const struct trace_config *config, const char *command,
		  const struct trace_info *info, char **modules);
/* In between: writes kallsyms of modules, and modules, again if modules were loaded or unloaded;
 * *modules is replaced. now not 0: also MTE records of these modules since the last call; both
 * times are stamps. `compression` is the file's level, which is restored. 0 or -errno of the
 * file. */
int sysinfo_update(struct pifile_writer *w, int compression, char **modules, uint64_t then,
		   uint64_t now);
/* At the end: writes kallsyms and modules again if modules were loaded or unloaded. Frees
 * *modules. */
int sysinfo_final(struct pifile_writer *w, char **modules);

#endif

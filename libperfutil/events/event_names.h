/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolves names of events to the numbers that perf_event_open(2) takes. A name is, in this order:
 * raw (r and a hexadecimal config), one of the kernel's generic events, one in a PMU's folder of
 * the running kernel (the name only, or pmu/name/ or pmu/term=value,.../), a tracepoint as
 * system:name, one of an event file (see pitrace-events(5)), or one that libpfm4 knows. :u or :k at
 * the end restricts it to user code or the kernel.
 */
#ifndef PITRACE_EVENTS_H
#define PITRACE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pitrace.h>

/* Returns 0, or -errno (-ENOENT: unknown) with a message. Fills in only what the name defines:
 * type, config …, the privilege flags, the name. */
int event_find(const char *name, struct pitrace_event_args *e, char *why, size_t room);
/* Parses names separated by commas (commas within slashes do not count), at most PITRACE_EVENTS.
 * Returns their number, or -errno with a message. */
int events_find(const char *names, struct pitrace_event_args *list, char *why, size_t room);
/* Checks whether this machine can count it. 0 or the negative errno of perf_event_open. */
int event_try(const struct pitrace_event_args *e);

/* Checks whether its counter advances: on some virtual machines it opens but never advances. */
bool event_counts(const struct pitrace_event_args *e);

/* Samples per second of the first event that is sampled by frequency; 0: all have a fixed count. */
uint32_t events_rate(const struct pitrace_event_args *list, uint32_t n);

/* Calls back for each name with its source ("kernel", "pmu", "libpfm4", an event file's path) and a
 * description ("" unknown). "bad": `name` is the position in an event file, `what` the fault there.
 * */
typedef void (*event_each)(void *arg, const char *source, const char *name, const char *what);
void events_list(event_each each, void *arg);

/* Folders of PMUs, of tracepoints and of event files (NULL: the user's and this installation's),
 * and the name of this CPU (NULL: detected); tests set others. */
extern const char *events_devices, *events_folder, *events_cpu, *events_tracing[2];

/* The sources, one by one. -ENOENT: unknown name; -EACCES: it may be a tracepoint that this user
 * may not see. */
int event_of_kernel(const char *name, struct pitrace_event_args *e); /* events_sysfs.c */
void events_of_kernel(event_each each, void *arg);
/* Returns the encoding, itself a raw or PMU name. -ENOENT: why is "", or the fault of a file that
 * may define it. */
int event_of_file(const char *name, char *encoding, size_t room, char *why, /* events_file.c */
		  size_t why_room);
void events_of_files(event_each each, void *arg);
int event_of_pfm(const char *name, struct pitrace_event_args *e); /* events_pfm.c */
void events_of_pfm(event_each each, void *arg);

#endif

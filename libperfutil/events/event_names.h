/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of events to the numbers that perf_event_open(2) takes. A name is, in this order: raw (r
 * and a hexadecimal config), one of the kernel's generic events, one in a PMU's folder of the
 * running kernel (alone, or as pmu/name/ or pmu/term=value,.../), a tracepoint as system:name, one
 * of an event file (see pitrace-events(5)), or one that libpfm4 knows. :u or :k behind it counts
 * user code or the kernel only.
 */
#ifndef PITRACE_EVENTS_H
#define PITRACE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pitrace.h>

/* 0, or -ENOENT and the like with a sentence. Only what the name says is filled in: type, config …,
 * the privilege flags, the name. */
int event_find(const char *name, struct pitrace_event_args *e, char *why, size_t room);
/* Names with commas between them (not those within slashes), at most PITRACE_EVENTS. Their number,
 * or -errno with a sentence. */
int events_find(const char *names, struct pitrace_event_args *list, char *why, size_t room);
/* Can this machine count it? 0 or the errno of perf_event_open, negative. */
int event_try(const struct pitrace_event_args *e);

/* Does its counter count here? One that can be had and stands still (some virtual machines have
 * such) does not. */
bool event_counts(const struct pitrace_event_args *e);

/* Samples a second, of the first of these that is taken by time; 0: all are taken by count. */
uint32_t events_rate(const struct pitrace_event_args *list, uint32_t n);

/* Each name there is: where it comes from ("kernel", "pmu", "libpfm4", an event file's path), and in
 * words what it counts ("" unknown). "bad": `name` is where in an event file, `what` what is wrong
 * there. */
typedef void (*event_each)(void *arg, const char *source, const char *name, const char *what);
void events_list(event_each each, void *arg);

/* Where the PMUs' folders are, the tracepoints', those of event files (NULL: the user's and this
 * installation's), and what these call this CPU (NULL: asks the machine): tests have others. */
extern const char *events_devices, *events_folder, *events_cpu, *events_tracing[2];

/* The sources, each by itself: -ENOENT when the name is not theirs; -EACCES: it may be a
 * tracepoint, which this user is not shown. */
int event_of_kernel(const char *name, struct pitrace_event_args *e);	/* events_sysfs.c */
void events_of_kernel(event_each each, void *arg);
/* Its encoding, itself a name of numbers alone. -ENOENT: why is "", or what is wrong with a file that
 * may have had it. */
int event_of_file(const char *name, char *encoding, size_t room, char *why,	/* events_file.c */
		  size_t why_room);
void events_of_files(event_each each, void *arg);
int event_of_pfm(const char *name, struct pitrace_event_args *e);	/* events_pfm.c */
void events_of_pfm(event_each each, void *arg);

#endif

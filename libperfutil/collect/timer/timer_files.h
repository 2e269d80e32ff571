/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The folder that the collector `timer` shares with the programs it samples (preload/layout.h).
 * Traced programs write the rings: they are copied by read(2), so that a truncated file raises no
 * SIGBUS, and each length is checked.
 */
#ifndef PITRACE_TIMER_FILES_H
#define PITRACE_TIMER_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "collect/timer/preload/layout.h"

struct timer_folder {
	char path[512];
	int fd, control_fd;
	struct timer_control control; /* image of the control file */
};

/* Creates the folder and its control file (the caller sets state ON) for programs of that user; 0
 * or -errno, with a message. */
int timer_folder_make(struct timer_folder *f, const struct timer_control *control, uid_t user,
		      char *why, size_t room);
/* Publishes an enum timer_state to the programs. */
void timer_folder_state(struct timer_folder *f, uint32_t state);
/* Publishes the end and removes the folder with all files in it. */
void timer_folder_remove(struct timer_folder *f);

/* Parses the name of a ring's file. False: not a ring. */
struct timer_name {
	uint32_t pid, number;
	uint64_t image;
};
bool timer_name_parse(const char *file, struct timer_name *name);
void timer_file_remove(const struct timer_folder *f, const struct timer_name *name);

/* Reads all new records of a ring's file and frees their space. The callback gets each record with
 * its data, of `bytes`, 8-byte aligned, valid during the call. */
typedef void (*timer_record_fn)(void *arg, const struct timer_record *r, const void *data,
				uint32_t bytes);
struct timer_read {
	uint64_t lost_events, lost_samples; /* so far, according to the file */
	uint32_t unsampled, parent;
};
/* 1: there were records; 0: none; -ENOENT: the file is gone; -EAGAIN: not created yet (or no space
 * for it); -EBADMSG: damaged, no more records will come. */
int timer_file_read(const struct timer_folder *f, const struct timer_name *name,
		    struct timer_read *read, timer_record_fn fn, void *arg);

#endif

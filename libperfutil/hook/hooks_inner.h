/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of the collector's side: hooks_folder.c has the folder and its control page,
 * hookfile_read.c reads programs' records, hooks_order.c sorts them by time.
 */
#ifndef PITRACE_HOOKS_INNER_H
#define PITRACE_HOOKS_INNER_H

#include <dirent.h>
#include <pthread.h>
#include <time.h>
#include "hook/hook_clock.h"
#include "hook/hook_door.h"
#include "hook/hook_threads.h"
#include "hook/hookfile_owner.h"

#define HOOKS_FILES 1024 /* processes at a time; others wait until some exit */

/* Memory that only grows. */
struct room {
	void *data;
	size_t size;
};

/* Progress in reading a slot. */
struct slot_read {
	uint32_t done;   /* bytes */
	bool stuck;      /* an abandoned record was skipped */
	uint64_t waited; /* since when the next record is incomplete; 0: it is not */
};

struct hook_process {
	char name[HOOKFILE_NAME]; /* of the file, "": it came through the door */
	pid_t pid;                /* as reported by the kernel, not by the name */
	uid_t uid;
	int fd;
	bool gone;    /* exited before the scan began */
	bool outside; /* out of the session's scope: its records are ignored */
	bool unheard; /* it ended before the kernel could identify it: its records are lost */
	bool freed;   /* a slot was freed in this drain */
	struct hook_threads threads;
	uint64_t lost;  /* last value read */
	uint32_t nread; /* known slots; others were never used */
	struct slot_read *read;
};

/* A slot that the scan has to read. */
struct hook_visit {
	uint64_t oldest; /* no unread record there is older */
	uint32_t process, slot;
};

struct pending {
	uint64_t stamp;
	size_t at; /* offset in the bytes; also the order of equal stamps */
	uint32_t minor, size;
	uint16_t major;
};

struct hooks {
	char *folder;
	bool made;  /* this collector may empty and remove the folder */
	bool fresh; /* … and created it */
	int dir, control_fd;
	int listen_fd;   /* the page for programs that use no folder, or -1 … */
	char *listen;    /* … and its path */
	int announce_fd; /* processes announce files there */
	struct hook_door door;
	char *door_path; /* path of its page, if that is beside the folder */
	uid_t owner;
	struct hooks_driver driver; /* serial 0: the collector is another one */
	struct hookfile_control control;
	/* clock of all stamps here except those handed over */
	struct hook_clock clock;
	/* majors of the newest interval, also after its end */
	uint64_t majors[PITRACE_MAJORS / 64];
	uint64_t since;     /* … its begin */
	uint64_t discarded; /* … older records are dropped, except names */

	/* the thread that waits to be woken by programs, if any */
	pthread_t waker;
	bool waking, ending;
	int full_fd;                         /* eventfd */
	const struct hookfile_control *page; /* for the futex: never read */

	struct timespec scanned;   /* mtime of the folder at the last scan */
	bool unready;              /* a file in it was not ready */
	DIR *listing;              /* the last folder scan is incomplete */
	size_t nread;              /* bytes read by this drain */
	uint64_t scans;            /* number of scans begun */
	bool scanning;             /* a scan is in progress: */
	struct hook_visit *visits; /* … the slots to read, oldest first, */
	size_t nvisits, next, visits_room;
	uint64_t until;      /* … its begin: younger records belong to the next scan */
	uint64_t incomplete; /* … no record that it skipped is older */
	bool rest;           /* the drain may have left data */
	uint64_t blocked;    /* since when incomplete records hold back others */
	struct hook_process *process[HOOKS_FILES];
	size_t nprocesses;

	struct room slot, table; /* buffers for reading files */
	struct room bytes, index[PITRACE_RINGS];
	struct room spare, other;        /* spare buffers that are swapped with these two */
	size_t nbytes, n[PITRACE_RINGS]; /* in use: bytes of data, records pending */
	bool sorted[PITRACE_RINGS];
	bool keep;      /* records are kept after they were handed over, and handed over again */
	uint64_t known; /* all older records have been read */

	uint32_t session, ncpus;
	struct segment_out *out[PITRACE_RINGS]; /* one per CPU */
	uint64_t last[PITRACE_RINGS];           /* last stamps handed over */
	uint64_t lost, reported;
};

/* hooks_folder.c */
DIR *hooks_list(const struct hooks *h);
/* Parses PID.N, nothing else. */
pid_t hooks_pid_of(const char *name);

/* hookfile_read.c */
void hooks_forget_all(struct hooks *h);

/* hooks_order.c */
int room_grow(struct room *r, size_t size);
void room_free(struct room *r);
void hooks_order_begin(struct hooks *h);
/* Reserves a record, struct pitrace_user and its data, until it is handed over. NULL: it is lost,
 * or with *err out of memory. */
void *hooks_order_keep(struct hooks *h, uint64_t stamp, uint16_t major, uint32_t minor,
		       uint32_t size, int *err);
/* Call before new records are read: frees the memory of those handed over. */
int hooks_order_tidy(struct hooks *h);
/* True: records are waiting only because of `known`. */
bool hooks_order_waiting(const struct hooks *h);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of the collector's side: hooks_folder.c has the folder and what it says to
 * programs, hookfile_read.c reads what they wrote, hooks_order.c puts it in the order of time.
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

/* What was read of a slot. */
struct slot_read {
	uint32_t done;   /* bytes */
	bool stuck;      /* a record that was never completed has been passed over */
	uint64_t waited; /* since when the next record is not complete; 0: it is */
};

struct hook_process {
	char name[HOOKFILE_NAME]; /* of the file, "": it came by the door */
	pid_t pid;                /* as the kernel reports it, not as the name says */
	uid_t uid;
	int fd;
	bool gone;    /* before the scan began */
	bool outside; /* of the session's scope: what it writes is not recorded */
	bool unheard; /* it ended before the kernel could say who it was: its records are lost */
	bool freed;   /* a slot, in this drain */
	struct hook_threads threads;
	uint64_t lost;  /* as last read */
	uint32_t nread; /* slots that are known: the others were never used */
	struct slot_read *read;
};

/* A slot that the scan has to read. */
struct hook_visit {
	uint64_t oldest; /* no record that is unread there is older */
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
	int listen_fd;   /* the page for programs that look in no folder, or -1 … */
	char *listen;    /* … and its path */
	int announce_fd; /* processes announce files there */
	struct hook_door door;
	char *door_path; /* of its page, where that is beside the folder */
	uid_t owner;
	struct hooks_driver driver; /* serial 0: it is not the collector */
	struct hookfile_control control;
	/* of all stamps here but those handed over */
	struct hook_clock clock;
	/* majors of the newest interval, also after its end */
	uint64_t majors[PITRACE_MAJORS / 64];
	uint64_t since;     /* … its begin */
	uint64_t discarded; /* … what is older is not recorded any more, but names */

	/* the thread that waits for programs to wake it, when there is one */
	pthread_t waker;
	bool waking, ending;
	int full_fd;                         /* eventfd */
	const struct hookfile_control *page; /* for the futex: never read */

	struct timespec scanned;   /* mtime of the folder at the last scan */
	bool unready;              /* a file there was not ready */
	DIR *listing;              /* the last folder scan is incomplete */
	size_t nread;              /* bytes read by this drain */
	uint64_t scans;            /* that have begun */
	bool scanning;             /* a scan is in progress: */
	struct hook_visit *visits; /* … what it reads, oldest first, */
	size_t nvisits, next, visits_room;
	uint64_t until;      /* … its begin: what is younger is the next one's */
	uint64_t incomplete; /* … no record that it had to leave is older */
	bool rest;           /* the drain may have left data */
	uint64_t blocked;    /* since when incomplete records hold back others */
	struct hook_process *process[HOOKS_FILES];
	size_t nprocesses;

	struct room slot, table; /* as last read of a file */
	struct room bytes, index[PITRACE_RINGS];
	struct room spare, other;        /* what those two change places with */
	size_t nbytes, n[PITRACE_RINGS]; /* in use: bytes of data, records pending */
	bool sorted[PITRACE_RINGS];
	bool keep;      /* records stay when they are handed over, and are again */
	uint64_t known; /* all records that are older have been read */

	uint32_t session, ncpus;
	struct segment_out *out[PITRACE_RINGS]; /* one per CPU */
	uint64_t last[PITRACE_RINGS];           /* stamps handed over */
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
/* Room for a record, struct pitrace_user and what follows it, until it is handed over. NULL: it is
 * lost, or with *err no memory. */
void *hooks_order_keep(struct hooks *h, uint64_t stamp, uint16_t major, uint32_t minor,
		       uint32_t size, int *err);
/* Before new ones are read: those that were handed over leave their memory. */
int hooks_order_tidy(struct hooks *h);
/* True: records are kept back that could be handed over but for `known`. */
bool hooks_order_waiting(const struct hooks *h);

#endif

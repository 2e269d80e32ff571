/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hook files: how a program's own records (TraceHook) reach a collector that has no module. The
 * collector makes a folder; in it stands `control`, which says what is listened to, and each
 * process that writes makes a file PID.N of its own, mode 0600, and tells a socket of the folder;
 * whose it is the kernel says then (hookfile_owner.h), not its name. A file is a table of slots and
 * the slots: a thread takes a free slot, fills it with a segment, and takes another; the collector
 * reads as far as `used` says and frees slots that are full. Both sides go by the number and size
 * of slots that the control file states. What is mapped survives its process: a crash loses nothing
 * that was written.
 *
 * The file belongs to the traced program: the collector reads it by pread, never by a mapping
 * (which a truncated file would turn into a signal), and believes nothing in it.
 */
#ifndef PITRACE_HOOKFILE_H
#define PITRACE_HOOKFILE_H

#include "collect/backend.h"

#define HOOKFILE_ENV		"PITRACE_HOOKS"	/* the folder */
#define HOOKFILE_CONTROL	"control"
#define HOOKFILE_SOCKET		"born"	/* there a process tells that it made its file */
#define HOOKFILE_MAGIC		0x4B4F4F48u	/* "HOOK" */
#define HOOKFILE_VERSION	1
#define HOOKFILE_SLOTS_MAX	2040
#define HOOKFILE_DATA		32768		/* slot 0 begins here */

struct hookfile_control {
	uint32_t magic, version;
	uint32_t slots, slot_bytes;
	uint64_t majors[PITRACE_MAJORS / 64];	/* listened to now; MTE's bit: JIT, JAVA_THREAD */
	uint32_t gone;				/* the collector is; nobody will read any more */
	uint32_t reserved;
};

enum hookfile_state { HOOKFILE_FREE = 0, HOOKFILE_OPEN, HOOKFILE_FULL };
struct hookfile_slot {
	uint32_t state;
	uint32_t used;				/* bytes of the segment that are whole records */
	uint64_t reserved;
};

struct hookfile_header {
	uint32_t magic, version;
	uint64_t lost;				/* records that found no slot */
	uint64_t reserved[6];
	struct hookfile_slot slot[];
};
PITRACE_ASSERT(sizeof(struct hookfile_header) +
	       HOOKFILE_SLOTS_MAX * sizeof(struct hookfile_slot) <= HOOKFILE_DATA, "hook file");

/* ---- the program's side ---------------------------------------------------------------------- */

/* The control page of a folder, mapped for good, or NULL: not there, or not to be trusted. */
const struct hookfile_control *hookfile_control(const char *folder);

struct hookfile;

/* A file of this process, which stays; NULL with errno. One thread at a time calls it. */
struct hookfile *hookfile_make(const char *folder, const struct hookfile_control *control);
/* Write one record as its thread. 0; -ENOBUFS: no free slot, counted as lost; -EBUSY: from a signal
 * handler that interrupted this very function, counted too. */
int hookfile_put(struct hookfile *f, uint16_t major, uint32_t minor, const struct pitrace_user *who,
		 const void *data, size_t bytes);

/* ---- the collector's side: hooks ------------------------------------------------------------- */

/*
 * The tracer has one of these beside a collector without the module, whose stamps are
 * CLOCK_MONOTONIC ns: hooks_listen at on (majors of the configuration: all begins anew) and off
 * (NULL), and in each drain hooks_collect, hooks_drain of the MTE ring before the collector's own
 * drain, of the trace ring after it. The segments form rings of their own, of
 * session + HOOKS_SESSION. In wrap mode they are all kept.
 */
#define HOOKS_SESSION	0x10000u

struct hooks;

/* With this folder (made if it isn't there), or NULL: a new one in TMPDIR. It belongs to owner (or,
 * (uid_t)-1, the caller); only that user's processes can write. bytes: of slots, a process. NULL
 * with errno. */
struct hooks *hooks_new(const char *folder, uid_t owner, uint64_t bytes, uint32_t session);
const char *hooks_folder(const struct hooks *h);
int hooks_listen(struct hooks *h, const uint64_t majors[PITRACE_MAJORS / 64]);
bool hooks_listening(const struct hooks *h);
/* Only names, or what was listened to before. */
int hooks_pause(struct hooks *h, bool pause);
/* Readable: processes have made files; then hooks_accept opens them, before they are gone. It is part
 * of hooks_collect. -1: nobody can be met now. */
int hooks_fd(const struct hooks *h);
int hooks_accept(struct hooks *h);
/* Read what the processes wrote, so much at a time: 0 or -errno. */
int hooks_collect(struct hooks *h);
/* There is more of it than that was: it waits for the next time. */
bool hooks_pending(const struct hooks *h);
/* Hand over full segments; with `all`, and of the MTE ring always, the open ones too. */
int hooks_drain(struct hooks *h, int ring, bool all, segment_sink sink, void *arg);
uint64_t hooks_lost(const struct hooks *h);
void hooks_free(struct hooks *h);

#endif

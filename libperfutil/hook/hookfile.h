/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hook files: how programs' own records (TraceHook) reach a collector without the module. The
 * collector creates a folder with the file `control`, which says which majors are recorded. Each
 * process that writes creates a file PID.N of its own, mode 0600, and sends its name to a socket in
 * the folder; the kernel then says which process it belongs to (hookfile_owner.h), not the name. A
 * file is a table of slots followed by the slots. A thread takes a free slot, fills it with a
 * segment, and takes another; the collector reads up to `used` and frees full slots. The control
 * file sets the number and size of slots for both sides. Mapped memory survives its process: a
 * crash loses no written records.
 *
 * The file belongs to the traced program: the collector reads it by pread, never by a mapping
 * (truncation would raise a signal), and does not trust its content.
 */
#ifndef PITRACE_HOOKFILE_H
#define PITRACE_HOOKFILE_H

#include "collect/backend.h"

#define HOOKFILE_ENV       "PITRACE_HOOKS" /* the folder */
#define HOOKFILE_CONTROL   "control"
#define HOOKFILE_SOCKET    "born"      /* socket where processes announce their files */
#define HOOKFILE_MAGIC     0x4B4F4F48u /* "HOOK" */
#define HOOKFILE_VERSION   1
#define HOOKFILE_SLOTS_MAX 2040
#define HOOKFILE_DATA      32768 /* offset of slot 0 */

struct hookfile_control {
	uint32_t magic, version;
	uint32_t slots, slot_bytes;
	/* majors recorded now; MTE's bit: JIT, JAVA_THREAD */
	uint64_t majors[PITRACE_MAJORS / 64];
	/* the collector has ended and reads no more */
	uint32_t gone;
	uint32_t reserved;
};

enum hookfile_state { HOOKFILE_FREE = 0, HOOKFILE_OPEN, HOOKFILE_FULL };
struct hookfile_slot {
	uint32_t state;
	uint32_t used; /* bytes of whole records in the segment */
	uint64_t reserved;
};

struct hookfile_header {
	uint32_t magic, version;
	uint64_t lost; /* records that found no slot */
	uint64_t reserved[6];
	struct hookfile_slot slot[];
};
PITRACE_ASSERT(sizeof(struct hookfile_header) + HOOKFILE_SLOTS_MAX * sizeof(struct hookfile_slot) <=
		       HOOKFILE_DATA,
	       "hook file");

/* ---- the program's side ---------------------------------------------------------------------- */

/* Maps the control page of a folder permanently; NULL: missing, or not trusted. */
const struct hookfile_control *hookfile_control(const char *folder);

struct hookfile;

/* Creates a file of this process, which is never unmapped; NULL with errno. Callers take turns: one
 * thread at a time. */
struct hookfile *hookfile_make(const char *folder, const struct hookfile_control *control);
/* Writes one record of the calling thread. 0; -ENOBUFS: no free slot, counted as lost; -EBUSY:
 * called from a signal handler that interrupted this very function, counted too. */
int hookfile_put(struct hookfile *f, uint16_t major, uint32_t minor, const struct pitrace_user *who,
		 const void *data, size_t bytes);

/* ---- the collector's side: hooks ------------------------------------------------------------- */

/*
 * The tracer has one of these besides a collector without the module, whose stamps are
 * CLOCK_MONOTONIC ns. Call hooks_listen at *on* (majors of the configuration: all starts anew) and
 * *off* (NULL), and in each drain hooks_collect, then hooks_drain of the MTE ring before the
 * collector's own drain, of the trace ring after it. The segments form rings of their own, of
 * session + HOOKS_SESSION. In wrap mode all are kept.
 */
#define HOOKS_SESSION 0x10000u

struct hooks;

/* Uses this folder (created if missing), or NULL: a new one in TMPDIR. It belongs to owner
 * ((uid_t)-1: the caller); only that user's processes can write. bytes: of slots, per process. NULL
 * with errno. */
struct hooks *hooks_new(const char *folder, uid_t owner, uint64_t bytes, uint32_t session);
const char *hooks_folder(const struct hooks *h);
int hooks_listen(struct hooks *h, const uint64_t majors[PITRACE_MAJORS / 64]);
bool hooks_listening(const struct hooks *h);
/* Records only names, or the majors as before. */
int hooks_pause(struct hooks *h, bool pause);
/* Readable when processes have announced files; hooks_accept then opens them, before the processes
 * exit. hooks_collect does that, too. -1: no more can be accepted now. */
int hooks_fd(const struct hooks *h);
int hooks_accept(struct hooks *h);
/* Reads what the processes wrote, a limited amount per call: 0 or -errno. */
int hooks_collect(struct hooks *h);
/* True: more is waiting for the next call. */
bool hooks_pending(const struct hooks *h);
/* Hands over full segments; with `all`, and of the MTE ring always, the open ones too. */
int hooks_drain(struct hooks *h, int ring, bool all, segment_sink sink, void *arg);
uint64_t hooks_lost(const struct hooks *h);
void hooks_free(struct hooks *h);

#endif

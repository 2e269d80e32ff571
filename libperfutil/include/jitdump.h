/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jitdump: the file in which a just-in-time compiler tells which code it made, where and when. It
 * is called jit-PID.dump; its writer maps a page of it executable: so a trace finds it.
 *
 * Reading: one event a call, in the file's order. A writer may still be appending: the end is where
 * the whole records end, and a later call goes on behind it. Damage costs what it hides: a record
 * that contradicts itself is left out, the ones before and behind it are read, and jitdump_fault
 * says where the first was.
 */
#ifndef JITDUMP_H
#define JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct jitdump;

struct jitdump_info {
	uint32_t version;		/* 1; the format's text calls it revision 2 */
	uint32_t pid;			/* of the writer, in its own namespace */
	uint32_t machine;		/* ELF's number (EM_*); some writers say 0 */
	uint64_t flags;
	bool swapped;			/* the other byte order */
	bool raw_time;			/* times are the processor's counter, not CLOCK_MONOTONIC */
	uint64_t late;			/* ns: code may have run so long before it was told */
};

enum jitdump_kind { JITDUMP_LOAD = 0, JITDUMP_MOVE = 1, JITDUMP_UNLOAD = 2 };

struct jitdump_event {
	uint32_t kind;			/* enum jitdump_kind */
	uint32_t pid, tid;		/* what the record says */
	uint64_t offset;		/* of the record in the file */
	uint64_t time;			/* ns of CLOCK_MONOTONIC unless raw_time */
	uint64_t earliest;		/* LOAD: when it may have run first, up to time */
	uint64_t address, size;		/* of the code; where it is now */
	uint64_t from;			/* MOVE: where it was */
	uint64_t index;			/* the writer's number of this code */
	/* LOAD only */
	const char *name;		/* until the next call; up to its first NUL */
	size_t name_length;
	uint64_t code_offset;		/* in the file; 0: the bytes are not there */
	uint32_t lines;			/* entries of its line table, for jitdump_line */
	/* Unwinding tables in the file, in either order; sizes 0: none. */
	uint64_t eh_frame_offset, eh_frame_size;
	uint64_t eh_frame_hdr_offset, eh_frame_hdr_size;
};

struct jitdump_line {
	uint64_t address;		/* in the code, also where the writer added 0x40 */
	uint32_t line, discriminator;
	const char *file;		/* until the next call of jitdump_next */
};

struct jitdump_fault {
	uint64_t offset;		/* in the file */
	const char *what;		/* NULL: none so far */
	uint64_t records;		/* left out so far */
	uint64_t unfinished;		/* where the record begins that the file ends in; 0: none */
};

/* Takes fd over, also on failure. 0, -errno, -EBADMSG: not a jitdump (*why says why). */
int jitdump_open(struct jitdump **d, int fd, const char **why);
void jitdump_close(struct jitdump *d);
const struct jitdump_info *jitdump_info(const struct jitdump *d);
/* 1: an event; 0: no more now; -errno when the file cannot be read. */
int jitdump_next(struct jitdump *d, struct jitdump_event *event);
/* The next entry of the line table of the LOAD that jitdump_next gave last. */
bool jitdump_line(struct jitdump *d, struct jitdump_line *line);
/* The code bytes of that LOAD: their number, at most room, 0: not there. */
size_t jitdump_code(const struct jitdump *d, void *code, size_t room);
/* The bytes of its .eh_frame: the same. */
size_t jitdump_eh_frame(const struct jitdump *d, void *eh_frame, size_t room);
void jitdump_fault(const struct jitdump *d, struct jitdump_fault *fault);

/* ---- writing --------------------------------------------------------------------------------- */

struct jitdump_writer;

/* jit-PID.dump in a folder (NULL: $JITDUMPDIR, else the working folder). Threads may write at the
 * same time. All return 0 or -errno; after a failed write the file ends with a whole record. */
int jitdump_create(struct jitdump_writer **w, const char *folder);
/* Of code that may have run already, for up to so many ns. Beside the format, where other readers
 * pass over it: jitdump_load_late's word stands behind each name. */
int jitdump_create_late(struct jitdump_writer **w, const char *folder, uint64_t late);
/* Code at its final address. code: NULL where the bytes shall not be kept. *index is its number. */
int jitdump_load(struct jitdump_writer *w, const char *name, uint64_t address, uint64_t size,
		 const void *code, const struct jitdump_line *lines, uint32_t n_lines,
		 uint64_t *index);
/* The same; it has not run before `since`. Without jitdump_create_late that is not kept. */
int jitdump_load_late(struct jitdump_writer *w, uint64_t since, const char *name, uint64_t address,
		      uint64_t size, const void *code, const struct jitdump_line *lines,
		      uint32_t n_lines, uint64_t *index);
/* The same, with tables by which its callers are found. Addresses in them are relative (pcrel), as
 * if .eh_frame lay behind the code, from the next multiple of 8 of its size on, and .eh_frame_hdr
 * right behind that. Other readers want both. unwind NULL: it has none. */
struct jitdump_unwind {
	const void *eh_frame;
	uint64_t eh_frame_size;
	const void *eh_frame_hdr;
	uint64_t eh_frame_hdr_size;
};
int jitdump_load_unwind(struct jitdump_writer *w, uint64_t since, const char *name,
			uint64_t address, uint64_t size, const void *code,
			const struct jitdump_line *lines, uint32_t n_lines,
			const struct jitdump_unwind *unwind, uint64_t *index);
/* Code was given up. The format has no record for it: this one is ours, others pass over it. */
int jitdump_unload(struct jitdump_writer *w, uint64_t address, uint64_t size);
/* The code with this number is at `to` from now on. */
int jitdump_move(struct jitdump_writer *w, uint64_t index, uint64_t from, uint64_t to,
		 uint64_t size);
/* The file stays. */
int jitdump_end(struct jitdump_writer *w);
const char *jitdump_path(const struct jitdump_writer *w);

#ifdef __cplusplus
}
#endif
#endif

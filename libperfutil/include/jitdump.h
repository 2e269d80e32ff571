/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jitdump: the file in which a just-in-time compiler reports the code it generates, with address
 * and time. It is called jit-PID.dump; the writer maps a page of it executable, so that a trace
 * finds it.
 *
 * Reading: one event per call, in file order. A writer may still be appending: the end is that of
 * the last whole record, and a later call continues there. Damage is local: a malformed record is
 * skipped, the others are read, and jitdump_fault reports the first fault.
 */
#ifndef JITDUMP_H
#define JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct jitdump;

struct jitdump_info {
	uint32_t version; /* 1; the format's specification calls it revision 2 */
	uint32_t pid;     /* pid of the writer, in its own namespace */
	uint32_t machine; /* ELF machine (EM_*); may be 0 */
	uint64_t flags;
	bool swapped;  /* file is in the other byte order */
	bool raw_time; /* times are the processor's counter, not CLOCK_MONOTONIC */
	uint64_t late; /* ns: code may have run this long before its record */
};

enum jitdump_kind { JITDUMP_LOAD = 0, JITDUMP_MOVE = 1, JITDUMP_UNLOAD = 2 };

struct jitdump_event {
	uint32_t kind;     /* enum jitdump_kind */
	uint32_t pid, tid; /* pid and tid of the record */
	uint64_t offset;   /* offset of the record in the file */
	uint64_t time;     /* ns of CLOCK_MONOTONIC unless raw_time */
	/* LOAD: earliest time at which it may have run, up to time */
	uint64_t earliest;
	uint64_t address, size; /* address of the code; MOVE: the new one */
	uint64_t from;          /* MOVE: the old address */
	uint64_t index;         /* the writer's index of this code */
	/* LOAD only */
	const char *name; /* valid until the next call; ends at its first NUL */
	size_t name_length;
	uint64_t code_offset; /* offset in the file; 0: the bytes are missing */
	uint32_t lines;       /* entries of its line table, for jitdump_line */
	/* Offsets of unwinding tables in the file, in any order; sizes 0: none. */
	uint64_t eh_frame_offset, eh_frame_size;
	uint64_t eh_frame_hdr_offset, eh_frame_hdr_size;
};

struct jitdump_line {
	uint64_t address; /* address in the code, also where the writer added 0x40 */
	uint32_t line, discriminator;
	const char *file; /* valid until the next call of jitdump_next */
};

struct jitdump_fault {
	uint64_t offset;     /* offset in the file */
	const char *what;    /* text; NULL: none so far */
	uint64_t records;    /* records skipped so far */
	uint64_t unfinished; /* offset of the incomplete last record; 0: none */
};

/* Opens a jitdump; takes ownership of fd, also on failure. 0, -errno, -EBADMSG: not a jitdump (*why
 * is the reason). */
int jitdump_open(struct jitdump **d, int fd, const char **why) PITRACE_USE_RESULT;
void jitdump_close(struct jitdump *d);
const struct jitdump_info *jitdump_info(const struct jitdump *d) PITRACE_NONNULL(1);
/* 1: an event; 0: no more now; -errno when the file cannot be read. */
int jitdump_next(struct jitdump *d, struct jitdump_event *event) PITRACE_NONNULL(1)
	PITRACE_WRITES(2) PITRACE_USE_RESULT;
/* Reads the next line table entry of the LOAD that jitdump_next returned last. */
bool jitdump_line(struct jitdump *d, struct jitdump_line *line) PITRACE_NONNULL(1)
	PITRACE_WRITES(2) PITRACE_USE_RESULT;
/* Reads the code bytes of that LOAD. Returns their number, at most room; 0: missing. */
size_t jitdump_code(const struct jitdump *d, void *code, size_t room) PITRACE_NONNULL(1)
	PITRACE_WRITES(2, 3);
/* Reads the bytes of its .eh_frame likewise. */
size_t jitdump_eh_frame(const struct jitdump *d, void *eh_frame, size_t room) PITRACE_NONNULL(1)
	PITRACE_WRITES(2, 3);
void jitdump_fault(const struct jitdump *d, struct jitdump_fault *fault) PITRACE_NONNULL(1)
	PITRACE_WRITES(2);

/* ---- writing --------------------------------------------------------------------------------- */

struct jitdump_writer;

/* Creates jit-PID.dump in a folder (NULL: $JITDUMPDIR, else the working folder). Threads may write
 * concurrently. All functions return 0 or -errno; after a failed write the file ends with a whole
 * record. */
int jitdump_create(struct jitdump_writer **w, const char *folder) PITRACE_USE_RESULT;
/* For code that may already have run before its record, for up to `late` ns. An extension of the
 * format that other readers skip: jitdump_load_late writes its time after each name. */
int jitdump_create_late(struct jitdump_writer **w, const char *folder,
			uint64_t late) PITRACE_USE_RESULT;
/* Records code at its final address. code NULL: without its bytes. *index is set to its number. */
int jitdump_load(struct jitdump_writer *w, const char *name, uint64_t address, uint64_t size,
		 const void *code, const struct jitdump_line *lines, uint32_t n_lines,
		 uint64_t *index) PITRACE_NONNULL(1);
/* The same for code that has not run before `since`. Without jitdump_create_late the time is not
 * recorded. */
int jitdump_load_late(struct jitdump_writer *w, uint64_t since, const char *name, uint64_t address,
		      uint64_t size, const void *code, const struct jitdump_line *lines,
		      uint32_t n_lines, uint64_t *index) PITRACE_NONNULL(1);
/* Combined with `since`: no other code is ever there, so the code may have run since then, however
 * late its record is. */
#define JITDUMP_ALONE (1ull << 63)
/* The same, with unwinding tables. Addresses in them are relative (pcrel), as if .eh_frame followed
 * the code at the next multiple of 8, and .eh_frame_hdr right after that. Other readers expect
 * both. unwind NULL: none. */
struct jitdump_unwind {
	const void *eh_frame;
	uint64_t eh_frame_size;
	const void *eh_frame_hdr;
	uint64_t eh_frame_hdr_size;
};
int jitdump_load_unwind(struct jitdump_writer *w, uint64_t since, const char *name,
			uint64_t address, uint64_t size, const void *code,
			const struct jitdump_line *lines, uint32_t n_lines,
			const struct jitdump_unwind *unwind, uint64_t *index) PITRACE_NONNULL(1);
/* Records that code was freed. The format has no such record: this is an extension that other
 * readers skip. */
int jitdump_unload(struct jitdump_writer *w, uint64_t address, uint64_t size) PITRACE_NONNULL(1);
/* Records that the code with this number moved to `to`. */
int jitdump_move(struct jitdump_writer *w, uint64_t index, uint64_t from, uint64_t to,
		 uint64_t size) PITRACE_NONNULL(1);
/* Ends the writer; the file stays. */
int jitdump_end(struct jitdump_writer *w);
const char *jitdump_path(const struct jitdump_writer *w) PITRACE_NONNULL(1);

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
int jitdump_next_sized(struct jitdump *d, struct jitdump_event *event, size_t size)
	PITRACE_NONNULL(1) PITRACE_WRITES(2) PITRACE_USE_RESULT;
bool jitdump_line_sized(struct jitdump *d, struct jitdump_line *line, size_t size)
	PITRACE_NONNULL(1) PITRACE_WRITES(2) PITRACE_USE_RESULT;
void jitdump_fault_sized(const struct jitdump *d, struct jitdump_fault *fault, size_t size)
	PITRACE_NONNULL(1) PITRACE_WRITES(2);
int jitdump_load_sized(struct jitdump_writer *w, const char *name, uint64_t address, uint64_t size,
		       const void *code, const struct jitdump_line *lines, uint32_t n_lines,
		       uint64_t *index, size_t line_size) PITRACE_NONNULL(1);
int jitdump_load_late_sized(struct jitdump_writer *w, uint64_t since, const char *name,
			    uint64_t address, uint64_t size, const void *code,
			    const struct jitdump_line *lines, uint32_t n_lines, uint64_t *index,
			    size_t line_size) PITRACE_NONNULL(1);
int jitdump_load_unwind_sized(struct jitdump_writer *w, uint64_t since, const char *name,
			      uint64_t address, uint64_t size, const void *code,
			      const struct jitdump_line *lines, uint32_t n_lines,
			      const struct jitdump_unwind *unwind, uint64_t *index,
			      size_t line_size, size_t unwind_size) PITRACE_NONNULL(1);
#ifndef PITRACE_OWN_SOURCE
#define jitdump_load(...)      jitdump_load_sized(__VA_ARGS__, sizeof(struct jitdump_line))
#define jitdump_load_late(...) jitdump_load_late_sized(__VA_ARGS__, sizeof(struct jitdump_line))
#define jitdump_load_unwind(...)                                            \
	jitdump_load_unwind_sized(__VA_ARGS__, sizeof(struct jitdump_line), \
				  sizeof(struct jitdump_unwind))
#define jitdump_next(...)  jitdump_next_sized(__VA_ARGS__, sizeof(struct jitdump_event))
#define jitdump_line(...)  jitdump_line_sized(__VA_ARGS__, sizeof(struct jitdump_line))
#define jitdump_fault(...) jitdump_fault_sized(__VA_ARGS__, sizeof(struct jitdump_fault))
#endif

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * liba2n resolves addresses to names. An address is (process, address, time); everything that names
 * code is valid for an interval of time. First add all events (a2n_fork, a2n_map …, with their
 * times, in the order of time), then resolve addresses, in any order. Unknown addresses get an
 * explicit bucket, never a neighbour's name.
 *
 * Times are nanoseconds of one clock of the caller's choice. Pids are of one namespace. Names in
 * results are never NULL and live until a2n_close. One thread at a time uses an a2n.
 */
#ifndef A2N_H
#define A2N_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names of addresses without a name. */
#define A2N_NO_MODULE       "NoModule"
#define A2N_NO_SYMBOLS      "NoSymbols"
#define A2N_NO_SYMBOL_FOUND "NoSymbolFound"
#define A2N_KERNEL          "vmlinux"
#define A2N_VDSO            "[vdso]"
#define A2N_VDSO_32         "[vdso32]" /* of 32-bit programs */
#define A2N_JITCODE         "JITCODE"
#define A2N_JIT_UNKNOWN     "JitUnannounced"
#define A2N_JIT_FREED       "JitFreed"
#define A2N_JIT_AMBIGUOUS   "JitAmbiguous"
#define A2N_UNKNOWN         "Unknown"

struct a2n;

struct a2n_options {
	/* Search for files below these folders (colon list) first, then below /; NULL: below /
	 * only. A folder holds files by full path or bare name. */
	const char *sympath;
	bool demangle;       /* C++, Rust (legacy and v0), D */
	bool no_debug_files; /* do not search for separate debug files */
	/* Fetch missing debug files from the servers of DEBUGINFOD_URLS, with this time limit per
	 * file; after a timeout no server is queried any more. 0: no servers. */
	uint32_t debuginfod_seconds;
	/* Receives one message per module whose symbols are missing or not those of the file that
	 * ran. */
	void (*warn)(void *arg, const char *module, const char *message);
	void *warn_arg;
};

struct a2n *a2n_open(const struct a2n_options *options) PITRACE_USE_RESULT;
void a2n_close(struct a2n *a);

/* ---- events; 0 or -errno (-ENOMEM) --------------------------------------------------------------
 * */

/* A process begins with empty memory (exec): earlier mappings end. */
int a2n_process(struct a2n *a, uint64_t time, uint32_t pid, uint64_t start_time) PITRACE_NONNULL(1);
/* A walk found the process alive and adds all its mappings again. Its A2N_MAP_WALK mappings also
 * hold for the time before, back to its last exec or fork. */
int a2n_seen(struct a2n *a, uint64_t time, uint32_t pid, uint64_t start_time) PITRACE_NONNULL(1);
/* A child with a copy of its parent's mappings; one that shares them (vfork, CLONE_VM). */
int a2n_fork(struct a2n *a, uint64_t time, uint32_t parent, uint32_t child, uint64_t start_time)
	PITRACE_NONNULL(1);
int a2n_clone(struct a2n *a, uint64_t time, uint32_t parent, uint32_t child, uint64_t start_time)
	PITRACE_NONNULL(1);
/* A thread; pid is its process. */
int a2n_thread(struct a2n *a, uint64_t time, uint32_t pid, uint32_t tid) PITRACE_NONNULL(1);
/* Name of a thread, and of the process when tid == pid; NULL: an empty one. */
int a2n_name(struct a2n *a, uint64_t time, uint32_t pid, uint32_t tid, const char *name)
	PITRACE_NONNULL(1);
/* A thread or (tid == pid) process ended. Its names hold until the pid has another owner. */
int a2n_exit(struct a2n *a, uint64_t time, uint32_t pid, uint32_t tid) PITRACE_NONNULL(1);

enum a2n_map_flags {
	A2N_MAP_ANON = 1,
	A2N_MAP_VDSO = 2,
	A2N_MAP_DELETED = 4,
	A2N_MAP_WALK = 8,
};
struct a2n_map {
	uint64_t start, length;
	uint64_t offset; /* in the file */
	uint64_t inode;  /* 0: unknown; with dev and generation its identity */
	uint32_t dev_major, dev_minor, generation;
	uint32_t flags;          /* enum a2n_map_flags */
	const char *path;        /* copied */
	const uint8_t *build_id; /* if recorded with the mapping (perf's MMAP2); else NULL */
	size_t build_id_size;
};
/* An executable mapping; it replaces exactly what it overlaps. The same file at the same offset
 * again (mprotect's splits) changes nothing. */
int a2n_add_map(struct a2n *a, uint64_t time, uint32_t pid, const struct a2n_map *map)
	PITRACE_NONNULL(1);
/* Sets when the following mappings were made, in nanoseconds of CLOCK_REALTIME, or a later time by
 * which their programs had ended; 0: unknown. A file without a build id that was modified since is
 * treated as a different file. */
void a2n_time_of_day(struct a2n *a, uint64_t realtime) PITRACE_NONNULL(1);
int a2n_unmap(struct a2n *a, uint64_t time, uint32_t pid, uint64_t start, uint64_t length)
	PITRACE_NONNULL(1);
/* Code that a program generated and announced, in module JITCODE. It replaces exactly what it
 * overlaps, and ends when its memory is unmapped or a file is mapped there. The name need not end
 * in a NUL. Times may be late: a later call counts as the newer code. */
int a2n_jit_load(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size,
		 const char *name, size_t name_length) PITRACE_NONNULL(1);
/* The same for a late announcement: the code may have run since `earliest`. A sample from there to
 * `time` is in it if nothing else was at the address, else ambiguous. */
int a2n_jit_load_late(struct a2n *a, uint64_t earliest, uint64_t time, uint32_t pid,
		      uint64_t address, uint64_t size, const char *name, size_t name_length)
	PITRACE_NONNULL(1);
/* The line table of the code added last: each entry's line holds from its address to the next
 * one's; file NULL: unknown. All is copied. A table with an entry outside of the code is discarded.
 * */
struct a2n_jit_line {
	uint64_t address;
	uint32_t line;
	const char *file;
};
int a2n_jit_lines(struct a2n *a, const struct a2n_jit_line *lines, size_t n) PITRACE_NONNULL(1)
	PITRACE_READS(2, 3);
/* The bytes of the code added last; the caller keeps them. */
void a2n_jit_bytes(struct a2n *a, const void *bytes) PITRACE_NONNULL(1);
/* The code at `from` moved to `to`; nothing is at `from` now. */
int a2n_jit_move(struct a2n *a, uint64_t time, uint32_t pid, uint64_t from, uint64_t to,
		 uint64_t size) PITRACE_NONNULL(1);
/* The same from a perf map, which has no times: the entry was there at `time`, and not yet at
 * `since` (0: not read before). It holds from `since` on, below code of a2n_jit_load; where another
 * entry of the map, or unmapped memory, may have been there instead, it is unsure until `time`. Add
 * these in the order of `time`, after all other events of the process. */
int a2n_jit_map(struct a2n *a, uint64_t since, uint64_t time, uint32_t pid, uint64_t address,
		uint64_t size, const char *name, size_t name_length) PITRACE_NONNULL(1);
/* The program has freed the code: addresses there are "freed code" until new code is announced
 * there. */
int a2n_jit_unload(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size)
	PITRACE_NONNULL(1);
/* The build id of a file, added at any time, valid for all times. length 0: it has none. */
int a2n_build_id(struct a2n *a, uint32_t dev_major, uint32_t dev_minor, uint64_t inode,
		 uint32_t generation, const uint8_t *id, size_t length) PITRACE_NONNULL(1);
/* Records were lost: from here on names in pid's memory are unsure (pid 0: all processes of its
 * machine). */
int a2n_unsure(struct a2n *a, uint64_t time, uint32_t pid) PITRACE_NONNULL(1);
/* The content of a file that has no build id: its size, time of its last change (st_ctim, ns) and a
 * checksum of its content, as the drain found them soon after the file was mapped. */
int a2n_content(struct a2n *a, uint32_t dev_major, uint32_t dev_minor, uint64_t inode,
		uint32_t generation, uint64_t size, uint64_t changed, uint32_t sum)
	PITRACE_NONNULL(1);
/* Returns whether the limits on events about memory were exceeded, and since when. An event may
 * cost 16 facts (of 72 bytes) and 4,096 steps on average, plus 2 million and 256 million in total;
 * no real program reaches that. Beyond it nothing is kept, and answers are A2N_RESULT_NO_MODULE. */
bool a2n_full(const struct a2n *a, uint64_t *since) PITRACE_NONNULL(1);

/* Events of several machines, each with a kernel, files and pids of its own: machine i's pid is
 * passed as i << A2N_PID_BITS | pid. Call a2n_machines first of all; a2n_machine sets the machine
 * of following events without a pid (invalid: the first). */
#define A2N_PID_BITS 22
#define A2N_MACHINES 512
int a2n_machines(struct a2n *a, uint32_t count) PITRACE_NONNULL(1); /* -EINVAL: none or too many */
void a2n_machine(struct a2n *a, uint32_t machine) PITRACE_NONNULL(1);

/* The kernel: text of /proc/kallsyms (a later one adds symbols of modules loaded since), address
 * ranges of modules with times, the vdso's image. All are copied. */
int a2n_kallsyms(struct a2n *a, const char *text, size_t size) PITRACE_NONNULL(1)
	PITRACE_READS(2, 3);
/* Its image, an uncompressed vmlinux with symbols, replaces the kernel's own symbols of kallsyms.
 * kallsyms' _text or _stext gives the address it ran at, else its link address is used. The
 * descriptor is closed. -EBADMSG: not an ELF file; -ENODATA: not a kernel, or no symbols. */
int a2n_kernel_image(struct a2n *a, int fd) PITRACE_NONNULL(1);
int a2n_modules(struct a2n *a, const char *text, size_t size) PITRACE_NONNULL(1)
	PITRACE_READS(2, 3); /* text of /proc/modules */
/* Saved symbols (A2nCreateMsiFile's text), for modules of these names. -EBADMSG: invalid text. */
int a2n_symbols(struct a2n *a, const char *text, size_t size) PITRACE_NONNULL(1)
	PITRACE_READS(2, 3);
int a2n_kernel_load(struct a2n *a, uint64_t time, const char *name, uint64_t start, uint64_t length)
	PITRACE_NONNULL(1);
int a2n_kernel_unload(struct a2n *a, uint64_t time, const char *name) PITRACE_NONNULL(1);
/* Code generated by the kernel (a BPF program): a module with one symbol, both of this name.
 * Several of one name may exist; unloading ends this one. */
int a2n_kernel_code(struct a2n *a, uint64_t time, const char *name, uint64_t start, uint64_t length)
	PITRACE_NONNULL(1);
int a2n_kernel_code_gone(struct a2n *a, uint64_t time, const char *name, uint64_t start,
			 uint64_t length) PITRACE_NONNULL(1);
/* An ELF32 image is the vdso of 32-bit programs. */
int a2n_vdso(struct a2n *a, const void *image, size_t size) PITRACE_NONNULL(1) PITRACE_READS(2, 3);

/* ---- a trace --------------------------------------------------------------------------------- */

/* Feeds a record of a trace (pimerge_next), in its order: processes, threads, mappings, kernel
 * modules, announced code, build ids, losses; all others are ignored, so that every record may be
 * passed. It replaces the functions above. Times are CLOCK_MONOTONIC ns. 0, -ENOMEM, or -EBADMSG:
 * the record is malformed and ignored. */
struct pirecord;
int a2n_feed_record(struct a2n *a, const struct pirecord *r);
/* Feeds the payload (pifile_payload) of a section, by its type (enum pifile_section_type): kernel
 * symbols, modules, the vdso, perf maps; all others are ignored. PIFILE_SEC_PERFMAP after all
 * records, the others before them. Results as above. */
int a2n_feed_section(struct a2n *a, uint32_t type, const void *data, size_t size);

/* ---- a live process -------------------------------------------------------------------------- */

/* Adds a process of this machine as it is now; 0: the calling one. It replaces the functions above:
 * its mappings, the names of its threads, the vdso, and the code that it announces in a jitdump or
 * a perf map. Times are CLOCK_MONOTONIC ns; resolve at a later one. Another call adds what is new
 * since then. The kernel is not added. Returns 0; -ESRCH: no such process, or it has ended;
 * -EACCES: it belongs to another user; -ENOMEM; or another -errno. *why (or NULL) is the reason in
 * words; then nothing was added, except for -ENOMEM. */
int a2n_add_process(struct a2n *a, uint32_t pid, const char **why);

/* queries */

enum a2n_result {
	A2N_OK = 0,
	A2N_RESULT_NO_SYMBOL,     /* a module with symbols, none of which covers it */
	A2N_RESULT_NO_SYMBOLS,    /* a module without symbols (or its file is missing) */
	A2N_RESULT_NO_MODULE,     /* nothing was mapped there at that time */
	A2N_RESULT_JIT_UNKNOWN,   /* anonymous memory without announced code */
	A2N_RESULT_JIT_FREED,     /* the program had freed the code that was there */
	A2N_RESULT_JIT_AMBIGUOUS, /* one of several pieces of code: announced too late */
};

struct a2n_module {
	const char *name;         /* path; "vmlinux"; "[vdso]"; "[ext4]"; NoModule */
	const char *symbols_from; /* the file with the symbols, or why there are none */
	void *user;               /* for the caller, initially NULL */
};
struct a2n_symbol {
	const char *name; /* demangled if requested; NoSymbolFound, NoSymbols, … */
	const char *raw_name;
	uint64_t value; /* in the module's own addresses (ELF st_value) */
	uint64_t size;
	struct a2n_module *module;
	void *user;
};
/* The rule behind an answer; the first that applies. */
enum a2n_why {
	A2N_WHY_KERNEL,     /* an address of the kernel: its own memory */
	A2N_WHY_AMBIGUOUS,  /* several pieces of code may have run by then */
	A2N_WHY_CODE,       /* announced code */
	A2N_WHY_CODE_LATE,  /* … announced later, but may have run by then */
	A2N_WHY_CODE_FREED, /* … freed, and the memory not reused since */
	A2N_WHY_PERF_MAP,   /* code of a perf map */
	A2N_WHY_MAPPED,     /* the mapping */
	A2N_WHY_NOTHING,    /* nothing was mapped */
};

struct a2n_answer {
	enum a2n_result result;
	enum a2n_why why;
	/* MTE records were lost before this time, or a perf map does not show which code was at the
	 * address. */
	bool unsure;
	struct a2n_module *module; /* never NULL; the same module is the same pointer */
	/* Never NULL; the same symbol is the same pointer; each module has one of its own for "no
	 * symbol found". */
	struct a2n_symbol *symbol;
	/* The address in the module (ELF: virtual; JITCODE: A2N_CODE, the sequence number of the
	 * added code, 32 bits of offset in it). */
	uint64_t module_offset;
	uint64_t symbol_offset; /* from the symbol's start; from the module's without one */
	/* The range of the code, or of the part of the mapping unchanged at this time; length 0:
	 * neither. */
	uint64_t range_start, range_length;
	const void *code; /* bytes of the code, if added; else NULL */
};
#define A2N_CODE                       (1ull << 63) /* not a memory address of a program */
#define A2N_CODE_OFFSET(module_offset) ((uint32_t)(module_offset))
void a2n_resolve(struct a2n *a, uint32_t pid, uint64_t time, uint64_t address, bool kernel,
		 struct a2n_answer *answer) PITRACE_NONNULL(1) PITRACE_WRITES(6);

/* Returns the variable of a program or library that contains a data address, and the offset in it.
 * A data mapping is assigned to the file of the nearest code below it. NULL: neither the file nor
 * its debug file names a variable there. offset may be NULL. */
const struct a2n_symbol *a2n_variable(struct a2n *a, uint32_t pid, uint64_t time, uint64_t address,
				      uint64_t *offset) PITRACE_NONNULL(1);

/* Returns the code of a module_offset of JITCODE, at its present address. False: not a code. */
struct a2n_code {
	uint64_t address, size;
	const void *bytes; /* or NULL */
};
bool a2n_code(const struct a2n *a, uint64_t module_offset, struct a2n_code *code) PITRACE_NONNULL(1)
	PITRACE_WRITES(3);

/* the history behind an answer */

/* Events that change the meaning of addresses are numbered in order; some have several numbers.
 * Returns the number of the last one; 0: none. */
uint32_t a2n_told(const struct a2n *a) PITRACE_NONNULL(1);

enum a2n_span_kind {
	/* The process's memory: */
	A2N_SPAN_EMPTY, /* empty at first: exec, or the first event */
	A2N_SPAN_COPY,  /* another's, or a copy of it, at first: clone, fork */
	A2N_SPAN_SEEN,  /* found by a walk, with all that is mapped */
	/* The address: */
	A2N_SPAN_MAPPED,
	A2N_SPAN_UNMAPPED,
	A2N_SPAN_CODE,       /* announced code */
	A2N_SPAN_CODE_MOVED, /* it moved away: the content is unknown */
	A2N_SPAN_CODE_FREED,
	A2N_SPAN_PERF_MAP, /* code in a perf map */
};
/* An interval in which an address had one meaning, by one kind of source. */
struct a2n_span {
	enum a2n_span_kind kind;
	uint64_t from, to; /* UINT64_MAX: to the end */
	uint64_t earliest; /* CODE: it may have run since then; else equals from */
	/* … found at from: valid also before, if nothing else was there */
	bool walk;
	bool inherited;         /* from the memory of which this is a copy */
	bool unsure;            /* from a perf map: perhaps another code was there */
	uint64_t start, length; /* range of the code or of the mapping event; 0: no range */
	const char *name;       /* name of the code, else of the mapping, or NULL */
	uint32_t told;          /* number of the event; 0: no event, or a kernel event */
};
typedef void (*a2n_take_span)(void *arg, const struct a2n_span *span);
/* Returns all meanings of an address of a process (of the kernel, by its highest bit): each image
 * of the process, then what was mapped, announced code, code of maps; each in the order of time.
 * A2N_SPAN_MAPPED and the spans above it hold at the same time. */
void a2n_history(struct a2n *a, uint32_t pid, uint64_t address, a2n_take_span take, void *arg)
	PITRACE_NONNULL(1);

/* Opens the file of an answer's module, if it can be found and is the one that ran (as for its
 * symbols), or its separate debug file. Returns a descriptor, which the caller closes, and the
 * file's name; or -errno: -ENOENT where there is none. */
enum a2n_file { A2N_FILE_CODE, A2N_FILE_DEBUG };
int a2n_module_open(struct a2n *a, const struct a2n_module *module, enum a2n_file which, char *path,
		    size_t size) PITRACE_NONNULL(1) PITRACE_USE_RESULT;

/* Returns the known build id of a module: *id, of so many bytes. 0: unknown. */
size_t a2n_module_build_id(const struct a2n *a, const struct a2n_module *module, const uint8_t **id)
	PITRACE_NONNULL(1);

/* A source location. */
struct a2n_frame {
	const char *function;  /* demangled if requested; NULL: unknown */
	const char *file;      /* with its folder; NULL: unknown */
	uint32_t line, column; /* 0: no line; unknown */
	bool inlined;          /* inlined into the function of the next frame */
};
/* The i-th address is in frames[0], which is inlined in frames[1] at its line, and so on. */
typedef void (*a2n_take_frames)(void *arg, size_t i, const struct a2n_frame *frames, size_t n);
/* Resolves many addresses of one module (module_offset of answers) to source lines at once: reads
 * the module's DWARF once; for JITCODE the tables of a2n_jit_lines. Calls back once for each
 * address with a known line, in any order. inlined: with all inlining frames, else one frame each.
 * For Go programs without DWARF it uses their function table. 0; -ENOENT: no lines, no file;
 * -ENOMEM. Damaged or missing parts cause a warning. */
int a2n_lines(struct a2n *a, const struct a2n_module *module, const uint64_t *offsets, size_t n,
	      bool inlined, a2n_take_frames take, void *arg) PITRACE_NONNULL(1);

/* Names at the given time; "Unknown" if never known. space distinguishes the users of a pid: it
 * differs for every process that ever had the pid, not for exec. */
const char *a2n_process_name(struct a2n *a, uint32_t pid, uint64_t time) PITRACE_NONNULL(1);
const char *a2n_thread_name(struct a2n *a, uint32_t pid, uint32_t tid, uint64_t time)
	PITRACE_NONNULL(1);
uint64_t a2n_process_serial(struct a2n *a, uint32_t pid, uint64_t time) PITRACE_NONNULL(1);

/* Demangles into a new string, which the caller frees; NULL: not a mangled name, or an unknown
 * scheme. */
char *a2n_demangle(const char *name) PITRACE_USE_RESULT;

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
void a2n_resolve_sized(struct a2n *a, uint32_t pid, uint64_t time, uint64_t address, bool kernel,
		       struct a2n_answer *answer, size_t size) PITRACE_NONNULL(1) PITRACE_WRITES(6);
bool a2n_code_sized(const struct a2n *a, uint64_t module_offset, struct a2n_code *code, size_t size)
	PITRACE_NONNULL(1) PITRACE_WRITES(3);
struct a2n *a2n_open_sized(const struct a2n_options *options, size_t size) PITRACE_USE_RESULT;
int a2n_add_map_sized(struct a2n *a, uint64_t time, uint32_t pid, const struct a2n_map *map,
		      size_t size) PITRACE_NONNULL(1);
int a2n_jit_lines_sized(struct a2n *a, const struct a2n_jit_line *lines, size_t n, size_t size)
	PITRACE_NONNULL(1) PITRACE_READS(2, 3);
int a2n_feed_record_sized(struct a2n *a, const struct pirecord *r, size_t size);
void a2n_history_sized(struct a2n *a, uint32_t pid, uint64_t address, a2n_take_span take, void *arg,
		       size_t size) PITRACE_NONNULL(1);
int a2n_lines_sized(struct a2n *a, const struct a2n_module *module, const uint64_t *offsets,
		    size_t n, bool inlined, a2n_take_frames take, void *arg, size_t size)
	PITRACE_NONNULL(1);
#ifndef PITRACE_OWN_SOURCE
#define a2n_feed_record(...) a2n_feed_record_sized(__VA_ARGS__, sizeof(struct pirecord))
#define a2n_history(...)     a2n_history_sized(__VA_ARGS__, sizeof(struct a2n_span))
#define a2n_lines(...)       a2n_lines_sized(__VA_ARGS__, sizeof(struct a2n_frame))
#define a2n_open(...)        a2n_open_sized(__VA_ARGS__, sizeof(struct a2n_options))
#define a2n_add_map(...)     a2n_add_map_sized(__VA_ARGS__, sizeof(struct a2n_map))
#define a2n_jit_lines(...)   a2n_jit_lines_sized(__VA_ARGS__, sizeof(struct a2n_jit_line))
#define a2n_resolve(...)     a2n_resolve_sized(__VA_ARGS__, sizeof(struct a2n_answer))
#define a2n_code(...)        a2n_code_sized(__VA_ARGS__, sizeof(struct a2n_code))
#endif

#ifdef __cplusplus
}
#endif
#endif

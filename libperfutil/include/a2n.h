/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * liba2n: address to name. An address is (process, address, time); everything that names code is an
 * interval of time. First all events are told (a2n_fork, a2n_map …, each with its time, in the
 * order of time), then addresses are asked for, in any order. Where nobody knows the answer is an
 * explicit bucket, never a neighbour's name.
 *
 * Times are nanoseconds of one clock of the caller's choice. Pids are one namespace's. Names in
 * results are never NULL and live until a2n_close. One a2n is used by one thread at a time.
 */
#ifndef A2N_H
#define A2N_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names for what has none. */
#define A2N_NO_MODULE		"NoModule"
#define A2N_NO_SYMBOLS		"NoSymbols"
#define A2N_NO_SYMBOL_FOUND	"NoSymbolFound"
#define A2N_KERNEL		"vmlinux"
#define A2N_VDSO		"[vdso]"
#define A2N_VDSO_32		"[vdso32]"	/* of 32-bit programs */
#define A2N_JITCODE		"JITCODE"
#define A2N_JIT_UNKNOWN		"JitUnannounced"
#define A2N_JIT_FREED		"JitFreed"
#define A2N_JIT_AMBIGUOUS	"JitAmbiguous"
#define A2N_UNKNOWN		"Unknown"

struct a2n;

struct a2n_options {
	/* Look for files below these folders (colon list) first, then below /; NULL: below / only.
	 * A folder holds files by full path or bare name. */
	const char *sympath;
	bool demangle;		/* C++, Rust (legacy and v0), D */
	bool no_debug_files;	/* don't look for separate debug files */
	/* Ask the servers of DEBUGINFOD_URLS for debug files that are not here, so long for each at
	 * most; when one takes longer none is asked any more. 0: ask nobody. */
	uint32_t debuginfod_seconds;
	/* One message for each module whose symbols cannot be had or are not those that ran. */
	void (*warn)(void *arg, const char *module, const char *message);
	void *warn_arg;
};

struct a2n *a2n_open(const struct a2n_options *options);
void a2n_close(struct a2n *a);

/* ---- what happened; 0 or -errno (-ENOMEM) ---------------------------------------------------- */

/* A process begins with empty memory (exec): mappings told before are of the past. */
int a2n_process(struct a2n *a, uint64_t time, uint32_t pid, uint64_t start_time);
/* A walk found it alive and tells all its memory anew, from here on. What its A2N_MAP_WALK mappings
 * say holds for the time before as well, back to its last exec or fork. */
int a2n_seen(struct a2n *a, uint64_t time, uint32_t pid, uint64_t start_time);
/* A child with a copy of its parent's mappings; one that shares them (vfork, CLONE_VM). */
int a2n_fork(struct a2n *a, uint64_t time, uint32_t parent, uint32_t child, uint64_t start_time);
int a2n_clone(struct a2n *a, uint64_t time, uint32_t parent, uint32_t child, uint64_t start_time);
/* A thread; pid is its process. */
int a2n_thread(struct a2n *a, uint64_t time, uint32_t pid, uint32_t tid);
/* Name of a thread, and of the process when tid == pid. */
int a2n_name(struct a2n *a, uint64_t time, uint32_t pid, uint32_t tid, const char *name);
/* A thread or (tid == pid) process ended. Its names hold until the pid has another owner. */
int a2n_exit(struct a2n *a, uint64_t time, uint32_t pid, uint32_t tid);

enum a2n_map_flags {
	A2N_MAP_ANON = 1, A2N_MAP_VDSO = 2, A2N_MAP_DELETED = 4, A2N_MAP_WALK = 8,
};
struct a2n_map {
	uint64_t start, length;
	uint64_t offset;		/* in the file */
	uint64_t inode;			/* 0: unknown; with dev and generation its identity */
	uint32_t dev_major, dev_minor, generation;
	uint32_t flags;			/* enum a2n_map_flags */
	const char *path;		/* copied */
	const uint8_t *build_id;	/* if the mapping brings it (perf's MMAP2); else NULL */
	size_t build_id_size;
};
/* An executable mapping; it replaces exactly what it overlaps. The same file at the same offset
 * again (mprotect's splits) changes nothing. */
int a2n_add_map(struct a2n *a, uint64_t time, uint32_t pid, const struct a2n_map *map);
/* When the mappings that are told next were made, in nanoseconds of CLOCK_REALTIME, or a later time
 * when nothing of it ran any more; 0: not known. A file without a build id that has been changed
 * since then is another one. */
void a2n_time_of_day(struct a2n *a, uint64_t realtime);
int a2n_unmap(struct a2n *a, uint64_t time, uint32_t pid, uint64_t start, uint64_t length);
/* Code that a program made while it ran and told of, in module JITCODE. It replaces exactly what it
 * overlaps, and is gone when its memory is unmapped or another file is mapped there. The name need
 * not end in a NUL. Times may be late: what is told now is not before what was told there. */
int a2n_jit_load(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size,
		 const char *name, size_t name_length);
/* The same where the program tells late: it may have run since `earliest`. A sample from there to
 * `time` is its, if nobody else had the address, else nobody can tell whose. */
int a2n_jit_load_late(struct a2n *a, uint64_t earliest, uint64_t time, uint32_t pid,
		      uint64_t address, uint64_t size, const char *name, size_t name_length);
/* The line table of the code that was told last: from its address on, up to the next one's, each
 * entry's line holds; file NULL: not known. All is copied. Of a table with an entry outside of the
 * code nothing is kept. */
struct a2n_jit_line {
	uint64_t address;
	uint32_t line;
	const char *file;
};
int a2n_jit_lines(struct a2n *a, const struct a2n_jit_line *lines, size_t n);
/* The bytes of the code that was told last: the caller keeps them. */
void a2n_jit_bytes(struct a2n *a, const void *bytes);
/* The code at `from` is at `to` now and nothing is at `from`. */
int a2n_jit_move(struct a2n *a, uint64_t time, uint32_t pid, uint64_t from, uint64_t to,
		 uint64_t size);
/* The same from a perf map, which has no times: it stood there at `time`, and not yet at `since`
 * (0: nobody looked before). Holds from `since` on, beneath what a2n_jit_load told; where another
 * code of a map, or memory that was unmapped, may have been meant instead it is unsure until
 * `time`. Told in the order of `time`, after all else of the process. */
int a2n_jit_map(struct a2n *a, uint64_t since, uint64_t time, uint32_t pid, uint64_t address,
		uint64_t size, const char *name, size_t name_length);
/* The program has given the code up: what runs there before it tells again is code freed. */
int a2n_jit_unload(struct a2n *a, uint64_t time, uint32_t pid, uint64_t address, uint64_t size);
/* The build id of a file, whenever it becomes known, for all times. length 0: it has none. */
int a2n_build_id(struct a2n *a, uint32_t dev_major, uint32_t dev_minor, uint64_t inode,
		 uint32_t generation, const uint8_t *id, size_t length);
/* From here on names in pid's memory are unsure (pid 0: everybody's, of its machine): records were
 * lost. */
int a2n_unsure(struct a2n *a, uint64_t time, uint32_t pid);
/* Of a file that has no build id: its size, when it had been changed last (st_ctim, ns) and a sum
 * of its content, as the drain found them soon after it was mapped. */
int a2n_content(struct a2n *a, uint32_t dev_major, uint32_t dev_minor, uint64_t inode,
		uint32_t generation, uint64_t size, uint64_t changed, uint32_t sum);
/* What is told of memory may cost more than 64 facts (of 40 bytes) or 4,096 steps each time, and 2
 * million or 256 million at the beginning: no program's does. From then on nothing is kept, and
 * answers are A2N_RESULT_NO_MODULE. Whether it came to that, and the time from which on. */
bool a2n_full(const struct a2n *a, uint64_t *since);

/* What several machines tell, each with a kernel, files and pids of its own: machine i's pid is
 * told and asked for as i << A2N_PID_BITS | pid. a2n_machines says how many there are, before all
 * else; a2n_machine whose is what is told next without a pid (of none that there is: the first's).
 */
#define A2N_PID_BITS 22
#define A2N_MACHINES 512
int a2n_machines(struct a2n *a, uint32_t count);	/* -EINVAL: none, or too many */
void a2n_machine(struct a2n *a, uint32_t machine);

/* The kernel: text of /proc/kallsyms (a later one adds symbols of modules loaded since), ranges of
 * modules with times, the vdso's image. All are copied. */
int a2n_kallsyms(struct a2n *a, const char *text, size_t size);
/* Its image, an uncompressed vmlinux with symbols, in place of what kallsyms tells of the kernel
 * itself; where it ran is known by kallsyms' _text or _stext, else it is taken to be where it was
 * linked. The descriptor is closed. -EBADMSG: no ELF file; -ENODATA: no kernel, or no symbols. */
int a2n_kernel_image(struct a2n *a, int fd);
int a2n_modules(struct a2n *a, const char *text, size_t size);	/* text of /proc/modules */
/* Saved symbols (A2nCreateMsiFile's text), for modules of these names. -EBADMSG: it is none. */
int a2n_symbols(struct a2n *a, const char *text, size_t size);
int a2n_kernel_load(struct a2n *a, uint64_t time, const char *name, uint64_t start,
		    uint64_t length);
int a2n_kernel_unload(struct a2n *a, uint64_t time, const char *name);
/* Code that the kernel made (a BPF program): a module with one symbol, both of this name. Several
 * of one name may be there; this one goes. */
int a2n_kernel_code(struct a2n *a, uint64_t time, const char *name, uint64_t start,
		    uint64_t length);
int a2n_kernel_code_gone(struct a2n *a, uint64_t time, const char *name, uint64_t start,
			 uint64_t length);
/* An ELF32 image is the one of 32-bit programs. */
int a2n_vdso(struct a2n *a, const void *image, size_t size);

/* ---- questions ------------------------------------------------------------------------------- */

enum a2n_result {
	A2N_OK = 0,
	A2N_RESULT_NO_SYMBOL,		/* a module with symbols, none of which covers it */
	A2N_RESULT_NO_SYMBOLS,		/* a module without any symbols (or its file is gone) */
	A2N_RESULT_NO_MODULE,		/* nothing was mapped there at that time */
	A2N_RESULT_JIT_UNKNOWN,		/* anonymous memory: nobody told what was made there */
	A2N_RESULT_JIT_FREED,		/* code was there and its program had given it up */
	A2N_RESULT_JIT_AMBIGUOUS,	/* one of several codes: their program told too late */
};

struct a2n_module {
	const char *name;		/* path; "vmlinux"; "[vdso]"; "[ext4]"; NoModule */
	const char *symbols_from;	/* the file whose symbols serve, or why there are none */
	void *user;			/* the caller's, NULL at first */
};
struct a2n_symbol {
	const char *name;		/* demangled when asked; NoSymbolFound, NoSymbols, … */
	const char *raw_name;
	uint64_t value;			/* in the module's own addresses (ELF st_value) */
	uint64_t size;
	struct a2n_module *module;
	void *user;
};
/* By which rule an answer is what it is; the first that holds. */
enum a2n_why {
	A2N_WHY_KERNEL,			/* an address of the kernel: its own memory */
	A2N_WHY_AMBIGUOUS,		/* several codes, each of which may have run by then */
	A2N_WHY_CODE,			/* the program had told of code there */
	A2N_WHY_CODE_LATE,		/* … it told later, of code that may have run by then */
	A2N_WHY_CODE_FREED,		/* … and had given it up; nobody has the memory since */
	A2N_WHY_PERF_MAP,		/* a perf map names it */
	A2N_WHY_MAPPED,			/* what was mapped there */
	A2N_WHY_NOTHING,		/* nothing was */
};

struct a2n_answer {
	enum a2n_result result;
	enum a2n_why why;
	/* MTE records were lost before this time, or a perf map cannot tell whose address it
	 * was. */
	bool unsure;
	struct a2n_module *module;	/* never NULL; the same module is the same pointer */
	/* Never NULL; the same symbol is the same pointer; each module has one of its own for "no
	 * symbol found". */
	struct a2n_symbol *symbol;
	/* The address as the module sees it (ELF: virtual; JITCODE: A2N_CODE, the number of the
	 * code among all that were told, 32 bits of offset in it). */
	uint64_t module_offset;
	uint64_t symbol_offset;		/* from the symbol's start; from the module's without one */
	/* The code that a program made, or of what is mapped there the part that was so at this
	 * time; length 0: neither. */
	uint64_t range_start, range_length;
	const void *code;		/* its bytes, if they were told; else NULL */
};
#define A2N_CODE (1ull << 63)		/* of no memory of programs */
#define A2N_CODE_OFFSET(module_offset) ((uint32_t)(module_offset))
void a2n_resolve(struct a2n *a, uint32_t pid, uint64_t time, uint64_t address, bool kernel,
		 struct a2n_answer *answer);

/* The code of a module_offset of JITCODE, as it was told (moved: where it is since). False: that is
 * none. */
struct a2n_code {
	uint64_t address, size;
	const void *bytes;		/* or NULL */
};
bool a2n_code(const struct a2n *a, uint64_t module_offset, struct a2n_code *code);

/* ---- how an answer came to be ---------------------------------------------------------------- */

/* Each event that changes whose an address is has a number, in the order in which they were told;
 * some have several. That of the last one; 0: none was told. */
uint32_t a2n_told(const struct a2n *a);

enum a2n_span_kind {
	/* The process's memory: */
	A2N_SPAN_EMPTY,			/* empty at first: exec, or the first that was told of it */
	A2N_SPAN_COPY,			/* another's, or a copy of it, at first: clone, fork */
	A2N_SPAN_SEEN,			/* found by a walk, with all that is mapped */
	/* The address: */
	A2N_SPAN_MAPPED, A2N_SPAN_UNMAPPED,
	A2N_SPAN_CODE,			/* code that the program told of */
	A2N_SPAN_CODE_MOVED,		/* it moved away: unknown what is there */
	A2N_SPAN_CODE_FREED,
	A2N_SPAN_PERF_MAP,		/* code in a perf map */
};
/* For so long an address meant one thing, as far as one kind of teller is concerned. */
struct a2n_span {
	enum a2n_span_kind kind;
	uint64_t from, to;		/* UINT64_MAX: to the end */
	uint64_t earliest;		/* CODE: it may have run since; else from */
	bool walk;			/* … found at from: there before, if nobody else was */
	bool inherited;			/* told of memory that this one is a copy of */
	bool unsure;			/* a perf map's: perhaps another code was there */
	uint64_t start, length;		/* of the code, of what was told together; 0: no range */
	const char *name;		/* of the code, else of what is mapped, or NULL */
	uint32_t told;			/* the event's number; 0: of no event, or the kernel's */
};
typedef void (*a2n_take_span)(void *arg, const struct a2n_span *span);
/* All that an address of a process (of the kernel, by its highest bit) ever meant: each image of
 * the process and behind it what was mapped, what code was told of, what maps say; each in the
 * order of time. A2N_SPAN_MAPPED and what lies over it hold at the same time. */
void a2n_history(struct a2n *a, uint32_t pid, uint64_t address, a2n_take_span take, void *arg);

/* The file that a module of an answer was mapped from, if it can be found and is the one that ran
 * (as for its symbols), or its separate debug file. A descriptor, to be closed by the caller, and
 * the file's name; or -errno: -ENOENT where there is none. */
enum a2n_file { A2N_FILE_CODE, A2N_FILE_DEBUG };
int a2n_module_open(struct a2n *a, const struct a2n_module *module, enum a2n_file which,
		    char *path, size_t size);

/* The build id that was told for a module: *id, of so many bytes. 0: none was. */
size_t a2n_module_build_id(const struct a2n *a, const struct a2n_module *module,
			   const uint8_t **id);

/* A place in the source. */
struct a2n_frame {
	const char *function;		/* demangled when asked; NULL: not known */
	const char *file;		/* with its folder; NULL: not known */
	uint32_t line, column;		/* 0: of no line in it; not known */
	bool inlined;			/* into the function of the next frame */
};
/* The i-th address is in frames[0], which is inlined in frames[1] at its line, and so on. */
typedef void (*a2n_take_frames)(void *arg, size_t i, const struct a2n_frame *frames, size_t n);
/* The source of many addresses of one module (module_offset of answers) at once: the module's DWARF
 * is opened, gone through once and closed; of JITCODE what a2n_jit_lines told. Those that nothing
 * is known of are not told, the others once each, in any order. inlined: also what they are
 * inlined in, else one frame each. A Go program without DWARF has lines in its table of functions.
 * 0; -ENOENT: the module has neither, or no file, or of no code were lines told; -ENOMEM. What is
 * damaged or missing is warned of. */
int a2n_lines(struct a2n *a, const struct a2n_module *module, const uint64_t *offsets, size_t n,
	      bool inlined, a2n_take_frames take, void *arg);

/* Names at a time; "Unknown" when never told. space tells a pid's users and images apart: it
 * differs for every process that ever had the pid, not for exec. */
const char *a2n_process_name(struct a2n *a, uint32_t pid, uint64_t time);
const char *a2n_thread_name(struct a2n *a, uint32_t pid, uint32_t tid, uint64_t time);
uint64_t a2n_process_serial(struct a2n *a, uint32_t pid, uint64_t time);

/* Demangle into a new string (free it), or NULL when it is not a mangled name or not known how. */
char *a2n_demangle(const char *name);

#ifdef __cplusplus
}
#endif
#endif

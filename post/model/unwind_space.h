/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process's memory as seen by libdw: the files that stacks led to, and generated code, each
 * opened when the first stack needs it. A few processes are kept at a time.
 */
#ifndef POST_UNWIND_SPACE_H
#define POST_UNWIND_SPACE_H

#include "model/dwfl_file.h"

#define UNWIND_MODULES 2048

struct unwind_module {
	struct dwfl_file file;
	uint64_t probe;             /* an address within */
	uint64_t code;              /* number of the code that it was generated from; 0: a file */
	struct unwind_module *next; /* in the list of modules to remove */
};

struct unwind_space {
	uint32_t pid;
	bool is_32;
	uint64_t epoch; /* of memory that the modules match */
	uint64_t used;  /* time of the last use: the oldest one is evicted */
	Dwfl *dwfl;     /* NULL: unused */
	Elf *elf;       /* tells libdw the machine */
	unsigned int machine;
	uint8_t header[64];
	struct unwind_module *module[UNWIND_MODULES];
	uint32_t nmodule, ncode;   /* ncode: code with its own table */
	bool swept;                /* libdw has dropped modules */
	struct unwind_module full; /* stands for modules beyond the limit */
};

/* machine: EM_*. Returns 0, -ENOMEM, or -EINVAL: not supported by libdw. */
int unwind_space_open(struct unwind_space *s, uint32_t pid, unsigned int machine, bool is_32,
		      const Dwfl_Thread_Callbacks *callbacks, void *arg);
void unwind_space_close(struct unwind_space *s);
/* Drops modules that are no longer mapped. */
int unwind_space_check(struct unwind_space *s, struct a2n *a, uint64_t time, uint64_t epoch);
/* Returns the module at an address, or NULL; sets *added if it is new. Its file may be
 * unavailable. */
struct unwind_module *unwind_space_at(struct unwind_space *s, struct a2n *a, uint64_t time,
				      uint64_t address, bool *added);
/* Reads memory that is mapped from a file, in words of the machine. */
bool unwind_space_read(struct unwind_space *s, uint64_t address, void *to, size_t size);

#endif

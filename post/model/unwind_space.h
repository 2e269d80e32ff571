/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process's memory as libdw sees it: the files that stacks led into, and the code that the
 * program made, each opened when the first stack does. A few processes are kept at a time.
 */
#ifndef POST_UNWIND_SPACE_H
#define POST_UNWIND_SPACE_H

#include "model/dwfl_file.h"

#define UNWIND_MODULES 2048

struct unwind_module {
	struct dwfl_file file;
	uint64_t probe;             /* an address in it */
	uint64_t code;              /* the number of the code it was made of; 0: a file */
	struct unwind_module *next; /* of those that go */
};

struct unwind_space {
	uint32_t pid;
	bool is_32;
	uint64_t epoch; /* that the modules are right for */
	uint64_t used;  /* when last: the oldest makes room */
	Dwfl *dwfl;     /* NULL: unused */
	Elf *elf;       /* has the machine for libdw */
	unsigned int machine;
	uint8_t header[64];
	struct unwind_module *module[UNWIND_MODULES];
	uint32_t nmodule, ncode;   /* code with a table of its own */
	bool swept;                /* set when libdw forgot modules */
	struct unwind_module full; /* for modules that do not fit */
};

/* machine: an ELF's e_machine. 0 or -ENOMEM; -EINVAL: libdw doesn't know it. */
int unwind_space_open(struct unwind_space *s, uint32_t pid, unsigned int machine, bool is_32,
		      const Dwfl_Thread_Callbacks *callbacks, void *arg);
void unwind_space_close(struct unwind_space *s);
/* Forget what isn't mapped any more. */
int unwind_space_check(struct unwind_space *s, struct a2n *a, uint64_t time, uint64_t epoch);
/* The module at an address, or NULL; *added is set when it is new. Its file may not be
 * available. */
struct unwind_module *unwind_space_at(struct unwind_space *s, struct a2n *a, uint64_t time,
				      uint64_t address, bool *added);
/* Reads memory that is mapped from a file, in words of the machine. */
bool unwind_space_read(struct unwind_space *s, uint64_t address, void *to, size_t size);

#endif

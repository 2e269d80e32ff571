/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A2N, address to name, with the original's interface: one set of processes, pids in place of
 * handles, one SYMDATA per answer. A thin layer over a2n.h. Any thread may call; calls are
 * serialised.
 *
 * Events take a time (the original had none): nanoseconds of one clock, ascending; A2N_NEXT is
 * after all earlier events. A2nGetSymbol answers for the newest time, A2nGetSymbolAt for a given
 * one.
 */
#ifndef A2NINT_H
#define A2NINT_H

#include <stddef.h>
#include <stdint.h>
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define A2N_VERSION 1
#define A2N_NEXT    0 /* as time: after all earlier events */

/* Results of queries; events return 0. Less than 0: -errno. */
#define A2N_SUCCESS           0
#define A2N_NO_SYMBOL_HERE    1 /* the module has symbols, none covers the address */
#define A2N_MODULE_NO_SYMBOLS 2
#define A2N_NOTHING_MAPPED    3
#define A2N_CODE_UNKNOWN      4 /* generated at run time, not announced */
#define A2N_CODE_FREED        5 /* generated at run time, freed by then */
#define A2N_NO_LINE           6

#define A2N_FLAG_UNSURE 0x1
#define A2N_FLAG_KERNEL 0x2
#define A2N_FLAG_JITTED 0x4

/* Names are never NULL and live until A2nTerminate. */
typedef struct {
	uint32_t owning_pid;
	uint32_t flags; /* A2N_FLAG_* */
	const char *owning_pid_name;
	const char *mod_name;
	uint64_t mod_addr, mod_length; /* start of the mapping or the generated code; 0: neither */
	const char *sym_name;
	uint64_t sym_addr, sym_length;
	const uint8_t *code;  /* bytes of generated code, sym_length; or NULL */
	const char *src_file; /* "" and 0: unknown */
	uint32_t src_lineno;
} SYMDATA;

typedef struct {
	uint32_t offset; /* from the code's start; ascending */
	uint32_t line;
} A2N_LINE;

/* Calling it again resets everything. */
int A2nInit(void);
void A2nTerminate(void);
uint32_t A2nGetVersion(void);
/* Before A2nInit: folders (a colon list) searched for files first. NULL: none. */
int A2nSetSymbolSearchPath(const char *path);
/* Kernel symbols: from an uncompressed vmlinux that runs at its link address; from a copy of
 * /proc/kallsyms. */
int A2nSetKernelImageName(const char *path);
int A2nSetKernelMapName(const char *path);

/* An empty address space; a copy of the parent's; the parent's own. */
int A2nCreateProcess(uint32_t pid, uint64_t time);
int A2nForkProcess(uint32_t parent, uint32_t child, uint64_t time);
int A2nCloneProcess(uint32_t parent, uint32_t child, uint64_t time);
int A2nSetProcessName(uint32_t pid, const char *name, uint64_t time);
/* An executable mapping of a file from its start; the checksum is for files that Linux does not
 * have. */
int A2nAddModule(uint32_t pid, uint64_t base, uint64_t length, const char *name, uint64_t time,
		 uint32_t checksum);
/* code and lines may be NULL; both are copied. */
int A2nAddJittedMethod(uint32_t pid, const char *name, uint64_t address, uint64_t length,
		       const void *code, uint64_t time);
int A2nAddJittedMethodLines(uint32_t pid, const char *name, uint64_t address, uint64_t length,
			    const void *code, const char *file, const A2N_LINE *lines,
			    uint32_t count, uint64_t time);
int A2nRemoveJittedMethod(uint32_t pid, uint64_t address, uint64_t length, uint64_t time);
/* Adds the present mappings, name and perf map of a running process. */
int A2nLoadMap(uint32_t pid);

int A2nGetSymbol(uint32_t pid, uint64_t address, SYMDATA *data) PITRACE_WRITES(3);
int A2nGetSymbolAt(uint32_t pid, uint64_t address, uint64_t time, SYMDATA *data) PITRACE_WRITES(4);
int A2nGetLineNumber(uint32_t pid, uint64_t address, const char **file, uint32_t *line)
	PITRACE_WRITES(3);
int A2nGetLineNumberAt(uint32_t pid, uint64_t address, uint64_t time, const char **file,
		       uint32_t *line) PITRACE_WRITES(4);
/* Calls back for each symbol of a module by its addresses in the file (mod_addr 0), until the
 * callback returns non-zero, which is returned. -ENOENT: unknown module. */
int A2nGetAllFunctions(const char *module, int (*each)(void *arg, const SYMDATA *data), void *arg);
/* Module symbol information: saves the symbols of all known modules for another machine; load it
 * before resolving addresses. */
int A2nCreateMsiFile(const char *path);
int A2nLoadMsiFile(const char *path);

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
int A2nGetSymbol_sized(uint32_t pid, uint64_t address, SYMDATA *data, size_t size)
	PITRACE_WRITES(3);
int A2nGetSymbolAt_sized(uint32_t pid, uint64_t address, uint64_t time, SYMDATA *data, size_t size)
	PITRACE_WRITES(4);
int A2nAddJittedMethodLines_sized(uint32_t pid, const char *name, uint64_t address, uint64_t length,
				  const void *code, const char *file, const A2N_LINE *lines,
				  uint32_t count, uint64_t time, size_t size);
int A2nGetAllFunctions_sized(const char *module, int (*each)(void *arg, const SYMDATA *data),
			     void *arg, size_t size);
#ifndef PITRACE_OWN_SOURCE
#define A2nAddJittedMethodLines(...) A2nAddJittedMethodLines_sized(__VA_ARGS__, sizeof(A2N_LINE))
#define A2nGetAllFunctions(...)      A2nGetAllFunctions_sized(__VA_ARGS__, sizeof(SYMDATA))
#define A2nGetSymbol(...)            A2nGetSymbol_sized(__VA_ARGS__, sizeof(SYMDATA))
#define A2nGetSymbolAt(...)          A2nGetSymbolAt_sized(__VA_ARGS__, sizeof(SYMDATA))
#endif

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ITrace: what threads execute, branch by branch. First configure what is traced; ITraceOn starts
 * it, in the session that TraceInit created, or in one of its own. The driver traces if it is
 * loaded; otherwise a ptrace tracer, where that is possible: slower, and only user code of given
 * processes. Any thread may call these functions; the settings hold for the whole process.
 * Functions return 0 or a negative enum pi_rc, with a message in TraceLastError.
 */
#ifndef PITRACE_ITRACE_API_H
#define PITRACE_ITRACE_API_H

#include "perfutil.h"
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum itrace_flags {
	ITRACE_USER = 0x01,       /* user code; the default */
	ITRACE_KERNEL = 0x02,     /* kernel code on behalf of the threads: the driver only */
	ITRACE_FOLLOW = 0x04,     /* also processes that traced ones create */
	ITRACE_LOSSY = 0x08,      /* drop records when the file falls behind, never wait */
	ITRACE_STEPS = 0x10,      /* a record of each instruction */
	ITRACE_LOAD_STORE = 0x20, /* also of loads and stores, where supported */
	ITRACE_NO_THREADS = 0x40, /* not the threads that a traced one creates */
};

/* Call this before the following functions, once until ITraceTerminate. The calling process is
 * traced unless another scope is chosen. */
int ITraceInit(int flags) PITRACE_USE_RESULT;
/* Ends the trace; also ends a session that ITraceOn started. */
int ITraceTerminate(void);

/* The scope; the last call counts. */
int ITraceEnableAll(void);     /* all threads that the session may trace */
int ITraceEnableCurrent(void); /* the calling thread */
int ITraceEnablePid(int pid);
int ITraceEnableGreater(int pid); /* processes with this pid or a higher one */
int ITraceEnableRange(int first, int last);
int ITraceEnableList(int count, const int pids[]) PITRACE_READS(2, 1);
int ITraceEnableThreads(int count, const int tids[]) PITRACE_READS(2, 1);

/* Number of instructions to skip at the start of each thread. */
int ITraceSetSkipCount(uint64_t count);
/* Number of instructions to record, after which the thread runs untraced; 0: no limit (by ptrace 10
 * million). */
int ITraceSetLimit(uint64_t count);
/* Each thread's trace begins and ends where this byte of this file is executed; file NULL: an
 * address of memory; both 0: anywhere. Threads (with ITRACE_FOLLOW processes) created by a thread
 * whose trace has begun are traced at once. */
int ITraceSetFrom(const char *file, uint64_t offset);
int ITraceSetUntil(const char *file, uint64_t offset);

/* Configures the session, which must be off, so that TraceOn traces; creates a session if there is
 * none. ITraceOn calls it if the program did not. */
int ITraceInstall(void);
/* TraceOn, or TraceResume after ITraceOff, which is TraceSuspend: a program may switch frequently.
 * */
int ITraceOn(void);
int ITraceOff(void);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ITrace: what threads execute, branch by branch. What shall be traced is said first; ITraceOn
 * begins it, in the session that TraceInit has made, or in one of its own. The driver does it where
 * it is; else a tracer by ptrace, where that can serve: slower, user code of named processes alone.
 * Any thread may call these; they set what holds for the whole process. Functions return 0 or a
 * negative enum pi_rc, with a sentence in TraceLastError.
 */
#ifndef PITRACE_ITRACE_API_H
#define PITRACE_ITRACE_API_H

#include <perfutil.h>

#ifdef __cplusplus
extern "C" {
#endif

enum itrace_flags {
	ITRACE_USER	  = 0x01,	/* user code; also if neither is said */
	ITRACE_KERNEL	  = 0x02,	/* the kernel's, on the threads' behalf: the driver alone */
	ITRACE_FOLLOW	  = 0x04,	/* and the processes that the traced ones begin */
	ITRACE_LOSSY	  = 0x08,	/* drop records where the file is behind, never wait */
	ITRACE_STEPS	  = 0x10,	/* a record of each instruction */
	ITRACE_LOAD_STORE = 0x20,	/* and of what is read and written, where it can */
	ITRACE_NO_THREADS = 0x40,	/* not the threads that a traced one begins */
};

/* Forget what was set before; then what follows may be called. The calling process is traced,
 * unless another scope is chosen. */
int ITraceInit(int flags);
/* The end: off, nothing is traced any more; a session that ITraceOn began is over. */
int ITraceTerminate(void);

/* Whose instructions; the last of them holds. */
int ITraceEnableAll(void);			/* all that the session may trace */
int ITraceEnableCurrent(void);			/* the calling thread */
int ITraceEnablePid(int pid);
int ITraceEnableGreater(int pid);		/* processes from this pid on */
int ITraceEnableRange(int first, int last);
int ITraceEnableList(int count, const int pids[]);
int ITraceEnableThreads(int count, const int tids[]);

/* Instructions of each thread that are not recorded at first. */
int ITraceSetSkipCount(uint64_t count);
/* So many are, then the thread goes on untraced; 0: as many as there are (by ptrace 10 million). */
int ITraceSetLimit(uint64_t count);
/* Each thread's trace begins, ends where this byte of this file is executed; file NULL: of memory;
 * both 0: anywhere. What a thread begins (threads; with ITRACE_FOLLOW processes) whose trace has
 * begun is traced at once. */
int ITraceSetFrom(const char *file, uint64_t offset);
int ITraceSetUntil(const char *file, uint64_t offset);

/* Say it to the session, which must be off: then TraceOn traces. A session is begun if there is
 * none. ITraceOn does this if it was not done. */
int ITraceInstall(void);
/* TraceOn, or TraceResume after ITraceOff, which is TraceSuspend: a program may switch often. */
int ITraceOn(void);
int ITraceOff(void);

#ifdef __cplusplus
}
#endif
#endif

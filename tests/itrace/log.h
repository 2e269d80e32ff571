/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log that the judge writes and truth reads: entries one after another, of one machine. */
#ifndef ITRACE_LOG_H
#define ITRACE_LOG_H

#include <stdint.h>

#define LOG_PAGE 4096
#define LOG_GPRS 32

enum log_what {
	LOG_STEP = 1,  /* stopped after a step: at `pc` */
	LOG_HANDLER,   /* … no instruction was executed: a handler was entered */
	LOG_SIGNAL,    /* a signal, `value`, is about to be delivered; at pc */
	LOG_EXEC,      /* a program was executed: it begins at pc */
	LOG_NEW,       /* has made the thread `value`; `pc` 1: a process of its own */
	LOG_BEGIN,     /* its first stop */
	LOG_EXIT,      /* about to end, at pc */
	LOG_PAGE_OF,   /* what stands at pc, LOG_PAGE bytes, `value` of them good */
	LOG_REGISTERS, /* ppc64le: the 32 general ones, as of the next entry */
};

struct log_entry {
	uint32_t tid;
	uint32_t what; /* enum log_what */
	uint64_t pc;
	uint64_t value; /* STEP: the register of a system call's number; on x86 and no other
				   that of its result too */
};

#endif

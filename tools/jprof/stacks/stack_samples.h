/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SCS: sampled stacks, from Java through JNI, the VM and the C library into the kernel.
 *
 * Each thread samples itself, in the handler of a signal that it gets for CPU time
 * (scs/cpu_ticks.h, with the kernel's part of the stack where the machine allows) and, if wanted,
 * for time on the wall; allocations and contended monitors are samples where the VM says so. The
 * stack is walked by what the VM publishes of its own structures (stack_walk.h), never by calling
 * it; what cannot be walked is a function of its own, with the reason. AsyncGetCallTrace, which can
 * crash a VM, is asked as a second judge only (stack_judge.h, SCSCHECK).
 *
 * A sample is a record of TraceHook, among all others of the session (PITRACE_HOOKIT_SAMPLE); post
 * reads it as a sample of a collector's, and leaves out those that the collector took of the same
 * thread meanwhile. Names and lines of methods go to the jitdump (stack_names.h).
 */
#ifndef STACK_SAMPLES_H
#define STACK_SAMPLES_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* `vm` is this part's own. JNI_ERR after a message. */
jint stacks_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		  struct jitlog_writer *text, bool running);

#endif

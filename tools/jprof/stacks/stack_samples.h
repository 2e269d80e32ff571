/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SCS: sampled stacks, from Java through JNI, the VM and the C library into the kernel.
 *
 * Each thread samples itself, in the handler of a signal for CPU time (scs/cpu_ticks.h, with the
 * kernel's part of the stack where the machine allows it) and optionally for wall-clock time;
 * allocations and contended monitors are sampled in the VM's events. The stack is walked by the
 * published layout of the VM's structures (stack_walk.h), never by calling the VM; a walk that ends
 * early shows the reason as a function. AsyncGetCallTrace, which can crash a VM, is used only to
 * check walks (stack_judge.h, SCSCHECK).
 *
 * A sample is a record of TraceHook, among all others of the session (PITRACE_HOOKIT_SAMPLE). post
 * reads it like a collector's sample, and drops the samples that the collector took of the same
 * thread meanwhile. Names and lines of methods are written to the jitdump (stack_names.h).
 */
#ifndef STACK_SAMPLES_H
#define STACK_SAMPLES_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* This part owns `vm`. Returns JNI_ERR after a message. */
jint stacks_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		  struct jitlog_writer *text, bool running);

#endif

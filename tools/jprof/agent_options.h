/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What both agents are asked for: by JPROFOPTS in the environment first, then by the VM's own
 * option. libpijit.so and libjprof.so are the same code; they differ in what they do when no part
 * is asked for.
 */
#ifndef AGENT_OPTIONS_H
#define AGENT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "call_options.h"

enum agent_part {
	PART_CALLS = 1,
	PART_NAMES = 2,
	PART_THREADS = 4,
	PART_OBJECTS = 8,
	PART_STACKS = 16,
	PART_CONTROL = 32,
	PART_LOCKS = 64,
};

/* What this library is called, and which part it is without options. */
extern const struct agent_kind {
	const char *name, *library, *does;
	enum agent_part part;
} agent_kind;

struct agent_options {
	struct call_options calls; /* with where all logs go, and the parts */
	bool static_types;
	bool no_natives;
	struct method_filter methods, threads;
	bool probes; /* calls are seen by the VM's own probes, not by changed classes */
	bool later;  /* nothing counts until rtdriver says start */
	/* rtdriver: by TCP, too */
	bool tcp;
	uint16_t port; /* 0: any */
	/* the names */
	char folder[4096]; /* of the jitdump; "": the writer's default */
	bool lines, code;
	bool thread_log; /* names of threads to log-jtnm, too */
	bool text;       /* to log-jita2n, not to a jitdump */
	/* the stacks */
	unsigned int rate;    /* samples a second of CPU time */
	unsigned int sampled; /* bits of enum pitrace_sampled */
	bool kinds;           /* names say how a method ran */
	bool check;
	bool gets; /* of monitors, and how long they are held; not contention alone */
};

/* 1: go on; 0: no agent is wanted; -1: an error, after a message. */
int options_take(struct agent_options *o, const char *text);
/* Of an agent that is loaded already: does the text have CONTROL? What else it has does not count.
 */
bool options_ask_control(struct agent_options *o, const char *text);
void options_free(struct agent_options *o);

#endif

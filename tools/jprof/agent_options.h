/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options of both agents: JPROFOPTS in the environment is read first, then the VM's own option.
 * libpijit.so and libjprof.so are the same code; they differ in the part that runs when the options
 * select none.
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

/* The name of this library, and the part that it runs without options. */
extern const struct agent_kind {
	const char *name, *library, *does;
	enum agent_part part;
} agent_kind;

struct agent_options {
	struct call_options calls; /* includes the folder of all logs, and the parts */
	bool static_types;
	bool no_natives;
	struct method_filter methods, threads;
	bool probes; /* record calls by the VM's own probes, not by changed classes */
	bool later;  /* count nothing until rtdriver sends start */
	/* rtdriver: also listen on TCP */
	bool tcp;
	uint16_t port; /* 0: any */
	/* the names */
	char folder[4096]; /* of the jitdump; "": the writer's default */
	bool lines, code;
	bool thread_log; /* also write names of threads to log-jtnm */
	bool text;       /* write to log-jita2n, not to a jitdump */
	/* the stacks */
	unsigned int rate;    /* samples a second of CPU time */
	unsigned int sampled; /* bits of enum pitrace_sampled */
	bool kinds;           /* names include how a method ran */
	bool check;
	bool gets; /* record all gets of monitors and hold times, not only contention */
};

/* Returns 1 to go on, 0 if the agent must not run, -1 after an error message. */
int options_take(struct agent_options *o, const char *text);
/* For an agent that is already loaded: returns whether the text has CONTROL. Other options are
 * ignored. */
bool options_ask_control(struct agent_options *o, const char *text);
void options_free(struct agent_options *o);

#endif

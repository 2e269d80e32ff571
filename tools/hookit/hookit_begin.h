/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library as a whole: started by the program's first event, and ended with the program, when
 * its logs are written. */
#ifndef HOOKIT_BEGIN_H
#define HOOKIT_BEGIN_H

#include <stdbool.h>
#include <stdint.h>

struct hook_function;

/* Reads the options, creates the logs and trains minima. entry: events come from -mfentry. Returns
 * false if nothing is to be measured. */
bool hookit_begin(bool entry);
/* Adds an unknown function; NULL: the table is full. */
struct hook_function *hookit_new_function(uintptr_t address);
/* Its name as logs show it, valid forever. */
const char *hookit_name(uint32_t number);
/* Writes the log, because the program's image ends or may end here. */
void hookit_write(void);
/* Names the kind of patched sites if calls are reported by them; set before hookit_begin(). These
 * have minima of their own. */
extern const char *hookit_sites;
/* Ends measuring when a tracer detaches: writes the log. Returns 0, or -1. */
int hookit_rest(void);
/* Starts the next log when a tracer attaches again. false: it cannot be made. */
bool hookit_again(void);
const char *hookit_log(void);
/* Whether names decide about functions: those of libraries when they are loaded. */
bool hookit_foresees(void);
/* Whether measuring has been set up. */
bool hookit_runs(void);
/* Called in the child of fork(). */
void hookit_forked(void);
/* Whether this is a child of vfork(), whose memory is its parent's. */
bool hookit_is_borrowed(void);

#endif

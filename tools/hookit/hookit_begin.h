/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The whole: begun by the first event of a program, ended with it, when its logs are written. */
#ifndef HOOKIT_BEGIN_H
#define HOOKIT_BEGIN_H

#include <stdbool.h>
#include <stdint.h>

struct hook_function;

/* What was asked for is read, the logs are made, minima trained. entry: events are told by
 * -mfentry. false: nothing is measured. */
bool hookit_begin(bool entry);
/* A function that was not met before; NULL: there is no room. */
struct hook_function *hookit_new_function(uintptr_t address);
/* Its name as logs show it: which stays. */
const char *hookit_name(uint32_t number);
/* The program's image ends here, or may: what was counted until now is written. */
void hookit_write(void);
/* How calls are told, if by patched sites: set before that. Their minima are their own. */
extern const char *hookit_sites;
/* Who has attached lets go: the log is written, and nothing counts any more. 0, or -1. */
int hookit_rest(void);
/* … and comes again: the next log begins. false: there can be none. */
bool hookit_again(void);
const char *hookit_log(void);
/* Whether functions are decided by their names: those of libraries when they are loaded. */
bool hookit_foresees(void);
/* Whether it has begun. */
bool hookit_runs(void);
/* In the child of fork(). */
void hookit_forked(void);
/* This is a child of vfork(): what it has is its parent's. */
bool hookit_is_borrowed(void);

#endif

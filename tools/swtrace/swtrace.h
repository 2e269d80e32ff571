/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace: what its sub-commands share. Each is one function in a file of its own. */
#ifndef SWTRACE_H
#define SWTRACE_H

#include <stdbool.h>
#include <sys/types.h>
#include <perfutil.h>
#include <tracer.h>

#define EXIT_SWTRACE	125	/* swtrace failed; other codes are the command's own */
#define EXIT_CANNOT	126	/* the command cannot be executed */
#define EXIT_NOT_FOUND	127

#define USAGE		-1	/* a sub-command was misused: main shows how it is meant */

/* One function a file; argv[0] is the sub-command's name. The exit code, or USAGE. */
int cmd_init(int argc, char **argv);
int cmd_on(int argc, char **argv);
int cmd_off(int argc, char **argv);
int cmd_get(int argc, char **argv);
int cmd_free(int argc, char **argv);
int cmd_enable(int argc, char **argv);
int cmd_disable(int argc, char **argv);
int cmd_maj(int argc, char **argv);
int cmd_setrate(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_run(int argc, char **argv);
extern const char cmd_run_options[];

/* "swtrace: …" on stderr; returns EXIT_SWTRACE. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The sentence of the last library call that failed. */
int fail_rc(int rc);
/* Whole numbers from an option; false after words. */
bool number(const char *option, const char *text, long least, long most, long *value);
/* norm, wrap, cont. */
bool mode_of(const char *text, int *mode);
const char *mode_name(int mode);
const char *ring_name(int ring);
/* Sizes of -s, -sm (MB) and -ss (KB), also with a unit of their own: 512k. */
bool size_of(const char *option, const char *text, unsigned long long unit, uint64_t *bytes);

/* Who called sudo, or nobody. */
struct caller {
	bool sudo;
	uid_t uid;
	gid_t gid;
	char name[64];
};
void caller_get(struct caller *c);
/* Become that user for good (a child, before exec). 0 or -errno. */
int caller_become(const struct caller *c);

#endif

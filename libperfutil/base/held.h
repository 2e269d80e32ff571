/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a process is made of that holds something for programs of its user between their calls: it
 * is nobody's child, and is asked on a UNIX socket (mode 0600, same user or root), by packets.
 */
#ifndef PITRACE_HELD_H
#define PITRACE_HELD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

/* Where it answers: what the environment variable `named` says, or one place a user: root's is
 * /run/LEAF.sock, others' are in their runtime folders, else in a private folder in /tmp, which
 * is made only when `make`. */
void held_address(struct sockaddr_un *a, const char *named, const char *leaf, bool make);
/* That folder. */
void held_folder(char *folder, size_t room, bool make);
/* A descriptor to ask by, or -errno: -ENOENT, -ECONNREFUSED: nobody is there; -EPERM, -EACCES: he
 * is another user's. Not patiently: for two seconds at most. */
int held_reach(const struct sockaddr_un *a, bool patiently);
/* Who is at the other end? Ourselves or root, or `also`; false: somebody else. */
bool held_trusts(int fd, uid_t also);
/* A socket to listen on, or -errno: -EEXIST: something else stands there; -EPERM: another user's
 * socket; -EADDRINUSE: somebody listens there. */
int held_bind(const struct sockaddr_un *a);
/* Remove a socket's name, if it is still a socket of ours, or of `also`. */
void held_remove(const char *path, uid_t also);

/* Run `hold` in a process that is nobody's child. What it reports (held_report, once) is put into
 * `report`: its size, less when it died before, or -errno. */
ssize_t held_start(void (*hold)(void *arg, int pipe_fd), void *arg, void *report, size_t size);
/* In there: report; false: whoever started it is gone. Then nobody waits for the end of our
 * output. */
bool held_report(int pipe_fd, const void *report, size_t size);
void held_detach(void);
/* SIGTERM and SIGHUP end the holding, also those that come while it answers: they are let in only
 * where it waits. held_signals once; then held_wait: -1: it shall end, 0: nothing, else as poll. */
struct pollfd;
void held_signals(void);
int held_wait(struct pollfd *p, unsigned int n);

/* A packet, perhaps with a descriptor (-1: none). False: it did not go out whole. */
bool held_send(int fd, const void *packet, size_t size, int pass);
/* Its size, 0: the other end is gone, or -errno. *passed: the descriptor that came along, -1: none;
 * the caller closes it. NULL: none is taken. */
ssize_t held_receive(int fd, void *packet, size_t size, int *passed);

/* ---- what is asked short questions ----------------------------------------------------------- */

/* One thing that is held: the same on both ends. Functions that return a code have its sentence. */
struct held {
	const char *named, *leaf;	/* held_address */
	uint32_t version;		/* of its questions */
	const char *holder;		/* "the holder of counters" */
	const char *none, *others, *busy, *anew;	/* sentences; how to begin anew */
	/* In the holder: begin; answer one question; true: it was the last. */
	int (*begin)(void *arg);
	bool (*answer)(void *arg, int fd, uint32_t op);
};

/* Begin in a process of its own, unless it is held already: 0 or a code. */
int held_begin(const struct held *h, void *arg);
/* In there, before the last answer: who hears it may begin anew. */
void held_withdraw(const struct held *h);
/* Ask: a descriptor to receive the answer on, or a code. */
int held_ask(const struct held *h, uint32_t op);
/* Nothing, or nonsense, was answered: a code. */
int held_gone(const struct held *h);

#endif

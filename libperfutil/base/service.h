/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a process is made of that holds something for programs of its user between their calls: it
 * is nobody's child, and is asked on a UNIX socket (mode 0600, same user or root), by packets.
 */
#ifndef PITRACE_SERVICE_H
#define PITRACE_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

/* Where it answers: what the environment variable `named` says, or one place a user: root's is
 * /run/LEAF.sock, others' are in their runtime folders, else in a private folder in /tmp, which
 * is made only when `make`. */
void service_address(struct sockaddr_un *a, const char *named, const char *leaf, bool make);
/* That folder. */
void service_folder(char *folder, size_t room, bool make);
/* A descriptor to ask by, or -errno: -ENOENT, -ECONNREFUSED: nobody is there; -EPERM, -EACCES: he
 * is another user's. Not patiently: for two seconds at most. */
int service_connect(const struct sockaddr_un *a, bool wait);
/* Who is at the other end? Ourselves or root, or `also`; false: somebody else. */
bool service_peer_allowed(int fd, uid_t also);
/* A socket to listen on, or -errno: -EEXIST: something else stands there; -EPERM: another user's
 * socket; -EADDRINUSE: somebody listens there. */
int service_bind(const struct sockaddr_un *a);
/* Remove a socket's name, if it is still a socket of ours, or of `also`. */
void service_unlink(const char *path, uid_t also);

/* Run `service_main` in a daemon (a process that init adopts) and wait for its report, which it
 * sends once by service_report. Returns the report's size (less: the daemon died first) or -errno. */
ssize_t service_start(void (*service_main)(void *arg, int pipe_fd), void *arg, void *report,
		      size_t size);
/* In there: report; false: whoever started it is gone. Then nobody waits for the end of our
 * output. */
bool service_report(int pipe_fd, const void *report, size_t size);
void service_detach(void);
/* SIGTERM and SIGHUP end the service. They stay blocked but for service_wait, so that none interrupts
 * an answer and none is missed. Call service_block_signals once. service_wait returns -1 when the
 * service shall end, 0 for nothing to do, else what poll does. */
struct pollfd;
void service_block_signals(void);
int service_wait(struct pollfd *p, unsigned int n);

/* A packet, perhaps with a descriptor (-1: none). False: it did not go out whole. */
bool service_send(int fd, const void *packet, size_t size, int pass);
/* Its size, 0: the other end is gone, or -errno. *passed: the descriptor that came along, -1: none;
 * the caller closes it. NULL: none is taken. */
ssize_t service_receive(int fd, void *packet, size_t size, int *passed);

/* ---- what is asked short questions ----------------------------------------------------------- */

/* One thing that is held: the same on both ends. Functions that return a code have its sentence. */
struct service {
	const char *named, *leaf;	/* service_address */
	uint32_t version;		/* of its questions */
	const char *holder;		/* "the holder of counters" */
	const char *none, *not_owner, *busy, *restart_hint;	/* sentences; how to begin anew */
	/* In the holder: begin; answer one question; true: it was the last. */
	int (*begin)(void *arg);
	bool (*answer)(void *arg, int fd, uint32_t op);
};

/* Begin in a process of its own, unless it is held already: 0 or a code. */
int service_begin(const struct service *h, void *arg);
/* In there, before the last answer: who hears it may begin anew. */
void service_withdraw(const struct service *h);
/* Ask: a descriptor to receive the answer on, or a code. */
int service_request(const struct service *h, uint32_t op);
/* Nothing, or nonsense, was answered: a code. */
int service_lost(const struct service *h);

#endif

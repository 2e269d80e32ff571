/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of a daemon that keeps a resource for a user's programs between their calls. The daemon
 * answers packets on a UNIX socket (mode 0600, same user or root).
 */
#ifndef PITRACE_SERVICE_H
#define PITRACE_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

/* The address of the daemon: the value of the environment variable `named`, or one place per user.
 * For root it is /run/LEAF.sock, for others their runtime folder, else a private folder in /tmp,
 * which is created only if `make`. */
void service_address(struct sockaddr_un *a, const char *named, const char *leaf, bool make);
/* The folder of that address. */
void service_folder(char *folder, size_t room, bool make);
/* Connects; returns a descriptor or -errno. -ENOENT, -ECONNREFUSED: no daemon; -EPERM, -EACCES:
 * another user's. Without `wait` it gives up after two seconds. */
int service_connect(const struct sockaddr_un *a, bool wait);
/* Checks that the peer is this user, root, or `also`. */
bool service_peer_allowed(int fd, uid_t also);
/* Returns a listening socket or -errno. -EEXIST: something else has that name; -EPERM: another
 * user's socket; -EADDRINUSE: a daemon is listening. */
int service_bind(const struct sockaddr_un *a);
/* Unlinks a socket, if it is still a socket of this user or of `also`. */
void service_unlink(const char *path, uid_t also);

/* Run `service_main` in a daemon (a process that init adopts) and wait for its report, which it
 * sends once by service_report. Returns the report's size (less: the daemon died) or -errno. */
ssize_t service_start(void (*service_main)(void *arg, int pipe_fd), void *arg, void *report,
		      size_t size);
/* In the daemon: send the report. False: the caller of service_start is gone. service_detach then
 * gives up standard output, so that nobody waits for its end. */
bool service_report(int pipe_fd, const void *report, size_t size);
void service_detach(void);
/* SIGTERM and SIGHUP end the service. They stay blocked but for service_wait: none interrupts
 * an answer and none is missed. Call service_block_signals once. service_wait returns -1 when the
 * service shall end, 0 for nothing to do, else what poll does. */
struct pollfd;
void service_block_signals(void);
int service_wait(struct pollfd *p, unsigned int n);

/* Sends a packet, with a descriptor unless pass is -1. False: it was not sent whole. */
bool service_send(int fd, const void *packet, size_t size, int pass);
/* Receives a packet. Returns its size, 0 (the peer has closed) or -errno. *passed is the descriptor
 * that came with it, or -1; the caller closes it. passed NULL: none is accepted. */
ssize_t service_receive(int fd, void *packet, size_t size, int *passed);

/* ---- requests -------------------------------------------------------------------------------- */

/* A service, described alike in daemon and clients. Functions that return a return code also set
 * its sentence. */
struct service {
	const char *named, *leaf;                           /* service_address */
	uint32_t version;                                   /* of its requests */
	const char *holder;                                 /* "the holder of counters" */
	const char *none, *not_owner, *busy, *restart_hint; /* sentences; how to restart it */
	/* In the daemon: start; answer one request (true: it was the last). */
	int (*begin)(void *arg);
	bool (*answer)(void *arg, int fd, uint32_t op);
};

/* Starts the daemon, unless it is running. 0 or a return code. */
int service_begin(const struct service *h, void *arg);
/* In the daemon, before the last answer: frees the address, so that a client can start the next
 * daemon as soon as it has the answer. */
void service_withdraw(const struct service *h);
/* Sends a request; returns a descriptor to receive the answer on, or a return code. */
int service_request(const struct service *h, uint32_t op);
/* The answer is missing or malformed: a return code. */
int service_lost(const struct service *h);

#endif

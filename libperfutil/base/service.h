/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Daemons that keep a resource for a user's programs between their calls. Each is the program
 * pitrace-holder, started by the first that needs it (service_start.c). It keeps the resource and
 * answers packets on a UNIX socket (mode 0600, same user or root) until it is requested to end
 * (service_program.c).
 */
#ifndef PITRACE_SERVICE_H
#define PITRACE_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

/* The address of the daemon: the value of the environment variable `named`, or one place per user.
 * For root it is /run/LEAF.sock; for other users it is in their runtime folder, else in a private
 * folder in /tmp, which is created only if `make`. A program with gained rights ignores its
 * environment. */
void service_address(struct sockaddr_un *a, const char *named, const char *leaf, bool make);
/* The folder of that address. */
void service_folder(char *folder, size_t room, bool make);
/* Connects; returns a descriptor or -errno. -ENOENT, -ECONNREFUSED: no daemon; -EPERM, -EACCES:
 * another user's. Without `wait` it gives up after two seconds. */
int service_connect(const struct sockaddr_un *a, bool wait);
/* Checks that the peer is this user, root, or `also`. */
bool service_peer_allowed(int fd, uid_t also);
/* Returns a listening socket or -errno. -EEXIST: something else has that name; -EPERM: another
 * user's socket; -EADDRINUSE: a daemon is listening. Two processes must not do this at the same
 * time for one address: see service_lock. */
int service_bind(const struct sockaddr_un *a);
/* Removes the socket that a killed daemon left at the address. 0 or -errno, as service_bind. */
int service_make_way(const struct sockaddr_un *a);
/* Unlinks a socket, if it is still a socket of this user or of `also`. */
void service_unlink(const char *path, uid_t also);
/* Accepts a client and receives its request of this size. Returns the descriptor to answer on,
 * which the caller closes; -1: the peer is not allowed, or the request has another size. */
int service_accept(int listener, uid_t also, void *request, size_t size);

/* Sends a packet, with a descriptor unless pass is -1. False: it was not sent completely. */
bool service_send(int fd, const void *packet, size_t size, int pass);
/* Receives a packet. Returns its size, 0 (the peer has closed) or -errno. *passed is the descriptor
 * that came with it, or -1; the caller closes it. passed NULL: none is accepted. */
ssize_t service_receive(int fd, void *packet, size_t size, int *passed);

/* ---- a service ------------------------------------------------------------------------------- */

/* The description of a service, shared by daemon and clients. Functions that return a return code
 * also set its message. */
struct service {
	const char *kind;                    /* the holder program's argument */
	const char *named, *leaf;            /* service_address */
	uint32_t version;                    /* version of its requests */
	size_t request;                      /* bytes per request */
	const char *holder;                  /* "the holder of counters" */
	const char *none, *not_owner, *busy; /* messages */
	const char *restart_hint;            /* how to restart it, for clients of a killed one */
	/* The following functions run in the daemon. begin: receives the data that service_begin
	 * sent, which may be from another release; returns the held object, or NULL with *rc.
	 * answer: handles one request of that size; true: it was the last, and the object is
	 * released. end: called when a signal ends the daemon. */
	void *(*begin)(const void *start, size_t size, const char *address, int *rc);
	bool (*answer)(void *held, int fd, const void *request);
	void (*end)(void *held);
	/* Returns a descriptor of the held object; event handles it when it is readable; NULL:
	 * none. */
	int (*fd)(void *held);
	void (*event)(void *held);
};

/* Starts the daemon, unless it is running, and waits until it answers. 0 or a return code. */
int service_begin(const struct service *h, const void *start, size_t size);
/* Sends a request of h->request bytes and receives the first packet of the answer, of just this
 * size, and a descriptor that it passes (-1: none), unless `passed` is NULL. Returns a descriptor
 * for the rest of the answer, or a return code. A daemon that another thread or program ends
 * meanwhile is treated as absent. */
int service_request(const struct service *h, const void *request, void *reply, size_t size,
		    int *passed);
/* Returns the code for a missing or malformed answer. */
int service_lost(const struct service *h);

/* A request that consists only of a number. In the daemon, service_op returns that number; 0: a
 * request of another version. */
struct service_question {
	uint32_t size, version, op, reserved;
};
int service_ask(const struct service *h, uint32_t op, void *reply, size_t size, int *passed);
uint32_t service_op(const struct service *h, const void *request);

/* ---- the holder program ---------------------------------------------------------------------- */

#define SERVICE_PROGRAM   "pitrace-holder"
#define SERVICE_FD        3            /* its end of a socket pair: one packet in, one out */
#define SERVICE_START_MAX (128u << 10) /* the packet in */
#define SERVICE_RELEASE   32

/* Its input packet: this, followed by the bytes of service_begin. */
struct service_start {
	uint32_t size, version; /* of the whole packet, of the service's requests */
	char release[SERVICE_RELEASE];
	char address[sizeof(((struct sockaddr_un *)0)->sun_path)];
	uint32_t reserved;
};
/* Its output packet. */
struct service_started {
	uint32_t size;
	int32_t rc;
	char release[SERVICE_RELEASE];
	char why[1024];
};

/* The holder program's main function: holds the service of this kind, from a list that ends with
 * NULL. Returns the exit code. */
int service_program(const struct service *const list[], const char *kind);
/* Validates an input packet; NULL: it is invalid, and s->why has the reason. */
const struct service_start *service_start_read(const struct service *h, const void *packet,
					       size_t size, struct service_started *s);
/* Call before the last answer: frees the address, so that a client can start the next daemon as
 * soon as it has the answer. */
void service_withdraw(void);

/* Keeps other processes from starting a daemon at this address. Returns a descriptor or -errno;
 * -EBUSY: another process takes too long. */
int service_lock(const struct sockaddr_un *a);
void service_unlock(const struct sockaddr_un *a, int lock);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The door: lets a program that began with the rights of the session's user write records after it
 * has dropped them, by setuid or chroot. It can no longer reach the folder. It creates its hook
 * file in memory and passes the descriptor over an abstract socket, with a key.
 *
 * The key is in a page that only the session's user can open. A program maps it at its first call,
 * or, as root, when the library is loaded: a process that has it had those rights, or was forked by
 * one that had. The kernel prevents other processes of the new user from reading it there. The
 * program checks the owner of the socket before it passes anything, and the collector checks what
 * was passed.
 *
 * A caller without the key is refused and counted: it is a program of another user.
 */
#ifndef PITRACE_HOOK_DOOR_H
#define PITRACE_HOOK_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#define HOOK_DOOR         ".door"     /* the page beside a user's socket … */
#define HOOK_FOLDER_DOOR  "door"      /* … and in a folder named by the environment */
#define HOOK_DOOR_MAGIC   0x524F4F44u /* "DOOR" */
#define HOOK_DOOR_VERSION 1

struct hook_door_page {
	uint32_t magic, version;
	uint32_t generation; /* of the control file; 0: there is no session */
	uint32_t owner;      /* owner of the socket */
	uint64_t key[2];
	char name[48]; /* of the socket, with a NUL */
};

struct hook_door_packet {
	uint32_t magic, version;
	uint64_t key[2]; /* 0: none */
	char name[16];   /* … then the program's name, as it reports it; a long one has no NUL */
};

/* The default name of the socket of a folder. It proves nothing: anybody may have taken it. */
bool hook_door_name(char *name, size_t room, const char *folder);
/* Fills in its address; returns the number of significant bytes. */
socklen_t hook_door_address(struct sockaddr_un *a, const char *name);

/* the program's side: may be called in signal handlers */

/* Passes the descriptor of a file that was created for this generation. False with errno. */
bool hook_door_pass(const struct hook_door_page *page, uint32_t generation, int fd);
/* Reports to the session of another user's folder that this process would have written records. */
void hook_door_notify(const char *folder);

/* ---- the collector's side -------------------------------------------------------------------- */

#define HOOK_DOOR_CALLERS 32 /* connected callers that have not sent anything yet */
#define HOOK_DOOR_REFUSED 64 /* counted separately */
#define HOOK_DOOR_NAMED   3

struct hook_door {
	int listener, page_fd;
	struct hook_door_page page; /* all zeros: the door is closed */
	struct hook_door_caller {
		int fd;
		pid_t pid;
		uid_t uid;
		uint64_t since;
	} caller[HOOK_DOOR_CALLERS];
	unsigned int ncallers;
	uint64_t refused;
	pid_t seen[HOOK_DOOR_REFUSED];
	unsigned int nseen;
	char names[200]; /* names of the first ones */
};

/* page_fd: the page, open for writing; the caller keeps it. 0 or -errno: the door is closed. */
int hook_door_open(struct hook_door *d, int page_fd, const char *folder, uint32_t generation);
/* Returns the next descriptor received with the key, of a file in memory; -1: none now. */
int hook_door_next(struct hook_door *d, pid_t *pid, uid_t *uid);
/* Resets the count. */
void hook_door_restart(struct hook_door *d);
void hook_door_close(struct hook_door *d);

#endif

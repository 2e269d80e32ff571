/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The door: how a program that began with the rights of the session's user writes records after it
 * has dropped them, by setuid or chroot. It reaches no folder then. It makes its hook file in
 * memory and passes the descriptor over a socket that has no place in the file system, with a key.
 *
 * The key is in a page that only the session's user can open. A program maps it at its first call,
 * or, as root, when the library is loaded: whoever has it had those rights, or was forked by who
 * had. The kernel lets no other process of the new user read it there. The program looks whose
 * socket it is before it passes anything, and the collector what was passed.
 *
 * Who comes without the key is refused, and counted: a program of another user.
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
#define HOOK_FOLDER_DOOR  "door"      /* … and in a folder that the environment names */
#define HOOK_DOOR_MAGIC   0x524F4F44u /* "DOOR" */
#define HOOK_DOOR_VERSION 1

struct hook_door_page {
	uint32_t magic, version;
	uint32_t generation; /* of the control file; 0: there is no session */
	uint32_t owner;      /* whose the socket is */
	uint64_t key[2];
	char name[48]; /* of the socket, with a NUL */
};

struct hook_door_packet {
	uint32_t magic, version;
	uint64_t key[2]; /* 0: none */
	char name[16];   /* … then of the program, as it says; no NUL in a long one */
};

/* The usual name of the socket of a folder, which says nothing: anybody may have taken it. */
bool hook_door_name(char *name, size_t room, const char *folder);
/* Its address: the bytes of it that count. */
socklen_t hook_door_address(struct sockaddr_un *a, const char *name);

/* ---- the program's side: may be called in signal handlers ------------------------------------ */

/* Passes the descriptor of a file that was made for this generation. False with errno. */
bool hook_door_pass(const struct hook_door_page *page, uint32_t generation, int fd);
/* Tells the session of a folder of another user that this process would have had records. */
void hook_door_tell(const char *folder);

/* ---- the collector's side -------------------------------------------------------------------- */

#define HOOK_DOOR_CALLERS 32 /* that have come and not yet said anything */
#define HOOK_DOOR_REFUSED 64 /* that are told apart */
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
	char names[200]; /* of the first */
};

/* page_fd: of the page, for writing, which stays the caller's. 0 or -errno: it is closed. */
int hook_door_open(struct hook_door *d, int page_fd, const char *folder, uint32_t generation);
/* The next descriptor that came with the key, of a file in memory; -1: none now. */
int hook_door_next(struct hook_door *d, pid_t *pid, uid_t *uid);
/* The count starts anew. */
void hook_door_restart(struct hook_door *d);
void hook_door_close(struct hook_door *d);

#endif

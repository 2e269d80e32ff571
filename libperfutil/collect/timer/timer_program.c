/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recognizes programs that the dynamic loader starts and that have this machine's code. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "base/cursor.h"
#include "base/own_machine.h"
#include "base/regular.h"
#include "collect/timer/timer_program.h"

#define SCRIPTS_MAX 4 /* a script's interpreter may be a script */
#define HEAD_MAX    65536

/* The relevant facts of a program's file. */
enum program_fit {
	PROGRAM_FITS,
	PROGRAM_STATIC,
	PROGRAM_FOREIGN,
	PROGRAM_MUSL,
	PROGRAM_SCRIPT,
	PROGRAM_OTHER
};

/* Only native ELF files are parsed, in native layout. */
static enum program_fit of_elf(struct bytes b, const uint8_t *ident, char *interpreter, size_t room)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;
	size_t length;
	const char *name;

	bytes_seek(&b, 0);
	if (ident[EI_CLASS] != ELFCLASS64 || !bytes_copy(&b, &h, sizeof(h)) ||
	    h.e_machine != OWN_MACHINE)
		return PROGRAM_FOREIGN;
	for (unsigned int i = 0; i < h.e_phnum; i++) {
		if (!bytes_seek(&b, h.e_phoff + (uint64_t)i * sizeof(p)) ||
		    !bytes_copy(&b, &p, sizeof(p)))
			return PROGRAM_OTHER;
		if (p.p_type != PT_INTERP)
			continue;
		name = bytes_seek(&b, p.p_offset) ? bytes_str(&b, p.p_filesz, &length) : NULL;
		if (!name)
			return PROGRAM_OTHER;
		snprintf(interpreter, room, "%s", name);
		return strstr(name, "ld-musl") ? PROGRAM_MUSL : PROGRAM_FITS;
	}
	return PROGRAM_STATIC;
}

static enum program_fit classify(int fd, char *interpreter, size_t room)
{
	uint8_t head[HEAD_MAX];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	struct bytes b = bytes_of(head, n > 0 ? (size_t)n : 0);
	const uint8_t *ident = bytes_take(&b, EI_NIDENT);
	const char *line;
	size_t length;

	if (ident && !memcmp(ident, ELFMAG, SELFMAG))
		return of_elf(b, ident, interpreter, room);
	b = bytes_of(head, n > 0 ? (size_t)n : 0);
	if (!bytes_line(&b, &line, &length) || length < 3 || memcmp(line, "#!", 2))
		return PROGRAM_OTHER;
	line += 2;
	length -= 2;
	while (length && (*line == ' ' || *line == '\t'))
		line++, length--;
	for (size_t i = 0; i < length; i++)
		if (line[i] == ' ' || line[i] == '\t')
			length = i;
	snprintf(interpreter, room, "%.*s", (int)length, line);
	return PROGRAM_SCRIPT;
}

/* The loader ignores LD_PRELOAD for a program that gains rights by exec. */
static bool gains_rights(int fd, const struct stat *st)
{
	char caps[64];

	return (st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	       (st->st_mode & S_ISGID && st->st_mode & S_IXGRP && st->st_gid != getegid()) ||
	       fgetxattr(fd, "security.capability", caps, sizeof(caps)) > 0;
}

bool timer_can_enter(const char *path, char *why, size_t why_room, char *cure, size_t cure_room)
{
	char name[PATH_MAX], interpreter[PATH_MAX] = "";
	enum program_fit program = PROGRAM_SCRIPT;
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%s", path);
	for (int depth = 0; program == PROGRAM_SCRIPT && depth <= SCRIPTS_MAX; depth++) {
		bool gains;

		fd = regular_open(name, 0, &st);
		if (fd < 0)
			return true; /* executable but not readable: the start will show */
		gains = gains_rights(fd, &st);
		program = classify(fd, interpreter, sizeof(interpreter));
		close(fd);
		if (program != PROGRAM_SCRIPT && gains) {
			snprintf(why, why_room,
				 "%s runs with another user's, group's or more rights (set-user-id, set-group-id or capabilities): the timer collector cannot enter it",
				 name);
			return false;
		}
		if (program == PROGRAM_SCRIPT)
			snprintf(name, sizeof(name), "%s", interpreter);
	}
	switch (program) {
	case PROGRAM_STATIC:
		snprintf(why, why_room,
			 "%s is a static program: the timer collector cannot enter it", name);
		snprintf(cure, cure_room, "link it dynamically");
		return false;
	case PROGRAM_FOREIGN:
		snprintf(why, why_room,
			 "%s is a 32-bit program or another machine's: the timer collector's library does not fit into it",
			 name);
		return false;
	case PROGRAM_MUSL:
		snprintf(why, why_room,
			 "%s is a musl program (%s): the timer collector's library is made for glibc",
			 name, interpreter);
		return false;
	default:
		return true;
	}
}

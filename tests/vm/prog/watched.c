// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * For tests with several users.
 *	watched opens FILE COMMAND...	run it; how often FILE was opened meanwhile is the exit
 *					code (0 to 250; 255: no answer); the last line says the
 *					command's, too: "2 opened, code 0". Through O_PATH nothing
 *					is opened.
 *	watched links FOLDER FILE	map new files of FOLDER to be executed, and put a link to
 *					FILE in the place of each
 *	watched ids			say effective user and group, exit with 7
 *	watched gains FILE		give that program a file capability
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int links(const char *folder, const char *file)
{
	for (int i = 0; i < 40; i++) {
		char name[300];
		int fd;

		snprintf(name, sizeof(name), "%s/lib%d.so", folder, i);
		fd = open(name, O_CREAT | O_RDWR, 0755);
		if (fd < 0 || write(fd, "\177ELF", 4) != 4 || ftruncate(fd, 4096) ||
		    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED ||
		    unlink(name) || symlink(file, name))
			return perror(name), 1;
		close(fd);
	}
	return 0;
}

static int opens(const char *file, char **command)
{
	char text[65536] __attribute__((aligned(8)));
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), status, count = 0;
	ssize_t n;
	pid_t pid;

	if (watch < 0 || inotify_add_watch(watch, file, IN_OPEN) < 0)
		return 255;
	pid = fork();
	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 255;
	while ((n = read(watch, text, sizeof(text))) > 0)
		for (char *p = text; p < text + n;
		     p += sizeof(struct inotify_event) + ((struct inotify_event *)p)->len)
			count++;
	printf("%d opened, code %d\n", count, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	return count < 250 ? count : 250;
}

static int gains(const char *file)
{
	const struct vfs_cap_data c = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data[0].permitted = 1u << CAP_NET_RAW,
	};

	return setxattr(file, "security.capability", &c, sizeof(c), 0) ? perror(file), 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "ids"))
		return printf("%u %u\n", geteuid(), getegid()), 7;
	if (argc == 3 && !strcmp(argv[1], "gains"))
		return gains(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "links"))
		return links(argv[2], argv[3]);
	if (argc >= 4 && !strcmp(argv[1], "opens"))
		return opens(argv[2], argv + 3);
	return 255;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the images of the vdso, which is not a file. The 64-bit image is in this process's memory,
 * the same as in all programs of its kind. The kernel maps the 32-bit one on request (arch_prctl,
 * x86) if a process has none: a child unmaps its own, requests the other and passes the image on.
 */
#include "image/vdso.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

struct range {
	unsigned long start, end;
};

/* The vdso and its data pages. */
struct own {
	struct range image, parts[8];
	unsigned int n;
};

static int find_own(struct own *own)
{
	unsigned long image = getauxval(AT_SYSINFO_EHDR);
	FILE *f = image ? fopen("/proc/self/maps", "re") : NULL;
	char line[512];
	struct range r;

	if (image && !f && errno == ENOMEM)
		return -ENOMEM;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx", &r.start, &r.end) != 2)
			continue;
		if (r.start == image)
			own->image = r;
		if ((strstr(line, " [vdso]") || strstr(line, " [vvar")) &&
		    own->n < sizeof(own->parts) / sizeof(own->parts[0]))
			own->parts[own->n++] = r;
	}
	if (f)
		fclose(f);
	return 0;
}

#if defined(__x86_64__)

#include <asm/prctl.h>

#define IMAGE_MAX (64u << 10)  /* two pages */
#define DATA_MAX  (256u << 10) /* its data, mapped before it */

/* Uses only system calls: the C library does not know this thread. */
static _Noreturn void show_narrow(const struct own *own, int fd)
{
	/* Finds space for all of it: there may be too little at the address of ours. */
	unsigned long at = (unsigned long)syscall(SYS_mmap, NULL, DATA_MAX + IMAGE_MAX, PROT_NONE,
						  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long page = 4096, offset;
	long size;
	unsigned int i;

	syscall(SYS_munmap, at, DATA_MAX + IMAGE_MAX);
	for (i = 0; i < own->n; i++)
		syscall(SYS_munmap, own->parts[i].start, own->parts[i].end - own->parts[i].start);
	size = syscall(SYS_arch_prctl, ARCH_MAP_VDSO_32, at);
	for (offset = 0; size > 0 && offset < DATA_MAX; offset += page) {
		char magic[5] = "";
		struct iovec to = { magic, 5 }, from = { (void *)(at + offset), 5 };

		/* Unlike a plain read this may fail: not all data pages are readable. */
		if (syscall(SYS_process_vm_readv, syscall(SYS_getpid), &to, 1, &from, 1, 0) == 5 &&
		    !memcmp(magic, "\177ELF\1", 5)) /* a 32-bit image */
			break;
	}
	if (size > 0 && offset < DATA_MAX)
		syscall(SYS_write, fd, at + offset, size);
	for (;;)
		syscall(SYS_exit_group, 0);
}

/* Returns the size that the child wrote; 0: nothing, as on kernels without 32-bit programs. The
 * child's end raises no signal and matches no other wait. */
static size_t read_narrow(const struct own *own, char *image)
{
	size_t n = 0;
	ssize_t got;
	int fd[2], status;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return 0;
	pid = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (!pid)
		show_narrow(own, fd[1]);
	close(fd[1]);
	while (pid > 0 && n < IMAGE_MAX && (got = read(fd[0], image + n, IMAGE_MAX - n)) > 0)
		n += (size_t)got;
	close(fd[0]);
	while (pid > 0 && waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	return n;
}

static int write_narrow(struct pifile_writer *w, const struct own *own)
{
	char *image = own->n ? malloc(IMAGE_MAX) : NULL;
	size_t n = image ? read_narrow(own, image) : 0;
	int err = own->n && !image ? -ENOMEM :
		  n                ? pifile_write_section(w, PIFILE_SEC_VDSO, image, n) :
				     0;

	free(image);
	return err;
}

#else

/* arm64 kernels have such an image if built with a 32-bit compiler; none can be requested. */
static int write_narrow(struct pifile_writer *w, const struct own *own)
{
	(void)w;
	(void)own;
	return 0;
}

#endif

int vdso_write(struct pifile_writer *w)
{
	struct own own = { .n = 0 };
	int err = find_own(&own);

	if (!err && own.image.end)
		err = pifile_write_section(w, PIFILE_SEC_VDSO, (const void *)own.image.start,
					   own.image.end - own.image.start);
	return err ? err : write_narrow(w, &own);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unruly WHAT [N]: a traced program that does what it should not to the one that traces it.
 * control: spoils the control file of the timer collector; notes N: maps N files whose program
 * headers lead 65,535 times to notes without end; hooks N: N processes fill all their room for
 * records while the tracer, its parent, stands still; snapshots N: asks for N snapshots; silent
 * SOCKET: connects to a holder and says nothing.
 */
#include <elf.h>
#include <fcntl.h>
#include <perfutil.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void busy(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		;
}

/* Cut short, exchanged, gone. */
static int control(void)
{
	const char *folder = getenv("PITRACE_TIMER");
	char path[4096];
	int fd;

	if (!folder)
		return 3;
	busy(0.1);
	snprintf(path, sizeof(path), "%s/control", folder);
	/* We have it mapped too: the tracer shall meet it, not we. */
	if (fork())
		return wait(NULL) < 0;
	execlp("sh", "sh", "-c",
	       "chmod 600 \"$1\"; : >\"$1\"; sleep 0.5; rm -f \"$1\"; mkdir \"$1\"", "sh", path,
	       (char *)NULL);
	fd = open(path, O_WRONLY | O_TRUNC);
	return fd < 0;
}

static int notes(int n)
{
	static uint8_t file[8192];
	Elf64_Ehdr *e = (void *)file;
	Elf64_Phdr *p = (void *)(file + sizeof(*e));
	uint32_t note[3] = { 0, 0, 9 };
	char name[64];

	memcpy(e->e_ident, ELFMAG, SELFMAG);
	e->e_ident[EI_CLASS] = ELFCLASS64;
	e->e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	e->e_phoff = sizeof(*e);
	e->e_phnum = 65535;
	*p = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = 4096, .p_filesz = 4096 };
	for (size_t at = 4096; at + sizeof(note) <= sizeof(file); at += sizeof(note))
		memcpy(file + at, note, sizeof(note));
	for (int i = 0; i < n; i++) {
		int fd;

		snprintf(name, sizeof(name), "notes-%d.so", i);
		fd = open(name, O_CREAT | O_RDWR, 0755);
		if (fd < 0 || write(fd, file, sizeof(file)) != (ssize_t)sizeof(file) ||
		    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			return 3;
		close(fd);
	}
	busy(0.5);
	return 0;
}

/* VmHWM of the tracer, in MB. */
static long peak(void)
{
	char path[64], line[256];
	long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", getppid());
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %ld", &kb);
	if (f)
		fclose(f);
	return kb / 1024;
}

static int hooks(int n)
{
	pid_t tracer = getppid();
	int full[2], done[2];
	char byte;
	long mb;

	if (pipe(full) || pipe(done))
		return 3;
	usleep(300000);
	if (kill(tracer, SIGSTOP))
		return 3;
	for (int i = 0; i < n; i++) {
		if (fork())
			continue;
		/* As much as there is room. */
		for (uint64_t k = 0; TraceHook(-1, 0xB0, 1, 1, 0, &k, NULL, NULL) != PI_BUFFER_FULL;
		     k++)
			if (k > 10000000)
				_exit(1);
		if (write(full[1], "", 1) != 1)
			_exit(1);
		close(done[1]);
		(void)!read(done[0], &byte, 1);
		_exit(0);
	}
	for (int i = 0; i < n; i++)
		(void)!read(full[0], &byte, 1);
	kill(tracer, SIGCONT);
	sleep(2);
	mb = peak();
	close(done[1]);
	while (wait(NULL) > 0)
		;
	printf("the tracer had %ld MB\n", mb);
	return 0;
}

static int snapshots(int n)
{
	time_t begun = time(NULL);
	int written = 0;

	for (int i = 0; i < n; i++)
		written += TraceWriteBufferToFile(NULL) == PI_OK;
	printf("%d written, %d refused in %ld s\n", written, n - written,
	       (long)(time(NULL) - begun));
	return 0;
}

/* Connects to a holder and says nothing. */
static int silent(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)))
		return 3;
	sleep(4);
	return 0;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc < 2)
		return 2;
	if (argc > 2 && !strcmp(argv[1], "silent"))
		return silent(argv[2]);
	return !strcmp(argv[1], "control")   ? control() :
	       !strcmp(argv[1], "notes")     ? notes(n) :
	       !strcmp(argv[1], "hooks")     ? hooks(n) :
	       !strcmp(argv[1], "snapshots") ? snapshots(n) :
					       2;
}

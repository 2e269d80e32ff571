// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A process's code is mapped, unmapped, moved and changed, and a process is created, executes
 * another program and exits: the records must be exactly the expected ones, in order, to the byte.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "abi.h"

struct change {
	uint64_t minor;
	uint64_t from, length; /* pages; from the piece's start */
	uint64_t offset;       /* pages; of a file, NO_FILE: of none */
};
#define NO_FILE UINT64_MAX

struct changes {
	uint32_t pid;
	uint64_t start, page, inode;
	struct change have[32];
	unsigned int n;
};

static void look(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_mte_map *map = (const void *)(rec + 1);
	const struct pitrace_mte_unmap *unmap = (const void *)(rec + 1);
	uint64_t from, length, offset = 0;
	struct changes *c = arg;

	if (rec->major != PITRACE_MTE || map->pid != c->pid)
		return;
	if (rec->minor == PITRACE_MTE_MODULE) {
		from = map->start;
		length = map->length;
		offset = map->flags & PITRACE_MAP_ANON ? NO_FILE : map->offset / c->page;
	} else if (rec->minor == PITRACE_MTE_UNMAP) {
		from = unmap->start;
		length = unmap->length;
	} else {
		return;
	}
	if (from < c->start || from >= c->start + 16 * c->page || c->n == 32)
		return;
	if (rec->minor == PITRACE_MTE_MODULE) {
		check(map->flags & PITRACE_MAP_EXEC);
		check(map->inode == (offset == NO_FILE ? 0 : c->inode));
	}
	check(!((from | length) % c->page));
	c->have[c->n++] = (struct change){ rec->minor, (from - c->start) / c->page,
					   length / c->page, offset };
}

void test_maps(void)
{
	static const struct change want_of[] = {
		{ PITRACE_MTE_MODULE, 1, 3, 0 },       { PITRACE_MTE_UNMAP, 2, 1, 0 },
		{ PITRACE_MTE_MODULE, 1, 1, 0 },       { PITRACE_MTE_MODULE, 8, 1, 2 },
		{ PITRACE_MTE_UNMAP, 3, 1, 0 },        { PITRACE_MTE_UNMAP, 1, 1, 0 },
		{ PITRACE_MTE_MODULE, 1, 1, NO_FILE }, { PITRACE_MTE_UNMAP, 0, 16, 0 },
	};
	const unsigned int count = sizeof(want_of) / sizeof(*want_of);
	struct changes c = { .pid = (uint32_t)getpid(), .page = (uint64_t)getpagesize() };
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	size_t page = c.page;
	unsigned int i;
	struct stat st;
	struct view v;
	char *p;

	on_cpu(0);
	want(0, fstat(file, &st));
	p = mmap(NULL, 16 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	c.start = (uintptr_t)p;
	c.inode = st.st_ino;
	if (p == MAP_FAILED || !begin(&v, plain(), 100))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
#define CODE (PROT_READ | PROT_EXEC)
	check(mmap(p + page, 3 * page, CODE, MAP_PRIVATE | MAP_FIXED, file, 0) == p + page);
	want(0, munmap(p + 2 * page, page));
	/* Code that becomes data is not recorded: it cannot run until it is code again. */
	want(0, mprotect(p + page, page, PROT_READ));
	want(0, mprotect(p + page, page, CODE));
	check(mremap(p + 3 * page, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, p + 8 * page) ==
	      p + 8 * page);
	check(mmap(p + page, page, CODE | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1,
		   0) == p + page);
	/* Data is not recorded. */
	check(mmap(p + 10 * page, page, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) ==
	      p + 10 * page);
	want(0, munmap(p + 10 * page, page));
	want(0, munmap(p, 16 * page));
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	each_record(&v, PITRACE_RING_MTE, look, &c);
	check(c.n == count);
	for (i = 0; i < c.n || i < count; i++)
		if (i >= c.n || i >= count || memcmp(&c.have[i], &want_of[i], sizeof(*want_of)))
			wrong("change %u: minor %llx, %llu pages at %llu, file's page %lld", i,
			      (unsigned long long)c.have[i].minor,
			      (unsigned long long)c.have[i].length,
			      (unsigned long long)c.have[i].from, (long long)c.have[i].offset);
	unview(&v);
	close(file);
	on_all_cpus();
	no_session_left();
}

/* The records of one process, a letter each; only one for many consecutive mappings. */
struct life {
	uint32_t pid;
	char told[64];
};

static void live(const struct pitrace_rec *rec, void *arg)
{
	static const struct {
		uint32_t minor;
		char letter;
	} kinds[] = {
		{ PITRACE_MTE_FORK, 'f' },        { PITRACE_MTE_CLONE, 'c' },
		{ PITRACE_MTE_PROCESS, 'p' },     { PITRACE_MTE_THREAD, 't' },
		{ PITRACE_MTE_NAME, 'n' },        { PITRACE_MTE_MODULE, 'm' },
		{ PITRACE_MTE_THREAD_EXIT, 'x' }, { PITRACE_MTE_PROCESS_EXIT, 'X' },
	};
	const struct pitrace_mte_task *task = (const void *)(rec + 1);
	struct life *l = arg;
	size_t n = strlen(l->told), i;

	if (rec->major != PITRACE_MTE || task->pid != l->pid)
		return;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (rec->minor == kinds[i].minor && n + 1 < sizeof(l->told) &&
		    !(kinds[i].letter == 'm' && n && l->told[n - 1] == 'm'))
			l->told[n] = kinds[i].letter;
}

/* Its memory at first is its parent's, then empty, then the new program's. */
void test_lives(void)
{
	struct life l = { 0 };
	struct view v;
	int status;
	pid_t pid;

	on_cpu(0);
	if (!begin(&v, plain(), 100))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "abi", "spin", "1", (char *)NULL);
		_exit(127);
	}
	check(waitpid(pid, &status, 0) == pid && !status);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	l.pid = (uint32_t)pid;
	each_record(&v, PITRACE_RING_MTE, live, &l);
	printf("# told of a process that is born, executes, ends: %s\n", l.told);
	check(!strcmp(l.told, "fnpmxX"));
	unview(&v);
	on_all_cpus();
	no_session_left();
}

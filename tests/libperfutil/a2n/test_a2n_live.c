/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Live processes: this one, children, their code; processes that end, and other users'. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jitdump.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "a2n.h"
#include "base/now.h"
#include "unit.h"

#define NOBODY 65534

static struct a2n *a;
static uint32_t self;

static void begin(void)
{
	a2n_close(a);
	a = a2n_open(NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	self = (uint32_t)getpid();
}

static void add(uint32_t pid)
{
	const char *why = "not said";

	CU_ASSERT_EQUAL(a2n_add_process(a, pid, &why), 0);
	CU_ASSERT_PTR_NULL(why);
}

static struct a2n_answer ask(uint32_t pid, const void *address)
{
	struct a2n_answer r;

	a2n_resolve(a, pid, UINT64_MAX, (uintptr_t)address, false, &r);
	return r;
}

static const char *name_of(uint32_t pid, const void *address)
{
	return ask(pid, address).symbol->name;
}

static __attribute__((noinline)) void some_function(void)
{
	__asm__ volatile("");
}

static void this_one(void)
{
	void *libc = (void *)getppid;
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct a2n_answer r;

	begin();
	add(0);
	CU_ASSERT_STRING_EQUAL(name_of(self, (void *)some_function), "some_function");
	CU_ASSERT_PTR_NOT_NULL(strstr(ask(self, libc).module->name, "libc"));
	CU_ASSERT_PTR_NOT_NULL(strstr(name_of(self, libc), "getppid"));
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, self, UINT64_MAX), "test_a2n_live");
	/* It was there before it was added, too. */
	a2n_resolve(a, self, 1, (uintptr_t)some_function, false, &r);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "some_function");
	if (vdso) {
		r = ask(self, (void *)(vdso + 0x10));
		CU_ASSERT_STRING_EQUAL(r.module->name, A2N_VDSO);
		CU_ASSERT_NOT_EQUAL(r.result, A2N_RESULT_NO_SYMBOLS);
	}
	/* By its number, and again. */
	add(self);
	CU_ASSERT_STRING_EQUAL(name_of(self, (void *)some_function), "some_function");
	begin();
	CU_ASSERT_EQUAL(a2n_add_process(a, self, NULL), 0);
	CU_ASSERT_STRING_EQUAL(name_of(self, (void *)some_function), "some_function");
}

static int tid_pipe[2], end_pipe[2];

static void *named(void *arg)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);
	char c;

	prctl(PR_SET_NAME, "a worker");
	if (write(tid_pipe[1], &tid, sizeof(tid)) < 0 || read(end_pipe[0], &c, 1) < 0)
		abort();
	return arg;
}

static void threads(void)
{
	pthread_t t;
	uint32_t tid = 0;

	begin();
	CU_ASSERT_EQUAL_FATAL(pipe(tid_pipe), 0);
	CU_ASSERT_EQUAL_FATAL(pipe(end_pipe), 0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&t, NULL, named, NULL), 0);
	CU_ASSERT_EQUAL(read(tid_pipe[0], &tid, sizeof(tid)), sizeof(tid));
	add(0);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, self, tid, UINT64_MAX), "a worker");
	close(end_pipe[1]);
	pthread_join(t, NULL);
	close(end_pipe[0]);
	close(tid_pipe[0]);
	close(tid_pipe[1]);
}

/* ---- children -------------------------------------------------------------------------------- */

static int go[2];

/* A child that waits for a byte, then executes a program that waits for input. */
static pid_t child_begin(const char *program)
{
	char c;
	pid_t pid;

	if (pipe(go))
		return -1;
	pid = fork();
	if (pid)
		return pid;
	close(go[1]);
	if (read(go[0], &c, 1) == 1 && program) {
		dup2(go[0], 0);
		execlp(program, program, (char *)NULL);
	}
	_exit(0);
}

static void child_end(pid_t pid)
{
	close(go[1]);
	close(go[0]);
	waitpid(pid, NULL, 0);
}

static void a_child(void)
{
	pid_t pid = child_begin(NULL);

	begin();
	CU_ASSERT_FATAL(pid > 0);
	add((uint32_t)pid);
	CU_ASSERT_STRING_EQUAL(name_of((uint32_t)pid, (void *)some_function), "some_function");
	CU_ASSERT_STRING_EQUAL(ask(self, (void *)some_function).module->name, A2N_NO_MODULE);
	child_end(pid);
}

static bool is_program(pid_t pid, const char *name)
{
	char path[64], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (f) {
		if (!fgets(text, sizeof(text), f))
			*text = '\0';
		fclose(f);
	}
	return !strncmp(text, name, strlen(name));
}

static void an_exec(void)
{
	pid_t pid = child_begin("cat");
	struct a2n_answer r;
	uint64_t before;

	begin();
	CU_ASSERT_FATAL(pid > 0);
	add((uint32_t)pid);
	before = now_ns();
	CU_ASSERT_EQUAL(write(go[1], "x", 1), 1);
	for (int i = 0; i < 3000 && !is_program(pid, "cat"); i++)
		usleep(10000);
	/* The dynamic linker has mapped its libraries when it reads. */
	usleep(300000);
	add((uint32_t)pid);
	CU_ASSERT_STRING_NOT_EQUAL(name_of((uint32_t)pid, (void *)some_function), "some_function");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, (uint32_t)pid, UINT64_MAX), "cat");
	a2n_resolve(a, (uint32_t)pid, before, (uintptr_t)some_function, false, &r);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "some_function");
	child_end(pid);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refused(uint32_t pid, int rc)
{
	const char *why = NULL;
	uint32_t told;

	begin();
	told = a2n_told(a);
	CU_ASSERT_EQUAL(a2n_add_process(a, pid, &why), rc);
	CU_ASSERT_PTR_NOT_NULL(why);
	CU_ASSERT_EQUAL(a2n_told(a), told);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, pid, UINT64_MAX), A2N_UNKNOWN);
	CU_ASSERT_EQUAL(a2n_add_process(a, pid, NULL), rc);
}

static void ended(void)
{
	pid_t pid = child_begin(NULL);
	siginfo_t info;

	CU_ASSERT_FATAL(pid > 0);
	close(go[1]);
	/* It has ended, and is not waited for. */
	CU_ASSERT_EQUAL(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	refused((uint32_t)pid, -ESRCH);
	waitpid(pid, NULL, 0);
	close(go[0]);
	refused((uint32_t)pid, -ESRCH);
	refused(UINT32_MAX, -ESRCH);
	refused(INT32_MAX, -ESRCH);
}

/* Processes that end while they are read leave nothing, or all. */
static void vanishing(void)
{
	int gone = 0, there = 0;

	begin();
	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();
		const char *why;
		int rc;

		if (!pid) {
			usleep((useconds_t)(i % 20) * 20);
			_exit(0);
		}
		CU_ASSERT_FATAL(pid > 0);
		usleep((useconds_t)(i % 7) * 50);
		rc = a2n_add_process(a, (uint32_t)pid, &why);
		CU_ASSERT(rc == 0 || rc == -ESRCH);
		CU_ASSERT(!rc == !why);
		if (rc)
			CU_ASSERT_STRING_EQUAL(a2n_process_name(a, (uint32_t)pid, UINT64_MAX),
					       A2N_UNKNOWN);
		gone += rc != 0;
		there += rc == 0;
		waitpid(pid, NULL, 0);
	}
	printf("# %d were there, %d had ended\n", there, gone);
}

/* The user nobody asks for this process. */
static void anothers(void)
{
	pid_t pid;
	int status = -1;

	if (geteuid()) {
		refused(1, -EACCES);
		return;
	}
	fflush(stdout);
	pid = fork();
	if (!pid) {
		const char *why = NULL;
		int rc = -1;

		a = a2n_open(NULL);
		if (!setgid(NOBODY) && !setuid(NOBODY))
			rc = a2n_add_process(a, (uint32_t)getppid(), &why);
		a2n_close(a);
		_exit(rc == -EACCES && why && strstr(why, "another user") ? 0 : 1);
	}
	CU_ASSERT_FATAL(pid > 0);
	waitpid(pid, &status, 0);
	CU_ASSERT_EQUAL(status, 0);
}

/* ---- code of its own ------------------------------------------------------------------------- */

static uint8_t *code;

static void make_code(void)
{
	code = mmap(NULL, 0x4000, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	CU_ASSERT_FATAL(code != MAP_FAILED);
}

static void map_name(char name[64])
{
	snprintf(name, 64, "/tmp/perf-%d.map", (int)getpid());
}

static void put_map(const char *flags, unsigned int at, const char *function)
{
	char name[64];
	FILE *f;

	map_name(name);
	f = fopen(name, flags);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fprintf(f, "%" PRIxPTR " 100 %s\n", (uintptr_t)code + at, function);
	fclose(f);
}

static void perf_map(void)
{
	char name[64];

	begin();
	make_code();
	map_name(name);
	put_map("we", 0, "made");
	add(0);
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x10), "made");
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x210), A2N_JIT_UNKNOWN);
	/* Only the part that is new since the last reading is read. */
	put_map("ae", 0x200, "made later");
	add(0);
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x10), "made");
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x210), "made later");
	unlink(name);
	munmap(code, 0x4000);
}

/* A map of another user, or a link to another file, is not used. */
static void not_its_map(void)
{
	char name[64], other[80];

	make_code();
	map_name(name);
	snprintf(other, sizeof(other), "%s.other", name);
	put_map("we", 0, "made");
	if (!geteuid() && !chown(name, NOBODY, NOBODY)) {
		begin();
		add(0);
		CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x10), A2N_JIT_UNKNOWN);
		CU_ASSERT_EQUAL(chown(name, 0, 0), 0);
	}
	CU_ASSERT_EQUAL(rename(name, other), 0);
	CU_ASSERT_EQUAL(symlink(other, name), 0);
	begin();
	add(0);
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x10), A2N_JIT_UNKNOWN);
	unlink(name);
	/* A pipe, whose reader would wait. */
	CU_ASSERT_EQUAL(mkfifo(name, 0600), 0);
	begin();
	add(0);
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x10), A2N_JIT_UNKNOWN);
	unlink(name);
	unlink(other);
	munmap(code, 0x4000);
}

/* Where both images of a process have code that they made. */
#define SAME_PLACE "LIVE_SAME_PLACE"
#define PLACE      ((uint8_t *)0x260000000000)

static bool code_there(void)
{
	return mmap(PLACE, 0x1000, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == (void *)PLACE;
}

/* The second image: says that its code is there, and waits for its input's end. */
static int second_image(void)
{
	char c = code_there() ? 'y' : 'n';

	return write(1, &c, 1) != 1 || read(0, &c, 1) != 0;
}

/* The first image has a perf map. It executes this program again, without one. */
static void first_image(int in, int out)
{
	char name[64], c = 'y';

	code = PLACE;
	map_name(name);
	if (!code_there())
		_exit(1);
	put_map("we", 0, "of the first");
	if (write(out, &c, 1) != 1 || read(in, &c, 1) != 1)
		_exit(1);
	unlink(name);
	dup2(in, 0);
	dup2(out, 1);
	setenv(SAME_PLACE, "y", 1);
	execl("/proc/self/exe", "second", (char *)NULL);
	_exit(1);
}

/* Code that the first image made is not named in the second, at the same place. */
static void an_exec_forgets_code(void)
{
	int to[2], from[2];
	char c = 0;
	pid_t pid;

	begin();
	CU_ASSERT_EQUAL_FATAL(pipe(to), 0);
	CU_ASSERT_EQUAL_FATAL(pipe(from), 0);
	pid = fork();
	if (!pid) {
		close(to[1]);
		close(from[0]);
		first_image(to[0], from[1]);
	}
	CU_ASSERT_FATAL(pid > 0);
	close(to[0]);
	close(from[1]);
	CU_ASSERT_FATAL(read(from[0], &c, 1) == 1 && c == 'y');
	add((uint32_t)pid);
	CU_ASSERT_STRING_EQUAL(name_of((uint32_t)pid, PLACE + 0x10), "of the first");
	CU_ASSERT_EQUAL(write(to[1], &c, 1), 1);
	CU_ASSERT_FATAL(read(from[0], &c, 1) == 1 && c == 'y');
	add((uint32_t)pid);
	CU_ASSERT_STRING_EQUAL(name_of((uint32_t)pid, PLACE + 0x10), A2N_JIT_UNKNOWN);
	close(to[1]);
	close(from[0]);
	waitpid(pid, NULL, 0);
}

static void a_jitdump(void)
{
	char folder[] = "/tmp/test_a2n_liveXXXXXX", path[128];
	struct jitdump_writer *w;
	uint64_t index, other;

	begin();
	make_code();
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	CU_ASSERT_EQUAL_FATAL(jitdump_create(&w, folder), 0);
	snprintf(path, sizeof(path), "%s", jitdump_path(w));
	CU_ASSERT_EQUAL(jitdump_load(w, "compiled", (uintptr_t)code, 0x100, NULL, NULL, 0, &index),
			0);
	add(0);
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x10), "compiled");
	CU_ASSERT_EQUAL(jitdump_move(w, index, (uintptr_t)code, (uintptr_t)code + 0x1000, 0x100),
			0);
	CU_ASSERT_EQUAL(jitdump_load(w, "next", (uintptr_t)code + 0x200, 0x100, NULL, NULL, 0,
				     &other),
			0);
	add(0);
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x1010), "compiled");
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x210), "next");
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x10), A2N_JIT_UNKNOWN);
	/* Nothing is reported twice. */
	add(0);
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x1010), "compiled");
	CU_ASSERT_STRING_EQUAL(name_of(self, code + 0x10), A2N_JIT_UNKNOWN);
	CU_ASSERT_EQUAL(jitdump_end(w), 0);
	unlink(path);
	rmdir(folder);
	munmap(code, 0x4000);
}

#define ZEROS10 "0000000000"

/* A mapped file is taken for a jitdump by its name alone, which ends in a number and .dump. */
static void jitdump_names(void)
{
	static const struct {
		const char *name;
		bool is;
	} cases[] = {
		{ "jit-1.dump", true },
		{ "jit-18446744073709551615.dump", true },
		/* The longest name, and one that is longer. */
		{ "jit-" ZEROS10 ZEROS10 ZEROS10 ZEROS10 ZEROS10 "001.dump", true },
		{ "jit-" ZEROS10 ZEROS10 ZEROS10 ZEROS10 ZEROS10 "0001.dump", false },
		{ "jit-18446744073709551616.dump", false },
		{ "jit-.dump", false },
		{ "jit-1.dum", false },
		{ "jit-1.dumpx", false },
		{ "jit-1.dumq", false },
		{ "jit-1x.dump", false },
		{ "ajit-1.dump", false },
		{ "jat-1.dump", false },
		{ "jit1.dump", false },
		{ "jit-1.dump.old", false },
	};
	char folder[] = "/tmp/test_a2n_liveXXXXXX", path[256], image[4096];
	struct jitdump_writer *w;
	uint64_t index;
	ssize_t size;
	void *there;
	int fd;

	make_code();
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	CU_ASSERT_EQUAL_FATAL(jitdump_create(&w, folder), 0);
	snprintf(path, sizeof(path), "%s", jitdump_path(w));
	CU_ASSERT_EQUAL(jitdump_load(w, "compiled", (uintptr_t)code, 0x100, NULL, NULL, 0, &index),
			0);
	CU_ASSERT_EQUAL(jitdump_end(w), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = read(fd, image, sizeof(image));
	CU_ASSERT_FATAL(size > 40 && size < (ssize_t)sizeof(image));
	close(fd);
	unlink(path);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool is;

		snprintf(path, sizeof(path), "%s/%s", folder, cases[i].name);
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		CU_ASSERT_EQUAL_FATAL(write(fd, image, (size_t)size), size);
		there = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		CU_ASSERT_PTR_NOT_EQUAL_FATAL(there, MAP_FAILED);
		close(fd);
		begin();
		add(0);
		is = !strcmp(name_of(self, code + 0x10), "compiled");
		if (is != cases[i].is)
			printf("# %s\n", cases[i].name);
		CU_ASSERT_EQUAL(is, cases[i].is);
		munmap(there, 4096);
		unlink(path);
	}
	rmdir(folder);
	munmap(code, 0x4000);
}

static int a_variable[8] = { 1 }, one_of_bss[8];
static __thread int of_a_thread;

static const char *variable(const void *address, uint64_t *offset)
{
	const struct a2n_symbol *s = a2n_variable(a, self, UINT64_MAX, (uintptr_t)address, offset);

	return s ? s->name : "none";
}

/* Static data by their names, of this program and of a library; nothing else has one. */
static void variables(void)
{
	void *heap = malloc(16);
	uint64_t offset = 99;
	int on_stack = 0;

	begin();
	add(0);
	CU_ASSERT_STRING_EQUAL(variable(a_variable, &offset), "a_variable");
	CU_ASSERT_EQUAL(offset, 0);
	CU_ASSERT_STRING_EQUAL(variable(&one_of_bss[3], &offset), "one_of_bss");
	CU_ASSERT_EQUAL(offset, 12);
	CU_ASSERT_STRING_EQUAL(variable(&one_of_bss[7], NULL), "one_of_bss");
	CU_ASSERT_STRING_NOT_EQUAL(variable(&one_of_bss[8], NULL), "one_of_bss");
	CU_ASSERT_STRING_EQUAL(variable(dlsym(RTLD_DEFAULT, "obstack_alloc_failed_handler"), NULL),
			       "obstack_alloc_failed_handler");
	CU_ASSERT_STRING_EQUAL(variable(heap, NULL), "none");
	CU_ASSERT_STRING_EQUAL(variable(&on_stack, NULL), "none");
	CU_ASSERT_STRING_EQUAL(variable(&of_a_thread, NULL), "none");
	CU_ASSERT_STRING_EQUAL(variable((void *)(uintptr_t)some_function, NULL), "none");
	CU_ASSERT_PTR_NULL(a2n_variable(a, self, UINT64_MAX, UINT64_MAX - 5, NULL));
	CU_ASSERT_PTR_NULL(a2n_variable(a, 4194305, UINT64_MAX, (uintptr_t)a_variable, NULL));
	/* Code is found as before. */
	CU_ASSERT_STRING_EQUAL(name_of(self, (void *)(uintptr_t)some_function), "some_function");
	free(heap);
}

static const struct unit_test tests[] = {
	{ "variables", variables },
	{ "this_one", this_one },
	{ "threads", threads },
	{ "a_child", a_child },
	{ "an_exec", an_exec },
	{ "ended", ended },
	{ "an_exec_forgets_code", an_exec_forgets_code },
	{ "vanishing", vanishing },
	{ "anothers", anothers },
	{ "perf_map", perf_map },
	{ "not_its_map", not_its_map },
	{ "a_jitdump", a_jitdump },
	{ "jitdump_names", jitdump_names },
	{ 0 },
};

int main(void)
{
	int rc;

	if (getenv(SAME_PLACE))
		return second_image();
	rc = unit_run("a2n_live", tests);

	a2n_close(a);
	return rc;
}

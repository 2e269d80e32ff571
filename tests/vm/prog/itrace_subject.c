/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * itrace_subject WHAT [N]: programs whose every instruction is judged. They do the same each time,
 * whichever of their threads runs when: nobody waits for anybody but in one system call that is
 * made in any case.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sum;

__attribute__((noinline)) static unsigned long fib(unsigned int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* ---- signals --------------------------------------------------------------------------------- */

static sigjmp_buf back;

static void count(int number)
{
	sum += (unsigned long)number;
}

static void nested(int number)
{
	sum += (unsigned long)number;
	raise(SIGUSR1);
}

static void leap(int number)
{
	siglongjmp(back, number);
}

static int signals(void)
{
	struct sigaction a = { .sa_handler = count }, b = { .sa_handler = nested },
			 c = { .sa_handler = leap, .sa_flags = SA_NODEFER };
	volatile int *nowhere;

	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGUSR2, &b, NULL);
	sigaction(SIGSEGV, &c, NULL);
	raise(SIGUSR1);
	raise(SIGUSR2);
	kill(getpid(), SIGWINCH); /* ignored: it has no handler */
	kill(getpid(), SIGUSR2);
	nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sigsetjmp(back, 1))
		*nowhere = 1;
	return sum != 2 * SIGUSR2 + 3 * SIGUSR1;
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static jmp_buf place;

__attribute__((noinline)) static void deeper(int n)
{
	if (n)
		deeper(n - 1);
	else if (sum < 1000)
		longjmp(place, 7);
	sum++;
}

static int jumps(void)
{
	volatile int times = 0;

	while (times < 5) {
		if (!setjmp(place))
			deeper(3 + times);
		times++;
	}
	return (int)sum;
}

/* ---- threads, processes ---------------------------------------------------------------------- */

/* It ends without the library, whose end depends on who is the last. */
static void *thread(void *arg)
{
	fib((unsigned int)(uintptr_t)arg);
	syscall(SYS_exit, 0);
	return NULL;
}

static int threads(void)
{
	pthread_t t;

	for (uintptr_t i = 5; i < 8; i++)
		if (pthread_create(&t, NULL, thread, (void *)i))
			return 1;
	fib(6);
	syscall(SYS_exit, 0);
	return 1;
}

static int child(const char *self)
{
	pid_t p = fork();
	int status;

	if (!p) {
		sum += fib(5);
		if (self)
			execl(self, self, "fib", "4", (char *)NULL);
		_exit(3);
	}
	if (waitpid(p, &status, 0) != p)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status) != (self ? 0 : 3);
}

/* ---- code of its own ------------------------------------------------------------------------- */

/* The bytes of a function, put where no file is; then others in the same place. */
static int jit(void)
{
	int (*code)(void) = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 1;
	for (int i = 0; i < 3; i++) {
#if defined(__x86_64__)
		uint8_t bytes[] = { 0xB8, (uint8_t)i, 0, 0, 0, 0xC3 }; /* mov, ret */
#elif defined(__aarch64__)
		uint32_t bytes[] = { 0x52800000 | (uint32_t)i << 5, 0xD65F03C0 };
#elif defined(__powerpc64__)
		uint32_t bytes[] = { 0x38600000 | (uint32_t)i, 0x4E800020 };
#else
		uint8_t bytes[] = { 0xA7, 0x29, 0, (uint8_t)i, 0x07, 0xFE };
#endif
		memcpy((void *)code, bytes, sizeof(bytes));
		__builtin___clear_cache((char *)code, (char *)code + sizeof(bytes));
		if (code() != i)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "fib"))
		return fib(argc > 2 ? (unsigned int)atoi(argv[2]) : 15) == 0;
	if (!strcmp(what, "signals"))
		return signals();
	if (!strcmp(what, "jumps"))
		return jumps();
	if (!strcmp(what, "threads"))
		return threads();
	if (!strcmp(what, "fork"))
		return child(NULL);
	if (!strcmp(what, "exec"))
		return child(argv[0]);
	if (!strcmp(what, "jit"))
		return jit();
	while (!strcmp(what, "forever"))
		sum += fib(3);
	fputs("usage: itrace_subject fib|signals|jumps|threads|fork|exec|jit|forever [N]\n",
	      stderr);
	return 2;
}

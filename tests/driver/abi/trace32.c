// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A 32-bit program whose instructions are compared: calls and returns, a string instruction, system
 * calls by int and by the vdso's way (sysenter or syscall), a signal's handler. Its last mark is
 * getppid, as in tests/driver/abi/test_itrace.c. With a number: so many getppid by the vdso's way,
 * nothing else.
 */
#define AT_SYSINFO 32
#define SIGUSR1    10

static long call(int number, long a, const void *b, long c)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c)
			 : "memory");
	return result;
}

__attribute__((noinline, noclone)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static volatile int handled;

static void handler(int number)
{
	handled += number;
}

static void calls(long vdso, const char *number)
{
	long n = 0, result;

	for (; *number; number++)
		n = n * 10 + *number - '0';
	while (vdso && n--)
		__asm__ volatile("call *%1" : "=a"(result) : "r"(vdso), "a"(64) : "memory");
	call(1, !vdso, 0, 0);
}

__attribute__((used, noreturn)) void begin(const long *stack);
void begin(const long *stack)
{
	struct {
		void (*handler)(int);
		unsigned long mask, flags;
		void *restorer;
	} act = { handler, 0, 0, 0 };
	static char from[64], to[64];
	const long *p = stack + 1 + stack[0] + 1;
	char *f = from, *t = to;
	unsigned long n = sizeof(from);
	long pid = call(20, 0, 0, 0), vdso = 0;

	while (*p++)
		;
	for (; *p; p += 2)
		if (*p == AT_SYSINFO)
			vdso = p[1];
	if (stack[0] > 1)
		calls(vdso, (const char *)stack[2]);
	fib(6);
	__asm__ volatile("rep movsb" : "+c"(n), "+S"(f), "+D"(t) : : "memory");
	if (vdso)
		__asm__ volatile("call *%1" : "=a"(pid) : "r"(vdso), "a"(20) : "memory");
	call(67, SIGUSR1, &act, 0);
	call(37, pid, (const void *)SIGUSR1, 0);
	fib(3);
	call(64, 0, 0, 0);
	for (;;)
		call(1, handled != SIGUSR1, 0, 0);
}

__asm__(".globl _start\n_start:\tmov %esp, %eax\n\txor %ebp, %ebp\n\tand $-16, %esp\n\tsub $12, %esp\n"
	"\tpush %eax\n\tcall begin");

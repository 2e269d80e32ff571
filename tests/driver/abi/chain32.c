// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A 32-bit program with a stack that is known: _start, outer, inner, which works. First it says
 * where the work stands and which return addresses are on the stack: four 32-bit words on its
 * standard output. Then it waits for a byte on its standard input; by system calls alone.
 */
static unsigned int told[4];
extern char chain_loop[], chain_loop_end[];

static long call(int number, long a, const void *b, long c)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c)
			 : "memory");
	return result;
}

__attribute__((noinline, noclone)) void inner(unsigned int n);
void inner(unsigned int n)
{
	told[2] = (unsigned int)__builtin_return_address(0);
	if (!n) {
		call(4, 1, told, sizeof(told));
		call(3, 0, told, 1);
		return;
	}
	__asm__ volatile(".globl chain_loop, chain_loop_end\n"
			 "chain_loop:\tdec %0\n\tjnz chain_loop\n"
			 "chain_loop_end:"
			 : "+r"(n)
			 :
			 : "cc");
}

/* The same call for both: one return address. */
__attribute__((noinline, noclone)) void outer(unsigned int n);
void outer(unsigned int n)
{
	unsigned int work = 0;

	told[0] = (unsigned int)chain_loop;
	told[1] = (unsigned int)chain_loop_end;
	told[3] = (unsigned int)__builtin_return_address(0);
	do
		inner(work);
	while ((work += n) <= n);
	__asm__ volatile("" : : : "memory");
}

__attribute__((used, noreturn)) void begin(void);
void begin(void)
{
	for (;;) {
		outer(100000000);
		call(1, 0, 0, 0);
	}
}

/* The outermost frame has none before it. */
__asm__(".globl _start\n_start:\txor %ebp, %ebp\n\tcall begin");

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program of calls of all kinds. Each function t_* counts its calls itself; at the end come the
 * counts, as patch_counter.c writes them, and what was computed.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "patched_calls.h"

static double sum;
static volatile int zero;

QUIET int t_getter(const int *p)
{
	CALLED("t_getter");
	return *p;
}

QUIET int t_compare(const void *a, const void *b)
{
	int x = t_getter(a), y = t_getter(b);

	CALLED("t_compare");
	return x < y ? -1 : x > y;
}

QUIET int t_fibonacci(int n)
{
	CALLED("t_fibonacci");
	if (n > 1) {
		/* The code after both calls prevents the compiler from making a loop of them. */
		n = t_fibonacci(n - 1) + t_fibonacci(n - 2);
		zero = 0;
	}
	return n;
}

QUIET double t_varargs(int n, ...)
{
	double all = 0;
	va_list args;

	CALLED("t_varargs");
	va_start(args, n);
	for (int i = 0; i < n; i++)
		all += i % 3 == 0 ? va_arg(args, int) : va_arg(args, double);
	va_end(args);
	return all;
}

struct pair {
	double a;
	long b;
};
struct large {
	long values[9];
};

QUIET struct pair t_pair(double a, long b)
{
	CALLED("t_pair");
	return (struct pair){ a * 2, b * 3 };
}

QUIET struct large t_large(struct large by_value, long add)
{
	CALLED("t_large");
	for (int i = 0; i < 9; i++)
		by_value.values[i] += add + i;
	return by_value;
}

QUIET long double t_long_double(long double a, int b)
{
	CALLED("t_long_double");
	return a / 3 + b;
}

QUIET _Complex double t_complex(_Complex double a)
{
	CALLED("t_complex");
	return a * a;
}

QUIET double t_ten(double a, double b, double c, double d, double e, double f, double g, double h,
		   double i, double j, long k, long l, long m, long n, long o, long p, long q)
{
	CALLED("t_ten");
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j +
	       (double)(k + 2 * l + 3 * m + 4 * n + 5 * o + 6 * p + 7 * q);
}

#if defined(__x86_64__)
__attribute__((target("avx"))) QUIET __m256d t_wide(__m256d a, __m256d b, __m256d c)
{
	CALLED("t_wide");
	return _mm256_add_pd(_mm256_mul_pd(a, b), c);
}

__attribute__((target("avx"))) static void wide(void)
{
	double out[4];

	for (int i = 0; i < 100; i++) {
		_mm256_storeu_pd(out, t_wide(_mm256_set_pd(i, 2, 3, 4), _mm256_set_pd(5, 6, i, 8),
					     _mm256_set1_pd(i)));
		sum += out[0] + 2 * out[1] + 3 * out[2] + 4 * out[3];
	}
}
#endif

/* Jumps to each other, without end but for the count. */
QUIET int t_tail_even(int n);
QUIET int t_tail_odd(int n)
{
	CALLED("t_tail_odd");
	return n ? t_tail_even(n - 1) : 1;
}

QUIET int t_tail_even(int n)
{
	CALLED("t_tail_even");
	return n ? t_tail_odd(n - 1) : 0;
}

static jmp_buf back;

QUIET void t_jumps(int depth)
{
	CALLED("t_jumps");
	if (!depth)
		longjmp(back, 1);
	t_jumps(depth - 1);
	zero = 0;
}

QUIET void t_signalled(int signal)
{
	CALLED("t_signalled");
	sum += t_getter(&signal);
}

QUIET void *t_thread(void *arg)
{
	CALLED("t_thread");
	return (void *)(intptr_t)t_fibonacci((int)(intptr_t)arg);
}

/* When a thread is cancelled, the unwinder leaves each frame and calls its cleanup. */
static int cleaned;

QUIET void t_cleanup(int *p)
{
	CALLED("t_cleanup");
	cleaned += *p;
}

QUIET void t_cancelled(int depth)
{
	int local __attribute__((cleanup(t_cleanup))) = depth + 1;

	CALLED("t_cancelled");
	if (depth)
		t_cancelled(depth - 1);
	while (!depth)
		pause();
	zero = 0;
	(void)local;
}

static void *cancelled(void *arg)
{
	t_cancelled((int)(intptr_t)arg);
	return NULL;
}

/* Each yields in the midst of a call, so that frames of both are open at once. */
static ucontext_t main_context, coroutine[2];

QUIET int t_yields(int self, int depth)
{
	int below;

	CALLED("t_yields");
	if (!depth) {
		swapcontext(&coroutine[self], &coroutine[!self]);
		return 1;
	}
	below = t_yields(self, depth - 1);
	swapcontext(&coroutine[self], &coroutine[!self]);
	return below + depth;
}

QUIET void t_coroutine(int self)
{
	CALLED("t_coroutine");
	sum += t_yields(self, 5);
	if (!self)
		swapcontext(&coroutine[self], &coroutine[!self]);
	zero = 0;
}

static void coroutines(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_size = 1 << 16;
		coroutine[i].uc_stack.ss_sp = malloc(1 << 16);
		coroutine[i].uc_link = &main_context;
		makecontext(&coroutine[i], (void (*)(void))t_coroutine, 1, i);
	}
	swapcontext(&main_context, &coroutine[0]);
}

#ifndef __clang__
/* A function within another gets the other's frame in a register of its own. */
QUIET int t_outer(int n)
{
	int all = 0;

	__attribute__((noinline)) int t_inner(int k)
	{
		CALLED("t_inner");
		all += k;
		return t_getter(&k) + n;
	}

	CALLED("t_outer");
	for (int i = 0; i < n; i++)
		all += t_inner(i);
	return all;
}
#endif

static void signals(void)
{
	stack_t other = { .ss_size = 1 << 16, .ss_sp = malloc(1 << 16) };
	struct sigaction act = { .sa_handler = t_signalled, .sa_flags = SA_ONSTACK };

	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	sigaltstack(&other, NULL);
	raise(SIGUSR1);
}

static void threads(void)
{
	pthread_t thread[4];
	void *result;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, t_thread, (void *)(intptr_t)(12 + i));
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], &result);
		sum += (double)(intptr_t)result;
	}
	pthread_create(&thread[0], NULL, cancelled, (void *)3);
	usleep(100000);
	pthread_cancel(thread[0]);
	pthread_join(thread[0], NULL);
	sum += cleaned;
}

static void processes(void)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(t_fibonacci(10) & 63);
	waitpid(child, &status, 0);
	sum += status;
	child = vfork();
	if (!child) {
		t_getter((const int *)&zero);
		_exit(0);
	}
	waitpid(child, &status, 0);
}

int main(int argc, char **argv)
{
	struct pair pair;
	struct large large = { { 1, 2, 3, 4, 5, 6, 7, 8, 9 } };
	_Complex double z = 1 + 1.0i;
	int list[500];

	for (int i = 0; i < 500; i++)
		list[i] = i * 7919 % 1009;
	qsort(list, 500, sizeof(list[0]), t_compare);
	sum = list[3] + t_fibonacci(15);
	sum += t_varargs(7, 1, 2.5, 3.25, 4, 5.125, 6.0625, 7);
	for (int i = 0; i < 50; i++) {
		pair = t_pair(i, i);
		sum += pair.a + (double)pair.b;
		large = t_large(large, i);
		sum += (double)large.values[8];
		sum += (double)t_long_double(i, 3);
		sum += t_ten(i, 2, 3, 4, 5, 6, 7, 8, 9, 10, i, 12, 13, 14, 15, 16, 17);
	}
	for (int i = 0; i < 5; i++)
		z = t_complex(z) / 2;
	sum += __real__ z + __imag__ z;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx"))
		wide();
#endif
	sum += t_tail_even(100001);
	for (int i = 0; i < 3; i++) {
		if (!setjmp(back))
			t_jumps(4 + i);
		sum += t_fibonacci(5);
	}
#ifndef __clang__
	sum += t_outer(10);
#endif
	signals();
	threads();
	coroutines();
	processes();
	calls_write(argc > 1 ? argv[1] : NULL);
	printf("%.6f\n", sum);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel functions that the driver's ring uses, for a unit test. At every step where others may
 * intervene, the test's moment() is called: it nests interrupts and lets a reader continue.
 */
#ifndef KERNEL_LOCAL_H
#define KERNEL_LOCAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef unsigned long long u64; /* as the kernel's */
typedef uint32_t u32;
typedef uint16_t u16;

static void moment(void);

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define noinline
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define READ_ONCE(x)     (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define barrier()                                  \
	({                                         \
		__asm__ volatile("" ::: "memory"); \
		moment();                          \
	})
#define ALIGN(x, a)    (((x) + (__typeof__(x))(a)-1) & ~((__typeof__(x))(a)-1))
#define min(a, b)      ((a) < (b) ? (a) : (b))
#define min_t(t, a, b) ((t)(a) < (t)(b) ? (t)(a) : (t)(b))
#define smp_store_release(p, v)                           \
	({                                                \
		moment();                                 \
		__atomic_store_n(p, v, __ATOMIC_RELEASE); \
		moment();                                 \
	})
#define try_cmpxchg(p, old, new)                                                  \
	({                                                                        \
		moment();                                                         \
		__atomic_compare_exchange_n(p, old, new, false, __ATOMIC_SEQ_CST, \
					    __ATOMIC_SEQ_CST);                    \
	})

typedef struct {
	long v;
} local_t;

static inline long local_read(const local_t *l)
{
	return READ_ONCE(l->v);
}

static inline void local_set(local_t *l, long v)
{
	WRITE_ONCE(l->v, v);
	moment();
}

static inline void local_add(long n, local_t *l)
{
	moment();
	l->v += n;
	moment();
}

#define local_inc(l) local_add(1, l)
#define local_dec(l) local_add(-1, l)

static inline bool local_dec_and_test(local_t *l)
{
	bool zero;

	moment();
	zero = !--l->v;
	moment();
	return zero;
}

static inline bool local_try_cmpxchg(local_t *l, long *old, long new)
{
	bool done;

	moment();
	done = l->v == *old;
	if (done)
		l->v = new;
	else
		*old = l->v;
	moment();
	return done;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * TraceHook writes a program's record where it is recorded (hook_listen.h): to the program's hook
 * file, through the driver, or both.
 *
 * A session of the driver may accept hook files too. The driver is then queried once whether this
 * program may write one; its page shows whether that session is still on and which other sessions
 * record the major. For those the record is also passed to the driver, which skips that session. A
 * program that cannot get a descriptor of the driver (it has dropped its rights, or has another
 * root) writes a file without a query: the collector checks its scope.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <pifile.h>
#include <tracer.h>
#include "base/now.h"
#include "base/rc.h"
#include "session/hook_event.h"
#include "session/hook_listen.h"

#define RETRY_NS 1000000000ull /* between two attempts to create a file */

#ifdef __x86_64__
/* The file, if TraceHook may write to it directly. Threads that have written to it have its epoch;
 * no thread has epoch 0, which no_file has, and in a child its parent's file. */
static struct hookfile no_file;
static struct hookfile *usual = &no_file;
/* The same, set only if the kernel uses the processor's counter for its time; otherwise the kernel
 * must be called. */
static struct hookfile *fast = &no_file;
#endif

static __thread struct {
	uint64_t epoch; /* of the file for which the id was read */
	uint32_t tid;
} self __attribute__((tls_model("initial-exec"))) = { .epoch = 1 };

/* to the file */

/* The CPU's number is in glibc's rseq area. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));

static uint32_t this_cpu(void)
{
	int cpu = sched_getcpu();

	return cpu < 0 ? 0 : (uint32_t)cpu & HOOKFILE_CPU_MASK;
}

/* Reads the id once per thread, and again in a child. */
static void know_thread(const struct hookfile *f)
{
	if (self.epoch == f->epoch)
		return;
	self.tid = (uint32_t)gettid();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self.epoch = f->epoch;
}

static uint64_t coarse_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE);
}

/* Another thread may just have created it. */
static struct hookfile *ready(struct hookfile *f, const struct hook_place *p)
{
	if (!__atomic_load_n(&f->announced, __ATOMIC_ACQUIRE)) {
		hookfile_announce(f, p->folder);
		hook_set_also(f);
	}
#ifdef __x86_64__
	if (f->cpu && __atomic_load_n(&usual, __ATOMIC_RELAXED) != f) {
		__atomic_store_n(&usual, f, __ATOMIC_RELEASE);
		__atomic_store_n(&fast, f->tsc ? f : &no_file, __ATOMIC_RELEASE);
	}
#endif
	return f;
}

static struct hookfile *file_of(const struct hook_place *p)
{
	struct hookfile *f = __atomic_load_n(&hook_state->file, __ATOMIC_ACQUIRE), *new;
	uint32_t generation = __atomic_load_n(&p->page->generation, __ATOMIC_ACQUIRE);

	if (f && f->control == p->page && f->generation == generation)
		return ready(f, p);
	if (__atomic_load_n(&hook_state->failed, __ATOMIC_ACQUIRE) == generation &&
	    coarse_ns() < __atomic_load_n(&hook_state->next_make, __ATOMIC_RELAXED))
		return NULL;
	new = hookfile_make(p->folder, NULL, p->page);
	/* The program has dropped its rights, or has another root: through the door. */
	if (!new && p->door)
		new = hookfile_make(NULL, p->door, p->page);
	if (!new) {
		__atomic_store_n(&hook_state->next_make, coarse_ns() + RETRY_NS, __ATOMIC_RELAXED);
		__atomic_store_n(&hook_state->failed, generation, __ATOMIC_RELEASE);
		return NULL;
	}
	hook_set_also(new);
#ifdef __x86_64__
	/* struct rseq: cpu_id_start, cpu_id */
	if (&__rseq_offset)
		new->cpu = __rseq_offset + (intptr_t)sizeof(uint32_t);
#endif
	if (!__atomic_compare_exchange_n(&hook_state->file, &f, new, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		hookfile_discard(new, p->folder);
		new = f;
	}
	return ready(new, p);
}

static int by_file(const struct hook_place *p, const struct hook_record *h)
{
	struct hookfile *f;
	uint32_t units = (uint32_t)(sizeof(struct hookfile_record) + h->bytes + 7) / 8;
	uint32_t head = hookfile_head((uint32_t)h->major, units, (uint32_t)h->int_count);
	uint32_t cpu = this_cpu();
	struct hookfile_record *r;
	uint32_t tried;

	/* The session may have just ended and another begun, even several times while this thread
	 * waited for a CPU. */
	do {
		tried = __atomic_load_n(&p->page->generation, __ATOMIC_ACQUIRE);
		f = file_of(p);
	} while (!f && tried != __atomic_load_n(&p->page->generation, __ATOMIC_ACQUIRE));
	if (!f && !hook_wants((const uint64_t *)p->page->majors, (unsigned int)h->major))
		return TRACE_NOBODY;
	if (!f)
		return rc_say(PI_FILE_ERROR,
			      p->owner == geteuid() ?
				      "the hook file, in the folder of the session, cannot be made" :
				      "this process has dropped the rights of the session's user, and cannot reach it");
	r = hookfile_reserve(f, cpu, units);
	if (!r)
		return PI_BUFFER_FULL;
	hookfile_begin(r, head);
	know_thread(f);
	r->stamp = hookfile_now(f->tsc);
	r->tid = self.tid;
	r->minor = (uint32_t)h->minor;
	r->cpu_strs = hookfile_cpu_strs(cpu, (uint32_t)h->str_count);
	hook_copy(h, (uint8_t *)(r + 1));
	hookfile_commit(r, head);
	return PI_OK;
}

/* file and driver */

static uint64_t interval_of(const struct hookfile_control *c)
{
	uint64_t generation = __atomic_load_n(&c->generation, __ATOMIC_ACQUIRE);

	return generation << 32 | __atomic_load_n(&c->interval, __ATOMIC_ACQUIRE);
}

/*
 * An event is declared once per process and interval, by the thread that writes it first; several
 * threads at once may declare it twice. A declaration without room is repeated with the event's
 * next record. The interval is read first: in one that begins meanwhile the event is declared
 * again.
 */
static struct hook_record declaration(const uint64_t *number, const char *const strs[])
{
	struct hook_record h = {
		.major = PITRACE_MTE,
		.minor = PITRACE_MTE_DECLARE,
		.int_count = 1,
		.str_count = 2,
		.ints = number,
		.strs = strs,
	};

	return h;
}

static void declare_in_file(const struct hook_event *e, const struct hook_place *p)
{
	const uint64_t number = e->number;
	const char *const strs[] = { e->name, e->fields };
	struct hook_record h = declaration(&number, strs);
	uint64_t interval = interval_of(p->page);

	if (__atomic_load_n(&e->said->interval, __ATOMIC_RELAXED) != interval &&
	    !hook_measure(&h) && by_file(p, &h) == PI_OK)
		__atomic_store_n(&e->said->interval, interval, __ATOMIC_RELAXED);
}

/* Declares to all sessions, including one whose file has it: the file may be full. */
static void declare_to_driver(const struct hook_event *e, const struct pitrace_hook_page *page)
{
	const uint64_t number = e->number;
	const char *const strs[] = { e->name, e->fields };
	struct hook_record h = declaration(&number, strs);
	uint32_t begun = __atomic_load_n(&page->begun, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&e->said->begun, __ATOMIC_RELAXED) != begun && !hook_measure(&h) &&
	    hook_driver_put(&h, 0) == PI_OK)
		__atomic_store_n(&e->said->begun, begun, __ATOMIC_RELAXED);
}

static bool is_users(int major, int minor)
{
	if (major == PITRACE_MTE)
		return minor == PITRACE_MTE_JIT || minor == PITRACE_MTE_JAVA_THREAD;
	return major != PITRACE_NAMED && pifile_user_major((unsigned int)major);
}

/* The session accepts no files, and this program cannot reach the driver: the session's closing
 * line will name it. */
static void report_lost(const struct hook_place *p, uint32_t serial)
{
	if (__atomic_exchange_n(&hook_state->refused, serial, __ATOMIC_RELAXED) != serial)
		hook_door_notify(p->folder);
}

/* A record counts as written if any session has it. */
static int put(struct hook_record *h)
{
	const struct hook_place *p = hook_listen_place();
	unsigned int major = (unsigned int)h->major;
	bool file = p && hook_wants((const uint64_t *)p->page->majors, major);
	uint32_t serial = file ? __atomic_load_n(&p->page->serial, __ATOMIC_RELAXED) : 0;
	const struct pitrace_hook_page *driver;
	int rc, also;

	if (serial && (!__atomic_load_n(&p->page->slots, __ATOMIC_RELAXED) ||
		       !hook_driver_takes_file(serial)))
		file = false;
	driver = hook_driver_page();
	if (serial && !file && !driver)
		report_lost(p, serial);
	if (!file && !(driver && hook_listening(1, major)))
		return TRACE_NOBODY;
	rc = hook_measure(h);
	if (rc)
		return rc;
	if (h->event && file)
		declare_in_file(h->event, p);
	rc = file ? by_file(p, h) : TRACE_NOBODY;
	/* The driver records for a session that accepts files if the file could not take the
	 * record. */
	if (rc == TRACE_NOBODY || rc == PI_FILE_ERROR)
		serial = 0;
	if (!driver || !hook_driver_others(driver, serial, major))
		return rc;
	if (h->event)
		declare_to_driver(h->event, driver);
	also = hook_driver_put(h, serial);
	return rc == PI_OK || also == TRACE_NOBODY ? rc : also;
}

/* Cancellation of the thread is disabled: it would leak what is created here, and C++ programs end
 * if a destructor is cancelled. */
static int reach(struct hook_record *h)
{
	int saved = errno, cancellable, rc;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
	rc = hook_look() ? put(h) : TRACE_NOBODY;
	pthread_setcancelstate(cancellable, &cancellable);
	errno = saved;
	return rc;
}

#ifdef __x86_64__
#define USERS   (PITRACE_MAJORS - PITRACE_USER_FIRST)
#define rare(x) __builtin_expect(x, 0)
/* Keeps computations from x after this point. */
#define KEEP_SHORT(x) __asm__ volatile("" : "+r"(x))
/* An atomic load and a comparison in one instruction: the compiler makes two of an atomic load. */
#define differs(word, x)                                         \
	__extension__({                                          \
		bool differs_;                                   \
		__asm__ volatile("cmp %[is], %[in]"              \
				 : "=@ccne"(differs_)            \
				 : [in] "m"(word), [is] "r"(x)); \
		differs_;                                        \
	})

/*
 * The usual case: a file to write to, and no other session records the major. Returns that file,
 * and the lane; NULL: another case. For majors of the last word.
 */
static inline __attribute__((always_inline)) struct hookfile *usual_file(struct hookfile **which,
									 unsigned int major,
									 bool named, uint64_t *here)
{
	struct hookfile *f = __atomic_load_n(which, __ATOMIC_ACQUIRE);
	const struct hookfile_control *c;
	const uint32_t *recorded;
	const uint64_t *also;

	/* No thread has the epoch of no_file. */
	if (rare(self.epoch != f->epoch))
		return NULL;
	c = f->control;
	/* An invalid major is recorded nowhere: its number is compared completely. */
	recorded = named ? &c->named : &c->recorded[(size_t)(uint8_t)major];
	if (rare(differs(*recorded, f->generation + major)))
		return NULL;
	also = __atomic_load_n(&f->also, __ATOMIC_RELAXED);
	if (rare(differs(also[3], __atomic_load_n(&f->alone, __ATOMIC_RELAXED))))
		return NULL;
	/* Negative if the thread is not registered for it. */
	*here = __atomic_load_n((const uint32_t *)((const char *)__builtin_thread_pointer() +
						   f->cpu),
				__ATOMIC_RELAXED);
	KEEP_SHORT(*here);
	return rare(*here >= HOOKFILE_LANES) ? NULL : f;
}

static inline __attribute__((always_inline)) void usual_begin(struct hookfile_record *r,
							      uint32_t head, bool tsc)
{
	hookfile_begin(r, head);
	r->stamp = hookfile_now(tsc);
	r->tid = self.tid;
}

/* Is its declaration already in the file? */
static inline bool is_announced(const struct hook_event *e, const struct hookfile *f)
{
	return __atomic_load_n(&e->said->interval, __ATOMIC_RELAXED) == interval_of(f->control);
}

/* False: start again on the general path. */
static bool usual_record(struct hook_record *h, int *rc)
{
	struct hookfile_record *r;
	uint32_t units, head;
	struct hookfile *f;
	uint64_t here;

	f = usual_file(&usual, (unsigned int)h->major, h->event != NULL, &here);
	if (!f || (h->event && !is_announced(h->event, f)))
		return false;
	*rc = hook_measure(h);
	if (*rc)
		return true;
	units = HOOKFILE_RECORD_UNITS + (h->bytes + 7) / 8;
	if (!hookfile_reserve_here(f, here, units, &r))
		return false;
	head = hookfile_head((uint32_t)h->major, units, (uint32_t)h->int_count);
	usual_begin(r, head, f->tsc);
	r->minor = (uint32_t)h->minor;
	r->cpu_strs = hookfile_cpu_strs(here, (uint32_t)h->str_count);
	hook_copy(h, (uint8_t *)(r + 1));
	hookfile_commit(r, head);
	return true;
}

/* The same for integers that are known to exist and to fit: the shortest path. */
static inline __attribute__((always_inline)) bool usual_ints(const struct hook_event *event,
							     unsigned int major, uint32_t minor,
							     uint32_t count, const uint64_t ints[])
{
	uint32_t units = HOOKFILE_RECORD_UNITS + count, head;
	uint64_t here;
	struct hookfile *f = usual_file(&usual, major, event != NULL, &here);
	struct hookfile_record *r;
	uint64_t *to;

	if (rare(!f) || (event && !is_announced(event, f)))
		return false;
	head = hookfile_head(major, units, count);
	if (rare(!hookfile_reserve_here(f, here, units, &r)))
		return false;
	usual_begin(r, head, f->tsc);
	r->minor = minor;
	r->cpu_strs = hookfile_cpu_strs(here, 0);
	to = (uint64_t *)(r + 1);
	while (count--) {
		KEEP_SHORT(count);
		to[count] = ints[count];
	}
	hookfile_commit(r, head);
	return true;
}
#endif

static int write_record(struct hook_record *h)
{
	unsigned int major = (unsigned int)h->major;
	int rc = TRACE_NOBODY;

#ifdef __x86_64__
	if (usual_record(h, &rc))
		return rc;
#endif
	if (hook_listening(0, major) || hook_listening(1, major))
		rc = reach(h);
	if (rc != TRACE_NOBODY || !hook_driver_refused())
		return rc;
	return rc_say(PI_NO_PERMISSION,
		      PITRACE_DEVICE " may not be opened; its group may: "
				     "sudo usermod -aG pitrace $USER, then log in again");
}

/* All but the usual case. It has TraceHook's arguments in the same order, so that passing them on
 * moves few registers; noipa keeps the compiler from dropping the unused one. */
static __attribute__((noipa)) int otherwise(int unused, int major, int minor, int int_count,
					    int str_count, const uint64_t ints[], const int lens[],
					    const char *const strs[])
{
	struct hook_record h = { major, minor, int_count, str_count, ints, lens, strs, 0, NULL };

	(void)unused;
#ifdef __x86_64__
	if (!str_count && (ints || !int_count) &&
	    (unsigned int)int_count <= HOOK_DATA_MAX / sizeof(*ints) &&
	    (unsigned int)major - PITRACE_USER_FIRST < USERS &&
	    usual_ints(NULL, (unsigned int)major, (uint32_t)minor, (uint32_t)int_count, ints))
		return PI_OK;
#endif
	if (!is_users(major, minor))
		return rc_say(PI_INVALID_ARGUMENT,
			      "programs write records of major 0xB0 and 0xD0 to 0xFF");
	return write_record(&h);
}

int hook_write_event(const struct hook_event *e, const uint64_t ints[], const int lens[],
		     const char *const strs[])
{
	struct hook_record h = {
		.major = PITRACE_NAMED,
		.minor = (int)e->number,
		.int_count = (int)e->ints,
		.str_count = (int)e->strs,
		.ints = ints,
		.lens = lens,
		.strs = strs,
		.event = e,
	};

	return e->wanted ? write_record(&h) : TRACE_NOBODY;
}

/* All but the usual case, like TraceHook's. */
static __attribute__((noipa)) int event_otherwise(const struct hook_event *e, const uint64_t ints[])
{
#ifdef __x86_64__
	if (e->wanted && usual_ints(e, PITRACE_NAMED, e->number, e->ints, ints))
		return PI_OK;
#endif
	return hook_write_event(e, ints, NULL, NULL);
}

#ifdef __x86_64__
/* Like TraceHook with integers. An event that is not wanted is declared nowhere. */
__attribute__((optimize("omit-frame-pointer"))) int hook_write_ints(const struct hook_event *e,
								    const uint64_t ints[])
{
	struct hookfile_record *r;
	struct hookfile *f;
	uint64_t here, bytes;

	f = usual_file(&fast, PITRACE_NAMED, true, &here);
	if (rare(!f) || rare(!is_announced(e, f)))
		goto otherwise;
	if (rare(!hookfile_reserve_here(f, here, HOOKFILE_RECORD_UNITS + e->ints, &r)))
		goto otherwise;
	usual_begin(r, e->head, true);
	r->minor = e->number;
	r->cpu_strs = hookfile_cpu_strs(here, 0);
	/* The compiler would count both elements and their bytes. */
	for (bytes = e->ints * sizeof(*ints); bytes; bytes -= sizeof(*ints)) {
		KEEP_SHORT(bytes);
		*(uint64_t *)((char *)r + sizeof(*r) - sizeof(*ints) + bytes) =
			*(const uint64_t *)((const char *)(ints - 1) + bytes);
	}
	hookfile_commit(r, e->head);
	return PI_OK;
otherwise:
	return event_otherwise(e, ints);
}
#else
int hook_write_ints(const struct hook_event *e, const uint64_t ints[])
{
	return event_otherwise(e, ints);
}
#endif

#undef TraceHook
#ifdef __x86_64__
/* The most frequent case, two integers, has its own path with the fewest instructions. All other
 * cases start again. */
__attribute__((optimize("omit-frame-pointer"))) int TraceHook(int cpu, int major, int minor,
							      int int_count, int str_count,
							      const uint64_t ints[],
							      const int lens[],
							      const char *const strs[])
{
	enum { INTS = 2, UNITS = HOOKFILE_RECORD_UNITS + INTS };
	struct hookfile_record *r;
	struct hookfile *f;
	uint64_t here, *to;
	uint32_t head;
	int rc;

	(void)cpu;
	/* Tested separately: the compiler would merge them into one condition with more
	 * instructions. */
	if (rare(str_count))
		goto otherwise;
	__asm__ volatile("");
	if (rare(int_count != INTS))
		goto otherwise;
	__asm__ volatile("");
	if (rare(!ints))
		goto otherwise;
	f = usual_file(&fast, (unsigned int)major, false, &here);
	if (rare(!f))
		goto integers;
	head = hookfile_head((unsigned int)major, UNITS, INTS);
	if (rare(!hookfile_reserve_here(f, here, UNITS, &r)))
		goto full;
	usual_begin(r, head, true);
	r->minor = (uint32_t)minor;
	r->cpu_strs = hookfile_cpu_strs(here, 0);
	to = (uint64_t *)(r + 1);
	to[0] = ints[0];
	to[1] = ints[1];
	hookfile_commit_short(r);
	return PI_OK;
	/* As tail calls these would need their arguments in registers all the time, and so would
	 * the values known by now. */
full:
	KEEP_SHORT(head);
	major = (uint8_t)head;
integers:
	rc = otherwise(0, major, minor, INTS, 0, ints, NULL, NULL);
	KEEP_SHORT(rc);
	return rc;
otherwise:
	rc = otherwise(0, major, minor, int_count, str_count, ints, lens, strs);
	KEEP_SHORT(rc);
	return rc;
}
#else
int TraceHook(int cpu, int major, int minor, int int_count, int str_count, const uint64_t ints[],
	      const int lens[], const char *const strs[])
{
	return otherwise(cpu, major, minor, int_count, str_count, ints, lens, strs);
}
#endif

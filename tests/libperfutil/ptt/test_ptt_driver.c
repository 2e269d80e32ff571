/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PTT of the program's own threads by the module: who has which page, and what it reads there. */
#include <cycles.h>
#include <pthread.h>
#include <sys/wait.h>

#include "ptt_module.h"

/* ---- of the program itself ---- */

static const struct ptt_config cycles = { .metrics = 1,
					  .threads = SLOTS,
					  .metric[0].cycles = true };

static void begin(const struct ptt_config *config)
{
	load_module();
	for (int i = 0; i < SLOTS; i++) {
		fill_thread(i, 0);
		slot_page(i)->metric[0].how = PITRACE_HOW_CYCLES;
	}
	CU_ASSERT_EQUAL_FATAL(ptt_by_driver.init(config), PI_OK);
}

static void end(void)
{
	ptt_by_driver.term();
	CU_ASSERT(!PttOwn.page && !PttOwn.cycles);
	unload_module();
}

static void add(int tid, int slot)
{
	module.answer = slot;
	CU_ASSERT_EQUAL(ptt_by_driver.add(tid), PI_OK);
	CU_ASSERT(module.request == PITRACE_IOC_PTT_ADD && module.thread.tid == tid &&
		  !module.thread.flags);
	module.answer = 0;
}

static const char *not_added(int tid)
{
	static char text[128];

	snprintf(text, sizeof(text), "thread %d was not added: call PttInitThread", tid);
	return text;
}

/* A thread's own cycles: what it used up to the last event, and since. */
static void own_cycles(void)
{
	int (*read_own)(uint64_t * values);
	uint64_t value, before, after;
	struct pitrace_ptt_thread *t;

	begin(&cycles);
	read_own = ptt_by_driver.reader(&cycles);
	value = 1;
	FAILS(read_own(&value), PI_NO_PROCESS, not_added(gettid()));
	add(gettid(), 1);
	t = slot_page(1);
	CU_ASSERT(PttOwn.page && PttOwn.cycles == PttOwn.page);
	t->metric[0].last = ReadCycles();
	t->metric[0].value = 1000;
	before = ReadCycles();
	CU_ASSERT_EQUAL(read_own(&value), PI_OK);
	after = ReadCycles();
	CU_ASSERT(value - 1000 >= before - t->metric[0].last &&
		  value - 1000 <= after - t->metric[0].last);
	CU_ASSERT_EQUAL(PttReadInline(&value), PI_OK);
	CU_ASSERT(value - 1000 >= after - t->metric[0].last);
	end();
}

/* Where one may not read a counter oneself, the module brings the page up to date. */
static void own_by_request(void)
{
	int (*read_own)(uint64_t * values);
	uint64_t value[3] = { 0, 0, 9 };
	struct ptt_info info = { .note = "" };

	begin(&two);
	read_own = ptt_by_driver.reader(&two);
	FAILS(read_own(value), PI_NO_PROCESS, not_added(gettid()));
	FAILS(read_own(NULL), PI_INVALID_ARGUMENT, "no memory for values given");
	add(gettid(), 0);
	CU_ASSERT_EQUAL(read_own(value), PI_OK);
	CU_ASSERT_EQUAL(module.request, PITRACE_IOC_PTT_UPDATE_HERE);
	CU_ASSERT(value[0] == 100 && value[1] == 101 && value[2] == 9);
	module.answer = -EFAULT;
	FAILS(read_own(value), PI_ERROR, "PTT: Bad address");
	ptt_by_driver.info(&two, &info);
	CU_ASSERT(info.apart == 1 && !info.fast);
	CU_ASSERT_STRING_EQUAL(info.note,
			       "this program may not read these counters itself: each read is a system call, which is in the values");
	module.control->flags = PITRACE_PTT_BLIND;
	ptt_by_driver.info(&two, &info);
	CU_ASSERT(!info.apart && !info.fast);
	CU_ASSERT_STRING_EQUAL(info.note,
			       "this kernel has no hooks for interrupts: they are in the values");
	module.control->flags = 0;
	info = (struct ptt_info){ .note = "" };
	ptt_by_driver.info(&cycles, &info);
	CU_ASSERT(info.apart == 1 && info.fast == 1);
	CU_ASSERT_STRING_EQUAL(info.note, "");
	end();
}

static void other_threads(void)
{
	struct ptt_thread_data d;

	begin(&two);
	add(gettid(), 0);
	add(1, 2);
	CU_ASSERT(PttOwn.page && PttOwn.page->generation == 13);
	CU_ASSERT(!ptt_by_driver.read(1, &d) && module.request == PITRACE_IOC_PTT_UPDATE);
	CU_ASSERT(is_thread(&d, 1, false));
	CU_ASSERT(!ptt_by_driver.read(gettid(), &d) &&
		  module.request == PITRACE_IOC_PTT_UPDATE_HERE);
	CU_ASSERT(is_thread(&d, gettid(), false));
	FAILS(ptt_by_driver.read(2, &d), PI_NO_PROCESS, not_added(2));
	module.answer = -EFAULT;
	FAILS(ptt_by_driver.read(1, &d), PI_ERROR, "PTT: Bad address");
	FAILS(ptt_by_driver.charge(true), PI_ERROR, "PTT: Bad address");
	module.answer = 0;
	CU_ASSERT(!ptt_by_driver.charge(true) && module.flags == PITRACE_PTT_CHARGE &&
		  module.request == PITRACE_IOC_PTT_CHARGE);
	CU_ASSERT(!ptt_by_driver.charge(false) && !module.flags);
	/* Its slot went to another thread. */
	slot_page(2)->generation++;
	FAILS(ptt_by_driver.read(1, &d), PI_NO_PROCESS, not_added(1));
	end();
}

/* Whom interrupts are charged to: as chosen before, and then by a request to the module. */
static void charged(void)
{
	static const char *const metrics[] = { "tsc", "task-clock" };

	load_module();
	CU_ASSERT_EQUAL(PttSetCharge(1), PI_OK);
	CU_ASSERT(!module.request && !module.asked);
	CU_ASSERT_EQUAL_FATAL(PttInit(2, metrics, TRACE_PRIV_ANY), PI_OK);
	CU_ASSERT(module.asked == 1 && module.args.flags == PITRACE_PTT_CHARGE);
	CU_ASSERT_EQUAL(PttSetCharge(0), PI_OK);
	CU_ASSERT(module.request == PITRACE_IOC_PTT_CHARGE && !module.flags);
	CU_ASSERT_EQUAL(PttSetCharge(1), PI_OK);
	CU_ASSERT_EQUAL(module.flags, PITRACE_PTT_CHARGE);
	module.answer = -EFAULT;
	FAILS(PttSetCharge(0), PI_ERROR, "PTT: Bad address");
	module.answer = 0;
	CU_ASSERT_EQUAL(PttTerminate(), PI_OK);
	unload_module();
}

static void removed(void)
{
	struct ptt_thread_data d;

	begin(&cycles);
	add(gettid(), 0);
	add(1, 2);
	CU_ASSERT_EQUAL(ptt_by_driver.remove(1), PI_OK);
	CU_ASSERT(module.request == PITRACE_IOC_PTT_REMOVE && module.thread.tid == 2 &&
		  module.thread.flags == PITRACE_PTT_SLOT);
	CU_ASSERT(PttOwn.page != NULL);
	FAILS(ptt_by_driver.remove(1), PI_NO_PROCESS, not_added(1));
	FAILS(ptt_by_driver.read(1, &d), PI_NO_PROCESS, not_added(1));
	/* One that had ended is not a failure. */
	module.answer = -ESRCH;
	CU_ASSERT_EQUAL(ptt_by_driver.remove(gettid()), PI_OK);
	CU_ASSERT(!PttOwn.page && !PttOwn.cycles);
	add(1, 1);
	module.answer = -EFAULT;
	FAILS(ptt_by_driver.remove(1), PI_ERROR, "thread 1: Bad address");
	end();
}

static void not_to_be_added(void)
{
	begin(&cycles);
	module.answer = -ENOSPC;
	FAILS(ptt_by_driver.add(7), PI_BUFFER_FULL,
	      "PTT has room for 3 threads, all are in use: raise it by PttSetThreads");
	module.answer = -EPERM;
	FAILS(ptt_by_driver.add(7), PI_NO_PERMISSION, "this user may not watch thread 7");
	module.answer = -ESRCH;
	FAILS(ptt_by_driver.add(7), PI_NO_PROCESS, "no thread 7");
	module.answer = -EFAULT;
	FAILS(ptt_by_driver.add(7), PI_ERROR, "thread 7: Bad address");
	end();
}

/* A slot that another thread has now is no longer this one's, nor where it moved from. */
static void reused(void)
{
	int (*read_own)(uint64_t * values);
	uint64_t value;

	begin(&cycles);
	read_own = ptt_by_driver.reader(&cycles);
	add(gettid(), 0);
	add(gettid(), 0);
	CU_ASSERT(PttOwn.page && PttOwn.page == PttOwn.cycles);
	slot_page(0)->generation++;
	add(1, 0);
	CU_ASSERT(!PttOwn.page && !PttOwn.cycles);
	FAILS(read_own(&value), PI_NO_PROCESS, not_added(gettid()));
	add(gettid(), 1);
	add(gettid(), 2);
	/* The one before the last is given away: it was left. */
	slot_page(1)->generation++;
	add(1, 1);
	CU_ASSERT(PttOwn.page && !read_own(&value));
	end();
}

/* Added by another thread, a thread finds its slot with its first read. */
static void *find_own(void *arg)
{
	pthread_barrier_t *meet = arg;
	uint64_t value = 0;

	module.answer = gettid();
	pthread_barrier_wait(meet);
	pthread_barrier_wait(meet);
	slot_page(1)->metric[0].last = ReadCycles();
	CU_ASSERT_EQUAL(ptt_by_driver.reader(&cycles)(&value), PI_OK);
	CU_ASSERT(value >= 100 && PttOwn.page && PttOwn.cycles);
	return NULL;
}

static void added_by_another(void)
{
	pthread_barrier_t meet;
	pthread_t t;

	begin(&cycles);
	pthread_barrier_init(&meet, NULL, 2);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&t, NULL, find_own, &meet), 0);
	pthread_barrier_wait(&meet);
	add(module.answer, 1);
	CU_ASSERT_PTR_NULL(PttOwn.page);
	pthread_barrier_wait(&meet);
	pthread_join(t, NULL);
	pthread_barrier_destroy(&meet);
	end();
}

/* Nothing of the parent's is the child's; who reads after the end reads zeros. */
static void forked(void)
{
	const struct pitrace_ptt_thread *own;
	int status = 0;
	pid_t pid;

	begin(&cycles);
	add(gettid(), 0);
	own = PttOwn.page;
	CU_ASSERT_EQUAL(own->dispatches, 11);
	pid = fork();
	if (!pid) {
		ptt_by_driver.forked();
		_exit(PttOwn.page || PttOwn.cycles ? 1 : 7);
	}
	CU_ASSERT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
	CU_ASSERT_PTR_EQUAL(PttOwn.page, own);
	ptt_by_driver.term();
	CU_ASSERT(!own->dispatches && !own->metric[0].value && !PttOwn.page);
	unload_module();
	/* The same memory serves the next time. */
	begin(&cycles);
	add(gettid(), 0);
	CU_ASSERT(PttOwn.page == own && own->dispatches == 11);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "own_cycles", own_cycles },
		{ "own_by_request", own_by_request },
		{ "other_threads", other_threads },
		{ "charged", charged },
		{ "removed", removed },
		{ "not_to_be_added", not_to_be_added },
		{ "reused", reused },
		{ "added_by_another", added_by_another },
		{ "forked", forked },
		{ NULL, NULL },
	};

	return unit_run("ptt_driver", tests);
}

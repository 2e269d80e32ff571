/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PTT of others' threads by the module: what it is asked for, what its refusals mean, its pages. */
#include "collect/driver/driver_diagnosis.h"
#include "ptt_module.h"

/* ---- the descriptor ---- */

static void what_is_asked(void)
{
	struct ptt_config config = two;
	struct pitrace_ptt_args *a = &module.args;
	int fd = -1;

	load_module();
	CU_ASSERT_EQUAL(ptt_device(&config, &fd), PI_OK);
	CU_ASSERT(fd >= 0 && !close(fd));
	CU_ASSERT(a->size == sizeof(*a) && a->version == PITRACE_ABI_VERSION && !a->flags);
	CU_ASSERT(a->metrics == 2 && a->slots == SLOTS && !a->failed);
	CU_ASSERT(a->metric[0].type == PITRACE_METRIC_CYCLES && !a->metric[0].flags &&
		  !a->metric[0].config && !a->metric[0].config1 && !a->metric[0].config2);
	CU_ASSERT(a->metric[1].type == 4 && a->metric[1].flags == PITRACE_METRIC_USER &&
		  a->metric[1].config == 5 && a->metric[1].config1 == 6 &&
		  a->metric[1].config2 == 7);
	CU_ASSERT(!a->metric[2].type && !a->metric[2].config);
	config.charged = true;
	config.metric[1].event.flags = PITRACE_EVENT_KERNEL;
	CU_ASSERT_EQUAL(ptt_device(&config, &fd), PI_OK);
	close(fd);
	CU_ASSERT(a->flags == PITRACE_PTT_CHARGE && a->metric[1].flags == PITRACE_METRIC_KERNEL);
	config.metric[1].event.flags = 0;
	CU_ASSERT_EQUAL(ptt_device(&config, &fd), PI_OK);
	close(fd);
	CU_ASSERT(!a->metric[1].flags);
	unload_module();
}

static void refusals(void)
{
	static const struct {
		int err, failed, rc;
		const char *words;
	} cases[] = {
		{ EUSERS, 0, PI_BUSY,
		  "no PTT is free: there are 8 at most, and fewer for users without CAP_PERFMON" },
		{ EDQUOT, 0, PI_BUSY, "this user has as many PTTs as one may have" },
		{ ENOMEM, 0, PI_NO_MEMORY,
		  "no memory for pages of 3 threads: raise what this user may lock (ulimit -l), or ask for fewer threads" },
		{ ENOTTY, 1, PI_BAD_DRIVER,
		  "the pitrace module is of another version: it has no such PTT" },
		{ EINVAL, 0, PI_BAD_DRIVER,
		  "the pitrace module is of another version: it has no such PTT" },
		{ EINVAL, 1, PI_EVENT_UNSUPPORTED,
		  "metric thing: this machine has no counter for it (many virtual machines have none)" },
		{ ENODEV, 1, PI_EVENT_UNSUPPORTED,
		  "metric thing: this machine has no counter for it (many virtual machines have none)" },
		{ ENOENT, 1, PI_EVENT_UNSUPPORTED,
		  "metric thing: this machine has no counter for it (many virtual machines have none)" },
		{ EOPNOTSUPP, 1, PI_EVENT_UNSUPPORTED,
		  "metric thing: this machine has no counter for it (many virtual machines have none)" },
		{ EPERM, 1, PI_NO_PERMISSION,
		  "metric thing: without CAP_PERFMON the module counts user code alone (:u), and by hardware counters only where kernel.perf_event_paranoid is 0 or less" },
		{ EADDRINUSE, 1, PI_BUSY,
		  "metric thing: no counter is free for it beside the others and other users': take fewer metrics at a time" },
		{ EFAULT, 0, PI_ERROR, "metric tsc: Bad address" },
	};
	int fd;

	load_module();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		module.refusals = 1;
		module.refused = cases[i].err;
		module.failed = cases[i].failed;
		FAILS(ptt_device(&two, &fd), cases[i].rc, cases[i].words);
	}
	driver_diagnosis_group = "nobody is in it";
	module.no_device = EACCES;
	FAILS(ptt_device(&two, &fd), PI_NO_PERMISSION,
	      "PTT needs the pitrace module: /dev/pitrace: Permission denied: run swtrace as root (sudo)");
	unload_module();
}

/* ---- of other programs ---- */

static struct pttview *open_view(int threads, int *rc)
{
	static const char *const names[] = { "tsc" };
	struct pttview_options o = { .count = 1, .metrics = names, .threads = threads };

	return pttview_open(&o, rc);
}

static void threads_of_a_view(void)
{
	struct pttview *v;
	int rc;

	load_module();
	v = open_view(0, &rc);
	CU_ASSERT(v && !rc && module.args.slots == 1024 && module.args.metrics == 1);
	CU_ASSERT(module.args.metric[0].type == PITRACE_METRIC_CYCLES && module.asked == 1);
	pttview_close(v);
	v = open_view(4096, &rc);
	CU_ASSERT(v && !rc && module.args.slots == 4096);
	pttview_close(v);
	/* Half as many each time, 64 at least; as many as were asked for, or none. */
	module.asked = 0;
	module.refusals = 4;
	module.refused = ENOMEM;
	v = open_view(0, &rc);
	CU_ASSERT(v && !rc && module.asked == 5 && module.args.slots == 64);
	pttview_close(v);
	module.asked = 0;
	module.refusals = 9;
	CU_ASSERT_PTR_NULL(open_view(0, &rc));
	CU_ASSERT(rc == PI_NO_MEMORY && module.asked == 5);
	module.asked = 0;
	CU_ASSERT_PTR_NULL(open_view(512, &rc));
	CU_ASSERT(rc == PI_NO_MEMORY && module.asked == 1);
	module.asked = 0;
	module.refused = EDQUOT;
	CU_ASSERT_PTR_NULL(open_view(0, &rc));
	CU_ASSERT(rc == PI_BUSY && module.asked == 1);
	module.asked = 0;
	CU_ASSERT_PTR_NULL(open_view(-1, &rc));
	FAILS(rc, PI_INVALID_ARGUMENT, "-1 threads: 1 to 4096");
	CU_ASSERT_PTR_NULL(open_view(4097, &rc));
	FAILS(rc, PI_INVALID_ARGUMENT, "4097 threads: 1 to 4096");
	CU_ASSERT_PTR_NULL(pttview_open(NULL, &rc));
	FAILS(rc, PI_INVALID_ARGUMENT, "no options given");
	CU_ASSERT_EQUAL(module.asked, 0);
	unload_module();
}

/* Pages that cannot be mapped: of threads, of CPUs. */
static void unmapped(void)
{
	int rc;

	load_module();
	module.control->thread_offset++;
	CU_ASSERT_PTR_NULL(open_view(0, &rc));
	FAILS(rc, PI_INVALID_ARGUMENT, "PTT's pages cannot be mapped: Invalid argument");
	FAILS(ptt_by_driver.init(&two), PI_INVALID_ARGUMENT,
	      "PTT's pages cannot be mapped: Invalid argument");
	module.control->thread_offset--;
	module.control->cpu_offset++;
	CU_ASSERT_PTR_NULL(open_view(0, &rc));
	FAILS(rc, PI_INVALID_ARGUMENT, "PTT's pages cannot be mapped: Invalid argument");
	unload_module();
}

/* Another process passes its descriptor, which may be of another version. */
static void given(void)
{
	static const char other[] = "PTT's pages are of another version";
	struct pttview *v;
	int rc, fd;

	load_module();
	fd = dup(module.fd);
	v = ptt_view_of(&two, fd, &rc);
	CU_ASSERT(v && !rc && ptt_view_fd(v) == fd && pttview_slots(v) == SLOTS);
	pttview_close(v);
	pttview_close(NULL);
	module.control->size++;
	CU_ASSERT_PTR_NULL(ptt_view_of(&two, dup(module.fd), &rc));
	FAILS(rc, PI_BAD_DRIVER, other);
	module.control->size--;
	module.control->version++;
	CU_ASSERT_PTR_NULL(ptt_view_of(&two, dup(module.fd), &rc));
	FAILS(rc, PI_BAD_DRIVER, other);
	module.control->version--;
	module.control->metrics++;
	CU_ASSERT_PTR_NULL(ptt_view_of(&two, dup(module.fd), &rc));
	FAILS(rc, PI_BAD_DRIVER, other);
	unload_module();
}

/* A program may have closed 0: then it is the view's descriptor, and closed with it. */
static void descriptor_0(void)
{
	int kept = dup(0), rc;
	struct pttview *v;

	load_module();
	close(0);
	CU_ASSERT_EQUAL_FATAL(dup(module.fd), 0);
	v = ptt_view_of(&two, 0, &rc);
	CU_ASSERT(v && !rc && ptt_view_fd(v) == 0 && fcntl(0, F_GETFD) >= 0);
	pttview_close(v);
	CU_ASSERT(fcntl(0, F_GETFD) < 0 && errno == EBADF);
	unload_module();
	dup2(kept, 0);
	close(kept);
}

static struct pttview *view(void)
{
	int rc;

	return ptt_view_of(&two, dup(module.fd), &rc);
}

static void requests(void)
{
	static const uint32_t flags[] = { 1, 3, 4 };
	static const int tids[] = { 77, 77, 0 };
	static const int whom[] = { PTTVIEW_PROCESS, PTTVIEW_CHILDREN, PTTVIEW_ALL };
	struct pttview *v;

	load_module();
	v = view();
	for (int i = 0; i < 3; i++) {
		module.answer = i;
		CU_ASSERT_EQUAL(pttview_add(v, whom[i], 77), i);
		CU_ASSERT_EQUAL(module.request, PITRACE_IOC_PTT_ADD);
		CU_ASSERT(module.thread.size == sizeof(module.thread) &&
			  module.thread.version == PITRACE_ABI_VERSION);
		CU_ASSERT(module.thread.flags == flags[i] && module.thread.tid == tids[i]);
	}
	module.answer = 2;
	CU_ASSERT_EQUAL(pttview_remove(v, PTTVIEW_ALL, 77), 2);
	CU_ASSERT(module.request == PITRACE_IOC_PTT_REMOVE && module.thread.flags == 4 &&
		  !module.thread.tid);
	CU_ASSERT_EQUAL(pttview_remove(v, PTTVIEW_PROCESS, 77), 2);
	CU_ASSERT(module.thread.flags == 1 && module.thread.tid == 77);
	module.answer = 0;
	CU_ASSERT(!pttview_charge(v, 5) && module.request == PITRACE_IOC_PTT_CHARGE);
	CU_ASSERT_EQUAL(module.flags, PITRACE_PTT_CHARGE);
	CU_ASSERT(!pttview_charge(v, 0) && !module.flags);
	CU_ASSERT(!pttview_update(v) && module.request == PITRACE_IOC_PTT_UPDATE);
	CU_ASSERT(!pttview_stop(v) && module.request == PITRACE_IOC_PTT_STOP);
	module.request = 0;
	FAILS(pttview_add(v, -1, 77), PI_INVALID_ARGUMENT, "whom?");
	FAILS(pttview_add(v, 3, 77), PI_INVALID_ARGUMENT, "whom?");
	FAILS(pttview_remove(v, PTTVIEW_CHILDREN, 77), PI_INVALID_ARGUMENT, "whom?");
	CU_ASSERT_EQUAL(module.request, 0);
	pttview_close(v);
	unload_module();
}

static void failed_requests(void)
{
	struct pttview *v;

	load_module();
	v = view();
	module.answer = -ENOSPC;
	FAILS(pttview_add(v, PTTVIEW_PROCESS, 77), PI_BUFFER_FULL,
	      "there is room for 3 threads, not for all of these");
	module.answer = -EPERM;
	FAILS(pttview_add(v, PTTVIEW_ALL, 0), PI_NO_PERMISSION,
	      "watching all threads needs CAP_PERFMON: run it as root (sudo)");
	FAILS(pttview_add(v, PTTVIEW_CHILDREN, 77), PI_NO_PERMISSION,
	      "this user may not watch process 77");
	module.answer = -ESRCH;
	FAILS(pttview_add(v, PTTVIEW_PROCESS, 77), PI_NO_PROCESS, "no process 77");
	FAILS(pttview_remove(v, PTTVIEW_PROCESS, 77), PI_NO_PROCESS, "no process 77 is watched");
	module.answer = -EFAULT;
	FAILS(pttview_add(v, PTTVIEW_PROCESS, 77), PI_ERROR, "process 77: Bad address");
	FAILS(pttview_charge(v, 1), PI_ERROR, "PTT: Bad address");
	FAILS(pttview_update(v), PI_ERROR, "PTT: Bad address");
	FAILS(pttview_stop(v), PI_ERROR, "PTT: Bad address");
	FAILS(pttview_users(), PI_ERROR, "PTT: Bad address");
	module.answer = 0;
	module.ptts = 5;
	CU_ASSERT_EQUAL(pttview_users(), 5);
	CU_ASSERT_EQUAL(module.request, PITRACE_IOC_INFO);
	module.no_device = ENOENT;
	FAILS(pttview_users(), PI_DRIVER_NOT_LOADED, "/dev/pitrace: No such file or directory");
	pttview_close(v);
	unload_module();
}

static void threads_read(void)
{
	struct ptt_thread_data d;
	struct pttview *v;

	load_module();
	v = view();
	fill_thread(0, 20);
	fill_thread(2, 22);
	slot_page(2)->state = PITRACE_PTT_ENDED;
	CU_ASSERT_EQUAL(pttview_slots(v), SLOTS);
	CU_ASSERT(pttview_thread(v, 0, &d) == 1 && is_thread(&d, 20, false));
	CU_ASSERT(pttview_thread(v, 2, &d) == 1 && is_thread(&d, 22, true));
	CU_ASSERT_EQUAL(pttview_thread(v, 1, &d), 0);
	CU_ASSERT_EQUAL(pttview_thread(v, 3, &d), 0);
	CU_ASSERT_EQUAL(pttview_thread(v, -1, &d), 0);
	CU_ASSERT_EQUAL(pttview_thread(v, 0, NULL), 0);
	pttview_close(v);
	unload_module();
}

static void gone(void)
{
	struct pttview_gone g;
	struct pttview *v;

	load_module();
	v = view();
	module.control->unwatched = 1;
	module.control->gone = 2;
	module.control->gone_dispatches = 3;
	module.control->gone_interrupts = 4;
	for (uint64_t i = 0; i < PITRACE_METRICS; i++) {
		module.control->gone_value[i] = 10 + i;
		module.control->gone_interrupt[i] = 20 + i;
	}
	memset(&g, 0xff, sizeof(g));
	pttview_gone(v, &g);
	CU_ASSERT(g.unwatched == 1 && g.threads == 2 && g.dispatches == 3 && g.interrupts == 4);
	for (uint64_t i = 0; i < PITRACE_METRICS; i++)
		CU_ASSERT(g.value[i] == 10 + i && g.interrupt[i] == 20 + i);
	pttview_close(v);
	unload_module();
}

static void cpus_read(void)
{
	struct pttview_cpu d;
	struct pttview *v;

	load_module();
	v = view();
	*cpu_page(1) = (struct pitrace_ptt_cpu){
		.present = 1,
		.online = 1,
		.sequence = 2,
		.dispatches = 3,
		.interrupts = 4,
		.steal = 5,
		.missing = 6,
		.start = { 1000, 2000, 3000 },
		.last = { 1001, 2002, 3003 },
		.bucket[PITRACE_PTT_IDLE][1] = 7,
		.bucket[PITRACE_PTT_INTERRUPTS][0] = 8,
	};
	CU_ASSERT_EQUAL(pttview_cpus(v), CPUS);
	memset(&d, 0xff, sizeof(d));
	CU_ASSERT_EQUAL(pttview_cpu(v, 0, &d), 0);
	CU_ASSERT_EQUAL(pttview_cpu(v, 2, &d), 0);
	CU_ASSERT_EQUAL(pttview_cpu(v, -1, &d), 0);
	CU_ASSERT_EQUAL(pttview_cpu(v, 1, NULL), 0);
	CU_ASSERT_EQUAL(pttview_cpu(v, 1, &d), 1);
	CU_ASSERT(d.online == 1 && d.missing == 6 && d.dispatches == 3 && d.interrupts == 4 &&
		  d.steal == 5);
	CU_ASSERT(d.wall[0] == 1 && d.wall[1] == 2 && !d.wall[2]);
	CU_ASSERT(d.bucket[PTTVIEW_IDLE][1] == 7 && d.bucket[PTTVIEW_INTERRUPTS][0] == 8 &&
		  !d.bucket[PTTVIEW_THREADS][0]);
	pttview_close(v);
	/* CPUs that this user may not see. */
	module.control->cpu_offset = 0;
	v = view();
	CU_ASSERT(v && !pttview_cpus(v) && !pttview_cpu(v, 1, &d));
	pttview_close(v);
	unload_module();
}

static void flags(void)
{
	static const struct {
		uint32_t flags;
		int apart, charged, stopped;
		const char *note;
	} cases[] = {
		{ 0, 1, 0, 0, "" },
		{ PITRACE_PTT_CHARGE, 1, 1, 0, "" },
		{ PITRACE_PTT_STOPPED, 1, 0, 1, "" },
		{ PITRACE_PTT_BLIND | PITRACE_PTT_UNSURE, 0, 0, 0,
		  "this kernel has no hooks for interrupts: they are in the values" },
		{ PITRACE_PTT_UNSURE, 1, 0, 0,
		  "this machine's counter may change its rate, or differ by CPU: cycles are unreliable" },
	};
	struct ptt_info info;
	struct pttview *v;

	load_module();
	v = view();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		module.control->flags = cases[i].flags;
		memset(&info, 0xff, sizeof(info));
		pttview_info(v, &info);
		CU_ASSERT(info.size == sizeof(info) && info.version == 1 && info.metrics == 2);
		CU_ASSERT(info.threads == SLOTS && !info.fast && (int)info.apart == cases[i].apart);
		CU_ASSERT_STRING_EQUAL(info.collector, "driver");
		CU_ASSERT_STRING_EQUAL(info.metric[0], "tsc");
		CU_ASSERT_STRING_EQUAL(info.metric[1], "thing");
		CU_ASSERT_STRING_EQUAL(info.unit[0], "cycles");
		CU_ASSERT_STRING_EQUAL(info.unit[1], "events");
		CU_ASSERT_STRING_EQUAL(info.note, cases[i].note);
		CU_ASSERT_EQUAL(pttview_charged(v), cases[i].charged);
		CU_ASSERT_EQUAL(pttview_stopped(v), cases[i].stopped);
	}
	pttview_close(v);
	unload_module();
}

/* ---- structs of other sizes ---- */

enum { OLD = 0 }; /* no size: a program that was built before there were any */

/* The library's own source has another name for these. */
int old_thread(const struct pttview *v, int slot, void *data) __asm__("pttview_thread");
void old_gone(const struct pttview *v, void *gone) __asm__("pttview_gone");
int old_cpu(const struct pttview *v, int cpu, void *data) __asm__("pttview_cpu");
void old_info(const struct pttview *v, void *info) __asm__("pttview_info");

static void give_thread(const struct pttview *v, void *to, size_t size)
{
	int rc = size == OLD ? old_thread(v, 1, to) : pttview_thread_sized(v, 1, to, size);

	CU_ASSERT_EQUAL(rc, 1);
}

static void give_gone(const struct pttview *v, void *to, size_t size)
{
	if (size == OLD)
		old_gone(v, to);
	else
		pttview_gone_sized(v, to, size);
}

static void give_cpu(const struct pttview *v, void *to, size_t size)
{
	int rc = size == OLD ? old_cpu(v, 1, to) : pttview_cpu_sized(v, 1, to, size);

	CU_ASSERT_EQUAL(rc, 1);
}

static void give_info(const struct pttview *v, void *to, size_t size)
{
	if (size == OLD)
		old_info(v, to);
	else
		pttview_info_sized(v, to, size);
}

/* Structs of any size: what there is room for, then zeros, and not a byte behind it. */
static void other_sizes(void)
{
	static const struct {
		void (*give)(const struct pttview *v, void *to, size_t size);
		size_t whole, old;
	} structs[] = {
		{ give_thread, sizeof(struct ptt_thread_data), sizeof(struct ptt_thread_data) },
		{ give_gone, sizeof(struct pttview_gone), sizeof(struct pttview_gone) },
		{ give_cpu, sizeof(struct pttview_cpu), sizeof(struct pttview_cpu) },
		{ give_info, sizeof(struct ptt_info), sizeof(struct ptt_info) },
	};
	static unsigned char whole[2048], got[2048];
	struct pttview *v;

	load_module();
	v = view();
	fill_thread(1, 21);
	memset(cpu_page(1), 0x12, sizeof(struct pitrace_ptt_cpu));
	cpu_page(1)->sequence = 2;
	memset(module.control->gone_value, 0x13, sizeof(module.control->gone_value));
	for (size_t i = 0; i < sizeof(structs) / sizeof(structs[0]); i++) {
		const size_t n = structs[i].whole;
		unsigned int not_0 = 0;

		CU_ASSERT_FATAL(n + 24 < sizeof(whole));
		memset(whole, 0xa5, sizeof(whole));
		structs[i].give(v, whole, n);
		CU_ASSERT_EQUAL(whole[n], 0xa5);
		for (size_t k = 0; k < n; k++)
			not_0 += whole[k] != 0;
		CU_ASSERT(not_0 > 10);
		for (size_t size = 1; size < n + 17; size++) {
			const size_t both = size < n ? size : n;
			size_t after = both;

			memset(got, 0xa5, sizeof(got));
			structs[i].give(v, got, size);
			CU_ASSERT_EQUAL(memcmp(got, whole, both), 0);
			while (after < size && !got[after])
				after++;
			CU_ASSERT_EQUAL(after, size);
			while (after < sizeof(got) && got[after] == 0xa5)
				after++;
			CU_ASSERT_EQUAL(after, sizeof(got));
		}
		memset(got, 0xa5, sizeof(got));
		structs[i].give(v, got, OLD);
		CU_ASSERT_EQUAL(memcmp(got, whole, structs[i].old), 0);
		CU_ASSERT(got[structs[i].old] == 0xa5 && got[structs[i].old + 1] == 0xa5);
	}
	pttview_close(v);
	unload_module();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "what_is_asked", what_is_asked },
		{ "refusals", refusals },
		{ "threads_of_a_view", threads_of_a_view },
		{ "unmapped", unmapped },
		{ "given", given },
		{ "descriptor_0", descriptor_0 },
		{ "requests", requests },
		{ "failed_requests", failed_requests },
		{ "threads_read", threads_read },
		{ "gone", gone },
		{ "cpus_read", cpus_read },
		{ "flags", flags },
		{ "other_sizes", other_sizes },
		{ NULL, NULL },
	};

	return unit_run("pttview", tests);
}

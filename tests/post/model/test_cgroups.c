/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of containers and units; a process's cgroup at a time, whatever order the records have. */
#include "cgroup_name.h"
#include "file/record_kinds.h"
#include "model/cgroups.h"
#include "record/origin.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ID16         "0123456789abcdef"
#define ID64         ID16 ID16 ID16 ID16
#define ID12         "0123456789ab"

static void names(void)
{
	static const char *const cases[][2] = {
		{ "/", "/" },
		{ "/user.slice", "/user.slice" },
		{ "/system.slice/docker-" ID64 ".scope", "docker:" ID12 },
		{ "/docker/" ID64, "docker:" ID12 },
		{ "/docker/" ID64 "/init.scope", "docker:" ID12 },
		{ "/docker/buildx", "/docker/buildx" },
		{ "/system.slice/docker.service", "docker.service" },
		{ "/machine.slice/libpod-" ID64 ".scope/container", "podman:" ID12 },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID64 ".scope",
		  "podman:" ID12 },
		{ "/libpod_parent/libpod-" ID64, "podman:" ID12 },
		{ "/machine.slice/libpod-conmon-" ID64 ".scope", "libpod-conmon-" ID64 ".scope" },
		{ "/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID64 ".scope",
		  "containerd:" ID12 },
		{ "/kubepods/besteffort/pod1-2/" ID64, "pod:" ID12 },
		{ "/system.slice/nerdctl-" ID64 ".scope", "containerd:" ID12 },
		{ "/k8s.io/" ID64, "containerd:" ID12 },
		{ "/kubepods.slice/crio-" ID64 ".scope", "cri-o:" ID12 },
		{ "/lxc.payload.web/system.slice/nginx.service", "lxc:web" },
		{ "/lxc/web", "lxc:web" },
		{ "/machine.slice/machine-my\\x2dbox.scope", "machine:my-box" },
		{ "/system.slice/nginx.service", "nginx.service" },
		{ "/user.slice/user@1000.service/app.slice/x.scope", "x.scope" },
		/* No ids: too short, too long, other letters, nothing. */
		{ "/docker/" ID16, "/docker/" ID16 },
		{ "/docker/" ID64 "0", "/docker/" ID64 "0" },
		{ "/x/docker-" ID16 ID16 ID16 "0123456789abcdeg.scope",
		  "docker-" ID16 ID16 ID16 "0123456789abcdeg.scope" },
		{ "/docker-.scope", "docker-.scope" },
		{ "/.service", "/.service" },
		{ "//docker//" ID64, "//docker//" ID64 },
		{ "/a\\x", "/a\\x" },
		{ "/machine-\\x00\\xzz\\x2.scope", "machine:\\x00\\xzz\\x2" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *name = cgroup_name(cases[i][0]);

		CU_ASSERT_STRING_EQUAL(name, cases[i][1]);
		free(name);
	}
}

static int task(struct cgroups *c, uint64_t time, uint32_t minor, uint32_t pid, uint32_t ppid,
		uint64_t id)
{
	const struct pitrace_mte_task t = { .pid = pid, .tid = pid, .ppid = ppid, .cgroup = id };
	const struct pirecord r = { .time = time,
				    .major = PITRACE_MTE,
				    .minor = minor,
				    .type = PITRACE_TYPE_STRUCT,
				    .data = &t,
				    .size = sizeof(t) };

	return cgroups_record(c, &r);
}

static int in_cut(struct cgroups *c, uint64_t time, uint32_t pid, uint64_t id, const char *path,
		  uint32_t cut)
{
	struct {
		struct mte_cgroup g;
		char path[64];
	} x = { .g = { .pid = pid, .id = id, .path_len = (uint32_t)strlen(path) } };
	struct pirecord r = { .time = time,
			      .major = PITRACE_MTE,
			      .minor = MTE_CGROUP,
			      .type = PITRACE_TYPE_STRUCT,
			      .data = &x };

	strcpy(x.path, path);
	r.size = (uint32_t)sizeof(x.g) + ((x.g.path_len + 4) & ~3u) - cut;
	return cgroups_record(c, &r);
}

static int in(struct cgroups *c, uint64_t time, uint32_t pid, uint64_t id, const char *path)
{
	return in_cut(c, time, pid, id, path, 0);
}

static const char *at(const struct cgroups *c, uint32_t pid, uint64_t time)
{
	return c->list[cgroups_at(c, pid, time)].path;
}

static void over_time(void)
{
	struct cgroups c;

	CU_ASSERT_EQUAL_FATAL(cgroups_begin(&c), 0);
	/* The drain's records precede all others. */
	in(&c, 10, 1, 0, "/a");
	in(&c, 50, 3, 0, "/b");
	task(&c, 20, PITRACE_MTE_FORK, 2, 1, 0);
	task(&c, 30, PITRACE_MTE_FORK, 3, 2, 0);
	/* The pid 2 again: a child of one that is elsewhere, and of one that nobody knows. */
	task(&c, 60, PITRACE_MTE_FORK, 2, 3, 0);
	task(&c, 70, PITRACE_MTE_CLONE, 2, 9, 0);
	CU_ASSERT_EQUAL(cgroups_finish(&c), 0);
	CU_ASSERT_STRING_EQUAL(at(&c, 1, 5), "/a");
	CU_ASSERT_STRING_EQUAL(at(&c, 1, 1000), "/a");
	CU_ASSERT_STRING_EQUAL(at(&c, 2, 20), "/a");
	CU_ASSERT_STRING_EQUAL(at(&c, 2, 59), "/a");
	CU_ASSERT_STRING_EQUAL(at(&c, 2, 60), "/b");
	CU_ASSERT_STRING_EQUAL(at(&c, 2, 70), "");
	CU_ASSERT_STRING_EQUAL(at(&c, 3, 49), "/a");
	CU_ASSERT_STRING_EQUAL(at(&c, 3, 50), "/b");
	CU_ASSERT_STRING_EQUAL(at(&c, 4, 50), "");
	cgroups_free(&c);
}

/* The last of several records about a process at one time is valid, whatever others do. */
static void one_time(void)
{
	struct cgroups c;

	CU_ASSERT_EQUAL_FATAL(cgroups_begin(&c), 0);
	in(&c, 1, 9, 4, "/id");
	in(&c, 20, 1, 0, "/a");
	in(&c, 20, 2, 0, "/b");
	task(&c, 20, PITRACE_MTE_PROCESS, 1, 0, 4);
	task(&c, 20, PITRACE_MTE_PROCESS, 2, 0, 4);
	CU_ASSERT_EQUAL(cgroups_finish(&c), 0);
	CU_ASSERT_EQUAL(c.nstay, 3);
	CU_ASSERT_STRING_EQUAL(at(&c, 1, 20), "/a");
	CU_ASSERT_STRING_EQUAL(at(&c, 2, 20), "/b");
	cgroups_free(&c);
}

/* The driver records ids: they have a path as soon as any record has it. */
static void ids(void)
{
	struct cgroups c;

	CU_ASSERT_EQUAL_FATAL(cgroups_begin(&c), 0);
	in(&c, 10, 1, 77, "/a");
	in(&c, 10, 2, 78, "/b");
	task(&c, 20, PITRACE_MTE_FORK, 3, 1, 78);
	task(&c, 20, PITRACE_MTE_FORK, 4, 1, 79);
	task(&c, 30, PITRACE_MTE_PROCESS, 4, 1, 78);
	CU_ASSERT_EQUAL(cgroups_finish(&c), 0);
	CU_ASSERT_STRING_EQUAL(at(&c, 3, 20), "/b");
	CU_ASSERT_STRING_EQUAL(at(&c, 4, 20), "/a");
	CU_ASSERT_STRING_EQUAL(at(&c, 4, 30), "/b");
	cgroups_free(&c);
}

/* perf's samples have ids: they are exact, while a task's id without a path yields to the path of
 * its parent. One path may have several ids in turn; several machines have the same ids. */
static void numbers(void)
{
	const uint32_t other = origin_pid(1, 7);
	struct cgroups c;

	CU_ASSERT_EQUAL_FATAL(cgroups_begin(&c), 0);
	in(&c, 90, 0, 77, "/a"); /* of nobody; and later than its first use */
	in(&c, 90, 0, 78, "/b");
	in(&c, 90, 0, 79, "/a");
	in(&c, 90, origin_pid(1, 0), 77, "/elsewhere");
	in(&c, 10, 1, 77, "");
	in(&c, 20, 1, 78, "");
	in(&c, 30, 1, 99, "");
	in(&c, 40, 1, 79, "");
	in(&c, 50, other, 77, "");
	task(&c, 60, PITRACE_MTE_FORK, 2, 1, 98);
	task(&c, 60, PITRACE_MTE_FORK, 3, 9, 98);
	in(&c, 70, 4, 0, "");
	CU_ASSERT_EQUAL(cgroups_finish(&c), 0);
	CU_ASSERT_STRING_EQUAL(at(&c, 1, 19), "/a");
	CU_ASSERT_STRING_EQUAL(at(&c, 1, 20), "/b");
	CU_ASSERT_STRING_EQUAL(at(&c, 1, 30), "");
	CU_ASSERT_STRING_EQUAL(c.list[cgroups_at(&c, 1, 30)].name, "number 99");
	CU_ASSERT_STRING_EQUAL(at(&c, 1, 40), "/a");
	CU_ASSERT_STRING_EQUAL(at(&c, other, 50), "/elsewhere");
	CU_ASSERT_STRING_EQUAL(at(&c, 2, 60), "/a");
	CU_ASSERT_STRING_EQUAL(c.list[cgroups_at(&c, 3, 60)].name, "number 98");
	CU_ASSERT_EQUAL(cgroups_at(&c, 4, 80), CGROUP_UNKNOWN);
	cgroups_free(&c);
}

/* Records that say nothing of cgroups are taken without a word, and change nothing. */
static void others(void)
{
	static const uint32_t minors[] = { 0, PITRACE_MTE_JIT, PITRACE_MTE_UNMAP, 1000,
					   0xffffffff };
	struct pitrace_mte_task t = { .pid = 1, .tid = 1, .ppid = 9, .cgroup = 78 };
	struct pirecord r = { .time = 20,
			      .major = PITRACE_MTE,
			      .type = PITRACE_TYPE_STRUCT,
			      .data = &t,
			      .size = sizeof(t) };
	struct cgroups c;

	CU_ASSERT_EQUAL_FATAL(cgroups_begin(&c), 0);
	in(&c, 10, 1, 77, "/a");
	in(&c, 10, 2, 78, "/b");
	for (size_t i = 0; i < COUNT(minors); i++) {
		r.minor = minors[i];
		CU_ASSERT_EQUAL(cgroups_record(&c, &r), 0);
	}
	r.minor = PITRACE_MTE_PROCESS;
	r.major = PITRACE_TPROF;
	CU_ASSERT_EQUAL(cgroups_record(&c, &r), 0);
	CU_ASSERT_EQUAL(cgroups_finish(&c), 0);
	CU_ASSERT_STRING_EQUAL(at(&c, 1, 30), "/a");
	cgroups_free(&c);
}

/* A record that is cut anywhere is ignored; without any path all are unknown. */
static void malformed(void)
{
	struct cgroups c;

	CU_ASSERT_EQUAL_FATAL(cgroups_begin(&c), 0);
	for (uint32_t cut = 1; cut <= sizeof(struct mte_cgroup) + 8; cut++)
		CU_ASSERT_EQUAL(in_cut(&c, 10, 1, 7, "/abcdef", cut), 0);
	task(&c, 20, PITRACE_MTE_FORK, 2, 1, 7);
	CU_ASSERT_EQUAL(c.count, 1);
	CU_ASSERT_EQUAL(cgroups_finish(&c), 0);
	CU_ASSERT_STRING_EQUAL(at(&c, 1, 10), "");
	CU_ASSERT_STRING_EQUAL(at(&c, 2, 30), "");
	cgroups_free(&c);
}

/* A hundred thousand changes of one process take no longer than those of as many. */
static void many(void)
{
	struct cgroups c;

	CU_ASSERT_EQUAL_FATAL(cgroups_begin(&c), 0);
	for (uint64_t i = 0; i < 100000; i++)
		in(&c, i, 1, 0, i % 2 ? "/odd" : "/even");
	CU_ASSERT_EQUAL(cgroups_finish(&c), 0);
	for (uint64_t i = 0; i < 100000; i += 99)
		CU_ASSERT_STRING_EQUAL(at(&c, 1, i), i % 2 ? "/odd" : "/even");
	CU_ASSERT_EQUAL(c.count, 3);
	cgroups_free(&c);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "names", names },
		{ "over_time", over_time },
		{ "one_time", one_time },
		{ "ids", ids },
		{ "numbers", numbers },
		{ "others", others },
		{ "malformed", malformed },
		{ "many", many },
		{ NULL, NULL },
	};

	return unit_run("cgroups", tests);
}

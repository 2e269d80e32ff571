/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which CPU this is, as event files call it, on each architecture: the machine, its CPUs and what
 * the kernel says of them are the test's own.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "events/event_names.h"
#include "unit.h"

static struct {
	const char *machine, *cpuinfo; /* NULL: the file does not exist */
	const char *midr[4];           /* of CPUs */
	long cpus;
} here;

int __wrap_uname(struct utsname *u);
int __wrap_uname(struct utsname *u)
{
	memset(u, 0, sizeof(*u));
	strcpy(u->machine, here.machine);
	return 0;
}

long __real_sysconf(int name);
long __wrap_sysconf(int name);
long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_CONF ? here.cpus : __real_sysconf(name);
}

static FILE *text(const char *s)
{
	errno = ENOENT;
	return s ? fmemopen((char *)s, strlen(s), "r") : NULL;
}

FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode)
{
	unsigned int cpu;
	int end = 0;

	if (!strcmp(path, "/proc/cpuinfo"))
		return text(here.cpuinfo);
	if (sscanf(path, "/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1%n", &cpu,
		   &end) == 1 &&
	    end && !path[end])
		return text(cpu < 4 ? here.midr[cpu] : NULL);
	return __real_fopen64(path, mode);
}

/* ---- files ---- */

static char folder[] = "/tmp/pitrace-test-XXXXXX";

/* Returns whether an event of a file for such CPUs exists on this machine. */
static bool is(const char *pattern)
{
	static char root[64];
	char path[160], encoding[64] = "", why[256];
	const char *machine = !strcmp(here.machine, "aarch64") ? "arm64" : here.machine;
	int rc;
	FILE *f;

	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(root, sizeof(root), "%s", folder);
	events_folder = root;
	events_cpu = NULL;
	snprintf(path, sizeof(path), "%s/%s", root, machine);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/e.json", root, machine);
	f = __real_fopen64(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fprintf(f,
		"{\"cpus\": [\"none\", \"%s\"], \"source\": \"\", \"events\": [{\"name\": \"E\", \"encoding\": \"r1f\"}]}",
		pattern);
	fclose(f);
	rc = event_of_file("E", encoding, sizeof(encoding), why, sizeof(why));
	CU_ASSERT_STRING_EQUAL(why, "");
	CU_ASSERT(rc == 0 || rc == -ENOENT);
	CU_ASSERT_STRING_EQUAL(encoding, rc ? "" : "r1f");
	unlink(path);
	snprintf(path, sizeof(path), "%s/%s", root, machine);
	rmdir(path);
	CU_ASSERT_EQUAL(rmdir(root), 0);
	return !rc;
}

static void be(const char *machine, const char *cpuinfo, long cpus)
{
	memset(&here, 0, sizeof(here));
	here.machine = machine;
	here.cpuinfo = cpuinfo;
	here.cpus = cpus;
}

/* ---- machines ---- */

static void x86_64(void)
{
	be("x86_64",
	   "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
	   "model name\t: Intel(R) Xeon(R)\n\nprocessor\t: 1\nvendor_id\t: Other\n",
	   2);
	CU_ASSERT_TRUE(is("GenuineIntel-6-8F"));
	CU_ASSERT_TRUE(is("genuineintel-6-8?"));
	CU_ASSERT_TRUE(is("*"));
	CU_ASSERT_FALSE(is("GenuineIntel-6-8F0"));
	CU_ASSERT_FALSE(is("GenuineIntel-6-143"));
	CU_ASSERT_FALSE(is("Other*"));
	CU_ASSERT_FALSE(is(""));
	be("x86_64", "vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 1\n", 1);
	CU_ASSERT_TRUE(is("AuthenticAMD-19-1"));
	/* Something is not said. */
	be("x86_64", "vendor_id : AuthenticAMD\ncpu family : 25\nmodel name : 1\n", 1);
	CU_ASSERT_FALSE(is("AuthenticAMD*"));
	be("x86_64", "vendor_ids : A\ncpu family : 25\nmodel : 1\n", 1);
	CU_ASSERT_FALSE(is("?*"));
	be("x86_64", NULL, 1);
	CU_ASSERT_FALSE(is("?*"));
	CU_ASSERT_TRUE(is("*"));
}

/* Cores that differ: of each there is a name. */
static void arm64(void)
{
	be("aarch64", "CPU part : 0xd08\n", 3);
	here.midr[0] = "0x00000000410fd030\n";
	here.midr[2] = "0x00000000410fd080\n";
	CU_ASSERT_TRUE(is("0x00000000410fd030"));
	CU_ASSERT_TRUE(is("0x00000000410FD08?"));
	CU_ASSERT_FALSE(is("0x00000000410fd090"));
	CU_ASSERT_FALSE(is("0xd08"));
	here.cpus = 2;
	CU_ASSERT_FALSE(is("0x00000000410fd080"));
	here.midr[0] = "";
	CU_ASSERT_FALSE(is("?*"));
}

static void s390x(void)
{
	be("s390x",
	   "vendor_id       : IBM/S390\nprocessor 0: version = FF,  identification = 1,  machine = 3906\n",
	   4);
	CU_ASSERT_TRUE(is("3906"));
	CU_ASSERT_FALSE(is("3907"));
	CU_ASSERT_FALSE(is("machine*"));
	be("s390x", "processor 0: version = FF,  identification = 1\n", 4);
	CU_ASSERT_FALSE(is("?*"));
}

static void ppc64le(void)
{
	be("ppc64le", "processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\n", 4);
	CU_ASSERT_TRUE(is("POWER9"));
	CU_ASSERT_FALSE(is("POWER9 *"));
	CU_ASSERT_FALSE(is("POWER8"));
	be("ppc64le", "processor : 0\ncpu : \n", 4);
	CU_ASSERT_FALSE(is("?*"));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "x86_64", x86_64 },   { "arm64", arm64 }, { "s390x", s390x },
		{ "ppc64le", ppc64le }, { NULL, NULL },
	};

	return unit_run("event_cpus", tests);
}

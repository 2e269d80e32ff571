/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * msr: names, values, fields; reading and writing by real files below a folder of our own: eight
 * bytes at the register's number, and files of which the kernel itself refuses what it refuses of
 * registers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "unit.h"
#include "../../tools/common/cpus.c"
#include "../../tools/msr/device.c"
#include "../../tools/msr/msr_names.c"

static char root[] = "/tmp/msr.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void make_folder(const char *name)
{
	CU_ASSERT_EQUAL_FATAL(mkdir(path_of(name), 0755), 0);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(path_of(name), "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(text, f);
	fclose(f);
}

/* CPU 0: a file with registers; 1: refuses with EIO; 2: takes no writes; 3: a socket; 4: too short;
 * 5: nobody may. */
static void make_root(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	static const uint64_t value = 0x123456789abcdef0;
	static char sealed[64];
	int fd;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
	make_folder("dev");
	make_folder("dev/cpu");
	for (int i = 0; i < 6; i++) {
		char name[32];

		snprintf(name, sizeof(name), "dev/cpu/%d", i);
		make_folder(name);
	}
	fd = open(path_of("dev/cpu/0/msr"), O_RDWR | O_CREAT, 0600);
	CU_ASSERT_EQUAL(pwrite(fd, &value, 8, 0xc0000080), 8);
	CU_ASSERT_EQUAL(pwrite(fd, "\1\2\3\4\5\6\7\10", 8, 0xe7), 8);
	close(fd);
	CU_ASSERT_EQUAL(symlink("/proc/self/mem", path_of("dev/cpu/1/msr")), 0);
	fd = memfd_create("registers", MFD_ALLOW_SEALING);
	CU_ASSERT_EQUAL(ftruncate(fd, 4096), 0);
	CU_ASSERT_EQUAL(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
	snprintf(sealed, sizeof(sealed), "/proc/self/fd/%d", fd);
	CU_ASSERT_EQUAL(symlink(sealed, path_of("dev/cpu/2/msr")), 0);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(a.sun_path, sizeof(a.sun_path), "%.20s/dev/cpu/3/msr", root);
	CU_ASSERT_EQUAL(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	close(fd);
	put("dev/cpu/4/msr", "four");
	put("dev/cpu/5/msr", "");
	CU_ASSERT_EQUAL(chmod(path_of("dev/cpu/5/msr"), 0), 0);
	unit_keep_files();
}

static void reads(void)
{
	uint64_t value = 0;
	char why[300] = "";

	CU_ASSERT_EQUAL(msr_read(root, 0, 0xc0000080, &value, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(value, 0x123456789abcdef0);
	CU_ASSERT_EQUAL(msr_read(root, 0, 0xe7, &value, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(value, 0x0807060504030201);
	CU_ASSERT_STRING_EQUAL(why, "");
}

static void writes(void)
{
	uint64_t before, value = 0;
	char why[300] = "";

	CU_ASSERT_EQUAL(msr_read(root, 0, 0xdf, &before, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(msr_write(root, 0, 0xe7, 0xfedcba9876543210, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(msr_read(root, 0, 0xe7, &value, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(value, 0xfedcba9876543210);
	/* The registers beside it are unchanged. */
	CU_ASSERT_EQUAL(msr_read(root, 0, 0xdf, &value, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(value, before);
	CU_ASSERT_EQUAL(msr_read(root, 0, 0xef, &value, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(value, 0);
}

static void refuses_read(unsigned int cpu, int err, const char *words)
{
	uint64_t value;
	char why[300] = "";

	CU_ASSERT_EQUAL(msr_read(root, cpu, 0x10, &value, why, sizeof(why)), err);
	if (!strstr(why, words))
		CU_FAIL(why);
}

static void refuses_write(unsigned int cpu, int err, const char *words)
{
	char why[300] = "";

	CU_ASSERT_EQUAL(msr_write(root, cpu, 0x10, 1, why, sizeof(why)), err);
	if (!strstr(why, words))
		CU_FAIL(why);
}

static void refused_reads(void)
{
	uid_t me = geteuid();

	refuses_read(1, -EIO, "there is no register 0x10, or it is write only");
	refuses_read(3, -ENXIO, "CPU 3 is offline");
	refuses_read(4, -EIO, "0 bytes of 8");
	refuses_read(9, -ENOENT, "sudo modprobe msr");
	CU_ASSERT_EQUAL(chmod(root, 0755), 0);
	CU_ASSERT_EQUAL(seteuid(me ? me : 65534), 0);
	refuses_read(5, -EACCES, "as root (sudo)");
	CU_ASSERT_EQUAL(seteuid(me), 0);
}

static void refused_writes(void)
{
	refuses_write(1, -EIO, "it is read only");
	refuses_write(9, -ENOENT, "sudo modprobe msr");
	/* Other kernel files say who refuses it. */
	refuses_write(2, -EPERM, "lockdown, or msr.allow_writes=off");
	make_folder("sys");
	make_folder("sys/kernel");
	make_folder("sys/kernel/security");
	make_folder("sys/module");
	make_folder("sys/module/msr");
	make_folder("sys/module/msr/parameters");
	put("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("sys/module/msr/parameters/allow_writes", "on\n");
	refuses_write(2, -EPERM, "lockdown, or msr.allow_writes=off");
	put("sys/module/msr/parameters/allow_writes", "off\n");
	refuses_write(2, -EPERM, "the module msr allows no writes: echo on");
	put("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	refuses_write(2, -EPERM, "the kernel is locked down");
	put("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	refuses_write(2, -EPERM, "the kernel is locked down");
}

static void names(void)
{
	uint32_t n = 0;

	CU_ASSERT_TRUE(msr_number("ia32_aperf", &n));
	CU_ASSERT_EQUAL(n, 0xe8);
	CU_ASSERT_TRUE(msr_number("0xC0000080", &n));
	CU_ASSERT_STRING_EQUAL(msr_name(n), "IA32_EFER");
	CU_ASSERT_TRUE(msr_number("16", &n));
	CU_ASSERT_STRING_EQUAL(msr_name(n), "IA32_TIME_STAMP_COUNTER");
	CU_ASSERT_TRUE(msr_number("4294967295", &n));
	CU_ASSERT_PTR_NULL(msr_name(n));
	CU_ASSERT_FALSE(msr_number("4294967296", &n));
	CU_ASSERT_FALSE(msr_number("IA32_", &n));
	CU_ASSERT_FALSE(msr_number("", &n));
	/* Each name is one register, in order. */
	for (const struct msr_name *a = msr_names; a[1].name; a++)
		CU_ASSERT(a[0].number < a[1].number && strcasecmp(a[0].name, a[1].name));
}

static void values(void)
{
	static const char *const bad[] = { "",
					   "0x",
					   "-1",
					   "+1",
					   " 1",
					   "1 ",
					   "1g",
					   "ffff",
					   "0xg",
					   "1.5",
					   "18446744073709551616",
					   "0x10000000000000000" };
	uint64_t v;

	CU_ASSERT_TRUE(msr_value("18446744073709551615", &v));
	CU_ASSERT_EQUAL(v, UINT64_MAX);
	CU_ASSERT_TRUE(msr_value("0XfF", &v));
	CU_ASSERT_EQUAL(v, 255);
	/* No octal. */
	CU_ASSERT_TRUE(msr_value("010", &v));
	CU_ASSERT_EQUAL(v, 10);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (msr_value(bad[i], &v))
			CU_FAIL(bad[i]);
}

static void fields(void)
{
	static const char *const bad[] = { "",    ":",     "1:", ":1",  "64",   "64:0",
					   "3:4", "1:0:0", "x",  "3-1", "-1:0", "003:1" };
	unsigned int high, low;

	CU_ASSERT_TRUE(msr_bits("15:8", &high, &low));
	CU_ASSERT_EQUAL(msr_field(0x12345678, high, low), 0x56);
	CU_ASSERT_TRUE(msr_bits("63:0", &high, &low));
	CU_ASSERT_EQUAL(msr_field(UINT64_MAX, high, low), UINT64_MAX);
	CU_ASSERT_TRUE(msr_bits("63", &high, &low));
	CU_ASSERT_EQUAL(msr_field(1ull << 63, high, low), 1);
	CU_ASSERT_EQUAL(msr_field(~(1ull << 63), high, low), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (msr_bits(bad[i], &high, &low))
			CU_FAIL(bad[i]);
}

static void cpus(void)
{
	static const char *const bad[] = { "",     ",",    "1,",   ",1",
					   "3-",   "-3",   "4-3",  "1 ",
					   "a",    "0x1",  "8192", "99999999999999999999",
					   "1--2", "1-2-3" };
	struct cpus c;

	CU_ASSERT_EQUAL(cpus_of("0,2-4,64,8191", &c), 0);
	CU_ASSERT_EQUAL(cpus_number(&c), 6);
	CU_ASSERT_TRUE(cpus_has(&c, 0) && cpus_has(&c, 3) && cpus_has(&c, 64));
	CU_ASSERT_TRUE(cpus_has(&c, 8191));
	CU_ASSERT_FALSE(cpus_has(&c, 1) || cpus_has(&c, 5) || cpus_has(&c, 8192));
	CU_ASSERT_EQUAL(cpus_of("7,7,6-8", &c), 0);
	CU_ASSERT_EQUAL(cpus_number(&c), 3);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!cpus_of(bad[i], &c))
			CU_FAIL(bad[i]);
	CU_ASSERT_TRUE(cpus_online("", &c));
	CU_ASSERT_EQUAL(cpus_number(&c), sysconf(_SC_NPROCESSORS_ONLN));
	CU_ASSERT_FALSE(cpus_online(root, &c));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "make_root", make_root },
		{ "reads", reads },
		{ "writes", writes },
		{ "refused_reads", refused_reads },
		{ "refused_writes", refused_writes },
		{ "names", names },
		{ "values", values },
		{ "fields", fields },
		{ "cpus", cpus },
		{ NULL, NULL },
	};
	int code = unit_run("msr", tests);
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) || code;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Why the module does not serve, and the command that mends it, on machines that are folders here:
 * what each of them lacks. */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "collect/driver/driver_diagnosis.h"
#include "unit.h"

#define EFI "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define ADD                                                                               \
	"sudo dkms add " PITRACE_DKMSDIR " && sudo dkms install pitrace/" PITRACE_VERSION \
	" && sudo modprobe pitrace"

#define MANY    300
#define FOREIGN 70000 /* a group without a name */

static char root[] = "/tmp/driver_diagnosis.XXXXXX";
static struct utsname name;
static struct collector_check got;
static const struct trace_config process = { .scope = PITRACE_SCOPE_PROCESS };
static const struct trace_config whole = { .scope = PITRACE_SCOPE_SYSTEM };

static void put(const char *path, const char *bytes, size_t n)
{
	char full[500];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(full, 0700);
		*slash = '/';
	}
	f = fopen(full, "we");
	CU_ASSERT_FATAL(f != NULL);
	CU_ASSERT_EQUAL(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

/* A file of this kernel's in /lib/modules. */
static void put_module(const char *file, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "/lib/modules/%s/%s", name.release, file);
	put(path, text, strlen(text));
}

static void machine(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s/*", root);
	CU_ASSERT_EQUAL(system(command), 0);
	put("/proc/modules", "", 0);
}

static void is(int state, const char *why, const char *format)
{
	const char *release = strstr(format, "%s");
	char cure[600];

	snprintf(cure, sizeof(cure), "%.*s%s%s", release ? (int)(release - format) : 500, format,
		 release ? name.release : "", release ? release + 2 : "");
	CU_ASSERT_EQUAL(got.state, state);
	CU_ASSERT_STRING_EQUAL(got.why, why);
	CU_ASSERT_STRING_EQUAL(got.cure, cure);
	if (strcmp(got.why, why) || strcmp(got.cure, cure))
		fprintf(stderr, "have: %s: %s\n", got.why, got.cure);
}

/* Step by step from a fresh machine to one where only modprobe is missing. */
static void not_built(void)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
	CU_ASSERT_EQUAL_FATAL(uname(&name), 0);
	driver_diagnosis_root = root;
	CU_ASSERT_EQUAL(rmdir(root), 0);
	driver_diagnose_open(ENOENT, &whole, &got);
	is(COLLECTOR_ABSENT, "this kernel does not support modules", "");
	CU_ASSERT_EQUAL(mkdir(root, 0700), 0);
	machine();
	driver_diagnose_open(ENOENT, &whole, &got);
	is(COLLECTOR_ABSENT, "the module is not installed, nor its source",
	   "sudo make install && sudo apt install dkms linux-headers-%s && " ADD);
	put(PITRACE_DKMSDIR "/dkms.conf", "", 0);
	driver_diagnose_open(ENOENT, &whole, &got);
	is(COLLECTOR_ABSENT, "the module is not installed",
	   "sudo apt install dkms linux-headers-%s && " ADD);
	put("/usr/sbin/dkms", "", 0);
	driver_diagnose_open(ENOENT, &whole, &got);
	is(COLLECTOR_ABSENT, "the module is not installed",
	   "sudo apt install linux-headers-%s && " ADD);
	put_module("build/Makefile", "");
	driver_diagnose_open(ENOENT, &process, &got);
	is(COLLECTOR_ABSENT, "the module is not installed", ADD);
	/* DKMS knows it, and this kernel is new. */
	put("/var/lib/dkms/pitrace/x", "", 0);
	put_module("modules.dep", "kernel/other.ko:\nkernel/pitrace-like.ko:\n");
	driver_diagnose_open(ENODEV, &process, &got);
	CU_ASSERT_EQUAL(got.state, COLLECTOR_ABSENT);
	CU_ASSERT_STRING_EQUAL(got.why, PITRACE_DEVICE ": No such device");
	driver_diagnose_open(ENOENT, &process, &got);
	is(COLLECTOR_ABSENT, "the module is not built for this kernel",
	   "sudo dkms autoinstall && sudo modprobe pitrace");
	put_module("modules.dep", "kernel/other.ko:\nupdates/dkms/pitrace.ko.xz:\n");
	driver_diagnose_open(ENOENT, &process, &got);
	is(COLLECTOR_ABSENT, "the module is not loaded", "sudo modprobe pitrace");
}

static void new_kernel_without_headers(void)
{
	machine();
	put("/usr/bin/dkms", "", 0);
	put("/var/lib/dkms/pitrace/x", "", 0);
	driver_diagnose_open(ENOENT, &whole, &got);
	is(COLLECTOR_ABSENT, "the module is not built for this kernel, whose headers are missing",
	   "sudo apt install linux-headers-%s && sudo dkms autoinstall && sudo modprobe pitrace");
}

static void signed_modules_only(void)
{
	static const char why[] =
		"the module is not loaded, and this kernel accepts only signed modules (Secure Boot)";
	static const char cure[] =
		"sudo modprobe pitrace; if its key is refused: sudo mokutil --import /var/lib/dkms/mok.pub, and start the machine anew";

	machine();
	put_module("modules.dep", "updates/dkms/pitrace.ko:\n");
	put(EFI, "\6\0\0\0\0", 5);
	driver_diagnose_open(ENOENT, &whole, &got);
	is(COLLECTOR_ABSENT, "the module is not loaded", "sudo modprobe pitrace");
	put(EFI, "\6\0\0\0\1", 5);
	driver_diagnose_open(ENOENT, &whole, &got);
	is(COLLECTOR_ABSENT, why, cure);
	machine();
	put_module("modules.dep", "updates/dkms/pitrace.ko:\n");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n", 33);
	driver_diagnose_open(ENOENT, &whole, &got);
	is(COLLECTOR_ABSENT, "the module is not loaded", "sudo modprobe pitrace");
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n", 33);
	driver_diagnose_open(ENOENT, &whole, &got);
	is(COLLECTOR_ABSENT, why, cure);
}

/* A group that this process is in, or is not. */
static const char *group(bool member)
{
	static char found[64];
	gid_t list[256];
	int n = getgroups(256, list);
	struct group *g;

	found[0] = 0;
	setgrent();
	while (!found[0] && (g = getgrent())) {
		bool in = g->gr_gid == getegid();

		for (int i = 0; i < n; i++)
			in |= list[i] == g->gr_gid;
		if (in == member)
			snprintf(found, sizeof(found), "%s", g->gr_name);
	}
	endgrent();
	return found;
}

/* The device is there and not for this user: its group is for processes of one's own. */
static void not_allowed(void)
{
	static const char why[] = PITRACE_DEVICE ": Permission denied",
			  root_cure[] = "run swtrace as root (sudo)";
	char cure[200];

	driver_diagnosis_group = "no-such-group";
	driver_diagnose_open(EACCES, &process, &got);
	is(COLLECTOR_REFUSED, why, root_cure);
	driver_diagnosis_group = group(false);
	CU_ASSERT_FATAL(driver_diagnosis_group[0]);
	snprintf(cure, sizeof(cure), "sudo usermod -aG %s $USER, and log in anew",
		 driver_diagnosis_group);
	driver_diagnose_open(EACCES, &process, &got);
	is(COLLECTOR_REFUSED, why, cure);
	driver_diagnose_open(EACCES, &whole, &got);
	is(COLLECTOR_REFUSED, why, root_cure);
	/* A user who is already in the group needs another remedy. */
	driver_diagnosis_group = group(true);
	CU_ASSERT_FATAL(driver_diagnosis_group[0]);
	driver_diagnose_open(EACCES, &process, &got);
	is(COLLECTOR_REFUSED, why, root_cure);
}

/* In as many groups as a directory of users may put one: the first of them, and the last. */
static int in_many_groups(gid_t first, gid_t last)
{
	gid_t list[MANY];

	for (gid_t i = 0; i < MANY; i++)
		list[i] = FOREIGN + i;
	list[0] = first;
	list[MANY - 1] = last;
	if (setgroups(MANY, list) || setresgid(FOREIGN, FOREIGN, FOREIGN))
		return 1;
	driver_diagnose_open(EACCES, &process, &got);
	return strcmp(got.cure, "run swtrace as root (sudo)") ? 2 : 0;
}

static void one_of_many_groups(void)
{
	static const gid_t pair[][2] = { { 1, FOREIGN }, { FOREIGN, 1 }, { FOREIGN, FOREIGN } };
	struct group *g = getgrgid(1);
	int status;

	if (geteuid()) {
		unit_skip(NULL, "only root chooses its groups");
		return;
	}
	CU_ASSERT_FATAL(g != NULL);
	driver_diagnosis_group = g->gr_name;
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(in_many_groups(pair[i][0], pair[i][1]));
		CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
		CU_ASSERT_EQUAL(status, i == 2 ? 2 << 8 : 0);
	}
}

/* The device opens; the driver makes no session. */
static void no_session(void)
{
	driver_diagnose_refusal(&whole, &got);
	is(COLLECTOR_REFUSED, "the whole system is traced with CAP_PERFMON or CAP_SYS_ADMIN only",
	   "run swtrace as root (sudo)");
	driver_diagnose_refusal(&process, &got);
	CU_ASSERT_EQUAL(got.state, COLLECTOR_REFUSED);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.why, "this process is another user's"));
}

int main(void)
{
	static const struct unit_test tests[] = { { "not_built", not_built },
						  { "new_kernel_without_headers",
						    new_kernel_without_headers },
						  { "signed_modules_only", signed_modules_only },
						  { "not_allowed", not_allowed },
						  { "one_of_many_groups", one_of_many_groups },
						  { "no_session", no_session },
						  { NULL, NULL } };
	char command[100];
	int rc = unit_run("driver_diagnosis", tests);

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) || rc;
}

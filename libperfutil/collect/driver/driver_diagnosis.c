/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Determines why the module is not loaded or cannot be used. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/installed.h"
#include "collect/driver/driver_diagnosis.h"

const char *driver_diagnosis_root = "", *driver_diagnosis_group = "pitrace";

#define LOCKDOWN    "/sys/kernel/security/lockdown"
#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

#define WHY(...)  snprintf(check->why, sizeof(check->why), __VA_ARGS__)
#define CURE(...) snprintf(check->cure, sizeof(check->cure), __VA_ARGS__)

static bool there(const char *format, const char *word)
{
	char path[512], name[256];

	snprintf(name, sizeof(name), format, word);
	snprintf(path, sizeof(path), "%.200s%s", driver_diagnosis_root, name);
	return !access(path, F_OK);
}

/* Checks whether a line of the file contains the word. */
static bool has_word(const char *name, const char *word)
{
	char path[512];
	FILE *f;
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	snprintf(path, sizeof(path), "%.200s%.300s", driver_diagnosis_root, name);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &room, f) > 0)
		found = strstr(line, word) != NULL;
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* Checks whether only signed modules can be loaded: by the firmware's variable (four bytes of
 * attributes, one of value) or by the kernel. */
static bool signed_only(void)
{
	unsigned char value[5] = { 0 };
	char path[512];
	bool on;
	int fd;

	snprintf(path, sizeof(path), "%.200s%s", driver_diagnosis_root, SECURE_BOOT);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	on = fd >= 0 && read(fd, value, sizeof(value)) == sizeof(value) && value[4] == 1;
	if (fd >= 0)
		close(fd);
	return on || has_word(LOCKDOWN, "[integrity]") || has_word(LOCKDOWN, "[confidentiality]");
}

/* Returns where the driver's source for DKMS is, or would be. */
static void source_folder(char path[PATH_MAX])
{
	static const char *const near[] = { "../src/pitrace-" PITRACE_VERSION,
					    "../../src/pitrace-" PITRACE_VERSION, NULL };

	if (!installed_near(near, path))
		strcpy(path, PITRACE_DKMSDIR);
}

/* Collects the missing steps from the installed source to the loaded module, in the order of `make
 * install`. */
static void not_built(struct collector_check *check, const char *release)
{
	bool dkms = there("%s", "/usr/sbin/dkms") || there("%s", "/usr/bin/dkms");
	bool headers = there("/lib/modules/%.64s/build/Makefile", release);
	bool known = there("%s", "/var/lib/dkms/pitrace");
	char folder[PATH_MAX];
	size_t n = 0;
	bool source;

	source_folder(folder);
	source = there("%.200s/dkms.conf", folder);

	if (!known)
		WHY("the module is not installed%s", source ? "" : ", nor its source");
	else
		WHY("the module is not built for this kernel%s",
		    headers ? "" : ", whose headers are missing");
	if (!known && !source)
		n = (size_t)CURE("sudo make install && ");
	if (!dkms || !headers)
		n += (size_t)snprintf(check->cure + n, sizeof(check->cure) - n,
				      "sudo apt install%s%s%.64s && ", dkms ? "" : " dkms",
				      headers ? "" : " linux-headers-", headers ? "" : release);
	if (known)
		snprintf(check->cure + n, sizeof(check->cure) - n,
			 "sudo dkms autoinstall && sudo modprobe pitrace");
	else
		snprintf(check->cure + n, sizeof(check->cure) - n,
			 "sudo dkms add %.200s && sudo dkms install pitrace/%s && sudo modprobe pitrace",
			 folder, PITRACE_VERSION);
}

static void not_loaded(struct collector_check *check)
{
	struct utsname u = { 0 };
	char path[256];

	uname(&u);
	check->state = COLLECTOR_ABSENT;
	if (!there("%s", "/proc/modules")) {
		WHY("this kernel does not support modules");
		return;
	}
	snprintf(path, sizeof(path), "/lib/modules/%.64s/modules.dep", u.release);
	if (!has_word(path, "/pitrace.ko")) {
		not_built(check, u.release);
	} else if (signed_only()) {
		WHY("the module is not loaded, and this kernel accepts only signed modules (Secure Boot)");
		CURE("sudo modprobe pitrace; if its key is refused: sudo mokutil --import /var/lib/dkms/mok.pub, and start the machine anew");
	} else {
		WHY("the module is not loaded");
		CURE("sudo modprobe pitrace");
	}
}

static bool in_group(const char *name)
{
	struct group *g = getgrnam(name);

	return g && (getegid() == g->gr_gid || group_member(g->gr_gid));
}

void driver_diagnose_open(int err, const struct trace_config *config, struct collector_check *check)
{
	*check = (struct collector_check){ .state = COLLECTOR_REFUSED };
	if (err != EACCES && err != EPERM) {
		not_loaded(check);
		/* The device exists but cannot be opened for another reason. */
		if (err != ENOENT)
			WHY("%s: %s", PITRACE_DEVICE, strerror(err));
		return;
	}
	WHY("%s: %s", PITRACE_DEVICE, strerror(err));
	if (config->scope == PITRACE_SCOPE_PROCESS && getgrnam(driver_diagnosis_group) &&
	    !in_group(driver_diagnosis_group))
		CURE("sudo usermod -aG %s $USER, and log in anew", driver_diagnosis_group);
	else
		CURE("run swtrace as root (sudo)");
}

void driver_diagnose_refusal(const struct trace_config *config, struct collector_check *check)
{
	*check = (struct collector_check){ .state = COLLECTOR_REFUSED };
	if (config->scope == PITRACE_SCOPE_SYSTEM)
		WHY("the whole system is traced with CAP_PERFMON or CAP_SYS_ADMIN only");
	else
		WHY("this process is another user's, or hides itself (set-uid, not dumpable): it is traced with CAP_PERFMON or CAP_SYS_ADMIN only");
	CURE("run swtrace as root (sudo)");
}

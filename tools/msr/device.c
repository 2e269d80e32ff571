/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's device for model-specific registers, and the reasons why it refuses. */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int open_device(const char *root, unsigned int cpu, int flags, char *why, size_t room)
{
	char path[PATH_MAX];
	int fd, err;

	snprintf(path, sizeof(path), "%s/dev/cpu/%u/msr", root, cpu);
	fd = open(path, flags | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	err = -errno;
	switch (-err) {
	case ENOENT:
	case ENOTDIR:
		snprintf(why, room,
			 "there is no msr device: the kernel's module msr is not loaded: sudo modprobe msr (if there is none: a kernel without CONFIG_X86_MSR)");
		break;
	case EACCES:
		snprintf(why, room, "no permission for the msr device: run msr as root (sudo)");
		break;
	case EPERM:
		snprintf(why, room,
			 "the msr device takes the capability CAP_SYS_RAWIO: run msr as root (sudo), in a container with --cap-add SYS_RAWIO and --device=/dev/cpu/N/msr");
		break;
	case ENXIO:
		snprintf(why, room,
			 "CPU %u is offline, or there is none (or no driver behind /dev/cpu/%u/msr: sudo modprobe msr)",
			 cpu, cpu);
		break;
	case EIO:
		snprintf(why, room, "CPU %u has no model-specific registers", cpu);
		break;
	default:
		snprintf(why, room, "/dev/cpu/%u/msr: %s", cpu, strerror(-err));
	}
	return err;
}

/* Returns whether a short file of the kernel contains this word. */
static bool file_has(const char *root, const char *file, const char *word)
{
	char path[PATH_MAX], line[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, file);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	return word[0] == '[' ? strstr(line, word) != NULL : !strcmp(line, word);
}

static void why_no_write(const char *root, char *why, size_t room)
{
	if (file_has(root, "/sys/kernel/security/lockdown", "[integrity]") ||
	    file_has(root, "/sys/kernel/security/lockdown", "[confidentiality]"))
		snprintf(why, room,
			 "the kernel is locked down (/sys/kernel/security/lockdown), as it is under Secure Boot: no register may be written until it is booted without");
	else if (file_has(root, "/sys/module/msr/parameters/allow_writes", "off"))
		snprintf(why, room,
			 "the module msr allows no writes: echo on | sudo tee /sys/module/msr/parameters/allow_writes (msr.allow_writes=on at boot)");
	else
		snprintf(why, room,
			 "the kernel refuses to write it: lockdown, or msr.allow_writes=off (/sys/module/msr/parameters/allow_writes)");
}

/* Explains why the device did not transfer all eight bytes. */
static int refused(const char *root, uint32_t reg, ssize_t n, bool write, char *why, size_t room)
{
	int err = n < 0 ? -errno : -EIO;

	if (n >= 0)
		snprintf(why, room, "the device took %zd bytes of 8: it is not the kernel's msr",
			 n);
	else if (err == -EIO && write)
		snprintf(why, room,
			 "the processor (or hypervisor) refuses: there is no register 0x%x, it is read only, or the value has bits that must not be set",
			 reg);
	else if (err == -EIO)
		snprintf(why, room,
			 "the processor (or hypervisor) refuses: there is no register 0x%x, or it is write only",
			 reg);
	else if (err == -EPERM && write)
		why_no_write(root, why, room);
	else if (err == -ENXIO)
		snprintf(why, room, "the CPU went offline");
	else
		snprintf(why, room, "register 0x%x: %s", reg, strerror(-err));
	return err;
}

int msr_read(const char *root, unsigned int cpu, uint32_t reg, uint64_t *value, char *why,
	     size_t room)
{
	int fd = open_device(root, cpu, O_RDONLY, why, room), err = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, value, sizeof(*value), (off_t)reg);
	if (n != (ssize_t)sizeof(*value))
		err = refused(root, reg, n, false, why, room);
	close(fd);
	return err;
}

int msr_write(const char *root, unsigned int cpu, uint32_t reg, uint64_t value, char *why,
	      size_t room)
{
	int fd = open_device(root, cpu, O_WRONLY, why, room), err = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pwrite(fd, &value, sizeof(value), (off_t)reg);
	if (n != (ssize_t)sizeof(value))
		err = refused(root, reg, n, true, why, room);
	close(fd);
	return err;
}

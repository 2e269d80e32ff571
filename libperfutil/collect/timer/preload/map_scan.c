/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scans the executable mappings of this process and reports them as the kernel's own lines. For the
 * collector a mapping begins after the last scan that does not show it and ends at the last one
 * that does. So a scan runs before dlclose (if something was loaded since the last one) and after
 * it (if something was unloaded): addresses of one library are never mistaken for those of the
 * next.
 */
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "collect/timer/preload/map_scan.h"
#include "collect/timer/preload/rings.h"

/* Number of objects, by the loader's count, at the last scan. */
static unsigned long long added, removed;
static char text[16384]; /* protected by the events' lock */

static int count_objects(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned long long *counts = arg;

	if (size >= offsetof(struct dl_phdr_info, dlpi_tls_modid)) {
		counts[0] = info->dlpi_adds;
		counts[1] = info->dlpi_subs;
	}
	return 1;
}

/* "55e0…-55e1… r-xp 00001000 fe:01 1234   /usr/bin/prog" */
static bool executable(const char *line, size_t n)
{
	const char *space = memchr(line, ' ', n);

	return space && (size_t)(line + n - space) > 4 && space[3] == 'x';
}

/* "GNU", type 3; the sizes are in bytes, the data are padded to words. */
static bool find_id(const uint8_t *at, size_t left, struct timer_build_id *id)
{
	uint32_t head[3];

	while (left >= sizeof(head)) {
		size_t name, desc;

		memcpy(head, at, sizeof(head));
		name = ((size_t)head[0] + 3) & ~(size_t)3;
		desc = ((size_t)head[1] + 3) & ~(size_t)3;
		at += sizeof(head);
		left -= sizeof(head);
		if (name > left || desc > left - name)
			return false;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 && !memcmp(at, "GNU", 4) &&
		    head[1] && head[1] <= 20) {
			id->size = (uint8_t)head[1];
			memcpy(id->id, at + name, head[1]);
			return true;
		}
		at += name + desc;
		left -= name + desc;
	}
	return false;
}

static bool is_loaded(const struct dl_phdr_info *info, const ElfW(Phdr) * note)
{
	for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_R && note->p_vaddr >= p->p_vaddr &&
		    note->p_vaddr - p->p_vaddr <= p->p_filesz &&
		    note->p_filesz <= p->p_filesz - (note->p_vaddr - p->p_vaddr))
			return true;
	}
	return false;
}

/* The file may be replaced before the collector reads it. */
static int write_id(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct timer_build_id id = { 0 };

	(void)size;
	(void)arg;
	for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && !id.address)
			id.address = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_NOTE && !id.size && is_loaded(info, p))
			find_id((const void *)(info->dlpi_addr + p->p_vaddr), p->p_filesz, &id);
	}
	if (id.address && id.size)
		rings_event(TIMER_BUILD_ID, &id, sizeof(id));
	return 0;
}

void map_scan(void)
{
	unsigned long long counts[2] = { 0, 0 };
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC), n;
	uint32_t lines = 0;
	bool skip = false; /* skip the rest of a line that is too long */
	size_t have = 0;

	if (fd < 0)
		return;
	dl_iterate_phdr(count_objects, counts);
	dl_iterate_phdr(write_id, NULL);
	while ((n = syscall(SYS_read, fd, text + have, sizeof(text) - have)) > 0) {
		char *at = text, *end = text + have + n, *newline;

		while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
			size_t length = (size_t)(newline - at);

			if (!skip && executable(at, length)) {
				rings_event(TIMER_MAP, at, length);
				lines++;
			}
			skip = false;
			at = newline + 1;
		}
		have = (size_t)(end - at);
		if (have == sizeof(text)) {
			skip = true;
			have = 0;
		}
		memmove(text, at, have);
	}
	syscall(SYS_close, fd);
	rings_event(TIMER_SCAN, &lines, sizeof(lines));
	added = counts[0];
	removed = counts[1];
}

static void scan_if(int which, const unsigned long long *last)
{
	unsigned long long counts[2] = { 0, 0 };
	uint64_t signals;

	dl_iterate_phdr(count_objects, counts);
	if (counts[which] == *last)
		return;
	rings_lock(&signals);
	map_scan();
	rings_unlock(signals);
}

void map_scan_if_added(void)
{
	scan_if(0, &added);
}

void map_scan_if_removed(void)
{
	scan_if(1, &removed);
}

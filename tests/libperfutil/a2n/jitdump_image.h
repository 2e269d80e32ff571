/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A jitdump, made byte by byte, in either byte order. */
#ifndef JITDUMP_IMAGE_H
#define JITDUMP_IMAGE_H

#include <elf.h>
#include <stdint.h>
#include <sys/mman.h>

#include "unit.h"

static uint8_t image[1 << 20];
static size_t used;
static bool big;              /* the other byte order */
static uint32_t pad = 0xcafe; /* not to be trusted */
static uint64_t vma;          /* 0, as LLVM has it */

static inline void u32(uint32_t v)
{
	if (big)
		v = __builtin_bswap32(v);
	memcpy(image + used, &v, 4);
	used += 4;
}

static inline void u64(uint64_t v)
{
	if (big)
		v = __builtin_bswap64(v);
	memcpy(image + used, &v, 8);
	used += 8;
}

static inline void raw(const void *p, size_t n)
{
	memcpy(image + used, p, n);
	used += n;
}

static inline void header_of(uint32_t version, uint32_t size, uint64_t flags)
{
	used = 0;
	u32(0x4A695444);
	u32(version);
	u32(size);
	u32(EM_X86_64);
	u32(pad);
	u32(77);
	u64(12345);
	u64(flags);
	while (used < size)
		image[used++] = 0xcc;
}

static inline void header(void)
{
	header_of(1, 40, 0);
}

struct load {
	uint64_t time, address, size, index;
	const char *name;
	size_t name_length; /* with its NUL; 0: as it is */
	const char *code;   /* size bytes; NULL: none in the file */
	size_t slack;
	uint32_t pid;
};

static inline size_t load(struct load l)
{
	size_t at = used, name = l.name_length ? l.name_length : strlen(l.name) + 1;

	u32(0);
	u32((uint32_t)(56 + name + (l.code ? l.size : 0) + l.slack));
	u64(l.time);
	u32(l.pid ? l.pid : 77);
	u32(78);
	u64(vma);
	u64(l.address);
	u64(l.size);
	u64(l.index);
	raw(l.name, name);
	if (l.code)
		raw(l.code, l.size);
	while (l.slack--)
		image[used++] = 0;
	return at;
}

static inline size_t prefix(uint32_t id, uint32_t size, uint64_t time)
{
	size_t at = used;

	u32(id);
	u32(size);
	u64(time);
	return at;
}

static inline void move(uint64_t time, uint64_t from, uint64_t to, uint64_t size)
{
	prefix(1, 64, time);
	u32(77);
	u32(78);
	u64(0);
	u64(from);
	u64(to);
	u64(size);
	u64(3);
}

static inline int file_of(const void *p, size_t n)
{
	int fd = memfd_create("jitdump", 0);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL_FATAL(write(fd, p, n), (ssize_t)n);
	return fd;
}

#endif

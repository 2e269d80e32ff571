/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Registers DWARF rules for unwinding from stubs with libgcc's unwinder, which C++ programs use and
 * the C library loads to cancel a thread: so it is loaded now. A program may also contain an
 * unwinder.
 */
#include "unwinding.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "patch_machine.h"

static uint8_t *put32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
	return at + sizeof(v);
}

static uint8_t *put64(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, sizeof(v));
	return at + sizeof(v);
}

/* Writes two records, with lengths that are multiples of 8, and an end mark. */
static void describe(uint8_t *out, uint64_t start, uint64_t end)
{
	uint8_t *at, *first = out;

	/* Common to all stubs: version 1, absolute addresses, no language-specific data. */
	at = put32(out + 4, 0);
	*at++ = 1;
	*at++ = 0;
	*at++ = 1;
	*at++ = 0x78; /* -8 */
	*at++ = machine_return_column();
	at += machine_unwinding(at);
	while ((at - first) % 8 != 4)
		at++;
	put32(first, (uint32_t)(at - first - 4));
	/* The range of addresses. */
	put32(at, 20);
	put32(at + 4, (uint32_t)(at + 4 - first));
	at = put64(at + 8, start);
	at = put64(at, end - start);
	put32(at, 0);
}

typedef void notify_fn(void *begin);

#define UNWINDERS 16
static notify_fn *unwinders[UNWINDERS];

void unwinding_also(uint64_t notify)
{
	notify_fn *f = (notify_fn *)(uintptr_t)notify;

	for (int i = 0; i < UNWINDERS && unwinders[i] != f; i++) {
		if (!unwinders[i]) {
			unwinders[i] = f;
			return;
		}
	}
}

int unwinding_notify(uint64_t start, uint64_t end)
{
	void *libgcc = dlopen("libgcc_s.so.1", RTLD_NOW);

	if (libgcc)
		unwinding_also((uint64_t)(uintptr_t)dlsym(libgcc, "__register_frame"));
	/* Each unwinder keeps the record. */
	for (int i = 0; i < UNWINDERS && unwinders[i]; i++) {
		uint8_t *records = calloc(1, 128);

		if (!records)
			return -ENOMEM;
		describe(records, start, end);
		unwinders[i](records);
	}
	return 0;
}

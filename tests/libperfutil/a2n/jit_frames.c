/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jit_frames SCENE LOOPS: x86-64 code without frame pointers, told in a jitdump with its unwinding
 * tables; end_cb, which it calls, and its own loop take the time. Each frame has another size.
 *  plain    each of three codes called by call_it; a code called by a code
 *  none     the same, no tables
 *  wrong    the same, tables of another frame's size
 *  first    the same, tables whose header stands first
 *  again    code over code of another frame's size at one address, each run
 *  partly   code over the end of other code
 *  moved    code that moved, and was run at both places
 *  many     4,500 codes, each run once
 */
#include <jitdump.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FUNCTION __attribute__((noinline, noclone, used))
#define ROOM     128 /* of one code */
#define CODES    4500
#define SIZE     38

typedef void (*made)(long n, void *next, void *last);

static struct jitdump_writer *dump;
static uint8_t *area;
static volatile long work;
static long loops;
static enum { TABLES, NONE, WRONG, HEADER_FIRST } kind;

static FUNCTION void end_cb(long n)
{
	for (long i = 0; i < n; i++)
		work += i;
}

static FUNCTION void call_it(void *p, void *next, void *last)
{
	made f;

	memcpy(&f, &p, sizeof(f));
	f(loops, next, last);
	work++;
}

/* push %rbx; sub $frame,%rsp; mov %rdi,%rbx; mov %rsi,%rax; mov %rdx,%rsi; call *%rax;
 * dec %rbx; jne back; add $frame,%rsp; pop %rbx; ret */
static void write_code(uint8_t *to, uint32_t frame)
{
	static const uint8_t code[SIZE] = {
		0x53, 0x48, 0x81, 0xec, 0,    0,    0,    0,    0x48, 0x89, 0xfb, 0x48, 0x89,
		0xf0, 0x48, 0x89, 0xd6, 0xff, 0xd0, 0x48, 0xff, 0xcb, 0x75, 0xfb, 0x48, 0x81,
		0xc4, 0,    0,    0,    0,    0x5b, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
	};

	memcpy(to, code, sizeof(code));
	memcpy(to + 4, &frame, sizeof(frame));
	memcpy(to + 27, &frame, sizeof(frame));
}

static void put32(uint8_t **p, int32_t value)
{
	memcpy(*p, &value, sizeof(value));
	*p += sizeof(value);
}

static void put_uleb(uint8_t **p, uint32_t value)
{
	for (; value > 127; value >>= 7)
		*(*p)++ = (uint8_t)value | 128;
	*(*p)++ = (uint8_t)value;
}

/* A CIE of 24 bytes, an FDE of 32, an end of 4. */
#define FDE      24
#define EH_SIZE  60
#define HDR_SIZE 20

static void write_eh_frame(uint8_t *to, int32_t at, uint32_t frame)
{
	uint8_t *p = to;

	memset(to, 0, EH_SIZE);
	put32(&p, 20);
	put32(&p, 0);
	/* version 1, "zR"; units 1 and -8, return address in 16; pcrel | sdata4 */
	memcpy(p, "\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1", 14);
	p = to + FDE;
	put32(&p, 28);
	put32(&p, FDE + 4);
	put32(&p, -(at + FDE + 8));
	put32(&p, SIZE);
	*p++ = 0;
	memcpy(p, "\x41\x0e\x10\x83\2\x47\x0e", 7); /* pushed; %rbx is there; … sub */
	p += 7;
	put_uleb(&p, frame + 16);
	memcpy(p, "\x57\x0e\x10\x41\x0e\x08\xc3", 7); /* add; popped */
}

static void write_hdr(uint8_t *to, int32_t at, int32_t eh_frame)
{
	uint8_t *p = to;

	put32(&p, 0x3b031b01);
	put32(&p, eh_frame - (at + 4));
	put32(&p, 1);
	put32(&p, -at); /* relative to the header: the code, its FDE */
	put32(&p, eh_frame + FDE - at);
}

static void tell(uint8_t *p, const char *name, uint32_t frame, uint64_t *index)
{
	uint8_t eh_frame[EH_SIZE + HDR_SIZE], hdr[HDR_SIZE];
	struct jitdump_unwind unwind = { eh_frame, EH_SIZE, hdr, HDR_SIZE };
	const int32_t at = (SIZE + 7) / 8 * 8;

	write_code(p, frame);
	write_eh_frame(eh_frame, at, kind == WRONG ? frame + 16 : frame);
	write_hdr(hdr, at + EH_SIZE, at);
	if (kind == HEADER_FIRST) { /* told as one: where the one ends the other begins */
		write_eh_frame(eh_frame + HDR_SIZE, at + HDR_SIZE, frame);
		write_hdr(eh_frame, at, at + HDR_SIZE);
		memcpy(hdr, eh_frame + EH_SIZE, HDR_SIZE);
	}
	if (kind == NONE ? jitdump_load(dump, name, (uintptr_t)p, SIZE, p, NULL, 0, index) :
			   jitdump_load_unwind(dump, 0, name, (uintptr_t)p, SIZE, p, NULL, 0,
					       &unwind, index))
		exit(1);
}

static void plain(void)
{
	char name[] = "jit_0";
	int i;

	for (i = 0; i < 3; i++) {
		name[4] = (char)('0' + i);
		tell(area + ROOM * i, name, 16 + 160 * (uint32_t)i, NULL);
	}
	for (i = 0; i < 3; i++)
		call_it(area + ROOM * i, (void *)end_cb, NULL);
	call_it(area + 2 * ROOM, area + ROOM, (void *)end_cb);
}

static void again(void)
{
	tell(area, "jit_before", 32, NULL);
	call_it(area, (void *)end_cb, NULL);
	tell(area, "jit_after", 4096, NULL);
	call_it(area, (void *)end_cb, NULL);
}

/* The code before ends in five bytes that nothing jumps to. */
static void partly(void)
{
	tell(area, "jit_cut", 32, NULL);
	call_it(area, (void *)end_cb, NULL);
	tell(area + SIZE - 2, "jit_over", 256, NULL);
	call_it(area + SIZE - 2, (void *)end_cb, NULL);
}

static void moved(void)
{
	uint64_t index;

	tell(area, "jit_moves", 48, &index);
	call_it(area, (void *)end_cb, NULL);
	memcpy(area + 8192, area, SIZE);
	if (jitdump_move(dump, index, (uintptr_t)area, (uintptr_t)area + 8192, SIZE))
		exit(1);
	call_it(area + 8192, (void *)end_cb, NULL);
}

static void many(void)
{
	char name[32];
	int i;

	for (i = 0; i < CODES; i++) {
		snprintf(name, sizeof(name), "jit_%d", i);
		tell(area + ROOM * i, name, 16 + 16 * (uint32_t)(i % 40), NULL);
	}
	for (i = 0; i < CODES; i++)
		call_it(area + ROOM * i, (void *)end_cb, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
		int kind;
	} scenes[] = {
		{ "plain", plain, TABLES }, { "none", plain, NONE },
		{ "wrong", plain, WRONG },  { "first", plain, HEADER_FIRST },
		{ "again", again, TABLES }, { "partly", partly, TABLES },
		{ "moved", moved, TABLES }, { "many", many, TABLES },
	};
	size_t i;

	area = mmap(NULL, ROOM * CODES, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (argc < 3 || area == MAP_FAILED || jitdump_create(&dump, "."))
		return 2;
	loops = atol(argv[2]);
	for (i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		if (strcmp(scenes[i].name, argv[1]))
			continue;
		kind = scenes[i].kind;
		scenes[i].run();
		printf("%s\n", jitdump_path(dump));
		return jitdump_end(dump) ? 1 : 0;
	}
	return 2;
}

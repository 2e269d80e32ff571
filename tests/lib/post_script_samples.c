/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a story, and its lines of samples: with stacks, of counters, with a copied stack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "post_script.h"

void die(const char *what)
{
	fprintf(stderr, "post_script: line %u: %s\n", line_number, what);
	exit(1);
}

uint64_t number(unsigned int i)
{
	char *end;
	uint64_t n;

	if (i >= nwords)
		die("too few words");
	n = strtoull(words[i], &end, 0);
	if (*end)
		die("not a number");
	return n;
}

uint32_t cpu_at(unsigned int i)
{
	uint64_t cpu = number(i);

	if (cpu >= CPUS)
		die("no such CPU");
	return (uint32_t)cpu;
}

void thread(unsigned int i, uint32_t *pid, uint32_t *tid)
{
	if (i >= nwords)
		die("too few words");
	*tid = 0;
	if (sscanf(words[i], "%u/%u", pid, tid) == 1)
		*tid = *pid;
}

void bytes(const char *hex, uint8_t *to, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		unsigned int byte;

		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			die("not bytes");
		to[i] = (uint8_t)byte;
	}
}

void put(struct gen_ring *r, uint16_t major, uint32_t minor, const void *data, size_t size)
{
	memcpy(gen_record(r, major, minor, PITRACE_TYPE_STRUCT, (uint32_t)size, now), data, size);
}

struct addresses addresses(unsigned int first)
{
	struct addresses a = { 0 };

	for (unsigned int i = first; i < nwords; i++) {
		a.list[i - first] = number(i);
		if (a.list[i - first] >> 63)
			a.head.kernel++;
		else
			a.head.user++;
	}
	if (nwords > first)
		a.bytes = (uint32_t)sizeof(a.head) + 8 * (nwords - first);
	return a;
}

void put_stacked(struct gen_ring *r, uint16_t major, uint32_t minor, const void *data,
		 uint32_t size, const struct addresses *a)
{
	uint8_t *to = gen_record(r, major, minor, PITRACE_TYPE_STRUCT, size + a->bytes, now);

	memcpy(to, data, size);
	if (!a->bytes)
		return;
	memcpy(to + size, &a->head, sizeof(a->head));
	memcpy(to + size + sizeof(a->head), a->list, a->bytes - sizeof(a->head));
}

static void put_sample(uint32_t counter, uint64_t period, unsigned int at)
{
	struct pitrace_sample s = { .address = number(at), .period = period };
	struct addresses stack = addresses(at + 1);
	uint32_t minor = s.address >> 63 ? PITRACE_TPROF_KERNEL : PITRACE_TPROF_USER;

	thread(2, &s.pid, &s.tid);
	minor |= counter << PITRACE_TPROF_EVENT_SHIFT;
	if (stack.bytes)
		minor |= PITRACE_TPROF_STACK;
	put_stacked(&trace[cpu_at(1)], PITRACE_TPROF, minor, &s, sizeof(s), &stack);
}

/* sample CPU THREAD ADDRESS [ADDRESS]...: with its stack */
void sample(void)
{
	put_sample(0, 1000000, 3);
}

/* counter NUMBER FLAGS PERIOD NAME: an event that is sampled */
void counter(void)
{
	struct pitrace_event_rec e = {
		.event = (uint32_t)number(1),
		.flags = (uint32_t)number(2),
		.period = number(3),
	};

	if (nwords < 5)
		die("too few words");
	snprintf(e.name, sizeof(e.name), "%s", words[4]);
	put(&mte[0], PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT, &e, sizeof(e));
}

/* count CPU THREAD NUMBER PERIOD ADDRESS [ADDRESS]...: a sample of that event */
void count(void)
{
	put_sample((uint32_t)number(3) + 1, number(4), 5);
}

/* copy CPU THREAD 64|32 REGISTERS SP-NUMBER SP PC HEX: a sample with registers (the last is PC, all
 * others but SP are 0) and a copy of the stack from SP on */
void copy(void)
{
	struct pitrace_sample s = { .address = number(7), .period = 1000000 };
	struct pitrace_stack h = {
		.flags = PITRACE_STACK_COPY | (number(3) == 32 ? PITRACE_STACK_32BIT : 0),
		.regs = (uint16_t)number(4),
		.bytes = nwords > 8 ? (uint32_t)strlen(words[8]) / 2 : 0,
	};
	uint64_t regs[256] = { 0 };
	uint8_t *data;

	if (h.regs < 2 || h.regs > 256 || number(5) >= h.regs || nwords < 9)
		die("registers, or bytes, are missing");
	regs[number(5)] = number(6);
	regs[h.regs - 1] = number(7);
	thread(2, &s.pid, &s.tid);
	data = gen_record(&trace[cpu_at(1)], PITRACE_TPROF,
			  PITRACE_TPROF_USER | PITRACE_TPROF_STACK, PITRACE_TYPE_STRUCT,
			  (uint32_t)(sizeof(s) + sizeof(h) + 8 * h.regs + h.bytes), now);
	memcpy(data, &s, sizeof(s));
	memcpy(data + sizeof(s), &h, sizeof(h));
	data += sizeof(s) + sizeof(h);
	memcpy(data, regs, 8ul * h.regs);
	data += 8ul * h.regs;
	bytes(words[8], data, h.bytes);
}

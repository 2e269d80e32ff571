/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: the stack at a sample's end, resolved and, where it is a copy, walked by this program's own
 * unwinding tables. The first byte chooses the machine, the rest is what follows the sample. Words
 * that begin with 0xC0DE become addresses in this program's code, so that walks get somewhere;
 * those with 0xC0DF in a second mapping of it, which stays when the first one goes; those with
 * 0xC0E0 in code that the program made: where the first byte is 0xE0 to 0xEF, a length (2 bytes)
 * and the unwinding table of that code stand before the stack.
 */
#include <unistd.h>

#include "fuzz.h"
#include "model/callers.h"
#include "model/stacks.h"

#define BASE      0x400000000ull
#define CODE      (16ull << 20)
#define SECOND    (BASE + (1ull << 32))
#define UNMAPPED  20                    /* the time at which the first mapping goes */
#define MADE      (BASE + (1ull << 33)) /* code of so many bytes */
#define MADE_SIZE 64
#define TABLE_MAX 4096
#define SAMPLE    sizeof(struct pitrace_sample)

extern const char __executable_start[], etext[];

static struct jit_bytes *made; /* what post keeps of that code */

static void point_at_code(uint8_t *p, size_t size)
{
	uint64_t word, base;
	size_t i;

	for (i = 0; i + sizeof(word) <= size; i += 4) {
		memcpy(&word, p + i, sizeof(word));
		base = word >> 48 == 0xC0DE ? BASE :
		       word >> 48 == 0xC0DF ? SECOND :
		       word >> 48 == 0xC0E0 ? MADE :
					      0;
		if (!base)
			continue;
		word = base +
		       (word & 0xffffffff) %
			       (base == MADE ? MADE_SIZE : (uint64_t)(etext - __executable_start));
		memcpy(p + i, &word, sizeof(word));
	}
}

/* The record that says so, to who reads names in the order of time. */
static void first_goes(struct names *n)
{
	struct pitrace_mte_unmap u = { .pid = 1, .start = BASE, .length = CODE };
	struct pirecord r = {
		.time = UNMAPPED,
		.major = PITRACE_MTE,
		.type = PITRACE_TYPE_STRUCT,
		.minor = PITRACE_MTE_UNMAP,
		.data = &u,
		.size = sizeof(u),
	};

	if (names_event(n, &r))
		abort();
}

static void walk(struct names *n, const struct stack *s, const char *machine)
{
	struct stacks_hit hit = { .pid = 1, .time = 10, .address = BASE + 16, .ticks = 1 };
	static const struct reader by_frames = { .frames = true };
	struct input in = { .reader = &by_frames, .size = 1 << 16 };
	struct stacks st = { 0 };
	struct callers c;
	uint64_t self = 0;
	uint32_t i;

	for (i = 0; i < STACKS_ENDS; i++)
		fuzz_touch(stacks_end_words((enum stacks_end)i), 1);
	hit.process = 0;
	memcpy(in.header.machine, machine, strnlen(machine, sizeof(in.header.machine)));
	if (names_address(n, 1, hit.address, 10, false, &hit.leaf) || stacks_open(&st, n, &in) ||
	    stacks_add(&st, n, &hit, s) || stacks_add(&st, n, &hit, NULL) ||
	    stacks_add(&st, n, &hit, s))
		abort();
	first_goes(n);
	hit.time = UNMAPPED + 10;
	if (stacks_add(&st, n, &hit, s) || stacks_leaf(&st, 0, hit.leaf, true, 1))
		abort();
	if (stacks_finish(&st, n) || callers_build(&c, &st.calls, n))
		abort();
	for (i = 0; i < c.ncalled; i++)
		self += c.called[i].self;
	if (self != 5 || st.calls.total != 5 || st.with != 3 || st.without != 1)
		abort();
	callers_free(&c);
	stacks_free(&st);
}

/* One process with this program mapped, the same for all inputs. */
static struct names *get_names(void)
{
	static const struct names_options options;
	static struct names names;
	struct pitrace_sample sample = { .pid = 1, .tid = 1, .address = BASE + 16 };
	struct a2n_map map = { .start = BASE, .length = CODE };
	struct sample_place place;
	char path[4096];
	ssize_t n;

	if (names.a2n)
		return &names;
	n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (n < 0)
		abort();
	path[n] = '\0';
	map.path = path;
	if (names_open(&names, &options) || a2n_process(names.a2n, 1, 1, 1) ||
	    a2n_add_map(names.a2n, 2, 1, &map) || a2n_unmap(names.a2n, UNMAPPED, 1, BASE, CODE))
		abort();
	made = calloc(1, sizeof(*made) + TABLE_MAX);
	if (!made)
		abort();
	made->table_at = MADE_SIZE;
	map.start = SECOND;
	if (a2n_add_map(names.a2n, 3, 1, &map))
		abort();
	map = (struct a2n_map){ .start = MADE, .length = 4096, .flags = A2N_MAP_ANON };
	if (a2n_add_map(names.a2n, 3, 1, &map) ||
	    a2n_jit_load(names.a2n, 3, 1, MADE, MADE_SIZE, "made", 4))
		abort();
	a2n_jit_bytes(names.a2n, made->bytes);
	if (names_sample(&names, &sample, 10, false, &place))
		abort();
	return &names;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const machines[] = { "x86_64", "aarch64", "ppc64le", "s390x", "none" };
	struct pirecord r = { .type = PITRACE_TYPE_STRUCT };
	const char *machine;
	struct names *n;
	struct stack s;
	uint8_t *copy;
	size_t table;

	if (size < 1)
		return 0;
	n = get_names();
	machine = machines[data[0] % 5];
	made->table_size = 0;
	if ((data[0] & 0xf0) == 0xe0) {
		table = size < 3 ? size : data[1] | (size_t)data[2] << 8;
		if (size < 3 || table > size - 3 || table > TABLE_MAX)
			return 0;
		machine = machines[(data[0] & 0xf) % 5];
		memcpy(made->bytes, data + 3, table);
		made->table_size = table;
		data += 2 + table;
		size -= 2 + table;
	}
	/* A copy of exactly its size, for the sanitizer. */
	copy = malloc(SAMPLE + size - 1);
	if (!copy)
		return 0;
	memset(copy, 0, SAMPLE);
	memcpy(copy + SAMPLE, data + 1, size - 1);
	point_at_code(copy + SAMPLE, size - 1);
	r.data = copy;
	r.size = (uint32_t)(SAMPLE + size - 1);
	if (stack_read(&r, SAMPLE, &s)) {
		if (s.copy + s.head->bytes > copy + r.size)
			abort();
		walk(n, &s, machine);
	}
	free(copy);
	return 0;
}

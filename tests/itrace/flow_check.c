/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * itrace_flow MACHINE COUNT: instructions of chance, as the library's decoder of branches takes
 * them (flow.h) and as libopcodes does: the same kind, the same length. What libopcodes does not
 * know is left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pitrace.h>
#include "isa/flow.h"
#include "insn.h"
#include "xorshift.h"

static uint64_t seed = 88172645463325252u;

static uint64_t chance(void)
{
	return xorshift(&seed);
}

static struct flow x86(const uint8_t *code, size_t n)
{
	return flow_x86(code, n, true);
}

static const struct {
	const char *name;
	struct flow (*flow)(const uint8_t *code, size_t n);
	uint8_t first[16]; /* bytes that one in two instructions begins with, 0 the end */
} machines[] = {
	{ "x86_64",
	  x86,
	  { 0x70, 0x7F, 0xE0, 0xE3, 0xE8, 0xE9, 0xEB, 0xC2, 0xC3, 0xFF, 0x0F, 0xF3, 0xCD, 0x48,
	    0xCC } },
	{ "aarch64", flow_arm64, { 0 } },
	{ "ppc64le", flow_ppc64, { 0 } },
	{ "s390x",
	  flow_s390,
	  { 0x07, 0x47, 0xA7, 0xC0, 0xB9, 0xE3, 0xEB, 0xEC, 0x05, 0x0D, 0x84, 0x87, 0x45, 0x46,
	    0xC6 } },
};

/* Maps a flow to libopcodes' types. */
static unsigned int kind_of(const struct flow *f)
{
	switch (f->what) {
	case FLOW_BRANCH:
		return INSN_BRANCH;
	case FLOW_MAYBE:
		return INSN_CONDITIONAL;
	case FLOW_SYSCALL:
		return INSN_SYSCALL;
	case FLOW_REPEAT:
		return INSN_REPEAT;
	}
	return INSN_PLAIN;
}

static bool same(const struct flow *f, const struct insn *i)
{
	unsigned int kind = kind_of(f);

	if (f->what == FLOW_UNKNOWN ||
	    (f->length && f->length != i->length && kind != INSN_PLAIN && kind != INSN_REPEAT))
		return false;
	return kind == i->kind &&
	       ((kind != INSN_BRANCH && kind != INSN_CONDITIONAL) || f->kind == i->branch);
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;
	unsigned long known = 0, wrong = 0, m = 0, branches = 0;

	if (!count)
		return 2;
	while (m < sizeof(machines) / sizeof(*machines) && strcmp(machines[m].name, argv[1]))
		m++;
	if (m == sizeof(machines) / sizeof(*machines) || !insn_open(argv[1]))
		return 2;
	while (count--) {
		size_t first = strnlen((const char *)machines[m].first, 16);
		uint64_t bytes[2] = { chance(), chance() };
		uint8_t *code = (uint8_t *)bytes;
		struct insn i;
		struct flow f;

		if (first && chance() & 1)
			code[0] = machines[m].first[chance() % first];
		i = insn_at(0x10000, code, sizeof(bytes));
		if (!i.length || i.unknown)
			continue;
		f = machines[m].flow(code, FLOW_BYTES);
		known++;
		branches += i.kind != INSN_PLAIN;
		if (same(&f, &i))
			continue;
		if (wrong++ < 10)
			printf("%016" PRIx64 " %016" PRIx64
			       ": flow %u kind %u length %u; libopcodes %u kind %u length %u, %s\n",
			       bytes[0], bytes[1], f.what, f.kind, f.length, i.kind, i.branch,
			       i.length, insn_text());
	}
	printf("%lu instructions, %lu of them branches, %lu differ\n", known, branches, wrong);
	return wrong || !branches;
}

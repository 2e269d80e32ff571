/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sites of arm64: the first instruction becomes a branch, with a reach of 128 MB. */
#include "site_code.h"

#include "sites.h"

#define NOP       0xd503201fu
#define SLED      32          /* bytes of a sled of XRay */
#define SLED_OVER 0x14000008u /* b .+32 */

static uint32_t first(struct bytes *code)
{
	return bytes_u32(code);
}

size_t site_code_nop(struct bytes code)
{
	return first(&code) == NOP && !code.bad ? 4 : 0;
}

/* bti c, j, jc; paciasp and pacibsp are landing pads, too, but change a register. */
size_t site_code_pad(struct bytes code)
{
	uint32_t insn = first(&code);

	return !code.bad && (insn & 0xffffff3f) == 0xd503241f ? 4 : 0;
}

static void switched(struct site_code *c, uint32_t off)
{
	c->switched = (struct site_bytes){ .n = 4 };
	memcpy(c->switched.off, &off, sizeof(off));
}

const char *site_code_entry(struct bytes code, struct site_code *c)
{
	uint32_t insn = first(&code);

	*c = (struct site_code){ .length = 4 };
	if (code.bad)
		return "it is outside of the program's code";
	if ((insn & 0xfc000000u) == 0x14000000u)
		return "there is a branch already: another tool has patched it";
	if (insn != NOP)
		return "there is no nop";
	switched(c, insn);
	return NULL;
}

const char *site_code_sled(struct bytes code, uint8_t kind, struct site_code *c)
{
	uint32_t insn = first(&code);

	(void)kind;
	*c = (struct site_code){ .length = SLED };
	if (!bytes_skip(&code, SLED - 4))
		return "it is outside of the program's code";
	if ((insn & 0xffc07fffu) == 0xa9807be0u)
		return "XRay's own runtime has patched it";
	if (insn != SLED_OVER)
		return "there is no sled of XRay";
	switched(c, insn);
	return NULL;
}

size_t site_code_distances(const struct site_code *c, int32_t list[SITE_DISTANCES])
{
	(void)c;
	(void)list;
	return 0;
}

static bool branch(uint32_t *insn, uint64_t from, uint64_t to)
{
	int64_t distance = (int64_t)(to - from);

	*insn = 0x14000000u | ((uint32_t)(distance / 4) & 0x03ffffffu);
	return distance % 4 == 0 && distance >= -(1 << 27) && distance < 1 << 27;
}

bool site_code_jump(uint8_t out[SITE_JUMP], uint64_t from, uint64_t to)
{
	uint32_t insn;
	bool reached = branch(&insn, from, to);

	memcpy(out, &insn, sizeof(insn));
	return reached;
}

bool site_code_aim(struct site_code *c, uint64_t at, uint64_t target)
{
	return site_code_jump(c->switched.on, at, target);
}

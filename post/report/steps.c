/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code repeats, so decoded instructions are kept in a direct-mapped cache until memory changes. */
#include "report/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_BITS 14
#define LONGEST    16 /* bytes; at least the longest instruction of any machine */

struct steps_cached {
	uint64_t address;
	uint32_t pid, version, epoch;
	bool is, kernel;
	const char *why; /* NULL: insn is valid */
	struct insn insn;
};

struct steps_machine {
	uint32_t machine;
	bool is_32, big_endian;
	struct disasm *d; /* NULL: unsupported machine */
	const char *why;
};

int steps_begin(struct steps *s, struct names *n, struct input *in)
{
	int rc;

	*s = (struct steps){ 0 };
	rc = code_bytes_begin(&s->bytes, n, in);
	s->cache = calloc(1u << CACHE_BITS, sizeof(*s->cache));
	return rc ? rc : s->cache ? 0 : -ENOMEM;
}

void steps_free(struct steps *s)
{
	uint32_t i;

	for (i = 0; i < s->nmachine; i++)
		disasm_close(s->machine[i].d);
	free(s->machine);
	free(s->cache);
	code_bytes_free(&s->bytes);
}

static int get_machine(struct steps *s, const struct bytes_found *f, struct steps_machine **machine)
{
	struct steps_machine *m;
	uint32_t i;

	for (i = 0; i < s->nmachine; i++) {
		m = &s->machine[i];
		if (m->machine == f->machine && m->is_32 == f->is_32 &&
		    m->big_endian == f->big_endian) {
			*machine = m;
			return 0;
		}
	}
	if (array_next(s->machine, s->nmachine, s->room_machine))
		return -ENOMEM;
	m = &s->machine[s->nmachine++];
	*m = (struct steps_machine){ f->machine, f->is_32, f->big_endian, NULL, NULL };
	m->d = disasm_open(m->machine, m->is_32, m->big_endian, &m->why);
	*machine = m;
	return m->d || m->why ? 0 : -ENOMEM;
}

/* An instruction may span two pieces of memory. */
static int gather(struct steps *s, const struct run *run, uint64_t address, uint8_t room[LONGEST],
		  struct bytes_found *found)
{
	struct bytes_found more;
	size_t n = 0, part;
	int rc;

	rc = code_bytes_find(&s->bytes, run->r.pid, address, run->since, run->r.kernel, found);
	if (rc || !found->at || found->size >= LONGEST)
		return rc;
	for (more = *found; more.at && n < LONGEST;) {
		part = more.size < LONGEST - n ? more.size : LONGEST - n;
		memcpy(room + n, more.at, part);
		n += part;
		rc = code_bytes_find(&s->bytes, run->r.pid, address + n, run->since, run->r.kernel,
				     &more);
		if (rc)
			return rc;
	}
	found->at = room;
	found->size = n;
	return 0;
}

static int decode(struct steps *s, const struct run *run, uint64_t address, struct steps_cached *c)
{
	struct steps_machine *m;
	struct bytes_found found;
	uint8_t room[LONGEST];
	int rc = gather(s, run, address, room, &found);

	if (rc)
		return rc;
	c->why = found.why;
	if (!found.at)
		return 0;
	rc = get_machine(s, &found, &m);
	if (rc)
		return rc;
	c->why = m->why;
	if (!m->d)
		return 0;
	disasm_insn(m->d, found.at, found.size, address, &c->insn);
	if (c->insn.kind == INSN_BAD)
		c->why = "libopcodes knows no such instruction";
	return 0;
}

int steps_at(struct steps *s, const struct run *run, uint64_t address, const struct insn **insn,
	     const char **why)
{
	struct steps_cached *c =
		&s->cache[hash_mix(address, run->r.pid) >> 8 & ((1u << CACHE_BITS) - 1)];
	int rc;

	if (!c->is || c->address != address || c->pid != run->r.pid || c->kernel != run->r.kernel ||
	    c->version != run->version || c->epoch != s->bytes.epoch) {
		c->is = false;
		rc = decode(s, run, address, c);
		if (rc)
			return rc;
		c->is = true;
		c->address = address;
		c->pid = run->r.pid;
		c->kernel = run->r.kernel;
		c->version = run->version;
		c->epoch = s->bytes.epoch;
	}
	*why = c->why;
	*insn = c->why ? NULL : &c->insn;
	return 0;
}

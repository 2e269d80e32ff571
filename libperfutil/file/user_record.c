/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records that programs write: all lengths are checked once, before any data is used. */
#include <errno.h>
#include <pifile.h>
#include "base/cursor.h"

int pifile_user_record(const struct pirecord *r, struct pifile_user *u)
{
	struct pitrace_user head;
	struct bytes b, lengths;
	uint32_t i;

	if (!r || !u)
		return -EINVAL;
	b = bytes_of(r->data, r->size);
	*u = (struct pifile_user){ .time = r->time, .major = r->major, .minor = r->minor };
	if (r->type != PITRACE_TYPE_MIXED)
		return -ENOMSG;
	if (!bytes_copy(&b, &head, sizeof(head)))
		return -EBADMSG;
	u->values = b.base + b.at;
	bytes_skip(&b, head.ints * sizeof(uint64_t));
	lengths = b;
	bytes_skip(&b, head.strs * sizeof(uint32_t));
	if (b.bad)
		return -EBADMSG;
	u->lengths = lengths.base + lengths.at;
	u->text = b.base + b.at;
	for (i = 0; i < head.strs; i++)
		bytes_skip(&b, bytes_u32(&lengths));
	if (b.bad)
		return -EBADMSG;
	u->pid = head.pid;
	u->tid = head.tid;
	u->uid = head.uid;
	u->cpu = head.cpu;
	u->ints = head.ints;
	u->strs = head.strs;
	return 0;
}

uint64_t pifile_user_int(const struct pifile_user *u, uint32_t i)
{
	return i < u->ints ? bytes_load64(u->values + i * sizeof(uint64_t), false) : 0;
}

static uint32_t length_of(const struct pifile_user *u, uint32_t i)
{
	return bytes_load32(u->lengths + i * sizeof(uint32_t), false);
}

const char *pifile_user_string(struct pifile_user *u, uint32_t i, size_t *length)
{
	if (length)
		*length = 0;
	if (i >= u->strs)
		return NULL;
	/* Reading strings in order costs one step each. */
	if (i < u->next)
		u->next = u->offset = 0;
	for (; u->next < i; u->next++)
		u->offset += length_of(u, u->next);
	if (length)
		*length = length_of(u, i);
	return (const char *)u->text + u->offset;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes perf's records, field by field in the order of perf_event_open(2). */
#include <errno.h>
#include "base/cursor.h"
#include "collect/perf/perf_decode.h"

#define ID_FIELDS                                                                      \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define BRANCH_ENTRY 24

/* The bits that perf_event.h of Linux 7.0 defines, whatever header this is built with. */
#define SAMPLE_KNOWN ((1ull << 25) - 1)
#define BRANCH_KNOWN ((1ull << 20) - 1)
#define READ_KNOWN   ((1ull << 5) - 1)

struct perf_shape perf_shape_of(const struct perf_event_attr *attr)
{
	return (struct perf_shape){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.period = attr->freq ? 0 : attr->sample_period,
		.regs_user = attr->sample_regs_user,
		.regs_intr = attr->sample_regs_intr,
		.id_all = attr->sample_id_all,
		.build_id = attr->build_id,
		.branch_type = attr->branch_sample_type,
	};
}

uint64_t perf_shape_unknown(const struct perf_shape *s, const char **of)
{
	*of = "sample_type";
	if (s->sample_type & ~SAMPLE_KNOWN)
		return s->sample_type & ~SAMPLE_KNOWN;
	*of = "branch_sample_type";
	if (s->sample_type & PERF_SAMPLE_BRANCH_STACK && s->branch_type & ~BRANCH_KNOWN)
		return s->branch_type & ~BRANCH_KNOWN;
	*of = "read_format";
	return s->sample_type & PERF_SAMPLE_READ ? s->read_format & ~READ_KNOWN : 0;
}

uint64_t perf_word(const struct perf_item *item, const uint8_t *words, uint64_t i)
{
	return bytes_load64(words + i * sizeof(uint64_t), item->swap);
}

/* Takes an array of `count` entries; a count beyond the remaining data is refused before it is
 * multiplied. */
static const void *take_array(struct bytes *b, uint64_t count, size_t entry)
{
	if (count > bytes_left(b) / entry) {
		b->bad = true;
		return NULL;
	}
	return bytes_take(b, (size_t)count * entry);
}

/* The times precede the counters of a group, but follow a single counter. */
static void take_values(struct bytes *b, uint64_t format, struct perf_item *p)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t more = !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	if (format & PERF_FORMAT_GROUP) {
		p->nvalues = bytes_u64(b);
		take_array(b, times, sizeof(uint64_t));
		p->value_words = (uint32_t)(1 + more);
		p->values = take_array(b, p->nvalues, p->value_words * sizeof(uint64_t));
	} else {
		p->nvalues = p->value_words = 1;
		p->values = take_array(b, 1 + times + more, sizeof(uint64_t));
	}
}

/* The marker of a deferred user stack is not part of the chain. */
static void take_promise(struct perf_item *p)
{
	if (p->nchain < 2 || perf_word(p, p->chain, p->nchain - 2) != PERF_CHAIN_USER_DEFERRED)
		return;
	p->cookie = perf_word(p, p->chain, p->nchain - 1);
	p->deferred = true;
	p->nchain -= 2;
}

static void take_sample(struct bytes *b, const struct perf_shape *s, struct perf_item *p)
{
	uint64_t type = s->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		p->id = bytes_u64(b);
	if (type & PERF_SAMPLE_IP)
		p->ip = bytes_u64(b);
	if (type & PERF_SAMPLE_TID) {
		p->pid = bytes_u32(b);
		p->tid = bytes_u32(b);
	}
	if (type & PERF_SAMPLE_TIME)
		p->time = bytes_u64(b);
	if (type & PERF_SAMPLE_ADDR)
		p->address = bytes_u64(b);
	if (type & PERF_SAMPLE_ID)
		p->id = bytes_u64(b);
	if (type & PERF_SAMPLE_STREAM_ID)
		bytes_skip(b, 8);
	if (type & PERF_SAMPLE_CPU) {
		p->cpu = bytes_u32(b);
		bytes_skip(b, 4);
	}
	p->period = type & PERF_SAMPLE_PERIOD ? bytes_u64(b) : s->period;
	if (type & PERF_SAMPLE_READ)
		take_values(b, s->read_format, p);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		p->nchain = bytes_u64(b);
		p->chain = take_array(b, p->nchain, sizeof(uint64_t));
		if (p->chain)
			take_promise(p);
	}
	if (type & PERF_SAMPLE_RAW) {
		p->nraw = bytes_u32(b);
		p->raw = bytes_take(b, p->nraw);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		p->nbranches = bytes_u64(b);
		p->branch_index = s->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX ? bytes_u64(b) :
										 UINT64_MAX;
		p->branches = take_array(b, p->nbranches, BRANCH_ENTRY);
		if (s->branch_type & PERF_BRANCH_COUNTERS)
			p->branch_counters = take_array(b, p->nbranches, sizeof(uint64_t));
		p->has_branches = true;
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		p->abi = bytes_u64(b);
		p->nregs = p->abi ? (uint32_t)__builtin_popcountll(s->regs_user) : 0;
		p->regs = take_array(b, p->nregs, sizeof(uint64_t));
	}
	if (type & PERF_SAMPLE_STACK_USER) {
		uint64_t room = bytes_u64(b);

		p->stack = take_array(b, room, 1);
		/* After the data comes the size that the kernel could fill. */
		p->nstack = room ? bytes_u64(b) : 0;
		if (p->nstack > room)
			b->bad = true;
	}
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		p->weight = bytes_u64(b);
	if (type & PERF_SAMPLE_DATA_SRC)
		p->source = bytes_u64(b);
	if (type & PERF_SAMPLE_TRANSACTION)
		p->transaction = bytes_u64(b);
	if (type & PERF_SAMPLE_REGS_INTR) {
		p->intr_abi = bytes_u64(b);
		p->nintr_regs = p->intr_abi ? (uint32_t)__builtin_popcountll(s->regs_intr) : 0;
		p->intr_regs = take_array(b, p->nintr_regs, sizeof(uint64_t));
	}
	if (type & PERF_SAMPLE_PHYS_ADDR)
		p->physical = bytes_u64(b);
	if (type & PERF_SAMPLE_CGROUP)
		p->cgroup = bytes_u64(b);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		p->data_page = bytes_u64(b);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		p->code_page = bytes_u64(b);
	/* Fields that may follow are not used. */
}

/* Reads the sample id at the end of a record that is not a sample. */
static void take_id(struct bytes *b, const struct perf_shape *s, struct perf_item *p)
{
	uint64_t type = s->sample_type;

	if (type & PERF_SAMPLE_TID) {
		p->pid = bytes_u32(b);
		p->tid = bytes_u32(b);
	}
	if (type & PERF_SAMPLE_TIME)
		p->time = bytes_u64(b);
	if (type & PERF_SAMPLE_ID)
		p->id = bytes_u64(b);
	if (type & PERF_SAMPLE_STREAM_ID)
		bytes_skip(b, 8);
	if (type & PERF_SAMPLE_CPU) {
		p->cpu = bytes_u32(b);
		bytes_skip(b, 4);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		p->id = bytes_u64(b);
}

static void take_text(struct bytes *b, struct perf_item *p)
{
	size_t left = bytes_left(b);
	const char *text = bytes_take(b, left), *nul = left ? memchr(text, 0, left) : NULL;

	if (!nul) {
		b->bad = true;
		return;
	}
	p->text = text;
	p->text_len = (size_t)(nul - text);
}

static void take_map(struct bytes *b, const struct perf_shape *s, struct perf_item *p)
{
	p->of_pid = bytes_u32(b);
	p->of_tid = bytes_u32(b);
	p->start = bytes_u64(b);
	p->length = bytes_u64(b);
	p->offset = bytes_u64(b);
	if (p->type == PERF_RECORD_MMAP2 && s->build_id &&
	    p->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		p->build_id_size = bytes_u8(b);
		bytes_skip(b, 3);
		p->build_id = bytes_take(b, 20);
		if (p->build_id_size > 20)
			b->bad = true;
	} else if (p->type == PERF_RECORD_MMAP2) {
		p->dev_major = bytes_u32(b);
		p->dev_minor = bytes_u32(b);
		p->inode = bytes_u64(b);
		p->generation = (uint32_t)bytes_u64(b);
	}
	if (p->type == PERF_RECORD_MMAP2) {
		p->prot = bytes_u32(b);
		p->flags = bytes_u32(b);
	}
	take_text(b, p);
}

static void take_body(struct bytes *b, const struct perf_shape *s, struct perf_item *p)
{
	switch (p->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_map(b, s, p);
		break;
	case PERF_RECORD_COMM:
		p->of_pid = bytes_u32(b);
		p->of_tid = bytes_u32(b);
		take_text(b, p);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		p->of_pid = bytes_u32(b);
		p->parent_pid = bytes_u32(b);
		p->of_tid = bytes_u32(b);
		p->parent_tid = bytes_u32(b);
		p->time = bytes_u64(b);
		break;
	case PERF_RECORD_LOST:
		bytes_skip(b, 8);
		p->lost = bytes_u64(b);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		p->lost = bytes_u64(b);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		p->time = bytes_u64(b);
		break;
	case PERF_RECORD_KSYMBOL:
		p->start = bytes_u64(b);
		p->length = bytes_u32(b);
		p->symbol_type = bytes_u16(b);
		p->gone = bytes_u16(b) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
		take_text(b, p);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		p->of_pid = bytes_u32(b);
		p->of_tid = bytes_u32(b);
		break;
	case PERF_RECORD_NAMESPACES:
		p->of_pid = bytes_u32(b);
		p->of_tid = bytes_u32(b);
		p->nspaces = bytes_u64(b);
		p->spaces = take_array(b, p->nspaces, 2 * sizeof(uint64_t));
		break;
	case PERF_RECORD_CGROUP:
		p->cgroup = bytes_u64(b);
		take_text(b, p);
		break;
	case PERF_CALLCHAIN_DEFERRED:
		p->cookie = bytes_u64(b);
		p->nchain = bytes_u64(b);
		p->chain = take_array(b, p->nchain, sizeof(uint64_t));
		break;
	case PERF_RECORD_TEXT_POKE:
		p->start = bytes_u64(b);
		p->poke_old = bytes_u16(b);
		p->poke_new = bytes_u16(b);
		p->poke = take_array(b, (uint64_t)p->poke_old + p->poke_new, 1);
		break;
	}
}

int perf_decode(const struct perf_shape *s, const void *record, size_t size, struct perf_item *item,
		const char **why)
{
	struct bytes b = bytes_of(record, size), id;
	size_t id_size = 0, claimed;
	const char *of;

	b.swap = s->swap;
	*item = (struct perf_item){ .swap = s->swap };
	item->type = bytes_u32(&b);
	item->misc = bytes_u16(&b);
	claimed = bytes_u16(&b);
	if (b.bad || claimed != size) {
		*why = "a record with a wrong length";
		return -EBADMSG;
	}
	if (item->type == PERF_RECORD_SAMPLE) {
		if (perf_shape_unknown(s, &of)) {
			*why = "a sample of an event with bits that are not known: the positions of its fields are unknown";
			return -EBADMSG;
		}
		take_sample(&b, s, item);
	} else {
		if (s->id_all)
			id_size = 8 * (size_t)__builtin_popcountll(s->sample_type & ID_FIELDS);
		if (id_size > bytes_left(&b)) {
			*why = "a record without room for its sample id";
			return -EBADMSG;
		}
		id = b;
		b.size -= id_size;
		take_body(&b, s, item);
		id.at = id.size - id_size;
		take_id(&id, s, item);
	}
	if (b.bad) {
		*why = "a record shorter than its fields";
		return -EBADMSG;
	}
	return 0;
}

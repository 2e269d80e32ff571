/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages of kernel text: a table of the pages that records passed through, and their state. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "image/kernel_code.h"
#include "file/record_walk.h"

#define PAGE         KERNEL_CODE_PAGE
#define TABLE        (2 * KERNEL_CODE_PAGES) /* a power of two */
#define PARTS_MAX    4096                    /* segments of kcore */
#define LONGEST_INSN 15
#define BATCH        64 /* pages per snapshot */
#define UNLOADED     64 /* most recently unloaded modules */
#ifdef __s390x__
#define LOWEST 8192 /* per-CPU memory below this; kcore shows another CPU's */
#else
#define LOWEST 1
#endif

enum page_state { WANTED = 1, KEPT, NOT_THERE };

struct page {
	uint64_t number;
	uint64_t stamp; /* when this code replaced other code; 0: it is the first */
	uint64_t sum;   /* checksum of what was written */
	uint8_t state;  /* enum page_state; 0: free */
};

struct kcore_part { /* of kcore */
	uint64_t address, size;
	off_t offset;
};

struct unloaded {
	uint64_t start, length, stamp;
};

struct code_record {
	struct pitrace_rec rec;
	struct pitrace_code code;
	uint8_t bytes[PAGE];
};

struct kept_pages { /* pages of one stamp */
	uint64_t stamp;
	struct code_record *page;
	size_t n;
};

struct kernel_code {
	int fd;
	struct kcore_part *part;
	size_t nparts;
	struct page page[TABLE];
	size_t npages;
	size_t wanted;    /* pages per state */
	uint64_t stamp;   /* last page seen */
	uint64_t last[2]; /* pages seen last, + 1 */
	struct unloaded unloaded[UNLOADED];
	size_t nunloaded;
	struct code_record batch[BATCH];
	size_t nbatch;
	struct kept_pages *kept; /* while no file exists yet */
	size_t nkept, room;
};

/* ---- /proc/kcore ----------------------------------------------------------------------------- */

static int read_parts(struct kernel_code *k)
{
	Elf64_Ehdr e;
	Elf64_Phdr p;

	if (pread(k->fd, &e, sizeof(e), 0) != sizeof(e))
		return -EIO;
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
	    e.e_phentsize != sizeof(p) || e.e_phnum > PARTS_MAX)
		return -EBADMSG;
	k->part = calloc(e.e_phnum + 1u, sizeof(*k->part));
	if (!k->part)
		return -ENOMEM;
	for (unsigned int i = 0; i < e.e_phnum; i++) {
		if (pread(k->fd, &p, sizeof(p), (off_t)(e.e_phoff + i * sizeof(p))) != sizeof(p))
			return -EIO;
		if (p.p_type == PT_LOAD)
			k->part[k->nparts++] = (struct kcore_part){
				p.p_vaddr,
				p.p_filesz ? p.p_filesz : p.p_memsz,
				(off_t)p.p_offset,
			};
	}
	return 0;
}

struct kernel_code *kernel_code_new(const char *kcore)
{
	struct kernel_code *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return NULL;
	k->fd = open(kcore, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	err = k->fd < 0 ? -errno : read_parts(k);
	if (!err)
		return k;
	kernel_code_free(k);
	errno = -err;
	return NULL;
}

void kernel_code_free(struct kernel_code *k)
{
	if (!k)
		return;
	if (k->fd >= 0)
		close(k->fd);
	for (size_t i = 0; i < k->nkept; i++)
		free(k->kept[i].page);
	free(k->kept);
	free(k->part);
	free(k);
}

/* Unmapped addresses read as zeros or as an error. */
static bool read_page(const struct kernel_code *k, uint64_t number, uint8_t bytes[PAGE])
{
	uint64_t address = number * PAGE;

	for (size_t i = 0; i < k->nparts; i++) {
		const struct kcore_part *p = &k->part[i];

		if (address - p->address >= p->size || p->size - (address - p->address) < PAGE)
			continue;
		if (pread(k->fd, bytes, PAGE, p->offset + (off_t)(address - p->address)) != PAGE)
			continue;
		for (size_t n = 0; n < PAGE; n++)
			if (bytes[n])
				return true;
	}
	return false;
}

static uint64_t sum_of(const uint8_t bytes[PAGE])
{
	uint64_t sum = 0, word;

	for (size_t i = 0; i < PAGE; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		sum = (sum ^ word) * 0x9E3779B97F4A7C15ull + (sum >> 29);
	}
	return sum;
}

/* ---- the table ------------------------------------------------------------------------------- */

static struct page *find(struct kernel_code *k, uint64_t number)
{
	size_t i = (size_t)(number * 0x9E3779B97F4A7C15ull >> 40) & (TABLE - 1);

	while (k->page[i].state && k->page[i].number != number)
		i = (i + 1) & (TABLE - 1);
	return &k->page[i];
}

static bool in_page(uint64_t number, uint64_t start, uint64_t length)
{
	return number * PAGE + PAGE > start && number * PAGE < start + length;
}

/* The code executed there then was unloaded later. */
static bool was_unloaded(const struct kernel_code *k, uint64_t number, uint64_t stamp)
{
	for (size_t i = 0; i < UNLOADED; i++)
		if (stamp < k->unloaded[i].stamp &&
		    in_page(number, k->unloaded[i].start, k->unloaded[i].length))
			return true;
	return false;
}

static void request_page(struct kernel_code *k, uint64_t number, uint64_t stamp)
{
	struct page *p;

	if (k->last[0] == number + 1 || k->last[1] == number + 1 || was_unloaded(k, number, stamp))
		return;
	k->last[1] = k->last[0];
	k->last[0] = number + 1;
	p = find(k, number);
	if (p->state || k->npages == KERNEL_CODE_PAGES)
		return;
	*p = (struct page){ .number = number, .state = WANTED };
	k->npages++;
	k->wanted++;
}

/* Requests the page of this instruction and of `before` bytes before it. */
static void request_address(struct kernel_code *k, uint64_t address, uint64_t before,
			    uint64_t stamp)
{
	uint64_t first = address - (before < 16 * PAGE ? before : 16 * PAGE);
	uint64_t last = address + LONGEST_INSN;

	if (address < LOWEST || first > address || last < address)
		return;
	for (uint64_t n = first / PAGE; n <= last / PAGE; n++)
		request_page(k, n, stamp);
}

/* A module may replace other code. */
static void module_loaded(struct kernel_code *k, const struct pitrace_mte_map *m, uint64_t stamp)
{
	for (size_t i = 0; i < TABLE; i++) {
		struct page *p = &k->page[i];

		if (!p->state || !in_page(p->number, m->start, m->length))
			continue;
		k->wanted += p->state != WANTED;
		p->state = WANTED;
		p->stamp = stamp;
	}
}

/* Pages of the module that were not read yet are lost. */
static void module_unloaded(struct kernel_code *k, const struct pitrace_mte_map *m, uint64_t stamp)
{
	k->unloaded[k->nunloaded++ % UNLOADED] = (struct unloaded){ m->start, m->length, stamp };
	for (size_t i = 0; i < TABLE; i++) {
		struct page *p = &k->page[i];

		if (p->state != WANTED || !in_page(p->number, m->start, m->length))
			continue;
		p->state = NOT_THERE;
		k->wanted--;
	}
}

/* ---- records --------------------------------------------------------------------------------- */

static void branch(struct kernel_code *k, const struct record *r)
{
	struct pitrace_branch b;

	if (r->size < sizeof(b))
		return;
	memcpy(&b, r->data, sizeof(b));
	if (r->major == PITRACE_BRANCH_KERNEL)
		request_address(k, b.from, (b.count ? b.count - 1ull : 0) * LONGEST_INSN, r->stamp);
	if ((r->major == PITRACE_BRANCH_KERNEL) ^ !!(r->minor & PITRACE_BRANCH_CROSS))
		request_address(k, b.to, 0, r->stamp);
}

static void breaks(struct kernel_code *k, const struct record *r)
{
	struct pitrace_break_rec b;

	if (r->size < sizeof(b))
		return;
	memcpy(&b, r->data, sizeof(b));
	request_address(k, b.at, (uint64_t)b.count * LONGEST_INSN, r->stamp);
	if (!(r->minor & PITRACE_BRANCH_CROSS))
		request_address(k, b.to, 0, r->stamp);
}

static void module(struct kernel_code *k, const struct record *r)
{
	struct pitrace_mte_map m;

	if (r->size < sizeof(m))
		return;
	memcpy(&m, r->data, sizeof(m));
	if (!(m.flags & PITRACE_MAP_KERNEL) || m.flags & PITRACE_MAP_WALK)
		return;
	if (r->minor == PITRACE_MTE_MODULE)
		module_loaded(k, &m, r->stamp);
	else
		module_unloaded(k, &m, r->stamp);
}

static void one_record(struct kernel_code *k, const struct record *r)
{
	if (r->stamp > k->stamp)
		k->stamp = r->stamp;
	switch (r->major) {
	case PITRACE_BRANCH_KERNEL:
	case PITRACE_BRANCH_USER:
		branch(k, r);
		break;
	case PITRACE_BREAK_KERNEL:
		breaks(k, r);
		break;
	case PITRACE_MTE:
		if (r->minor == PITRACE_MTE_MODULE || r->minor == PITRACE_MTE_UNLOAD)
			module(k, r);
		break;
	}
}

void kernel_code_scan(struct kernel_code *k, const void *segment, size_t size)
{
	struct pitrace_segment s;
	struct record_walk w;
	struct record r;

	if (record_walk_begin(&w, segment, size, &s))
		return;
	while (record_next(&w, &r) == 1)
		one_record(k, &r);
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static int keep_batch(struct kernel_code *k, uint64_t stamp)
{
	size_t size = k->nbatch * sizeof(*k->batch);
	struct kept_pages *new;

	if (array_next(k->kept, k->nkept, k->room))
		return -ENOMEM;
	new = &k->kept[k->nkept];
	*new = (struct kept_pages){ .stamp = stamp, .page = malloc(size), .n = k->nbatch };
	if (!new->page)
		return -ENOMEM;
	memcpy(new->page, k->batch, size);
	k->nkept++;
	return 0;
}

static int write_batch(struct kernel_code *k, struct pifile_writer *w, uint64_t stamp)
{
	int err = 0;

	if (k->nbatch && w)
		err = pifile_write_snapshot(w, k->batch, k->nbatch * sizeof(*k->batch), stamp);
	else if (k->nbatch)
		err = keep_batch(k, stamp);
	k->nbatch = 0;
	return err;
}

int kernel_code_write(const struct kernel_code *k, struct pifile_writer *w)
{
	const struct kept_pages *kept;
	int err = 0;

	for (size_t i = 0; i < k->nkept && !err; i++) {
		kept = &k->kept[i];
		err = pifile_write_snapshot(w, kept->page, kept->n * sizeof(*kept->page),
					    kept->stamp);
	}
	return err;
}

static struct code_record *add(struct kernel_code *k, const struct page *p, uint32_t minor,
			       uint64_t stamp)
{
	struct code_record *c = &k->batch[k->nbatch];

	c->rec = (struct pitrace_rec){
		sizeof(*c) | PITRACE_TYPE_STRUCT,
		PITRACE_CODE,
		minor,
		(uint32_t)stamp,
	};
	c->code = (struct pitrace_code){ .bytes = PAGE, .address = p->number * PAGE };
	return c;
}

/* Pages with one stamp form one snapshot. */
int kernel_code_flush(struct kernel_code *k, struct pifile_writer *w)
{
	uint64_t stamp = k->stamp;
	int err = 0;

	for (size_t i = 0; i < TABLE && k->wanted && !err; i++) {
		struct page *p = &k->page[i];
		uint64_t since = p->stamp ? p->stamp : k->stamp;
		struct code_record *c;

		if (p->state != WANTED)
			continue;
		if (k->nbatch == BATCH || stamp != since)
			err = write_batch(k, w, stamp);
		stamp = since;
		k->wanted--;
		c = add(k, p, 0, stamp);
		p->state = read_page(k, p->number, c->bytes) ? KEPT : NOT_THERE;
		if (p->state != KEPT)
			continue;
		p->sum = sum_of(c->bytes);
		k->nbatch++;
	}
	return err ? err : write_batch(k, w, stamp);
}

int kernel_code_check(struct kernel_code *k, struct pifile_writer *w)
{
	int err = 0;

	for (size_t i = 0; i < TABLE && !err; i++) {
		struct page *p = &k->page[i];
		struct code_record *c;
		uint64_t sum;

		if (p->state != KEPT)
			continue;
		if (k->nbatch == BATCH)
			err = write_batch(k, w, k->stamp);
		c = add(k, p, PITRACE_CODE_CHANGED, k->stamp);
		if (!read_page(k, p->number, c->bytes))
			continue; /* a module was unloaded */
		sum = sum_of(c->bytes);
		k->nbatch += sum != p->sum;
		p->sum = sum;
	}
	return err ? err : write_batch(k, w, k->stamp);
}

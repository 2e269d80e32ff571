/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writer of gperftools' CPU profiles: merges the samples of all processes into one. Each file with
 * code is mapped once, at a range that the writer chooses, because its places come from all
 * processes; addresses of the kernel and of generated code stay as they are.
 */
#include "export/writer.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "job.h"
#include "model/profile.h"
#include "report/calls_report.h"

#define PAGE           0x1000ull
#define FIRST_RANGE    0x10000000ull
#define PERIOD_UNKNOWN 1 /* us; not 0: readers divide by it */

struct page_range {
	uint64_t high; /* highest address of the places */
	uint64_t base; /* offset added to them */
	const struct a2n_module *a2n;
};

struct gperftools_writing {
	const struct job *job;
	const struct names *names;
	const struct calls *calls;
	FILE *out;
	struct page_range *range; /* by module */
	struct whole_stacks whole;
};

static void slot(struct gperftools_writing *w, uint64_t value)
{
	fwrite(&value, sizeof(value), 1, w->out);
}

/* Returns whether addresses of the module are file offsets. */
static bool is_file(const struct trace_module *m)
{
	return m->name[0] == '/';
}

static void find_ranges(struct gperftools_writing *w)
{
	const struct names *n = w->names;
	uint64_t next = FIRST_RANGE, address;
	uint32_t i;

	for (i = 0; i < w->calls->ncall; i++) {
		const struct call *call = &w->calls->call[i];
		const struct symbol *s = &n->symbols.symbol[call->id];

		if (call->parent == NO_KEY)
			continue;
		address = profile_address(n, call->id);
		if (address > w->range[s->module].high)
			w->range[s->module].high = address;
		if (s->a2n)
			w->range[s->module].a2n = s->a2n->module;
	}
	for (i = 0; i < n->nmodule; i++) {
		if (!w->range[i].high || w->range[i].high >> 63 || !is_file(&n->module[i]))
			continue;
		w->range[i].base = next;
		next = (next + w->range[i].high + 16 * PAGE) & ~(PAGE - 1);
	}
}

/* Returns the address of a frame. 0 would end the profile or belong to no module, so a hidden
 * address becomes 1. */
static uint64_t address_of(const struct gperftools_writing *w, uint32_t place, bool leaf)
{
	const struct symbol *s = &w->names->symbols.symbol[place];
	uint64_t address = w->range[s->module].base + profile_address(w->names, place);

	if (leaf)
		return address ? address : 1;
	return address + 1; /* the return address */
}

static void write_sum(struct gperftools_writing *w, const struct sum *sum)
{
	const struct call *call = w->calls->call;
	uint32_t depth = call[sum->stack].depth, i;

	/* Idle ticks are not samples of a program. */
	if (!depth || (w->names->has_idle && sum->thread == w->names->idle.thread))
		return;
	slot(w, sum->ticks);
	depth = whole_stacks_take(&w->whole, depth);
	slot(w, depth);
	for (i = sum->stack; depth--; i = call[i].parent)
		slot(w, address_of(w, call[i].id, i == sum->stack));
}

static void write_line(struct gperftools_writing *w, uint64_t start, uint64_t end, uint64_t offset,
		       const char *path)
{
	fprintf(w->out, "%08" PRIx64 "-%08" PRIx64 " r-xp %08" PRIx64 " 00:00 0           %s\n",
		start, end, offset, path);
}

/* Writes the file's executable segments, which contain its addresses; a single segment if the file
 * is missing. */
static void write_mapping(struct gperftools_writing *w, uint32_t module)
{
	const struct page_range *r = &w->range[module];
	const char *name = w->names->module[module].name;
	char path[4096];
	unsigned int lines = 0;
	GElf_Phdr p;
	size_t n = 0, i;
	Elf *elf = NULL;
	int fd = -ENOENT;

	if (r->a2n)
		fd = a2n_module_open(w->names->a2n, r->a2n, A2N_FILE_CODE, path, sizeof(path));
	if (fd >= 0) {
		elf_version(EV_CURRENT);
		elf = elf_begin(fd, ELF_C_READ, NULL);
		if (elf && elf_getphdrnum(elf, &n))
			n = 0;
	}
	for (i = 0; i < n && i < 1024; i++) {
		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD || !(p.p_flags & PF_X))
			continue;
		write_line(w, r->base + (p.p_vaddr & ~(PAGE - 1)),
			   r->base + ((p.p_vaddr + p.p_memsz + PAGE - 1) & ~(PAGE - 1)),
			   p.p_offset & ~(PAGE - 1), name);
		lines++;
	}
	if (!lines)
		write_line(w, r->base, (r->base + r->high + PAGE) & ~(PAGE - 1), 0, name);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static uint64_t period(const struct trace *t)
{
	if (t->events.chosen || !t->rate || t->rate > 1000000)
		return PERIOD_UNKNOWN;
	return (1000000 + t->rate / 2) / t->rate;
}

static void write_all(struct gperftools_writing *w)
{
	const struct sums *s = &w->job->model->sums;
	uint32_t i;

	find_ranges(w);
	slot(w, 0);
	slot(w, 3);
	slot(w, 0);
	slot(w, period(w->job->trace));
	slot(w, 0);
	for (i = 0; i < s->count; i++)
		write_sum(w, &s->sum[i]);
	slot(w, 0);
	slot(w, 1);
	slot(w, 0);
	for (i = 0; i < w->names->nmodule; i++) {
		if (w->range[i].base)
			write_mapping(w, i);
	}
}

static int gperftools_write(const struct job *job, FILE *out)
{
	const struct names *n = &job->model->names;
	struct gperftools_writing w = {
		.job = job,
		.names = n,
		.calls = &job->stacks->calls,
		.out = out,
		.whole = whole_stacks(job->input->size),
		.range = calloc((size_t)n->nmodule + 1, sizeof(*w.range)),
	};

	if (!w.range)
		return -ENOMEM;
	write_all(&w);
	free(w.range);
	return whole_stacks_announced(&w.whole, "gperftools");
}

const struct writer writer_gperftools = {
	.name = "gperftools",
	.what = "a CPU profile as libprofiler writes it: google-pprof, go tool pprof",
	.write = gperftools_write,
	.path = "post.prof",
	.addresses = true,
	.needs = NEED_SAMPLES | NEED_STACKS | NEED_SUMS | NEED_PLACES,
};

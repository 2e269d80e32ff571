/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores with names: the instruction and the address that it reads or writes. */
#include "report/run_access.h"

#include <errno.h>

#include "record/record_as.h"

static int name(struct run_lines *l, const struct pirecord *r, const struct pitrace_access *b,
		uint64_t address, struct run *run)
{
	struct pitrace_sample s = { .pid = b->pid, .tid = b->tid, .address = address };

	run->r.cpu = r->cpu;
	run->r.pid = b->pid;
	run->r.tid = b->tid;
	run->r.time = r->time;
	run->r.kernel = address >> 63;
	run->r.known = true;
	run->r.start = address;
	run->r.doubt = r->minor & PITRACE_BRANCH_GAP ? ITRACE_GAP : ITRACE_SURE;
	return names_sample(&l->job->model->names, &s, r->time, run->r.kernel, &run->place);
}

int run_access_read(struct run_lines *l, const struct pirecord *r, struct run_access *a)
{
	const struct pitrace_access *b = r->major == PITRACE_LOAD_STORE ?
						 RECORD_AS(r, struct pitrace_access) :
						 NULL;
	uint32_t way = r->minor & PITRACE_BRANCH_KIND;
	const struct symbol *symbol;

	if (!b || (way != PITRACE_ACCESS_LOAD && way != PITRACE_ACCESS_STORE))
		return 0;
	*a = (struct run_access){
		.address = b->address,
		.bytes = b->bytes,
		.store = way == PITRACE_ACCESS_STORE,
	};
	if (name(l, r, b, b->at, &a->at) || name(l, r, b, b->address, &a->data))
		return -ENOMEM;
	symbol = &l->job->model->names.symbols.symbol[a->data.place.symbol];
	a->mapped = b->address &&
		    (symbol->result == A2N_OK || symbol->result == A2N_RESULT_NO_SYMBOL ||
		     symbol->result == A2N_RESULT_NO_SYMBOLS);
	run_lines_before(l, &a->at);
	return 1;
}

size_t run_access_texts(struct run_lines *l, const struct run_access *a)
{
	return a->mapped ? run_symbol(l, &a->data)->length : 0;
}

static char *put_data(char *p, struct run_lines *l, const struct run_access *a)
{
	const struct run_text *symbol;

	p = put_hex(p, a->address, 0);
	if (!a->mapped)
		return p;
	symbol = run_symbol(l, &a->data);
	p = put_char(p, '=');
	p = put_text(p, symbol->text, symbol->length);
	if (a->data.place.offset) {
		p = put_char(p, '+');
		p = put_hex(p, a->data.place.offset, 0);
	}
	if (a->data.place.unsure)
		p = put_char(p, '?');
	return p;
}

void access_end(struct run_lines *l, char *p, const struct run_access *a)
{
	p = put_word(p, a->store ? "STORE:" : "LOAD:");
	p = put_decimal(p, a->bytes, 0);
	p = put_char(p, ' ');
	p = put_data(p, l, a);
	p = put_char(p, '\n');
	numbers_end(&l->out, p);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints perf's additional data, as words and as JSON. Records are complete (detail_whole). */
#include <inttypes.h>

#include "escape.h"
#include "json.h"
#include "record/detail.h"
#include "record/registers.h"
#include "record/tracepoints.h"
#include "report/report.h"
#include "report/show_report.h"

#define TEXT_ROOM 16384

/* ---- branches -------------------------------------------------------------------------------- */

/* Names of branch types, as in a branch's flags. */
static const char *const branch_types[] = {
	"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
	"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "EXTEND",
};
static const char *const branch_bits[] = { "mispredicted", "predicted", "in_tx", "abort" };

static uint32_t branch_cycles(uint64_t flags)
{
	return flags >> 4 & 0xFFFF;
}

static const char *branch_type(uint64_t flags)
{
	return branch_types[flags >> 20 & 0xF];
}

/* Returns the i-th counter of a branch; false: the number or width of counters is unknown. */
static bool branch_counter(const struct detail_branches *all, const struct detail_branch *b,
			   uint32_t i, uint64_t *value)
{
	if (!all->bits || i >= all->counters || (i + 1) * all->bits > 64)
		return false;
	*value = b->counters >> i * all->bits;
	if (all->bits < 64)
		*value &= (1ull << all->bits) - 1;
	return true;
}

static void words_counters(FILE *out, const struct detail_branches *all,
			   const struct detail_branch *b)
{
	uint64_t value;
	uint32_t i;

	for (i = 0; branch_counter(all, b, i, &value); i++)
		fprintf(out, "%s%" PRIu64, i ? "," : ":counters=", value);
	if (!i)
		fprintf(out, ":counters=0x%" PRIx64, b->counters);
}

static void json_counters(struct json *j, const struct detail_branches *all,
			  const struct detail_branch *b)
{
	uint64_t value;

	if (!branch_counter(all, b, 0, &value)) {
		json_hex(j, "counters", b->counters);
		return;
	}
	json_array(j, "counters");
	for (uint32_t i = 0; branch_counter(all, b, i, &value); i++)
		json_uint(j, NULL, value);
	json_end(j, ']');
}

static void words_branch(FILE *out, const struct detail_branches *all,
			 const struct detail_branch *b)
{
	fprintf(out, " 0x%" PRIx64 "->0x%" PRIx64, b->from, b->to);
	for (unsigned int i = 0; i < 4; i++) {
		if (b->flags >> i & 1)
			fprintf(out, ":%s", branch_bits[i]);
	}
	if (branch_cycles(b->flags))
		fprintf(out, ":cycles=%" PRIu32, branch_cycles(b->flags));
	if (*branch_type(b->flags))
		fprintf(out, ":%s", branch_type(b->flags));
	if (all->has_counters)
		words_counters(out, all, b);
}

static void json_branch(struct json *j, const struct detail_branches *all,
			const struct detail_branch *b)
{
	json_object(j, NULL);
	json_hex(j, "from", b->from);
	json_hex(j, "to", b->to);
	for (unsigned int i = 0; i < 4; i++) {
		if (b->flags >> i & 1)
			json_bool(j, branch_bits[i], true);
	}
	json_uint(j, "cycles", branch_cycles(b->flags));
	if (*branch_type(b->flags))
		json_string(j, "type", branch_type(b->flags));
	if (all->has_counters)
		json_counters(j, all, b);
	json_end(j, '}');
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static void words_bytes(FILE *out, const char *name, const uint8_t *data, uint32_t n)
{
	fprintf(out, " %s=", name);
	while (n--)
		fprintf(out, "%02x", *data++);
}

static void json_bytes(struct json *j, const char *name, const uint8_t *data, uint32_t n)
{
	static const char digits[] = "0123456789abcdef";
	char room[2 * 65536 + 1];
	uint32_t i;

	for (i = 0; i < n && i < 65536; i++) {
		room[2 * i] = digits[data[i] >> 4];
		room[2 * i + 1] = digits[data[i] & 15];
	}
	room[2 * i] = '\0';
	json_string(j, name, room);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Returns the name of the next register in the mask, from *bit on; moves *bit past it. */
static const char *next_register(const struct detail_registers *g, uint32_t *bit,
				 char room[REGISTER_ROOM])
{
	while (!(g->mask >> *bit & 1))
		++*bit;
	return register_name(g->machine, (*bit)++, room);
}

static void words_registers(FILE *out, const struct detail_registers *g)
{
	char room[REGISTER_ROOM];
	uint32_t bit = 0;

	for (uint32_t i = 0; i < g->count; i++)
		fprintf(out, " %s=0x%" PRIx64, next_register(g, &bit, room), g->value[i]);
}

static void json_registers(struct json *j, const struct detail_registers *g)
{
	char room[REGISTER_ROOM];
	uint32_t bit = 0;

	json_object(j, "registers");
	for (uint32_t i = 0; i < g->count; i++)
		json_hex(j, next_register(g, &bit, room), g->value[i]);
	json_end(j, '}');
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static const char *const spaces[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
#define SPACES (sizeof(spaces) / sizeof(spaces[0]))

#define NUMBERS 9
struct number {
	const char *name;
	uint64_t value;
	bool decimal;
};

/* Lists the integers of kinds that consist only of integers. */
static uint32_t numbers(const struct pirecord *r, struct number n[NUMBERS])
{
	const struct detail_event *e = r->data;
	const struct detail_access *a = r->data;
	const struct detail_poke *p = r->data;
	const struct detail_cgroup *c = r->data;
	const struct detail_registers *g = r->data;
	const struct detail_kernel_map *m = r->data;
	const struct detail_ksymbol *k = r->data;

	switch (r->minor & DETAIL_KIND) {
	case DETAIL_EVENT:
		n[0] = (struct number){ "type", e->type, true };
		n[1] = (struct number){ "config", e->config, false };
		n[2] = (struct number){ "config1", e->config1, false };
		n[3] = (struct number){ "config2", e->config2, false };
		n[4] = (struct number){ "sample_type", e->sample_type, false };
		n[5] = (struct number){ "branch_type", e->branch_type, false };
		n[6] = (struct number){ "regs_user", e->regs_user, false };
		n[7] = (struct number){ "regs_intr", e->regs_intr, false };
		n[8] = (struct number){ "flags", e->flags, false };
		return 9;
	case DETAIL_REGS_USER:
	case DETAIL_REGS_INTR:
		n[0] = (struct number){ "abi", g->abi, true };
		return 1;
	case DETAIL_ACCESS:
		n[0] = (struct number){ "address", a->address, false };
		n[1] = (struct number){ "weight", a->weight, true };
		n[2] = (struct number){ "source", a->source, false };
		n[3] = (struct number){ "transaction", a->transaction, false };
		n[4] = (struct number){ "physical", a->physical, false };
		n[5] = (struct number){ "data_page", a->data_page, true };
		n[6] = (struct number){ "code_page", a->code_page, true };
		return 7;
	case DETAIL_CGROUP_OF:
	case DETAIL_CGROUP:
		n[0] = (struct number){ "id", c->id, true };
		return 1;
	case DETAIL_POKE:
		n[0] = (struct number){ "address", p->address, false };
		return 1;
	case DETAIL_KERNEL_MAP:
		n[0] = (struct number){ "start", m->start, false };
		n[1] = (struct number){ "length", m->length, false };
		n[2] = (struct number){ "offset", m->offset, false };
		return 3;
	case DETAIL_KSYMBOL:
		n[0] = (struct number){ "start", k->start, false };
		n[1] = (struct number){ "length", k->length, false };
		n[2] = (struct number){ "type", k->type, true };
		n[3] = (struct number){ "flags", k->flags, false };
		return 4;
	}
	return 0;
}

static void words_text(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	escape_print(out, text);
	putc('"', out);
}

void show_detail_words(FILE *out, const struct pirecord *r, struct tracepoints *formats)
{
	const uint32_t *ids = r->data;
	const struct detail_branches *b = r->data;
	const struct detail_namespaces *s = r->data;
	const struct detail_poke *p = r->data;
	const struct detail_raw *raw = r->data;
	const struct detail_cgroup *c = r->data;
	const struct detail_kernel_map *m = r->data;
	const struct detail_ksymbol *k = r->data;
	uint32_t event = r->minor >> PITRACE_TPROF_EVENT_SHIFT, i;
	char text[TEXT_ROOM];
	struct number n[NUMBERS];
	uint32_t count = numbers(r, n);

	fprintf(out, " pid=%" PRId64 " tid=%" PRId64, id_shown(ids[0]), id_shown(ids[1]));
	if (event)
		fprintf(out, " event=%" PRIu32, event - 1);
	for (i = 0; i < count; i++)
		fprintf(out, n[i].decimal ? " %s=%" PRIu64 : " %s=0x%" PRIx64, n[i].name,
			n[i].value);
	switch (r->minor & DETAIL_KIND) {
	case DETAIL_BRANCHES:
		for (i = 0; i < b->count; i++)
			words_branch(out, b, &b->branch[i]);
		break;
	case DETAIL_REGS_USER:
	case DETAIL_REGS_INTR:
		words_registers(out, r->data);
		break;
	case DETAIL_RAW:
		if (tracepoints_text(formats, raw->data, raw->bytes, text, sizeof(text)))
			words_text(out, "fields", text);
		words_bytes(out, "data", raw->data, raw->bytes);
		break;
	case DETAIL_CGROUP_OF:
	case DETAIL_CGROUP:
		words_text(out, "path", c->path);
		break;
	case DETAIL_NAMESPACES:
		for (i = 0; i < s->count && i < SPACES; i++)
			fprintf(out, " %s_ns=%" PRIu64 "/%" PRIu64, spaces[i], s->space[i].device,
				s->space[i].inode);
		break;
	case DETAIL_POKE:
		words_bytes(out, "before", p->code, p->before);
		words_bytes(out, "after", p->code + p->before, p->after);
		break;
	case DETAIL_KERNEL_MAP:
		if (m->id_length)
			words_bytes(out, "build_id", m->id, m->id_length);
		words_text(out, "path", m->path);
		break;
	case DETAIL_KSYMBOL:
		words_text(out, "name", k->name);
		break;
	}
}

void show_detail_json(struct json *j, const struct pirecord *r, struct tracepoints *formats)
{
	const uint32_t *ids = r->data;
	const struct detail_branches *b = r->data;
	const struct detail_namespaces *s = r->data;
	const struct detail_poke *p = r->data;
	const struct detail_raw *raw = r->data;
	const struct detail_cgroup *c = r->data;
	const struct detail_kernel_map *m = r->data;
	const struct detail_ksymbol *k = r->data;
	uint32_t event = r->minor >> PITRACE_TPROF_EVENT_SHIFT, i;
	char text[TEXT_ROOM];
	struct number n[NUMBERS];
	uint32_t count = numbers(r, n);

	json_int(j, "pid", id_shown(ids[0]));
	json_int(j, "tid", id_shown(ids[1]));
	if (event)
		json_uint(j, "event", event - 1);
	for (i = 0; i < count; i++) {
		if (n[i].decimal)
			json_uint(j, n[i].name, n[i].value);
		else
			json_hex(j, n[i].name, n[i].value);
	}
	switch (r->minor & DETAIL_KIND) {
	case DETAIL_BRANCHES:
		json_array(j, "branches");
		for (i = 0; i < b->count; i++)
			json_branch(j, b, &b->branch[i]);
		json_end(j, ']');
		break;
	case DETAIL_REGS_USER:
	case DETAIL_REGS_INTR:
		json_registers(j, r->data);
		break;
	case DETAIL_RAW:
		if (tracepoints_text(formats, raw->data, raw->bytes, text, sizeof(text)))
			json_string(j, "fields", text);
		json_bytes(j, "data", raw->data, raw->bytes);
		break;
	case DETAIL_CGROUP_OF:
	case DETAIL_CGROUP:
		json_string(j, "path", c->path);
		break;
	case DETAIL_NAMESPACES:
		json_object(j, "namespaces");
		for (i = 0; i < s->count && i < SPACES; i++) {
			json_array(j, spaces[i]);
			json_uint(j, NULL, s->space[i].device);
			json_uint(j, NULL, s->space[i].inode);
			json_end(j, ']');
		}
		json_end(j, '}');
		break;
	case DETAIL_POKE:
		json_bytes(j, "before", p->code, p->before);
		json_bytes(j, "after", p->code + p->before, p->after);
		break;
	case DETAIL_KERNEL_MAP:
		if (m->id_length)
			json_bytes(j, "build_id", m->id, m->id_length);
		json_string(j, "path", m->path);
		break;
	case DETAIL_KSYMBOL:
		json_string(j, "name", k->name);
		break;
	}
}

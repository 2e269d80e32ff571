/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -validate: reads the whole file and reports each fault with its position. The exit code says
 * whether the file is clean.
 */
#include "report/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "escape.h"

static void ignore(void *arg, const char *line)
{
	(void)arg, (void)line;
}

struct fault_place {
	const struct pifile_fault *of;
	const char *what;
	bool known;
};

static const struct column columns[] = {
	{ "offset", COLUMN_WHEN(struct fault_place, known),
	  COLUMN_OF(struct pifile_fault, offset) },
	{ "what", COLUMN_AT(struct fault_place, what) },
	COLUMNS_END,
};

static void text_fault(FILE *out, const struct pifile_fault *f)
{
	if (f->offset != NO_OFFSET)
		fprintf(out, "at byte %" PRIu64 ": ", f->offset);
	escape_print(out, f->what);
	putc('\n', out);
}

/* For JSON and CSV: in text each fault is a sentence. */
static void write_faults(struct table *t, const struct pifile_fault *f, size_t n)
{
	size_t i;

	table_begin(t, columns, "faults");
	for (i = 0; i < n; i++)
		table_row(t, &(struct fault_place){ &f[i], f[i].what, f[i].offset != NO_OFFSET });
	table_end(t);
}

static void sums(const struct job *job, FILE *out, uint64_t faults, uint64_t listed)
{
	if (faults > listed)
		fprintf(out, "and %" PRIu64 " more\n", faults - listed);
	escape_print(out, job->input->name);
	fprintf(out, ": %s, %" PRIu64 " bytes, %" PRIu64 " records read, %" PRIu64 " fault%s%s\n",
		job->input->reader->name, job->input->size, job->trace->records, faults,
		faults == 1 ? "" : "s", job->input->complete ? "" : ", its end is missing");
	if (trace_lossy(job->trace))
		print_losses(out, job->trace, "lost: ");
}

static int validate_write(const struct job *job, FILE *out)
{
	const struct pifile_fault *list = NULL;
	struct input *in = job->input;
	const struct trace *t = job->trace;
	struct table table = table_csv(job, out);
	struct json j;
	struct pifile_fault *fault;
	size_t n, have, i;
	int rc = 0;

	if (in->reader->check)
		rc = in->reader->check(in);
	if (!rc && in->reader->info)
		rc = in->reader->info(in, ignore, NULL);
	if (rc)
		return rc;
	n = in->reader->faults(in, &list);
	have = n < INPUT_FAULTS ? n : INPUT_FAULTS;
	fault = calloc(have + 1, sizeof(*fault));
	if (!fault)
		return -ENOMEM;
	n -= have;
	have = damage_distinct(list, have, fault);
	if (t->malformed)
		fault[have++] = t->first_malformed;
	n += have + (t->malformed ? t->malformed - 1 : 0);
	if (job->options->json) {
		table = table_json(job, &j);
		json_document(&j, out, true);
		write_faults(&table, fault, have);
		json_uint(&j, "count", n);
		json_uint(&j, "records", t->records);
		json_bool(&j, "complete", in->complete);
		json_bool(&j, "lossy", trace_lossy(t));
		json_end(&j, '}');
	} else if (job->options->csv) {
		write_faults(&table, fault, have);
	} else {
		for (i = 0; i < have; i++)
			text_fault(out, &fault[i]);
		sums(job, out, n, have);
	}
	free(fault);
	return n || !in->complete ? REPORT_WRONG : 0;
}

const struct report report_validate = {
	.name = "validate",
	.usage = "  -validate         each fault of the file with its place, on stdout\n",
	.kinds = REPORT_OF_FILE | REPORT_TELLS_DAMAGE,
	.path = "-",
	.mode = 0666,
	.needs = NEED_NAMES | NEED_SAMPLES,
	.write = validate_write,
	.csv = validate_write,
};

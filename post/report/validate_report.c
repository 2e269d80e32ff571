/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -validate: everything in the file is read, and each fault told with its place. The exit code says
 * whether it is clean.
 */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "escape.h"

static void ignore(void *arg, const char *line)
{
	(void)arg, (void)line;
}

static void tell(FILE *out, struct json *j, bool csv, const struct pifile_fault *f)
{
	if (csv) {
		if (f->offset != NO_OFFSET)
			fprintf(out, "%" PRIu64, f->offset);
		putc(',', out);
		escape_csv(out, f->what);
		putc('\n', out);
		return;
	}
	if (j) {
		json_object(j, NULL);
		if (f->offset != NO_OFFSET)
			json_uint(j, "offset", f->offset);
		json_string(j, "what", f->what);
		json_end(j, '}');
		return;
	}
	if (f->offset != NO_OFFSET)
		fprintf(out, "at byte %" PRIu64 ": ", f->offset);
	escape_print(out, f->what);
	putc('\n', out);
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
	struct json j, *to = NULL;
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
		json_begin(&j, out, true);
		json_object(&j, NULL);
		json_array(&j, "faults");
		to = &j;
	}
	if (job->options->csv)
		fputs("offset,what\n", out);
	for (i = 0; i < have; i++)
		tell(out, to, job->options->csv, &fault[i]);
	free(fault);
	if (to) {
		json_end(&j, ']');
		json_uint(&j, "count", n);
		json_uint(&j, "records", t->records);
		json_bool(&j, "complete", in->complete);
		json_bool(&j, "lossy", trace_lossy(t));
		json_end(&j, '}');
	} else if (!job->options->csv) {
		sums(job, out, n, have);
	}
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --format: the trace in another format, as its writer makes it. */
#include "report/report.h"

#include <stdio.h>
#include <unistd.h>

#include "complain.h"
#include "escape.h"
#include "model/profile.h"
#include "sandbox/opener.h"

int profile_read(const struct job *job, const struct profile_reader *reader)
{
	return read_samples(job->input, job->model, job->options, reader);
}

/* Of what is missing nothing can be written; a damaged rest is. */
static bool convert_absent(const struct job *job)
{
	const struct options *o = job->options;

	if (!(o->convert->needs & NEED_SAMPLES) || o->convert->whole || trace_total(job->trace))
		return false;
	complain("--format %s: there are no samples in %s%s", o->convert->name, job->input->path,
		 filter_wanted(&o->filter) || o->filter.symbol ? " that pass the filters" : "");
	return true;
}

static int convert_write(const struct job *job, FILE *out)
{
	return job->options->convert->write(job, out);
}

int convert_folder(const struct job *job, unsigned int i, bool *renamed)
{
	int folder = opener_folder(job->options, i, renamed), rc;

	if (folder < 0)
		return folder;
	rc = job->options->convert->write_folder(job, folder);
	close(folder);
	return rc;
}

void convert_list(FILE *out)
{
	const struct format *f;
	size_t i;

	for (i = 0; (f = format_at(i)); i++)
		fprintf(out, "  %-12s%-6s%-7s%s\n", f->name, f->probe ? "reads" : "-",
			f->write || f->write_folder ? "writes" : "-", f->what);
}

const struct report report_convert = {
	.mode = 0666,
	.absent = convert_absent,
	.write = convert_write,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --format: the trace in another format, made by its writer. */
#include "report/report.h"

#include <stdio.h>

#include "complain.h"
#include "export/writer.h"

/* A trace without samples cannot be written; of a damaged trace, the readable part is. */
static bool convert_absent(const struct job *job)
{
	const struct options *o = job->options;

	if (o->convert->ticks && job->input->values) {
		complain("--format %s: a sample there has no value, calls have: pprof, folded, speedscope and perf.data keep them",
			 o->convert->name);
		return true;
	}
	if (!(o->convert->needs & NEED_SAMPLES) || o->convert->whole || trace_total(job->trace))
		return false;
	complain("--format %s: there are no samples in %s%s", o->convert->name, job->input->path,
		 filter_wanted(&o->filter) || o->filter.symbol ? " that pass the filters" : "");
	return true;
}

static int convert_write(const struct job *job, FILE *out)
{
	const struct writer *w = job->options->convert;
	int rc = w->write(job, out);

	if (!rc && w->addresses && job->input->values)
		complain("--format %s: functions of a log of calls lose their names, as the format has only addresses: pprof, folded and speedscope keep them",
			 w->name);
	return rc;
}

const struct report report_convert = {
	.kinds = REPORT_OF_SAMPLES,
	.mode = 0666,
	.absent = convert_absent,
	.write = convert_write,
};

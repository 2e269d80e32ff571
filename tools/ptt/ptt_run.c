// SPDX-License-Identifier: GPL-3.0-or-later
/* ptt run: shows what each thread of a command and its descendants used. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "complain.h"
#include "monotonic.h"
#include "output.h"
#include "tool.h"

static int watch(const struct ptt_options *o, pid_t pid, struct pttview **view)
{
	static const char *const tsc[] = { "tsc" };
	struct pttview_options with = {
		.count = o->metrics ? o->metrics : 1,
		.metrics = o->metrics ? o->metric : tsc,
		.priv = o->priv,
		.threads = o->threads,
		.charged = o->charged,
	};
	int rc;

	*view = pttview_open(&with, &rc);
	if (!*view)
		return ptt_failed();
	if (o->cpi) {
		struct dump d = { 0 };

		pttview_info(*view, &d.info);
		if (!dump_cpi(&d))
			return EXIT_PTT;
	}
	rc = pttview_add(*view, PTTVIEW_CHILDREN, pid);
	return rc < 0 ? ptt_failed() : 0;
}

static int report(const struct ptt_options *o, struct dump *d)
{
	struct output out = { .file = stderr };
	int err = o->file ? output_open(&out, o->file, 0666) : 0;

	dump_sort(d, SORT_PROCESS, 0);
	if (!err)
		show(out.file, o, d);
	if (!err && o->file)
		err = output_close(&out);
	if (!err)
		return 0;
	complain("%s: %s", o->file, output_error(err));
	return EXIT_PTT;
}

int cmd_run(const struct ptt_options *o)
{
	struct command command;
	struct pttview *view = NULL;
	struct dump dump = { 0 };
	int code, status = 0, err = command_start(&command, o->words);
	uint64_t begun;

	if (err) {
		complain("the command cannot be started: %s", strerror(-err));
		return EXIT_PTT;
	}
	signal(SIGPIPE, SIG_IGN);
	begun = now_ns();
	code = watch(o, command.pid, &view);
	if (code)
		command_drop(&command);
	else
		code = command_finish(&command, &status);
	if (!code && pttview_stop(view))
		code = ptt_failed();
	if (!code && dump_take(&dump, view, begun)) {
		complain("not enough memory");
		code = EXIT_PTT;
	}
	if (!code && o->cpi)
		dump_cpi(&dump);
	if (!code)
		code = report(o, &dump);
	dump_free(&dump);
	pttview_close(view);
	return code ? code : command_exit_code(status);
}

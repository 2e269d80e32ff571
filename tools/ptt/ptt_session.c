// SPDX-License-Identifier: GPL-3.0-or-later
/* ptt init, term, info, ints, noints: a PTT that a background process holds in between. */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include "complain.h"
#include "escape.h"
#include "json.h"
#include "tool.h"

int ptt_failed(void)
{
	complain("%s", TraceLastError());
	return EXIT_PTT;
}

/* ---- init, term ------------------------------------------------------------------------------ */

int ptt_room(const struct ptt_options *o)
{
	int threads = 0;
	FILE *f;

	if (o->threads || o->pids)
		return o->threads;
	f = fopen("/proc/loadavg", "re");
	if (!f || fscanf(f, "%*s %*s %*s %*d/%d", &threads) != 1)
		threads = 0;
	if (f)
		fclose(f);
	/* Leave room for as many threads to be created. */
	threads = threads < PITRACE_PTT_SLOTS / 2 ? 2 * threads : PITRACE_PTT_SLOTS;
	return threads > 1024 ? threads : 0;
}

int cmd_init(const struct ptt_options *o)
{
	static const char *const tsc[] = { "tsc" };
	struct pttview_options with = {
		.count = o->metrics ? o->metrics : 1,
		.metrics = o->metrics ? o->metric : tsc,
		.priv = o->priv,
		.threads = ptt_room(o),
		.charged = o->charged,
	};
	int scope = o->pids ? PTTVIEW_CHILDREN : PTTVIEW_ALL;
	int rc = pttview_hold(&with, scope, o->pid, o->pids);

	if (rc == PI_NO_MEMORY && !o->threads && with.threads) {
		with.threads = 0;
		rc = pttview_hold(&with, scope, o->pid, o->pids);
	}
	if (rc == PI_NO_PERMISSION && !o->pids) {
		complain("%s, or name processes of your own: -p PID", TraceLastError());
		return EXIT_PTT;
	}
	return rc ? ptt_failed() : 0;
}

int cmd_term(const struct ptt_options *o)
{
	(void)o;
	return pttview_end() ? ptt_failed() : 0;
}

int cmd_charge(bool charged)
{
	return pttview_charge_held(charged) ? ptt_failed() : 0;
}

/* ---- info ------------------------------------------------------------------------------------ */

struct facts {
	struct pttview_held held;
	struct dump dump;
	int watched, ended, users;
	int64_t since; /* CLOCK_REALTIME, s */
};

static const char *const privs[] = {
	[TRACE_PRIV_ANY] = "user code and the kernel",
	[TRACE_PRIV_USER] = "user code",
	[TRACE_PRIV_KERNEL] = "the kernel",
};

static const char *priv_name(const struct facts *f)
{
	int priv = f->held.priv;

	return priv >= 0 && (size_t)priv < sizeof(privs) / sizeof(*privs) && privs[priv] ?
		       privs[priv] :
		       "?";
}

static void info_cpus(const struct facts *f)
{
	const struct dump *d = &f->dump;
	int online = 0;

	if (!d->cpus)
		return;
	for (int c = 0; c < d->cpus; c++)
		online += !!d->cpu[c].online;
	printf("CPUs:       %d count\n", online);
	for (int c = 0; c < d->cpus; c++)
		for (uint32_t i = 0; i < d->info.metrics; i++)
			if (d->cpu[c].missing & 1u << i)
				printf("            CPU %d: %s was not counted all the time\n",
				       d->cpu_number[c], d->info.metric[i]);
}

static void info_words(const struct facts *f)
{
	const struct dump *d = &f->dump;
	time_t since = (time_t)f->since;
	char when[64];

	strftime(when, sizeof(when), "%F %T", localtime(&since));
	printf("PTT is on since %s, for %" PRIu64 " s; held by process %d of user %u\n", when,
	       d->elapsed / 1000000000, f->held.holder, f->held.uid);
	fputs("Metrics:   ", stdout);
	for (uint32_t i = 0; i < d->info.metrics; i++) {
		fputs(i ? ", " : " ", stdout);
		escape_print(stdout, d->info.metric[i]);
	}
	printf("; events of %s\n", priv_name(f));
	fputs("Threads:    ", stdout);
	if (f->held.whom == PTTVIEW_ALL) {
		fputs("all there are and will be", stdout);
	} else {
		fputs("of process", stdout);
		for (uint32_t i = 0; i < f->held.pids; i++)
			printf("%s %d", i ? "," : "", f->held.pid[i]);
		fputs(" and what that creates", stdout);
	}
	printf(": %d watched, %d ended, room for %u\n", f->watched, f->ended, d->info.threads);
	if (d->gone.threads)
		printf("            %" PRIu64 " ended earlier and are added up\n", d->gone.threads);
	if (d->gone.unwatched)
		printf("            %" PRIu64
		       " were not counted: there was no room for them (-n)\n",
		       d->gone.unwatched);
	printf("Interrupts: %s\n", d->charged    ? "charged to the threads that they interrupt" :
				   d->info.apart ? "counted separately" :
						   "in the values");
	printf("Rights:     %s\n", d->cpus ? "CAP_PERFMON: all threads, and the CPUs" :
					     "the user's own processes, events of user code");
	if (f->users >= 0)
		printf("Users:      %d of PTT at the moment, at most %d\n", f->users,
		       PITRACE_MAX_PTTS);
	info_cpus(f);
	if (*d->info.note)
		escape_printf(stdout, "Note:       %s\n", d->info.note);
}

static void info_json(const struct facts *f)
{
	const struct dump *d = &f->dump;
	struct json j;

	json_document(&j, stdout, true);
	json_int(&j, "since", f->since);
	json_uint(&j, "elapsed_ns", d->elapsed);
	json_int(&j, "holder", f->held.holder);
	json_uint(&j, "uid", f->held.uid);
	json_array(&j, "metrics");
	for (uint32_t i = 0; i < d->info.metrics; i++)
		json_string(&j, NULL, d->info.metric[i]);
	json_end(&j, ']');
	json_string(&j, "events_of", priv_name(f));
	json_bool(&j, "all_threads", f->held.whom == PTTVIEW_ALL);
	json_array(&j, "processes");
	for (uint32_t i = 0; i < f->held.pids; i++)
		json_int(&j, NULL, f->held.pid[i]);
	json_end(&j, ']');
	json_int(&j, "watched", f->watched);
	json_int(&j, "ended", f->ended);
	json_uint(&j, "earlier", d->gone.threads);
	json_uint(&j, "not_counted", d->gone.unwatched);
	json_uint(&j, "room", d->info.threads);
	json_bool(&j, "interrupts_apart", d->info.apart && !d->charged);
	json_bool(&j, "sees_cpus", d->cpus);
	if (f->users >= 0)
		json_int(&j, "users", f->users);
	json_array(&j, "cpus");
	for (int c = 0; c < d->cpus; c++) {
		json_object(&j, NULL);
		json_int(&j, "cpu", d->cpu_number[c]);
		json_bool(&j, "counts", d->cpu[c].online);
		json_array(&j, "missing");
		for (uint32_t i = 0; i < d->info.metrics; i++)
			if (d->cpu[c].missing & 1u << i)
				json_string(&j, NULL, d->info.metric[i]);
		json_end(&j, ']');
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_string(&j, "note", d->info.note);
	json_end(&j, '}');
}

int cmd_info(const struct ptt_options *o)
{
	struct facts f = { .users = pttview_users() };
	struct pttview *v;
	int rc;

	v = pttview_attach(&f.held, &rc);
	if (!v)
		return ptt_failed();
	if (dump_take(&f.dump, v, f.held.begun)) {
		complain("not enough memory");
		rc = EXIT_PTT;
	}
	for (int i = 0; i < f.dump.rows; i++)
		*(f.dump.row[i].t.ended ? &f.ended : &f.watched) += 1;
	f.since = (int64_t)time(NULL) - (int64_t)(f.dump.elapsed / 1000000000);
	if (!rc && o->form == FORM_JSON)
		info_json(&f);
	else if (!rc)
		info_words(&f);
	dump_free(&f.dump);
	pttview_close(v);
	return rc;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the names of the events that this machine knows, and their sources. */
#include "list.h"

#include <perfutil.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "escape.h"

/* Returns whether the event belongs to this PMU: pmu/name/, pmu::name, or the source is its
 * name. */
static bool is_of(const char *pmu, const char *source, const char *name)
{
	size_t n = strlen(pmu);

	return !strcasecmp(pmu, source) ||
	       (!strncasecmp(name, pmu, n) && (name[n] == '/' || !strncmp(name + n, "::", 2)));
}

static void print_words(struct event_list *l, const char *source, const char *name,
			const char *what)
{
	static const char *const heads[][2] = {
		{ "kernel", "The kernel's own names" },
		{ "pmu", "In the PMUs' folders of this kernel (/sys/bus/event_source/devices)" },
		{ "libpfm4", "Known to libpfm4, of this machine's PMUs" },
	};
	const char *head = source;

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strcmp(heads[i][0], source))
			head = heads[i][1];
	if (strcmp(l->source, source)) {
		if (l->shown)
			putchar('\n');
		escape_printf(stdout, "%s%s:\n", head == source ? "Of the file " : "", head);
		snprintf(l->source, sizeof(l->source), "%s", source);
	}
	escape_printf(stdout, "  %-34s %s\n", name, what);
}

static void print(void *arg, const char *source, const char *name, const char *what)
{
	struct event_list *l = arg;

	/* An event file that cannot be parsed. */
	if (!strcmp(source, "bad")) {
		complain("%s: %s", name, what);
		l->bad = true;
		return;
	}
	if (l->word && !strcasestr(name, l->word) && !strcasestr(what, l->word))
		return;
	if (l->pmu && !is_of(l->pmu, source, name))
		return;
	switch (l->form) {
	case EVENTS_WORDS:
		print_words(l, source, name, what);
		break;
	case EVENTS_NAMES:
		escape_printf(stdout, "%s\n", name);
		break;
	case EVENTS_JSON:
		json_document_element(&l->json);
		json_string(&l->json, "source", source);
		json_string(&l->json, "name", name);
		json_string(&l->json, "description", what);
		json_end(&l->json, '}');
		break;
	case EVENTS_CSV:
		escape_csv(stdout, source);
		putchar(',');
		escape_csv(stdout, name);
		putchar(',');
		escape_csv(stdout, what);
		putchar('\n');
		break;
	}
	l->shown++;
}

void event_list_print(struct event_list *l)
{
	if (l->form == EVENTS_JSON) {
		json_begin(&l->json, stdout, true);
		json_array(&l->json, NULL);
	}
	if (l->form == EVENTS_CSV)
		puts("source,name,description");
	TraceListEvents(print, l);
	if (l->form == EVENTS_JSON)
		json_end(&l->json, ']');
}

bool event_list_no_hardware(void)
{
	struct pitrace_event_args cycles;

	if (TraceFindEvents("cycles", 0, 1, TRACE_PRIV_ANY, &cycles) != 1 || TraceCanCount(&cycles))
		return false;
	fputs("\nThis machine has no hardware counters, or does not show them: hardware events are not\n"
	      "counted here. ",
	      stdout);
	return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces the trainer between two native methods that it calls: swtrace run --itrace, post -arc. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/read_all.h"
#include "beside.h"
#include "complain.h"
#include "floors.h"
#include "children.h"
#include "store.h"
#include "train.h"

#define TRACE_MOST (64u << 20)

/* Finds the program beside this one, else on the PATH. */
static void find_program(const char *name, char path[PATH_MAX])
{
	if (!program_beside(name, path, PATH_MAX))
		strcpy(path, name);
}

static char *read_text(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	char *text = NULL;

	rc = fd < 0 ? -errno : read_all(fd, TRACE_MOST, &text, size);
	if (fd >= 0)
		close(fd);
	if (rc)
		complain("%s: %s", path, strerror(-rc));
	return text;
}

/* A VM that is single-stepped while it starts its first threads may hit the tracer's breakpoint too
 * early, and die of it. */
#define DIED_OF_TRACER (128 + SIGTRAP)
#define TRIES          5

/* Runs the program with its output in a file of the folder; prints that if the program fails. */
static bool run_quietly(const struct trainer *t, char *const words[])
{
	char words_of[PATH_MAX];
	int status = 0, i;
	pid_t pid;

	snprintf(words_of, sizeof(words_of), "%s/words", t->folder);
	for (i = 0; i < TRIES; i++) {
		if (!run_program(words, "/dev/null", words_of, &status, &pid))
			return false;
		if (!status)
			return true;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != DIED_OF_TRACER)
			break;
	}
	if (!run_interrupted)
		run_complain(words[0], status, words_of);
	return false;
}

/* The options compile methods synchronously, and without inlining. */
static bool trace(const struct trainer *t, char *file)
{
	char swtrace[PATH_MAX], java[PATH_MAX + 16], from[PATH_MAX + 128], until[PATH_MAX + 128];
	char *words[] = {
		swtrace,
		(char *)"run",
		(char *)"-q",
		(char *)"--itrace",
		(char *)"--jit",
		(char *)"--no-children",
		(char *)"--from",
		from,
		(char *)"--until",
		until,
		(char *)"-o",
		file,
		(char *)"--",
		java,
		(char *)"-XX:+UseSerialGC",
		(char *)"-XX:CompileCommand=quiet",
		(char *)"-XX:CompileCommand=dontinline,TrainJ::*",
		(char *)"-XX:-BackgroundCompilation",
		(char *)"-XX:-TieredCompilation",
		(char *)"-XX:CompileThreshold=500",
		(char *)"-cp",
		(char *)t->classes,
		(char *)"Trainer",
		(char *)"4",
		(char *)"800",
		(char *)t->library,
		(char *)"floors",
		NULL,
	};

	find_program("swtrace", swtrace);
	snprintf(java, sizeof(java), "%s/bin/java", t->home);
	snprintf(from, sizeof(from), "%s/lib/libjava.so:Java_java_lang_Runtime_totalMemory",
		 t->home);
	snprintf(until, sizeof(until), "%s/lib/libjava.so:Java_java_lang_Runtime_freeMemory",
		 t->home);
	return run_quietly(t, words);
}

static char *trace_text(const struct trainer *t, size_t *size)
{
	char post[PATH_MAX], file[PATH_MAX + 16], text[PATH_MAX + 16];
	char *words[] = { post, (char *)"-arc", (char *)"-c", (char *)"-q", (char *)"-r",
			  file, (char *)"-o",   text,         NULL };

	find_program("post", post);
	snprintf(file, sizeof(file), "%s/floors.nrm2", t->folder);
	snprintf(text, sizeof(text), "%s/floors.arc", t->folder);
	if (!trace(t, file) || !run_quietly(t, words))
		return NULL;
	return read_text(text, size);
}

/* ---- to the file ----------------------------------------------------------------------------- */

static void show(FILE *out, const struct calibration *c)
{
	char name[SEQUENCE_NAME];

	for (uint32_t i = 0; i < FLOORS; i++) {
		if (!c->floor[i])
			continue;
		sequence_name((uint16_t)i, name);
		fprintf(out, "floor %s %" PRIu64 " instructions\n", name + 2, c->floor[i]);
	}
}

/* Returns the index of the first metric in the key that is instructions; `metrics` if none is. */
static uint32_t find_instructions(const char *key, uint32_t metrics)
{
	static const char instructions[] = "metric: instructions";
	const char *line = strstr(key, "metric: ");
	uint32_t at = 0;

	while (line && strncmp(line + (*line == '\n'), instructions, sizeof(instructions) - 1)) {
		line = strstr(line + 1, "\nmetric: ");
		at++;
	}
	return line ? at : metrics;
}

static bool keep(struct trainer *t, const struct calibration *found, uint32_t at)
{
	uint32_t metrics = t->passes.least.metrics;
	struct minima m;
	bool good;

	if (calibration_init(&m.c, metrics)) {
		complain("%s", strerror(ENOMEM));
		return false;
	}
	strcpy(m.key, t->key);
	for (uint32_t i = 0; i < FLOORS; i++)
		m.c.floor[(size_t)i * metrics + at] = found->floor[i];
	good = store_add(t->how->file, &m, t->file);
	minima_free(&m);
	return good;
}

/* Returns why floors are not kept, NULL if they are. `at` is the index of their metric. */
static const char *not_kept(const struct trainer *t, uint32_t at)
{
	if (at == t->passes.least.metrics)
		return "no metric is instructions: floors are not kept";
	/* The trace has no inlining, which is true only under the probes. */
	if (!t->how->probes)
		return "with changed classes, methods stay inlined and have no floor: floors are not kept";
	return NULL;
}

bool trainer_floors(struct trainer *t, FILE *out)
{
	uint32_t at = find_instructions(t->key, t->passes.least.metrics);
	const char *why = not_kept(t, at);
	struct calibration found = { 0 };
	size_t size;
	char *text = trace_text(t, &size);
	bool good = text && !calibration_init(&found, 1);

	if (good && !floors_read(&found, 0, text, size)) {
		complain("the trace has no two events of the trainer's methods");
		good = false;
	}
	if (good) {
		show(out, &found);
		if (why)
			fprintf(out, "%s\n", why);
		else
			good = keep(t, &found, at);
	}
	free(text);
	calibration_free(&found);
	return good;
}

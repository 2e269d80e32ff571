/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces the trainer: swtrace run --itrace between two natives that it calls, then post -arc. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/read_all.h"
#include "calibration_file.h"
#include "calibration_text.h"
#include "complain.h"
#include "floors.h"
#include "train.h"

#define TRACE_MOST (64u << 20)

/* Beside this program, else on the path. */
static void find_program(const char *name, char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 16);
	char *slash;

	path[n > 0 ? n : 0] = 0;
	slash = strrchr(path, '/');
	if (slash)
		strcpy(slash + 1, name);
	if (!slash || access(path, X_OK))
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

/* A VM that steps through its first threads may meet the tracer's breakpoint before the tracer
 * does, and die of it. */
#define DIED_OF_TRACER (128 + SIGTRAP)
#define TRIES          5

/* Runs it, its words in a file of the folder, which are shown when it fails. */
static bool run_quietly(const struct trainer *t, char *const words[], char words_of[PATH_MAX + 16])
{
	int status = 0, i;
	size_t size;
	char *text;
	pid_t pid;

	snprintf(words_of, PATH_MAX + 16, "%s/words", t->folder);
	for (i = 0; i < TRIES; i++) {
		if (!run_program(words, "/dev/null", words_of, &status, &pid))
			return false;
		if (!status)
			return true;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != DIED_OF_TRACER)
			break;
	}
	text = read_text(words_of, &size);
	complain("%s: %s %d: %s", words[0], WIFSIGNALED(status) ? "signal" : "exit code",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), text ? text : "");
	free(text);
	return false;
}

/* Where the VM is, as it says itself: what is called java may be a script that finds one. */
static bool find_home(const struct trainer *t, char path[PATH_MAX])
{
	static const char name[] = "java.home = ";
	char *words[] = { (char *)t->java, (char *)"-XshowSettings:properties", (char *)"-version",
			  NULL };
	char file[PATH_MAX + 16];
	bool found = false;
	char *text, *home;
	size_t size;

	if (!run_quietly(t, words, file))
		return false;
	text = read_text(file, &size);
	home = text ? strstr(text, name) : NULL;
	if (home) {
		home += sizeof(name) - 1;
		found = snprintf(path, PATH_MAX, "%.*s", (int)strcspn(home, "\n"), home) < PATH_MAX;
	}
	if (text && !found)
		complain("%s: it does not say where it is installed", t->java);
	free(text);
	return found;
}

/* Compiled at once, and not into one another. */
static bool trace(const struct trainer *t, char *file)
{
	char swtrace[PATH_MAX], home[PATH_MAX], java[PATH_MAX + 16], from[PATH_MAX + 128],
		until[PATH_MAX + 128], words_of[PATH_MAX + 16];
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
		(char *)"floors",
		NULL,
	};

	if (!find_home(t, home))
		return false;
	find_program("swtrace", swtrace);
	snprintf(java, sizeof(java), "%s/bin/java", home);
	snprintf(from, sizeof(from), "%s/lib/libjava.so:Java_java_lang_Runtime_totalMemory", home);
	snprintf(until, sizeof(until), "%s/lib/libjava.so:Java_java_lang_Runtime_freeMemory", home);
	return run_quietly(t, words, words_of);
}

static char *trace_text(const struct trainer *t, size_t *size)
{
	char post[PATH_MAX], file[PATH_MAX + 16], text[PATH_MAX + 16], words_of[PATH_MAX + 16];
	char *words[] = { post, (char *)"-arc", (char *)"-c", (char *)"-q", (char *)"-r",
			  file, (char *)"-o",   text,         NULL };

	find_program("post", post);
	snprintf(file, sizeof(file), "%s/floors.nrm2", t->folder);
	snprintf(text, sizeof(text), "%s/floors.arc", t->folder);
	if (!trace(t, file) || !run_quietly(t, words, words_of))
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

/* Where the key has a metric of instructions, that one's. */
static bool keep(const struct trainer *t, FILE *out, const struct calibration *found)
{
	static const char instructions[] = "metric: instructions";
	char key[CALIBRATION_KEY_MOST], *line;
	struct calibration_file f;
	struct calibration c = { 0 };
	uint32_t metrics, changed, at = 0, kept = 0;
	size_t size;
	char *text = read_text(t->file, &size);
	bool good = text && calibration_key(text, size, key, &metrics);

	free(text);
	if (!good || calibration_init(&c, metrics)) {
		complain("%s: floors are not kept", t->file);
		return false;
	}
	for (line = strstr(key, "metric: "); line; line = strstr(line + 1, "\nmetric: "), at++) {
		if (strncmp(line + (*line == '\n'), instructions, sizeof(instructions) - 1))
			continue;
		for (uint32_t i = 0; i < FLOORS; i++)
			c.floor[(size_t)i * metrics + at] = found->floor[i];
		kept++;
	}
	if (kept)
		good = calibration_file_open(&f, t->file, key) &&
		       calibration_file_merge(&f, &c, key, &changed);
	else
		fputs("no metric is instructions: floors are not kept\n", out);
	if (kept && !good)
		complain("%s", f.why);
	if (kept)
		calibration_file_close(&f);
	calibration_free(&c);
	return good;
}

bool trainer_floors(struct trainer *t, FILE *out)
{
	struct calibration found = { 0 };
	size_t size;
	char *text = trace_text(t, &size);
	bool good = text && !calibration_init(&found, 1);

	if (good && !floors_read(&found, 0, text, size)) {
		complain("the trace has no transition between compiled methods of the trainer");
		good = false;
	}
	if (good) {
		show(out, &found);
		/* The trace has none inlined, as it is under the probes alone. */
		if (t->how->probes)
			good = keep(t, out, &found);
		else
			fputs("changed classes leave methods inlined, with nothing between them: floors are not kept\n",
			      out);
	}
	free(text);
	calibration_free(&found);
	return good;
}

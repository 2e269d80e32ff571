/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the trainer in a VM with the agent, which writes the minima of each pass to a separate file.
 */
#include "train.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/read_all.h"
#include "beside.h"
#include "complain.h"
#include "children.h"
#include "store.h"

#define WORDS_MOST 256
#define TEXT_MOST  (1u << 20) /* bytes of a VM's output of its settings */

/* ---- installed files ------------------------------------------------------------------------- */

/* Finds a file beside this program, else in the installation folder. */
static bool find(const char *name, char path[PATH_MAX])
{
	char below[PATH_MAX];

	snprintf(below, sizeof(below), "pitrace/%s", name);
	if (library_beside(below, path))
		return true;
	snprintf(below, sizeof(below), PITRACE_LIBDIR "/%s", name);
	return realpath(below, path) != NULL;
}

static bool read_text(const char *path, char **text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	size_t size;

	if (fd < 0)
		return false;
	rc = read_all(fd, TEXT_MOST, text, &size);
	close(fd);
	return !rc;
}

/* Asks the VM for its folder: `java` may be a script that finds one. A program that does not answer
 * is not a VM. */
static bool find_home(struct trainer *t)
{
	static const char name[] = "java.home = ";
	char *words[] = { (char *)t->java, (char *)"-XshowSettings:properties", (char *)"-version",
			  NULL };
	char file[PATH_MAX], *text = NULL, *home = NULL;
	int status = 0;
	pid_t pid;

	snprintf(file, sizeof(file), "%s/words", t->folder);
	if (!run_program(words, file, file, &status, &pid))
		return false;
	if (status) {
		if (!run_interrupted)
			run_complain(t->java, status, file);
		return false;
	}
	if (read_text(file, &text))
		home = strstr(text, name);
	if (home)
		snprintf(t->home, sizeof(t->home), "%.*s",
			 (int)strcspn(home + sizeof(name) - 1, "\n"), home + sizeof(name) - 1);
	else
		complain("%s: not a Java VM: -XshowSettings:properties does not print java.home",
			 t->java);
	free(text);
	return *t->home;
}

/* Compiles the trainer with the compiler of the VM's JDK, if it has one. */
static bool compile(struct trainer *t)
{
	char source[PATH_MAX], javac[PATH_MAX + 16];
	char *words[] = { javac, (char *)"-nowarn", (char *)"-d", t->classes, source, NULL };
	int status = 0;
	pid_t pid;

	if (!find("trainer/Trainer.java", source)) {
		complain("the trainer is not installed");
		return false;
	}
	snprintf(javac, sizeof(javac), "%s/bin/javac", t->home);
	strcpy(t->classes, t->folder);
	if (run_program(words, "/dev/null", NULL, &status, &pid) && !status)
		return true;
	complain("%s: the trainer cannot be compiled", source);
	return false;
}

static bool find_parts(struct trainer *t)
{
	if (!find("libjprof.so", t->agent)) {
		complain(
			"libjprof.so is not installed: build it where a JDK's headers are (default-jdk-headless), then make install");
		return false;
	}
	if (!find("trainer/libtrainer.so", t->library)) {
		complain("the trainer is not installed");
		return false;
	}
	return true;
}

static bool make_folder(struct trainer *t)
{
	const char *temporary = getenv("TMPDIR");

	snprintf(t->folder, sizeof(t->folder), "%s/jprof-train.XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(t->folder)) {
		complain("%s: %s", t->folder, strerror(errno));
		*t->folder = 0;
		return false;
	}
	/* The agent splits its options at commas. */
	if (strchr(t->folder, ',') || (t->how->file && strchr(t->how->file, ','))) {
		complain("%s: a path with a comma cannot be passed to the agent",
			 strchr(t->folder, ',') ? t->folder : t->how->file);
		return false;
	}
	return true;
}

bool trainer_begin(struct trainer *t, const struct train *how)
{
	const char *home = getenv("JAVA_HOME");
	static char java[PATH_MAX];
	char class[PATH_MAX];

	*t = (struct trainer){ .how = how, .java = how->java };
	if (!t->java && home && *home) {
		snprintf(java, sizeof(java), "%s/bin/java", home);
		t->java = java;
	}
	if (!t->java)
		t->java = "java";
	if (!find_parts(t) || !make_folder(t) || !find_home(t))
		return false;
	if (!find("trainer/Trainer.class", class))
		return compile(t);
	*strrchr(class, '/') = 0;
	strcpy(t->classes, class);
	return true;
}

void trainer_end(struct trainer *t)
{
	DIR *d = *t->folder ? opendir(t->folder) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d) {
		closedir(d);
		rmdir(t->folder);
	}
	passes_free(&t->passes);
	free(t->key);
}

/* ---- a pass ---------------------------------------------------------------------------------- */

static char *make_agent(const struct trainer *t)
{
	const struct train *how = t->how;
	char *text;

	if (asprintf(&text,
		     "-agentpath:%s=LOGPATH=%s,CALIBRATION=%s/pass,CLASSMETHODS=TrainI*+TrainJ*+TrainN*%s%s%s",
		     t->agent, t->folder, t->folder, how->probes ? ",MODE=probes" : "",
		     how->metrics ? ",METRICS=" : "", how->metrics ? how->metrics : "") < 0)
		return NULL;
	/* The agent separates metrics by +. */
	for (char *p = how->metrics ? text + strlen(text) - strlen(how->metrics) : NULL; p && *p;
	     p++)
		if (*p == ',')
			*p = '+';
	return text;
}

/* The VM's probes report exceptions of native methods only while the wrapper is interpreted, as it
 * is at first: in every second pass it stays interpreted. */
static const char *natives_stay(const struct trainer *t)
{
	return t->how->probes && t->passes.n % 2 ? "-XX:CompileCommand=exclude,TrainN::*" : NULL;
}

/* Keeps some methods interpreted and compiles the others early: else a pass takes minutes. */
static bool start(struct trainer *t, char *agent, const char *out, int *status, pid_t *pid)
{
	static const char *const before[] = {
		"-XX:CompileCommand=quiet",         "-XX:CompileCommand=exclude,TrainI::*",
		"-XX:Tier4InvocationThreshold=500", "-XX:Tier4MinInvocationThreshold=100",
		"-XX:Tier4CompileThreshold=700",
	};
	char *words[WORDS_MOST + 16];
	size_t n = 0, i;

	words[n++] = (char *)t->java;
	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		words[n++] = (char *)before[i];
	if (natives_stay(t))
		words[n++] = (char *)natives_stay(t);
	for (i = 0; t->how->words[i]; i++) {
		if (i == WORDS_MOST) {
			complain("more than %d options for the VM", WORDS_MOST);
			return false;
		}
		words[n++] = t->how->words[i];
	}
	words[n++] = agent;
	words[n++] = (char *)"-cp";
	words[n++] = t->classes;
	words[n++] = (char *)"Trainer";
	words[n++] = (char *)"4";   /* turns, in which methods become compiled */
	words[n++] = (char *)"400"; /* calls of each in a turn */
	words[n++] = t->library;
	words[n] = NULL;
	return run_program(words, out, out, status, pid);
}

/* From the agent's log: the step of each metric, and the file of the pass's minima. */
struct pass_log {
	uint64_t step[CALL_METRICS];
	char *calibration; /* allocated; NULL: not in the log */
};

static bool read_log(const char *path, struct pass_log *log)
{
	static const char words[] = "calibration: ", step[] = ", resolution ";
	FILE *in = fopen(path, "re");
	uint32_t metrics = 0;
	char *line = NULL;
	size_t room = 0;

	*log = (struct pass_log){ 0 };
	while (in && !log->calibration && getline(&line, &room, in) > 0) {
		char *at = strncmp(line, "metric", 6) ? NULL : strstr(line, step);

		line[strcspn(line, "\n")] = 0;
		if (at && metrics < CALL_METRICS)
			log->step[metrics++] = strtoull(at + sizeof(step) - 1, NULL, 10);
		else if (!strncmp(line, words, sizeof(words) - 1))
			log->calibration = strdup(line + sizeof(words) - 1);
	}
	free(line);
	if (in)
		fclose(in);
	return log->calibration;
}

/* The first pass sets the key of all passes. The file is opened here, so that an error is reported
 * before more work is done. */
static bool take_first(struct trainer *t, struct minima *m, const struct pass_log *log)
{
	struct minima none;
	bool good;

	t->key = strdup(m->key);
	if (!t->key || passes_init(&t->passes, m->c.metrics, log->step) ||
	    calibration_init(&none.c, m->c.metrics)) {
		complain("%s", strerror(ENOMEM));
		return false;
	}
	strcpy(none.key, m->key);
	good = store_add(t->how->file, &none, t->file);
	minima_free(&none);
	return good;
}

static bool take_pass(struct trainer *t, const char *path, const struct pass_log *log,
		      struct pass_changes *changed)
{
	struct minima m;
	int rc = minima_read(&m, path);
	bool good;

	if (rc == -ENOENT)
		complain("minima are not kept: %s", log->calibration);
	if (rc)
		return false;
	good = t->key || take_first(t, &m, log);
	if (good && strcmp(t->key, m.key)) {
		complain(
			"the VM, its agent or the metrics are not what they were in the pass before");
		good = false;
	}
	if (good)
		*changed = passes_add(&t->passes, &m.c);
	minima_free(&m);
	return good;
}

bool trainer_run(struct trainer *t, struct pass_changes *changed)
{
	char *agent = make_agent(t), log[PATH_MAX], pass[PATH_MAX], words[PATH_MAX];
	struct pass_log says = { .calibration = NULL };
	bool good, has_log;
	int status = 0;
	pid_t pid;

	*changed = (struct pass_changes){ 0 };
	snprintf(words, sizeof(words), "%s/words", t->folder);
	snprintf(pass, sizeof(pass), "%s/pass", t->folder);
	good = agent && start(t, agent, words, &status, &pid);
	free(agent);
	if (!good)
		return false;
	if (status && !run_interrupted) {
		run_complain(t->java, status, words);
		return false;
	}
	snprintf(log, sizeof(log), "%s/log-rt.1_%d", t->folder, (int)pid);
	has_log = read_log(log, &says);
	if (has_log && (!run_interrupted || !access(pass, F_OK)))
		good = take_pass(t, pass, &says, changed);
	else if (!run_interrupted) {
		complain("%s: the agent has left no log there: was it loaded?", t->java);
		good = false;
	}
	free(says.calibration);
	unlink(log);
	unlink(pass);
	return good;
}

bool trainer_keep(struct trainer *t)
{
	struct minima m;
	bool good;

	if (!t->passes.n)
		return true;
	if (calibration_init(&m.c, t->passes.least.metrics)) {
		complain("%s", strerror(ENOMEM));
		return false;
	}
	strcpy(m.key, t->key);
	passes_result(&t->passes, &m.c);
	good = store_add(t->how->file, &m, t->file);
	minima_free(&m);
	return good;
}

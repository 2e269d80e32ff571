/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the trainer in a VM with the agent, and reads in the agent's log what came of it. */
#include "train.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"

#define WORDS_MOST 256

extern char **environ;

/* ---- what was installed ---------------------------------------------------------------------- */

/* Beside this program, else where it was installed. */
static bool find(const char *name, char path[PATH_MAX])
{
	char exe[PATH_MAX], beside[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	exe[n > 0 ? n : 0] = 0;
	slash = strrchr(exe, '/');
	if (slash) {
		*slash = 0;
		snprintf(beside, sizeof(beside), "%s/../lib/pitrace/%s", exe, name);
		if (realpath(beside, path))
			return true;
	}
	snprintf(beside, sizeof(beside), PITRACE_LIBDIR "/%s", name);
	return realpath(beside, path) != NULL;
}

bool run_program(char *const words[], const char *out, const char *err, int *status, pid_t *pid)
{
	const int how = O_WRONLY | O_CREAT | O_TRUNC;
	posix_spawn_file_actions_t files;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out, how, 0600);
	if (err)
		posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err, how, 0600);
	rc = posix_spawnp(pid, words[0], &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	if (rc) {
		complain("%s: %s", words[0], strerror(rc));
		return false;
	}
	while (waitpid(*pid, status, 0) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

/* The compiler of the VM's own JDK, if it has one. */
static bool compile(struct trainer *t)
{
	char source[PATH_MAX], javac[PATH_MAX];
	char *words[] = { javac, (char *)"-nowarn", (char *)"-d", t->classes, source, NULL };
	const char *slash = strrchr(t->java, '/');
	int status = 0;
	pid_t pid;

	if (!find("trainer/Trainer.java", source)) {
		complain("the trainer is not installed");
		return false;
	}
	snprintf(javac, sizeof(javac), "%.*sjavac", slash ? (int)(slash - t->java + 1) : 0,
		 t->java);
	strcpy(t->classes, t->folder);
	if (run_program(words, "/dev/null", NULL, &status, &pid) && !status)
		return true;
	complain("%s: the trainer cannot be compiled", source);
	return false;
}

bool trainer_begin(struct trainer *t, const struct train *how)
{
	const char *home = getenv("JAVA_HOME"), *temporary = getenv("TMPDIR");
	static char java[PATH_MAX];
	char class[PATH_MAX];

	*t = (struct trainer){ .how = how, .java = how->java };
	if (!t->java && home && *home) {
		snprintf(java, sizeof(java), "%s/bin/java", home);
		t->java = java;
	}
	if (!t->java)
		t->java = "java";
	if (!find("libjprof.so", t->agent)) {
		complain(
			"libjprof.so is not installed: build it where a JDK's headers are (default-jdk-headless), then make install");
		return false;
	}
	snprintf(t->folder, sizeof(t->folder), "%s/jprof-train.XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(t->folder)) {
		complain("%s: %s", t->folder, strerror(errno));
		*t->folder = 0;
		return false;
	}
	/* The agent splits its options at commas. */
	if (strchr(t->folder, ',') || (how->file && strchr(how->file, ','))) {
		complain("%s: a comma cannot be told to the agent",
			 strchr(t->folder, ',') ? t->folder : how->file);
		return false;
	}
	if (!find("trainer/Trainer.class", class))
		return compile(t);
	*strrchr(class, '/') = 0;
	strcpy(t->classes, class);
	return true;
}

/* ---- a pass ---------------------------------------------------------------------------------- */

/* The agent's line: where the minima went, or why they did not. */
static bool read_log(struct trainer *t, const char *path, uint32_t *changed)
{
	static const char words[] = "calibration: ", number[] = ", minima that are new or less: ";
	char *line = NULL, *at;
	bool found = false;
	size_t room = 0;
	FILE *log = fopen(path, "re");

	while (log && !found && getline(&line, &room, log) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (strncmp(line, words, sizeof(words) - 1))
			continue;
		found = true;
		at = strstr(line, number);
		if (at) {
			*changed = (uint32_t)strtoul(at + sizeof(number) - 1, NULL, 10);
			*at = 0;
			snprintf(t->file, sizeof(t->file), "%s", line + sizeof(words) - 1);
		} else {
			complain("minima are not kept: %s", line + sizeof(words) - 1);
			found = false;
			break;
		}
	}
	if (!log)
		complain("%s: %s", path, strerror(errno));
	else if (!found && !line)
		complain("%s: it is no log of the agent", path);
	if (log)
		fclose(log);
	free(line);
	return found;
}

static char *make_agent(const struct trainer *t)
{
	const struct train *how = t->how;
	char *text;

	if (asprintf(&text,
		     "-agentpath:%s=LOGPATH=%s,CLASSMETHODS=TrainI*+TrainJ*+java/lang/System.nanoTime*"
		     "+java/lang/Object.hashCode*+java/lang/Object.notify()*"
		     "+java/lang/reflect/Array.getLength*%s%s%s%s%s",
		     t->agent, t->folder, how->probes ? ",MODE=probes" : "",
		     how->file ? ",CALIBRATION=" : "", how->file ? how->file : "",
		     how->metrics ? ",METRICS=" : "", how->metrics ? how->metrics : "") < 0)
		return NULL;
	/* In a list of metrics it has +. */
	for (char *p = how->metrics ? text + strlen(text) - strlen(how->metrics) : NULL; p && *p;
	     p++)
		if (*p == ',')
			*p = '+';
	return text;
}

/* Interpreted and compiled methods; these early, or a pass takes minutes. */
static bool start(struct trainer *t, char *agent, int *status, pid_t *pid)
{
	static const char *const before[] = {
		"-XX:CompileCommand=quiet",          "-XX:CompileCommand=exclude,TrainI::*",
		"-XX:Tier4InvocationThreshold=1500", "-XX:Tier4MinInvocationThreshold=200",
		"-XX:Tier4CompileThreshold=2000",
	};
	char *words[WORDS_MOST + 16];
	size_t n = 0, i;

	words[n++] = (char *)t->java;
	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		words[n++] = (char *)before[i];
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
	words[n++] = (char *)"800"; /* calls of each in a turn */
	words[n] = NULL;
	return run_program(words, "/dev/null", NULL, status, pid);
}

bool trainer_run(struct trainer *t, uint32_t *changed)
{
	char *agent = make_agent(t), log[PATH_MAX + 64];
	int status = 0;
	pid_t pid;
	bool good = agent && start(t, agent, &status, &pid);

	free(agent);
	if (!good)
		return false;
	if (status) {
		complain(WIFSIGNALED(status) ? "%s: ended by signal %d" : "%s: exit code %d",
			 t->java, WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		return false;
	}
	snprintf(log, sizeof(log), "%s/log-rt.1_%d", t->folder, (int)pid);
	good = read_log(t, log, changed);
	unlink(log);
	return good;
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
}

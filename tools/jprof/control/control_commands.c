/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent's thread attaches to the VM only for commands that run Java code. */
#include "control_commands.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "call_hooks.h"
#include "jprof_calls.h"
#include "locks.h"
#include "log_file.h"

/* Makes the path absolute: the client has another working folder. */
static void say_path(struct control_call *c, const char *what, const char *path)
{
	char folder[2048] = "";

	if (*path != '/' && !getcwd(folder, sizeof(folder)))
		*folder = 0;
	snprintf(c->words, sizeof(c->words), "%s %.2047s%s%.2300s", what, folder,
		 *folder ? "/" : "", path);
}

static const char *write_log(struct control_call *c, const char *(*write)(char *path, size_t size))
{
	char path[LOG_FILE_PATH] = "";
	const char *why = write(path, sizeof(path));

	say_path(c, "written:", path);
	return why;
}

static const char *do_start(struct control_call *c)
{
	snprintf(c->words, sizeof(c->words), "calls count");
	return calls_start(c->jni);
}

static const char *do_stop(struct control_call *c)
{
	return write_log(c, calls_stop);
}

static const char *do_flush(struct control_call *c)
{
	return write_log(c, calls_flush);
}

static const char *do_reset(struct control_call *c)
{
	snprintf(c->words, sizeof(c->words), "the trees are empty");
	return calls_reset();
}

static const char *do_jlmstart(struct control_call *c)
{
	bool light = !strcmp(c->argument, "JLML");

	if (*c->argument && !light && strcmp(c->argument, "JLM") != 0)
		return "the argument is JLM (all gets) or JLML (contention only)";
	snprintf(c->words, sizeof(c->words), "monitors are watched");
	return locks_start(c->jni, c->o, !light);
}

static const char *do_jlmdump(struct control_call *c)
{
	return write_log(c, locks_dump);
}

static const char *do_jlmstop(struct control_call *c)
{
	char path[LOG_FILE_PATH] = "";
	const char *why = locks_stop(c->jni, path, sizeof(path));

	say_path(c, "written:", path);
	return why;
}

static const char *do_heapdump(struct control_call *c)
{
	char path[RT_LINE];
	const char *why = heap_dump(c);

	if (!why) {
		snprintf(path, sizeof(path), "%s", c->words);
		say_path(c, "written:", path);
	}
	return why;
}

static const char *do_shutdown(struct control_call *c)
{
	c->last = true;
	snprintf(c->words, sizeof(c->words), "the agent no longer listens");
	return NULL;
}

static const struct control_command {
	const char *name;
	bool java; /* it runs Java code */
	const char *(*run)(struct control_call *c);
} commands[] = {
	{ "start", true, do_start },        { "stop", false, do_stop },
	{ "flush", false, do_flush },       { "reset", false, do_reset },
	{ "jlmstart", true, do_jlmstart },  { "jlmdump", false, do_jlmdump },
	{ "jlmstop", true, do_jlmstop },    { "heapdump", true, do_heapdump },
	{ "shutdown", false, do_shutdown },
};

static const char *with_java(struct control_call *c, const struct control_command *command)
{
	JavaVMAttachArgs as = { .version = JNI_VERSION_1_6, .name = (char *)"pitrace control" };
	const char *why;

	hooks_thread_none();
	if ((*c->java)->AttachCurrentThreadAsDaemon(c->java, (void **)&c->jni, &as))
		return "the Java VM no longer accepts threads";
	why = command->run(c);
	(*c->java)->DetachCurrentThread(c->java);
	return why;
}

const char *control_do(struct control_call *c, const char *command)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(command, commands[i].name) != 0)
			continue;
		if (*c->argument && commands[i].run != do_heapdump &&
		    commands[i].run != do_jlmstart)
			return "this command takes no argument";
		return commands[i].java ? with_java(c, &commands[i]) : commands[i].run(c);
	}
	return "no such command";
}

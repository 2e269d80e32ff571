/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Uses the VM's HotSpotDiagnosticMXBean, which refuses to overwrite a file. Java encodes names of
 * files as the VM's locale does, which may lack characters of ours, and cannot express bytes that
 * are no text: a name with other characters than ASCII is given to a finished dump here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control_commands.h"
#include "java_text.h"
#include "log_file.h"

#define BEAN "com/sun/management/HotSpotDiagnosticMXBean"

/* Clears the pending exception and returns its text. */
static const char *thrown(struct control_call *c)
{
	JNIEnv *jni = c->jni;
	jthrowable e = (*jni)->ExceptionOccurred(jni);
	jmethodID to_string;
	const char *text = NULL;
	jstring string;

	(*jni)->ExceptionClear(jni);
	to_string = e ? (*jni)->GetMethodID(jni, (*jni)->GetObjectClass(jni, e), "toString",
					    "()Ljava/lang/String;") :
			NULL;
	string = to_string ? (*jni)->CallObjectMethod(jni, e, to_string) : NULL;
	(*jni)->ExceptionClear(jni);
	text = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;
	snprintf(c->words, sizeof(c->words), "the Java VM: %s",
		 text ? text : "it has no module jdk.management, which writes heap dumps");
	java_text(c->words);
	if (text)
		(*jni)->ReleaseStringUTFChars(jni, string, text);
	return c->words;
}

static jobject bean(JNIEnv *jni, jclass *of)
{
	jclass factory = (*jni)->FindClass(jni, "java/lang/management/ManagementFactory");
	jmethodID get;

	*of = factory ? (*jni)->FindClass(jni, BEAN) : NULL;
	get = *of ? (*jni)->GetStaticMethodID(jni, factory, "getPlatformMXBean",
					      "(Ljava/lang/Class;)Ljava/lang/management/PlatformManagedObject;") :
		    NULL;
	return get ? (*jni)->CallStaticObjectMethod(jni, factory, get, *of) : NULL;
}

/* Makes the path of a new file. A race is harmless: the VM refuses an existing file. */
static void new_path(struct control_call *c, char path[LOG_FILE_PATH + 8])
{
	uint32_t n = 1;

	do {
		log_file_path(path, c->o->calls.path, "", "heapdump", n);
		strcat(path, ".hprof");
	} while (!access(path, F_OK) && n++ < 10000);
}

/* Returns NULL, or why the VM did not write the dump. */
static const char *write_dump(struct control_call *c, const char *path)
{
	JNIEnv *jni = c->jni;
	jclass of;
	jobject b = bean(jni, &of);
	jmethodID dump;
	jstring name;

	dump = b ? (*jni)->GetMethodID(jni, of, "dumpHeap", "(Ljava/lang/String;Z)V") : NULL;
	name = dump ? (*jni)->NewStringUTF(jni, path) : NULL;
	if (name)
		(*jni)->CallVoidMethod(jni, b, dump, name, JNI_TRUE);
	return !name || (*jni)->ExceptionCheck(jni) ? thrown(c) : NULL;
}

static bool is_ascii(const char *text)
{
	while (*text && !(*text & 0x80))
		text++;
	return !*text;
}

static const char *failed(struct control_call *c, const char *path, int err)
{
	snprintf(c->words, sizeof(c->words), "%.4000s: %s", path, strerror(err));
	return c->words;
}

/* Gives the file the name, unless there is one of that name. */
static int name_file(int folder, const char *from, const char *to)
{
	if (!renameat2(folder, from, folder, to, RENAME_NOREPLACE))
		return 0;
	/* Some file systems only have this way. */
	return (errno == EINVAL || errno == ENOSYS) && !linkat(folder, from, folder, to, 0) ?
		       unlinkat(folder, from, 0) :
		       -1;
}

/* The VM writes to a name in the same folder, which it gets as a descriptor. */
static const char *dump_below(struct control_call *c, const char *path, int folder,
			      const char *name)
{
	char other[64], whole[128];
	const char *why;
	struct stat s;
	size_t n = strlen(name);

	if (n < 7 || strcmp(name + n - 6, ".hprof") != 0)
		return "the name of a heap dump ends in .hprof";
	if (!fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW))
		return failed(c, path, EEXIST);
	snprintf(other, sizeof(other), ".pitrace.%d.hprof", (int)getpid());
	snprintf(whole, sizeof(whole), "/proc/self/fd/%d/%s", folder, other);
	unlinkat(folder, other, 0);
	why = write_dump(c, whole);
	if (!why && name_file(folder, other, name))
		why = failed(c, path, errno);
	if (why)
		unlinkat(folder, other, 0);
	return why;
}

static const char *dump_to(struct control_call *c, const char *path)
{
	const char *slash = strrchr(path, '/'), *why;
	char folder[RT_LINE] = ".";
	int fd;

	if (is_ascii(path))
		return write_dump(c, path);
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s/", (int)(slash - path), path);
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return failed(c, path, errno);
	why = dump_below(c, path, fd, slash ? slash + 1 : path);
	close(fd);
	return why;
}

const char *heap_dump(struct control_call *c)
{
	char path[RT_LINE];
	const char *why;

	if (*c->argument)
		snprintf(path, sizeof(path), "%s", c->argument);
	else
		new_path(c, path);
	why = dump_to(c, path);
	if (!why)
		snprintf(c->words, sizeof(c->words), "%.4500s", path);
	return why;
}

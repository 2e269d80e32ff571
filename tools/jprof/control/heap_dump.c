/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uses the VM's HotSpotDiagnosticMXBean, which refuses to overwrite a file. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control_commands.h"
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

const char *heap_dump(struct control_call *c)
{
	JNIEnv *jni = c->jni;
	char path[LOG_FILE_PATH + 8];
	jclass of;
	jobject b;
	jmethodID dump;
	jstring name;

	if (*c->argument)
		snprintf(path, sizeof(path), "%s", c->argument);
	else
		new_path(c, path);
	b = bean(jni, &of);
	dump = b ? (*jni)->GetMethodID(jni, of, "dumpHeap", "(Ljava/lang/String;Z)V") : NULL;
	name = dump ? (*jni)->NewStringUTF(jni, path) : NULL;
	if (name)
		(*jni)->CallVoidMethod(jni, b, dump, name, JNI_TRUE);
	if (!name || (*jni)->ExceptionCheck(jni))
		return thrown(c);
	snprintf(c->words, sizeof(c->words), "%.4500s", path);
	return NULL;
}

#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Native methods in a real VM: each call of a program's natives is counted, whether the VM finds the
# function by its name or is told of it; what they take and give, and throw, passes; the JDK's own; what
# is left alone; a VM that runs already.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
unset JPROFOPTS JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libjprof.so
if [ ! -f "$agent" ]; then
	echo "skip jprof_natives no JDK is installed"
	exit 77
fi
java=$(dirname "$(dirname "$(readlink -f "$(type -P javac)")")")
cd "$work" || exit 1
cat >Natives.java <<'END'
import java.io.*;
public class Natives {
	static native int add(int a, long b, double c, Object o);
	native synchronized long many(byte a, short b, char c, boolean d, float e, long[] f, String g);
	static native void fails() throws IOException;
	static native int told(int n);
	static class Later { static native int told(int n); }
	static int sum;
	static void all() throws Exception {
		for (int i = 0; i < 20000; i++) sum += add(i, 1L << 40, 2.5, "x");
		for (int i = 0; i < 3; i++) sum += (int)new Natives().many((byte)1, (short)2, 'c', true, 1.5f, new long[] { 7 }, "abc");
		for (int i = 0; i < 10; i++) try { fails(); } catch (IOException e) { sum += e.getMessage().length(); }
		for (int i = 0; i < 5; i++) sum += told(i);
		try (FileOutputStream o = new FileOutputStream("/dev/null")) { for (int i = 0; i < 50; i++) o.write(1); }
		try { new FileInputStream("/nonexistent"); } catch (IOException e) { System.out.println(e.getMessage()); }
		sum += Math.max(1, System.identityHashCode("x") & 0);
		for (int i = 0; i < 7; i++) sum += Later.told(i);
	}
	public static void main(String[] args) throws Exception {
		System.load(new File("libnatives.so").getAbsolutePath());
		if (args.length > 0) {
			told(1);
			System.out.println("up");
			while (System.in.available() == 0) Thread.sleep(10);
		}
		all();
		System.out.println(sum + " " + Natives.class.getDeclaredMethod("fails").getExceptionTypes()[0]);
	}
}
END
cat >natives.c <<'END'
#include <jni.h>
jint Java_Natives_add(JNIEnv *e, jclass c, jint a, jlong b, jdouble d, jobject o) { return a + (jint)(b >> 40) + (jint)d + (o != NULL); }
jlong Java_Natives_many(JNIEnv *e, jobject t, jbyte a, jshort b, jchar c, jboolean d, jfloat f, jlongArray g, jstring s)
{ return (t != NULL) + a + b + c + d + (long)(f * 2) + (*e)->GetArrayLength(e, g) + (*e)->GetStringLength(e, s); }
void Java_Natives_fails(JNIEnv *e, jclass c) { (*e)->ThrowNew(e, (*e)->FindClass(e, "java/io/IOException"), "no"); }
jint Java_Natives_00024Later_told(JNIEnv *e, jclass c, jint n) { return n * 3; }
static jint told(JNIEnv *e, jclass c, jint n) { return n * 2; }
jint JNI_OnLoad(JavaVM *vm, void *r)
{
	JNINativeMethod m = { "told", "(I)I", told };
	JNIEnv *e;

	(*vm)->GetEnv(vm, (void **)&e, JNI_VERSION_1_8);
	return (*e)->RegisterNatives(e, (*e)->FindClass(e, "Natives"), &m, 1) ? -1 : JNI_VERSION_1_8;
}
END
javac Natives.java && cc -w -shared -fPIC "-I$java/include" "-I$java/include/linux" -o libnatives.so natives.c || exit 1
java Natives >want
traced() { # OPTIONS
	rm -f log-rt.*
	java -Xverify:all "-agentpath:$agent=$1" Natives >out 2>err
}
calls() { # NAME, with its type
	awk -v "name=$1" '$NF == name { n += $2 } END { print n + 0 }' log-rt.*
}
traced CALLTREE,STATDYN
[ $? = 0 ] && cmp -s want out && ! grep -v '^WARNING: .*\(restricted\|Restricted\|System\|native\)' err | grep -q .
verdict same $? "$(cat err out)"
is statics "$(calls 'n:Natives.add(IJDLjava/lang/Object;)I') $(calls 'n:Natives.fails()V')" '20000 10'
is method "$(calls 'N:Natives.many(BSCZF[JLjava/lang/String;)J')" 3
is registered "$(calls 'n:Natives.told(I)I')" 5
[ "$(calls 'N:java/io/FileOutputStream.write(IZ)V')" = 50 ] && [ "$(calls 'N:java/io/FileInputStream.open0(Ljava/lang/String;)V')" -gt 0 ]
verdict files $? "$(grep 'N:java/io' log-rt.*)"
awk '/^entries/ { gsub(",", ""); e = $2; x = $4; u = $7; s = $11 } END { exit !(e > 20000 && e == x + u + s && u >= 11) }' log-rt.*
verdict entries_are_exits $? "$(sed -n 3p log-rt.*)"
grep -qE '^native methods: [1-9][0-9]* traced; left as they are: [1-9][0-9]* intrinsics, [1-9][0-9]* signature-polymorphic, ' log-rt.*
verdict left_alone $? "$(tail -n 5 log-rt.*)"
! grep -q 'pitrace.native' log-rt.*
verdict own_names $?
traced CALLTREE,METHODTYPES,NONATIVES
cmp -s want out && ! grep -q ' N:' log-rt.* && ! grep -q '^native methods' log-rt.*
verdict without $? "$(cat err)"
traced CALLTREE,METHODTYPES,CLASSMETHODS='-*+Natives.add*'
is filtered "$(calls 'N:Natives.add(IJDLjava/lang/Object;)I') $(grep -c ' N:' log-rt.*)" '20000 1'

# ---- attached: a class that is loaded later has wrappers, one that was there has none
rm -f log-rt.*
mkfifo in && exec {hold}<>in
java -Xverify:all Natives wait <&"$hold" >out 2>err &
vm=$!
for ((i = 0; i < 600; i++)); do grep -qs up out && break; sleep 0.1; done
jcmd $vm JVMTI.agent_load "$agent" '"CALLTREE,STATDYN,CLASSMETHODS=Natives*"' >attached 2>&1
echo >&"$hold"
wait $vm
is attached $? 0
exec {hold}>&-
is attached_later "$(calls 'n:Natives$Later.told(I)I') $(calls 'n:Natives.told(I)I')" '7 0'
grep -q '^native methods: 1 traced; .* and those of classes that were loaded before$' log-rt.* &&
	grep -q 'jprof: native methods of classes that are loaded before it begins are not traced' err
verdict attached_told $? "$(cat err; tail -n 3 log-rt.*)"
exit $((failures != 0))

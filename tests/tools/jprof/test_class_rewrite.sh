#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Class files with calls of hooks, under a real VM's verifier: all of the compiler javac's and all of
# java.base's are rewritten; javac, rewritten, compiles a program and writes the class files that it
# writes otherwise; entries are exits, exception exits and the frames that live.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
rewrite=$programs/programs/rewrite_classes
java_home=$(dirname "$(dirname "$(readlink -f "$(type -P javac)")")")
jimage=$java_home/bin/jimage
if [ ! -x "$jimage" ]; then
	echo "skip class_rewrite no JDK is installed"
	exit 77
fi
cd "$work" || exit 1

"$jimage" extract --dir all --include 'regex:/(java.base|jdk.compiler)/.*' "$java_home/lib/modules" >out 2>&1
verdict extracted $?
mkdir -p hook/pitrace
cat >hook/pitrace/Hook.java <<'END'
package pitrace;

import java.util.concurrent.atomic.LongAdder;

/* Counts, with a stack for each thread: what is above a method that goes on is over, too. */
public class Hook {
	static final LongAdder in = new LongAdder(), out = new LongAdder(), thrown = new LongAdder(),
		unknown = new LongAdder();
	static class Stack { int[] ids = new int[1 << 20]; int n; }
	static final ThreadLocal<Stack> stacks = ThreadLocal.withInitial(Stack::new);
	static volatile boolean on = true;

	/* Up to the innermost frame of the method. */
	static boolean back(Stack s, int id) {
		int at = s.n;
		while (at > 0 && s.ids[at - 1] != id)
			at--;
		if (at == 0) {
			unknown.increment();
			return false;
		}
		thrown.add(s.n - at);
		s.n = at;
		return true;
	}
	public static void enter(int id) {
		if (!on) return;
		Stack s = stacks.get();
		in.increment();
		s.ids[s.n++] = id;
	}
	public static void leave(int id) {
		if (!on) return;
		Stack s = stacks.get();
		if (back(s, id)) { s.n--; out.increment(); }
	}
	public static void unwind(int id) {
		if (!on) return;
		Stack s = stacks.get();
		if (back(s, id)) { s.n--; thrown.increment(); }
	}
	public static void caught(int id) {
		if (on) back(stacks.get(), id);
	}

	/* Runs another class's main and says what was counted in it. */
	public static void main(String[] a) throws Throwable {
		try {
			Class.forName(a[0], true, ClassLoader.getSystemClassLoader()).getMethod("main", String[].class)
				.invoke(null, (Object)java.util.Arrays.copyOfRange(a, 1, a.length));
		} finally {
			on = false;
			System.err.println("in " + in.sum() + " out " + out.sum() + " thrown " + thrown.sum() +
				" live " + (in.sum() - out.sum() - thrown.sum()) + " stack " + stacks.get().n +
				" unknown " + unknown.sum());
		}
	}
}
END
javac --patch-module java.base=hook -d hook/classes hook/pitrace/Hook.java >out 2>&1
verdict hook $?

# All of them, and none is left as it is.
find all -name '*.class' ! -name module-info.class >list
xargs -n 2000 "$rewrite" pitrace/Hook <list >out 2>err
code=$?
[ $code = 0 ] && [ ! -s err ] && awk '/ left$/ { methods += $1; left += $3; next } { bad++ }
	END { exit !(methods > 60000 && !left && !bad) }' out
verdict all_are_rewritten $? "$(tail -n 3 out err)"

# javac of the original classes and of the rewritten ones.
cat >Program.java <<'END'
import java.util.*;
import java.util.function.*;

public class Program {
	sealed interface Shape permits Circle, Square { }
	record Circle(double r) implements Shape { }
	record Square(double a) implements Shape { }
	enum Kind { A { int f() { return 1; } }, B { int f() { return 2; } }; abstract int f(); }
	static int count;
	final int x;

	Program(int n) { this(n > 0 ? new StringBuilder("a") : null); }
	Program(CharSequence s) { x = s == null ? 0 : s.length(); if (x == 0) throw new IllegalArgumentException(); }
	static synchronized int locked(int n) { synchronized (Program.class) { return n > 0 ? locked(n - 1) + 1 : 0; } }
	static int deep(int n) { return deep(n + 1) + 1; }
	static String on(String s) {
		switch (s) {
		case "one": return "1";
		case "two": return "2";
		default: return switch (s.length()) { case 4 -> "4"; case 5, 6 -> "56"; default -> "?"; };
		}
	}
	static long sum(Object... all) {
		long sum = 0;
		for (Object o : all)
			try {
				if (o instanceof Integer i) sum += i;
				else if (o instanceof Long l && l > 5) sum += l;
				else throw new Exception(o.toString());
			} catch (Exception e) {
				sum += e.getMessage().length();
			} finally {
				count++;
			}
		return sum;
	}
	public static void main(String[] args) throws Exception {
		Supplier<String> late = () -> on("two") + on("five!");
		List<Shape> shapes = List.of(new Circle(1), new Square(2));
		double area = 0;
		for (Shape s : shapes)
			area += s instanceof Circle c ? c.r() : ((Square)s).a();
		int failed = 0;
		for (int i = -2; i < 3; i++)
			try { failed += new Program(i).x; } catch (IllegalArgumentException e) { failed += 10; }
		try { deep(0); } catch (StackOverflowError e) { failed += 100; }
		Thread[] t = new Thread[8];
		for (int i = 0; i < t.length; i++)
			(t[i] = new Thread(() -> { for (int k = 0; k < 500; k++) locked(k % 9); })).start();
		for (Thread x : t) x.join();
		System.out.println(late.get() + area + Kind.B.f() + sum(1, 2L, 7L, "abc") + count + failed +
			shapes + new TreeMap<>(Map.of("k", 1)));
	}
}
END
rewritten=(-Xverify:all -XX:-UseSharedSpaces --patch-module java.base=hook/classes
	--add-exports "java.base/pitrace=ALL-UNNAMED,jdk.compiler")
javac -d plain Program.java >out 2>&1
verdict plain $?
java "${rewritten[@]}" --patch-module jdk.compiler=all/jdk.compiler \
	--add-modules jdk.compiler --add-exports jdk.compiler/com.sun.tools.javac=java.base \
	-m java.base/pitrace.Hook com.sun.tools.javac.Main -d by_rewritten Program.java >out 2>&1
code=$?
# Main ends by System.exit: what was counted is not printed.
[ $code = 0 ] && diff -r plain by_rewritten >>out 2>&1
verdict javac $?

# The program itself, rewritten: it does the same, and what went in came out.
java -cp plain Program >want 2>&1
cp -r plain changed
"$rewrite" pitrace/Hook changed/*.class >out 2>&1
verdict program_rewritten $?
java "${rewritten[@]}" -cp changed -m java.base/pitrace.Hook Program >have 2>err
diff want have >out 2>&1
verdict program_runs $? "$(cat out err)"
grep -Eq '^in [0-9]{5,} out [0-9]+ thrown [0-9]{4,} live 0 stack 0 unknown 0$' err
verdict entries_are_exits $? "$(cat err)"

# All of them with hooks of locks, under the verifier: querying a class's methods links it.
rm -rf all
"$jimage" extract --dir all --include 'regex:/(java.base|jdk.compiler)/.*' "$java_home/lib/modules" >out 2>&1
xargs -n 2000 "$rewrite" -l pitrace/Lock <list >out 2>err
code=$?
[ $code = 0 ] && [ ! -s err ] && awk '/ left$/ { methods += $1; left += $3; next } { bad++ }
	END { exit !(methods > 60000 && !left && !bad) }' out
verdict all_have_locks $? "$(tail -n 3 out err)"
rm -rf hook
mkdir -p hook/pitrace
cat >hook/pitrace/Lock.java <<'END'
package pitrace;

import java.nio.file.*;

/* Counts the hooks' calls while it links all classes of a list. */
public class Lock {
	/* Of one thread, and with nothing that might lock. */
	static long in, out;
	static Thread counted;

	public static void enter(Object o) { if (counted == Thread.currentThread()) in++; }
	public static void entered() { }
	public static void leave(Object o) { if (counted == Thread.currentThread()) out++; }
	public static void park(Object o) { }
	public static void parked() { }
	public static void main(String[] a) throws Throwable {
		int linked = 0, bad = 0;
		counted = Thread.currentThread();
		for (String line : Files.readAllLines(Path.of(a[0]))) {
			String name = line.replaceFirst("^all/[^/]*/", "").replaceFirst("[.]class$", "").replace('/', '.');
			try {
				Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredMethods();
				linked++;
			} catch (VerifyError | ClassFormatError e) {
				System.out.println(name + " " + e);
				bad++;
			} catch (LinkageError | ClassNotFoundException e) {
			}
		}
		counted = null;
		System.out.println("linked " + linked + " bad " + bad + " in " + in + " out " + out);
	}
}
END
javac --patch-module java.base=hook -d hook/classes hook/pitrace/Lock.java >out 2>&1
mkdir -p all/java.base/pitrace
cp hook/classes/pitrace/*.class all/java.base/pitrace/
java -Xverify:all -XX:-UseSharedSpaces --patch-module java.base=all/java.base --patch-module jdk.compiler=all/jdk.compiler \
	--add-modules jdk.compiler --add-exports java.base/pitrace=ALL-UNNAMED,jdk.compiler -m java.base/pitrace.Lock list >out 2>&1
awk '/^linked/ { found = $2 > 5000 && $4 == 0 && $6 > 10000 && $6 == $8 } END { exit !found }' out
verdict locks_pass_the_verifier $? "$(tail -n 3 out)"
exit $((failures != 0))

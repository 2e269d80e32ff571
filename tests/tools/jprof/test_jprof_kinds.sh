#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One of each kind of class in a real VM: lambdas, hidden classes, records, sealed classes, nest mates,
# strings and calls by invokedynamic, interfaces with methods of their own, enums, what a program
# defines while it runs, class files of all versions. Each call is counted once, entries are exits, exits
# by exception and the frames that live; hidden classes are listed.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/lib/jdk_lib.sh
. "$top/tests/lib/jdk_lib.sh"
unset JPROFOPTS JAVA_TOOL_OPTIONS
agent=$build/lib/pitrace/libjprof.so
if [ ! -f "$agent" ]; then
	echo "skip jprof_kinds no JDK is installed"
	exit 77
fi
release=$(javac -version 2>&1 | sed -E 's/^javac ([0-9]+).*/\1/')
if [ "$release" -lt 17 ]; then
	echo "skip jprof_kinds this JDK has no sealed classes"
	exit 77
fi
cd "$work" || exit 1
cat >Kinds.java <<'END'
import java.lang.invoke.*;
import java.lang.reflect.Method;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;

public class Kinds {
	record Point(int x, int y) { int sum() { return x() + y(); } }
	sealed interface Shape permits Square, Circle { int area(); default int twice() { return 2 * area(); } static Shape of(int n) { return n % 2 == 0 ? new Square(n) : new Circle(n); } }
	static final class Square implements Shape { final int n; Square(int n) { this.n = n; } public int area() { return n * n; } }
	static non-sealed static class Circle implements Shape { final int n; Circle(int n) { this.n = n; } public int area() { return 3 * n * n; } }
	enum Colour { RED { int code() { return 1; } }, BLUE { int code() { return 2; } }; abstract int code(); }
	class Mate { private int secret(int n) { return n + outer(n); } }
	private int outer(int n) { return n * 2; }
	static int lambda(IntUnaryOperator f, int n) { return f.applyAsInt(n); }
	static int reference(int n) { return n + 1; }
	static String concat(int n, String s) { return n + ":" + s + n; }
	static int handle(int n) { return n - 1; }
	static int reflected(int n) { return n ^ 1; }
	static int failing(int n) { try { return thrower(n); } catch (IllegalStateException e) { return 1; } finally { last(); } }
	static int thrower(int n) { if (n % 5 == 0) throw new IllegalStateException(); return n; }
	static void last() { }
	static int generator(Iterable<Integer> of) { int s = 0; for (int i : of) s += i; return s; }
	static int switched(Object o) { return switch (o.toString()) { case "a" -> 1; case "b" -> 2; default -> inner(o); }; }
	static int inner(Object o) { return o instanceof Integer i ? i : 0; }

	public static void main(String[] args) throws Throwable {
		int N = 1000, s = 0;
		MethodHandle h = MethodHandles.lookup().findStatic(Kinds.class, "handle", MethodType.methodType(int.class, int.class));
		Method m = Kinds.class.getDeclaredMethod("reflected", int.class);
		Kinds k = new Kinds();
		Kinds.Mate mate = k.new Mate();
		for (int i = 0; i < N; i++) {
			s += new Point(i, 1).sum() + new Point(i, 2).hashCode() + new Point(i, 3).toString().length();
			s += Shape.of(i).twice() + Colour.values()[i % 2].code() + mate.secret(i);
			final int j = i;
			s += lambda(n -> n + j, i) + lambda(Kinds::reference, i) + concat(i, "x").length();
			s += (int)h.invokeExact(i) + (int)m.invoke(null, i) + failing(i) + switched(i);
			s += generator(List.of(i, 2));
		}
		/* A hidden class of our own, of the bytes of another one. */
		byte[] bytes = Files.readAllBytes(Path.of("classes/Secret.class"));
		Class<?> hidden = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
		s += (int)hidden.getDeclaredMethod("told").invoke(null);
		/* A class that is made while the program runs. */
		Class<?> late = new ClassLoader() { Class<?> make() { return defineClass("Late", late(), 0, late().length); } byte[] late() { try { return Files.readAllBytes(Path.of("classes/Late.class")); } catch (Exception e) { throw new Error(e); } } }.make();
		Method told = late.getDeclaredMethod("told", int.class);
		told.setAccessible(true);
		s += (int)told.invoke(null, 3);
		ExecutorService pool = Executors.newFixedThreadPool(3);
		List<Future<Integer>> all = new ArrayList<>();
		for (int i = 0; i < 300; i++) { final int j = i; all.add(pool.submit(() -> reference(j))); }
		for (Future<Integer> f : all) s += f.get();
		pool.shutdown();
		pool.awaitTermination(9, TimeUnit.SECONDS);
		System.out.println(s);
	}
}
class Secret { static int told() { return 5; } }
class Late { public static int told(int n) { return n; } }
END
sed -i 's/static non-sealed static class/static non-sealed class/' Kinds.java
javac -d classes Kinds.java || exit 1
java -cp classes Kinds >want || exit 1
rm -f log-rt.*
java -Xverify:all "-agentpath:$agent=CALLTREE,CLASSMETHODS=Kinds*+Late*+Secret*+*Point*" -cp classes Kinds >out 2>err
[ $? = 0 ] && cmp -s want out && [ ! -s err ]
verdict same $? "$(cat err)"
counted() { # CLASS.METHOD CALLS
	local n
	n=$(awk -v "name=$1" 'index($NF, name "(") == 1 { n += $2 } END { print n + 0 }' log-rt.*)
	is "$1" "$n" "$2"
}
counted 'Kinds$Point.sum' 1000
counted 'Kinds$Point.<init>' 3000
counted 'Kinds$Point.hashCode' 1000
counted 'Kinds$Shape.twice' 1000
counted 'Kinds$Square.area' 500
counted 'Kinds$Circle.area' 500
counted 'Kinds$Colour$1.code' 500
counted 'Kinds$Mate.secret' 1000
counted Kinds.outer 1000
counted 'Kinds.lambda$main$0' 1000
counted Kinds.reference 1300
counted Kinds.concat 1000
counted Kinds.handle 1000
counted Kinds.reflected 1000
counted Kinds.thrower 1000
counted Kinds.last 1000
counted Kinds.inner 1000
counted Late.told 1
counted Secret.told 0
grep -q '^hidden classes, which cannot be changed: [1-9]' log-rt.* && grep -q '^Secret[./]0x' log-rt.* && grep -q '^Kinds\$\$Lambda' log-rt.*
verdict hidden_listed $? "$(sed -n '/^hidden/,$p' log-rt.* | head)"
balanced() { # NAME EXCEPTIONS: entries are exits, those by exception, and what lives
	awk -v "least=$2" '/^entries/ { gsub(",", ""); e = $2; x = $4; u = $7; s = $11 }
		END { exit !(e > 20000 && e == x + u + s && u >= least && s < 50) }' log-rt.* && ! grep -q '^not kept' log-rt.*
	verdict "$1" $? "$(sed -n 3,4p log-rt.*)"
}
balanced entries_are_exits 200
rm -f log-rt.*
java -Xverify:all "-agentpath:$agent=CALLTREE" -cp classes Kinds >out 2>err
[ $? = 0 ] && cmp -s want out && [ ! -s err ]
verdict same_with_all $? "$(cat err)"
balanced all_entries_are_exits 200

# ---- each version of class files that this compiler makes, and its own, as old and as new as its VM takes
cat >Old.java <<'END'
public class Old {
	static int f(int n) { if (n == 3) throw new RuntimeException(); return n; }
	public static void main(String[] args) {
		int s = 0;
		for (int i = 0; i < 100; i++) try { s += f(i) + ("" + i).length(); } catch (RuntimeException e) { s++; }
		System.out.println(s);
	}
}
END
for ((r = 8; r <= release; r++)); do
	javac -Xlint:-options --release "$r" -d "old$r" Old.java 2>err || continue
	rm -f log-rt.*
	java -Xverify:all "-agentpath:$agent=CALLTREE,NONATIVES,CLASSMETHODS=Old*" -cp "old$r" Old >out 2>err
	is "version_$((r + 44))" "$(awk '$NF == "Old.f(I)I" { print $2 }' log-rt.*) $(cat out) $(sed -nE 's/.*(exception exits [0-9]+).*/\1/p' log-rt.*)" "100 5137 exception exits 1"
done
exit $((failures != 0))

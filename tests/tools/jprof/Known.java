// SPDX-License-Identifier: GPL-3.0-or-later
// Work whose stacks are known: each phase calls spin() or allocate() through the same methods, again and again,
// for so many milliseconds of CPU time. What the VM does between them differs:
// - deep: 20 turns of a(), b(), c();
// - fresh: the last c() initializes a class, so that the VM calls Java on behalf of compiled code;
// - replaced: the last sum() loads a class that overrides area(), so that the code of all callers is discarded
//   while they run;
// - tail: the last action of an inlined method is an allocation that the VM does itself.
import java.lang.management.*;

public class Known {
	static final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
	static volatile long sink;
	static volatile Object kept;
	static long most;

	static void spin() {
		long end = clock.getCurrentThreadCpuTime() + most;
		while (clock.getCurrentThreadCpuTime() < end)
			for (int i = 0; i < 20000; i++) sink++;
	}

	static int a(int n, int phase) { return b(n, phase) + 1; }
	static int b(int n, int phase) { return c(n, phase) + 1; }
	static int c(int n, int phase) {
		if (n > 0) return a(n - 1, phase) + 1;
		if (phase == 0) spin(); else return Fresh.value;
		return 0;
	}
	static class Fresh {
		static int value = 7;
		static { spin(); }
	}
	static int deep() { return a(19, 0); }
	static int fresh() { return a(19, 1); }

	static class Shape { int area() { return 1; } }
	static class Round extends Shape { int area() { spin(); return 2; } }
	static Shape round() { return new Round(); }
	static int sum(int n, Shape shape, boolean last) {
		if (n > 0) return sum(n - 1, shape, last) + shape.area();
		return last ? round().area() : 0;
	}
	static int replaced() { return sum(30, new Shape(), true); }

	static byte[] allocate(int n) { return new byte[n]; }
	static void outer(int n) { kept = allocate(n); kept = null; }
	static void tail() {
		long end = clock.getCurrentThreadCpuTime() + most;
		while (clock.getCurrentThreadCpuTime() < end)
			outer(6_000_000);
	}

	public static void main(String[] args) {
		most = 0;
		deep();
		for (int i = 0; i < 20000; i++) sink += sum(3, new Shape(), false);
		most = Long.parseLong(args[0]) * 1_000_000L;
		deep();
		fresh();
		replaced();
		tail();
	}
}

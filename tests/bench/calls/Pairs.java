// SPDX-License-Identifier: GPL-3.0-or-later
// Hot calls: Fibonacci's number by its definition, run until it is compiled, then timed. It prints the
// calls of one turn and the least CPU time of ten, in nanoseconds.
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class Pairs {
	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	public static void main(String[] args) {
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		int n = Integer.parseInt(args[0]), sum = 0;
		long least = Long.MAX_VALUE, calls = 1, before = 1;

		for (int i = 2; i <= n; i++) {
			long next = calls + before + 1;
			before = calls;
			calls = next;
		}
		for (int i = 0; i < 10; i++) {
			long begin = threads.getCurrentThreadCpuTime();
			sum += fib(n);
			least = Math.min(least, threads.getCurrentThreadCpuTime() - begin);
		}
		System.out.println(calls + " " + least + " " + sum);
	}
}

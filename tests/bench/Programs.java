// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Eight small programs as used for comparing languages: each runs for so many ms of its thread's
 * CPU time, in turn; then the time of each is printed.
 */
import java.lang.management.*;
import java.util.*;

public class Programs {
	static final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
	static volatile long sink;

	interface Program { long run(); }

	/* Balls in a box. */
	static long bounce() {
		double[] x = new double[100], y = new double[100], vx = new double[100], vy = new double[100];
		long hits = 0;

		for (int i = 0; i < 100; i++) { x[i] = i * 5; y[i] = i * 3; vx[i] = i % 7 - 3; vy[i] = i % 5 - 2; }
		for (int step = 0; step < 2000; step++)
			for (int i = 0; i < 100; i++) {
				x[i] += vx[i];
				y[i] += vy[i];
				if (x[i] < 0 || x[i] > 500) { vx[i] = -vx[i]; hits++; }
				if (y[i] < 0 || y[i] > 500) { vy[i] = -vy[i]; hits++; }
			}
		return hits;
	}

	/* Linked lists, compared by recursion. */
	static class Link { Link next; Link(Link n) { next = n; } }
	static Link list(int n) { return n == 0 ? null : new Link(list(n - 1)); }
	static boolean shorter(Link a, Link b) { return b != null && (a == null || shorter(a.next, b.next)); }
	static Link tail(Link a, Link b, Link c) { return shorter(b, a) ? tail(tail(a.next, b, c), tail(b.next, c, a), tail(c.next, a, b)) : c; }
	static int length(Link a) { int n = 0; for (; a != null; a = a.next) n++; return n; }
	static long lists() { return length(tail(list(15), list(10), list(6))); }

	static long permutations(int[] a, int n) {
		long count = 1;

		if (n > 1)
			for (int i = 0; i < n; i++) {
				count += permutations(a, n - 1);
				int j = n % 2 == 0 ? i : 0, v = a[j];
				a[j] = a[n - 1];
				a[n - 1] = v;
			}
		return count;
	}
	static long permute() { return permutations(new int[] { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, 9); }

	static int place(int n, int row, int columns, int left, int right) {
		int found = row == n ? 1 : 0;

		for (int c = 0; row < n && c < n; c++)
			if ((columns >> c & 1) == 0 && (left >> row + c & 1) == 0 && (right >> row - c + n & 1) == 0)
				found += place(n, row + 1, columns | 1 << c, left | 1 << row + c, right | 1 << row - c + n);
		return found;
	}
	static long queens() { return place(9, 0, 0, 0, 0); }

	static long sieve() {
		boolean[] out = new boolean[500000];
		int primes = 0;

		for (int i = 2; i < out.length; i++)
			if (!out[i]) {
				primes++;
				for (int k = 2 * i; k < out.length; k += i)
					out[k] = true;
			}
		return primes;
	}

	/* Trees of arrays: the allocator. */
	static Object[] tree(int depth, Random random) {
		Object[] t = new Object[depth == 1 ? random.nextInt(10) + 1 : 4];

		for (int i = 0; depth > 1 && i < 4; i++)
			t[i] = tree(depth - 1, random);
		return t;
	}
	static long storage() { return tree(8, new Random(1)).length; }

	static int moved;
	static void move(int[][] poles, int[] top, int n, int from, int to) {
		if (n == 0)
			return;
		move(poles, top, n - 1, from, 3 - from - to);
		poles[to][top[to]++] = poles[from][--top[from]];
		moved++;
		move(poles, top, n - 1, 3 - from - to, to);
	}
	static long towers() {
		int[][] poles = new int[3][20];
		int[] top = { 16, 0, 0 };

		for (int i = 0; i < 16; i++)
			poles[0][i] = 16 - i;
		move(poles, top, 16, 0, 2);
		return moved;
	}

	static long mandelbrot() {
		long inside = 0;

		for (int py = 0; py < 150; py++)
			for (int px = 0; px < 150; px++) {
				double cx = px / 75.0 - 1.5, cy = py / 75.0 - 1, x = 0, y = 0;
				int i = 0;

				for (; i < 50 && x * x + y * y < 4; i++) {
					double t = x * x - y * y + cx;
					y = 2 * x * y + cy;
					x = t;
				}
				inside += i;
			}
		return inside;
	}

	static final String[] names = { "bounce", "lists", "permute", "queens", "sieve", "storage", "towers", "mandelbrot" };
	static final Program[] programs = { Programs::bounce, Programs::lists, Programs::permute, Programs::queens,
		Programs::sieve, Programs::storage, Programs::towers, Programs::mandelbrot };

	static long turn(Program p, long ns) {
		long from = clock.getCurrentThreadCpuTime(), now;

		do {
			sink += p.run();
			now = clock.getCurrentThreadCpuTime();
		} while (now - from < ns);
		return now - from;
	}
	/* Their stacks have this method: what warms up has not. */
	static void measured(long[] took, long ms) {
		for (int round = 0; round < 10; round++)
			for (int i = 0; i < programs.length; i++)
				took[i] += turn(programs[i], ms * (i + 1) * 100000);
	}
	/* A fixed amount of work: so many rounds of all programs. */
	static void fixed(int rounds) {
		while (rounds-- > 0)
			for (Program p : programs)
				sink += p.run();
	}
	public static void main(String[] args) {
		long[] took = new long[programs.length];

		if (args.length > 1) {
			fixed(Integer.parseInt(args[0]));
			return;
		}
		fixed(3);
		measured(took, Integer.parseInt(args[0]));
		for (int i = 0; i < programs.length; i++)
			System.out.println(names[i] + " " + took[i]);
	}
}

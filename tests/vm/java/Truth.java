// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of different shape, each a method `work` that is called over and over: 5 * TURNS times, until
// all is compiled, then TIMES times by each `steady`. Truth NAME TURNS TIMES prints NAME and the sums of both.
import java.util.stream.IntStream;

public class Truth {
	interface Program {
		int work(int seed);
	}

	// The paper's own example.
	static class Hellop implements Program {
		static int count;
		static int a(int n) { return c(n) + 1; }
		static int c(int n) { count += n; return count; }
		public int work(int seed) {
			StringBuffer b = new StringBuffer("hello ");
			b.append((long) a(seed)).append(' ').append((long) seed * 1234567);
			return b.toString().length();
		}
	}
	static class Getters implements Program {
		static class Point {
			int x, y;
			int getX() { return x; }
			int getY() { return y; }
			void setX(int to) { x = to; }
		}
		final Point[] points = new Point[64];
		Getters() {
			for (int i = 0; i < points.length; i++) points[i] = new Point();
		}
		public int work(int seed) {
			int sum = 0;
			for (Point p : points) {
				p.setX(p.getX() + p.getY() + seed);
				sum += p.getX();
			}
			return sum;
		}
	}
	static class Recursion implements Program {
		static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
		public int work(int seed) { return fib(10 + (seed & 1)); }
	}
	static class Virtuals implements Program {
		static abstract class Shape {
			abstract int area(int n);
		}
		static class Square extends Shape {
			int area(int n) { return n * n; }
		}
		static class Strip extends Shape {
			int area(int n) { return n * 3 + 1; }
		}
		static class Stairs extends Shape {
			int area(int n) { int s = 0; for (int i = 0; i < (n & 15); i++) s += i; return s; }
		}
		final Shape[] shapes = { new Square(), new Strip(), new Stairs(), new Strip(), new Square() };
		public int work(int seed) {
			int sum = 0;
			for (int i = 0; i < 40; i++) sum += shapes[i % 5].area(seed + i);
			return sum;
		}
	}
	static class Exceptions implements Program {
		static final IllegalStateException thrown = new IllegalStateException();
		static int deep(int n) {
			if (n == 0) throw thrown;
			return deep(n - 1) + n;
		}
		static int tries(int n) {
			try { return deep(n); } catch (IllegalStateException e) { return n; }
		}
		public int work(int seed) { return tries(seed & 3) + tries(3) + tries(1); }
	}
	static class Natives implements Program {
		static int held(Object o) { return Thread.holdsLock(o) ? 1 : 0; }
		public int work(int seed) {
			int sum = 0;
			for (int i = 0; i < 8; i++) sum += held(this) + i * seed;
			return sum;
		}
	}
	static class Strings implements Program {
		static String join(int n) {
			StringBuilder b = new StringBuilder();
			for (int i = 0; i < 6; i++) b.append(n + i).append(',');
			return b.toString();
		}
		public int work(int seed) { return join(seed).hashCode(); }
	}
	static class Streams implements Program {
		public int work(int seed) {
			return IntStream.range(0, 24).map(i -> i * seed).filter(i -> (i & 3) != 1).sum();
		}
	}
	static class Locks implements Program {
		int value;
		synchronized int add(int n) { value += n; return value; }
		int twice(int n) { synchronized (this) { return add(n) + add(n + 1); } }
		public int work(int seed) {
			int sum = 0;
			for (int i = 0; i < 8; i++) sum += twice(seed);
			return sum;
		}
	}
	static class Loops implements Program {
		static int mix(int n) {
			for (int i = 0; i < 200; i++) n = n * 31 + (n >>> 7);
			return n;
		}
		public int work(int seed) { return mix(seed) + mix(seed + 1); }
	}

	static int run(Program p, int turns) {
		int sum = 0;
		for (int i = 0; i < turns; i++) sum += p.work(i);
		return sum;
	}
	// The measured methods: all that they call is compiled by now, and they are called too seldom to be compiled.
	// Each call does the same, eight times. There are six of them, each with a path of its own: a clock tick occurs in
	// one or two of them, as does the VM's work when a thread's room for new objects is used up.
	static int steady1(Program p, int times) {
		int sum = 0;
		for (int i = 0; i < times; i++) sum += p.work(i & 7);
		return sum;
	}
	static int steady2(Program p, int times) {
		int sum = 0;
		for (int i = 0; i < times; i++) sum += p.work(i & 7);
		return sum;
	}
	static int steady3(Program p, int times) {
		int sum = 0;
		for (int i = 0; i < times; i++) sum += p.work(i & 7);
		return sum;
	}
	static int steady4(Program p, int times) {
		int sum = 0;
		for (int i = 0; i < times; i++) sum += p.work(i & 7);
		return sum;
	}
	static int steady5(Program p, int times) {
		int sum = 0;
		for (int i = 0; i < times; i++) sum += p.work(i & 7);
		return sum;
	}
	static int steady6(Program p, int times) {
		int sum = 0;
		for (int i = 0; i < times; i++) sum += p.work(i & 7);
		return sum;
	}

	public static void main(String[] args) {
		Program[] all = { new Hellop(), new Getters(), new Recursion(), new Virtuals(), new Exceptions(),
			new Natives(), new Strings(), new Streams(), new Locks(), new Loops() };
		int turns = Integer.parseInt(args[1]), sum = 0;

		for (Program p : all) {
			if (!p.getClass().getSimpleName().equals(args[0])) continue;
			for (int i = 0; i < 5; i++) sum += run(p, turns);
			// Between two native methods that are called nowhere else: the part that the trace needs.
			Runtime.getRuntime().totalMemory();
			int times = Integer.parseInt(args[2]), more = steady1(p, times);
			Runtime.getRuntime().freeMemory();
			more += steady2(p, times) + steady3(p, times) + steady4(p, times);
			more += steady5(p, times) + steady6(p, times);
			System.out.println(args[0] + " " + sum + " " + more);
		}
	}
}

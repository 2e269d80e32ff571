// SPDX-License-Identifier: GPL-3.0-or-later
// Code that comes and goes: rounds of a new class loader, one of eight classes loaded by it, its loop
// run hot, all of it dropped. The VM compiles each anew, soon where others' code lay. What ran when
// goes to stdout: WHICH BEGIN END, by CLOCK_MONOTONIC in nanoseconds.
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Constructor;
import java.util.function.IntUnaryOperator;

public class Reuse {
	static class Loader extends ClassLoader {
		Loader() {
			super(Reuse.class.getClassLoader());
		}
		Class<?> make(String name) throws Exception {
			try (InputStream in = Reuse.class.getResourceAsStream(name + ".class")) {
				byte[] bytes = in.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
		}
	}

	static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
	static int sum;

	static void round(int which, long nanos, StringBuilder log) throws Exception {
		Constructor<?> made = new Loader().make("Gen" + which).getDeclaredConstructor();
		made.setAccessible(true);
		IntUnaryOperator work = (IntUnaryOperator) made.newInstance();
		// By its own CPU time: on a machine that has other work rounds are longer, not shorter.
		long begin = System.nanoTime(), end = threads.getCurrentThreadCpuTime() + nanos;
		do {
			for (int i = 0; i < 10; i++)
				sum += work.applyAsInt(3000);
		} while (threads.getCurrentThreadCpuTime() < end);
		log.append(which).append(' ').append(begin).append(' ').append(System.nanoTime())
			.append('\n');
	}

	public static void main(String[] args) throws Exception {
		int rounds = Integer.parseInt(args[0]);
		long nanos = Long.parseLong(args[1]) * 1000000;
		StringBuilder log = new StringBuilder();

		for (int i = 0; i < rounds; i++) {
			// Not in turn: each meets the places of different ones.
			round((i * 5 + i / 8) % 8, nanos, log);
			System.gc();
		}
		System.out.print(log);
	}
}

class Gen0 implements IntUnaryOperator {
	static int work0(int n) {
		int s = 0;

		for (int i = 0; i < n; i++) {
			s += (s ^ i) >>> 1;
		}
		return s;
	}
	public int applyAsInt(int n) {
		return work0(n);
	}
}

class Gen1 implements IntUnaryOperator {
	static int work1(int n) {
		int s = 1;

		for (int i = 0; i < n; i++) {
			s += (s ^ i) >>> 1;
			s += (s ^ i * 8) >>> 2;
		}
		return s;
	}
	public int applyAsInt(int n) {
		return work1(n);
	}
}

class Gen2 implements IntUnaryOperator {
	static int work2(int n) {
		int s = 2;

		for (int i = 0; i < n; i++) {
			s += (s ^ i) >>> 1;
			s += (s ^ i * 9) >>> 2;
			s += (s ^ i * 16) >>> 3;
		}
		return s;
	}
	public int applyAsInt(int n) {
		return work2(n);
	}
}

class Gen3 implements IntUnaryOperator {
	static int work3(int n) {
		int s = 3;

		for (int i = 0; i < n; i++) {
			s += (s ^ i) >>> 1;
			s += (s ^ i * 10) >>> 2;
			s += (s ^ i * 17) >>> 3;
			s += (s ^ i * 24) >>> 4;
		}
		return s;
	}
	public int applyAsInt(int n) {
		return work3(n);
	}
}

class Gen4 implements IntUnaryOperator {
	static int work4(int n) {
		int s = 4;

		for (int i = 0; i < n; i++) {
			s += (s ^ i) >>> 1;
			s += (s ^ i * 11) >>> 2;
			s += (s ^ i * 18) >>> 3;
			s += (s ^ i * 25) >>> 4;
			s += (s ^ i * 32) >>> 5;
		}
		return s;
	}
	public int applyAsInt(int n) {
		return work4(n);
	}
}

class Gen5 implements IntUnaryOperator {
	static int work5(int n) {
		int s = 5;

		for (int i = 0; i < n; i++) {
			s += (s ^ i) >>> 1;
			s += (s ^ i * 12) >>> 2;
			s += (s ^ i * 19) >>> 3;
			s += (s ^ i * 26) >>> 4;
			s += (s ^ i * 33) >>> 5;
			s += (s ^ i * 40) >>> 1;
		}
		return s;
	}
	public int applyAsInt(int n) {
		return work5(n);
	}
}

class Gen6 implements IntUnaryOperator {
	static int work6(int n) {
		int s = 6;

		for (int i = 0; i < n; i++) {
			s += (s ^ i) >>> 1;
			s += (s ^ i * 13) >>> 2;
			s += (s ^ i * 20) >>> 3;
			s += (s ^ i * 27) >>> 4;
			s += (s ^ i * 34) >>> 5;
			s += (s ^ i * 41) >>> 1;
			s += (s ^ i * 48) >>> 2;
		}
		return s;
	}
	public int applyAsInt(int n) {
		return work6(n);
	}
}

class Gen7 implements IntUnaryOperator {
	static int work7(int n) {
		int s = 7;

		for (int i = 0; i < n; i++) {
			s += (s ^ i) >>> 1;
			s += (s ^ i * 14) >>> 2;
			s += (s ^ i * 21) >>> 3;
			s += (s ^ i * 28) >>> 4;
			s += (s ^ i * 35) >>> 5;
			s += (s ^ i * 42) >>> 1;
			s += (s ^ i * 49) >>> 2;
			s += (s ^ i * 56) >>> 3;
		}
		return s;
	}
	public int applyAsInt(int n) {
		return work7(n);
	}
}

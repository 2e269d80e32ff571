// SPDX-License-Identifier: GPL-3.0-or-later
// Code that comes and goes: rounds of a new class loader, one of eight classes loaded by it, its loop
// run hot, all of it dropped. The VM compiles each anew, soon where others' code lay. What ran when
// goes to stdout: WHICH BEGIN END, by CLOCK_MONOTONIC in nanoseconds.
import java.io.InputStream;
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

	static int sum;

	static void round(int which, long nanos, StringBuilder log) throws Exception {
		IntUnaryOperator work = (IntUnaryOperator) new Loader().make("Gen" + which)
			.getDeclaredConstructor().newInstance();
		long begin = System.nanoTime(), now;
		do {
			sum += work.applyAsInt(3000);
			now = System.nanoTime();
		} while (now - begin < nanos);
		log.append(which).append(' ').append(begin).append(' ').append(now).append('\n');
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

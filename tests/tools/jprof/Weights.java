// SPDX-License-Identifier: GPL-3.0-or-later
// Work of known weight: each phase goes on until its thread has used so much CPU time, by the
// thread's own clock, and prints what it used. "gc" is the VM's own work. With a number of rounds: the
// CPU time that they take, of this thread and of the process.
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.Deflater;

public class Weights {
	static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
	static final byte[] DATA = new byte[1 << 20];
	static final byte[] OUT = new byte[1 << 21];
	static volatile long sink;
	static Object[] live;

	static long interpreted() {
		long sum = 1;
		for (int i = 0; i < 200000; i++)
			sum = sum * 31 + (sum >>> 7 ^ i);
		return sum;
	}

	static long simple() {
		long sum = 1;
		for (int i = 0; i < 4000000; i++)
			sum = sum * 31 + (sum >>> 7 ^ i);
		return sum;
	}

	static long optimized() {
		long sum = 1;
		for (int i = 0; i < 8000000; i++)
			sum = sum * 31 + (sum >>> 7 ^ i);
		return sum;
	}

	static long inlined(long sum) {
		for (int i = 0; i < 400; i++)
			sum = sum * 33 + (sum >>> 9 ^ i);
		return sum;
	}

	static long outer() {
		long sum = 1;
		for (int i = 0; i < 10; i++)
			sum = inlined(sum);
		return sum;
	}

	static long many() {
		long sum = 0;
		for (int i = 0; i < 1000; i++)
			sum += outer();
		return sum;
	}

	static long compressed() {
		Deflater d = new Deflater(9);
		d.setInput(DATA);
		d.finish();
		long n = d.deflate(OUT);
		d.end();
		return n;
	}

	static long phase(int which) {
		switch (which) {
		case 0: return interpreted();
		case 1: return simple();
		case 2: return optimized();
		case 3: return many();
		default: return compressed();
		}
	}

	static final String[] NAMES = { "interpreted", "simple", "optimized", "many", "compressed" };

	static long run(int which, long ns) {
		long begin = THREADS.getCurrentThreadCpuTime(), now;
		do {
			sink += phase(which);
			now = THREADS.getCurrentThreadCpuTime();
		} while (now - begin < ns);
		return now - begin;
	}

	static void warm(long ns) {
		for (int which = 0; which < NAMES.length; which++)
			run(which, ns);
	}

	static final long[] USED = new long[NAMES.length];

	// Nothing but work between one phase and the next: a tick that is handled late is in their sum.
	static void measured(int which, long ns) {
		USED[which] = run(which, ns);
	}

	// The VM has other threads, which are at work as long as this lasts: more on a busy machine.
	static Path collector() throws IOException {
		try (DirectoryStream<Path> list = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
			for (Path thread : list)
				if (Files.readString(thread.resolve("comm")).equals("VM Thread\n"))
					return thread.resolve("schedstat");
		}
		throw new IOException("no VM Thread");
	}

	static long used(Path schedstat) throws IOException {
		return Long.parseLong(Files.readString(schedstat).split(" ")[0]);
	}

	static void collect(long ns) throws IOException {
		Path thread = collector();
		live = new Object[200000];
		for (int i = 0; i < live.length; i++)
			live[i] = new int[] { i };
		long begin = used(thread), now;
		do {
			System.gc();
			now = used(thread);
		} while (now - begin < ns);
		System.out.println("gc " + (now - begin));
	}

	static void rounds(int n) {
		com.sun.management.OperatingSystemMXBean process =
			(com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
		long all = process.getProcessCpuTime(), own = THREADS.getCurrentThreadCpuTime();
		for (int i = 0; i < n; i++)
			for (int which = 0; which < NAMES.length; which++)
				sink += phase(which);
		own = THREADS.getCurrentThreadCpuTime() - own;
		System.out.println("thread " + own + " process " + (process.getProcessCpuTime() - all));
	}

	public static void main(String[] args) throws IOException {
		long unit = Long.parseLong(args[0]) * 1000000;
		for (int i = 0; i < DATA.length; i++)
			DATA[i] = (byte) (i * 7 ^ i >> 5);
		// Compiled before it is measured.
		warm(unit / 4);
		if (args.length > 1) {
			rounds(3);
			rounds(Integer.parseInt(args[1]));
			return;
		}
		measured(0, unit);
		measured(1, 2 * unit);
		measured(2, 3 * unit);
		measured(3, 2 * unit);
		measured(4, unit);
		for (int which = 0; which < NAMES.length; which++)
			System.out.println(NAMES[which] + " " + USED[which]);
		collect(unit);
	}
}

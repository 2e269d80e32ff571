// SPDX-License-Identifier: GPL-3.0-or-later
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

// Virtual threads that park at the end of a deep recursion, again and again, and allocate on their way back:
// every other one has a name. The argument: for how many milliseconds of CPU time, as others may be at work on
// the machine, and at least 500 rounds: there, the collector's threads may use all of it while they wait for each other.
public class Thawed {
	static volatile Object kept;
	static volatile long sum;

	static void work() {
		for (int i = 0; i < 200; i++) {
			kept = new byte[1000 + i];
			sum += i;
		}
	}

	static void deep(int n) {
		if (n == 0)
			LockSupport.parkNanos(100_000);
		else
			deep(n - 1);
		work();
	}

	static volatile boolean done;
	static final AtomicInteger rounds = new AtomicInteger();

	static void repeat() {
		while (!done) {
			deep(20);
			rounds.incrementAndGet();
		}
	}

	public static void main(String[] words) throws Exception {
		var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
		long end = os.getProcessCpuTime() + Long.parseLong(words[0]) * 1_000_000;
		List<Thread> threads = new ArrayList<>();

		for (int i = 0; i < 200; i++) {
			Thread.Builder b = Thread.ofVirtual();
			threads.add((i % 2 == 0 ? b.name("worker-" + i) : b).start(Thawed::repeat));
		}
		while (os.getProcessCpuTime() < end || rounds.get() < 500)
			Thread.sleep(10);
		done = true;
		for (Thread t : threads)
			t.join();
		System.out.println("done " + rounds);
	}
}

// SPDX-License-Identifier: GPL-3.0-or-later
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

// Virtual threads that park at the end of a deep recursion, again and again, and allocate on their way back:
// every other one has a name. The argument: for how many milliseconds.
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

	static void repeat(long until) {
		while (System.nanoTime() < until)
			deep(20);
	}

	public static void main(String[] words) throws Exception {
		long until = System.nanoTime() + Long.parseLong(words[0]) * 1_000_000;
		List<Thread> threads = new ArrayList<>();

		for (int i = 0; i < 200; i++) {
			Thread.Builder b = Thread.ofVirtual();
			threads.add((i % 2 == 0 ? b.name("worker-" + i) : b).start(() -> repeat(until)));
		}
		for (Thread t : threads)
			t.join();
		System.out.println("done");
	}
}

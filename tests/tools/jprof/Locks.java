// SPDX-License-Identifier: GPL-3.0-or-later
/** Known contention: so many threads block, one after another, for known times. */
public class Locks {
	static final class Hot {}
	static final class Cold {}
	static final class Bell {}
	static final Object hot = new Hot(), cold = new Cold(), bell = new Bell();
	static volatile long sink;

	/** Returns when t blocks at a monitor. */
	static void blocked(Thread t) throws Exception {
		while (t.getState() != Thread.State.BLOCKED)
			Thread.sleep(1);
	}
	static final java.util.concurrent.atomic.AtomicLong waited = new java.util.concurrent.atomic.AtomicLong();
	static void enterHot() {
		long before = System.nanoTime();
		synchronized (hot) { waited.addAndGet(System.nanoTime() - before); }
	}

	/** n threads block at once; they are let in after ms. */
	static void contend(int n, int ms) throws Exception {
		Thread[] all = new Thread[n];
		synchronized (hot) {
			for (int i = 0; i < n; i++) {
				all[i] = new Thread(Locks::enterHot, "blocker " + i);
				all[i].start();
				blocked(all[i]);
			}
			long until = System.nanoTime() + ms * 1000000L;
			while (System.nanoTime() < until)
				Thread.sleep(1);
		}
		for (Thread t : all)
			t.join();
	}
	public static void main(String[] words) throws Exception {
		System.out.println("ready");
		if (words.length > 0)
			System.in.read();
		for (int i = 0; i < 5; i++)
			contend(3, 100);
		for (int i = 0; i < 1000; i++)
			synchronized (cold) { sink++; }
		for (int i = 0; i < 4; i++)
			synchronized (bell) { bell.wait(50); }
		System.out.println("done " + waited.get() / 1000);
		if (words.length > 0)
			System.in.read();
	}
}

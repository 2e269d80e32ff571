// SPDX-License-Identifier: GPL-3.0-or-later
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Monitors whose gets, recursion, contention and hold times are known; it measures the times itself. */
public class Gets {
	static class Plain {}
	static class Again {
		int n;
		synchronized int deep(int k) { return k == 0 ? 0 : 1 + deep(k - 1); }
	}
	static class Kept {
		long ns;
		synchronized void keep(int us) { long from = System.nanoTime(); spin(us); ns += System.nanoTime() - from; }
	}
	static class Shared { static synchronized void of(int us) { spin(us); } }
	static class Thrown {
		synchronized void method() { throw new IllegalStateException(); }
		void block() { synchronized (this) { throw new IllegalStateException(); } }
	}
	static class Hot {}
	static class Bell {}
	static class Late {}
	static class Many {}
	static class Overflow {
		int n;
		void deep() { synchronized (this) { n++; deep(); } }
	}
	static volatile long sink;

	static void spin(int us) {
		long until = System.nanoTime() + us * 1000L;
		while (System.nanoTime() < until)
			sink++;
	}
	static void blocked(Thread t, Thread.State state) throws Exception {
		while (t.getState() != state)
			Thread.sleep(1);
	}
	static final Hot hot = new Hot();
	static long hotNs, hotMain;

	/** Each of n threads holds it once, for ms; all have blocked at it first. */
	static void contend(int n, int ms) throws Exception {
		Thread[] all = new Thread[n];
		synchronized (hot) {
			long from = System.nanoTime();
			for (int i = 0; i < n; i++) {
				all[i] = new Thread(() -> {
					synchronized (hot) {
						long begin = System.nanoTime();
						spin(ms * 1000);
						hotNs += System.nanoTime() - begin;
					}
				});
				all[i].start();
				blocked(all[i], Thread.State.BLOCKED);
			}
			hotNs += System.nanoTime() - from;
		}
		for (Thread t : all)
			t.join();
	}
	/** A wait gives the monitor up; who notifies holds it for ms after that. */
	static long bellNs;
	static final Bell bell = new Bell();
	static void ring(int ms) throws Exception {
		Thread t = new Thread(() -> {
			try {
				synchronized (bell) {
					long from = System.nanoTime();
					spin(ms * 1000);
					bellNs += System.nanoTime() - from;
					bell.wait();
					from = System.nanoTime();
					spin(ms * 1000);
					bellNs += System.nanoTime() - from;
				}
			} catch (InterruptedException e) {
				throw new Error(e);
			}
		});
		t.start();
		blocked(t, Thread.State.WAITING);
		Thread.sleep(30); // it gives the monitor up just after it is seen to wait
		synchronized (bell) {
			long from = System.nanoTime();
			bell.notify();
			spin(2 * ms * 1000);
			bellNs += System.nanoTime() - from;
		}
		t.join();
	}
	static void lock(int n, int ms) throws Exception {
		ReentrantLock lock = new ReentrantLock();
		for (int i = 0; i < n; i++) {
			lock.lock();
			Thread t = new Thread(() -> { lock.lock(); lock.unlock(); });
			t.start();
			blocked(t, Thread.State.WAITING);
			Thread.sleep(ms);
			lock.unlock();
			t.join();
		}
	}
	static void all() throws Exception {
		Plain plain = new Plain();
		for (int i = 0; i < 20000; i++)
			synchronized (plain) { sink++; }
		Again again = new Again();
		for (int i = 0; i < 100; i++)
			again.deep(9);
		Kept kept = new Kept();
		for (int i = 0; i < 50; i++)
			kept.keep(2000);
		for (int i = 0; i < 30; i++)
			Shared.of(1000);
		Thrown thrown = new Thrown();
		for (int i = 0; i < 100; i++) {
			try { thrown.method(); } catch (IllegalStateException e) { sink++; }
			try { thrown.block(); } catch (IllegalStateException e) { sink++; }
		}
		for (int i = 0; i < 5; i++)
			contend(3, 20);
		for (int i = 0; i < 5; i++)
			ring(20);
		lock(4, 30);
		for (int i = 0; i < 3000; i++)
			synchronized (new Many()) { sink++; }
		Overflow overflow = new Overflow();
		try { overflow.deep(); } catch (StackOverflowError e) { sink++; }
		synchronized (overflow) { sink++; }
		Thread t = new Thread(() -> { synchronized (overflow) { sink++; } });
		t.start();
		t.join(10000);
		System.out.println("overflow " + (t.isAlive() ? "held" : "free"));
		System.out.println("kept " + kept.ns + "\nhot " + hotNs + "\nbell " + bellNs);
	}
	public static void main(String[] words) throws Exception {
		System.out.println("ready");
		if (words.length > 0)
			System.in.read();
		all();
		System.out.println("done");
		if (words.length > 0)
			System.in.read();
	}
}

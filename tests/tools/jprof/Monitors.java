// SPDX-License-Identifier: GPL-3.0-or-later
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

/** Every way to enter, leave and wait at a monitor or a lock, each at a class of its own, so many times. */
public class Monitors {
	static volatile long sink;
	static class Outer {}
	static class Inner {}
	static class Static {
		static synchronized int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
		static synchronized void fail() { throw new IllegalStateException(); }
	}
	static class Rethrown {
		void all() {
			try {
				synchronized (this) { throw new IllegalStateException(); }
			} catch (IllegalStateException e) {
				synchronized (this) { sink++; }
			} finally {
				synchronized (this) { sink++; }
			}
		}
	}
	static class Early {
		int leave(int n) {
			synchronized (this) {
				if (n == 0)
					return 1;
				for (int i = 0; ; i++) {
					if (i > n)
						break;
					if (i == 3)
						continue;
					sink++;
				}
			}
			return 2;
		}
	}
	static class Made { Made() { synchronized (this) { sink++; } } }
	static class Foreign {
		void both() throws InterruptedException {
			try { notify(); } catch (IllegalMonitorStateException e) { sink++; }
			try { wait(); } catch (IllegalMonitorStateException e) { sink++; }
		}
	}
	static class Timed {}
	static class Twice {}
	static class Woken {}
	static Object none;

	static void blocked(Thread t) throws Exception {
		while (t.getState() != Thread.State.WAITING)
			Thread.sleep(1);
		Thread.sleep(20); // it gives a monitor up just after it is seen to wait
	}
	static void wait(Object o) {
		try { o.wait(); } catch (InterruptedException e) { sink++; }
	}
	interface Code { void run() throws Exception; }
	/** t parks in one; 30 ms later the other ends that. */
	static void parks(Code one, Code other) throws Exception {
		Thread t = new Thread(() -> { try { one.run(); } catch (Exception e) { throw new Error(e); } });
		t.start();
		blocked(t);
		Thread.sleep(30);
		other.run();
		t.join();
	}
	static void monitors() throws Exception {
		Outer outer = new Outer();
		Inner inner = new Inner();
		for (int i = 0; i < 100; i++)
			synchronized (outer) { synchronized (inner) { synchronized (outer) { sink++; } } }
		for (int i = 0; i < 10; i++)
			Static.deep(4);
		for (int i = 0; i < 10; i++)
			try { Static.fail(); } catch (IllegalStateException e) { sink++; }
		Rethrown rethrown = new Rethrown();
		for (int i = 0; i < 50; i++)
			rethrown.all();
		Early early = new Early();
		for (int i = 0; i < 40; i++)
			early.leave(i % 2 == 0 ? 0 : 5);
		for (int i = 0; i < 20; i++)
			new Made();
		new Foreign().both();
		for (int i = 0; i < 7; i++)
			try { synchronized (none) { sink++; } } catch (NullPointerException e) { sink++; }
		Timed timed = new Timed();
		for (int i = 0; i < 3; i++)
			synchronized (timed) { timed.wait(10); }
		Twice twice = new Twice();
		Thread t = new Thread(() -> { synchronized (twice) { synchronized (twice) { wait(twice); } } });
		t.start();
		blocked(t);
		synchronized (twice) { twice.notifyAll(); }
		t.join();
		Woken woken = new Woken();
		t = new Thread(() -> { synchronized (woken) { wait(woken); } });
		t.start();
		blocked(t);
		t.interrupt();
		t.join();
	}
	static void locks() throws Exception {
		ReentrantLock lock = new ReentrantLock(true);
		lock.lock();
		Thread t = new Thread(() -> {
			try {
				if (lock.tryLock() || lock.tryLock(50, TimeUnit.MILLISECONDS))
					throw new Error("the lock is free");
			} catch (InterruptedException e) {
				throw new Error(e);
			}
		});
		t.start();
		t.join();
		lock.unlock();
		ReentrantReadWriteLock both = new ReentrantReadWriteLock();
		both.writeLock().lock();
		parks(() -> { both.readLock().lock(); both.readLock().unlock(); }, both.writeLock()::unlock);
		both.readLock().lock();
		parks(() -> { both.writeLock().lock(); both.writeLock().unlock(); }, both.readLock()::unlock);
		Condition condition = lock.newCondition();
		parks(() -> { lock.lock(); condition.await(); lock.unlock(); },
			() -> { lock.lock(); condition.signal(); lock.unlock(); });
		parks(() -> { lock.lock(); condition.awaitUninterruptibly(); lock.unlock(); },
			() -> { lock.lock(); condition.signal(); lock.unlock(); });
		SynchronousQueue<Object> queue = new SynchronousQueue<>();
		parks(queue::take, () -> queue.put(lock));
		Semaphore semaphore = new Semaphore(0);
		parks(semaphore::acquire, semaphore::release);
		CountDownLatch latch = new CountDownLatch(1);
		parks(latch::await, latch::countDown);
		StampedLock stamped = new StampedLock();
		long stamp = stamped.writeLock();
		parks(() -> stamped.unlockRead(stamped.readLock()), () -> stamped.unlockWrite(stamp));
		/* Nobody set a blocker: it is no row. */
		Thread free = new Thread(LockSupport::park);
		free.start();
		blocked(free);
		LockSupport.unpark(free);
		free.join();
	}
	public static void main(String[] words) throws Exception {
		monitors();
		locks();
		System.out.println("done " + sink);
	}
}

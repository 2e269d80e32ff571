/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/**
 * What each thread really used: metrics are chosen once, threads are added, and each reads its own values at
 * any time, without what interrupts took of it. See PttInit(3).
 */
public final class Ptt {
	private Ptt() {
	}

	static {
		Native.load();
	}

	/** Metrics at a time, at most. */
	public static final int PTT_METRICS = 8;
	/** Code that events count: {@link #PttInit}. */
	public static final int TRACE_PRIV_ANY = 0;
	public static final int TRACE_PRIV_USER = 1;
	public static final int TRACE_PRIV_KERNEL = 2;

	/** Before {@link #PttInit}: the maximum of threads at a time; default 256. */
	public static native int PttSetThreads(int most);

	/** Interrupts are charged to the interrupted thread, or (0, the default) counted apart. */
	public static native int PttSetCharge(int charged);

	/**
	 * Metrics by name: "tsc" is the machine's counter, others are events: "instructions", "page-faults",
	 * "cache-misses:u".
	 */
	public static int PttInit(String[] metrics, int priv) {
		return init(Native.bytes(metrics), priv);
	}

	/** Ends PTT. */
	public static native int PttTerminate();

	/** Adds a thread by the kernel's number, also one of another process; 0: this one. */
	public static native int PttInitThread(int tid);

	public static native int PttUninitThread(int tid);

	/**
	 * Reads the calling thread's own metrics, since it was added, into as many places as there are: room for
	 * {@link #PTT_METRICS} is enough for all. Never decreases.
	 */
	public static native int PttGetMetricData(long[] values);

	/**
	 * The calling thread's first metric, or a negative code. With the module and "tsc" as that metric it is read
	 * without a system call.
	 */
	public static native long PttReadInline();

	/** Reads another thread that was added, or this one (0), as of now. */
	public static native int PttGetThreadData(int tid, PttThreadData data);

	public static native int PttGetInfo(PttInfo info);

	/** A span's begin, with what PTT has counted for the calling thread: {@link Trace#TraceSpanBegin}. */
	public static int PttSpanBegin(String name, long id) {
		return Trace.TraceEnabled(Trace.PITRACE_HOOKIT, 0) ? span(0, Native.bytes(name), id) :
			Codes.TRACE_NOBODY;
	}

	public static int PttSpanEnd(String name, long id) {
		return Trace.TraceEnabled(Trace.PITRACE_HOOKIT, 0x80) ? span(0x80, Native.bytes(name), id) :
			Codes.TRACE_NOBODY;
	}

	private static native int init(byte[][] metrics, int priv);

	private static native int span(int minor, byte[] name, long id);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/**
 * Traces what threads execute, branch by branch. First configure what is traced; {@link #ITraceOn} starts the
 * trace, in the session that {@link Trace#TraceInit} has created or in one of its own. The settings apply to
 * the whole process.
 */
public final class ITrace {
	private ITrace() {
	}

	static {
		Native.load();
	}

	/** User code; the default. */
	public static final int ITRACE_USER = 0x01;
	/** Kernel code on behalf of the threads: the driver only. */
	public static final int ITRACE_KERNEL = 0x02;
	/** Also processes that traced ones create. */
	public static final int ITRACE_FOLLOW = 0x04;
	/** Drop records instead of waiting when the file cannot keep up. */
	public static final int ITRACE_LOSSY = 0x08;
	/** A record of each instruction. */
	public static final int ITRACE_STEPS = 0x10;
	/** Also of loads and stores, where supported. */
	public static final int ITRACE_LOAD_STORE = 0x20;
	/** Do not trace threads that a traced one creates. */
	public static final int ITRACE_NO_THREADS = 0x40;

	/** Call it before the others, once until {@link #ITraceTerminate}. This process is traced by default. */
	public static native int ITraceInit(int flags);

	/** Ends the trace; also a session that {@link #ITraceOn} started. */
	public static native int ITraceTerminate();

	/** Traces all threads that the session may trace. The last choice of a scope counts. */
	public static native int ITraceEnableAll();

	/** Traces the calling thread. */
	public static native int ITraceEnableCurrent();

	public static native int ITraceEnablePid(int pid);

	/** Traces processes with this pid or a higher one. */
	public static native int ITraceEnableGreater(int pid);

	public static native int ITraceEnableRange(int first, int last);

	/** Traces these processes. */
	public static native int ITraceEnableList(int... pids);

	/** Traces these threads, by the kernel's numbers. */
	public static native int ITraceEnableThreads(int... tids);

	/** Sets how many instructions of each thread to skip at first. */
	public static native int ITraceSetSkipCount(long count);

	/** Sets how many instructions to record, after which a thread runs untraced; 0: no limit. */
	public static native int ITraceSetLimit(long count);

	/**
	 * Each thread's trace begins where this byte of this file is executed; file null: an address of memory; both
	 * 0: anywhere.
	 */
	public static int ITraceSetFrom(String file, long offset) {
		return setFrom(Native.bytes(file), offset);
	}

	/** Each thread's trace ends where this byte of this file is executed. */
	public static int ITraceSetUntil(String file, long offset) {
		return setUntil(Native.bytes(file), offset);
	}

	/** Configures the session, which must be off, so that {@link Trace#TraceOn} traces. */
	public static native int ITraceInstall();

	/** Begins, or continues after {@link #ITraceOff}: a program may switch frequently. */
	public static native int ITraceOn();

	public static native int ITraceOff();

	private static native int setFrom(byte[] file, long offset);

	private static native int setUntil(byte[] file, long offset);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/** The metrics of a thread: struct ptt_thread_data. */
public final class PttThreadData {
	public int pid;
	public int tid;
	/** 1: the thread has exited. */
	public int ended;
	/** Number of metrics. */
	public int metrics;
	/** While it ran. */
	public long dispatches;
	public long interrupts;
	public long[] value;
	/** Taken by interrupts; not included in value. */
	public long[] interrupt;
	public String name;
	/** Number of threads that had this slot. */
	public long generation;
}

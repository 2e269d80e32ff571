/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/** The state of the session: struct trace_info, see TraceGetInfo(3). */
public final class TraceInfo {
	public int state;
	public int mode;
	public int scope;
	/** The pid of the scope. */
	public int pid;
	public int rate;
	public int dither;
	/** CPUs with buffers. */
	public int ncpus;
	public int stop_cpu;
	public int stop_ring;
	public int stop_pid;
	public int stop_signal;
	public int stopped;
	/** errno of the first write that failed, 0 none. */
	public int file_error;
	public int driver_have;
	public int driver_missing;
	public int clock;
	/** Pid of the process that holds the session. */
	public int holder;
	/** Number of rotated files. */
	public int files;
	public long mte_bytes;
	public long trace_bytes;
	public long segment_bytes;
	public long interval;
	public long ticks;
	public long idle_ticks;
	public long late;
	/** Lost records by kind: {@link Trace#TraceLostName}. */
	public long[] lost;
	public long written;
	public long records;
	/** Records lost because the file could not be written. */
	public long unwritten;
	public long got;
	public long got_records;
	/** Bits of the enabled majors. */
	public long[] majors;
	/** Bits of the majors that the collector can record here. */
	public long[] available;
	public String collector;
	/** The records that the collector does not write, or "". */
	public String note;
	public String file;
	public String got_file;
	public long instructions;
	public long branches;
	public long waits;
	public long waited;
	public long taken;
	public String sampler;
	public long refused;
	public String refused_names;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/** An event that {@link Trace#TraceFindEvents} has found: struct pitrace_event_args. */
public final class TraceEventArgs {
	/** The kernel's type of the event (perf_event_open(2)). */
	public int type;
	public long config;
	public long config1;
	public long config2;
	/** Events per sample; 0: by frequency. */
	public long period;
	public int flags;
	public String name;
}

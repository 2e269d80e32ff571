/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

/** The metrics that PTT counts, and its collector: struct ptt_info. */
public final class PttInfo {
	/** Number of metrics. */
	public int metrics;
	/** Maximum of threads. */
	public int threads;
	/** 1: interrupts are counted separately; 0: they are included in the values. */
	public int apart;
	/** 1: {@link Ptt#PttGetMetricData} makes no system call. */
	public int fast;
	/** "driver", "perf". */
	public String collector;
	public String[] metric;
	/** "cycles", "ns", "events". */
	public String[] unit;
	/** The data that the collector cannot report, and why; or "". */
	public String note;
}

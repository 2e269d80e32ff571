// SPDX-License-Identifier: GPL-3.0-or-later
import pitrace.jperf.*;

/** JPerfLoop TURNS [ptt]: traces its own loop, once that is compiled; and reads what PTT has of it. */
public class JPerfLoop {
	static int spin(int turns) {
		int sum = 0;

		for (int i = 0; i < turns; i++)
			sum = sum * 31 + i;
		return sum;
	}

	static void must(int rc) {
		if (rc < 0)
			throw new IllegalStateException(Trace.RcToString(rc) + ": " + Trace.TraceLastError());
	}

	public static void main(String[] args) {
		int sum = 0, turns = Integer.parseInt(args[0]);

		for (int i = 0; i < 2000; i++)
			sum += spin(100);
		must(Trace.TraceSetName("loop.nrm2"));
		must(ITrace.ITraceInit(ITrace.ITRACE_USER));
		must(ITrace.ITraceEnableCurrent());
		must(ITrace.ITraceOn());
		sum += spin(turns);
		must(ITrace.ITraceOff());
		must(Trace.TraceWriteBufferToFile(null));
		must(ITrace.ITraceTerminate());

		if (args.length > 1)
			sum += ptt();
		System.out.println("sum " + sum);
	}

	static int ptt() {
		must(Ptt.PttInit(new String[] { "tsc" }, Ptt.TRACE_PRIV_ANY));
		must(Ptt.PttInitThread(0));
		var info = new PttInfo();
		must(Ptt.PttGetInfo(info));
		long first = Ptt.PttReadInline();
		int sum = spin(100000);
		long second = Ptt.PttReadInline();
		must(Ptt.PttTerminate());
		System.out.println("ptt " + info.collector + " " + info.fast + " " + (second - first));
		return sum;
	}
}

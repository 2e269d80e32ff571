// SPDX-License-Identifier: GPL-3.0-or-later
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.TreeSet;
import pitrace.jperf.*;

/** Called by test_jperf.sh from Java: prints results, one per line. */
public class JPerfCalls {
	static void is(String name, Object value) {
		System.out.println(name + " " + value);
	}

	static void rc(String name, int rc) {
		is(name, rc < 0 ? Trace.RcToString(rc) + ": " + Trace.TraceLastError() : String.valueOf(rc));
	}

	// Every constant, as "NAME VALUE".
	static void constants() throws Exception {
		for (Class<?> c : new Class<?>[] { Codes.class, Trace.class, ITrace.class, Ptt.class, TraceCheck.class })
			for (var f : c.getFields())
				if (Modifier.isStatic(f.getModifiers()))
					is(f.getName(), f.getInt(null));
	}

	static void methods() {
		var names = new TreeSet<String>();

		for (Class<?> c : new Class<?>[] { Trace.class, ITrace.class, Ptt.class, Cycles.class })
			for (Method m : c.getDeclaredMethods())
				if (Modifier.isPublic(m.getModifiers()))
					names.add(m.getName());
		names.forEach(System.out::println);
	}

	static void fields(String name) throws Exception {
		for (var f : Class.forName("pitrace.jperf." + name).getDeclaredFields())
			if (!Modifier.isStatic(f.getModifiers()))
				System.out.println(f.getName());
	}

	static void session(String file) throws Exception {
		long pid = ProcessHandle.current().pid();
		var info = new TraceInfo();

		rc("name", Trace.TraceSetName(file));
		rc("scope", Trace.TraceSetScope(Trace.TRACE_PROCESS, (int)pid));
		is("nobody", Trace.TraceHook(0, Trace.PITRACE_USER_FIRST, 1, 1L));
		is("early", Trace.TraceOn());
		rc("init", Trace.TraceInit(0));
		is("active", Trace.IsTraceActive());
		rc("rate", Trace.SetProfilerRate(500));
		rc("tprof", Trace.TraceEnable(Trace.PITRACE_TPROF));
		rc("hookit", Trace.TraceEnable(Trace.PITRACE_HOOKIT));
		rc("user", Trace.TraceEnable(Trace.PITRACE_USER_FIRST));
		rc("named", Trace.TraceEnable(Trace.PITRACE_NAMED));
		is("queried", Trace.TraceQueryMajor(Trace.PITRACE_USER_FIRST) + " " + Trace.TraceQueryMajor(0xFF));
		rc("on", Trace.TraceOn());
		is("is_on", Trace.IsTraceOn() + " " + Trace.IsContMode() + " " + Trace.IsWrapMode());
		is("enabled", Trace.TraceEnabled(Trace.PITRACE_USER_FIRST, 0) + " " + Trace.TraceEnabled(0xFE, 0));
		records();
		busy(500);
		rc("suspend", Trace.TraceSuspend());
		rc("resume", Trace.TraceResume());
		rc("info", Trace.TraceGetInfo(info));
		is("interval", info.interval + " " + Trace.TraceGetIntervalId());
		is("file", info.file.endsWith(file) && Trace.TraceGetName().endsWith(file));
		is("holder", info.holder > 1 && info.holder != pid);
		is("lost", Arrays.stream(info.lost).sum());
		is("pid", info.pid == pid);
		is("majors", Long.toHexString(info.majors[3]));
		rc("off", Trace.TraceOff());
		rc("written", Trace.TraceWriteBufferToFile(null));
		rc("end", Trace.TraceTerminate());
		is("over", Trace.IsTraceActive());
	}

	static void records() throws Exception {
		int order = Trace.TraceEventNew("order_done", "number:u64,amount:u64:cents,who:str,ok:bool");
		Thread other;

		for (int i = 0; i < 1000; i++)
			Trace.TraceHook(0, Trace.PITRACE_USER_FIRST, 7, i, 2L * i);
		Trace.TraceHook(0, Trace.PITRACE_USER_FIRST, 8, 77);
		rc("hook", Trace.TraceHook(0, Trace.PITRACE_USER_FIRST, 9, new long[] { 1, -2 },
			new String[] { "gr\u00fc\u00df", "a\0b" }));
		is("declared", order > 0);
		rc("event", Trace.TraceEventWrite(order, new long[] { 4711, 250, 1 }, new String[] { "me" }));
		rc("few_values", Trace.TraceEventWrite(order, new long[] { 4711, 250 }, new String[] { "me" }));
		rc("few_strings", Trace.TraceEventWrite(order, new long[] { 4711, 250, 1 }, null));
		rc("undeclared", Trace.TraceEventWrite(order + 1, new long[9], new String[] { "" }));
		rc("thread", Trace.TraceThreadName("the main one"));
		Trace.TraceSpanBegin("moved", 42);
		try (Span span = new Span("request", 1)) {
			busy(20);
		}
		other = new Thread(() -> Trace.TraceSpanEnd("moved", 42));
		other.start();
		other.join();
	}

	static volatile double sum;

	static void busy(int ms) {
		for (long end = System.nanoTime() + ms * 1000000L; System.nanoTime() < end;)
			for (int i = 0; i < 1000; i++)
				sum += Math.sqrt(i);
	}

	static void ptt(String metric) throws Exception {
		var threads = java.lang.management.ManagementFactory.getThreadMXBean();
		var values = new long[Ptt.PTT_METRICS];
		var info = new PttInfo();
		var data = new PttThreadData();

		is("early", Ptt.PttGetMetricData(values));
		is("twice", Ptt.PttInit(new String[] { metric, metric }, Ptt.TRACE_PRIV_ANY));
		is("many", Ptt.PttInit(new String[] { "a", "b", "c", "d", "e", "f", "g", "h", "i" }, 0));
		rc("threads", Ptt.PttSetThreads(64));
		rc("init", Ptt.PttInit(new String[] { metric, "context-switches" }, Ptt.TRACE_PRIV_ANY));
		rc("add", Ptt.PttInitThread(0));
		rc("info", Ptt.PttGetInfo(info));
		is("metrics", info.metrics + " " + info.metric[0] + " " + info.metric[1] + " " + info.threads);
		rc("first", Ptt.PttGetMetricData(values));
		long first = values[0], read = Ptt.PttReadInline(), cpu = threads.getCurrentThreadCpuTime();
		busy(100);
		// A busy machine leaves it little of that.
		while (threads.getCurrentThreadCpuTime() - cpu < 5000000)
			busy(1);
		rc("second", Ptt.PttGetMetricData(values));
		is("grew", first <= read && read < values[0]);
		// Some 100 ms that the thread was to run at most.
		is("plausible", values[0] - first > 1000000 && values[0] - first < 300000000L);
		var one = new long[1];
		rc("one", Ptt.PttGetMetricData(one));
		is("one_grew", one[0] >= values[0]);
		is("none", Ptt.PttGetMetricData(new long[0]) + " " + Ptt.PttGetMetricData(null));
		rc("data", Ptt.PttGetThreadData(0, data));
		is("own", data.pid == ProcessHandle.current().pid() && data.metrics == 2 && data.value.length == 8 &&
			data.value[0] >= one[0]);
		rc("remove", Ptt.PttUninitThread(0));
		rc("end", Ptt.PttTerminate());
	}

	static void cycles() throws Exception {
		long begin = Cycles.ReadCycles(), was = System.nanoTime();

		Thread.sleep(200);
		long cycles = Cycles.ReadCycles() - begin, ns = System.nanoTime() - was;
		is("rate", Cycles.CyclesPerSecond() > 1e6);
		is("seconds", Math.abs(Cycles.CyclesToSeconds(cycles) * 1e9 / ns - 1) < 0.02);
		is("units", Math.round(Cycles.CyclesToMilliseconds(cycles) / Cycles.CyclesToSeconds(cycles)) + " " +
			Math.round(Cycles.CyclesToMicroseconds(cycles) / Cycles.CyclesToSeconds(cycles)));
		is("grows", Cycles.GetCycles() >= begin);
	}

	// Invalid calls: each returns a code, whatever the arguments are.
	static void wrong() {
		var big = new String[0x5000];

		Arrays.fill(big, "x");
		is("nul", Trace.RcToString(Trace.TraceSetName("a\0b")));
		is("long", Trace.RcToString(Trace.TraceSetName("x".repeat(100000))));
		is("default", Trace.TraceSetName(null));
		is("collector", Trace.RcToString(Trace.TraceSetCollector("nosuch")));
		is("info", Trace.RcToString(Trace.TraceGetInfo(null)));
		is("ints", Trace.RcToString(Trace.TraceHook(0, 0xD0, 1, new long[100000], null)));
		is("strs", Trace.TraceHook(0, 0xD0, 1, null, big));
		is("major", Trace.RcToString(Trace.TraceHook(0, 0x11, 1, 1)));
		is("ptt", Trace.RcToString(Ptt.PttInit(null, 0)));
		is("ptt_null", Trace.RcToString(Ptt.PttInit(new String[] { null }, 0)));
		is("ptt_nul", Trace.RcToString(Ptt.PttInit(new String[] { "tsc\0" }, 0)));
		is("list", Trace.RcToString(ITrace.ITraceEnableList((int[])null)));
		is("before", Trace.RcToString(ITrace.ITraceEnableList()));
		is("event", Trace.RcToString(Trace.TraceEventNew("a b", "")));
		is("event_null", Trace.RcToString(Trace.TraceEventNew(null, null)));
		is("ids", Trace.RcToString(Trace.TraceEventWrite(0, null, null)) + ", " +
			Trace.TraceEventWrite(-1, null, null) + ", " + Trace.TraceEventWrite(1 << 30, null, null));
		is("found", Trace.RcToString(Trace.TraceFindEvents(null, 0, 0, 0, null)));
		is("has", Trace.TraceCollectorHas(null, 0) + " " + Trace.TraceCollectorUse(null) + " " +
			Trace.TraceCollectorName(-1) + " " + Trace.TraceCollectorName(99));
		is("can", Trace.TraceCanCount(null) + " " + Trace.TraceCanCount(new TraceEventArgs()));
		is("span", Trace.TraceSpanBegin(null, 1));
		is("span_twice", twice());
		Trace.TraceListEvents(null);
		try {
			Trace.TraceListEvents((source, name, what) -> { throw new IllegalStateException(name); });
		} catch (IllegalStateException e) {
			is("thrown", e.getMessage().length() > 0);
		}
	}

	static String twice() {
		Span span = new Span("x", 1);

		span.close();
		span.close();
		return "ok";
	}

	static void lists() {
		var events = new TreeSet<String>();
		var args = new TraceEventArgs[4];
		var checks = new TraceCheck[8];

		Trace.TraceListEvents((source, name, what) -> events.add(name));
		is("events", events.contains("page-faults") && events.contains("cpu-clock"));
		is("found", Trace.TraceFindEvents("page-faults,cpu-clock", 100, 0, 0, args));
		is("args", args[0].name + " " + args[0].type + " " + args[0].config + " " + args[0].period + " " +
			args[1].name + " " + args[2]);
		is("can", Trace.TraceCanCount(args[0]));
		int n = Trace.TraceCheck(Trace.TRACE_PROCESS, 0, checks);
		is("checks", n + " " + checks[0].name + " " + (checks[n - 1].what.length() > 0) + " " + checks[n]);
		for (int i = 0; Trace.TraceCollectorName(i) != null; i++)
			is("collector", Trace.TraceCollectorName(i) + " " +
				Trace.TraceCollectorUse(Trace.TraceCollectorName(i)));
		is("major", Trace.TraceMajorName(0x12) + " " + Trace.TraceMajorName(-1));
		is("lost", Trace.TraceLostName(0).length() > 0);
	}

	public static void main(String[] args) throws Exception {
		switch (args[0]) {
		case "constants": constants(); break;
		case "methods": methods(); break;
		case "fields": fields(args[1]); break;
		case "session": session(args[1]); break;
		case "ptt": ptt(args[1]); break;
		case "cycles": cycles(); break;
		case "wrong": wrong(); break;
		case "lists": lists(); break;
		default: System.exit(2);
		}
	}
}

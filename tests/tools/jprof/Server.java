// SPDX-License-Identifier: GPL-3.0-or-later
// A server as they are in production, of the JDK's own parts: com.sun.net.httpserver with a pool of threads, or,
// with the argument "virtual", a virtual thread for each request. A request is a JSON document: it is parsed,
// merged into documents that are kept, sorted, searched by regular expressions, compressed and written. Each
// 40th is handled by classes of a new class loader, so that code is compiled and dropped all the time. Ends
// when it has used so many milliseconds of CPU time.
// With the argument "ask" it is the client instead: as many threads as it is told send requests to a port until
// the server is done.
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.*;

public class Server {
	static class Json {
		final String text;
		int at;
		Json(String text) { this.text = text; }
		Object value() {
			switch (text.charAt(at)) {
			case '{': return object();
			case '[': return array();
			case '"': return string();
			default: return number();
			}
		}
		Map<String, Object> object() {
			Map<String, Object> m = new TreeMap<>();
			while (text.charAt(at++) != '}' && text.charAt(at) != '}') {
				String key = string();
				at++;
				m.put(key, value());
			}
			return m;
		}
		List<Object> array() {
			List<Object> l = new ArrayList<>();
			while (text.charAt(at++) != ']' && text.charAt(at) != ']') l.add(value());
			return l;
		}
		String string() {
			int from = ++at;
			while (text.charAt(at) != '"') at++;
			return text.substring(from, at++);
		}
		Long number() {
			int from = at;
			while (at < text.length() && Character.isDigit(text.charAt(at))) at++;
			return Long.parseLong(text.substring(from, at));
		}
		static void write(StringBuilder to, Object v) {
			if (v instanceof Map<?, ?> m) {
				String before = "{";
				for (Map.Entry<?, ?> e : m.entrySet()) {
					to.append(before).append('"').append(e.getKey()).append("\":");
					write(to, e.getValue());
					before = ",";
				}
				to.append(m.isEmpty() ? "{}" : "}");
			} else if (v instanceof List<?> l) {
				String before = "[";
				for (Object o : l) {
					to.append(before);
					write(to, o);
					before = ",";
				}
				to.append(l.isEmpty() ? "[]" : "]");
			} else if (v instanceof String s) {
				to.append('"').append(s).append('"');
			} else {
				to.append(v);
			}
		}
	}

	public static final Map<Long, Object> kept = new ConcurrentHashMap<>();
	static final AtomicLong asked = new AtomicLong(), failed = new AtomicLong();

	public static class Work implements java.util.function.Function<String, byte[]> {
		static final Pattern word = Pattern.compile("\"(name|city)([0-9]+)\":\"([a-z]+)\"");
		public byte[] apply(String text) {
			@SuppressWarnings("unchecked") Map<String, Object> o = (Map<String, Object>)new Json(text).value();
			StringBuilder to = new StringBuilder();
			Matcher m = word.matcher(text);
			Map<String, Integer> found = new HashMap<>();
			while (m.find()) found.merge(m.group(3), 1, Integer::sum);
			List<?> list = (List<?>)o.get("list");
			o.put("sum", list.stream().mapToLong(x -> (Long)x).sum());
			o.put("sorted", list.stream().map(x -> (Long)x).sorted(Comparator.reverseOrder()).collect(Collectors.toList()));
			o.put("words", new TreeMap<>(found));
			kept.put((Long)o.get("id") % 500, o);
			Json.write(to, o);
			try (ByteArrayOutputStream bytes = new ByteArrayOutputStream()) {
				try (OutputStream z = new GZIPOutputStream(bytes)) { z.write(to.toString().getBytes(StandardCharsets.UTF_8)); }
				return bytes.toByteArray();
			} catch (IOException e) {
				throw new UncheckedIOException(e);
			}
		}
	}
	// Defines Work and what it needs anew.
	static class Again extends ClassLoader {
		Again() { super(Server.class.getClassLoader()); }
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.equals("Server$Work") && !name.equals("Server$Json")) return super.loadClass(name, resolve);
			Class<?> known = findLoadedClass(name);
			if (known != null) return known;
			try (InputStream in = Server.class.getResourceAsStream("/" + name + ".class")) {
				byte[] b = in.readAllBytes();
				return defineClass(name, b, 0, b.length);
			} catch (IOException e) {
				throw new ClassNotFoundException(name, e);
			}
		}
	}
	@SuppressWarnings("unchecked")
	static java.util.function.Function<String, byte[]> worker(long n) throws Exception {
		if (n % 40 != 0) return new Work();
		return (java.util.function.Function<String, byte[]>)new Again().loadClass("Server$Work").getConstructor().newInstance();
	}
	static final com.sun.management.OperatingSystemMXBean os =
		(com.sun.management.OperatingSystemMXBean)java.lang.management.ManagementFactory.getOperatingSystemMXBean();
	static long most;
	static final CountDownLatch done = new CountDownLatch(1);

	static void handle(HttpExchange x) throws IOException {
		byte[] out;
		int code = 200;
		try {
			String text = new String(x.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
			out = worker(asked.incrementAndGet()).apply(text);
		} catch (Throwable e) {
			failed.incrementAndGet();
			out = e.toString().getBytes();
			code = 500;
		}
		if (os.getProcessCpuTime() > most * 1_000_000) {
			code = 503;
			done.countDown();
		}
		x.sendResponseHeaders(code, out.length);
		try (OutputStream to = x.getResponseBody()) { to.write(out); }
	}
	static ExecutorService pool(boolean virtual) throws Exception {
		if (!virtual) return Executors.newFixedThreadPool(8);
		return (ExecutorService)Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
	}
	static void serve(String how) throws Exception {
		HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 100);
		ExecutorService pool = pool(how.equals("virtual"));
		server.createContext("/", Server::handle);
		server.setExecutor(pool);
		server.start();
		System.out.println("port " + server.getAddress().getPort());
		System.out.flush();
		if (!done.await(100, TimeUnit.SECONDS)) failed.incrementAndGet();
		server.stop(1);
		pool.shutdownNow();
		System.out.println("asked " + asked + " failed " + failed);
		System.exit(failed.get() == 0 ? 0 : 1);
	}

	static String document(Random r, int id) {
		StringBuilder to = new StringBuilder("{\"id\":" + id);
		for (int i = 0; i < 40; i++) {
			to.append(",\"").append(i % 2 == 0 ? "name" : "city").append(i).append("\":\"");
			for (int n = 3 + r.nextInt(10); n > 0; n--) to.append((char)('a' + r.nextInt(26)));
			to.append('"');
		}
		to.append(",\"list\":[").append(r.ints(300, 0, 1000000).mapToObj(Integer::toString).collect(Collectors.joining(","))).append("]}");
		return to.toString();
	}
	// Returns the answer's code.
	static int ask(int port, String path, byte[] text) throws IOException {
		HttpURLConnection c = (HttpURLConnection)URI.create("http://127.0.0.1:" + port + path).toURL().openConnection(Proxy.NO_PROXY);
		if (text != null) {
			c.setDoOutput(true);
			try (OutputStream to = c.getOutputStream()) { to.write(text); }
		}
		int code = c.getResponseCode();
		try (InputStream in = code < 400 ? c.getInputStream() : c.getErrorStream()) { if (in != null) in.readAllBytes(); }
		return code;
	}
	// The path "/" asks for work until the server is done, others for so many files.
	static void load(int port, int threads, String path, int times) throws Exception {
		ExecutorService clients = Executors.newFixedThreadPool(threads);
		AtomicInteger answers = new AtomicInteger();
		for (int t = 0; t < threads; t++) {
			int first = t;
			clients.submit(() -> {
				Random r = new Random(first);
				try {
					for (int n = 0; n < times; n++) {
						int code = ask(port, path, path.equals("/") ? document(r, n * threads + first).getBytes() : null);
						if (code != 200) break;
						answers.incrementAndGet();
					}
				} catch (IOException e) {
					// The server has ended.
				}
			});
		}
		clients.shutdown();
		clients.awaitTermination(300, TimeUnit.SECONDS);
		System.out.println(answers + " answers");
	}
	public static void main(String[] args) throws Exception {
		if (args[0].equals("ask")) {
			load(Integer.parseInt(args[1]), Integer.parseInt(args[2]), args[3], Integer.parseInt(args[4]));
			return;
		}
		most = Long.parseLong(args[1]);
		serve(args[0]);
	}
}

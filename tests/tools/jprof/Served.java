// SPDX-License-Identifier: GPL-3.0-or-later
// The JDK's HTTP server under load: 24 threads answer what 24 clients ask, each with a recursion of its
// own depth; some answers are thrown, some overflow the stack, unless it has an argument. Prints what was
// answered.
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Served {
	static final int CLIENTS = 24, REQUESTS = 40;
	static boolean shallow;
	static int depth(int n) { return n == 0 ? 0 : depth(n - 1) + 1; }
	static int endless(int n) { return endless(n + 1) + 1; }
	static int fails(int n) { if (n % 7 == 3) throw new IllegalStateException("no " + n); return n; }
	static String answer(int n) {
		try {
			if (n % 20 == 11 && !shallow)
				return "" + endless(n);
			return depth(shallow ? n % 100 : n % 100 * 20) + ":" + fails(n);
		} catch (IllegalStateException e) {
			return e.getMessage();
		} catch (StackOverflowError e) {
			return "deep";
		}
	}
	static void handle(HttpExchange x) throws IOException {
		byte[] text = answer(Integer.parseInt(x.getRequestURI().getPath().substring(1))).getBytes();
		x.sendResponseHeaders(200, text.length);
		try (OutputStream out = x.getResponseBody()) { out.write(text); }
	}
	static String ask(int port, int n) throws IOException {
		HttpURLConnection c = (HttpURLConnection)URI.create("http://127.0.0.1:" + port + "/" + n).toURL().openConnection(Proxy.NO_PROXY);
		try (InputStream in = c.getInputStream()) { return new String(in.readAllBytes()); }
	}
	public static void main(String[] args) throws Exception {
		shallow = args.length > 0;
		HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 100);
		ExecutorService pool = Executors.newFixedThreadPool(CLIENTS), clients = Executors.newFixedThreadPool(CLIENTS);
		AtomicInteger numbers = new AtomicInteger(), refused = new AtomicInteger(), deep = new AtomicInteger();
		server.createContext("/", Served::handle);
		server.setExecutor(pool);
		server.start();
		for (int c = 0; c < CLIENTS; c++) {
			int first = c * REQUESTS;
			clients.submit(() -> {
				for (int n = first; n < first + REQUESTS; n++) {
					String text = ask(server.getAddress().getPort(), n);
					(text.startsWith("no") ? refused : text.equals("deep") ? deep : numbers).incrementAndGet();
				}
				return null;
			});
		}
		clients.shutdown();
		clients.awaitTermination(300, TimeUnit.SECONDS);
		server.stop(0);
		pool.shutdown();
		pool.awaitTermination(60, TimeUnit.SECONDS);
		System.out.println(numbers + " " + refused + " " + deep);
	}
}

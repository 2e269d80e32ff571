/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A heap whose objects are known. Each line on its input is answered when it is done: "leak" keeps
 * more of what was planted, "dump FILE" has the VM write its heap. */
import java.io.*;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.*;
import java.util.*;
import java.util.stream.Stream;
import com.sun.management.HotSpotDiagnosticMXBean;

public class Heap {
	static class Node {
		long number;
		Node next;
		Object other;
		byte small;
	}
	static class Sub extends Node {
		short more;
		int last;
	}
	static class Planted {
		byte[] load = new byte[1000];
	}
	static final List<Object> kept = new ArrayList<>();
	static final Map<Integer, Planted> cache = new HashMap<>();
	static Object[] chain = new Object[3];

	/* All classes of a module: that many ways to lay out what is static. */
	static void load(String module) throws IOException {
		Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", module);
		try (Stream<Path> files = Files.walk(root)) {
			files.map(f -> root.relativize(f).toString()).filter(f -> f.endsWith(".class")).forEach(f -> {
				String name = f.substring(0, f.length() - ".class".length()).replace('/', '.');
				try {
					kept.add(Class.forName(name, false, null));
				} catch (ClassNotFoundException | LinkageError e) {
					/* Such as module-info: it has nothing to lay out. */
				}
			});
		}
	}

	static void build() {
		Node last = null;
		for (int i = 0; i < 1000; i++) {
			Node n = i % 3 == 0 ? new Sub() : new Node();
			n.next = last;
			n.other = "x" + i;
			last = n;
		}
		kept.add(last);
		for (int i = 0; i < 500; i++)
			kept.add(new String(new char[] { 's', 'a', 'm', 'e', '\n' }));
		kept.add(new long[3][4]);
		kept.add(new boolean[7]);
		kept.add(new double[5]);
		chain[1] = new Planted();
	}

	public static void main(String[] args) throws Exception {
		HotSpotDiagnosticMXBean vm =
			ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		String line;
		int n = 0;

		build();
		System.out.println("ready");
		while ((line = in.readLine()) != null) {
			if (line.equals("leak"))
				for (int i = 0; i < 2000; i++)
					cache.put(n++, new Planted());
			else if (line.startsWith("dump "))
				vm.dumpHeap(line.substring(5), true);
			else if (line.startsWith("classes "))
				load(line.substring(8));
			System.out.println("done " + line);
		}
	}
}

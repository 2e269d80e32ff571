/* SPDX-License-Identifier: GPL-3.0-or-later */
/* So many objects, of kinds that programs have: rows in a map with texts, lists and numbers. The heap
 * is dumped to a file. */
import java.lang.management.ManagementFactory;
import java.util.*;
import com.sun.management.HotSpotDiagnosticMXBean;

public class Objects {
	static class Row {
		long number;
		String name, place;
		List<Object> parts = new ArrayList<>();
		Row before, parent;
		double price;
		int kind;
	}
	static final Map<Integer, Row> rows = new HashMap<>();

	public static void main(String[] args) throws Exception {
		int n = Integer.parseInt(args[0]);
		Random random = new Random(1);
		Row last = null;

		/* A row is eleven objects. */
		for (int i = 0; i < n / 11; i++) {
			Row r = new Row();
			r.number = i;
			r.name = "the name of row " + i;
			r.place = "place " + i % 1000 + " of all that there are";
			r.before = last;
			r.parent = i == 0 ? null : rows.get(random.nextInt(i));
			r.parts.add(Integer.valueOf(i));
			r.parts.add(r.parent);
			last = r;
			rows.put(i, r);
		}
		ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(args[1], true);
	}
}

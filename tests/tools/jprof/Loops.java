// SPDX-License-Identifier: GPL-3.0-or-later
// Four small programs of the kinds that language benchmarks are made of: tasks that a scheduler runs,
// bodies that attract each other, lists that call themselves, text that is parsed. Each says its result.
import java.util.*;

public class Loops {
	// ---- tasks: each passes its packets on; a queue of those that are ready
	static abstract class Task {
		final int id; int left; final ArrayDeque<Integer> packets = new ArrayDeque<>();
		Task(int id, int left) { this.id = id; this.left = left; }
		abstract Task run(Scheduler s);
	}
	static class Worker extends Task {
		Worker(int id, int left) { super(id, left); }
		Task run(Scheduler s) { Integer p = packets.poll(); if (p != null && left-- > 0) s.send((id + 1) % s.tasks.size(), p + 1); return this; }
	}
	static class Sink extends Task {
		int sum;
		Sink(int id) { super(id, 0); }
		Task run(Scheduler s) { Integer p = packets.poll(); if (p != null) { sum += p; s.send(0, p % 5); } return this; }
	}
	static class Scheduler {
		final List<Task> tasks = new ArrayList<>(); int steps;
		void send(int to, int packet) { tasks.get(to).packets.add(packet); }
		boolean step(Task t) { if (t.packets.isEmpty()) return false; t.run(this); steps++; return true; }
		void run() { boolean any; do { any = false; for (Task t : tasks) any |= step(t); } while (any); }
	}
	static String tasks() {
		Scheduler s = new Scheduler();
		for (int i = 0; i < 5; i++) s.tasks.add(new Worker(i, 2000));
		Sink sink = new Sink(5);
		s.tasks.add(sink);
		for (int i = 0; i < 7; i++) s.send(i % 5, i);
		s.run();
		return s.steps + "/" + sink.sum;
	}

	// ---- bodies
	static class Body {
		double x, y, vx, vy; final double mass;
		Body(double x, double y, double vx, double vy, double mass) { this.x = x; this.y = y; this.vx = vx; this.vy = vy; this.mass = mass; }
		void attract(Body b) { double dx = x - b.x, dy = y - b.y, d = dx * dx + dy * dy + .01, m = .001 / (d * Math.sqrt(d)); vx -= dx * b.mass * m; vy -= dy * b.mass * m; b.vx += dx * mass * m; b.vy += dy * mass * m; }
		void move() { x += .001 * vx; y += .001 * vy; }
		double energy() { return .5 * mass * (vx * vx + vy * vy); }
	}
	static String bodies() {
		Body[] b = { new Body(0, 0, 0, 0, 40), new Body(5, 0, 0, 3, .1), new Body(0, 8, -2, 0, .2), new Body(-13, 0, 0, -1, .3), new Body(0, -20, 1, 0, .4) };
		for (int step = 0; step < 20000; step++) {
			for (int i = 0; i < b.length; i++) for (int k = i + 1; k < b.length; k++) b[i].attract(b[k]);
			for (Body one : b) one.move();
		}
		double sum = 0;
		for (Body one : b) sum += one.energy();
		return String.format(Locale.ROOT, "%.9f", sum);
	}

	// ---- lists
	static class Link { final Link next; Link(Link next) { this.next = next; } int length() { return next == null ? 1 : 1 + next.length(); } }
	static Link list(int n) { return n == 0 ? null : new Link(list(n - 1)); }
	static boolean shorter(Link a, Link b) { for (; b != null; a = a.next, b = b.next) if (a == null) return true; return false; }
	static Link tail(Link x, Link y, Link z) { return shorter(y, x) ? tail(tail(x.next, y, z), tail(y.next, z, x), tail(z.next, x, y)) : z; }
	static String lists() { return "" + tail(list(15), list(10), list(6)).length(); }

	// ---- text
	static class Parser {
		final String text; int at;
		Parser(String text) { this.text = text; }
		char peek() { return at < text.length() ? text.charAt(at) : 0; }
		char take() { if (at == text.length()) throw new IllegalStateException("end"); return text.charAt(at++); }
		void expect(char c) { if (take() != c) throw new IllegalStateException("at " + at); }
		Object value() { char c = peek(); return c == '[' ? list() : c == '{' ? map() : c == '"' ? string() : number(); }
		List<Object> list() { List<Object> l = new ArrayList<>(); expect('['); while (peek() != ']') { l.add(value()); if (peek() == ',') take(); } expect(']'); return l; }
		Map<String, Object> map() { Map<String, Object> m = new TreeMap<>(); expect('{'); while (peek() != '}') { String k = string(); expect(':'); m.put(k, value()); if (peek() == ',') take(); } expect('}'); return m; }
		String string() { StringBuilder s = new StringBuilder(); expect('"'); while (peek() != '"') s.append(take()); expect('"'); return s.toString(); }
		Integer number() { int n = 0; if (!Character.isDigit(peek())) throw new IllegalStateException("at " + at); while (Character.isDigit(peek())) n = n * 10 + take() - '0'; return n; }
	}
	static String text() {
		String whole = "{\"a\":[1,2,{\"b\":[]},\"text\"],\"c\":{\"d\":12345,\"e\":[[[[7]]]]}}";
		int good = 0, bad = 0;
		for (int i = 0; i < 3000; i++)
			try { new Parser(i % 3 == 0 ? whole.substring(0, i % whole.length()) : whole).value(); good++; } catch (IllegalStateException e) { bad++; }
		return good + "/" + bad;
	}

	public static void main(String[] args) throws Exception { System.out.println(tasks() + " " + bodies() + " " + lists() + " " + text()); }
}

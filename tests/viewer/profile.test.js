/* SPDX-License-Identifier: GPL-3.0-or-later */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Difference } from './difference.js';
import { BLAME, CALL, Events, RUNS, WAKES } from './events.js';
import { Flow } from './flow.js';
import { openFromText, openToText } from './nested.js';
import { Profile, groupBy } from './profile.js';
import { Strip } from './timeline.js';
import { CalleeTree, CallerTree, sandwich, tableRows } from './views.js';

const bytes = (text) => new TextEncoder().encode(text);
const fold = (value) => (value < 0 ? -2 * value - 1 : 2 * value);
const block = (...values) => Uint8Array.from(values.flatMap((value) => {
	const list = [];
	for (; value >= 128; value = Math.floor(value / 128))
		list.push(value % 128 | 128);
	return [...list, value];
}));

/* Process p: main calls f, which calls itself; thread 0 on CPU 0, thread 1 on CPU 3; four slices. */
function blocks() {
	return {
		facts: bytes(JSON.stringify({ from: '1000', slices: 4, slice_ns: 10, total: 16, unit: 'ticks' })),
		texts: bytes('\np\nt0\nt1\nmain\nf\nread'),
		processes: block(1, 1, 101, 6),
		threads: block(2, 2, 3, 101, 102, 0, 0),
		frames: block(2, 4, 5, 0, 0, 0, 1, 0, 0, 0, 0),
		nodes: block(4, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0),
		sums: block(3, fold(1), fold(1), fold(1), 1, 1, 2, 0, 0, 3, 0, 0, 0),
		cells: block(4, 0, 0, 2, 1, fold(0), fold(1), fold(1), fold(-2), 1, 2, 5, 8),
		tracks: block(3, RUNS, CALL, WAKES, 1, 2, 1, 0, 0, 2, 1, 0, 0, 0, 6, 0, 2, 1, 3, 25, 10, 0),
		parts: block(4, 0, 1, 0, 2, fold(0), fold(0), fold(1), fold(1), 10, 15, 10, 3),
		stretches: block(1, 5, 20, 0),
		moments: block(1, 30, 2),
	};
}

function profile() {
	const all = blocks(), p = new Profile(all);
	p.events = new Events(p, all);
	return p;
}

test('things are grouped by their owners', () => {
	const { start, list } = groupBy([1, -1, 0, 1], 3);
	assert.deepEqual(Array.from(start), [0, 1, 3, 3]);
	assert.deepEqual(Array.from(list).slice(0, 3), [2, 0, 3]);
});

test('a selection has what its slices have', () => {
	const p = profile();
	assert.equal(p.select().sum, 16);
	const stretches = [[0, 1], [1, 2], [2, 3], [3, 4], [1, 4]];
	assert.deepEqual(stretches.map(([from, to]) => p.select({ from, to }).sum), [3, 0, 5, 8, 13]);
	assert.equal(p.select({ from: 2, to: 2 }).sum, 0);
	assert.equal(p.select({ thread: 1 }).sum, 5);
	assert.equal(p.select({ cpu: 3, from: 0, to: 2 }).sum, 0);
});

test('what is wanted of sums is the same list for another stretch, not for anybody else', () => {
	const p = profile(), all = p.passes({});
	assert.equal(p.passes({ from: 1, to: 2 }), all);
	for (const [filter, have] of [[{ thread: 1 }, [0, 0, 1]], [{ cpu: 3 }, [0, 0, 1]], [{ process: 0, thread: 0 }, [1, 1, 0]],
		[{ event: 1 }, [0, 0, 0]], [{ cgroup: 6 }, [1, 1, 1]], [{}, [1, 1, 1]]])
		assert.deepEqual(Array.from(p.passes(filter)), have, JSON.stringify(filter));
});

test('the strip counts anew for what is wanted and for its width, not for a stretch', () => {
	const p = profile(), canvas = { addEventListener() {} }, strip = new Strip(canvas, p, () => {});
	const columns = (filter, n) => {
		Object.assign(strip, { pass: p.passes(filter), columns: n });
		const { sums, most } = strip.count();
		return [most, Array.from({ length: n }, (_, i) => sums.reduce((all, one) => all + one[i], 0))];
	};
	assert.deepEqual(columns({}, 4), [8, [3, 0, 5, 8]]);
	const { counted } = strip;
	assert.deepEqual(columns({ from: 1, to: 3 }, 4), [8, [3, 0, 5, 8]]);
	assert.equal(strip.counted, counted);
	assert.deepEqual(columns({}, 2), [13, [3, 13]]);
	assert.deepEqual(columns({ thread: 1 }, 2), [5, [0, 5]]);
	assert.deepEqual(columns({}, 2), [13, [3, 13]]);
});

test('recursion counts once', () => {
	const p = profile(), rows = tableRows(p, p.select(), 'function');
	assert.deepEqual(rows.map((row) => [row.name, row.self, row.total]), [['main', 9, 16], ['f', 7, 7]]);
});

test('callers and callees add up', () => {
	const p = profile(), s = p.select(), { callers, callees } = sandwich(p, s, 'function', 1);
	assert.equal(callers.top.total, 7);
	assert.deepEqual(callers.children(callers.top).map((b) => [callers.label(b), b.total]), [['main', 7]]);
	assert.deepEqual(callees.children(callees.top), []);
	const down = new CalleeTree(p, s), up = new CallerTree(p, s);
	assert.equal(down.children(down.top)[0].total, 16);
	assert.equal(up.children(up.top).reduce((sum, b) => sum + b.self, 0), 16);
});

test('events of a selection', () => {
	const { events } = profile(), has = (filter) => Array.from(events.select(filter));
	assert.deepEqual(has({}), [25, 10, 3]);
	assert.deepEqual(has({ from: 0, to: 1 }), [10, 0, 0]);
	assert.deepEqual(has({ from: 1, to: 4 }), [15, 10, 3]);
	assert.deepEqual(has({ thread: 1 }), [0, 10, 3]);
	assert.deepEqual(has({ cpu: 0 }), [25, 0, 0]);
	assert.deepEqual(events.rows({}).map((r) => [r.what, r.who, r.name, r.times, r.ns]), [
		['ran', 't0 (100)', 'on CPU 0', 2, 25], ['system call', 't1 (101)', 'read', 1, 10],
		['woken', 't0 (100)', 'by t1 (101)', 3, '']]);
});

test('events are not added up', () => {
	const all = blocks();
	all.facts = bytes(JSON.stringify({ from: '1000', slices: 4, slice_ns: 10, total: 11, unit: 'ticks',
		events: [{ name: 'cycles', unit: 'ticks', total: 11 }, { name: 'misses', unit: 'misses', total: 5 }] }));
	all.sums = block(3, fold(1), fold(1), fold(1), 1, 1, 2, 0, 0, 3, 0, 0, 1);
	const p = new Profile(all);
	assert.deepEqual([p.select().sum, p.select({ event: 1 }).sum], [11, 5]);
	assert.equal(p.select({ event: 1, from: 0, to: 2 }).sum, 0);
	assert.deepEqual([p.eventOf({}).unit, p.eventOf({ event: 1 }).unit], ['ticks', 'misses']);
});

test('a control group is a filter and a table', () => {
	const p = profile();
	assert.deepEqual(p.cgroups, [6]);
	assert.equal(p.select({ cgroup: 6 }).sum, 16);
	assert.equal(p.select({ cgroup: 0 }).sum, 0);
	assert.deepEqual(tableRows(p, p.select(), 'cgroup').map((r) => [r.name, r.self]), [['read', 16]]);
	assert.deepEqual(Array.from(p.events.select({ cgroup: 6 })), [25, 10, 3]);
	assert.deepEqual(Array.from(p.events.select({ cgroup: 0 })), [0, 0, 0]);
});

test('blame adds up over those that waited', () => {
	const all = blocks();
	all.tracks = block(3, BLAME, BLAME, BLAME, 1, 2, 1, 2, 2, 0, 0, 0, 0, 6, 6, 4, 1, 1, 1, 25, 10, 7);
	const p = new Profile(all), e = new Events(p, all);
	assert.deepEqual(e.blames({}).map((r) => [r.name, r.ns]), [['t1 (101) read', 35], ['main', 7]]);
	assert.deepEqual(e.blames({ from: 0, to: 1 }).map((r) => r.ns), [10]);
	assert.match(e.describe(0), /^t0 \(100\) waited: t1 \(101\) read$/);
});

/* main calls f, which calls main and returns; f jumps to main; another thread comes between. */
test('a flow is nested', () => {
	const p = profile();
	p.facts.doubts = ['', 'gap'];
	const flow = new Flow(p, block(8, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 1, 2, 2, 1, 1, 1, 2, 1, 2, 2, 1, 1, 0,
		1, 2, 4, 100, 8, 16, 32, 64, 0, 0, 0, 0, 0, 0, 0, 1));
	const told = (c) => [flow.row(c).name, c.total, c.self, c.times, c.children.map(told)];
	assert.deepEqual(flow.top.children.map(told), [
		['t0 (100)', 127, 0, 0, [
			['main', 63, 33, 2, [['f', 14, 10, 2, [['main', 4, 4, 1, []]]], ['main', 16, 16, 1, []]]],
			['?', 64, 64, 1, []]]],
		['t1 (101)', 100, 0, 0, [['f', 100, 100, 1, []]]]]);
	assert.equal(flow.top.total, 227);
	assert.deepEqual([{}, { thread: 1 }, { process: 0 }, { process: 1 }, { cgroup: 6, thread: 0 }]
		.map((filter) => flow.select(filter).total), [227, 100, 227, 0, 127]);
	assert.match(flow.row(flow.top.children[0].children[1]).note, /gap/);
});

test('open rows are kept by a text', () => {
	for (const text of ['', '5', '-1(5(7)9)-3', '1.2.3(4)'])
		assert.equal(openToText(openFromText(text)), text);
	for (const text of ['(', ')', '1(', '1)', 'a', '1,2', '--1', '1(2))', '1'.repeat(17), '<b>'])
		assert.equal(openFromText(text), null, text);
	assert.equal(openFromText('1.'.repeat(3000)), null);
});

test('a difference is told of both', () => {
	const all = { ...blocks(), base: block(4, 0, 10, 2, 4, 0, 1, 0, 0), lines: bytes('1\t6\t7\t6.250\t0.5\t\t0\n') };
	all.facts = bytes(JSON.stringify({ from: '0', slices: 0, slice_ns: 0, total: 16, base_total: 16, parts: true }));
	const p = new Profile(all), d = new Difference(p, all);
	const tree = new CalleeTree(p, p.select());
	const main = tree.children(tree.children(tree.top)[0])[0], f = tree.children(main)[0];
	assert.deepEqual(d.change(main), { a: 16, b: 16, sure: true, delta: 0 });
	assert.deepEqual(d.change(f), { a: 6, b: 7, sure: false, delta: 1 / 16 });
	assert.match(d.describe(f), /^base 6, now 7: \+6\.250 % of all, which chance explains$/);
	assert.equal(d.colour(f, false), '#ddd');
	assert.deepEqual(d.rows(p).map((r) => [r.name, r.a, r.b, r.deltaText, r.look]), [['f', 6, 7, '6.250', 'same']]);
});

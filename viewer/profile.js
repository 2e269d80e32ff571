/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trace as arrays: the tree of calls, and cells that say how much a call had itself in a slice of
 * time, by thread and CPU (a sum). Whatever is shown is a selection of cells, added up.
 */
import { Numbers } from './bytes.js';
import { short } from './format.js';

/* Bits of kinds of functions. */
export const KERNEL = 1;
export const INLINED = 2;
export const JIT = 4;
export const UNKNOWN = 8;
export const IDLE = 16;
export const PROCESS = 32;

export function kindWords(kind) {
	if (kind & PROCESS)
		return 'process';
	if (kind & IDLE)
		return 'idle';
	const words = [kind & KERNEL ? 'kernel' : kind & JIT ? 'JIT' : 'user'];
	if (kind & INLINED)
		words.push('inlined');
	if (kind & UNKNOWN)
		words.push('unknown');
	return words.join(', ');
}

/* For each of `count` owners the things that have it, as ranges of one list. */
export function groupBy(owner, count) {
	const start = new Uint32Array(count + 1);
	const list = new Uint32Array(owner.length);
	for (const o of owner) {
		if (o >= 0)
			start[o + 1]++;
	}
	for (let i = 0; i < count; i++)
		start[i + 1] += start[i];
	const at = start.slice(0, count);
	for (let i = 0; i < owner.length; i++) {
		if (owner[i] >= 0)
			list[at[owner[i]]++] = i;
	}
	return { start, list };
}

export class Profile {
	/* blocks: their bytes, by name. */
	constructor(blocks) {
		this.facts = JSON.parse(new TextDecoder().decode(blocks.facts));
		this.texts = new TextDecoder().decode(blocks.texts).split('\n');
		this.from = BigInt(this.facts.from);
		this.readThings(blocks);
		this.readNodes(new Numbers(blocks.nodes));
		this.readSums(new Numbers(blocks.sums));
		this.readCells(new Numbers(blocks.cells));
		this.cgroups = Array.from(new Set(this.processCgroup)).sort((a, b) => a - b);
		this.keys = { function: this.keysOfFunctions(), name: this.keysOfNames() };
		this.outer = {};
		this.passed = { key: '', pass: null };
	}

	readThings(blocks) {
		let n = new Numbers(blocks.processes);
		let count = n.next();
		this.processes = count;
		this.processName = n.column(count, Uint32Array);
		this.processId = n.column(count, Float64Array);
		this.processCgroup = n.column(count, Uint32Array);
		n = new Numbers(blocks.threads);
		count = n.next();
		this.threads = count;
		this.threadName = n.column(count, Uint32Array);
		this.threadId = n.column(count, Float64Array);
		this.threadProcess = n.column(count, Uint32Array);
		n = new Numbers(blocks.frames);
		count = n.next();
		this.frames = count;
		this.frameName = n.column(count, Uint32Array);
		this.frameModule = n.column(count, Uint32Array);
		this.frameKind = n.column(count, Uint8Array);
		this.frameFile = n.column(count, Uint32Array);
		this.frameLine = n.column(count, Uint32Array);
	}

	readNodes(n) {
		const count = n.next();
		this.nodes = count;
		this.parent = n.column(count, Int32Array);
		this.what = n.column(count, Uint32Array);
		this.times = n.column(count, Float64Array);
		this.root = new Uint32Array(count);
		for (let i = 0; i < count; i++) {
			this.parent[i] = this.parent[i] ? i - this.parent[i] : -1;
			this.root[i] = this.parent[i] < 0 ? i : this.root[this.parent[i]];
		}
		this.children = groupBy(this.parent, count);
		this.roots = Uint32Array.from(this.parent.keys()).filter((i) => this.parent[i] < 0);
	}

	readSums(n) {
		const count = n.next();
		this.sums = count;
		this.sumNode = n.signedSums(count, Uint32Array);
		this.sumThread = n.column(count, Int32Array).map((thread) => thread - 1);
		this.sumCpu = n.column(count, Uint32Array);
		this.sumEvent = n.column(count, Uint8Array);
		this.cpus = Array.from(new Set(this.sumCpu)).sort((a, b) => a - b);
	}

	readCells(n) {
		const count = n.next();
		const slice = n.sums(count, Uint32Array);
		this.cells = count;
		this.cellSum = n.signedSums(count, Uint32Array);
		this.cellTicks = n.column(count, Float64Array);
		this.slices = Math.max(count ? slice[count - 1] + 1 : 0, this.facts.slices);
		this.sliceStart = new Uint32Array(this.slices + 1);
		for (let i = 0; i < count; i++)
			this.sliceStart[slice[i] + 1] = i + 1;
		for (let i = 1; i <= this.slices; i++)
			this.sliceStart[i] = Math.max(this.sliceStart[i], this.sliceStart[i - 1]);
		this.timed = this.facts.slice_ns > 0 && this.slices > 1;
	}

	/* ---- what frames are called, and which are one ------------------------------------------ */

	nameOf(frame) {
		const name = this.texts[this.frameName[frame]];
		const file = this.frameFile[frame];
		if (!file)
			return name;
		return `${name} ${short(this.texts[file])}:${this.frameLine[frame] || '?'}`;
	}

	moduleOf(frame) {
		return this.texts[this.frameModule[frame]];
	}

	processLabel(process) {
		const id = this.processId[process] - 1;
		if (this.facts.difference)
			return this.texts[this.processName[process]];
		return `${this.texts[this.processName[process]]} (${id})`;
	}

	threadLabel(thread) {
		return `${this.texts[this.threadName[thread]]} (${this.threadId[thread] - 1})`;
	}

	cgroupLabel(cgroup) {
		return this.texts[cgroup] || 'not known';
	}

	/* The process that a node of the tree is of. */
	processOf(node) {
		return this.what[this.root[node]];
	}

	keysOfFunctions() {
		return Uint32Array.from(this.frameName.keys());
	}

	keysOfNames() {
		const first = new Map();
		return Uint32Array.from(this.frameName, (name, frame) => {
			if (!first.has(name))
				first.set(name, frame);
			return first.get(name);
		});
	}

	/* Of each node whether no caller of it is the same function, by such keys. */
	outermost(by) {
		if (this.outer[by])
			return this.outer[by];
		const key = this.keys[by], outer = new Uint8Array(this.nodes);
		const open = new Uint32Array(this.frames), { start, list } = this.children;
		const at = new Uint32Array(this.nodes), stack = [];
		for (const root of this.roots) {
			stack.push(root);
			at[root] = start[root];
			while (stack.length) {
				const node = stack[stack.length - 1];
				if (at[node] < start[node + 1]) {
					const child = list[at[node]++];
					at[child] = start[child];
					outer[child] = open[key[this.what[child]]]++ === 0;
					stack.push(child);
				} else {
					stack.pop();
					if (this.parent[node] >= 0)
						open[key[this.what[node]]]--;
				}
			}
		}
		this.outer[by] = outer;
		return outer;
	}

	/* ---- selections ------------------------------------------------------------------------- */

	/* What an event's samples are in all, and of what. */
	eventOf({ event = 0 }) {
		return this.facts.events?.[event] || this.facts;
	}

	/* What is wanted of each sum: process, thread, cpu; undefined: all. Events are never added up. The list is
	 * the same one as long as the same is wanted. */
	passes({ process, thread, cpu, cgroup, event = 0 }) {
		const key = `${process} ${thread} ${cpu} ${cgroup} ${event}`;
		if (this.passed.key === key)
			return this.passed.pass;
		const pass = new Uint8Array(this.sums);
		for (let i = 0; i < this.sums; i++) {
			const of = this.sumThread[i];
			const owner = of >= 0 ? this.threadProcess[of] : this.processOf(this.sumNode[i]);
			pass[i] = event === this.sumEvent[i] && (process === undefined || process === owner) &&
				(cgroup === undefined || cgroup === this.processCgroup[owner]) &&
				(thread === undefined || thread === of) &&
				(cpu === undefined || cpu === this.sumCpu[i]);
		}
		this.passed = { key, pass };
		return pass;
	}

	/* Ticks of each sum between two slices; of nodes their own and all below. */
	select(filter = {}) {
		const pass = this.passes(filter);
		const from = Math.max(0, filter.from === undefined ? 0 : filter.from);
		const to = Math.min(this.slices, filter.to === undefined ? this.slices : filter.to);
		const bySum = new Float64Array(this.sums);
		const self = new Float64Array(this.nodes);
		let sum = 0;
		for (let i = this.sliceStart[from] || 0, end = from < to ? this.sliceStart[to] : i; i < end; i++)
			bySum[this.cellSum[i]] += this.cellTicks[i];
		for (let i = 0; i < this.sums; i++) {
			if (!pass[i])
				bySum[i] = 0;
			self[this.sumNode[i]] += bySum[i];
			sum += bySum[i];
		}
		return { bySum, self, total: this.below(self), sum };
	}

	/* Of each node what it has and all below it. */
	below(self) {
		const total = Float64Array.from(self);
		for (let i = this.nodes - 1; i >= 0; i--) {
			if (this.parent[i] >= 0)
				total[this.parent[i]] += total[i];
		}
		return total;
	}

	/* The same, but what is below another call of the function `of` is left to that. */
	belowWithout(self, of, by) {
		const key = this.keys[by], total = Float64Array.from(self);
		for (let i = this.nodes - 1; i >= 0; i--) {
			if (this.parent[i] >= 0 && key[this.what[i]] !== of)
				total[this.parent[i]] += total[i];
		}
		return total;
	}
}

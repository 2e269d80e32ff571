/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The flow of an instruction trace as calls: each line is one time that a thread came to a function. A
 * line less deep than the one before is a return, which goes on with the same call if it is of the
 * same function.
 */
import { Numbers } from './bytes.js';

class Call {
	constructor(line, thread, frame, parent) {
		Object.assign(this, { key: line, thread, frame, parent, self: 0, total: 0, times: 0, doubt: 0, children: [] });
	}
}

export class Flow {
	constructor(profile, block) {
		const n = new Numbers(block), count = n.next();
		this.profile = profile;
		this.lines = count;
		this.thread = n.column(count, Uint32Array);
		this.depth = n.column(count, Uint32Array);
		this.frame = n.column(count, Int32Array).map((frame) => frame - 1);
		this.count = n.column(count, Float64Array);
		this.doubt = n.column(count, Uint8Array);
		this.top = new Call(-1, -1, -1, null);
		this.nest();
	}

	nest() {
		const stacks = new Map();
		for (let i = 0; i < this.lines; i++) {
			const thread = this.thread[i], depth = this.depth[i];
			if (!stacks.has(thread)) {
				const root = new Call(-2 - thread, thread, -1, this.top);
				this.top.children.push(root);
				stacks.set(thread, [{ depth: -1, call: root }]);
			}
			this.add(stacks.get(thread), i, depth);
		}
		const open = [this.top], all = [];
		while (open.length) {
			const call = open.pop();
			all.push(call);
			for (const child of call.children)
				open.push(child);
		}
		for (const call of all.reverse()) {
			call.total += call.self;
			if (call.parent)
				call.parent.total += call.total;
		}
	}

	add(stack, i, depth) {
		const before = stack[stack.length - 1].depth;
		while (stack[stack.length - 1].depth > depth)
			stack.pop();
		const top = stack[stack.length - 1], { call } = top, frame = this.frame[i];
		const returns = top.depth === depth && before > depth && call.frame === frame && !this.doubt[i];
		if (!returns) {
			if (top.depth === depth)
				stack.pop();
			const parent = stack[stack.length - 1].call, one = new Call(i, this.thread[i], frame, parent);
			one.doubt = this.doubt[i];
			parent.children.push(one);
			stack.push({ depth, call: one });
		}
		const of = stack[stack.length - 1].call;
		of.self += this.count[i];
		of.times++;
	}

	/* Threads that are wanted, and what they have. */
	select({ process, thread, cgroup }) {
		const { threadProcess, processCgroup } = this.profile;
		const children = this.top.children.filter(({ thread: of }) => (thread === undefined || of === thread) &&
			(process === undefined || threadProcess[of] === process) &&
			(cgroup === undefined || processCgroup[threadProcess[of]] === cgroup));
		return { children, total: children.reduce((sum, call) => sum + call.total, 0) };
	}

	/* ---- as TreeView takes it ---------------------------------------------------------------- */

	children(call) {
		return call.children;
	}

	row(call) {
		const { profile } = this, { frame } = call;
		return {
			name: call.key < -1 ? profile.threadLabel(call.thread) : frame < 0 ? '?' : profile.nameOf(frame),
			module: frame < 0 ? '' : profile.moduleOf(frame), total: call.total, self: call.self, times: call.times,
			note: call.doubt ? `not continuous: ${profile.facts.doubts[call.doubt]}` : '',
		};
	}
}

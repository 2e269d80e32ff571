/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trees and tables of a selection. A tree's branches are made when they are looked at, so that what is
 * too small to be drawn costs nothing: a branch knows the nodes of the profile that it stands for.
 */
import { PROCESS, kindWords } from './profile.js';

/* A branch is called by a key: a frame's, or of a process this. */
export const processKey = (process) => -1 - process;

class Branch {
	constructor(key, parent) {
		this.key = key;
		this.parent = parent;
		this.depth = parent ? parent.depth + 1 : 0;
		this.total = 0;
		this.self = 0;
		this.nodes = [];
		this.shares = null; /* of reversed trees: what each node stands for */
		this.made = null;
	}

	get path() {
		const keys = [];
		for (let b = this; b.parent; b = b.parent)
			keys.push(b.key);
		return keys.reverse();
	}
}

const byTotal = (a, b) => b.total - a.total || a.key - b.key;

class Tree {
	constructor(profile, by) {
		this.profile = profile;
		this.key = profile.keys[by];
		this.top = new Branch(NaN, null);
	}

	label(branch) {
		if (!branch.parent)
			return 'all';
		if (branch.key < 0)
			return this.profile.processLabel(-1 - branch.key);
		return this.profile.nameOf(branch.key);
	}

	module(branch) {
		return branch.key >= 0 ? this.profile.moduleOf(branch.key) : '';
	}

	kind(branch) {
		return branch.key >= 0 ? this.profile.frameKind[branch.key] : PROCESS;
	}

	kindWords(branch) {
		return branch.parent ? kindWords(this.kind(branch)) : '';
	}

	/* A branch as a row of nested ones. */
	row(branch) {
		const { times } = this.profile;
		return { name: this.label(branch), module: this.module(branch), total: branch.total, self: branch.self,
			times: branch.nodes.reduce((sum, node) => sum + times[node], 0), note: '' };
	}

	/* Those below a branch, the largest first. */
	children(branch) {
		if (!branch.made) {
			branch.made = Array.from(this.make(branch).values()).sort(byTotal);
		}
		return branch.made;
	}

	/* The branch at a path of keys, or the deepest that there is. */
	find(path) {
		let at = this.top;
		for (const key of path) {
			const next = this.children(at).find((child) => child.key === key);
			if (!next)
				break;
			at = next;
		}
		return at;
	}

	keyOf(node) {
		const { what, parent } = this.profile;
		return parent[node] < 0 ? processKey(what[node]) : this.key[what[node]];
	}
}

function branchOf(made, key, parent) {
	let branch = made.get(key);
	if (!branch) {
		branch = new Branch(key, parent);
		made.set(key, branch);
	}
	return branch;
}

/* From processes, or from given nodes, down to what they call. */
export class CalleeTree extends Tree {
	constructor(profile, selection, { by = 'function', merged = false, nodes = null, total = null } = {}) {
		super(profile, by);
		this.self = selection.self;
		this.total = total || selection.total;
		this.top.nodes = [-1];
		this.without = NaN;
		for (const node of nodes || profile.roots) {
			this.top.total += this.total[node];
			this.top.self += nodes || merged ? this.self[node] : 0;
		}
		if (nodes) {
			this.top.nodes = Array.from(nodes);
			this.without = nodes.length ? this.keyOf(nodes[0]) : NaN;
		} else if (merged) {
			this.top.nodes = Array.from(profile.roots);
		}
	}

	make(branch) {
		const made = new Map(), { start, list } = this.profile.children;
		const add = (node) => {
			const key = this.total[node] ? this.keyOf(node) : NaN;
			if (!this.total[node] || key === this.without)
				return;
			const child = branchOf(made, key, branch);
			child.total += this.total[node];
			child.self += this.self[node];
			child.nodes.push(node);
		};
		for (const node of branch.nodes) {
			if (node < 0) {
				this.profile.roots.forEach(add);
				continue;
			}
			for (let i = start[node]; i < start[node + 1]; i++)
				add(list[i]);
		}
		return made;
	}
}

/* From functions, or from given nodes, up to who called them. */
export class CallerTree extends Tree {
	constructor(profile, selection, { by = 'function', nodes = null } = {}) {
		super(profile, by);
		this.self = selection.self;
		this.top.nodes = nodes ? Array.from(nodes) : null;
		this.top.shares = nodes ? Array.from(nodes, (node) => selection.total[node]) : null;
		this.top.total = nodes ? this.top.shares.reduce((a, b) => a + b, 0) : selection.sum;
	}

	make(branch) {
		const made = new Map(), { parent } = this.profile;
		const add = (node, share) => {
			if (!share || node < 0)
				return;
			const child = branchOf(made, this.keyOf(node), branch);
			child.shares = child.shares || [];
			child.total += share;
			child.nodes.push(node);
			child.shares.push(share);
			if (!branch.parent && !this.top.nodes)
				child.self += share;
		};
		if (branch.nodes)
			branch.nodes.forEach((node, i) => add(parent[node], branch.shares[i]));
		else
			this.self.forEach((share, node) => add(node, share));
		return made;
	}
}

/* ---- one function ------------------------------------------------------------------------------ */

/* Nodes of a function: all, and those that no other one of them called. */
export function nodesOf(profile, by, of) {
	const key = profile.keys[by], outer = profile.outermost(by), all = [], outermost = [];
	for (let i = 0; i < profile.nodes; i++) {
		if (profile.parent[i] < 0 || key[profile.what[i]] !== of)
			continue;
		all.push(i);
		if (outer[i])
			outermost.push(i);
	}
	return { all, outermost };
}

/* Its callers are those of the outermost call of a stack, its callees those of the innermost: so both
 * add up to what it has. */
export function sandwich(profile, selection, by, of) {
	const { all, outermost } = nodesOf(profile, by, of);
	return {
		callers: new CallerTree(profile, selection, { by, nodes: outermost }),
		callees: new CalleeTree(profile, selection,
			{ by, nodes: all, total: profile.belowWithout(selection.self, of, by) }),
	};
}

/* ---- tables -------------------------------------------------------------------------------------- */

class Rows {
	constructor() {
		this.byKey = new Map();
	}

	row(key, make) {
		let row = this.byKey.get(key);
		if (!row) {
			row = Object.assign({ key, self: 0, total: 0, calls: 0, module: '', kind: '' }, make());
			this.byKey.set(key, row);
		}
		return row;
	}

	list() {
		return Array.from(this.byKey.values()).filter((row) => row.total || row.self);
	}
}

function functionRows(profile, selection, by) {
	const rows = new Rows(), key = profile.keys[by], outer = profile.outermost(by);
	for (let i = 0; i < profile.nodes; i++) {
		if (profile.parent[i] < 0)
			continue;
		const frame = key[profile.what[i]];
		const row = rows.row(frame, () => ({
			name: profile.nameOf(frame),
			module: profile.moduleOf(frame),
			kind: kindWords(profile.frameKind[frame]),
			frame,
		}));
		row.self += selection.self[i];
		row.calls += profile.times[i];
		if (outer[i])
			row.total += selection.total[i];
	}
	return rows.list();
}

/* Modules have what their functions have themselves. */
function moduleRows(profile, selection) {
	const rows = new Rows();
	for (let i = 0; i < profile.nodes; i++) {
		if (profile.parent[i] < 0)
			continue;
		const module = profile.frameModule[profile.what[i]];
		const row = rows.row(module, () => ({ name: profile.texts[module] }));
		row.self += selection.self[i];
		row.total = row.self;
	}
	return rows.list();
}

/* By whatever a sum has. */
function sumRows(profile, selection, of, name) {
	const rows = new Rows();
	for (let i = 0; i < profile.sums; i++) {
		const row = rows.row(of(i), () => ({ name: name(of(i)) }));
		row.self += selection.bySum[i];
		row.total = row.self;
	}
	return rows.list();
}

const ownerOf = (profile, i) => {
	const thread = profile.sumThread[i];
	return thread >= 0 ? profile.threadProcess[thread] : profile.processOf(profile.sumNode[i]);
};

const tables = {
	function: functionRows,
	module: moduleRows,
	process: (profile, selection) => sumRows(profile, selection, (i) => ownerOf(profile, i),
		(process) => profile.processLabel(process)),
	thread: (profile, selection) => sumRows(profile, selection, (i) => profile.sumThread[i],
		(thread) => (thread < 0 ? 'not known' : profile.threadLabel(thread))),
	cgroup: (profile, selection) => sumRows(profile, selection, (i) => profile.processCgroup[ownerOf(profile, i)],
		(cgroup) => profile.cgroupLabel(cgroup)),
	CPU: (profile, selection) => sumRows(profile, selection, (i) => profile.sumCpu[i], (cpu) => `CPU ${cpu}`),
};

export const tableNames = Object.keys(tables);

export function tableRows(profile, selection, what, by = 'function') {
	return tables[what](profile, selection, by);
}

export function sortRows(rows, column, down) {
	const sign = down ? -1 : 1;
	return rows.sort((a, b) => {
		const x = a[column], y = b[column];
		if (x !== y)
			return x < y ? -sign : sign;
		return b.self - a.self || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
	});
}

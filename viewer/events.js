/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What happened beside samples: a track is what one thread or CPU had of one thing (it ran, was in a
 * system call, …), in all and in each slice of time; stretches and moments are as many as can be drawn.
 */
import { Numbers } from './bytes.js';
import { groupBy } from './profile.js';

export const RUNS = 0;
export const READY = 1;
export const INTERRUPT = 2;
export const CALL = 3;
export const PAIR = 4;
export const SPAN = 5;
export const BLAME = 6;
export const MARK = 7; /* from here on moments, which are counted */
export const FAULT = 8;
export const NAMED = 9;
export const WAKES = 10;
const kindNames = ['ran', 'waited for a CPU', 'interrupt', 'system call', 'pair', 'span', 'waited', 'mark',
	'page fault', 'event', 'woken'];

export class Events {
	constructor(profile, blocks) {
		this.profile = profile;
		let n = new Numbers(blocks.tracks);
		this.tracks = n.next();
		const none = () => n.column(this.tracks, Int32Array).map((i) => i - 1);
		this.kind = n.column(this.tracks, Uint8Array);
		this.thread = none();
		this.other = none();
		this.cpu = none();
		this.name = n.column(this.tracks, Uint32Array);
		this.count = n.column(this.tracks, Float64Array);
		this.ns = n.column(this.tracks, Float64Array);
		n = new Numbers(blocks.parts);
		this.parts = n.next();
		this.partSlice = n.sums(this.parts, Uint32Array);
		this.partTrack = n.signedSums(this.parts, Uint32Array);
		this.partHas = n.column(this.parts, Float64Array);
		n = new Numbers(blocks.stretches);
		this.stretches = n.next();
		this.stretchFrom = n.sums(this.stretches, Float64Array);
		this.stretchNs = n.column(this.stretches, Float64Array);
		this.stretchTrack = n.column(this.stretches, Uint32Array);
		n = new Numbers(blocks.moments);
		this.moments = n.next();
		this.momentTime = n.sums(this.moments, Float64Array);
		this.momentTrack = n.column(this.moments, Uint32Array);
		this.ofSlice = groupBy(this.partSlice, profile.slices).start;
	}

	/* What is wanted of each track. Of who woke whom, and of who waited because of whom, both are meant. */
	passes({ process, thread, cpu, cgroup }) {
		const { threadProcess, processCgroup } = this.profile, of = (i) => (i < 0 ? -1 : threadProcess[i]);
		const group = (i) => (i < 0 ? -1 : processCgroup[of(i)]);
		return Uint8Array.from(this.kind, (_, i) =>
			(cgroup === undefined || group(this.thread[i]) === cgroup || group(this.other[i]) === cgroup) &&
			(process === undefined || of(this.thread[i]) === process || of(this.other[i]) === process) &&
			(thread === undefined || this.thread[i] === thread || this.other[i] === thread) &&
			(cpu === undefined || this.cpu[i] === cpu));
	}

	/* Of each track its time, or how many moments, in a selection. */
	select(filter) {
		const pass = this.passes(filter), has = new Float64Array(this.tracks);
		if (filter.from === undefined) {
			for (let i = 0; i < this.tracks; i++)
				has[i] = this.kind[i] < MARK ? this.ns[i] : this.count[i];
		} else {
			for (let i = this.ofSlice[filter.from], end = this.ofSlice[filter.to]; i < end; i++)
				has[this.partTrack[i]] += this.partHas[i];
		}
		return has.map((value, i) => (pass[i] ? value : 0));
	}

	/* Lines of a table. A stretch's count is not known: what it has may have begun before. */
	rows(filter) {
		const { profile } = this, rows = [], pass = this.passes(filter);
		this.select(filter).forEach((has, i) => {
			const timed = this.kind[i] < MARK;
			if (!has && (filter.from !== undefined || !this.count[i] || !pass[i]))
				return;
			rows.push({ key: i, name: this.nameOf(i), what: kindNames[this.kind[i]], thread: this.thread[i],
				who: this.thread[i] < 0 ? `CPU ${this.cpu[i]}` : profile.threadLabel(this.thread[i]),
				times: !timed ? has : filter.from === undefined ? this.count[i] : '',
				ns: timed ? has : '' });
		});
		return rows;
	}

	/* What is to blame for waits, by whom and what: the most first. */
	blames(filter) {
		const rows = new Map();
		this.select(filter).forEach((ns, i) => {
			const key = `${this.other[i]} ${this.name[i]}`;
			if (!ns || this.kind[i] !== BLAME)
				return;
			if (!rows.has(key))
				rows.set(key, { key, name: this.nameOf(i), thread: this.other[i], ns: 0, self: 0 });
			rows.get(key).self = rows.get(key).ns += ns;
		});
		return Array.from(rows.values());
	}

	nameOf(track) {
		const { profile } = this, other = this.other[track];
		if (this.kind[track] === RUNS)
			return `on CPU ${this.cpu[track]}`;
		if (this.kind[track] === WAKES)
			return other < 0 ? 'by no thread' : `by ${profile.threadLabel(other)}`;
		if (this.kind[track] === BLAME && other >= 0)
			return `${profile.threadLabel(other)} ${profile.texts[this.name[track]]}`;
		return profile.texts[this.name[track]];
	}

	/* In words, of a stretch. */
	describe(track) {
		const who = this.thread[track];
		return `${who < 0 ? '' : `${this.profile.threadLabel(who)} `}${kindNames[this.kind[track]]}${
			this.kind[track] === BLAME ? ':' : ''} ${this.nameOf(track)}`;
	}

	/* Whose lane a track is in: a thread, or a CPU; -1: none. */
	lane(track, by) {
		return by === 'CPU' ? this.cpu[track] : this.thread[track];
	}
}

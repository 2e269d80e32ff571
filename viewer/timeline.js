/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time from left to right: what all had (the strip), and what each thread or CPU had (lanes). A stretch
 * that is chosen here is what everything else is of.
 */
import { clock, seconds } from './format.js';
import { colourOf, fillBox, kindList, mainKind, patternsOf } from './marks.js';
import { kindWords } from './profile.js';

const LANE = 18;
const NAMES = 180; /* pixels */
const MOST_LANES = 200; /* lanes */

/* How much the sums had in each of so many columns of time; add: (column, sum, ticks). */
export function columnsOf(profile, pass, columns, add) {
	const { slices, sliceStart, cellSum, cellTicks } = profile;
	for (let slice = 0; slice < slices; slice++) {
		const column = Math.floor(slice * columns / slices);
		for (let i = sliceStart[slice]; i < sliceStart[slice + 1]; i++) {
			if (pass[cellSum[i]])
				add(column, cellSum[i], cellTicks[i]);
		}
	}
}

/* Lanes, those that have most first. */
export function lanesOf(profile, pass, by, columns) {
	const of = by === 'CPU' ? profile.sumCpu : profile.sumThread;
	const lanes = new Map();
	columnsOf(profile, pass, columns, (column, sum, ticks) => {
		let lane = lanes.get(of[sum]);
		if (!lane) {
			lane = { key: of[sum], total: 0, busy: new Float64Array(columns), kernel: new Float64Array(columns),
				idle: new Float64Array(columns) };
			lanes.set(of[sum], lane);
		}
		const kind = leafKind(profile, sum);
		lane.total += ticks;
		lane[kindWords(kind) === 'idle' ? 'idle' : kind & 1 ? 'kernel' : 'busy'][column] += ticks;
	});
	const list = Array.from(lanes.values());
	return by === 'CPU' ? list.sort((a, b) => a.key - b.key) : list.sort((a, b) => b.total - a.total || a.key - b.key);
}

function leafKind(profile, sum) {
	const node = profile.sumNode[sum];
	return profile.parent[node] < 0 ? 0 : profile.frameKind[profile.what[node]];
}

/* A canvas of time on which a stretch is chosen by mouse or keys. */
class TimeCanvas {
	/* chooses: (from, to) in slices; undefined: all. */
	constructor(canvas, profile, chooses, left) {
		Object.assign(this, { canvas, profile, chooses, left, drag: null, from: undefined, to: undefined });
		canvas.addEventListener('mousedown', (e) => this.begin(e));
		canvas.addEventListener('mousemove', (e) => this.move(e));
		canvas.addEventListener('mouseup', (e) => this.end(e));
		canvas.addEventListener('keydown', (e) => this.press(e));
	}

	size(height) {
		const ratio = window.devicePixelRatio || 1, style = getComputedStyle(this.canvas);
		this.width = this.canvas.parentElement.clientWidth;
		this.canvas.width = Math.max(1, Math.round(this.width * ratio));
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.height = `${height}px`;
		this.height = height;
		this.columns = Math.max(1, Math.min(this.profile.slices, Math.floor(this.width - this.left)));
		this.dark = style.getPropertyValue('--dark').trim() === '1';
		this.ink = style.color;
		this.c = this.canvas.getContext('2d');
		this.c.scale(ratio, ratio);
		this.c.font = `11px ${style.fontFamily}`;
		this.c.textBaseline = 'middle';
		this.patterns = patternsOf(this.c, this.dark);
	}

	x(slice) {
		return this.left + slice / this.profile.slices * (this.width - this.left);
	}

	slice(x) {
		const at = (x - this.left) / (this.width - this.left) * this.profile.slices;
		return Math.max(0, Math.min(this.profile.slices, at));
	}

	begin(event) {
		this.drag = { from: this.slice(event.offsetX), x: event.offsetX };
	}

	move(event) {
		if (this.drag && event.buttons) {
			const to = this.slice(event.offsetX);
			this.from = Math.floor(Math.min(this.drag.from, to));
			this.to = Math.ceil(Math.max(this.drag.from, to));
			this.redraw();
		}
	}

	end(event) {
		if (!this.drag)
			return;
		const click = Math.abs(event.offsetX - this.drag.x) < 3;
		this.drag = null;
		if (click)
			this.chooses(undefined, undefined);
		else
			this.chooses(this.from, Math.max(this.to, this.from + 1));
	}

	/* Arrows move the stretch, with Shift its end; Escape leaves it. */
	press(event) {
		const { slices } = this.profile, step = Math.max(1, Math.round(slices / 50));
		let from = this.from, to = this.to;
		if (event.key === 'Escape') {
			this.chooses(undefined, undefined);
			return;
		}
		const way = event.key === 'ArrowLeft' ? -step : event.key === 'ArrowRight' ? step : 0;
		if (!way)
			return;
		event.preventDefault();
		if (from === undefined) {
			from = 0;
			to = Math.max(1, Math.round(slices / 10));
		} else if (event.shiftKey) {
			to = Math.max(from + 1, Math.min(slices, to + way));
		} else {
			const moved = Math.max(0, Math.min(slices - (to - from), from + way));
			to += moved - from;
			from = moved;
		}
		this.chooses(from, to);
	}

	drawStretch() {
		if (this.from === undefined)
			return;
		const { c } = this, x = this.x(this.from), end = this.x(this.to);
		c.fillStyle = this.dark ? 'rgb(0 0 0 / 0.55)' : 'rgb(255 255 255 / 0.65)';
		c.fillRect(this.left, 0, x - this.left, this.height);
		c.fillRect(end, 0, this.width - end, this.height);
		c.strokeStyle = this.ink;
		c.strokeRect(x + 0.5, 0.5, Math.max(end - x - 1, 1), this.height - 1);
	}
}

export class Strip extends TimeCanvas {
	constructor(canvas, profile, chooses) {
		super(canvas, profile, chooses, 0);
	}

	show(pass, from, to) {
		Object.assign(this, { pass, from, to });
		this.redraw();
	}

	redraw() {
		const { profile } = this;
		this.size(56);
		const sums = kindList.map(() => new Float64Array(this.columns));
		const place = Array.from({ length: profile.sums }, (_, sum) =>
			kindList.findIndex((k) => k.kind === mainKind(leafKind(profile, sum))));
		let most = 1;
		const all = new Float64Array(this.columns);
		columnsOf(profile, this.pass, this.columns, (column, sum, ticks) => {
			sums[place[sum]][column] += ticks;
			all[column] += ticks;
		});
		for (const value of all)
			most = Math.max(most, value);
		const w = (this.width - this.left) / this.columns;
		for (let column = 0; column < this.columns; column++) {
			let y = this.height;
			kindList.forEach((k, i) => {
				const h = sums[i][column] / most * (this.height - 12);
				if (h) {
					fillBox(this.c, this.patterns, k.kind, colourOf(k.kind, 0, this.dark), column * w, y - h,
						Math.max(w, 1), h);
				}
				y -= h;
			});
		}
		this.c.fillStyle = this.ink;
		const ns = profile.slices * profile.facts.slice_ns;
		this.c.fillText(`${clock(profile.from, 0)} s`, 2, 6);
		const end = `+ ${seconds(ns)} s`;
		this.c.fillText(end, this.width - this.c.measureText(end).width - 2, 6);
		this.drawStretch();
	}
}

export class Lanes extends TimeCanvas {
	constructor(canvas, profile, chooses) {
		super(canvas, profile, chooses, NAMES);
	}

	show(pass, by, from, to) {
		Object.assign(this, { pass, by, from, to });
		this.redraw();
	}

	redraw() {
		const { profile } = this;
		this.columns = Math.max(1, Math.min(profile.slices, this.canvas.parentElement.clientWidth - NAMES));
		const lanes = lanesOf(profile, this.pass, this.by, this.columns);
		this.left_out = Math.max(0, lanes.length - MOST_LANES);
		this.shown = lanes.slice(0, MOST_LANES);
		this.size(Math.max(1, this.shown.length) * LANE);
		this.shown.forEach((lane, i) => this.drawLane(lane, i * LANE));
		this.drawStretch();
	}

	nameOf(lane) {
		if (this.by === 'CPU')
			return `CPU ${lane.key}`;
		return lane.key < 0 ? 'not known' : this.profile.threadLabel(lane.key);
	}

	drawLane(lane, y) {
		const { c } = this, w = (this.width - this.left) / this.columns, h = LANE - 3;
		let most = 1;
		for (let i = 0; i < this.columns; i++)
			most = Math.max(most, lane.busy[i] + lane.kernel[i] + lane.idle[i]);
		for (let i = 0; i < this.columns; i++) {
			let at = y + h;
			for (const [name, kind] of [['busy', 0], ['kernel', 1], ['idle', 16]]) {
				const part = lane[name][i] / most * h;
				if (part)
					fillBox(c, this.patterns, kind, colourOf(kind, 0, this.dark), this.left + i * w, at - part,
						Math.max(w, 1), part);
				at -= part;
			}
		}
		c.fillStyle = this.ink;
		c.save();
		c.beginPath();
		c.rect(0, y, this.left - 4, LANE);
		c.clip();
		c.fillText(this.nameOf(lane).slice(0, 80), 2, y + LANE / 2);
		c.restore();
	}
}

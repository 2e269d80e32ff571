/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time from left to right, and what all had (the strip). A stretch that is chosen here is what everything
 * else is of. */
import { clock, seconds } from './format.js';
import { colourOf, fillBox, kindList, mainKind, patternsOf } from './marks.js';

/* How much the sums had in each of so many columns of time; add: (column, sum, ticks). */
export function columnsOf(profile, pass, columns, add, from = 0, to = profile.slices) {
	const { sliceStart, cellSum, cellTicks } = profile;
	for (let slice = from; slice < to; slice++) {
		const column = Math.floor((slice - from) * columns / (to - from));
		for (let i = sliceStart[slice]; i < sliceStart[slice + 1]; i++) {
			if (pass[cellSum[i]])
				add(column, cellSum[i], cellTicks[i]);
		}
	}
}

export function leafKind(profile, sum) {
	const node = profile.sumNode[sum];
	return profile.parent[node] < 0 ? 0 : profile.frameKind[profile.what[node]];
}

/* A canvas of time on which a stretch is chosen by mouse or keys. */
export class TimeCanvas {
	/* chooses: (from, to) in slices; undefined: all. */
	constructor(canvas, profile, chooses, left) {
		Object.assign(this, { canvas, profile, chooses, left, start: 0, end: profile.slices, drag: null,
			from: undefined, to: undefined });
		canvas.addEventListener('mousedown', (e) => this.begin(e));
		canvas.addEventListener('mousemove', (e) => this.move(e));
		canvas.addEventListener('mouseup', (e) => this.drop(e));
		canvas.addEventListener('keydown', (e) => this.press(e));
	}

	size(height) {
		const ratio = window.devicePixelRatio || 1, style = getComputedStyle(this.canvas);
		this.width = this.canvas.parentElement.clientWidth;
		this.canvas.width = Math.max(1, Math.round(this.width * ratio));
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.height = `${height}px`;
		this.height = height;
		this.columns = Math.max(1, Math.min(this.end - this.start, Math.floor(this.width - this.left)));
		this.dark = style.getPropertyValue('--dark').trim() === '1';
		this.ink = style.color;
		this.c = this.canvas.getContext('2d');
		this.c.scale(ratio, ratio);
		this.c.font = `11px ${style.fontFamily}`;
		this.c.textBaseline = 'middle';
		this.patterns = patternsOf(this.c, this.dark);
	}

	x(slice) {
		return this.left + (slice - this.start) / (this.end - this.start) * (this.width - this.left);
	}

	slice(x) {
		const at = this.start + (x - this.left) / (this.width - this.left) * (this.end - this.start);
		return Math.max(this.start, Math.min(this.end, at));
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

	drop(event) {
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
		const places = Uint8Array.from({ length: 64 }, (_, kind) => kindList.findIndex((k) => k.kind === mainKind(kind)));
		this.place = new Uint8Array(profile.sums);
		for (let sum = 0; sum < profile.sums; sum++)
			this.place[sum] = places[leafKind(profile, sum)];
		this.counted = { pass: null };
	}

	show(pass, from, to) {
		Object.assign(this, { pass, from, to });
		this.redraw();
	}

	/* By kind and column what all had, and the most of a column: whatever stretch is chosen. */
	count() {
		const { profile, pass, columns, place } = this;
		if (this.counted.pass === pass && this.counted.columns === columns)
			return this.counted;
		const sums = kindList.map(() => new Float64Array(columns)), all = new Float64Array(columns);
		columnsOf(profile, pass, columns, (column, sum, ticks) => {
			sums[place[sum]][column] += ticks;
			all[column] += ticks;
		});
		this.counted = { pass, columns, sums, most: all.reduce((a, b) => Math.max(a, b), 1) };
		return this.counted;
	}

	redraw() {
		const { profile } = this;
		this.size(56);
		const { sums, most } = this.count();
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

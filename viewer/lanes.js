/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lane for each thread or CPU: above when it ran and waited for a CPU, what is to blame while it waited (a colour
 * for each that is blamed), and interrupts; then system calls
 * and what programs noted; below its samples. From afar these are how much of each column of time they
 * have; near by each stretch is drawn, and an arrow for who woke whom.
 */
import { BLAME, CALL, INTERRUPT, MARK, PAIR, READY, RUNS, SPAN, WAKES } from './events.js';
import { clock } from './format.js';
import { colourOf, fillBox, kindList } from './marks.js';
import { kindWords } from './profile.js';
import { TimeCanvas, columnsOf, leafKind } from './timeline.js';

const LANE = 18;
const EVENT_LANE = 40;
const NAMES = 180; /* pixels */
const MOST_LANES = 200;
const NEAR = 6; /* pixels that a slice has at least where each stretch is drawn */
const MOST_ARROWS = 2000;
/* Where in a lane, from and how high, and how: a hue; -1: grey. */
const bands = [];
bands[RUNS] = { y: 1, h: 13, hue: 150 };
bands[READY] = { y: 1, h: 13, hue: -1 };
bands[INTERRUPT] = { y: 1, h: 6, hue: 350 };
bands[CALL] = { y: 15, h: 7, hue: 260 };
bands[BLAME] = { y: 9, h: 5, hue: 0 };
bands[PAIR] = bands[SPAN] = { y: 15, h: 10, hue: 60 };

class Lane {
	constructor(key, columns) {
		this.key = key;
		this.total = this.time = 0;
		this.busy = new Float64Array(columns);
		this.kernel = new Float64Array(columns);
		this.idle = new Float64Array(columns);
		this.has = []; /* of events: by kind, ns of each column */
	}
}

/* Lanes, those that have most first; CPUs in their order. */
export function lanesOf(profile, pass, tracks, by, columns, from = 0, to = profile.slices) {
	const of = by === 'CPU' ? profile.sumCpu : profile.sumThread, { events } = profile;
	const lanes = new Map();
	const lane = (key) => {
		if (!lanes.has(key))
			lanes.set(key, new Lane(key, columns));
		return lanes.get(key);
	};
	columnsOf(profile, pass, columns, (column, sum, ticks) => {
		const l = lane(of[sum]), kind = leafKind(profile, sum);
		l.total += ticks;
		l[kindWords(kind) === 'idle' ? 'idle' : kind & 1 ? 'kernel' : 'busy'][column] += ticks;
	}, from, to);
	for (let i = events.ofSlice[from], end = events.ofSlice[to]; i < end; i++) {
		const track = events.partTrack[i], kind = events.kind[track], key = events.lane(track, by);
		if (!tracks[track] || key < 0 || kind >= MARK)
			continue;
		const l = lane(key);
		l.has[kind] = l.has[kind] || new Float64Array(columns);
		l.has[kind][Math.floor((events.partSlice[i] - from) * columns / (to - from))] += events.partHas[i];
		l.time += kind === BLAME ? 0 : events.partHas[i];
	}
	const list = Array.from(lanes.values());
	return by === 'CPU' ? list.sort((a, b) => a.key - b.key) :
		list.sort((a, b) => b.total - a.total || b.time - a.time || a.key - b.key);
}

export class Lanes extends TimeCanvas {
	/* tells: in words what is under the mouse. */
	constructor(canvas, profile, chooses, tells) {
		super(canvas, profile, chooses, NAMES);
		canvas.addEventListener('mousemove', (e) => tells(this.describe(e.offsetX, e.offsetY), e));
		canvas.addEventListener('mouseleave', () => tells('', null));
	}

	/* pass, tracks: which sums and tracks; near: the stretch alone. */
	show(pass, tracks, { lanes, from, to, near }) {
		Object.assign(this, { pass, tracks, by: lanes, from, to });
		this.start = near && from !== undefined ? from : 0;
		this.end = near && from !== undefined ? to : this.profile.slices;
		this.redraw();
	}

	redraw() {
		const { profile, start, end } = this, room = this.canvas.parentElement.clientWidth - NAMES;
		const columns = Math.max(1, Math.min(end - start, room));
		const lanes = lanesOf(profile, this.pass, this.tracks, this.by, columns, start, end);
		this.left_out = Math.max(0, lanes.length - MOST_LANES);
		this.shown = lanes.slice(0, MOST_LANES);
		this.high = profile.events.tracks ? EVENT_LANE : LANE;
		this.near = room / (end - start) >= NEAR;
		this.size(Math.max(1, this.shown.length) * this.high);
		this.row = new Map(this.shown.map((lane, i) => [lane.key, i]));
		this.drawn = [];
		this.arrows = this.hidden = 0;
		this.shown.forEach((lane, i) => this.drawLane(lane, i * this.high));
		if (this.near)
			this.drawStretches();
		this.drawMoments();
		this.drawStretch();
	}

	nameOf(lane) {
		if (this.by === 'CPU')
			return `CPU ${lane.key}`;
		return lane.key < 0 ? 'not known' : this.profile.threadLabel(lane.key);
	}

	colour(kind, salt) {
		const { hue } = bands[kind], turn = kind === BLAME ? (salt * 137 + 300) % 360 : (salt * 47) % 60;
		return hue < 0 ? (this.dark ? '#555' : '#ccc') :
			`hsl(${hue + (kind === INTERRUPT ? 0 : turn)} 55% ${this.dark ? 35 : 70}%)`;
	}

	drawLane(lane, y) {
		const { c } = this, w = (this.width - this.left) / this.columns, h = LANE - 3;
		const ns = (this.end - this.start) * this.profile.facts.slice_ns / this.columns;
		const floor = y + this.high - 3;
		let most = 1;
		for (let i = 0; i < this.columns; i++)
			most = Math.max(most, lane.busy[i] + lane.kernel[i] + lane.idle[i]);
		for (let i = 0; i < this.columns; i++) {
			let at = floor;
			for (const [name, kind] of [['busy', 0], ['kernel', kindList[1].kind], ['idle', 16]]) {
				const part = lane[name][i] / most * h;
				if (part) {
					fillBox(c, this.patterns, kind, colourOf(kind, 0, this.dark), this.left + i * w, at - part,
						Math.max(w, 1), part);
				}
				at -= part;
			}
		}
		if (!this.near)
			lane.has.forEach((has, kind) => this.drawBand(has, kind, y, w, ns));
		c.fillStyle = this.ink;
		c.save();
		c.beginPath();
		c.rect(0, y, this.left - 4, this.high);
		c.clip();
		c.fillText(this.nameOf(lane).slice(0, 80), 2, y + this.high / 2);
		c.restore();
	}

	/* How much of each column a lane has of something. */
	drawBand(has, kind, y, w, ns) {
		const { c } = this, band = bands[kind];
		c.fillStyle = this.colour(kind, 0);
		has.forEach((value, i) => {
			const part = Math.min(value / ns, 1) * band.h;
			if (part)
				c.fillRect(this.left + i * w, y + band.y + band.h - part, Math.max(w, 1), part);
		});
	}

	/* ---- near by ---------------------------------------------------------------------------- */

	drawStretches() {
		const { c, profile: { events, facts } } = this, unit = facts.slice_ns;
		for (let i = 0; i < events.stretches; i++) {
			const track = events.stretchTrack[i], from = events.stretchFrom[i] / unit;
			const to = from + events.stretchNs[i] / unit, row = this.row.get(events.lane(track, this.by));
			if (!this.tracks[track] || row === undefined || to < this.start || from > this.end)
				continue;
			const kind = events.kind[track], band = bands[kind], x = this.x(Math.max(from, this.start));
			const w = Math.max(this.x(Math.min(to, this.end)) - x, 0.5), y = row * this.high + band.y;
			const salt = kind === RUNS ? (this.by === 'CPU' ? events.thread[track] : events.cpu[track]) :
				kind === BLAME && events.other[track] >= 0 ? events.other[track] : events.name[track];
			if (kind === READY)
				fillBox(c, this.patterns, 16, this.colour(kind, 0), x, y, w, band.h);
			else {
				c.fillStyle = this.colour(kind, salt);
				c.fillRect(x, y, w, band.h);
			}
			this.drawn.push({ track, x, w, y, h: band.h, from: events.stretchFrom[i], ns: events.stretchNs[i] });
		}
	}

	/* What programs noted as a mark, and arrows from who woke to who was woken. */
	drawMoments() {
		const { c, profile: { events, facts } } = this;
		c.fillStyle = c.strokeStyle = this.ink;
		for (let i = 0; i < events.moments; i++) {
			const track = events.momentTrack[i], at = events.momentTime[i] / facts.slice_ns;
			if (!this.tracks[track] || at < this.start || at > this.end)
				continue;
			const wakes = events.kind[track] === WAKES, x = this.x(at);
			const to = this.row.get(wakes ? events.thread[track] : events.lane(track, this.by));
			if (this.by === 'CPU' || to === undefined)
				continue;
			if (!this.near || this.arrows >= MOST_ARROWS)
				this.hidden++;
			else if (wakes)
				this.drawArrow(x, this.row.get(events.other[track]), to);
			else
				c.fillRect(x - 1, to * this.high + 15, 2, 10);
			this.drawn.push({ track, x: x - 2, w: 4, y: to * this.high, h: this.high, from: events.momentTime[i], ns: 0 });
		}
	}

	drawArrow(x, from, to) {
		const { c } = this, end = to * this.high + (from === undefined || from < to ? 2 : this.high - 6);
		const tip = from === undefined || from < to ? -4 : 4;
		this.arrows++;
		c.beginPath();
		c.moveTo(x, from === undefined ? end - 8 : from * this.high + 12);
		c.lineTo(x, end);
		c.moveTo(x - 3, end + tip);
		c.lineTo(x, end);
		c.lineTo(x + 3, end + tip);
		c.stroke();
	}

	describe(x, y) {
		const box = this.drawn.findLast((b) => x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h);
		if (!box)
			return '';
		const { profile } = this, ns = box.ns ? `, ${box.ns / 1e6} ms` : '';
		return `${profile.events.describe(box.track)}: ${clock(profile.from, box.from)} s${ns}`;
	}
}

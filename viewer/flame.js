/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree as boxes on a canvas: as wide as what they stand for, callers above those that they call, or
 * below. Boxes that are too narrow to be seen are one grey box together, which says how many they are.
 */
import { amount, cut, percent, words } from './format.js';
import { colourOf, fillBox, patternsOf } from './marks.js';

const ROW = 18;
const NARROW = 0.5; /* pixels */
const DEEPEST = 600; /* rows: browsers limit canvases */

export class FlameView {
	/* told: shows(box), zooms(branch), opens(branch). */
	constructor(canvas, told) {
		this.canvas = canvas;
		this.told = told;
		this.boxes = [];
		this.chosen = null;
		canvas.addEventListener('mousemove', (e) => this.point(e));
		canvas.addEventListener('mouseleave', () => this.told.shows(this.chosen, null));
		canvas.addEventListener('click', (e) => this.click(e));
		canvas.addEventListener('keydown', (e) => this.press(e));
	}

	/* zoom: a path of keys; up: callees above; match: of a key whether it is searched for, or null. */
	show(tree, { zoom = [], up = false, match = null, unit = '', sum = 0 }) {
		const before = this.chosen && this.chosen.branch ? this.chosen.branch.path.join() : null;
		Object.assign(this, { tree, up, match, unit, sum });
		this.zoomed = tree.find(zoom);
		this.layout();
		this.chosen = this.boxes.find((box) => box.branch && box.branch.path.join() === before) || null;
		this.draw();
	}

	layout() {
		this.width = this.canvas.parentElement.clientWidth;
		this.boxes = [];
		this.deepest = 0;
		const above = [];
		for (let b = this.zoomed.parent; b; b = b.parent)
			above.unshift(b);
		above.forEach((branch, row) => this.boxes.push({ branch, row, x: 0, w: this.width, above: true }));
		const open = [this.box(this.zoomed, above.length, 0, this.width)];
		while (open.length)
			this.layoutBelow(open.pop(), open);
		this.rows = Math.min(this.deepest, DEEPEST) + 1;
	}

	box(branch, row, x, w) {
		const box = { branch, row, x, w };
		this.boxes.push(box);
		this.deepest = Math.max(this.deepest, row);
		return box;
	}

	layoutBelow(of, open) {
		if (of.row >= DEEPEST) {
			of.more = this.tree.children(of.branch).length > 0;
			return;
		}
		const scale = of.branch.total ? of.w / of.branch.total : 0;
		const children = this.tree.children(of.branch);
		let x = of.x, i;
		for (i = 0; i < children.length && children[i].total * scale >= NARROW; i++) {
			open.push(this.box(children[i], of.row + 1, x, children[i].total * scale));
			x += children[i].total * scale;
		}
		if (i === children.length)
			return;
		const rest = children.slice(i), total = rest.reduce((sum, b) => sum + b.total, 0);
		if (total * scale >= NARROW) {
			this.boxes.push({ rest: rest.length, total, of, row: of.row + 1, x, w: total * scale });
			this.deepest = Math.max(this.deepest, of.row + 1);
		}
	}

	y(row) {
		return (this.up ? this.rows - 1 - row : row) * ROW;
	}

	draw() {
		const ratio = window.devicePixelRatio || 1, canvas = this.canvas;
		const style = getComputedStyle(canvas), dark = style.getPropertyValue('--dark').trim() === '1';
		canvas.width = Math.max(1, Math.round(this.width * ratio));
		canvas.height = Math.round(this.rows * ROW * ratio);
		canvas.style.height = `${this.rows * ROW}px`;
		const c = canvas.getContext('2d');
		c.scale(ratio, ratio);
		c.font = `12px ${style.fontFamily}`;
		c.textBaseline = 'middle';
		this.letter = c.measureText('m').width;
		this.look = { c, dark, ink: style.color, patterns: patternsOf(c, dark) };
		for (const box of this.boxes)
			this.drawBox(box);
		if (this.chosen)
			this.outline(this.chosen);
	}

	drawBox(box) {
		const { c, dark, ink, patterns } = this.look, y = this.y(box.row), w = Math.max(box.w - 0.5, 0.5);
		if (box.rest) {
			c.fillStyle = dark ? '#444' : '#ccc';
			c.fillRect(box.x, y, w, ROW - 1);
			this.write(`… ${box.rest} narrower`, box, y);
			return;
		}
		const key = box.branch.key, kind = this.tree.kind(box.branch);
		const found = this.match && box.branch.parent && this.match(key);
		const { difference } = this.tree.profile;
		fillBox(c, patterns, kind, found ? (dark ? '#8a2a8a' : '#f0a0f0') :
			difference ? difference.colour(box.branch, dark) : colourOf(kind, key || 0, dark), box.x, y, w, ROW - 1);
		if (found) {
			c.strokeStyle = ink;
			c.strokeRect(box.x + 0.5, y + 0.5, Math.max(w - 1, 0), ROW - 2);
		}
		c.globalAlpha = (this.match && !found) || box.above ? 0.6 : 1;
		if (box.w > 3 * this.letter)
			this.write(`${this.label(box)}${box.more ? ' …' : ''}`, box, y);
		c.globalAlpha = 1;
	}

	/* As much of it as there is room for; what is cut is no part of the text, so nothing runs over. */
	write(text, box, y) {
		const { c, ink } = this.look, room = box.w - 6;
		let most = Math.floor(room / this.letter * 2);
		if (room < 2 * this.letter)
			return;
		while (most > 2 && c.measureText(cut(text, most)).width > room)
			most = Math.floor(most * 0.85);
		c.fillStyle = ink;
		if (most > 2)
			c.fillText(cut(text, most), box.x + 3, y + ROW / 2);
	}

	outline(box) {
		const { c, ink } = this.look;
		c.strokeStyle = ink;
		c.lineWidth = 2;
		c.strokeRect(box.x + 1, this.y(box.row) + 1, Math.max(box.w - 2, 1), ROW - 3);
		c.lineWidth = 1;
	}

	label(box) {
		const kind = this.tree.kindWords(box.branch), short = kind && kind !== 'user' && kind !== 'process';
		return this.tree.label(box.branch) + (short ? ` [${kind}]` : '');
	}

	/* In words: its name, what it is, and how much. */
	describe(box) {
		if (box.rest)
			return `${words(box.rest, 'call')} too narrow to be drawn: ${amount(box.total, this.unit)} ` +
				`(${percent(box.total, this.sum)} %)`;
		const { branch } = box, module = this.tree.module(branch);
		return `${this.tree.label(branch)}${module ? `  [${module}]` : ''}  ${this.tree.kindWords(branch)}  ` +
			`total ${amount(branch.total, this.unit)} (${percent(branch.total, this.sum)} %), ` +
			`self ${branch.self} (${percent(branch.self, this.sum)} %)` +
			(this.tree.profile.difference ? `; ${this.tree.profile.difference.describe(branch)}` : '');
	}

	at(x, y) {
		const row = this.up ? this.rows - 1 - Math.floor(y / ROW) : Math.floor(y / ROW);
		return this.boxes.find((box) => box.row === row && x >= box.x && x < box.x + box.w) || null;
	}

	point(event) {
		const box = this.at(event.offsetX, event.offsetY);
		this.canvas.style.cursor = box && box.branch ? 'pointer' : 'default';
		this.told.shows(box || this.chosen, box ? event : null);
	}

	click(event) {
		const box = this.at(event.offsetX, event.offsetY);
		if (!box || !box.branch)
			return;
		this.choose(box);
		this.told.zooms(box.branch);
	}

	choose(box) {
		this.chosen = box;
		this.draw();
		this.told.shows(box, null);
		const y = this.y(box.row), scroll = this.canvas.parentElement;
		if (y < scroll.scrollTop)
			scroll.scrollTop = y;
		else if (y + ROW > scroll.scrollTop + scroll.clientHeight)
			scroll.scrollTop = y + ROW - scroll.clientHeight;
	}

	/* Arrows go from box to box. */
	press(event) {
		const at = this.chosen || this.boxes.find((box) => box.branch === this.zoomed);
		const side = (box) => box.row === at.row && box !== at;
		const next = {
			ArrowLeft: () => this.boxes.filter((box) => side(box) && box.x < at.x).sort((a, b) => b.x - a.x)[0],
			ArrowRight: () => this.boxes.filter((box) => side(box) && box.x > at.x).sort((a, b) => a.x - b.x)[0],
			[this.up ? 'ArrowDown' : 'ArrowUp']: () => this.boxes.find((box) => box.row === at.row - 1 &&
				box.x <= at.x + NARROW / 2 && box.x + box.w > at.x),
			[this.up ? 'ArrowUp' : 'ArrowDown']: () => this.boxes.filter((box) => box.row === at.row + 1 &&
				box.x >= at.x - NARROW / 2 && box.x < at.x + at.w).sort((a, b) => a.x - b.x)[0],
			Home: () => this.boxes.find((box) => box.branch === this.zoomed),
		}[event.key];
		if (next) {
			event.preventDefault();
			const box = this.chosen || event.key === 'Home' ? next() : at;
			if (box)
				this.choose(box);
		} else if (event.key === 'Enter' && at.branch) {
			event.preventDefault();
			this.told.zooms(at.branch);
		} else if (event.key === 'c' && at.branch && at.branch.key >= 0) {
			this.told.opens(at.branch.key);
		}
	}
}

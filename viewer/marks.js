/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How kinds of functions look: a colour each, and a pattern, for who does not see colours apart. */
import { IDLE, INLINED, JIT, KERNEL, PROCESS, UNKNOWN } from './profile.js';

export const kindList = [
	{ kind: 0, word: 'user', hue: 38 },
	{ kind: KERNEL, word: 'kernel', hue: 210 },
	{ kind: JIT, word: 'JIT', hue: 130 },
	{ kind: INLINED, word: 'inlined', hue: 38 },
	{ kind: UNKNOWN, word: 'unknown', hue: 0 },
	{ kind: IDLE, word: 'idle', hue: -1 },
	{ kind: PROCESS, word: 'process', hue: -1 },
];

/* The kind that a thing is drawn as. */
export function mainKind(kind) {
	for (const one of [PROCESS, IDLE, KERNEL, JIT]) {
		if (kind & one)
			return one;
	}
	return 0;
}

export function colourOf(kind, salt, dark) {
	const main = mainKind(kind), hue = kindList.find((k) => k.kind === main).hue;
	const shade = (salt * 2654435761 >>> 0) % 16;
	if (hue < 0)
		return dark ? `hsl(220 8% ${26 + shade / 4}%)` : `hsl(220 10% ${84 + shade / 4}%)`;
	return dark ? `hsl(${hue + shade - 8} 45% ${26 + shade / 2}%)` : `hsl(${hue + shade - 8} 75% ${72 + shade / 2}%)`;
}

const SIZE = 8;

function pattern(context, ink, draw) {
	const tile = document.createElement('canvas');
	tile.width = tile.height = SIZE;
	const c = tile.getContext('2d');
	c.strokeStyle = c.fillStyle = ink;
	c.beginPath();
	draw(c);
	c.stroke();
	return context.createPattern(tile, 'repeat');
}

/* Patterns of a canvas, by bit of the kind. */
export function patternsOf(context, dark) {
	const ink = dark ? 'rgb(255 255 255 / 0.22)' : 'rgb(0 0 0 / 0.18)';
	return new Map([
		[KERNEL, pattern(context, ink, (c) => {
			for (const x of [-SIZE, 0, SIZE]) {
				c.moveTo(x, SIZE);
				c.lineTo(x + SIZE, 0);
			}
		})],
		[JIT, pattern(context, ink, (c) => {
			c.fillRect(1, 1, 2, 2);
			c.fillRect(5, 5, 2, 2);
		})],
		[INLINED, pattern(context, ink, (c) => {
			c.moveTo(0, 1.5);
			c.lineTo(5, 1.5);
		})],
		[UNKNOWN, pattern(context, ink, (c) => {
			c.moveTo(0, 0);
			c.lineTo(SIZE, SIZE);
			c.moveTo(SIZE, 0);
			c.lineTo(0, SIZE);
		})],
		[IDLE, pattern(context, ink, (c) => {
			c.moveTo(2.5, 0);
			c.lineTo(2.5, SIZE);
		})],
	]);
}

export function fillBox(context, patterns, kind, colour, x, y, w, h) {
	context.fillStyle = colour;
	context.fillRect(x, y, w, h);
	for (const [bit, fill] of patterns) {
		if (!(kind & bit))
			continue;
		context.fillStyle = fill;
		context.fillRect(x, y, w, h);
	}
	if (kind & PROCESS) {
		context.fillStyle = 'rgb(128 128 128 / 0.6)';
		context.fillRect(x, y, Math.min(3, w), h);
	}
}

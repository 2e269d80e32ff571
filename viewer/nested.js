/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tree as nested rows that open and close, by mouse or keys. What is closed is not made. */
import { percent } from './format.js';
import { element } from './table.js';

const MOST_CHILDREN = 200; /* rows of one caller at a time */
const DEEPEST_STEP = 40; /* steps of indentation */
export const MOST_OPEN = 2000; /* rows that a link opens */

/* Which rows are open: keys in their callers' parentheses, "1(2)3". */
export function openToText(open) {
	let text = '';
	for (const [key, inner] of open)
		text += `${text && !text.endsWith(')') ? '.' : ''}${key}${inner.size ? `(${openToText(inner)})` : ''}`;
	return text;
}

/* Of a text of anybody; null: not such a text. */
export function openFromText(text) {
	const top = new Map(), stack = [top];
	let last = null, count = 0;
	for (const [token] of text.matchAll(/-?\d+|[^]/g)) {
		if (/\d/.test(token)) {
			if (++count > MOST_OPEN || !Number.isSafeInteger(Number(token)))
				return null;
			last = new Map();
			stack[stack.length - 1].set(Number(token), last);
		} else if (token === '(' && last) {
			stack.push(last);
			last = null;
		} else if (token === ')' && stack.length > 1) {
			stack.pop();
			last = null;
		} else if (token === '.') {
			last = null;
		} else {
			return null;
		}
	}
	return stack.length === 1 ? top : null;
}

export class TreeView {
	/* told: opened(text), shows(row). */
	constructor(place, told) {
		this.place = place;
		this.told = told;
		this.body = null;
		place.addEventListener('keydown', (e) => this.press(e));
	}

	/* tree: top, children(node), row(node): name, module, total, self, times, note. */
	show(tree, { open, sum, unit, counted, match = null, caption = '' }) {
		Object.assign(this, { tree, sum, counted, match });
		this.open = openFromText(open || '') || new Map();
		if (open === undefined)
			this.openFirst();
		const head = (text, number) => element('th', { scope: 'col', class: number ? 'number' : '' }, text);
		this.body = element('tbody');
		const heads = [head(`Total ${unit}`, true), head('%', true), head('Self', true), head('%', true)];
		if (counted)
			heads.push(head(counted, true));
		this.place.replaceChildren(element('table', { role: 'treegrid', 'aria-label': caption },
			element('caption', {}, caption), element('thead', {}, element('tr', {}, ...heads, head('Function'), head('Module'))),
			this.body));
		/* They may be too many for arguments. */
		for (const row of this.rowsOf(tree.top, this.open, 1, 0))
			this.body.append(row);
		const first = this.body.querySelector('[role=row]');
		if (first)
			first.tabIndex = 0;
	}

	/* As long as there is no choice, or one has nearly all. */
	openFirst() {
		let at = this.open, node = this.tree.top;
		for (let depth = 0; depth < 20; depth++) {
			const children = this.tree.children(node), most = children.reduce((a, b) => (a && a.total >= b.total ? a : b), null);
			if (!most || (depth && most.total < 0.9 * node.total) || !this.tree.children(most).length)
				return;
			at.set(most.key, new Map());
			at = at.get(most.key);
			node = most;
		}
	}

	rowsOf(parent, open, level, from, rows = []) {
		const children = this.tree.children(parent), end = Math.min(children.length, from + MOST_CHILDREN);
		for (let i = from; i < end; i++) {
			const node = children[i], inner = open.get(node.key);
			rows.push(this.makeRow(node, open, level));
			if (inner && this.tree.children(node).length)
				this.rowsOf(node, inner, level + 1, 0, rows);
		}
		if (end < children.length) {
			const more = element('tr', { 'data-level': level }, element('td', { colspan: this.counted ? 5 : 4 }),
				element('td', { colspan: 2 }, element('button', { type: 'button', click: () =>
					more.replaceWith(...this.rowsOf(parent, open, level, end)) }, `${children.length - end} more`)));
			rows.push(more);
		}
		return rows;
	}

	makeRow(node, open, level) {
		const row = this.tree.row(node), opens = this.tree.children(node).length > 0;
		const number = (value) => element('td', { class: 'number', role: 'gridcell' }, String(value));
		const found = this.match && this.match(node);
		const line = element('tr', { role: 'row', 'aria-level': level, 'data-level': level, tabindex: -1,
			class: found ? 'found' : undefined,
			'aria-expanded': opens ? String(open.has(node.key)) : undefined },
		number(row.total), number(percent(row.total, this.sum)), number(row.self), number(percent(row.self, this.sum)));
		if (this.counted)
			line.append(number(row.times));
		const name = element('th', { scope: 'row', role: 'rowheader' }, row.name, row.note ? `  (${row.note})` : '');
		/* Not an attribute: the page's policy allows no style there. */
		name.style.paddingLeft = `${8 + 16 * Math.min(level - 1, DEEPEST_STEP)}px`;
		line.append(name, element('td', { role: 'gridcell' }, row.module));
		line.at = { node, open, level };
		line.addEventListener('click', () => {
			this.toggle(line);
			this.focus(line);
		});
		return line;
	}

	toggle(line, wanted) {
		const { node, open, level } = line.at, is = open.has(node.key);
		if (!this.tree.children(node).length || is === wanted)
			return;
		if (is) {
			open.delete(node.key);
			while (line.nextSibling && Number(line.nextSibling.dataset.level) > level)
				line.nextSibling.remove();
		} else {
			open.set(node.key, new Map());
			line.after(...this.rowsOf(node, open.get(node.key), level + 1, 0));
		}
		line.setAttribute('aria-expanded', String(!is));
		this.told.opened(openToText(this.open));
	}

	focus(line) {
		if (!line)
			return;
		for (const other of this.body.querySelectorAll('[tabindex="0"]'))
			other.tabIndex = -1;
		line.tabIndex = 0;
		line.focus();
	}

	press(event) {
		const line = event.target.closest('[role=row]');
		if (!line || !line.at)
			return;
		const rows = Array.from(this.body.querySelectorAll('[role=row]')), i = rows.indexOf(line);
		const opens = line.getAttribute('aria-expanded');
		const parent = () => rows.slice(0, i).findLast((r) => r.at.level < line.at.level);
		const act = {
			ArrowDown: () => this.focus(rows[i + 1]),
			ArrowUp: () => this.focus(rows[i - 1]),
			ArrowRight: () => (opens === 'false' ? this.toggle(line, true) : opens && this.focus(rows[i + 1])),
			ArrowLeft: () => (opens === 'true' ? this.toggle(line, false) : this.focus(parent())),
			Home: () => this.focus(rows[0]),
			End: () => this.focus(rows[rows.length - 1]),
			Enter: () => this.toggle(line),
		}[event.key];
		if (act) {
			event.preventDefault();
			act();
		}
	}
}

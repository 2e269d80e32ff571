/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows as a table that is sorted by the heads of its columns. */
import { percent } from './format.js';
import { sortRows } from './views.js';

const MOST_ROWS = 400; /* rows at a time */

export function element(name, attributes = {}, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (typeof value === 'function')
			e.addEventListener(key, value);
		else if (value !== undefined && value !== false)
			e.setAttribute(key, value === true ? '' : value);
	}
	e.append(...children);
	return e;
}

const columns = [
	{ key: 'what', title: 'What', of: ['event'] },
	{ key: 'who', title: 'Who', of: ['event'] },
	{ key: 'ns', title: 'ms', number: true, of: ['event'], shows: (ns) => (ns === '' ? '' : (ns / 1e6).toFixed(3)) },
	{ key: 'ns', title: 'ms', number: true, share: true, of: ['blame'], shows: (ns) => (ns / 1e6).toFixed(3) },
	{ key: 'times', title: 'Count', number: true, of: ['event'] },
	{ key: 'a', title: 'BASE', number: true, of: ['difference'] },
	{ key: 'b', title: 'NOW', number: true, of: ['difference'] },
	{ key: 'delta', title: 'DELTA', number: true, of: ['difference'], text: 'deltaText' },
	{ key: 'error', title: '±', number: true, of: ['difference'], text: 'errorText' },
	{ key: 'p', title: 'P', number: true, of: ['difference'], text: 'pText' },
	{ key: 'self', title: 'Self', number: true, share: true, not: ['event', 'difference', 'blame'] },
	{ key: 'total', title: 'Total', number: true, share: true, of: ['function'] },
	{ key: 'calls', title: 'Calls', number: true, counted: true, of: ['function'] },
	{ key: 'name', title: 'Name' },
	{ key: 'module', title: 'Module', of: ['function'] },
	{ key: 'kind', title: 'Kind', of: ['function'] },
];

export class TableView {
	/* told: sorts(column), opens(row). */
	constructor(place, told) {
		this.place = place;
		this.told = told;
		this.most = this.least = MOST_ROWS;
	}

	show(rows, { group, sort, sum, counted, name, caption }) {
		const shown = columns.filter((c) => (!c.of || c.of.includes(group)) && !c.not?.includes(group) &&
			(!c.counted || counted));
		const down = !sort.startsWith('-'), column = down ? sort : sort.slice(1);
		const numeric = column === 'rank' || columns.find((c) => c.key === column && c.number);
		Object.assign(this, { shown, sum, group });
		this.rows = sortRows(rows, column, numeric ? down : !down);
		const head = element('tr');
		for (const c of shown) {
			const sorted = c.key === column ? (numeric ? down : !down) ? 'descending' : 'ascending' : undefined;
			head.append(element('th', { scope: 'col', 'aria-sort': sorted, class: c.number ? 'number' : '' },
				element('button', { type: 'button', click: () => this.told.sorts(c.key === column && down ?
					`-${c.key}` : c.key) }, c.key === 'name' ? name : c.title)));
			if (c.share)
				head.append(element('th', { scope: 'col', class: 'number' }, '%'));
		}
		this.body = element('tbody');
		this.place.replaceChildren(element('table', {}, element('caption', {}, caption),
			element('thead', {}, head), this.body));
		this.fill();
	}

	fill() {
		const have = this.body.rows.length;
		for (const row of this.rows.slice(have, have + this.most))
			this.body.append(this.row(row));
		const left = this.rows.length - this.body.rows.length;
		if (this.more)
			this.more.remove();
		this.more = null;
		if (left > 0) {
			this.more = element('button', { type: 'button', click: () => this.fill() }, `${left} more`);
			this.place.append(this.more);
		}
	}

	row(row) {
		const line = element('tr', { 'data-key': row.key, class: row.look });
		for (const c of this.shown) {
			const value = row[c.key];
			if (c.key === 'name')
				line.append(element('th', { scope: 'row' }, element('button',
					{ type: 'button', class: 'plain', click: () => this.told.opens(row) }, value)));
			else
				line.append(element('td', { class: c.number ? 'number' : '' },
					c.text ? row[c.text] : c.shows ? c.shows(value) : String(value)));
			if (c.share)
				line.append(element('td', { class: 'number' }, percent(value, this.sum)));
		}
		return line;
	}
}

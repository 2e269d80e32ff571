/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions and source lines of a hot function with their ticks, as -annotate has them. They are of all
 * samples, whatever is selected. */
import { percent } from './format.js';
import { element } from './table.js';

export class CodeView {
	/* list: what -annotate's JSON has. */
	constructor(choice, note, instructions, lines, list) {
		Object.assign(this, { choice, note, instructions, lines, list });
		choice.replaceChildren(...list.map((code, i) => element('option', { value: i },
			`${code.name} [${code.module}] ${code.ticks}`.slice(0, 160))));
	}

	show(i) {
		const code = this.list[i];
		if (!code)
			return;
		this.choice.value = i;
		const sources = code.sources.filter((s) => s.no_text || s.newer)
			.map((s) => `source ${s.source}: ${s.no_text || 'is newer than the code: its lines may not be those that ran'}`);
		this.note.textContent = [`${code.name} [${code.module}]: ${code.ticks} ticks, ${percent(code.ticks * code.percent,
			code.ticks * 100)} % of all`, code.code_from ? `code from ${code.code_from}, ${code.address}` : '',
		code.no_instructions ? `no instructions: ${code.no_instructions}` : '', ...sources].filter((s) => s).join('\n');
		this.instructions.replaceChildren(...this.rows(code));
		const lines = code.lines.map((l) => this.row(code, l.ticks, '', this.place(l)));
		if (code.line_not_known)
			lines.push(this.row(code, code.line_not_known, '', 'not known'));
		this.lines.replaceChildren(...lines);
	}

	place(at) {
		return `${at.source}:${at.line}  ${(at.source_text || '-').replaceAll('\t', '    ')}`;
	}

	row(code, ticks, offset, text) {
		return element('tr', { class: ticks / code.ticks >= 0.05 ? 'hot' : undefined },
			element('td', { class: 'number' }, ticks ? String(ticks) : ''),
			element('td', { class: 'number' }, ticks ? percent(ticks, code.ticks) : ''),
			element('td', { class: 'number' }, offset), element('td', {}, text));
	}

	/* A source line stands above the instructions that it became. */
	rows(code) {
		const rows = [];
		let before = '';
		for (const one of code.instructions) {
			const place = one.source ? this.place(one) : '';
			if (place && place !== before)
				rows.push(element('tr', { class: 'source' }, element('td', { colspan: 3 }), element('td', {}, place)));
			before = place;
			rows.push(this.row(code, one.ticks, one.offset, one.text || ''));
		}
		if (code.astray)
			rows.push(this.row(code, code.astray, '', 'at no instruction’s start'));
		return rows;
	}
}

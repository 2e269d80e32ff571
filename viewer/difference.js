/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two traces: the profile's ticks are the second one's, here is what the first had. What has more is red,
 * what has less blue; grey is what chance explains.
 */
import { Numbers } from './bytes.js';

export class Difference {
	constructor(profile, blocks) {
		const n = new Numbers(blocks.base), count = n.next(), { facts } = profile;
		const self = n.column(count, Float64Array);
		this.sure = n.column(count, Uint8Array);
		this.selection = { bySum: self, self, total: profile.below(self), sum: facts.base_total };
		this.now = profile.select();
		this.scale = facts.parts ? [facts.base_total, facts.total] : [1, 1];
		this.parts = facts.parts;
		this.lines = new TextDecoder().decode(blocks.lines).split('\n').filter((line) => line)
			.map((line) => line.split('\t'));
	}

	/* What a branch of the tree had and has; sure: more than chance explains in any of its calls. */
	change(branch) {
		let a = 0, b = 0, sure = false;
		for (const node of branch.nodes) {
			if (node < 0)
				continue;
			a += this.selection.total[node];
			b += this.now.total[node];
			sure = sure || this.sure[node] === 1;
		}
		const [scaleA, scaleB] = this.scale;
		return { a, b, sure, delta: (scaleB ? b / scaleB : 0) - (scaleA ? a / scaleA : 0) };
	}

	/* The more it changed, of what it had and has, the stronger. */
	colour(branch, dark) {
		const { a, b, sure, delta } = this.change(branch), [scaleA, scaleB] = this.scale;
		const most = Math.max(a / (scaleA || 1), b / (scaleB || 1));
		if (!sure || !delta || !branch.parent)
			return dark ? '#444' : '#ddd';
		const strong = Math.min(1, Math.abs(delta) / (most || 1) * 2 + 0.15);
		return `hsl(${delta > 0 ? 5 : 215} 70% ${dark ? 25 + 20 * strong : 90 - 30 * strong}%)`;
	}

	describe(branch) {
		const { a, b, sure, delta } = this.change(branch), sign = delta > 0 ? '+' : '';
		const by = this.parts ? `${sign}${(100 * delta).toFixed(3)} % of all` : `${sign}${delta}`;
		return `base ${a}, now ${b}: ${by}, ${sure ? 'more than chance' : 'which chance explains'}`;
	}

	/* The report's lines; those that chance explains come last there, and are dim. */
	rows(profile) {
		return this.lines.map(([frame, a, b, delta, error, p, sure], rank) => ({
			key: Number(frame), rank, a: Number(a), b: Number(b), delta: Number(delta), deltaText: delta, errorText: error,
			error: Number(error), pText: p, p: p === '' ? 2 : Number(p), name: profile.nameOf(Number(frame)),
			kind: '', self: 0, look: sure !== '1' ? 'same' : Number(delta) > 0 ? 'more' : 'less',
		}));
	}
}

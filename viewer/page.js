/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page: reads its data, holds what is shown, and shows it anew whenever that changes. */
import { fromBase64, unpack } from './bytes.js';
import { CodeView } from './code.js';
import { Difference } from './difference.js';
import { Events } from './events.js';
import { FlameView } from './flame.js';
import { Flow } from './flow.js';
import { amount, clock, percent, words } from './format.js';
import { Lanes } from './lanes.js';
import { fillBox, colourOf, kindList, patternsOf } from './marks.js';
import { TreeView, openFromText } from './nested.js';
import { Profile } from './profile.js';
import { freshState, stateFromHash, stateToHash } from './state.js';
import { TableView, element } from './table.js';
import { Strip } from './timeline.js';
import { CalleeTree, CallerTree, sandwich, tableNames, tableRows } from './views.js';

const $ = (id) => document.getElementById(id);
const blockNames = ['facts', 'texts', 'processes', 'threads', 'frames', 'nodes', 'sums', 'cells', 'tracks', 'parts',
	'stretches', 'moments'];

const ofSome = ['base', 'lines', 'code', 'flow'];
const views = ['flame', 'sandwich', 'table', 'time', 'code', 'tree'];

async function readBlocks() {
	const blocks = {};
	await Promise.all([...blockNames, ...ofSome].map(async (name) => {
		const holder = $(`data-${name}`);
		if (holder)
			blocks[name] = await unpack(fromBase64(holder.textContent));
		holder?.remove();
	}));
	return blocks;
}

/* What is searched for, as a test of texts; null: nothing. /…/ is a regular expression. */
export function searchFor(text) {
	if (!text)
		return null;
	const expression = /^\/(.+)\/$/.exec(text);
	if (expression) {
		try {
			const re = new RegExp(expression[1], 'i');
			return (name) => re.test(name);
		} catch (e) {
			return () => false;
		}
	}
	const low = text.toLowerCase();
	return (name) => name.toLowerCase().includes(low);
}

class Page {
	constructor(profile) {
		this.profile = profile;
		this.state = stateFromHash(location.hash);
		this.check();
		this.flame = new FlameView($('flame'), this.toldByTree((path) => this.set({ zoom: path }), 'zoom'));
		this.callers = new FlameView($('callers'), this.toldByTree(null));
		this.callees = new FlameView($('callees'), this.toldByTree(null));
		this.table = new TableView($('table'), {
			sorts: (sort) => this.set(profile.difference && this.state.group === 'function' ? { lines: sort } : { sort }),
			opens: (row) => (profile.difference ? this.set({ view: 'flame', search: row.name }) : this.opens(row)),
		});
		const chooses = (from, to) => this.set({ from, to });
		this.strip = new Strip($('strip'), profile, chooses);
		this.lanes = new Lanes($('lanes'), profile, chooses, (text, event) => this.tellText(text, event));
		this.events = new TableView($('events'), {
			sorts: (events) => this.set({ events }),
			opens: (row) => row.thread >= 0 && this.set({ thread: this.state.thread === row.thread ? undefined : row.thread }),
		});
		this.code = new CodeView($('code-of'), $('code-note'), $('instructions'), $('lines'), profile.code);
		this.blames = new TableView($('blames'), { sorts: () => {}, opens: this.events.told.opens });
		/* The rows are there already: only the address changes. */
		this.tree = new TreeView($('tree'), { opened: (open) => {
			this.state.open = open;
			this.keep();
		} });
		this.tellFacts();
		this.fillControls();
		addEventListener('hashchange', () => {
			this.state = stateFromHash(location.hash);
			this.check();
			this.show();
		});
		addEventListener('resize', () => this.show());
		addEventListener('keydown', (e) => this.press(e));
		addEventListener('beforeprint', () => this.print(true));
		addEventListener('afterprint', () => this.print(false));
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.show());
		this.show();
	}

	/* A link may be another page's, or nobody's: what is not here is not shown. */
	check() {
		const { state, profile } = this, fresh = freshState();
		const limits = { process: profile.processes, thread: profile.threads, of: profile.frames,
			from: profile.slices, to: profile.slices + 1, event: profile.facts.events?.length || 0 };
		for (const [key, limit] of Object.entries(limits)) {
			if (!(state[key] >= 0 && state[key] < limit))
				state[key] = undefined;
		}
		if (profile.difference)
			state.reverse = false;
		else
			state.base = false;
		if (profile.difference && state.view === 'sandwich')
			state.view = 'flame';
		if (!profile.cgroups.includes(state.cgroup))
			state.cgroup = undefined;
		if (state.open !== undefined && !openFromText(state.open))
			state.open = undefined;
		if (!profile.flow)
			state.order = 'sums';
		if (!(state.code >= 0 && state.code < profile.code.length))
			state.code = 0;
		if (!profile.cpus.includes(state.cpu))
			state.cpu = undefined;
		if (state.from === undefined || !(state.to > state.from))
			state.from = state.to = undefined;
		for (const [key, list] of [['group', tableNames], ['by', ['function', 'name']], ['lanes', ['thread', 'CPU']],
			['view', views], ['order', ['sums', 'time']],
			['theme', ['', 'light', 'dark']],
			['sort', ['self', 'total', 'calls', 'name', 'module', 'kind'].flatMap((s) => [s, `-${s}`])],
			['lines', ['rank', 'a', 'b', 'delta', 'error', 'p', 'name'].flatMap((s) => [s, `-${s}`])],
			['events', ['what', 'who', 'name', 'times', 'ns'].flatMap((s) => [s, `-${s}`])]]) {
			if (!list.includes(state[key]))
				state[key] = fresh[key];
		}
	}

	set(change) {
		Object.assign(this.state, change);
		this.check();
		this.keep();
		this.show();
	}

	keep() {
		history.replaceState(null, '', stateToHash(this.state));
		document.body.dataset.ready = stateToHash(this.state);
	}

	/* Paper is light, and has all rows of tables. */
	print(begins) {
		document.documentElement.dataset.theme = begins ? 'light' : this.state.theme;
		for (const table of [this.table, this.events, this.blames])
			table.most = begins ? Infinity : table.least;
		this.show(begins ? 'light' : this.state.theme);
	}

	/* What a tree tells. Without a zoom of its own a box leads to the view of its function. */
	toldByTree(zooms) {
		return {
			shows: (box, event) => this.tell(box, event),
			zooms: (branch) => (zooms ? zooms(branch.path) : branch.key >= 0 && this.set({ of: branch.key })),
			opens: (key) => this.set({ view: 'sandwich', of: key }),
		};
	}

	opens(row) {
		const { group } = this.state;
		if (group === 'function')
			this.set({ view: 'sandwich', of: row.key });
		else if (group === 'process')
			this.set({ process: this.state.process === row.key ? undefined : row.key });
		else if (group === 'thread' && row.key >= 0)
			this.set({ thread: this.state.thread === row.key ? undefined : row.key });
		else if (group === 'CPU')
			this.set({ cpu: this.state.cpu === row.key ? undefined : row.key });
		else
			this.set({ group: 'function', search: row.name });
	}

	/* ---- what stands there once -------------------------------------------------------------- */

	tellFacts() {
		const { facts } = this.profile;
		document.title = `${facts.file} – pitrace`;
		$('file').textContent = facts.file;
		$('header').textContent = facts.header.join('\n').replace(`${facts.file}: `, '');
		const notes = [...(facts.unknown || []), ...facts.missing, ...facts.damage].filter((line) => line);
		$('notes').textContent = notes.join('\n');
		$('incomplete').hidden = !facts.incomplete;
		$('warnings').textContent = facts.warnings.join('\n');
		$('warned').hidden = !facts.warnings.length;
		$('warned-count').textContent = words(facts.warnings.length, 'warning');
		$('about').textContent = facts.about.join('\n');
		$('generator').textContent = facts.generator;
		if (this.profile.difference) {
			for (const id of ['tab-sandwich', 'of-reverse'])
				$(id).hidden = true;
			$('of-base').hidden = false;
		}
		$('tab-code').hidden = !this.profile.code.length;
		$('timed').hidden = $('tab-time').hidden = !this.profile.timed;
	}

	fillControls() {
		const { profile } = this, option = (value, text) => element('option', { value }, text);
		const choice = (id, list) => {
			$(id).replaceChildren(option('', 'all'), ...list.map(([value, text]) => option(value, text)));
			$(id).addEventListener('change', () => this.set({
				[id]: $(id).value === '' ? undefined : Number($(id).value) }));
		};
		const numbered = (count, label) => Array.from({ length: count }, (_, i) => [i, label(i).slice(0, 80)])
			.sort((a, b) => (a[1] < b[1] ? -1 : 1));
		choice('process', numbered(profile.processes, (i) => profile.processLabel(i)));
		choice('thread', numbered(profile.threads, (i) => profile.threadLabel(i)));
		choice('cpu', profile.cpus.map((cpu) => [cpu, `CPU ${cpu}`]));
		$('of-threads').hidden = !profile.threads;
		$('of-cpus').hidden = profile.cpus.length < 2;
		choice('cgroup', profile.cgroups.map((cgroup) => [cgroup, profile.cgroupLabel(cgroup).slice(-80)]));
		$('of-cgroups').hidden = profile.cgroups.length < 2;
		const kinds = profile.facts.events || [];
		$('event').replaceChildren(...kinds.map(({ name, total, unit }, i) => option(i, `${name}: ${amount(total, unit)}`)));
		$('event').addEventListener('change', () => this.set({ event: Number($('event').value) || undefined }));
		$('of-events').hidden = kinds.length < 2;
		$('of-order').hidden = !profile.flow;
		$('code-of').addEventListener('change', () => this.set({ code: Number($('code-of').value) }));
		for (const id of ['near', 'base'])
			$(id).addEventListener('change', () => this.set({ [id]: $(id).checked }));
		for (const id of ['reverse', 'merged', 'up'])
			$(id).addEventListener('change', () => this.set({ [id]: $(id).checked, zoom: id === 'up' ? this.state.zoom : [] }));
		$('by').addEventListener('change', () => this.set({ by: $('by').checked ? 'name' : 'function', zoom: [] }));
		$('group').replaceChildren(...tableNames.map((name) => option(name, name)));
		$('order').addEventListener('change', () => this.set({ order: $('order').value, open: undefined }));
		$('closed').addEventListener('click', () => this.set({ open: '' }));
		for (const id of ['group', 'lane', 'theme'])
			$(id).addEventListener('change', () => this.set({ [id === 'lane' ? 'lanes' : id]: $(id).value }));
		$('search').addEventListener('input', () => this.set({ search: $('search').value }));
		$('reset').addEventListener('click', () => this.set({ ...freshState(), view: this.state.view,
			theme: this.state.theme }));
		$('unzoom').addEventListener('click', () => this.set({ zoom: [] }));
		$('whole').addEventListener('click', () => this.set({ from: undefined, to: undefined }));
		for (const tab of document.querySelectorAll('[role=tab]'))
			tab.addEventListener('click', () => this.set({ view: tab.id.replace('tab-', '') }));
		for (const id of ['from', 'to'])
			$(id).addEventListener('change', () => this.setTime());
	}

	/* From and to in seconds of the trace's clock. */
	setTime() {
		const { profile } = this, slice = (id, round) => {
			const ns = (Number($(id).value) - Number(profile.from) / 1e9) * 1e9;
			return Math.max(0, Math.min(profile.slices, round(ns / profile.facts.slice_ns)));
		};
		this.set({ from: slice('from', Math.floor), to: slice('to', Math.ceil) });
	}

	legend() {
		const dark = getComputedStyle(document.body).getPropertyValue('--dark').trim() === '1';
		if (this.legendIsDark === dark)
			return;
		this.legendIsDark = dark;
		$('legend').replaceChildren(...kindList.map((k) => {
			const canvas = element('canvas', { width: 28, height: 14 }), c = canvas.getContext('2d');
			fillBox(c, patternsOf(c, dark), k.kind, colourOf(k.kind, 0, dark), 0, 0, 28, 14);
			return element('span', {}, canvas, ` ${k.word}`);
		}));
	}

	/* ---- whenever something changes ---------------------------------------------------------- */

	show(theme = this.state.theme) {
		const { state, profile } = this;
		document.documentElement.dataset.theme = theme;
		this.selection = profile.difference && state.base ? profile.difference.selection : profile.select(state);
		this.pass = profile.passes(state);
		this.showControls();
		this.legend();
		if (profile.timed)
			this.strip.show(this.pass, state.from, state.to);
		for (const tab of document.querySelectorAll('[role=tab]')) {
			const chosen = tab.id === `tab-${state.view}`;
			tab.setAttribute('aria-selected', chosen);
			tab.tabIndex = chosen ? 0 : -1;
			$(tab.getAttribute('aria-controls')).hidden = !chosen;
		}
		this.found();
		({ flame: () => this.showFlame(), sandwich: () => this.showSandwich(), table: () => this.showTable(),
			time: () => this.showTime(), code: () => this.showCode(), tree: () => this.showTree() })[state.view]();
		document.body.dataset.ready = stateToHash(state);
	}

	showControls() {
		const { state, profile, selection } = this, { unit, total } = profile.eventOf(state);
		for (const id of ['process', 'thread', 'cpu', 'cgroup'])
			$(id).value = state[id] === undefined ? '' : state[id];
		$('event').value = state.event || 0;
		$('order').value = state.order;
		for (const id of ['reverse', 'merged', 'up', 'near', 'base'])
			$(id).checked = state[id];
		$('by').checked = state.by === 'name';
		$('group').value = state.group;
		$('lane').value = state.lanes;
		$('theme').value = state.theme;
		if ($('search').value !== state.search)
			$('search').value = state.search;
		$('unzoom').disabled = !state.zoom.length;
		$('sum').textContent = state.base ? `${amount(selection.sum, unit)}, the first` :
			selection.sum === total ? amount(selection.sum, unit) :
			`${selection.sum} of ${amount(total, unit)} (${percent(selection.sum, total)} %)`;
		if (!profile.timed)
			return;
		const time = (slice) => clock(profile.from, slice * profile.facts.slice_ns);
		$('from').value = time(state.from === undefined ? 0 : state.from);
		$('to').value = time(state.to === undefined ? profile.slices : state.to);
		$('whole').disabled = $('near').disabled = state.from === undefined;
	}

	/* What is searched for, of functions; and how much of the selection has it somewhere. */
	found() {
		const { state, profile, selection } = this, test = searchFor(state.search);
		this.match = null;
		$('found').textContent = '';
		if (!test)
			return;
		const match = new Uint8Array(profile.frames), above = new Uint8Array(profile.nodes);
		let total = 0, functions = 0;
		for (let i = 0; i < profile.frames; i++)
			functions += match[i] = test(profile.nameOf(i)) || test(profile.moduleOf(i)) ? 1 : 0;
		for (let i = 0; i < profile.nodes; i++) {
			if (profile.parent[i] < 0)
				continue;
			above[i] = above[profile.parent[i]];
			if (!above[i] && match[profile.what[i]]) {
				above[i] = 1;
				total += selection.total[i];
			}
		}
		this.match = (key) => key >= 0 && match[key] === 1;
		$('found').textContent = `${words(functions, 'function')}: ${amount(total, profile.eventOf(state).unit)} ` +
			`(${percent(total, selection.sum)} %)`;
	}

	look(extra) {
		return { match: this.match, unit: this.profile.eventOf(this.state).unit, sum: this.selection.sum, ...extra };
	}

	showFlame() {
		const { state, profile, selection } = this, { by, merged } = state;
		const tree = state.reverse ? new CallerTree(profile, selection, { by }) :
			new CalleeTree(profile, selection, { by, merged });
		this.flame.show(tree, this.look({ zoom: state.zoom, up: state.up }));
		this.tell(null, null);
	}

	showSandwich() {
		const { state, profile, selection } = this;
		if (state.of === undefined) {
			const rows = tableRows(profile, selection, 'function', state.by);
			state.of = rows.length ? rows.reduce((a, b) => (b.total > a.total ? b : a)).key : 0;
		}
		if (!profile.frames)
			return;
		const of = profile.keys[state.by][state.of], row = tableRows(profile, selection, 'function', state.by)
			.find((r) => r.key === of) || { self: 0, total: 0 };
		const { callers, callees } = sandwich(profile, selection, state.by, of);
		$('of').textContent = `${profile.nameOf(of)}  [${profile.moduleOf(of)}]`;
		$('of-sum').textContent = `total ${row.total} (${percent(row.total, selection.sum)} %), ` +
			`self ${row.self} (${percent(row.self, selection.sum)} %)`;
		this.list('caller-list', callers, callers.children(callers.top), row.total, 'called by nobody: it is the outermost');
		this.list('callee-list', callees, callees.children(callees.top), row.total - row.self, '');
		this.callers.show(callers, this.look({ up: true }));
		this.callees.show(callees, this.look({}));
	}

	/* Branches as lines; a process that is a caller is nobody: it is the outermost. */
	list(id, tree, branches, sum, nobody) {
		const calls = branches.filter((b) => b.key >= 0), total = calls.reduce((all, b) => all + b.total, 0);
		const line = (number, name) => element('tr', {}, element('td', { class: 'number' }, String(number)),
			element('td', { class: 'number' }, percent(number, this.selection.sum)), element('th', { scope: 'row' }, name));
		const lines = calls.map((b) => line(b.total, element('button', { type: 'button', class: 'plain',
			click: () => this.set({ of: b.key }) }, `${tree.label(b)}  [${tree.module(b)}]`)));
		if (nobody && sum > total)
			lines.push(line(sum - total, nobody));
		$(id).replaceChildren(...lines);
	}

	showTable() {
		const { state, profile, selection } = this, test = searchFor(state.search);
		const rows = tableRows(profile, selection, state.group, state.by)
			.filter((row) => !test || test(row.name) || test(row.module));
		const { difference } = profile;
		if (difference && state.group === 'function') {
			const lines = difference.rows(profile).filter((row) => !test || test(row.name));
			this.table.show(lines, { group: 'difference', sort: state.lines, sum: 0, name: 'Function',
				caption: `${words(lines.length, 'row')}, in ${profile.facts.unit}` });
			return;
		}
		this.table.show(rows, { group: state.group, sort: state.sort, sum: selection.sum,
			counted: profile.facts.counts_calls, name: state.group === 'function' ? 'Function' : state.group,
			caption: `${words(rows.length, 'row')}, in ${profile.eventOf(state).unit}` });
	}

	showTree() {
		const { state, profile, selection } = this, { unit } = profile.eventOf(state), { flow } = profile;
		if (state.order === 'time') {
			const top = flow.select(state);
			this.tree.show({ top, children: (call) => flow.children(call), row: (call) => flow.row(call) }, {
				open: state.open, sum: top.total, unit, counted: 'Times here',
				match: this.match && ((call) => this.match(call.frame)), caption: `${words(flow.lines, 'line')} of -flow, ` +
					`nested, in their order${profile.facts.flow_left ? `; ${profile.facts.flow_left} later ones are left out` : ''}` });
			return;
		}
		const tree = new CalleeTree(profile, selection, { by: state.by, merged: state.merged });
		this.tree.show({ top: tree.top, children: (b) => tree.children(b), row: (b) => tree.row(b) }, { open: state.open,
			sum: selection.sum, unit, counted: profile.facts.counts_calls && 'Calls',
			match: this.match && ((b) => this.match(b.key)), caption: 'Calls, nested, the largest first' });
	}

	showCode() {
		this.code.show(this.state.code);
	}

	showTime() {
		const { state } = this;
		const { lanes, profile: { events, facts } } = this, said = [];
		lanes.show(this.pass, events.passes(state), state);
		if (lanes.left_out)
			said.push(`and ${lanes.left_out} more with less`);
		if (lanes.arrows)
			said.push(words(lanes.arrows, 'arrow'));
		if (lanes.hidden)
			said.push(`${words(lanes.hidden, 'moment')} and arrows can be seen in a shorter stretch alone`);
		if (facts.moment_step > 1)
			said.push(`one of ${facts.moment_step} moments is drawn`);
		if (facts.least_ns)
			said.push(`stretches of less than ${facts.least_ns} ns are not drawn one by one`);
		$('lanes-left').textContent = said.join('; ');
		const blames = events.blames(state);
		$('blames').hidden = !blames.length;
		this.blames.show(blames, { group: 'blame', sort: 'ns', sum: blames.reduce((all, row) => all + row.ns, 0),
			name: 'To blame', caption: 'Why threads waited, as in -critical: the time of threads that waited for it' });
		const rows = events.rows(state);
		this.events.show(rows, { group: 'event', sort: state.events, sum: 0, name: 'Name',
			caption: words(rows.length, 'row') });
	}

	/* In words what is under the mouse or chosen by keys. */
	tell(box, event) {
		const tree = { flame: this.flame }[this.state.view] || (box && this.callers.boxes.includes(box) ? this.callers :
			this.callees);
		this.tellText(box ? tree.describe(box) : '', event);
	}

	tellText(text, event) {
		const tip = $('tip');
		if (this.told !== text)
			$('said').textContent = this.told = text;
		tip.hidden = !event || !text;
		if (tip.hidden)
			return;
		tip.textContent = text;
		tip.style.left = `${Math.max(0, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8))}px`;
		tip.style.top = `${event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 8 :
			event.clientY + 18}px`;
	}

	press(event) {
		const typing = /^(INPUT|SELECT)$/.test(event.target.tagName) && event.target.type !== 'checkbox';
		if (event.key === 'Escape') {
			if (typing)
				event.target.blur();
			else if (event.target.id !== 'strip' && event.target.id !== 'lanes')
				this.set({ zoom: [], search: '' });
			return;
		}
		if (typing || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.target.getAttribute('role') === 'tab' && /^Arrow(Left|Right)$/.test(event.key)) {
			const tabs = Array.from(document.querySelectorAll('[role=tab]:not([hidden])'));
			const next = (tabs.indexOf(event.target) + (event.key === 'ArrowRight' ? 1 : tabs.length - 1)) % tabs.length;
			tabs[next].click();
			tabs[next].focus();
			return;
		}
		const view = { 1: 'flame', 2: 'sandwich', 3: 'table', 4: 'time', 5: 'code', 6: 'tree' }[event.key];
		if (event.key === '/') {
			event.preventDefault();
			$('search').focus();
		} else if (view && !$(`tab-${view}`).hidden) {
			this.set({ view });
		} else if (event.key === '?') {
			$('help').open = !$('help').open;
		}
	}
}

if (typeof document !== 'undefined') {
	try {
		const blocks = await readBlocks(), profile = new Profile(blocks);
		profile.events = new Events(profile, blocks);
		profile.flow = blocks.flow ? new Flow(profile, blocks.flow) : null;
		profile.code = blocks.code ? JSON.parse(new TextDecoder().decode(blocks.code)) : [];
		profile.difference = blocks.base ? new Difference(profile, blocks) : null;
		new Page(profile);
		$('loading').hidden = true;
	} catch (e) {
		$('loading').textContent = `This page cannot be shown: ${e.message}`;
		document.body.dataset.ready = 'failed';
		throw e;
	}
}

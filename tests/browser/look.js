/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * look.js PLAYWRIGHT PAGE SCREENSHOTS [STEP...]: opens a page of post -html in Debian's chromium without
 * a screen, goes through steps, and prints a line of JSON with what stands there after each. A step is
 * the page's address behind # ; or "click SELECTOR", "press SELECTOR KEYS", "type SELECTOR TEXT",
 * "drag SELECTOR FROM TO" (parts of its width), "unfold SELECTOR": opens all rows of a tree, "print": its
 * line has what was on paper. With OLD the browser lacks DecompressionStream; BROWSER is the address of a browser that
 * runs (serve.js). All errors of the page, and each request but the page itself, are printed at the end; the exit code
 * is 1 then.
 */
'use strict';
const path = require('path');

const [playwright, page, shots, ...steps] = process.argv.slice(2);
const { chromium } = require(playwright);

/* Runs in the page. */
function look() {
	const text = (id) => document.getElementById(id).textContent;
	const rows = (selector) => Array.from(document.querySelectorAll(selector), (tr) =>
		Array.from(tr.cells, (cell) => cell.textContent));
	return {
		ready: document.body.dataset.ready, title: document.title, header: text('header'), notes: text('notes'),
		incomplete: !document.getElementById('incomplete').hidden, sum: text('sum'), found: text('found'),
		of: text('of'), of_sum: text('of-sum'), said: text('said'), hash: location.hash,
		view: document.querySelector('[role=tab][aria-selected=true]')?.id.replace('tab-', ''),
		loading: document.getElementById('loading').hidden ? '' : text('loading'), printed: window.printed,
		blames: rows('#blames tbody tr'), caption: document.querySelector('#tree caption')?.textContent,
		tree: Array.from(document.querySelectorAll('#tree tr[aria-level]'), (tr) => [tr.getAttribute('aria-level'),
			...Array.from(tr.cells, (cell) => cell.textContent), tr.getAttribute('aria-expanded'), tr.tabIndex]),
		event_list: Array.from(document.querySelectorAll('#event option'), (o) => o.textContent),
		events: rows('#events tbody tr'), lanes: text('lanes-left'),
		from: document.getElementById('from').value, to: document.getElementById('to').value,
		code: text('code-note'), instructions: rows('#instructions tr:not(.source)'), lines: rows('#lines tr'),
		sources: rows('#instructions tr.source'),
		looks: Array.from(document.querySelectorAll('#table tbody tr[class]'), (tr) =>
			[tr.className, tr.querySelector('th').textContent]),
		table: rows('#table tbody tr'), callers: rows('#caller-list tr'), callees: rows('#callee-list tr'),
		processes: Array.from(document.querySelectorAll('#process option'), (o) => o.textContent),
		nameless: Array.from(document.querySelectorAll('button, input, select, canvas[tabindex]')).filter((e) =>
			!e.textContent.trim() && !e.getAttribute('aria-label') && !e.closest('label')).length,
	};
}

async function step(tab, words) {
	const [what, selector, ...rest] = words.split(' ');
	if (what === 'click') {
		await tab.click(selector);
	} else if (what === 'press') {
		await tab.press(selector, rest.join(' '));
	} else if (what === 'type') {
		await tab.fill(selector, rest.join(' '));
	} else if (what === 'choose') {
		await tab.selectOption(selector, { label: rest.join(' ') });
	} else if (what === 'unfold') {
		while (await tab.locator(`${selector} [aria-expanded=false]`).count())
			await tab.locator(`${selector} [aria-expanded=false]`).first().click();
	} else if (what === 'print') {
		await tab.emulateMedia({ media: 'print' });
		await tab.evaluate(() => {
			const shown = (list) => Array.from(document.querySelectorAll(list)).filter((e) => e.checkVisibility()).length;
			dispatchEvent(new Event('beforeprint'));
			window.printed = { rows: shown('#table tbody tr'), controls: shown('nav select, #said, #reset'),
				ground: getComputedStyle(document.body).getPropertyValue('--ground').trim() };
			dispatchEvent(new Event('afterprint'));
		});
		await tab.emulateMedia({ media: null });
		await tab.pdf();
	} else if (what === 'drag') {
		const box = await tab.locator(selector).boundingBox(), y = box.y + box.height / 2;
		await tab.mouse.move(box.x + box.width * Number(rest[0]), y);
		await tab.mouse.down();
		await tab.mouse.move(box.x + box.width * Number(rest[1]), y, { steps: 4 });
		await tab.mouse.up();
	} else {
		await tab.evaluate((hash) => { location.hash = hash; }, words);
		await tab.waitForTimeout(50);
	}
}

async function main() {
	const faults = [];
	const browser = process.env.BROWSER ? await chromium.connect(process.env.BROWSER) :
		await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
	const tab = await browser.newPage({ viewport: { width: 1280, height: 900 },
		colorScheme: process.env.DARK ? 'dark' : 'light' });
	if (process.env.OLD)
		await tab.addInitScript('delete self.DecompressionStream');
	const url = `file://${path.resolve(page)}`;
	tab.on('console', (m) => faults.push(`console: ${m.text()}`));
	tab.on('pageerror', (e) => faults.push(`error: ${e.message}`));
	tab.on('request', (r) => r.url().split('#')[0] === url || faults.push(`request: ${r.url()}`));
	tab.on('dialog', (d) => { faults.push(`dialog: ${d.message()}`); d.dismiss(); });
	await tab.goto(url);
	await tab.waitForSelector('body[data-ready]', { timeout: 20000 })
		.catch((e) => faults.forEach((fault) => console.error(fault)) || Promise.reject(e));
	const seen = async (name) => {
		await tab.screenshot({ path: `${shots}-${name}.png` });
		console.log(JSON.stringify(await tab.evaluate(look)));
	};
	await seen('0');
	for (const [i, words] of steps.entries()) {
		await step(tab, words);
		await seen(i + 1);
	}
	await browser.close();
	faults.forEach((fault) => console.error(fault));
	process.exitCode = faults.length ? 1 : 0;
}

main().catch((e) => {
	console.error(e.message);
	process.exit(2);
});

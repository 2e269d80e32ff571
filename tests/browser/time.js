/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * time.js PLAYWRIGHT page PAGE | time.js PLAYWRIGHT speedscope FOLDER PROFILE: opens a page of post -html, or a
 * profile in speedscope (FOLDER has its files), in Debian's chromium without a screen. Prints: milliseconds
 * to the first picture, and what the tab's process had in memory at most, MB; of a page also the slowest of
 * ten selections of time, milliseconds.
 */
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');

const [playwright, kind, ...rest] = process.argv.slice(2);
const { chromium } = require(playwright);

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };

/* Serves files of a folder, and one at /profile.json. */
function serve(folder, profile) {
	const server = http.createServer((request, response) => {
		const name = decodeURIComponent(request.url.split(/[?#]/)[0]);
		const file = name === '/profile.json' ? profile : path.join(folder, path.normalize(name));

		response.setHeader('Content-Type', types[path.extname(file)] ?? 'application/octet-stream');
		fs.createReadStream(file).on('error', () => {
			response.statusCode = 404;
			response.end();
		}).pipe(response);
	});
	return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

/* The peak of the processes that draw pages, MB. */
function peak(browser) {
	let most = 0;

	for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
		try {
			const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
			const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1');
			if (words.includes('--type=renderer') && words.includes(browser))
				most = Math.max(most, Number(status.match(/VmHWM:\s*(\d+)/)[1]) / 1024);
		} catch {
			/* It has ended. */
		}
	}
	return most;
}

/* Runs in the page: selects a part of the time, and waits until it is drawn. */
function select([from, to]) {
	const began = performance.now();
	const words = location.hash.slice(1).split('&').filter((word) => word && !/^(from|to)=/.test(word));

	location.hash = [...words, `from=${from}`, `to=${to}`].join('&');
	return new Promise((done) => {
		addEventListener('hashchange', () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - began))),
			{ once: true });
	});
}

async function main() {
	const folder = fs.mkdtempSync('/tmp/pitrace-browser-');
	const context = await chromium.launchPersistentContext(folder, { executablePath: '/usr/bin/chromium',
		args: ['--no-sandbox'], viewport: { width: 1280, height: 900 } });
	const tab = await context.newPage();
	const server = kind === 'speedscope' ? await serve(rest[0], rest[1]) : null;
	const url = server ? `http://127.0.0.1:${server.address().port}/index.html#profileURL=/profile.json` :
		`file://${path.resolve(rest[0])}`;
	const began = Date.now();

	try {
		await tab.goto(url);
		if (server)
			await tab.waitForFunction(() => document.querySelector('canvas') &&
				!/Loading|Drag/.test(document.body.innerText), null, { timeout: 120000, polling: 50 });
		else
			await tab.waitForSelector('body[data-ready]', { timeout: 120000 });
		await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
		const first = Date.now() - began;
		let slowest = 0;
		for (let i = 0; !server && i < 10; i++)
			slowest = Math.max(slowest, await tab.evaluate(select, [i * 10, i * 10 + 35]));
		console.log(first, Math.round(peak(folder)), Math.round(slowest));
	} finally {
		await context.close();
		if (server)
			server.close();
		fs.rmSync(folder, { recursive: true, force: true });
	}
}

main().catch((e) => {
	console.error(e.message);
	process.exit(2);
});

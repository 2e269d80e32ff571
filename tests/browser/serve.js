/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve.js PLAYWRIGHT: starts Debian's chromium without a screen for many pages, prints the address that look.js takes in
 * BROWSER, and ends it when its input ends. Each page of look.js has a context of its own there.
 */
'use strict';
const { chromium } = require(process.argv[2]);

chromium.launchServer({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'], handleSIGTERM: true }).then((server) => {
	process.stdin.on('end', () => server.close()).resume();
	console.log(server.wsEndpoint());
}).catch((e) => {
	console.error(e.message);
	process.exit(2);
});

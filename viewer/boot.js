/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unpacks the page's code and lets it run: the page's policy knows it by its hash. */
const packed = Uint8Array.from(atob(document.getElementById('code').textContent), (c) => c.charCodeAt(0));
const script = document.createElement('script');
script.type = 'module';
script.textContent = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
document.body.append(script);

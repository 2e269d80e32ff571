# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Sourced by tests of post -html: one browser, and what stands on a page in it.
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/post_lib.sh"

packages=$("$top/tests/viewers/get" ../browser) || exit 1
shots=$build/html
mkdir -p "$shots"

# The browser ends with this shell, the only writer of its input.
mkfifo "$work/browser"
exec {browser_input}> >(exec node "$top/tests/browser/serve.js" "$packages/playwright-core" >"$work/browser")
BROWSER=$(head -n 1 "$work/browser")
export BROWSER
[ "$BROWSER" ] || exit 1

look() { # NAME PAGE STEP...: lines of JSON to `seen`, faults to `why`
	local name=$1 page=$2
	shift 2
	timeout 200 node "$top/tests/browser/look.js" "$packages/playwright-core" "$page" "$shots/$name" "$@" \
		>seen 2>why && [ ! -s why ]
}
step() { # N FILTER: the page's content after a step
	sed -n "$(($1 + 1))p" seen | jq -r "$2"
}
want() { # WANTED HAVE
	[ "$1" = "$2" ] || {
		printf 'is "%s", not "%s"\n' "$2" "$1" >why
		false
	}
}

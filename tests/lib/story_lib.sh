# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by tests of instruction traces in stories: a program whose functions have the
# addresses that the story has. Sourced.
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/post_lib.sh"

command -v gcc >/dev/null || {
	echo "skip $suite gcc is not installed"
	exit 77
}

# program FILE FUNCTION:BYTES...: from 0x401000 on, one behind the other
program() {
	{
		echo .text
		printf '%s\n' "${@:2}" | awk -F: '{ print ".globl " $1 "\n.type " $1 ", %function\n" $1 \
			":\t.skip " $2 "\n.size " $1 ", " $2 }'
	} | gcc -nostdlib -static -Wl,-Ttext=0x401000,-z,max-page-size=0x1000,-e,main,--build-id=none -o "$1" \
		-x assembler - || exit 1
}

# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Which JDKs there are: that of JAVA_HOME, which comes first on the PATH; that of the PATH, and those
# beside it. Sourced.
[ ! -x "${JAVA_HOME:-/nowhere}/bin/javac" ] || PATH=$JAVA_HOME/bin:$PATH
jdk_release() { # FOLDER: its number
	sed -nE 's/^JAVA_VERSION="([0-9]+).*/\1/p' "$1/release"
}
# The folder of JAVA_HOME's JDK (tests/tools/jprof/other_jdk); without it, of the newest that can compile.
newest_jdk() {
	local folder best='' most=0 n

	if [ -x "${JAVA_HOME:-/nowhere}/bin/javac" ]; then
		echo "$JAVA_HOME"
		return
	fi
	for folder in "$(dirname "$(dirname "$(readlink -f "$(type -P javac)")")")" /usr/lib/jvm/*; do
		[ -x "$folder/bin/javac" ] && [ -f "$folder/release" ] || continue
		n=$(jdk_release "$folder")
		if [ "${n:-0}" -gt "$most" ]; then
			most=$n
			best=$folder
		fi
	done
	echo "$best"
}

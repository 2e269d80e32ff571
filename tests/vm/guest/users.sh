# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: tests/users/test_NAME.sh of each NAME. Programs are all in one folder here.
code=0
export BIN=/usr/local/bin PROGRAMS=/usr/local/bin IN_GUEST=1
# An emulated machine is slow.
export LIMIT=200
chmod 1777 /tmp
# As on a machine that lets users trace their own.
echo 1 >/proc/sys/kernel/perf_event_paranoid
for name in "$@"; do
	bash "/users/test_$name.sh" || code=1
done
exit $code

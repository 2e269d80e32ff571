#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whose rights: what belongs to a traced process is opened with that process's rights, and what a tool
# under sudo writes is written with its caller's.
set -u
. "$(dirname "$0")/lib.sh"

is users_differ "$(as $alice id -u) $(as $bob id -u)" "$alice $bob"
[ "$failures" = 0 ]

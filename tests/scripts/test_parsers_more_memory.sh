#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The other half of test_parsers_memory.sh.
set -u
parsers='[k-z]*'
# shellcheck source=tests/scripts/test_parsers_memory.sh
. "$(dirname "$0")/test_parsers_memory.sh"

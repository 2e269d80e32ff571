#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program in a container of podman, by the collector perf from outside: its cgroup, its name, its symbols and
# its code, also after the container and its image are gone.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1

skip_all() { # REASON
	echo "skip container $1"
	exit 0
}
works='.collectors[] | select(.name == "perf") | .system.state == "works"'
"$bin/swtrace" check --json | jq -e "$works" >/dev/null || skip_all "perf events of the system are not allowed here"
command -v podman >/dev/null && command -v runc >/dev/null || skip_all "podman and runc are not installed"

mkdir root
cat >spin.c <<'END'
#include <stdlib.h>
static volatile unsigned long x;
__attribute__((noinline)) void inside(unsigned long n) { while (n--) x += n; }
int main(int argc, char **argv) { inside(strtoul(argv[argc - 1], NULL, 0)); return 0; }
END
gcc -O1 -static -fno-omit-frame-pointer -o root/spin spin.c || exit 1

# Nothing of this machine's containers is touched; limits stay what they are.
pod=(podman --root "$work/store" --runroot "$work/run" --runtime runc --cgroup-manager cgroupfs)
tar c -C root . | "${pod[@]}" import -q - pitrace-test:1 >out 2>&1 || skip_all "podman imports no image here: $(tail -n 1 out)"
trap '"${pod[@]}" rm -af >/dev/null 2>&1; "${pod[@]}" rmi -af >/dev/null 2>&1; umount -R store/overlay 2>/dev/null; rm -rf "$work"' EXIT
run=("${pod[@]}" run --ulimit nofile=1024:1024 --ulimit nproc=1000:1000 --network none --rm)
"${run[@]}" localhost/pitrace-test:1 /spin 1 >out 2>&1 || skip_all "no container starts here: $(tail -n 1 out)"

# More than once: that its cgroup is known from its first tick on must not depend on luck. The drain must see it alive.
for i in 1 2 3; do
	"$bin/swtrace" run -q -a -B perf -o $i.nrm2 -- "${run[@]}" --cidfile $i.id localhost/pitrace-test:1 /spin 800000000 2>>err
done
"${pod[@]}" rmi -af >/dev/null 2>&1
for i in 1 2 3; do
	"$bin/post" -q -cgroup -json -comm spin -r $i.nrm2 >$i.json 2>>err
	jq -r '.cgroups[].name' $i.json >names
	is "cgroup_$i" "$(cat names)" "podman:$(cut -c 1-12 $i.id)"
done
"$bin/post" -q -json -comm spin -r 1.nrm2 >json 2>>err
jq -e '.total_ticks as $all | [.. | objects | select(.name? == "inside") | .ticks] | add > $all * 0.9' json >why
verdict symbols $? "$(jq -c '[.total_ticks, [.. | objects | select(.value?) | [.name, .ticks]]]' json)"
"$bin/post" -q -annotate inside -r 1.nrm2 -o - >code 2>>err
grep -q '(its copy in the trace)' code && [ "$(grep -c '%r' code)" -ge 3 ]
verdict code $? "$(head -n 12 code)"
exit $((failures > 0))

#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares our rewriter's result for each class of java.base and of the compiler with ASM's: the same methods,
# instruction by instruction, with the same handlers, frames, lines and variables; and the VM's verifier has the same
# verdict on both.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
rewrite=$programs/programs/rewrite_classes
java_home=$(dirname "$(dirname "$(readlink -f "$(type -P javac)")")")
if [ ! -x "$java_home/bin/jimage" ]; then
	echo "skip class_asm no JDK is installed"
	exit 77
fi
asm=
for part in asm asm-tree asm-analysis asm-util; do
	[ -f "/usr/share/java/$part.jar" ] && asm=$asm:/usr/share/java/$part.jar && continue
	echo "skip class_asm ASM is not installed: scripts/deps check"
	exit 77
done
unset JAVA_TOOL_OPTIONS
cd "$work" || exit 1

# A class that represents wrong ones.
mkdir -p tools wrong/bad hook/pitrace
cat >Bad.java <<'END'
public class Bad { static int f() { return 1; } }
END
cat >hook/pitrace/Hook.java <<'END'
package pitrace;

public class Hook {
	public static void enter(int id) { }
	public static void leave(int id) { }
	public static void unwind(int id) { }
	public static void caught(int id) { }
}
END
javac -cp "$asm" -d tools "$here/AsmRewrite.java" "$here/AsmVerdicts.java" Bad.java &&
	javac --patch-module java.base=hook -d hooks hook/pitrace/Hook.java &&
	printf 'Premain-Class: AsmVerdicts\nCan-Redefine-Classes: true\n' >manifest &&
	jar --create --file verdicts.jar --manifest manifest -C tools . || exit 1
"$java_home/bin/jimage" extract --dir all --include 'regex:/(java.base|jdk.compiler)/.*' "$java_home/lib/modules" || exit 1
cp -r all ours
(cd all && find . -name '*.class' ! -name module-info.class) | sed 's,^\./,,' >list
(cd ours && xargs -n 2000 "$rewrite" pitrace/Hook <../list >../out)
verdict rewritten $?

compared() { # LIST ORIGINALS REWRITTEN
	java -cp "tools$asm" AsmRewrite pitrace/Hook "$1" "$2" "$3" by_asm >out 2>&1
}
compared list all ours
code=$?
[ $code = 0 ] && awk 'END { exit !($1 > 5000 && $3 > 50000) }' out
verdict same_methods $?
# A class that differs is reported: here the original itself.
grep -m 1 'java/util/ArrayList.class' list >one
compared one all all
[ $? = 1 ] && grep -q '^java.base/java/util/ArrayList.class <init>(I)V: line 0: by ASM id, have' out
verdict a_difference_is_told $?

verdicts() { # LIST FOLDER
	java -Xverify:all -Xshare:off --patch-module java.base=hooks --add-modules jdk.compiler -javaagent:verdicts.jar \
		-cp verdicts.jar AsmVerdicts "$1" "$2" >"verdicts_$2" 2>err
}
verdicts list ours
code=$?
# Those of JFR's events are the VM's own, and must not be changed.
[ $code = 0 ] && awk '$2 == "good" { good++; next } !/^jdk\.internal\.event\./ { bad++; print }
	END { exit !(good > 5000 && !bad) }' "verdicts_ours" >out
verdict verifier $? "$(head -3 out err)"
verdicts list by_asm && cmp verdicts_ours verdicts_by_asm >out 2>&1
verdict same_verdicts $?
# One that is wrong is seen: ireturn is freturn.
perl -0pe 's/\x04\xac/\x04\xae/' tools/Bad.class >wrong/bad/Bad.class
echo bad/Bad.class >one
verdicts one wrong
is wrong_is_seen "$(cat verdicts_wrong)" 'Bad VerifyError'
exit $((failures != 0))

// SPDX-License-Identifier: GPL-3.0-or-later
// The verdicts of the VM's verifier on class files: AsmVerdicts LIST FOLDER, as an agent (premain) of a VM that
// has the classes. Each is to take the place of the VM's own; then a line for each, in order.
import java.lang.instrument.*;
import java.nio.file.*;
import java.util.*;

public class AsmVerdicts {
	static Instrumentation vm;
	public static void premain(String words, Instrumentation instrumentation) { vm = instrumentation; }

	static String verdict(List<ClassDefinition> all) {
		try {
			vm.redefineClasses(all.toArray(new ClassDefinition[0]));
			return "good";
		} catch (Throwable e) {
			return e.getClass().getSimpleName();
		}
	}
	static void tell(List<ClassDefinition> all, StringBuilder s) {
		String together = verdict(all);
		for (ClassDefinition one : all)
			s.append(one.getDefinitionClass().getName()).append(' ')
				.append(together.equals("good") ? together : verdict(List.of(one))).append('\n');
		all.clear();
	}
	public static void main(String[] a) throws Exception {
		StringBuilder s = new StringBuilder();
		List<ClassDefinition> all = new ArrayList<>();
		for (String file : Files.readAllLines(Path.of(a[0]))) {
			String name = file.substring(file.indexOf('/') + 1).replace('/', '.').replaceAll("\\.class$", "");
			all.add(new ClassDefinition(Class.forName(name, false, ClassLoader.getSystemClassLoader()), Files.readAllBytes(Path.of(a[1], file))));
			if (all.size() == 400)
				tell(all, s);
		}
		tell(all, s);
		System.out.print(s);
	}
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the calls of hooks into class files by ASM, as our rewriter says that it does, and compares:
//   AsmRewrite HOOKS LIST ORIGINALS REWRITTEN TO
// of each class file of LIST: what ASM makes of ORIGINALS/file, written to TO/file, and REWRITTEN/file
// say the same, instruction by instruction, with their handlers, frames, lines and variables.
import java.io.*;
import java.nio.file.*;
import java.util.*;
import org.objectweb.asm.*;
import org.objectweb.asm.tree.*;
import org.objectweb.asm.tree.analysis.*;
import org.objectweb.asm.util.*;

public class AsmRewrite {
	static String hooks;
	static int methods, differ;

	static InsnList call(int id, String hook) {
		InsnList list = new InsnList();
		list.add(new LdcInsnNode(id));
		list.add(new MethodInsnNode(Opcodes.INVOKESTATIC, hooks, hook, "(I)V", false));
		return list;
	}
	static boolean isReturn(AbstractInsnNode n) {
		return n.getOpcode() >= Opcodes.IRETURN && n.getOpcode() <= Opcodes.RETURN;
	}

	// ---- where a constructor has not called its superclass's: no handler may be there
	static final BasicValue UNINIT = new BasicValue(Type.getObjectType("uninitialized this"));
	static class Values extends BasicInterpreter {
		Values() { super(Opcodes.ASM9); }
		@Override public BasicValue newParameterValue(boolean instance, int local, Type type) {
			return instance && local == 0 ? UNINIT : super.newParameterValue(instance, local, type);
		}
	}
	static class State extends Frame<BasicValue> {
		boolean early;
		State(int locals, int stack) { super(locals, stack); early = true; }
		State(Frame<? extends BasicValue> of) { super(of); early = ((State)of).early; }
		@Override public Frame<BasicValue> init(Frame<? extends BasicValue> of) {
			early = ((State)of).early;
			return super.init(of);
		}
		@Override public void execute(AbstractInsnNode n, Interpreter<BasicValue> in) throws AnalyzerException {
			if (n instanceof MethodInsnNode && n.getOpcode() == Opcodes.INVOKESPECIAL && ((MethodInsnNode)n).name.equals("<init>")) {
				int arguments = Type.getArgumentTypes(((MethodInsnNode)n).desc).length;
				if (getStack(getStackSize() - 1 - arguments) == UNINIT)
					early = false;
			}
			super.execute(n, in);
		}
		@Override public boolean merge(Frame<? extends BasicValue> of, Interpreter<BasicValue> in) throws AnalyzerException {
			boolean changes = super.merge(of, in) | (early != (early | ((State)of).early));
			early |= ((State)of).early;
			return changes;
		}
	}
	// Before which instructions it is so.
	static Set<AbstractInsnNode> early(String owner, MethodNode m) throws AnalyzerException {
		Set<AbstractInsnNode> set = new HashSet<>();
		if (!m.name.equals("<init>") || owner.equals("java/lang/Object"))
			return set;
		Frame<BasicValue>[] frames = new Analyzer<BasicValue>(new Values()) {
			@Override protected Frame<BasicValue> newFrame(int locals, int stack) { return new State(locals, stack); }
			@Override protected Frame<BasicValue> newFrame(Frame<? extends BasicValue> of) { return new State(of); }
		}.analyze(owner, m);
		for (int i = 0; i < frames.length; i++)
			if (frames[i] != null && ((State)frames[i]).early)
				set.add(m.instructions.get(i));
		return set;
	}

	// ---- the calls
	static void rewrite(String owner, MethodNode m, int id) throws AnalyzerException {
		Set<AbstractInsnNode> early = early(owner, m);
		Set<AbstractInsnNode> caught = new HashSet<>();
		List<AbstractInsnNode> real = new ArrayList<>();
		Map<AbstractInsnNode, LabelNode> before = new HashMap<>();
		LabelNode handler = new LabelNode();
		for (TryCatchBlockNode t : m.tryCatchBlocks) {
			AbstractInsnNode n = t.handler;
			while (n.getOpcode() < 0)
				n = n.getNext();
			caught.add(n);
		}
		// A handler that covers itself would catch what its own call throws.
		for (TryCatchBlockNode t : m.tryCatchBlocks) {
			int at = m.instructions.indexOf(t.handler);
			AbstractInsnNode n = t.handler;
			while (n.getOpcode() < 0)
				n = n.getNext();
			if (m.instructions.indexOf(t.start) <= at && at < m.instructions.indexOf(t.end))
				caught.remove(n);
		}
		for (AbstractInsnNode n : m.instructions)
			if (n.getOpcode() >= 0)
				real.add(n);
		boolean empty = real.size() == 1 && real.get(0).getOpcode() == Opcodes.RETURN;
		for (AbstractInsnNode n : real) {
			LabelNode label = new LabelNode();
			before.put(n, label);
			m.instructions.insertBefore(n, label);
			if (caught.contains(n))
				m.instructions.insertBefore(n, call(id, "caught"));
			if (isReturn(n))
				m.instructions.insertBefore(n, call(id, "leave"));
		}
		m.instructions.insert(call(id, "enter"));
		m.instructions.add(handler);
		boolean any = false;
		for (int i = 0; i < real.size() && !empty; i++) {
			if (early.contains(real.get(i)))
				continue;
			int end = i;
			while (end < real.size() && !early.contains(real.get(end)))
				end++;
			m.tryCatchBlocks.add(new TryCatchBlockNode(before.get(real.get(i)),
				end < real.size() ? before.get(real.get(end)) : handler, handler, null));
			i = end;
			any = true;
		}
		if (any) {
			m.instructions.add(new FrameNode(Opcodes.F_NEW, 0, new Object[0], 1, new Object[] { "java/lang/Throwable" }));
			m.instructions.add(call(id, "unwind"));
			m.instructions.add(new InsnNode(Opcodes.ATHROW));
		}
		// Annotations of types in code go.
		m.visibleLocalVariableAnnotations = m.invisibleLocalVariableAnnotations = null;
		for (AbstractInsnNode n : m.instructions)
			n.visibleTypeAnnotations = n.invisibleTypeAnnotations = null;
		for (TryCatchBlockNode t : m.tryCatchBlocks)
			t.visibleTypeAnnotations = t.invisibleTypeAnnotations = null;
	}

	// ---- as text: places are numbers of instructions
	static class Text {
		final Map<LabelNode, Integer> place = new HashMap<>();
		final StringBuilder s = new StringBuilder(), lines = new StringBuilder();
		String id;
		int at(LabelNode l) { return place.get(l); }
		// A range that begins at the first instruction may also begin at the hook's call.
		int from(LabelNode l) { return at(l) == 2 ? 0 : at(l); }
		String values(List<Object> list) {
			StringBuilder v = new StringBuilder();
			for (Object o : list)
				v.append(' ').append(o instanceof LabelNode ? "new at " + at((LabelNode)o) : o);
			return v.toString();
		}
		void instruction(AbstractInsnNode n) {
			s.append(n.getOpcode());
			if (n instanceof IntInsnNode) s.append(' ').append(((IntInsnNode)n).operand);
			else if (n instanceof VarInsnNode) s.append(' ').append(((VarInsnNode)n).var);
			else if (n instanceof TypeInsnNode) s.append(' ').append(((TypeInsnNode)n).desc);
			else if (n instanceof FieldInsnNode) { FieldInsnNode f = (FieldInsnNode)n; s.append(' ' + f.owner + ' ' + f.name + ' ' + f.desc); }
			else if (n instanceof MethodInsnNode) { MethodInsnNode m = (MethodInsnNode)n; s.append(' ' + m.owner + ' ' + m.name + ' ' + m.desc + ' ' + m.itf); }
			else if (n instanceof InvokeDynamicInsnNode) { InvokeDynamicInsnNode d = (InvokeDynamicInsnNode)n; s.append(' ' + d.name + ' ' + d.desc + ' ' + d.bsm + Arrays.toString(d.bsmArgs)); }
			else if (n instanceof JumpInsnNode) s.append(' ').append(at(((JumpInsnNode)n).label));
			else if (n instanceof LdcInsnNode) { Object c = ((LdcInsnNode)n).cst; s.append(' ' + c.getClass().getName() + ' ' + c); }
			else if (n instanceof IincInsnNode) s.append(" " + ((IincInsnNode)n).var + ' ' + ((IincInsnNode)n).incr);
			else if (n instanceof TableSwitchInsnNode) { TableSwitchInsnNode t = (TableSwitchInsnNode)n; s.append(" " + t.min + ' ' + t.max + ' ' + at(t.dflt)); for (LabelNode l : t.labels) s.append(" " + at(l)); }
			else if (n instanceof LookupSwitchInsnNode) { LookupSwitchInsnNode t = (LookupSwitchInsnNode)n; s.append(" " + t.keys + ' ' + at(t.dflt)); for (LabelNode l : t.labels) s.append(" " + at(l)); }
			else if (n instanceof MultiANewArrayInsnNode) s.append(" " + ((MultiANewArrayInsnNode)n).desc + ' ' + ((MultiANewArrayInsnNode)n).dims);
			s.append('\n');
		}
		// A constant before a call of a hook: all of a method are the same, whatever it is.
		boolean isId(AbstractInsnNode n) {
			AbstractInsnNode next = n.getNext();
			if (!(next instanceof MethodInsnNode) || !((MethodInsnNode)next).owner.equals(hooks))
				return false;
			String mine = n instanceof LdcInsnNode ? ((LdcInsnNode)n).cst.toString() : "" + ((IntInsnNode)n).operand;
			if (id == null)
				id = mine;
			s.append(mine.equals(id) ? "id\n" : "another id\n");
			return true;
		}
		String of(MethodNode m) {
			int n = 0;
			for (AbstractInsnNode i : m.instructions)
				if (i instanceof LabelNode) place.put((LabelNode)i, n);
				else if (i.getOpcode() >= 0) n++;
			n = 0;
			for (AbstractInsnNode i : m.instructions) {
				if (i instanceof FrameNode) s.append("frame" + values(((FrameNode)i).local) + " |" + values(((FrameNode)i).stack) + '\n');
				else if (i instanceof LineNumberNode) lines.append("line " + ((LineNumberNode)i).line + " at " + from(((LineNumberNode)i).start) + '\n');
				else if (i.getOpcode() >= 0 && !isId(i)) instruction(i);
			}
			for (TryCatchBlockNode t : m.tryCatchBlocks)
				s.append("try " + at(t.start) + ' ' + at(t.end) + ' ' + at(t.handler) + ' ' + t.type + '\n');
			if (m.localVariables != null)
				for (LocalVariableNode v : m.localVariables)
					s.append("variable " + v.name + ' ' + v.desc + ' ' + v.signature + ' ' + v.index + ' ' + from(v.start) + ' ' + at(v.end) + '\n');
			return s.append(lines).toString();
		}
	}

	// All but the methods' code.
	static String outside(ClassReader r) {
		StringWriter w = new StringWriter();
		r.accept(new TraceClassVisitor(null, new Textifier(), new PrintWriter(w)), ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
		return w.toString();
	}
	static void tell(String where, String what) {
		if (differ++ < 20)
			System.out.println(where + ": " + what);
	}
	static void compare(String file, MethodNode want, MethodNode have) {
		String a = new Text().of(want), b = new Text().of(have);
		if (a.equals(b))
			return;
		String[] x = a.split("\n"), y = b.split("\n");
		int i = 0;
		while (i < x.length && i < y.length && x[i].equals(y[i]))
			i++;
		tell(file + " " + want.name + want.desc, "line " + i + ": by ASM " + (i < x.length ? x[i] : "ends") +
			", have " + (i < y.length ? y[i] : "ends"));
	}

	public static void main(String[] a) throws Exception {
		hooks = a[0];
		int files = 0;
		for (String file : Files.readAllLines(Path.of(a[1]))) {
			byte[] bytes = Files.readAllBytes(Path.of(a[2], file));
			ClassReader original = new ClassReader(bytes), rewritten = new ClassReader(Files.readAllBytes(Path.of(a[3], file)));
			ClassNode want = new ClassNode(), have = new ClassNode();
			original.accept(want, ClassReader.EXPAND_FRAMES);
			rewritten.accept(have, ClassReader.EXPAND_FRAMES);
			if (!outside(original).equals(outside(rewritten)))
				tell(file, "differs outside of code");
			boolean changed = false;
			for (int i = 0; i < want.methods.size() && i < have.methods.size(); i++) {
				MethodNode m = want.methods.get(i);
				if (m.instructions.size() == 0)
					continue;
				rewrite(want.name, m, 100000 + methods++);
				compare(file, m, have.methods.get(i));
				changed = true;
			}
			ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
			want.accept(w);
			Path to = Path.of(a[4], file);
			Files.createDirectories(to.getParent());
			Files.write(to, changed ? w.toByteArray() : bytes);
			files++;
		}
		System.out.println(files + " classes, " + methods + " methods, " + differ + " differ");
		System.exit(differ == 0 ? 0 : 1);
	}
}

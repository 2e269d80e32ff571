// SPDX-License-Identifier: GPL-3.0-or-later
// A peer: what an agent made with ASM takes that only counts begins and ends of methods, without a
// tree, and without reading any clock; as threads may, without losing a count.
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.AdviceAdapter;

public class CountingAgent implements ClassFileTransformer {
	static final int MOST = 1 << 20;
	static final AtomicLongArray begins = new AtomicLongArray(MOST), ends = new AtomicLongArray(MOST);
	static Instrumentation agent;
	static int methods;

	public static void begin(int id) {
		begins.incrementAndGet(id);
	}
	public static void end(int id) {
		ends.incrementAndGet(id);
	}

	public static void premain(String prefix, Instrumentation to) {
		agent = to;
		to.addTransformer(new CountingAgent());
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			long b = 0, e = 0;
			for (int i = 0; i < methods; i++) {
				b += begins.get(i);
				e += ends.get(i);
			}
			System.err.println(b + " begins, " + e + " ends");
		}));
	}

	@Override
	public byte[] transform(Module module, ClassLoader loader, String name, Class<?> old,
				ProtectionDomain domain, byte[] bytes) {
		// Others do not see this class.
		if (loader != CountingAgent.class.getClassLoader() || name == null ||
		    name.startsWith("CountingAgent") || name.startsWith("org/objectweb/"))
			return null;
		if (module.isNamed() && !module.canRead(CountingAgent.class.getModule()))
			agent.redefineModule(module, Set.of(CountingAgent.class.getModule()), Map.of(),
					     Map.of(), Set.of(), Map.of());
		try {
			ClassReader reader = new ClassReader(bytes);
			ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
			reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
				@Override
				public MethodVisitor visitMethod(int access, String method, String descriptor,
								 String signature, String[] thrown) {
					MethodVisitor to = super.visitMethod(access, method, descriptor,
									     signature, thrown);
					if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0)
						return to;
					return counting(to, access, method, descriptor);
				}
			}, ClassReader.EXPAND_FRAMES);
			return writer.toByteArray();
		} catch (RuntimeException e) {
			return null;
		}
	}

	static MethodVisitor counting(MethodVisitor to, int access, String name, String descriptor) {
		int id = methods++;

		return new AdviceAdapter(Opcodes.ASM9, to, access, name, descriptor) {
			void call(String which) {
				visitLdcInsn(id);
				visitMethodInsn(INVOKESTATIC, "CountingAgent", which, "(I)V", false);
			}
			@Override
			protected void onMethodEnter() {
				call("begin");
			}
			@Override
			protected void onMethodExit(int opcode) {
				call("end");
			}
		};
	}
}

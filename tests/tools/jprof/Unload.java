// SPDX-License-Identifier: GPL-3.0-or-later
// Classes that come and go: 80 rounds, in each a new class loader with one of the eight classes of
// Reuse, whose method is called 500 times; then all of it is dropped. The VM gives the place of one
// class's methods to another's.
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.util.function.IntUnaryOperator;

public class Unload {
	static class Loader extends ClassLoader {
		Loader() {
			super(Unload.class.getClassLoader());
		}
		Class<?> make(String name) throws Exception {
			try (InputStream in = Unload.class.getResourceAsStream(name + ".class")) {
				byte[] bytes = in.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
		}
	}

	public static void main(String[] args) throws Exception {
		int sum = 0;

		for (int i = 0; i < 80; i++) {
			Constructor<?> made =
				new Loader().make("Gen" + (i * 5 + i / 8) % 8).getDeclaredConstructor();
			made.setAccessible(true);
			IntUnaryOperator work = (IntUnaryOperator) made.newInstance();
			for (int k = 0; k < 500; k++)
				sum += work.applyAsInt(3);
			made = null;
			work = null;
			System.gc();
		}
		System.out.println(sum);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
package pitrace.jperf;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;

/** Loads libjperf.so, and turns text into bytes and back. */
final class Native {
	private static final String FILE = "libjperf.so";

	private Native() {
	}

	static {
		String named = System.getProperty("pitrace.jperf.library");
		File beside = named == null ? beside() : new File(named);

		if (beside != null)
			System.load(beside.getAbsolutePath());
		else
			System.loadLibrary("jperf");
	}

	/** Returns the library that was installed with this JAR, beside it or one folder above; null: none. */
	private static File beside() {
		try {
			CodeSource source = Native.class.getProtectionDomain().getCodeSource();
			File folder = new File(source.getLocation().toURI()).getParentFile();
			File file = new File(folder, FILE);

			if (!file.isFile())
				file = new File(folder.getParentFile(), FILE);
			return file.isFile() ? file : null;
		} catch (RuntimeException | java.net.URISyntaxException e) {
			return null;
		}
	}

	/** Loads the library by class initialization: called before the first native method of a class. */
	static void load() {
	}

	static byte[] bytes(String text) {
		return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
	}

	static byte[][] bytes(String[] texts) {
		if (texts == null)
			return null;
		byte[][] all = new byte[texts.length][];
		for (int i = 0; i < texts.length; i++)
			all[i] = bytes(texts[i]);
		return all;
	}

	static String text(byte[] bytes) {
		return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
	}
}

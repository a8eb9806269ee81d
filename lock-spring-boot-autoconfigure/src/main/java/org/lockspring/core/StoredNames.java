package org.lockspring.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The full name of a lock: {@code namespace:{key}}. Two different pairs never share a
 * name: whatever could end a part early is written as {@code %} and hexadecimal digits.
 * The braces are the hash tag by which Redis Cluster keeps all entries of one lock in one
 * slot. A name over 256 bytes keeps the start of its key, if that is ASCII, followed by
 * {@code %#} and the SHA-256 of the whole key.
 */
final class StoredNames {

	private static final int MAX_BYTES = 256;

	private static final int KEPT_CHARS = 64;

	private final String prefix;

	StoredNames(String namespace) {
		String escaped = escape(namespace, true);
		this.prefix = ((bytes(escaped) <= MAX_BYTES / 2) ? escaped : "%#" + sha256(namespace)) + ":{";
	}

	String of(String key) {
		if (key.length() <= MAX_BYTES) {
			String name = this.prefix + escape(key, false) + "}";
			if (name.length() <= MAX_BYTES && bytes(name) <= MAX_BYTES) {
				return name;
			}
		}
		String start = escape(key.substring(0, Math.min(key.length(), KEPT_CHARS)), false);
		String kept = start.chars().allMatch((c) -> c < 0x80) && start.length() <= KEPT_CHARS ? start : "";
		return this.prefix + kept + "%#" + sha256(key) + "}";
	}

	private static String escape(String part, boolean colon) {
		StringBuilder escaped = null;
		for (int i = 0; i < part.length(); i++) {
			char c = part.charAt(i);
			if (isPlain(part, i, c) && !(colon && c == ':')) {
				if (escaped != null) {
					escaped.append(c);
				}
			}
			else {
				if (escaped == null) {
					escaped = new StringBuilder(part.length() + 16).append(part, 0, i);
				}
				escaped.append((c < 0x100) ? "%%%02X".formatted((int) c) : "%%u%04X".formatted((int) c));
			}
		}
		return (escaped != null) ? escaped.toString() : part;
	}

	private static boolean isPlain(String part, int index, char c) {
		if (c == '%' || c == '{' || c == '}' || Character.isISOControl(c)) {
			return false;
		}
		// A lone surrogate has no UTF-8 form: encoders replace it, and keys would collide
		if (Character.isHighSurrogate(c)) {
			return index + 1 < part.length() && Character.isLowSurrogate(part.charAt(index + 1));
		}
		if (Character.isLowSurrogate(c)) {
			return index > 0 && Character.isHighSurrogate(part.charAt(index - 1));
		}
		return true;
	}

	private static int bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8).length;
	}

	private static String sha256(String text) {
		try {
			// UTF-16 keeps lone surrogates apart
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(utf16(text));
			return HexFormat.of().formatHex(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static byte[] utf16(String text) {
		byte[] bytes = new byte[text.length() * 2];
		for (int i = 0; i < text.length(); i++) {
			bytes[2 * i] = (byte) (text.charAt(i) >> 8);
			bytes[2 * i + 1] = (byte) text.charAt(i);
		}
		return bytes;
	}

}

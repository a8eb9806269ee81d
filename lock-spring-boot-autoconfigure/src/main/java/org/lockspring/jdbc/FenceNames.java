package org.lockspring.jdbc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Fits names into the columns of the fence table. Two different names never become equal:
 * a name that does not fit, or that a database could change on its way, is replaced by
 * its SHA-256.
 */
final class FenceNames {

	private static final String HASHED = "#sha256:";

	private static final int MAX_RESOURCE_BYTES = 256;

	private static final int MAX_OWNER_CHARS = 64;

	private FenceNames() {
	}

	static String resource(String resource) {
		boolean fits = resource.length() <= MAX_RESOURCE_BYTES && !resource.startsWith(HASHED)
				&& resource.chars().noneMatch((c) -> Character.isISOControl(c) || Character.isSurrogate((char) c))
				&& resource.getBytes(StandardCharsets.UTF_8).length <= MAX_RESOURCE_BYTES;
		return fits ? resource : HASHED + sha256(resource);
	}

	static String owner(String owner) {
		boolean fits = owner.length() <= MAX_OWNER_CHARS && owner.chars().allMatch((c) -> c > ' ' && c < 0x7f);
		return fits ? owner : sha256(owner);
	}

	private static String sha256(String text) {
		try {
			// Char by char: an encoder would replace lone surrogates
			ByteBuffer bytes = ByteBuffer.allocate(2 * text.length());
			bytes.asCharBuffer().put(text);
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}

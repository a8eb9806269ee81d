package org.lockspring.zookeeper;

/**
 * Where a lock's node is: all are children of one node, so that no parent stays behind
 * for a lock. What ZooKeeper does not allow in a path is written as {@code ~} and four
 * hexadecimal digits, and so is {@code ~}: two names never share a path.
 */
final class NodePaths {

	static final String PARENT = "/lock";

	private NodePaths() {
	}

	static String of(String name) {
		StringBuilder path = new StringBuilder(PARENT).append('/');
		for (int i = 0; i < name.length(); i++) {
			char c = name.charAt(i);
			boolean plain = c > ' ' && c < 0x7F && c != '/' && c != '~' && (c != '.' || i > 0);
			if (plain) {
				path.append(c);
			}
			else {
				path.append("~%04X".formatted((int) c));
			}
		}
		return path.toString();
	}

}

package org.lockspring.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ports for servers. Below the range from which the kernel takes ports for outgoing
 * connections: otherwise a client that reconnects to a killed server can meet itself, or
 * take the port that the server needs for its restart.
 */
public final class FreePorts {

	/** A Redis Cluster node also listens on its port plus this. */
	private static final int BUS_OFFSET = 10_000;

	private static final int FIRST = 10_000;

	private static final int LAST = 21_999;

	private static final Random random = new Random();

	private static final Set<Integer> given = ConcurrentHashMap.newKeySet();

	private FreePorts() {
	}

	/**
	 * Return a port that is free, and so is the port 10 000 above it. Another process can
	 * still be faster: start again with another port then.
	 */
	public static int next() {
		while (true) {
			int port = FIRST + random.nextInt(LAST - FIRST + 1);
			if (isFree(port) && isFree(port + BUS_OFFSET) && given.add(port)) {
				return port;
			}
		}
	}

	/**
	 * Return a listening socket.
	 */
	static ServerSocket listen() {
		while (true) {
			try {
				return new ServerSocket(next(), 50, InetAddress.getLoopbackAddress());
			}
			catch (IOException ex) {
				if (!(ex instanceof java.net.BindException)) {
					throw new UncheckedIOException(ex);
				}
			}
		}
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}

package org.lockspring.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port below those that the kernel gives to outgoing connections.
 */
public final class FreePort {

	private FreePort() {
	}

	public static int find() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(22_000, 32_000);
			try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
				return socket.getLocalPort();
			}
			catch (IOException ex) {
				// In use
			}
		}
	}

}

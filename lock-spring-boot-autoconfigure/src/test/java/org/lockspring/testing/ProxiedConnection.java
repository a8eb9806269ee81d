package org.lockspring.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.lockspring.testing.Faults.Fate;

/**
 * One connection through a {@link FaultProxy}: a thread for each direction.
 */
final class ProxiedConnection {

	private final Faults faults;

	private final Socket client;

	private final String host;

	private final int port;

	private final Consumer<ProxiedConnection> onClose;

	/** What is to happen to the replies that are due, in the order of the requests. */
	private final Queue<Fate> fates = new ConcurrentLinkedQueue<>();

	private volatile @Nullable Socket server;

	private volatile boolean closed;

	/** Only the thread of the replies reads and writes it. */
	private boolean gap;

	ProxiedConnection(Faults faults, Socket client, String host, int port, Consumer<ProxiedConnection> onClose) {
		this.faults = faults;
		this.client = client;
		this.host = host;
		this.port = port;
		this.onClose = onClose;
	}

	void start() {
		daemon("proxy-requests", this::forwardRequests);
	}

	private void daemon(String name, Loop loop) {
		Thread thread = new Thread(() -> {
			try {
				loop.run();
			}
			catch (IOException | InterruptedException ex) {
				// Either side closed the connection
			}
			finally {
				close();
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}

	private void forwardRequests() throws IOException, InterruptedException {
		this.faults.awaitPassage();
		Socket upstream = new Socket(InetAddress.getByName(this.host), this.port);
		this.server = upstream;
		if (this.closed) {
			upstream.close();
			return;
		}
		upstream.setTcpNoDelay(true);
		daemon("proxy-replies", () -> forwardReplies(upstream));
		byte[] buffer = new byte[65536];
		int length = this.client.getInputStream().read(buffer);
		while (length != -1) {
			byte[] request = Arrays.copyOf(buffer, length);
			this.fates.add(this.faults.fateOf(request));
			if (this.closed) {
				return;
			}
			upstream.getOutputStream().write(request);
			length = this.client.getInputStream().read(buffer);
		}
	}

	private void forwardReplies(Socket upstream) throws IOException, InterruptedException {
		byte[] buffer = new byte[65536];
		int length = upstream.getInputStream().read(buffer);
		while (length != -1) {
			Fate fate = this.fates.poll();
			if (!pass(buffer, length, (fate != null) ? fate : Fate.PASS)) {
				return;
			}
			length = upstream.getInputStream().read(buffer);
		}
	}

	private boolean pass(byte[] reply, int length, Fate fate) throws IOException, InterruptedException {
		if (fate == Fate.SWALLOW) {
			this.gap = true;
			this.faults.countSwallowed();
			return true;
		}
		if (fate == Fate.CUT || this.gap) {
			close();
			this.faults.countCut();
			return false;
		}
		if (fate == Fate.DELAY) {
			this.faults.awaitDelay();
		}
		this.faults.awaitPassage();
		this.client.getOutputStream().write(reply, 0, length);
		return true;
	}

	void close() {
		this.closed = true;
		closeQuietly(this.client);
		closeQuietly(this.server);
		this.onClose.accept(this);
	}

	private static void closeQuietly(@Nullable Socket socket) {
		try {
			if (socket != null) {
				socket.close();
			}
		}
		catch (IOException ex) {
			// It was on its way out
		}
	}

	private interface Loop {

		void run() throws IOException, InterruptedException;

	}

}

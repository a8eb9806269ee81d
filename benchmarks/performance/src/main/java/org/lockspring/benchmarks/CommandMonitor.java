package org.lockspring.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what clients send to Redis, apart from what scripts call there: {@code INFO
 * commandstats} does not tell the two apart.
 */
final class CommandMonitor implements AutoCloseable {

	private final Socket socket;

	private final AtomicInteger requests = new AtomicInteger();

	private CommandMonitor(Socket socket) {
		this.socket = socket;
	}

	static CommandMonitor start(int port) {
		try {
			Socket socket = new Socket("127.0.0.1", port);
			socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
			BufferedReader lines = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
			lines.readLine();
			CommandMonitor monitor = new CommandMonitor(socket);
			Thread reader = new Thread(() -> monitor.read(lines), "command-monitor");
			reader.setDaemon(true);
			reader.start();
			return monitor;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void read(BufferedReader lines) {
		try {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				boolean ofScript = line.contains(" lua] ");
				boolean ofOurs = line.contains("\"INFO\"") || line.contains("\"CONFIG\"");
				if (!ofScript && !ofOurs) {
					this.requests.incrementAndGet();
				}
			}
		}
		catch (IOException ex) {
			// Closed
		}
	}

	int requests() {
		return this.requests.get();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}

package org.lockspring.sample.embedded;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * A real {@code redis-server} on a port of this machine: joined if one answers there,
 * started otherwise. Keeps nothing on disk: fencing tokens rise all the same, since they
 * follow the server's clock.
 */
public final class EmbeddedRedis implements DataRedisConnectionDetails, AutoCloseable {

	private static final String HOST = "127.0.0.1";

	/** Ends the server also if the JVM is killed, as that closes the pipe. */
	private static final String UNTIL_THE_PIPE_CLOSES = "exec 3<&0; (read -r _ <&3; kill $$) & exec \"$0\" \"$@\"";

	private final int port;

	private final @Nullable Process process;

	private final String description;

	/**
	 * Join or start a server.
	 * @param port the port
	 * @throws IOException if none answers and none can be started
	 */
	public EmbeddedRedis(int port) throws IOException {
		this.port = port;
		if (answers()) {
			this.process = null;
			this.description = "joined the Redis on port " + port;
		}
		else {
			File executable = executable();
			this.process = start(executable);
			this.description = "started " + executable + " on port " + port;
		}
	}

	private static File executable() throws IOException {
		try {
			return ExecutableProvider.newExecutableInPath("redis-server").get();
		}
		catch (FileNotFoundException ex) {
			return ExecutableProvider.newJarResourceProvider().get();
		}
	}

	private Process start(File executable) throws IOException {
		List<String> command = new ArrayList<>();
		if (File.separatorChar == '/') {
			command.addAll(List.of("sh", "-c", UNTIL_THE_PIPE_CLOSES));
		}
		command.addAll(List.of(executable.getPath(), "--port", String.valueOf(this.port), "--bind", HOST));
		command.addAll(List.of("--save", "", "--appendonly", "no"));
		Process started = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(Redirect.DISCARD)
			.start();
		while (!answers()) {
			if (!started.isAlive()) {
				throw new IOException("%s does not start: is port %d in use?".formatted(executable, this.port));
			}
		}
		return started;
	}

	private boolean answers() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout(1000);
			socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			return socket.getInputStream().read() == '+';
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Override
	public Standalone getStandalone() {
		return Standalone.of(HOST, this.port);
	}

	@Override
	public void close() throws IOException {
		if (this.process != null) {
			this.process.destroy();
			this.process.onExit().join();
			this.process.getOutputStream().close();
		}
	}

	@Override
	public String toString() {
		return this.description;
	}

}

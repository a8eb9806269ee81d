package org.lockspring.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The protocol of Redis (RESP2) over one socket, without a client library. Not
 * thread-safe.
 */
public final class RespConnection implements AutoCloseable {

	private final Socket socket = new Socket();

	private final InputStream in;

	/**
	 * Connect.
	 * @param host the server's host
	 * @param port the server's port, or a proxy's
	 * @param timeout the longest wait for an answer
	 * @throws UncheckedIOException if nobody listens
	 */
	public RespConnection(String host, int port, Duration timeout) {
		try {
			this.socket.setTcpNoDelay(true);
			this.socket.setSoTimeout((int) timeout.toMillis());
			this.socket.connect(new InetSocketAddress(host, port), (int) timeout.toMillis());
			this.in = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			close();
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Change the longest wait for an answer.
	 * @param timeout more than zero
	 */
	public void setTimeout(Duration timeout) {
		try {
			this.socket.setSoTimeout((int) timeout.toMillis());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Send one command and wait for its answer.
	 * @param args the command and its arguments, as UTF-8
	 * @return a {@code String}, a {@code Long}, a {@code List} of those, or {@code null}
	 * @throws IllegalStateException if Redis answers with an error; the message is the
	 * error
	 * @throws UncheckedIOException if there is no answer in time, or no connection
	 */
	public @Nullable Object command(String... args) {
		try {
			ByteArrayOutputStream request = new ByteArrayOutputStream();
			request.write(("*" + args.length + "\r\n").getBytes(StandardCharsets.UTF_8));
			for (String arg : args) {
				byte[] bytes = arg.getBytes(StandardCharsets.UTF_8);
				request.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
				request.write(bytes);
				request.write('\r');
				request.write('\n');
			}
			this.socket.getOutputStream().write(request.toByteArray());
			return read();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(String.join(" ", args), ex);
		}
	}

	private @Nullable Object read() throws IOException {
		int type = this.in.read();
		String line = readLine(type);
		return switch (type) {
			case '+' -> line;
			case '-' -> throw new IllegalStateException(line);
			case ':' -> Long.valueOf(line);
			case '$' -> readBulk(Integer.parseInt(line));
			case '*' -> readList(Integer.parseInt(line));
			default -> throw new IOException("Not an answer of Redis: " + (char) type + line);
		};
	}

	private String readLine(int type) throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		int next = type;
		while (next != -1) {
			next = this.in.read();
			if (next == '\r') {
				this.in.read();
				return line.toString(StandardCharsets.UTF_8);
			}
			line.write(next);
		}
		throw new EOFException("The connection was closed");
	}

	private @Nullable String readBulk(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.in.readNBytes(length + 2);
		if (bytes.length < length + 2) {
			throw new EOFException("The connection was closed");
		}
		return new String(bytes, 0, length, StandardCharsets.UTF_8);
	}

	private @Nullable List<@Nullable Object> readList(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		List<@Nullable Object> list = new ArrayList<>(length);
		for (int i = 0; i < length; i++) {
			list.add(read());
		}
		return list;
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

package org.lockspring.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * A TCP proxy in front of a server, in this JVM, whose faults are switched while it runs.
 * <p>
 * A <em>request</em> is what arrives from the client at once, a <em>reply</em> what comes
 * back from the server at once; the first reply belongs to the oldest request without
 * one. That holds for small messages of a client that waits for each answer. A pipeline
 * counts as one request as long as it arrives and is answered in one piece.
 * <p>
 * Faults that are not for all traffic hit the requests that {@link #only} names, by
 * default every one. A request's fate is decided when it arrives.
 */
public final class FaultProxy implements AutoCloseable {

	private final Faults faults = new Faults();

	private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

	private final ServerSocket listener = FreePorts.listen();

	private final String targetHost;

	private volatile int targetPort;

	private FaultProxy(String targetHost, int targetPort) {
		this.targetHost = targetHost;
		this.targetPort = targetPort;
	}

	/**
	 * Start a proxy without faults.
	 * @param host the server's host
	 * @param port the server's port; nobody needs to listen there yet
	 * @return a proxy that accepts connections
	 */
	public static FaultProxy to(String host, int port) {
		FaultProxy proxy = new FaultProxy(host, port);
		Thread thread = new Thread(proxy::accept, "proxy-accept");
		thread.setDaemon(true);
		thread.start();
		return proxy;
	}

	/**
	 * Start a proxy without faults.
	 * @param server the server behind it
	 * @return a proxy that accepts connections
	 */
	public static FaultProxy to(RedisServer server) {
		return to(server.host(), server.port());
	}

	private void accept() {
		try {
			while (true) {
				Socket client = this.listener.accept();
				client.setTcpNoDelay(true);
				ProxiedConnection connection = new ProxiedConnection(this.faults, client, this.targetHost,
						this.targetPort, this.connections::remove);
				this.connections.add(connection);
				connection.start();
			}
		}
		catch (IOException ex) {
			// Closed
		}
	}

	public String host() {
		return "127.0.0.1";
	}

	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Choose the requests that faults hit.
	 * @param requests tests the bytes of a request; called one at a time
	 * @return this proxy
	 */
	public FaultProxy only(Predicate<byte[]> requests) {
		this.faults.only(requests);
		return this;
	}

	/**
	 * Choose the requests that faults hit by what they contain.
	 * @param text for example {@code EVALSHA}; case does not matter
	 * @return this proxy
	 */
	public FaultProxy onlyRequestsWith(String text) {
		String wanted = text.toLowerCase(Locale.ROOT);
		return only((request) -> new String(request, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT).contains(wanted));
	}

	/**
	 * Swallow the replies of the next requests, which do reach the server. As TCP never
	 * loses a part of what passes over a living connection, a connection on which a reply
	 * was swallowed is closed instead of passing on a later one: no client is made to
	 * take the answer of one request for that of another.
	 * @param replies how many; replaces what was set before
	 */
	public void swallowReplies(int replies) {
		this.faults.swallow(replies);
	}

	/**
	 * Cut the connection of the next request when the server has executed it: the reply
	 * is awaited, and both sides are closed in place of passing it on.
	 */
	public void cutAfterRequest() {
		this.faults.cut(1);
	}

	/**
	 * Delay every reply.
	 * @param delay how long; zero ends the delay
	 */
	public void delayReplies(Duration delay) {
		this.faults.delay(delay);
	}

	/**
	 * Hold requests back: they, and whatever follows on the same connection, reach the
	 * server only after {@link #releaseRequests()}, also if the client has given up and
	 * closed the connection by then. {@link #cutAll()} discards them.
	 */
	public void holdRequests() {
		this.faults.hold(true);
	}

	/** Let requests reach the server that were held back. */
	public void releaseRequests() {
		this.faults.hold(false);
	}

	/**
	 * Let nothing pass in either direction, while connections stay open and new ones are
	 * accepted. What is sent meanwhile arrives after {@link #heal()}, as with a network
	 * that comes back.
	 */
	public void blackhole() {
		this.faults.blackhole();
	}

	/** End all faults, and the choice made by {@link #only}. */
	public void heal() {
		this.faults.heal();
	}

	/** Close all connections on both sides, at once. New ones are accepted. */
	public void cutAll() {
		this.connections.forEach(ProxiedConnection::close);
	}

	/**
	 * Send connections to another server from now on, as an address that moves with a
	 * failover does. The ones that are open go to the old one until they are cut.
	 * @param port the other server's port, on the same host
	 */
	public void retarget(int port) {
		this.targetPort = port;
	}

	/** Return how many requests are held back now. */
	public int held() {
		return this.faults.held();
	}

	/** Return how many replies were swallowed since the start. */
	public int swallowed() {
		return this.faults.swallowed();
	}

	/** Return how many connections a fault has cut since the start. */
	public int cut() {
		return this.faults.cutConnections();
	}

	/** Return how many connections are open now. */
	public int connections() {
		return this.connections.size();
	}

	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		cutAll();
		this.faults.close();
	}

}

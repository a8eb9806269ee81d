package org.lockspring.redis;

import java.nio.charset.StandardCharsets;
import java.util.Collection;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Listens with {@code SUBSCRIBE}, over either client. Lettuce restores it by itself; with
 * Jedis a thread reads from it until it ends.
 */
final class PlainConnection implements SignalConnection {

	private final RedisConnection connection;

	private final Events events;

	private final boolean reads;

	private volatile boolean closed;

	private volatile @Nullable RuntimeException failure;

	private PlainConnection(RedisConnection connection, Events events, boolean reads) {
		this.connection = connection;
		this.events = events;
		this.reads = reads;
	}

	/**
	 * Open a connection and ask to subscribe.
	 */
	static PlainConnection open(RedisConnectionFactory connectionFactory, Collection<String> channels, Events events) {
		boolean reads = !ConnectionUtils.isAsync(connectionFactory);
		PlainConnection opened = new PlainConnection(connectionFactory.getConnection(), events, reads);
		if (reads) {
			Thread reader = new Thread(() -> opened.read(bytes(channels)), "lock-redis-signals-reader");
			reader.setDaemon(true);
			reader.start();
			return opened;
		}
		try {
			opened.connection.subscribe(new Listener(events), bytes(channels));
			return opened;
		}
		catch (RuntimeException ex) {
			opened.close();
			throw ex;
		}
	}

	private void read(byte[][] channels) {
		// Nobody else may close it: it goes back to a pool
		try (this.connection) {
			if (!this.closed) {
				this.connection.subscribe(new Listener(this.events), channels);
			}
		}
		catch (RuntimeException ex) {
			this.failure = ex;
		}
		if (!this.closed) {
			this.events.ended(this);
		}
	}

	@Override
	public @Nullable RuntimeException failure() {
		return this.failure;
	}

	@Override
	public void add(String channel) {
		subscription().subscribe(bytes(channel));
	}

	@Override
	public void remove(Collection<String> channels) {
		subscription().unsubscribe(bytes(channels));
	}

	private Subscription subscription() {
		Subscription subscription = this.connection.getSubscription();
		if (subscription == null) {
			throw new IllegalStateException("The connection has not subscribed yet");
		}
		return subscription;
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			Subscription subscription = this.connection.getSubscription();
			if (subscription != null) {
				subscription.close();
			}
		}
		finally {
			if (!this.reads) {
				this.connection.close();
			}
		}
	}

	private static byte[][] bytes(Collection<String> texts) {
		return texts.stream().map(PlainConnection::bytes).toArray(byte[][]::new);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private record Listener(Events events) implements MessageListener, SubscriptionListener {

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			this.events.message(new String(message.getChannel(), StandardCharsets.UTF_8));
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			this.events.subscribed(new String(channel, StandardCharsets.UTF_8));
		}

	}

}

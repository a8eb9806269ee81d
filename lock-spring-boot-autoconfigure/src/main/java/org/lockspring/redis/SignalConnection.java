package org.lockspring.redis;

import java.util.Collection;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A connection that does nothing but listen.
 */
interface SignalConnection extends AutoCloseable {

	/**
	 * Open a connection and ask to subscribe.
	 */
	static SignalConnection open(RedisConnectionFactory connectionFactory, ReleaseChannels names,
			Collection<String> channels, Events events) {
		if (names.sharded()) {
			try {
				return ShardedConnection.open(connectionFactory, channels, events);
			}
			catch (RuntimeException ex) {
				if (!RedisFailure.isUnknownCommand(ex)) {
					throw ex;
				}
				names.notSharded();
			}
		}
		return PlainConnection.open(connectionFactory, channels, events);
	}

	/**
	 * Ask to subscribe to one more channel.
	 */
	void add(String channel);

	void remove(Collection<String> channels);

	/**
	 * Why the connection ended, if it did.
	 */
	@Nullable RuntimeException failure();

	@Override
	void close();

	/**
	 * What happens on the connection, on any thread.
	 */
	interface Events {

		void subscribed(String channel);

		void message(String channel);

		/** The connection is not usable any longer, though nobody closed it. */
		void ended(SignalConnection connection);

	}

}

package org.lockspring.redis;

import java.util.Collection;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.RedisClusterPubSubAdapter;
import io.lettuce.core.cluster.pubsub.RedisClusterPubSubListener;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.StringCodec;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Listens with {@code SSUBSCRIBE} in a Cluster, on one connection to each node whose
 * channels are wanted. Loaded only if Lettuce is there.
 * <p>
 * It ends with the first of these connections: Lettuce would subscribe again to all
 * channels with one command, which Redis refuses if they are of several slots.
 */
final class ShardedConnection extends RedisClusterPubSubAdapter<String, String>
		implements SignalConnection, RedisConnectionStateListener {

	private final StatefulRedisClusterPubSubConnection<String, String> connection;

	private final Events events;

	private final Set<String> wanted = ConcurrentHashMap.newKeySet();

	private final Set<RedisURI> watched = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	private volatile @Nullable RuntimeException failure;

	private ShardedConnection(StatefulRedisClusterPubSubConnection<String, String> connection, Events events) {
		this.connection = connection;
		this.events = events;
	}

	static boolean isFor(RedisConnectionFactory connectionFactory) {
		return connectionFactory instanceof LettuceConnectionFactory lettuce && lettuce.isClusterAware();
	}

	/**
	 * Open a connection and wait until the first channel is subscribed.
	 */
	static ShardedConnection open(RedisConnectionFactory connectionFactory, Collection<String> channels,
			Events events) {
		RedisClusterClient client = (RedisClusterClient) ((LettuceConnectionFactory) connectionFactory)
			.getRequiredNativeClient();
		ShardedConnection opened = new ShardedConnection(client.connectPubSub(StringCodec.UTF8), events);
		try {
			opened.connection.addListener((RedisClusterPubSubListener<String, String>) opened);
			Iterator<String> each = channels.iterator();
			opened.subscribe(each.next()).join();
			each.forEachRemaining(opened::add);
			return opened;
		}
		catch (RuntimeException ex) {
			opened.close();
			throw ex;
		}
	}

	@Override
	public void add(String channel) {
		var unused = subscribe(channel).whenComplete((nothing, ex) -> {
			if (ex != null) {
				end(new RedisException("SSUBSCRIBE " + channel, ex));
			}
		});
	}

	private CompletableFuture<Void> subscribe(String channel) {
		this.wanted.add(channel);
		return this.connection.async()
			.ssubscribe(channel)
			.toCompletableFuture()
			.orTimeout(this.connection.getTimeout().toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public void remove(Collection<String> channels) {
		this.wanted.removeAll(channels);
		// One slot each
		for (String channel : channels) {
			var unused = this.connection.async().sunsubscribe(channel);
		}
	}

	@Override
	public void ssubscribed(@Nullable RedisClusterNode node, String channel, long count) {
		if (node != null && this.watched.add(node.getUri())) {
			var unused = this.connection.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort())
				.thenAccept((one) -> one.addListener(this));
		}
		this.events.subscribed(channel);
	}

	@Override
	public void smessage(RedisClusterNode node, String channel, String message) {
		this.events.message(channel);
	}

	/**
	 * The slot has moved, if it was not us.
	 */
	@Override
	public void sunsubscribed(RedisClusterNode node, String channel, long count) {
		if (!this.closed && this.wanted.contains(channel)) {
			add(channel);
		}
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> one) {
		end(null);
	}

	private void end(@Nullable RuntimeException ex) {
		if (!this.closed) {
			this.closed = true;
			this.failure = ex;
			var unused = this.connection.closeAsync();
			this.events.ended(this);
		}
	}

	@Override
	public @Nullable RuntimeException failure() {
		return this.failure;
	}

	@Override
	public void close() {
		this.closed = true;
		this.connection.close();
	}

}

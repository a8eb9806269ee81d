package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.ReleaseSignals.Subscription;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Listens for releases on one connection, which is opened for the first who waits and
 * closed when nobody has waited for a while. Channels are kept for that while too: who
 * waits often for the same lock subscribes once.
 * <p>
 * One thread does all that asks the server, so that a server that hangs holds up a waiter
 * only briefly.
 */
final class RedisSignals implements SignalConnection.Events, AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisLockBackend.class);

	private static final Duration PATIENCE = Duration.ofMillis(300);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final RedisConnectionFactory connectionFactory;

	private final ReleaseChannels names;

	private final Duration linger;

	private final Map<String, SignalChannel> channels = new ConcurrentHashMap<>();

	private final ThreadPoolExecutor executor;

	/** Used by the executor's thread only. */
	private @Nullable SignalConnection connection;

	/** Used by the executor's thread only. */
	private boolean sweeping;

	private volatile long notBefore = System.nanoTime();

	RedisSignals(RedisConnectionFactory connectionFactory, ReleaseChannels names, Duration linger) {
		this.connectionFactory = connectionFactory;
		this.names = names;
		this.linger = linger;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-redis-signals-");
		threads.setDaemon(true);
		this.executor = new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Nullable Subscription subscribe(String name, Runnable listener) {
		if (!this.names.canSubscribe() || System.nanoTime() - this.notBefore < 0) {
			return null;
		}
		String key = this.names.of(name);
		Subscription[] subscription = new Subscription[1];
		SignalChannel channel = this.channels.compute(key, (unused, present) -> {
			SignalChannel current = (present != null) ? present : new SignalChannel();
			subscription[0] = current.add(listener);
			return current;
		});
		try {
			if (channel.isConfirmed() || (channel.request() && request(key, channel))) {
				return subscription[0];
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		subscription[0].close();
		return null;
	}

	private boolean request(String key, SignalChannel channel) throws InterruptedException {
		try {
			this.executor.execute(() -> subscribe(List.of(key)));
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
		return channel.await(PATIENCE.toNanos());
	}

	private void subscribe(List<String> keys) {
		SignalConnection open = this.connection;
		try {
			if (open != null) {
				keys.forEach(open::add);
				return;
			}
			open = SignalConnection.open(this.connectionFactory, this.names, keys, this);
			this.connection = open;
			if (!this.sweeping) {
				this.sweeping = true;
				schedule(this::sweep, this.linger.dividedBy(2));
			}
			// With Jedis, others have to wait until the first is subscribed
			SignalChannel first = this.channels.get(keys.get(0));
			if (first != null && !first.await(PATIENCE.toNanos())) {
				giveUp(open.failure());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException ex) {
			giveUp(ex);
		}
	}

	/**
	 * Those who wait fall back on their own timers; who listened already is served again.
	 */
	private void giveUp(@Nullable RuntimeException ex) {
		if (ex != null && RedisFailure.isRefused(ex)) {
			this.names.subscribeRefused(String.join(" ", this.channels.keySet()));
		}
		else {
			logger.debug("Redis cannot signal releases at the moment", ex);
		}
		this.notBefore = System.nanoTime() + PAUSE.toNanos();
		disconnect();
		this.channels.values().forEach(SignalChannel::interrupt);
		schedule(this::restore, PAUSE);
	}

	private void restore() {
		this.channels.values().removeIf((channel) -> !channel.hasListeners());
		List<String> keys = new ArrayList<>();
		this.channels.forEach((key, channel) -> {
			if (channel.request()) {
				keys.add(key);
			}
		});
		if (!keys.isEmpty() && this.names.canSubscribe()) {
			subscribe(keys);
		}
	}

	private void sweep() {
		List<String> unused = new ArrayList<>();
		this.channels.keySet().forEach((key) -> this.channels.computeIfPresent(key, (same, channel) -> {
			if (channel.isUnused(this.linger.toNanos())) {
				unused.add(key);
				return null;
			}
			return channel;
		}));
		if (this.channels.isEmpty()) {
			disconnect();
		}
		this.sweeping = this.connection != null;
		if (this.connection != null) {
			schedule(this::sweep, this.linger.dividedBy(2));
			unsubscribe(this.connection, unused);
		}
	}

	private void unsubscribe(SignalConnection open, List<String> unused) {
		try {
			if (!unused.isEmpty()) {
				open.remove(unused);
			}
		}
		catch (RuntimeException ex) {
			giveUp(ex);
		}
	}

	private void schedule(Runnable task, Duration delay) {
		CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, this.executor).execute(task);
	}

	private void disconnect() {
		SignalConnection open = this.connection;
		this.connection = null;
		if (open != null) {
			try {
				open.close();
			}
			catch (RuntimeException ex) {
				logger.debug("The connection that listened for releases did not close in order", ex);
			}
		}
	}

	@Override
	public void subscribed(String channel) {
		SignalChannel known = this.channels.get(channel);
		if (known != null) {
			known.confirm();
		}
	}

	@Override
	public void message(String channel) {
		SignalChannel known = this.channels.get(channel);
		if (known != null) {
			known.signal();
		}
	}

	@Override
	public void ended(SignalConnection ended) {
		this.channels.values().forEach(SignalChannel::interrupt);
		try {
			this.executor.execute(() -> {
				if (ended.equals(this.connection)) {
					giveUp(ended.failure());
				}
			});
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Closed", ex);
		}
	}

	@Override
	public void close() {
		try {
			this.executor.execute(this::disconnect);
			this.executor.shutdown();
			this.executor.awaitTermination(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RejectedExecutionException ex) {
			// Closed before
		}
	}

}

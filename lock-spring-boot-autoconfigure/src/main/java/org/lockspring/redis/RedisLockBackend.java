package org.lockspring.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.Acquisition;
import org.lockspring.AllOrNothing;
import org.lockspring.Assumption;
import org.lockspring.BackendLease;
import org.lockspring.BatchRenewal;
import org.lockspring.HandingOver;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.ReleaseSignals;
import org.lockspring.fencing.FencingToken;
import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Locks on one Redis, alone or with replicas, under Sentinel, or in a Cluster; over
 * Lettuce or Jedis.
 * <p>
 * EFFICIENCY: {@code SET key owner NX PX ttl} and a compare-and-delete. CORRECTNESS: one
 * script that raises a counter and then sets the entry. Replication is asynchronous, so
 * after a failover two callers can hold the same lock; their tokens still differ and rise
 * as long as the counter survived or the new server's clock is not behind it.
 *
 * @since 0.1.0
 */
public final class RedisLockBackend
		implements LockBackend, HandingOver, ReleaseSignals, BatchRenewal, AllOrNothing, AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisLockBackend.class);

	private static final int MOST_PENDING = 1000;

	private static final Duration LINGER = Duration.ofSeconds(10);

	private final RedisCalls calls;

	private final RedisAssumptions assumptions;

	private final String fenceRetention;

	private final ReleaseChannels channels;

	private final RedisSignals signals;

	private final RedisBatchRenewal renewal;

	private final RedisTogether together;

	private final ThreadPoolExecutor abandoner;

	/**
	 * Create a backend.
	 * @param connectionFactory the application's connections
	 * @param fenceRetention how long a counter outlives the last use of its lock; within
	 * it, tokens rise even if the server's clock steps back
	 * @param address where Redis is, for messages
	 */
	public RedisLockBackend(RedisConnectionFactory connectionFactory, Duration fenceRetention, String address) {
		this(connectionFactory, fenceRetention, address, LINGER);
	}

	RedisLockBackend(RedisConnectionFactory connectionFactory, Duration fenceRetention, String address,
			Duration linger) {
		this.calls = new RedisCalls(connectionFactory);
		this.assumptions = new RedisAssumptions(connectionFactory);
		this.fenceRetention = Long.toString(fenceRetention.toMillis());
		this.channels = new ReleaseChannels(address,
				ConnectionUtils.isAsync(connectionFactory) && ShardedConnection.isFor(connectionFactory));
		this.signals = new RedisSignals(connectionFactory, this.channels, linger);
		this.renewal = new RedisBatchRenewal(this.calls);
		this.together = new RedisTogether(this.calls, this.fenceRetention, this::granted);
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-redis-abandon-");
		threads.setDaemon(true);
		this.abandoner = new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_PENDING),
				threads, new ThreadPoolExecutor.DiscardPolicy());
		this.abandoner.allowCoreThreadTimeOut(true);
	}

	@Override
	public String name() {
		return "redis";
	}

	@Override
	public boolean supports(LockMode mode) {
		return true;
	}

	@Override
	public Acquisition tryAcquire(LockAttempt attempt) {
		Acquisition acquisition = acquire(attempt);
		// A release of our own may be on its way still
		boolean again = acquisition instanceof Acquisition.Busy && this.calls.settle(attempt.name());
		return again ? acquire(attempt) : acquisition;
	}

	private Acquisition acquire(LockAttempt attempt) {
		long sentAt = System.nanoTime();
		try {
			return answered(attempt,
					(attempt.mode() == LockMode.EFFICIENCY) ? acquirePlain(attempt) : acquireFenced(attempt), sentAt);
		}
		catch (RuntimeException ex) {
			throw failed(attempt, ex);
		}
	}

	@Override
	public CompletionStage<Acquisition> handOver(BackendLease from, LockAttempt attempt) {
		String replaced = ((RedisLease) from).value();
		String ttl = ttl(attempt);
		long sentAt = System.nanoTime();
		CompletableFuture<Object> sent = (attempt.mode() == LockMode.EFFICIENCY)
				? this.calls.send(LockScript.ACQUIRE, 1, attempt.name(), attempt.owner(), ttl, replaced)
				: this.calls.send(LockScript.ACQUIRE_FENCED, 2, attempt.name(), counter(attempt), attempt.owner(), ttl,
						this.fenceRetention, replaced);
		return sent.handle((answer, ex) -> {
			if (ex != null) {
				throw failed(attempt, ex);
			}
			return answered(attempt, (Long) answer, sentAt);
		});
	}

	private Acquisition answered(LockAttempt attempt, long answer, long sentAt) {
		if (answer <= 0) {
			return new Acquisition.Busy((answer < 0) ? Duration.ofMillis(-answer) : null);
		}
		return new Acquisition.Granted(granted(attempt, answer, sentAt));
	}

	private LockUnavailableException failed(LockAttempt attempt, Throwable ex) {
		if (!RedisFailure.isAnswered(ex)) {
			abandon(attempt);
		}
		return RedisFailure.translate(ex, "Lock " + attempt.description() + " could not be acquired", attempt.name(),
				this.channels.address());
	}

	private RedisLease granted(LockAttempt attempt, long answer, long sentAt) {
		FencingToken token = (attempt.mode() == LockMode.CORRECTNESS) ? new FencingToken(answer, attempt.owner())
				: null;
		return new RedisLease(this.calls, this.channels, attempt, token, sentAt);
	}

	@Override
	public boolean canTakeTogether(Collection<String> names) {
		return this.together.canTake(names);
	}

	@Override
	public @Nullable Answer tryAcquireAll(List<LockAttempt> attempts) {
		Answer answer;
		try {
			answer = this.together.tryAcquire(attempts);
			if (answer instanceof Answer.OneBusy busy && this.calls.settle(attempts.get(busy.index()).name())) {
				answer = this.together.tryAcquire(attempts);
			}
		}
		catch (RuntimeException ex) {
			if (!RedisFailure.isAnswered(ex)) {
				attempts.forEach(this::abandon);
			}
			String names = String.join(", ", attempts.stream().map(LockAttempt::name).toList());
			throw RedisFailure.translate(ex,
					"Locks " + String.join(", ", attempts.stream().map(LockAttempt::description).toList())
							+ " could not be acquired",
					names, this.channels.address());
		}
		return answer;
	}

	private long acquirePlain(LockAttempt attempt) {
		if (this.calls.setIfAbsent(attempt.name(), attempt.owner(), attempt.ttl().toMillis())) {
			return 1;
		}
		// Busy, or a repeated SET met its own entry
		return this.calls.run(LockScript.ACQUIRE, 1, attempt.name(), attempt.owner(), ttl(attempt));
	}

	private long acquireFenced(LockAttempt attempt) {
		return this.calls.run(LockScript.ACQUIRE_FENCED, 2, attempt.name(), counter(attempt), attempt.owner(),
				ttl(attempt), this.fenceRetention);
	}

	private static String ttl(LockAttempt attempt) {
		return Long.toString(attempt.ttl().toMillis());
	}

	private static String counter(LockAttempt attempt) {
		return attempt.name() + ":fence";
	}

	/**
	 * Give back what may have been granted without our knowing. In the background: the
	 * caller has waited for one time-out already. Lettuce sends it behind the lost
	 * request on the same connection. If it does not arrive either, the entry ends with
	 * its ttl.
	 */
	private void abandon(LockAttempt attempt) {
		this.abandoner.execute(() -> {
			try {
				String channel = this.channels.toPublish(attempt.name());
				Object answer = this.calls
					.send(LockScript.ABANDON, 1, attempt.name(), attempt.owner(), channel, this.channels.command())
					.join();
				this.channels.published((Long) answer, channel);
			}
			catch (RuntimeException ex) {
				logger.debug("Lock " + attempt.description() + ", if it was granted, ends with its ttl", ex);
			}
		});
	}

	@Override
	public @Nullable Subscription subscribe(String name, Runnable listener) {
		return this.signals.subscribe(name, listener);
	}

	@Override
	public List<Outcome> renew(List<Renewal> renewals) {
		return this.renewal.renew(renewals);
	}

	@Override
	public List<Assumption> assumptions(LockMode mode) {
		return this.assumptions.of(mode);
	}

	/**
	 * Stop clearing up. Waits up to 1 s each for releases and clean-ups that are under
	 * way.
	 */
	@Override
	public void close() {
		this.abandoner.shutdown();
		this.signals.close();
		this.calls.flush();
		try {
			this.abandoner.awaitTermination(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
